/* sides.c: what does every node cost, before and after?
 *
 * A difference is two columns of values over one tree, so every node has both: no trees are
 * matched. With --normalise, "before" is scaled to after's total, because two runs of different
 * length differ everywhere. A change below `threshold` percent of the larger total is noise and is
 * drawn as no change. The threshold is a part of the whole, not of a node: sampling produces large
 * relative changes of small nodes by chance, which would otherwise be drawn. */
#include "model/sides.h"

#include <math.h>
#include <stdlib.h>

static void self_values(struct sides *s, const struct view *v, size_t side)
{
	size_t nodes = v->tree.caller.len;

	s->self[side] = memory_new(nodes, sizeof(*s->self[side]));
	view_self(v, s->self[side]);
	for (size_t i = 0; i < nodes; i++)
		s->whole[side] += s->self[side][i];
}

static int64_t noise_of(const struct sides *s, const int64_t whole[2], double percent)
{
	double before = (double)whole[0] * s->scale, after = (double)whole[1];
	double min = fmax(before, after) * percent / 100;

	return min >= 9e18 ? INT64_MAX : min > 1 ? (int64_t)ceil(min) : 1;
}

void sides_init_self(struct sides *s, const struct view *v)
{
	const int64_t *whole = v->comparison.whole;
	struct view second = *v;

	*s = (struct sides){.count = 1, .scale = 1, .noise = 1};
	s->streams = memory_new(v->profile->streams.len, sizeof(*s->streams));
	self_values(s, v, 0);
	if (!view_second_side(v, s->streams))
		return;
	s->count = 2;
	second.streams = s->streams;
	self_values(s, &second, 1);
	if (!whole[0] && !whole[1])
		whole = s->whole;
	if (v->comparison.normalised && whole[0] > 0 && whole[1] > 0)
		s->scale = (double)whole[1] / (double)whole[0];
	s->noise = noise_of(s, whole, v->comparison.threshold);
}

void sides_init(struct sides *s, const struct view *v)
{
	size_t nodes = v->tree.caller.len;

	sides_init_self(s, v);
	for (size_t side = 0; side < s->count; side++) {
		s->total[side] = memory_new(nodes, sizeof(*s->total[side]));
		tree_totals(&v->tree, s->self[side], s->total[side]);
	}
}

void sides_release(struct sides *s)
{
	for (size_t side = 0; side < 2; side++) {
		memory_free(s->self[side]);
		memory_free(s->total[side]);
	}
	memory_free(s->streams);
	*s = (struct sides){0};
}

/* Without scaling keep the integer: a double would round large values. */
static int64_t scaled(const struct sides *s, int64_t before)
{
	return s->scale == 1 ? before : (int64_t)fmin(rint((double)before * s->scale), 9e18);
}

int64_t sides_change(const struct sides *s, int64_t before, int64_t after)
{
	return after - scaled(s, before);
}

double sides_ratio(const struct sides *s, int64_t before, int64_t after)
{
	int64_t change = sides_change(s, before, after);

	if (change < s->noise && -change < s->noise)
		return 0;
	if (!before || !after)
		return change > 0 ? INFINITY : -INFINITY;
	if (before < 0 || after < 0) /* a ratio means nothing: its sign says more or less */
		return change > 0 ? 1 : -1;
	return log((double)after / ((double)before * s->scale));
}

void sides_gone(const struct sides *s, const struct tree *t, int64_t *ret_self, int64_t *ret_total)
{
	for (size_t i = 0; i < t->caller.len; i++)
		ret_self[i] = i && !s->total[1][i] ? s->self[0][i] : 0;
	tree_totals(t, ret_self, ret_total);
}

int64_t sides_share(struct sides_share *s, int64_t before)
{
	__extension__ typedef __int128 wide;
	int64_t sum, value;

	s->read += before;
	sum = (int64_t)(((wide)s->read * s->whole[1] * 2 + s->whole[0]) / ((wide)s->whole[0] * 2));
	value = sum - s->written;
	s->written = sum;
	return value;
}

bool sides_require_two(struct error *err)
{
	return error_set(err, ERR_USAGE, "there is nothing to compare: values have only one side");
}

void sides_name(const struct profile *p, size_t side, struct buffer *out)
{
	struct bytes name = profile_meta(p, side ? BYTES("after") : BYTES("before"));

	if (name.len)
		buffer_printf(out, "%s: %.*s", side ? "after" : "before", (int)name.len, name.at);
	else
		buffer_text(out, side ? "second column" : "first column");
}
