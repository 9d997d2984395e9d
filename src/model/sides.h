/* sides.h: the values of a view's nodes, one side or two: what a difference is calculated from. */
#ifndef KILN_MODEL_SIDES_H
#define KILN_MODEL_SIDES_H

#include "base/buffer.h"
#include "model/view.h"

/* Values of "before" are [0], of "after" [1]; a view with one side has only [0]. */
struct sides {
	size_t count;
	int64_t *self[2], *total[2]; /* for every node */
	int64_t whole[2];	     /* the total of all nodes */
	double scale;  /* "before" is multiplied by this when it is compared with "after" */
	int64_t noise; /* smaller changes are noise; at least 1 */
	bool *streams; /* streams of "after", for a view that shows them */
};

void sides_init(struct sides *s, const struct view *v);
/* As sides_init, without the nodes' totals. */
void sides_init_self(struct sides *s, const struct view *v);
void sides_release(struct sides *s);

/* The side whose values are shown where there is room for only one. */
static inline size_t sides_shown(const struct sides *s)
{
	return s->count - 1;
}

/* The change from before to after. */
int64_t sides_change(const struct sides *s, int64_t before, int64_t after);
/* The logarithm of after/before: 0 if equal or below the noise, +-INFINITY for what is new or
 * gone, 1 or -1 for more or less of values below 0. */
double sides_ratio(const struct sides *s, int64_t before, int64_t after);

/* Values of "before" for nodes without a value in "after", and their totals; arrays with an item
 * for each node. */
void sides_gone(const struct sides *s, const struct tree *t, int64_t *ret_self, int64_t *ret_total);

/* Converts values of "before", one after the other, to shares of after's total. Each is rounded
 * so that the sum of all so far is right to within one: rounding errors do not add up. Start
 * with `{whole}`, the totals; no value is negative, and before's total is not 0. */
struct sides_share {
	int64_t whole[2], read, written;
};
int64_t sides_share(struct sides_share *s, int64_t before);

/* Sets ERR_USAGE and returns false: there is only one side. */
bool sides_require_two(struct error *err);

/* Append the name of a side: "before: a.folded", or "first column" if it has none. */
void sides_name(const struct profile *p, size_t side, struct buffer *out);

#endif
