/* diff_renames.c: which function may have got another name? */
#include "commands/diff_renames.h"

#include "commands/commands.h"
#include "model/sides.h"
#include "renderers/walk.h"

#include <stdlib.h>

/* From here on two functions are alike: shares of the functions that either calls, and of costs. */
#define ALIKE	    0.6
#define SIZE_FACTOR 2.0

#define SIBLINGS    64u /* of a function, at most, that are compared with each other */
#define SUGGESTIONS 3u	/* printed at most */

struct rename {
	frame_id before, after;
	int64_t cost;
	size_t same, all; /* functions that both call, that either calls */
};

struct renames {
	const struct view *view;
	struct sides sides;
	struct walk walk;
	uint32_t *seen; /* for every frame: in which comparison it was called */
	uint32_t comparison;
	VECTOR(struct rename) found;
};

/* How many of the functions that either calls do both call? */
static void compare_callees(struct renames *r, node_id gone, node_id fresh, struct rename *ret)
{
	const node_id *next = r->walk.next;

	r->comparison++;
	for (node_id i = r->walk.first[gone]; i; i = next[i], ret->all++)
		r->seen[r->view->tree.frame.items[i]] = r->comparison;
	for (node_id i = r->walk.first[fresh]; i; i = next[i])
		if (r->seen[r->view->tree.frame.items[i]] == r->comparison)
			ret->same++;
		else
			ret->all++;
}

static bool are_alike(struct renames *r, node_id gone, node_id fresh, struct rename *ret)
{
	double before = (double)r->sides.total[0][gone] * r->sides.scale;
	double after = (double)r->sides.total[1][fresh];

	if (before > after * SIZE_FACTOR || after > before * SIZE_FACTOR)
		return false;
	*ret = (struct rename){.before = r->view->tree.frame.items[gone],
		.after = r->view->tree.frame.items[fresh],
		.cost = r->sides.total[1][fresh]};
	compare_callees(r, gone, fresh, ret);
	return ret->same && (double)ret->same >= (double)ret->all * ALIKE;
}

/* The same two functions elsewhere are no other suggestion. */
static void add_rename(struct renames *r, const struct rename *found)
{
	for (size_t i = 0; i < r->found.len; i++) {
		struct rename *known = &r->found.items[i];

		if (known->before != found->before || known->after != found->after)
			continue;
		known->cost += found->cost;
		return;
	}
	vector_push(&r->found, *found);
}

/* Callees that only one side has and that are no noise. */
static size_t one_sided(const struct renames *r, node_id caller, size_t side, node_id *ret_callees)
{
	const struct sides *s = &r->sides;
	size_t count = 0;

	for (node_id i = r->walk.first[caller]; i && count < SIBLINGS; i = r->walk.next[i]) {
		int64_t change = sides_change(s, s->total[0][i], s->total[1][i]);

		if (s->total[side][i] > 0 && !s->total[!side][i] &&
			(change >= s->noise || -change >= s->noise))
			ret_callees[count++] = i;
	}
	return count;
}

static void find_below(struct renames *r, node_id caller)
{
	node_id gone[SIBLINGS], fresh[SIBLINGS];
	size_t before = one_sided(r, caller, 0, gone);
	size_t after = before ? one_sided(r, caller, 1, fresh) : 0;

	for (size_t i = 0; i < before && after; i++) {
		struct rename best = {0}, one;

		for (size_t k = 0; k < after; k++)
			if (are_alike(r, gone[i], fresh[k], &one) &&
				one.same * (best.all + !best.all) > best.same * one.all)
				best = one;
		if (best.same)
			add_rename(r, &best);
	}
}

static int by_cost(const void *left, const void *right)
{
	const struct rename *a = left, *b = right;

	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	return a->before != b->before ? (a->before < b->before ? -1 : 1)
				      : (a->after > b->after) - (a->after < b->after);
}

static struct bytes name_of(const struct renames *r, frame_id frame)
{
	return view_text(r->view, view_frame_at(r->view, frame).function);
}

static void print_suggestions(struct renames *r)
{
	size_t count = r->found.len;

	if (count > 1)
		qsort(r->found.items, count, sizeof(*r->found.items), by_cost);
	for (size_t i = 0; i < count && i < SUGGESTIONS; i++) {
		const struct rename *one = &r->found.items[i];
		struct bytes before = name_of(r, one->before), after = name_of(r, one->after);

		print_notice("new function %.*s may be a new name of %.*s: both have the same "
			     "caller and share %zu of %zu callees",
			(int)after.len, after.at, (int)before.len, before.at, one->same, one->all);
	}
	if (count > SUGGESTIONS)
		print_notice("%zu more functions may have new names", count - SUGGESTIONS);
}

void diff_renames_print(const struct view *v)
{
	struct renames r = {.view = v};

	sides_init(&r.sides, v);
	if (r.sides.count == 2) {
		walk_init(&r.walk, &v->tree, NULL, 0);
		r.seen = memory_new(view_frame_count(v), sizeof(*r.seen));
		for (size_t i = 0; i < v->tree.caller.len; i++)
			find_below(&r, (node_id)i);
		print_suggestions(&r);
		walk_release(&r.walk);
	}
	sides_release(&r.sides);
	vector_release(&r.found);
	free(r.seen);
}
