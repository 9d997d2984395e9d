/* readers.h: input formats. One file and one line in meson.build each.
 *
 * A reader bids on the first bytes of its input; the highest bid reads it. */
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

/* Who looks at a profile while it is read: between two calls nobody does. */
struct read_onlooker {
	/* All samples are there and what is said of them, but not all of their stacks: those that
	 * are missing are empty. Called again and again until all is there, if the reader can. */
	void (*look)(void *context, const struct profile *so_far);
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
	const struct read_onlooker *onlooker; /* NULL: nobody looks */
	struct read_part *part; /* when it is not all of an input: to be filled; NULL: it is */
};

/* Frames of one stack. Deeper ones are skipped and counted: real programs stay far below. */
#define STACK_DEPTH_LIMIT 8192u

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

	/* For long inputs that several threads may read: `text` starts anywhere in one; the place
	 * from which on the input can be read as if it were the start, or text.len. NULL: there is
	 * no telling. */
	size_t (*cut)(struct bytes text);
	bool one_table; /* all streams are values of the same samples */
	bool checked;	/* the profile is within its limits (numbers.h, extent.h) */
};

extern const struct reader *const readers[]; /* NULL-terminated */
const struct reader *reader_by_name(const char *name);
const struct reader *reader_for(struct bytes head); /* NULL: nobody bids */

#endif
