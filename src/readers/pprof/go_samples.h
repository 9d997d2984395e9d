/* go_samples.h: which samples does `go tool pprof -raw` list?
 *
 * They come before the locations that they name by number, so that they are kept as stacks of
 * these numbers until the end. */
#ifndef KILN_READERS_PPROF_GO_SAMPLES_H
#define KILN_READERS_PPROF_GO_SAMPLES_H

#include "readers/lines/text_lines.h"
#include "readers/readers.h"
#include "readers/stacks/paths.h"

#define GO_SAMPLE      "a sample such as `5 50000000: 1 2 3`"
#define GO_TYPES_LIMIT 16u /* values that a sample may have */

/* Samples of one stack with the same labels. */
struct go_row {
	stack_id stack; /* of numbers */
	label_set_id labels;
};

/* It stays where it is. `types` is set by the caller. */
struct go_samples {
	uint32_t types;
	struct profile *profile; /* of labels */
	struct profile stacks;	 /* nothing else: a location is a number */
	struct paths paths;
	VECTOR(uint32_t) numbers;      /* of the last path, outermost first */
	VECTOR(uint32_t) row_of_stack; /* of the sample without labels, plus one; 0: none yet */
	VECTOR(struct go_row) rows;
	struct id_map by_row;
	VECTOR(int64_t) values;	       /* of rows, a group for each */
	int64_t total[GO_TYPES_LIMIT]; /* of sizes */
	/* The last sample's, until it is known that no labels follow: */
	bool pending;
	stack_id stack;
	int64_t value[GO_TYPES_LIMIT];
	label_set_id labels;
	bool labelled; /* some sample has labels */
};
void go_samples_init(struct go_samples *s, struct profile *profile);
void go_samples_release(struct go_samples *s);

/* Of a sample, what the lines should look up: its locations. */
struct bytes go_samples_part(struct bytes line);
/* The last of the lines, which is a sample, or labels of the one before; *ret_reason is set when it
 * is neither. False: the sum of all values overflows. */
bool go_samples_take(
	struct go_samples *s, struct text_lines *lines, struct bytes line, const char **ret_reason);
/* No labels of the last sample follow. */
void go_samples_end(struct go_samples *s);

/* Does a sample start in this line, whatever is before it? */
bool go_samples_starts(struct bytes line);

/* Can samples that another thread has read be added? Not when values overflow. */
bool go_samples_totals_fit(const struct go_samples *s, const struct go_samples *more);
/* Add them; `strings` says where those of their profile are in this one. */
void go_samples_append(struct go_samples *s, const struct go_samples *more,
	const struct profile *profile, const string_id *strings);

#endif
