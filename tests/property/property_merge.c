/* property_merge.c: what must hold when profiles become the sides of one. */
#include "test.h"

#include "model/merge.h"
#include "model/sides.h"
#include "support/random_profile.h"
#include "transforms/canonical.h"

#include <math.h>

#define SEEDS	24
#define SAMPLES 150

static const char *const kinds[] = {"samples", "cpu", "alloc"};

static void select_kind(struct view *v, uint64_t seed)
{
	struct error err = {0};

	assert_true(view_select(v, bytes_of(kinds[seed % 3]), false, &err));
}

static void add(
	struct profile *to, const struct profile *p, uint64_t seed, uint32_t side, uint32_t run)
{
	struct error err = {0};
	struct view v;

	view_init(&v, p, BY_FUNCTION);
	select_kind(&v, seed);
	canonical_apply(&(struct canonical){.names = true}, &v);
	if (!profile_merge(to, &v, &(struct merge_part){side, run, "x", NULL}, &err))
		fail_msg("%s", err.text);
	view_release(&v);
}

static int64_t total_of(const struct profile *p, uint64_t seed)
{
	struct view v;
	struct sides s;
	int64_t total;

	view_init(&v, p, BY_FUNCTION);
	select_kind(&v, seed);
	sides_init(&s, &v);
	total = s.total[0][0];
	sides_release(&s);
	view_release(&v);
	return total;
}

/* Of every path that has values: self values by a hash of the path and side. */
static uint64_t signature(const struct view *v, const struct sides *s, size_t before)
{
	size_t nodes = v->tree.caller.len;
	uint64_t *path = memory_new(nodes, sizeof(*path));
	uint64_t sum = 0;

	for (size_t i = 1; i < nodes; i++) {
		struct frame frame = view_frame_at(v, v->tree.frame.items[i]);
		struct bytes name = view_text(v, frame.function),
			     module = view_text(v, frame.module);

		path[i] = hash_pair(path[v->tree.caller.items[i]] * 31 + frame.kind,
			hash_bytes(name.at, name.len) ^ hash_bytes(module.at, module.len) * 7);
		sum += path[i] * (uint64_t)s->self[before][i] +
		       hash_pair(path[i], 1) * (uint64_t)s->self[!before][i];
	}
	free(path);
	return sum;
}

static void two_sides(const struct profile *a, const struct profile *b, uint64_t seed,
	void (*check)(const struct view *, const struct sides *, const void *), const void *context)
{
	struct profile merged;
	struct sides s;
	struct view v;

	profile_init(&merged);
	add(&merged, a, seed, 1, 0);
	add(&merged, b, seed, 2, 0);
	view_init(&v, &merged, BY_FUNCTION);
	sides_init(&s, &v);
	assert_int_equal(s.count, 2);
	check(&v, &s, context);
	sides_release(&s);
	view_release(&v);
	profile_release(&merged);
}

static void nothing_changed(const struct view *v, const struct sides *s, const void *context)
{
	(void)context;
	for (size_t i = 0; i < v->tree.caller.len; i++) {
		assert_true(sides_change(s, s->self[0][i], s->self[1][i]) == 0);
		assert_true(sides_change(s, s->total[0][i], s->total[1][i]) == 0);
		assert_true(sides_ratio(s, s->total[0][i], s->total[1][i]) == 0);
	}
}

static void with_itself_nothing_changes(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct profile p;

		random_profile(&p, seed, SAMPLES);
		two_sides(&p, &p, seed, nothing_changed, NULL);
		profile_release(&p);
	}
}

static void totals_are(const struct view *v, const struct sides *s, const void *context)
{
	const int64_t *expected = context;
	int64_t sum[2] = {0};

	for (size_t side = 0; side < 2; side++) {
		for (size_t i = 0; i < v->tree.caller.len; i++)
			sum[side] += s->self[side][i];
		assert_true(sum[side] == expected[side] && s->total[side][0] == expected[side]);
	}
}

static void columns_sum_to_the_totals(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct profile a, b;
		int64_t expected[2];

		random_profile(&a, seed, SAMPLES);
		random_profile(&b, seed + 1000, SAMPLES / 2);
		expected[0] = total_of(&a, seed);
		expected[1] = total_of(&b, seed);
		two_sides(&a, &b, seed, totals_are, expected);
		profile_release(&a);
		profile_release(&b);
	}
}

struct signatures {
	size_t before;
	uint64_t *ret;
};

static void take_signature(const struct view *v, const struct sides *s, const void *context)
{
	const struct signatures *want = context;

	*want->ret = signature(v, s, want->before);
}

static void the_other_order_is_the_mirror(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		uint64_t one, other;
		struct profile a, b;

		random_profile(&a, seed, SAMPLES);
		random_profile(&b, seed + 1000, SAMPLES);
		two_sides(&a, &b, seed, take_signature, &(struct signatures){0, &one});
		two_sides(&b, &a, seed, take_signature, &(struct signatures){1, &other});
		assert_true(one == other);
		profile_release(&a);
		profile_release(&b);
	}
}

/* Runs of a side are added up, in any order. */
static void runs_add_up(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		uint64_t got[2];
		struct profile part[3];

		for (size_t i = 0; i < 3; i++)
			random_profile(&part[i], seed + 100 * i, SAMPLES / 3);
		for (size_t turn = 0; turn < 2; turn++) {
			struct profile merged;
			struct sides s;
			struct view v;

			profile_init(&merged);
			add(&merged, &part[turn ? 1 : 0], seed, 1, 1);
			add(&merged, &part[turn ? 0 : 1], seed, 1, 2);
			add(&merged, &part[2], seed, 2, 0);
			view_init(&v, &merged, BY_FUNCTION);
			sides_init(&s, &v);
			assert_true(s.total[0][0] ==
				    total_of(&part[0], seed) + total_of(&part[1], seed));
			got[turn] = signature(&v, &s, 0);
			sides_release(&s);
			view_release(&v);
			profile_release(&merged);
		}
		assert_true(got[0] == got[1]);
		for (size_t i = 0; i < 3; i++)
			profile_release(&part[i]);
	}
}

/* Rounded one by one, shares are right to one up to any of them, and in all. */
static void shares_are_right_to_one(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int turn = 0; turn < 200; turn++) {
		struct sides_share share = {.whole = {0, 1 + random_below(&seed, 100000)}};
		int64_t values[50], read = 0, written = 0;

		for (size_t i = 0; i < 50; i++) {
			values[i] = random_below(&seed, 1000);
			share.whole[0] += values[i];
		}
		if (!share.whole[0])
			continue;
		for (size_t i = 0; i < 50; i++) {
			read += values[i];
			written += sides_share(&share, values[i]);
			assert_true(fabs((double)written - (double)read * (double)share.whole[1] /
								   (double)share.whole[0]) <= 0.5);
		}
		assert_true(written == share.whole[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_itself_nothing_changes),
		cmocka_unit_test(columns_sum_to_the_totals),
		cmocka_unit_test(the_other_order_is_the_mirror),
		cmocka_unit_test(runs_add_up),
		cmocka_unit_test(shares_are_right_to_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
