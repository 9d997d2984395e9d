/* reading.c: how does an input of any format become a profile?
 *
 * The reader is chosen by its name or by its bid (reader_of_input). A long input is read in parts
 * by several threads, any other by one (read_with). Then the limits that every profile keeps are
 * checked, unless its reader has done that (profile_read_input). */
#include "readers/reading.h"

#include "base/expansion.h"
#include "model/extent.h"
#include "model/numbers.h"
#include "readers/lines/tabs.h"
#include "readers/parts.h"
#include "readers/unread.h"

static void unknown_format(struct bytes head, struct error *err)
{
	const struct unread *unread = unread_format(head);

	if (unread)
		error_set(err, ERR_FORMAT, "%s, which Kiln does not read: %s", unread->what,
			unread->instead);
	else
		error_set(err, ERR_FORMAT,
			"unknown format; expected one of those that `kiln formats` lists (name one "
			"with --format)");
}

static bool read_with(const struct reader *reader, struct input *in,
	const struct read_options *options, struct profile *out, struct error *err)
{
	struct read_options own = *options;
	unsigned parts;

	own.expands_tabs = reader->blanks && has_tab(bytes_head(in->window, READER_HEAD));
	parts = own.expands_tabs ? 1 : parts_count(reader, in, options);
	return (parts > 1 && parts_read(reader, in, options, parts, out)) ||
	       reader->read(in, &own, out, err);
}

static const struct reader *choose(struct input *in, const char *format, struct error *err)
{
	const struct reader *reader;

	if (!in->window.len) {
		error_set(err, ERR_FORMAT,
			"byte 0: empty input; expected a profile: check the program that should "
			"have written it");
		return NULL;
	}
	reader = format ? reader_by_name(format) : reader_for(bytes_head(in->window, READER_HEAD));
	if (!reader)
		unknown_format(bytes_head(in->window, READER_HEAD), err);
	return reader;
}

const struct reader *reader_of_input(struct input *in, const char *format, struct error *err)
{
	const struct reader *reader = NULL;

	if (input_fill(in, READER_HEAD, err))
		reader = choose(in, format, err);
	if (!reader)
		error_prefix(err, "%s: ", in->name);
	return reader;
}

bool profile_read_input(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	const struct reader *reader = reader_of_input(in, options->format, err);
	bool packed, done;
	uint64_t size;

	profile_init(out);
	if (!reader)
		return false;
	size = input_stored_size(in);
	packed = input_is_compressed(in);
	if (packed)
		out->limit = expansion_limit(size);
	done = read_with(reader, in, options, out, err);
	if (!packed && in->offset + in->window.len > size)
		size = in->offset + in->window.len; /* of a pipe, or of several files */
	out->limit = expansion_limit(size);
	done = done && profile_check_rows(out, err) && profile_check_samples(out, err) &&
	       profile_check_values(out, err) &&
	       (reader->checked || (profile_check_numbers(out, err) &&
					   profile_limit_extent(out, STACK_DEPTH_LIMIT, err)));
	return done || error_prefix(err, "%s: ", in->name);
}

/* Read and release an input; `opened`: false if it could not be opened, and err says why. */
static bool read_opened(bool opened, struct input *in, const struct read_options *options,
	struct profile *out, struct error *err)
{
	bool done;

	if (!opened) {
		profile_init(out);
		return false;
	}
	done = profile_read_input(in, options, out, err);
	input_release(in);
	return done;
}

bool profile_read(const char *path, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct input in;

	return read_opened(input_open(&in, path, err), &in, options, out, err);
}
