/* fuzz_diff.c: two files of folded text: is their difference made line by line the one that is made
 * of profiles?
 *
 * The first byte chooses options, the first byte 1 behind it ends the first file. */
#include "commands/diff_folded.h"
#include "model/merge.h"
#include "readers/reading.h"
#include "renderers/renderers.h"
#include "transforms/canonical.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NAMES = 1, STRIP_HEX = 2, BUILD_DIR = 4, NORMALISED = 8, RANGES = 16 };

struct input_file {
	struct bytes text;
	int fd;
	char path[32];
};

static void file_open(struct input_file *f, struct bytes text)
{
	f->text = text;
	f->fd = memfd_create("fuzz", MFD_CLOEXEC);
	assert(f->fd >= 0 && write(f->fd, text.at, text.len) == (ssize_t)text.len);
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
}

static bool add(struct profile *to, const struct input_file *f, uint32_t side,
	const struct canonical *canonical)
{
	struct read_options options = {.format = "folded"};
	struct error err = {0};
	struct profile p;
	struct input in;
	struct view v;
	bool done = false;

	if (!input_open_bytes(&in, f->text, "fuzz", &err))
		return false;
	if (profile_read_input(&in, &options, &p, &err)) {
		view_init(&v, &p, BY_FUNCTION);
		canonical_apply(canonical, &v);
		canonical_apply_roots(canonical, &v);
		done = profile_merge(to, &v, &(struct merge_part){side, 0, "fuzz", NULL}, &err);
		view_release(&v);
	}
	profile_release(&p);
	input_release(&in);
	return done;
}

/* The output by way of profiles; false: they cannot be made. */
static bool as_profiles(const struct input_file *files, const struct canonical *canonical,
	bool normalised, struct output *out)
{
	const struct renderer *folded = renderer_by_name("folded");
	void *settings = renderer_settings(folded);
	struct error err = {0};
	struct profile merged;
	struct view v;
	bool done;

	profile_init(&merged);
	done = add(&merged, &files[0], 1, canonical) && add(&merged, &files[1], 2, canonical);
	if (done) {
		view_init(&v, &merged, BY_FUNCTION);
		v.comparison =
			(struct comparison){.normalised = normalised, .widths = WIDTHS_AFTER};
		output_open_memory(out);
		done = folded->render(&v, settings, out, &err);
		view_release(&v);
	}
	profile_release(&merged);
	free(settings);
	return done;
}

static void compare(
	const struct input_file *files, const struct canonical *canonical, uint8_t options)
{
	const struct diff_file paths[] = {{files[0].path, 0}, {files[1].path, 1}};
	struct diff_folded d = {.files = paths,
		.count = 2,
		.canonical = canonical,
		.normalised = options & NORMALISED,
		.range = options & RANGES ? 1 + (options >> 5) : 0};
	struct output lines = {0}, profiles = {0};
	struct error err = {0};
	bool merged = as_profiles(files, canonical, d.normalised, &profiles);

	if (diff_folded_can(&d)) {
		output_open_memory(&lines);
		assert(diff_folded_write(&d, &lines, &err));
		assert(merged);
		assert(bytes_equal(buffer_bytes(&lines.pending), buffer_bytes(&profiles.pending)));
	}
	output_discard(&lines);
	output_discard(&profiles);
	diff_folded_release(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes rest = {(const char *)data, size}, first;
	struct canonical canonical = {0};
	struct input_file files[2];
	uint8_t options;

	if (!size)
		return 0;
	options = data[0];
	rest.at++;
	rest.len--;
	if (!bytes_cut(&rest, 1, &first))
		return 0;
	canonical.names = options & NAMES;
	canonical.strip_hex = options & STRIP_HEX;
	if (options & BUILD_DIR)
		vector_push(&canonical.build_dirs, "/b");
	file_open(&files[0], first);
	file_open(&files[1], rest);
	compare(files, &canonical, options);
	close(files[0].fd);
	close(files[1].fd);
	vector_release(&canonical.build_dirs);
	return 0;
}
