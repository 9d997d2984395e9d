/* input.h: a file, a pipe or bytes in memory, decompressed, as a window that moves forward.
 *
 * gzip, zstd and xz are recognised by their first bytes and undone on the way, whatever the name of
 * the file; a byte order mark before text in UTF-8 is no content. Memory stays bounded by what the
 * caller asks to see at once. */
#ifndef KILN_BASE_INPUT_H
#define KILN_BASE_INPUT_H

#include "base/bytes.h"
#include "base/error.h"

/* A single line, or anything else that has to be seen whole in the window. */
#define INPUT_WINDOW_LIMIT ((size_t)256 << 20)

struct input {
	const char *name;    /* for messages: the path, or "<stdin>" */
	struct bytes window; /* what can be read now */
	uint64_t offset;     /* of the window's first byte in the decompressed content */
	bool ended;	     /* nothing follows the window */
	struct input_source *source;
};

/* Open `path`; "-" is standard input. The name is borrowed. */
bool input_open(struct input *in, const char *path, struct error *err);

/* Read what `fd` is open for; it is the input's, of a failure too. The name is borrowed. */
bool input_open_fd(struct input *in, int fd, const char *name, struct error *err);

/* Several files (at least one, NULL-terminated) one after the other as if they were one, each
 * from the start of a line. They are opened when they are reached; the first decides whether and
 * how all of them are compressed. The paths are borrowed. */
bool input_open_files(struct input *in, char *const *paths, struct error *err);

/* Read from memory that outlives the input (tests, fuzzers, embedded data). */
bool input_open_bytes(struct input *in, struct bytes content, const char *name, struct error *err);

/* A range of `in` as an input of its own (input_range.h), which may be read in another thread while
 * `in` is open. The range outlives it. */
struct input_range;
bool input_open_range(
	struct input *part, const struct input *in, struct input_range *range, struct error *err);

void input_release(struct input *in);

/* Make the window at least `want` bytes long, unless the content ends first (then `ended` is set);
 * usually much more arrives. Pointers into the old window are void afterwards.
 * ERR_LIMIT above INPUT_WINDOW_LIMIT; ERR_FORMAT when compressed content is damaged. */
bool input_fill(struct input *in, size_t want, struct error *err);

/* Drop `count` bytes from the window's start; count <= window.len. */
void input_skip(struct input *in, size_t count);

/* The next line without its newline (and '\r'), valid until the next call; *ret_more is false at
 * the end. */
bool input_line(struct input *in, struct bytes *ret_line, bool *ret_more, struct error *err);

/* Is it in memory or a plain file? Then input_whole costs no memory. */
bool input_can_map(const struct input *in);

/* What input_whole would give, in bytes; 0 when that is not known or would cost memory. */
uint64_t input_size(const struct input *in);

/* Bytes of the file or memory as it is stored, packed if it is; 0: not known, as of a pipe. */
uint64_t input_stored_size(const struct input *in);
/* Is it packed? Then it unpacks to at most what base/expansion.h allows; ERR_LIMIT beyond. */
bool input_is_packed(const struct input *in);

/* When a plain file was last written, in seconds since 1970; 0 for what is none. */
int64_t input_time(const struct input *in);

/* All that is left at once, at most `limit` bytes: mapped when it is a plain file, else collected.
 * Valid until release. ERR_LIMIT beyond the limit. */
bool input_whole(struct input *in, uint64_t limit, struct bytes *ret_content, struct error *err);

/* What lies before `end` in input_whole's content has been read: memory that holds pages of the
 * file is given back now, which takes as long later. Reading them again costs time, nothing else.
 */
void input_passed(struct input *in, uint64_t end);

/* Map a part of input_whole's content now, which any thread may do, to spare who reads it the
 * faults. False when there is nothing to gain: no mapped file, its end, a kernel before 5.14. */
bool input_prepare(const struct input *in, uint64_t start, uint64_t len);

#endif
