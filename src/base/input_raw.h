/* input_raw.h: where do the bytes of an input come from, as they are stored?
 *
 * From one file or pipe, from several files one after the other, from parts that are one content,
 * or from memory. What is compressed stays so; input.c unpacks it. */
#ifndef KILN_BASE_INPUT_RAW_H
#define KILN_BASE_INPUT_RAW_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/input_folder.h"
#include "base/memory.h"

/* Content that has to be copied is read in pieces that fit into the L2 cache. */
#define INPUT_PIECE ((size_t)256 << 10)

/* Several files as one content. */
struct raw_parts {
	struct input_part_fds fds; /* of those that follow the first */
	size_t next;
	VECTOR(struct input_part) begun;
};

struct input_raw {
	int fd; /* -1: all of it is in `left` */
	bool ended;
	char *const *next;	 /* further files, NULL-terminated; NULL: none */
	char last;		 /* the last byte that was read */
	bool packed;		 /* compressed, so not text */
	struct raw_parts *parts; /* NULL: not several files as one content */
	struct bytes left;	 /* read, not yet unpacked */
	char *piece;
};
void raw_release(struct input_raw *raw);

/* Open `path`; "-" is standard input. *ret_folder: it is a folder. */
bool raw_open(const char *path, int *ret_fd, bool *ret_folder, struct error *err);
/* The same, but folders are refused. */
bool raw_open_file(const char *path, int *ret_fd, struct error *err);
/* The error about a folder. Returns false. */
bool raw_refuse_folder(const char *path, struct error *err);

/* Read parts, whose descriptors now belong to `raw`. */
void raw_begin_parts(struct input_raw *raw, struct input_part_fds *fds);

/* Read up to `room` bytes, at least 8. */
bool raw_read(struct input_raw *raw, char *to, size_t room, size_t *ret_len, struct error *err);
/* Read the next piece, unless some bytes are left or the input has ended. */
bool raw_more(struct input_raw *raw, struct error *err);
/* Read enough to see any magic number, if there are that many bytes. */
bool raw_head(struct input_raw *raw, struct error *err);

/* The length of the byte order mark that some programs write before UTF-8 text. No binary format
 * starts with it. */
#define RAW_MARK BYTES("\xEF\xBB\xBF")
static inline size_t raw_mark_length(struct bytes head)
{
	return bytes_starts_with(head, RAW_MARK) ? RAW_MARK.len : 0;
}

#endif
