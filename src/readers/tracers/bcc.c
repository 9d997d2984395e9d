/* bcc.c: stacks that bcc's and libbpf-tools' profile and offcputime print unless told to fold them:
 *
 *	Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.
 *
 *	    innermost
 *	    --
 *	    outermost
 *	    -                comm (1234)
 *	        12
 *
 * The "--" between kernel and user frames is printed when asked for. profile has always had a
 * heading; what has none is offcputime's, in microseconds. */
#include "readers/lines/line_format.h"

#include "names/tidy.h"

#include <stdlib.h>

#define EXPECTS "frames, a line such as `-   comm (1234)`, and a line with their count"

struct bcc {
	struct text_stacks stacks;
	bool streamed; /* is it known what is counted? */
	bool named;    /* the comm's line has been read: a value follows */
	struct sample sample;
};

static bool is_profile(struct bytes line)
{
	return bytes_starts_with(line, BYTES("Sampling at ")) &&
	       bytes_find(line, BYTES(" Hertz of "));
}

static bool is_offcputime(struct bytes line)
{
	return bytes_starts_with(line, BYTES("Tracing off-CPU time (us) of "));
}

/* "-                comm (1234)": the comm may be anything. */
static bool parse_comm(struct bytes text, struct bytes *ret_comm, uint64_t *ret_pid)
{
	const char *open;
	struct bytes comm;

	if (!bytes_starts_with(text, BYTES("- ")) || text.at[text.len - 1] != ')')
		return false;
	open = bytes_find_last(text, '(');
	if (!open || open[-1] != ' ' ||
		!bytes_u64(
			(struct bytes){open + 1, (size_t)(text.at + text.len - open) - 2}, ret_pid))
		return false;
	comm = (struct bytes){text.at + 1, (size_t)(open - text.at) - 1};
	*ret_comm = bytes_trim(comm);
	return true;
}

static void open_stream(struct bcc *b, bool profile)
{
	if (b->streamed)
		return;
	b->streamed = true;
	if (profile)
		text_stacks_stream(&b->stacks, BYTES("samples"), BYTES("count"), (struct bytes){0});
	else
		text_stacks_stream(&b->stacks, BYTES("off"), BYTES("us"), (struct bytes){0});
}

/* The comm is the outermost frame. */
static void take_comm(struct bcc *b, struct bytes comm, uint64_t pid)
{
	struct profile *p = b->stacks.profile;

	text_stacks_push_name(&b->stacks, comm, FRAME_META);
	b->named = true;
	if (b->stacks.want & WANT_THREADS) {
		string_id name = profile_string(p, comm);
		int32_t id = pid > INT32_MAX ? -1 : (int32_t)pid;

		b->sample.has = SAMPLE_THREAD;
		b->sample.thread = profile_thread(p, profile_process(p, id, name), id, name);
	}
}

static bool take_value(struct bcc *b, int64_t value, struct error *err)
{
	open_stream(b, false);
	b->named = false;
	if (value < 0) {
		text_stacks_skip(&b->stacks, "expected a count below 2^63");
		text_stacks_clear(&b->stacks);
		return true;
	}
	return text_stacks_add_sample(&b->stacks, INNERMOST_FIRST, b->sample, &value, err);
}

/* The frames so far are the kernel's. */
static void take_delimiter(struct bcc *b)
{
	struct text_stacks *t = &b->stacks;

	for (size_t i = 0; i < t->frames.len; i++) {
		struct span names = t->profile->location_names.items[t->frames.items[i]];
		frame_id frame = t->profile->location_frames.items[names.first];
		struct bytes name =
			profile_text(t->profile, t->profile->frames.items[frame].function);

		t->frames.items[i] = text_stacks_named(t, name, FRAME_KERNEL);
	}
}

static location_id learn_frame(struct bcc *b, struct bytes line)
{
	struct bytes symbol = bytes_trim(line);
	location_id location;
	size_t at = symbol.len;

	while (at && is_hex_digit(symbol.at[at - 1]))
		at--;
	if (at < symbol.len && at > 3 && !memcmp(symbol.at + at - 3, "+0x", 3))
		symbol.len = at - 3;
	location =
		text_stacks_symbol(&b->stacks, symbol, (struct bytes){0}, tidy_suffix_kind(symbol));
	text_stacks_learn(&b->stacks, line, location);
	return location;
}

static bool take_new_line(struct bcc *b, struct bytes line, struct error *err)
{
	struct bytes text = bytes_trim(line), comm;
	int64_t value;
	uint64_t pid;

	if (!text.len)
		return true;
	if (b->named) {
		if (text_is_count(text, &value))
			return take_value(b, value, err);
		text_stacks_skip(&b->stacks, "expected a line with the count of the stack");
		text_stacks_clear(&b->stacks);
		b->named = false;
	}
	if (is_profile(line) || is_offcputime(line))
		open_stream(b, is_profile(line));
	else if (parse_comm(text, &comm, &pid))
		take_comm(b, comm, pid);
	else if (bytes_equal(text, BYTES("--")))
		take_delimiter(b);
	else if (text.at == line.at && !bytes_starts_with(text, BYTES("^C")))
		text_stacks_skip(&b->stacks, "expected " EXPECTS);
	else if (text.at != line.at)
		text_stacks_push(&b->stacks, learn_frame(b, line));
	return true;
}

/* What is counted is known by how the input begins: a heading, or a count without one. */
static bool find_heading(struct bcc *b, struct bytes head)
{
	struct bytes line, text, comm;
	bool named = false;
	int64_t count;
	uint64_t pid;

	while (!b->streamed && bytes_line(&head, &line) && head.len) {
		text = bytes_trim(line);
		if (!text.len)
			continue;
		if (is_profile(line) || is_offcputime(line))
			open_stream(b, is_profile(line));
		else if (named && text_is_count(text, &count))
			open_stream(b, false);
		named = parse_comm(text, &comm, &pid);
	}
	return b->streamed;
}

static bool start(void *self, struct error *err)
{
	struct bcc *b = self;

	(void)err;
	return !b->stacks.part || !b->stacks.part->is_continuation ||
	       find_heading(b, b->stacks.part->head);
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct bcc *b = self;
	location_id known = line.len && !b->named ? text_stacks_known(&b->stacks, line) : 0;

	if (!known)
		return take_new_line(b, line, err);
	text_stacks_push(&b->stacks, known);
	return true;
}

static bool end(void *self, struct error *err)
{
	struct bcc *b = self;

	(void)err;
	if (b->stacks.frames.len)
		text_stacks_skip(&b->stacks, "expected the comm and the count of the last stack");
	open_stream(b, false);
	return true;
}

static const struct line_format format = {.start = start, .line = take_line, .end = end};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct bcc b = {0};

	return line_format_read(&format, &b, in, options, out, err);
}

/* A heading, or a comm behind a "-" with a count below it. */
static int bid(struct bytes head)
{
	struct bytes line, comm;
	bool named = false;
	int bits = 0;

	while (bytes_line(&head, &line)) {
		struct bytes text = bytes_trim(line);
		uint64_t pid;
		int64_t count;

		if (is_profile(line) || is_offcputime(line))
			bits = 8 * 12;
		if (named && text_is_count(text, &count))
			return bits + 8 * 4;
		named = text.at != line.at && parse_comm(text, &comm, &pid);
	}
	return bits;
}

/* Behind a comm and its count. */
static size_t cut(struct bytes text)
{
	struct bytes rest = text, line, comm;
	bool named = false;
	int64_t count;
	uint64_t pid;

	bytes_line(&rest, &line);
	while (bytes_line(&rest, &line) && rest.len) {
		line = bytes_trim(line);
		if (named && text_is_count(line, &count))
			return (size_t)(rest.at - text.at);
		named = line.len ? parse_comm(line, &comm, &pid) : named;
	}
	return text.len;
}

const struct reader reader_bcc = {
	.name = "bcc",
	.about = "stacks printed by profile and offcputime of bcc and libbpf-tools",
	.expects = EXPECTS,
	.proof = "libbpf-tools' offcputime on a program with known shares; the Python tools only "
		 "with examples from their sources",
	.bid = bid,
	.blanks = true,
	.read = read,
	.cut = cut,
	.one_table = true,
};
