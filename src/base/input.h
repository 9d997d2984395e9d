/* input.h: a file, a pipe or bytes in memory, decompressed, as a window that moves forward.
 *
 * gzip, zstd and xz are recognised by their first bytes, whatever the file is called, and
 * decompressed on the way. A byte order mark in front of UTF-8 text is skipped. Memory is
 * bounded by what the caller asks to see at once. */
#ifndef KILN_BASE_INPUT_H
#define KILN_BASE_INPUT_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/input_folder.h"

/* The largest window: a line, or anything else that has to be contiguous. */
#define INPUT_WINDOW_LIMIT ((size_t)256 << 20)

struct input {
	const char *name;    /* for messages: the path, or "<stdin>" */
	struct bytes window; /* what can be read now */
	uint64_t offset;     /* of the window's first byte in the decompressed content */
	bool ended;	     /* nothing follows the window */
	struct input_source *source;
};

/* Open `path`; "-" is standard input. A folder whose files are one content (input_folder.h) is
 * opened as its parts. The name is borrowed. */
bool input_open(struct input *in, const char *path, struct error *err);

/* Read from `fd`, which the input owns from here on, also after a failure. The name is borrowed. */
bool input_open_fd(struct input *in, int fd, const char *name, struct error *err);

/* Read several files (at least one; NULL-terminated) as if they were one, each from the start of
 * a line. A file is opened when it is reached; the first one decides about compression for all.
 * The paths are borrowed. */
bool input_open_files(struct input *in, char *const *paths, struct error *err);

/* Read several files (at least one) as one content: its parts. Each begins at a multiple of 8
 * bytes. Nothing is decompressed. The input owns the descriptors from here on, also after a
 * failure; the name is borrowed. */
bool input_open_parts(
	struct input *in, struct input_part_fds *fds, const char *name, struct error *err);

/* Where the parts are in the content; known for those of which something has been read. NULL: the
 * input has no parts. */
const struct input_part *input_parts(const struct input *in, size_t *ret_count);

/* Read from memory that outlives the input (tests, fuzzers, embedded data). */
bool input_open_bytes(struct input *in, struct bytes content, const char *name, struct error *err);

/* A range of `in` as an input of its own (input_range.h), which may be read in another thread while
 * `in` is open. The range outlives it. */
struct input_range;
bool input_open_range(
	struct input *part, const struct input *in, struct input_range *range, struct error *err);

void input_release(struct input *in);

/* Extend the window to at least `want` bytes, or to the end of the content (then `ended` is
 * set); usually much more arrives. Pointers into the old window become invalid. ERR_LIMIT above
 * INPUT_WINDOW_LIMIT; ERR_FORMAT when compressed content is damaged. */
bool input_fill(struct input *in, size_t want, struct error *err);

/* Remove `count` bytes from the window's start; count <= window.len. */
void input_skip(struct input *in, size_t count);

/* The next line without its newline (and '\r'), valid until the next call; *ret_more is false at
 * the end. */
bool input_line(struct input *in, struct bytes *ret_line, bool *ret_more, struct error *err);

/* Is the content in memory or a plain file? Then input_whole costs no memory. */
bool input_can_map(const struct input *in);

/* The size of input_whole's content in bytes; 0 when it is unknown or would cost memory. */
uint64_t input_size(const struct input *in);

/* Bytes of the file or memory as it is stored, compressed or not; 0: unknown, for instance for a
 * pipe. */
uint64_t input_stored_size(const struct input *in);
/* Is it compressed? Then at most what base/expansion.h allows is unpacked; ERR_LIMIT beyond. */
bool input_is_compressed(const struct input *in);

/* When a plain file was last modified, in seconds since 1970; 0 for anything else. */
int64_t input_time(const struct input *in);

/* Everything that is left, as one range of at most `limit` bytes: mapped for a plain file, else
 * read into memory. Valid until release. ERR_LIMIT beyond the limit. */
bool input_whole(struct input *in, uint64_t limit, struct bytes *ret_content, struct error *err);

/* The bytes of input_whole's content before `end` are no longer needed: the pages of the file
 * that are mapped there are released now rather than all at once at the end. Reading them again
 * is slower but correct. */
void input_drop_pages(struct input *in, uint64_t end);

/* Map a part of input_whole's content in advance, from any thread, to save the reading thread
 * the page faults. False when that gains nothing: not a mapped file, the end of it, or a kernel
 * before 5.14. */
bool input_prefault(const struct input *in, uint64_t start, uint64_t len);

#endif
