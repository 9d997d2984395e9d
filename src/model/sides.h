/* sides.h: the values of a view's nodes, of one side or of two: what a difference is made of. */
#ifndef KILN_MODEL_SIDES_H
#define KILN_MODEL_SIDES_H

#include "base/buffer.h"
#include "model/view.h"

/* Values of before are [0], those of after [1]; a view with one side has [0] only. */
struct sides {
	size_t count;
	int64_t *self[2], *total[2]; /* for every node */
	int64_t whole[2];	     /* the total of all */
	double scale;		     /* before times this is what after is compared with */
	int64_t noise;		     /* changes below are noise: at least 1 */
	bool *streams;		     /* those of after, for a view that shows them */
};

void sides_init(struct sides *s, const struct view *v);
/* The same without the nodes' totals. */
void sides_init_self(struct sides *s, const struct view *v);
void sides_release(struct sides *s);

/* The side whose values are shown where there is room for one only. */
static inline size_t sides_shown(const struct sides *s)
{
	return s->count - 1;
}

/* What a value gained from before to after. */
int64_t sides_change(const struct sides *s, int64_t before, int64_t after);
/* The logarithm of after/before: 0 for what is the same, +-INFINITY for what is new or gone, and 0
 * for what is below the noise. */
double sides_ratio(const struct sides *s, int64_t before, int64_t after);

/* The values of before of what has none in after, and their totals; arrays of an item a node. */
void sides_gone(const struct sides *s, const struct tree *t, int64_t *ret_self, int64_t *ret_total);

/* Before's values as shares of after's total, one after the other: each is rounded, but the sum of
 * all up to any is right to one. `{whole}` with the totals begins; none is below 0, before's is not
 * 0. */
struct sides_share {
	int64_t whole[2], read, written;
};
int64_t sides_share(struct sides_share *s, int64_t before);

/* ERR_USAGE, and false: there is one side only. */
bool sides_missing(struct error *err);

/* What the sides are called: "before: a.folded", or "first column" when nobody said. */
void sides_name(const struct profile *p, size_t side, struct buffer *out);

#endif
