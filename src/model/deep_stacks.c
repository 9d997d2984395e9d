/* deep_stacks.c: how is the middle of very deep stacks cut out of a profile?
 *
 * A runaway recursion gives stacks of 100,000 frames and more. Their values matter, and so do their
 * ends: what called the recursion, and what ran in it. But most outputs write all frames of each
 * stack, so a file of 1 MB could become one of 100 GB. So stacks have a limit.
 *
 * The stack table is made anew, without the stacks that are too deep. Each of those that a sample
 * has is replaced by: its ancestor with half of the frames, the mark, and its innermost locations
 * up to the other half. The mark is the same for all depths, so that stacks of one recursion that
 * differ only in their depth can become one.
 *
 * The inner ends of many different stacks have no callers in common, so they could take much more
 * memory than the input. All of them together get at most ENDS_LIMIT rows, and what the profile's
 * own limit leaves; if that is not enough, each one is shorter. */
#include "model/deep_stacks.h"

#include "base/units.h"

#include <stdlib.h>

#define ENDS_LIMIT ((uint64_t)1 << 24)

struct deep_stacks {
	struct profile *profile;
	uint32_t limit, half, end; /* frames: of a stack, of its outer end, of its inner end */
	const stack_id *callers;   /* the old table */
	const location_id *locations;
	uint32_t *depth;     /* frames of each old stack */
	stack_id *outer;     /* of each old stack: itself or the ancestor with at most `half` */
	stack_id *new_stack; /* of each old stack that is kept or was replaced */
	uint64_t stacks;     /* that samples have, and that are too deep */
	uint32_t deepest;    /* frames of the deepest of them */
	location_id mark;
	VECTOR(location_id) inner; /* of one stack, innermost first */
};

static uint32_t frames_of(const struct deep_stacks *d, location_id location)
{
	uint32_t count = d->profile->location_names.items[location].count;

	return count ? count : 1;
}

/* ---- Which stacks are too deep? ---- */

static bool measure(struct deep_stacks *d, size_t count)
{
	bool deep = false;

	for (size_t i = 1; i < count; i++) {
		stack_id caller = d->callers[i];
		uint32_t frames = frames_of(d, d->locations[i]);

		if (__builtin_add_overflow(d->depth[caller], frames, &d->depth[i]))
			d->depth[i] = UINT32_MAX;
		d->outer[i] = d->depth[i] <= d->half ? (stack_id)i : d->outer[caller];
		deep |= d->depth[i] > d->limit;
	}
	return deep;
}

/* Those that samples have get a number in d->new_stack that is not 0. */
static void find_stacks(struct deep_stacks *d)
{
	for (size_t i = 0; i < d->profile->samples.len; i++) {
		const struct samples *s = &d->profile->samples.items[i];

		for (size_t k = 0; k < s->stack.len; k++) {
			stack_id stack = s->stack.items[k];

			if (d->depth[stack] <= d->limit)
				continue;
			if (d->depth[stack] > d->deepest)
				d->deepest = d->depth[stack];
			d->stacks += !d->new_stack[stack];
			d->new_stack[stack] = 1;
		}
	}
}

/* ---- The new table ---- */

static stack_id cut(struct deep_stacks *d, stack_id stack)
{
	struct profile *p = d->profile;
	stack_id made = profile_stack(p, d->new_stack[d->outer[stack]], d->mark);

	d->inner.len = 0;
	for (uint32_t left = d->end; stack && frames_of(d, d->locations[stack]) <= left;
		stack = d->callers[stack]) {
		left -= frames_of(d, d->locations[stack]);
		vector_push(&d->inner, d->locations[stack]);
	}
	while (d->inner.len)
		made = profile_stack(p, made, d->inner.items[--d->inner.len]);
	return made;
}

static void make_table(struct deep_stacks *d, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (d->depth[i] <= d->limit)
			d->new_stack[i] = profile_stack(
				d->profile, d->new_stack[d->callers[i]], d->locations[i]);
		else if (d->new_stack[i])
			d->new_stack[i] = cut(d, (stack_id)i);
	}
}

static void renumber_samples(struct deep_stacks *d)
{
	for (size_t i = 0; i < d->profile->samples.len; i++) {
		struct samples *s = &d->profile->samples.items[i];

		for (size_t k = 0; k < s->stack.len; k++)
			s->stack.items[k] = d->new_stack[s->stack.items[k]];
	}
}

/* Rows for the inner ends of all stacks. */
static uint64_t rows_for_ends(const struct profile *p, size_t count)
{
	uint64_t rows = p->limit / PROFILE_ROW_COST;

	if (!p->limit)
		return ENDS_LIMIT;
	rows = rows > count ? rows - count : 0;
	return rows < ENDS_LIMIT ? rows : ENDS_LIMIT;
}

static void replace_table(struct deep_stacks *d, size_t count)
{
	struct profile *p = d->profile;
	__typeof__(p->stack_caller) callers = p->stack_caller;
	__typeof__(p->stack_location) locations = p->stack_location;
	uint64_t end = rows_for_ends(p, count) / (d->stacks + 1);

	d->end = end < d->half ? (uint32_t)end : d->half;
	d->mark = profile_location_named(
		p, profile_frame_named(p, BYTES(DEEP_STACKS_MARK), FRAME_META));
	memset(&p->stack_caller, 0, sizeof(p->stack_caller));
	memset(&p->stack_location, 0, sizeof(p->stack_location));
	vector_push(&p->stack_caller, 0);
	vector_push(&p->stack_location, 0);
	callees_release(&p->callees);
	profile_index_stacks(p);
	make_table(d, count);
	renumber_samples(d);
	vector_release(&callers);
	vector_release(&locations);
	vector_release(&d->inner);
}

static void add_note(const struct deep_stacks *d)
{
	struct buffer text = {0};

	units_grouped(&text, (int64_t)d->stacks);
	buffer_text(&text, d->stacks == 1 ? " stack has more than " : " stacks have more than ");
	units_grouped(&text, d->limit);
	buffer_text(&text, " frames, up to ");
	units_grouped(&text, d->deepest);
	profile_note(d->profile, "%s: the middle is cut out (" DEEP_STACKS_MARK ")", text.at);
	buffer_release(&text);
}

void profile_cut_deep_stacks(struct profile *p, uint32_t frames)
{
	size_t count = p->stack_caller.len;
	struct deep_stacks d = {.profile = p,
		.limit = frames,
		.half = frames / 2 - 1, /* room for the mark */
		.callers = p->stack_caller.items,
		.locations = p->stack_location.items,
		.depth = memory_new(count, sizeof(*d.depth)),
		.outer = memory_new(count, sizeof(*d.outer)),
		.new_stack = memory_new(count, sizeof(*d.new_stack))};

	if (measure(&d, count)) {
		find_stacks(&d);
		replace_table(&d, count);
	}
	memory_free(d.depth);
	memory_free(d.outer);
	memory_free(d.new_stack);
	if (d.stacks)
		add_note(&d);
}
