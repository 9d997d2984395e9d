/* perf_report_tree.h: the call tree that `perf report --stdio` draws below a row:
 *
 *	            |
 *	            ---main
 *	               |
 *	               |--72.05%--spin
 *	               |
 *	                --26.58%--deep
 *	                          spin
 *
 * Frames below one another are a chain. Percentages are those of the report (-g graph), or of the
 * chain above (-g fractal), and include what is below. */
#ifndef KILN_READERS_PERF_PERF_REPORT_TREE_H
#define KILN_READERS_PERF_PERF_REPORT_TREE_H

#include "base/buffer.h"
#include "base/memory.h"

struct report_chain {
	uint32_t caller;       /* of the chains, plus one, as drawn: callees may be above callers */
	uint32_t first, count; /* of the frames */
	uint32_t branches;     /* chains below */
	int64_t share, below;  /* in hundredths of a percent; those of the branches together */
	size_t column;	       /* of its frames and branches in the line */
	bool whole;	       /* it has the share of the row */
	bool cut;	       /* "[...]": what perf leaves out */
	int64_t value, own;    /* set by report_tree_weigh */
};

struct report_frame {
	size_t start, len; /* of the text */
};

/* `{0}` is empty. */
struct report_tree {
	struct buffer text;
	VECTOR(struct report_frame) frames;
	VECTOR(struct report_chain) chains;
	VECTOR(uint32_t) open; /* the last chain and those above it */
};
void report_tree_release(struct report_tree *t);
void report_tree_clear(struct report_tree *t);

/* Does the line belong to a tree? */
bool report_tree_is_line(const struct report_tree *t, struct bytes line);
/* False: it is damaged. */
bool report_tree_take(struct report_tree *t, struct bytes line);

/* All lines were taken: set values, of `all`, and what of them no branch has. `share`: the row's,
 * in hundredths of a percent. */
void report_tree_weigh(struct report_tree *t, int64_t share, uint64_t all);
/* So many hundredths of a percent of all. */
int64_t report_share(uint64_t all, uint64_t hundredths);

#define REPORT_FRAMES_END '\n'
/* The frames down to a chain, with '\n' between them. */
void report_tree_stack(const struct report_tree *t, uint32_t chain, struct buffer *ret_stack);

/* "75.00%" in hundredths of a percent. */
bool report_percent(struct bytes text, int64_t *ret_share);

#endif
