/* readers.h: what is a reader, and which ones are there?
 *
 * A reader turns an input of one format into a profile. It is one file, FOLDER/NAME.c, with one
 * `const struct reader reader_NAME` at its end, and one line of meson.build, which generates the
 * table `readers`. Folders hold related formats: perf/, pprof/, java/, ... What formats share is in
 * lines/ (formats made of lines) and stacks/ (formats with tables of stacks).
 *
 * The way of an input through this floor:
 *
 *	reading.c	opens it, and lets every reader bid on its first 16 KB; the highest bid wins
 *	parts.c		cuts a long input into parts, which threads read at the same time, where the
 *			reader can tell where a part may begin (struct reader.cut)
 *	FOLDER/NAME.c	reads it: adds frames, stacks, samples and values to the profile
 *	bad_lines.c	says once how many lines were skipped, and why the first one was
 *
 * Most formats are lines of text: such a reader is a few functions that lines/line_format.h calls,
 * and it makes samples with lines/text_stacks.h. The simplest to read first is tracers/stap.c. */
#ifndef KILN_READERS_READERS_H
#define KILN_READERS_READERS_H

#include "base/buffer.h"
#include "base/input.h"
#include "images/binary_locations.h"
#include "model/profile.h"

/* Columns that are of no use to the caller are not built. */
enum read_want {
	WANT_TIMES = 1,
	WANT_THREADS = 2,
	WANT_CPUS = 4,
	WANT_LINES = 8,
	WANT_LABELS = 16,
	WANT_ALL = 31,
};

/* Sees a profile while it is read, but may use it only during a call of `observe`. */
struct read_observer {
	/* All samples are in the profile, but not all of their stacks: missing ones are empty.
	 * Readers that can do so call it again and again until all are there. */
	void (*observe)(void *context, const struct profile *so_far);
	void *context;
};

struct reading_style;
struct read_part;

struct read_options {
	unsigned want;	    /* enum read_want, or'ed */
	const char *format; /* a reader's name, or NULL: by content */
	const struct binary_locations
		*binary_locations;	   /* where recorded binaries lie; NULL: the usual ones */
	const struct reading_style *style; /* reading_style.h; NULL: Kiln's own */
	const char *event; /* with a style: only this one; NULL: the first in the input */
	const struct read_observer *observer; /* NULL: none */
	bool expands_tabs; /* tabs mean as much as blanks here: lines are read with blanks instead */
	struct read_part *part; /* when it is not all of an input: to be filled; NULL: it is */
};

/* Frames of one stack. The middle of deeper ones is cut out when all has been read
 * (model/deep_stacks.h). */
#define STACK_DEPTH_LIMIT 8192u
/* What a reader adds to the profile. Deeper stacks are skipped and counted: a runaway recursion in
 * the 8 MB of a thread's stack stays below. */
#define READ_DEPTH_LIMIT ((uint32_t)1 << 20)
#define READ_DEPTH_TEXT	 "1,048,576"

#define READER_HEAD ((size_t)16 << 10) /* bytes that a bid may see */

struct reader {
	const char *name;    /* "perf-script" */
	const char *about;   /* "text of `perf script`" */
	const char *expects; /* "an event line such as `comm 123 4.5: cycles:`" */

	/* How reading it was proved: "bpftrace 0.17 on programs of known shares"; NULL: not. */
	const char *proof;

	/* Bits of evidence that `head` (the first READER_HEAD bytes or all there are) is this
	 * format: 8 for each byte of a magic number, 1 for a habit. 0: not mine. */
	int (*bid)(struct bytes head);

	/* Add all of the input to `out`. Errors name line or offset; the caller adds the file's
	 * name. Oddities that can be skipped are counted in one profile_note. */
	bool (*read)(struct input *in, const struct read_options *options, struct profile *out,
		struct error *err);

	/* For long inputs that several threads read in parts (parts.h): `text` starts anywhere in
	 * the input. Returns the first position in it at which a part can begin; text.len: none.
	 * NULL: inputs of this format are not cut. */
	size_t (*cut)(struct bytes text);
	bool blanks;	/* a tab means as much as the blanks up to the next of the columns 8, 16, ... */
	bool one_table; /* all streams are values of the same samples */
	bool checked;	/* the profile is within its limits (numbers.h, extent.h) */
};

extern const struct reader *const readers[]; /* NULL-terminated */
const struct reader *reader_by_name(const char *name);
/* NULL: no reader bids. If only those bid for whom a tab means as much as blanks, and without tabs,
 * the best of them. */
const struct reader *reader_for(struct bytes head);

#endif
