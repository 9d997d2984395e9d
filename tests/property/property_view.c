/* property_view.c: what must hold for every transform of every profile. */
#include "test.h"

#include "model/materialise.h"
#include "support/random_profile.h"
#include "transforms/transforms.h"

#define SEEDS	18
#define SAMPLES 120

static void apply(struct view *v, const char *name, const char *argument)
{
	struct error err = {0};
	bool found = false;

	for (size_t i = 0; transforms[i] && !found; i++) {
		found = !strcmp(transforms[i]->name, name);
		if (found && !transforms[i]->apply(v, argument, &err))
			fail_msg("%s %s: %s", name, argument ? argument : "", err.text);
	}
	assert_true(found);
}

/* Totals of all nodes; checks on the way that the tree is one. To be freed. */
static int64_t *totals_of(const struct view *v)
{
	size_t nodes = v->tree.caller.len;
	int64_t *self = memory_new(nodes, sizeof(*self)),
		*total = memory_new(nodes, sizeof(*total));
	int64_t sum = 0;

	assert_int_equal(nodes, v->tree.frame.len);
	for (size_t i = 1; i < nodes; i++) {
		assert_true(v->tree.caller.items[i] < i);
		assert_true(v->tree.frame.items[i] < view_frame_count(v));
	}
	view_self(v, self);
	tree_totals(&v->tree, self, total);
	for (size_t i = 0; i < nodes; i++)
		sum += self[i];
	assert_true(sum == total[0]);
	free(self);
	return total;
}

static int64_t total_of(const struct view *v)
{
	int64_t *totals = totals_of(v), total = totals[0];

	free(totals);
	return total;
}

/* The kinds of random_profile, so that streams with and without values and signs are seen. */
static const char *const kinds[] = {"samples", "cpu", "alloc"};

static void view_of(struct view *v, const struct profile *p, uint64_t seed)
{
	struct error err = {0};

	view_init(v, p, (enum projection)(seed % 3));
	assert_true(view_select(v, bytes_of(kinds[seed / 3 % 3]), false, &err));
}

static int64_t total_after(
	const struct profile *p, uint64_t seed, const char *name, const char *argument)
{
	struct view v;
	int64_t total;

	view_of(&v, p, seed);
	apply(&v, name, argument);
	total = total_of(&v);
	view_release(&v);
	return total;
}

/* The sum over samples, counted without any tree. */
static int64_t sum_of(const struct view *v)
{
	int64_t sum = 0;

	for (size_t s = 0; s < v->profile->streams.len; s++) {
		const struct stream *stream = &v->profile->streams.items[s];

		for (size_t i = 0;
			v->streams[s] && i < v->profile->samples.items[stream->row.samples].count;
			i++)
			sum += stream_value(stream, i);
	}
	return sum;
}

static void reshaping_conserves_totals(void **state)
{
	static const struct {
		const char *name, *argument;
	} reshapes[] = {{"drop", "[02468]$"}, {"drop", "."}, {"collapse-recursion", NULL},
		{"by-process", NULL}, {"by-thread", NULL}, {"by-cpu", NULL}, {"reverse", NULL},
		{"exclude", "no such function"}, {"hide-below", "_1"}, {"charge", "_1"},
		{"collapse-module", "."}};

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct profile p;
		struct view v;
		int64_t sum;

		random_profile(&p, seed, SAMPLES);
		view_of(&v, &p, seed);
		sum = sum_of(&v);
		assert_true(total_of(&v) == sum);
		view_release(&v);
		for (size_t i = 0; i < sizeof(reshapes) / sizeof(*reshapes); i++)
			if (total_after(&p, seed, reshapes[i].name, reshapes[i].argument) != sum)
				fail_msg("seed %zu: %s changes the total", (size_t)seed,
					reshapes[i].name);
		profile_release(&p);
	}
}

static void filters_are_complementary(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct profile p;
		struct view v;
		int64_t sum, all;

		random_profile(&p, seed, SAMPLES);
		view_of(&v, &p, seed);
		sum = sum_of(&v);
		view_release(&v);
		assert_true(total_after(&p, seed, "include", "_1") +
				    total_after(&p, seed, "exclude", "_1") ==
			    sum);
		/* Half-open ranges side by side are the whole, to the nanosecond. */
		all = total_after(&p, seed, "time", "..");
		assert_true(total_after(&p, seed, "time", "..5000015ns") +
				    total_after(&p, seed, "time", "5000015ns..") ==
			    all);
		assert_true(total_after(&p, seed, "time", "..@5.030000090") +
				    total_after(&p, seed, "time", "@5.030000090..") ==
			    all);
		assert_true(total_after(&p, seed, "cpu", "0,2") +
				    total_after(&p, seed, "cpu", "1,3-9") ==
			    total_after(&p, seed, "cpu", "0-9"));
		assert_true(total_after(&p, seed, "process", "100") +
				    total_after(&p, seed, "process", "101") +
				    total_after(&p, seed, "process", "-102$") ==
			    all);
		assert_true(total_after(&p, seed, "thread", "10[0-2]") +
				    total_after(&p, seed, "thread", "103") +
				    total_after(&p, seed, "thread", "104") ==
			    all);
		profile_release(&p);
	}
}

/* A tree as text that does not depend on the numbers of nodes: every path with its total. */
static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every word of a frame, so that frames of one name are told apart, in whichever profile. */
static char *path_below(const struct view *v, const char *caller, size_t node)
{
	struct frame frame = view_frame_at(v, v->tree.frame.items[node]);
	struct bytes name = view_text(v, frame.function), module = view_text(v, frame.module);
	struct bytes file = view_text(v, frame.file);
	char *path;

	assert_return_code(
		asprintf(&path, "%s;%.*s|%.*s|%.*s:%u|%u", caller, (int)name.len, name.at,
			(int)module.len, module.at, (int)file.len, file.at, frame.line, frame.kind),
		0);
	return path;
}

static void paths_of(const struct view *v, char ***ret_lines, size_t *ret_count)
{
	int64_t *total = totals_of(v);
	size_t nodes = v->tree.caller.len, count = 0;
	char **paths = memory_new(nodes, sizeof(*paths)),
	     **lines = memory_new(nodes, sizeof(*lines));

	for (size_t i = 0; i < nodes; i++) {
		paths[i] = i ? path_below(v, paths[v->tree.caller.items[i]], i)
			     : memory_copy_text("", 0);
	}
	for (size_t i = 0; i < nodes; i++)
		if (total[i])
			assert_return_code(
				asprintf(&lines[count++], "%s %lld", paths[i], (long long)total[i]),
				0);
	for (size_t i = 0; i < nodes; i++)
		free(paths[i]);
	qsort(lines, count, sizeof(*lines), compare_lines);
	free(paths);
	free(total);
	*ret_lines = lines;
	*ret_count = count;
}

static void assert_same_trees(const struct view *a, const struct view *b)
{
	char **lines_a, **lines_b;
	size_t count_a, count_b;

	paths_of(a, &lines_a, &count_a);
	paths_of(b, &lines_b, &count_b);
	assert_int_equal(count_a, count_b);
	for (size_t i = 0; i < count_a; i++) {
		assert_string_equal(lines_a[i], lines_b[i]);
		free(lines_a[i]);
		free(lines_b[i]);
	}
	free(lines_a);
	free(lines_b);
}

/* Applied to `a` twice and to `b` once, or not at all, the same tree remains. */
static void assert_repeats(const char *name, const char *argument, unsigned to_b)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct profile p;
		struct view a, b;

		random_profile(&p, seed, SAMPLES);
		view_of(&a, &p, seed);
		view_of(&b, &p, seed);
		apply(&a, name, argument);
		apply(&a, name, argument);
		if (to_b)
			apply(&b, name, argument);
		assert_same_trees(&a, &b);
		view_release(&a);
		view_release(&b);
		profile_release(&p);
	}
}

static void inverting_twice_is_identity(void **state)
{
	(void)state;
	assert_repeats("reverse", NULL, 0);
}

static void what_is_done_is_done(void **state)
{
	(void)state;
	assert_repeats("include", "_1", 1);
	assert_repeats("exclude", "_1", 1);
	assert_repeats("focus", "_2", 1);
	assert_repeats("drop", "_3", 1);
	assert_repeats("collapse-recursion", NULL, 1);
	assert_repeats("hide-below", "_2", 1);
	assert_repeats("charge", "_2", 1);
	assert_repeats("collapse-module", ".", 1);
	assert_repeats("by-thread", NULL, 1);
	assert_repeats("by-process", NULL, 1);
	assert_repeats("time", "..5ms", 1);
}

/* What is written of a transformed view shows, read again, what the view showed. */
static void a_materialised_view_is_the_same(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct profile p, made;
		struct view v, again;

		random_profile(&p, seed, SAMPLES);
		view_of(&v, &p, seed);
		apply(&v, "exclude", "_2");
		apply(&v, "by-thread", NULL);
		apply(&v, "collapse-recursion", NULL);
		view_materialise(&v, &made);
		view_of(&again, &made, seed / 3 * 3 + BY_LINE);
		assert_same_trees(&v, &again);
		assert_int_equal(
			made.streams.items[0].row.expected, p.streams.items[0].row.expected);
		assert_int_equal(profile_lost(&made, 0), profile_lost(&p, 0));
		view_release(&again);
		apply(&v, "time", "..20ms");
		profile_release(&made);
		view_materialise(&v, &made);
		for (size_t i = 0; i < made.samples.items[0].count; i++)
			assert_true(made.samples.items[0].time.items[i] < 5020000000);
		assert_int_equal(made.samples.items[1].count, 0);
		profile_release(&made);
		view_release(&v);
		profile_release(&p);
	}
}

/* Whatever order: the tree stays a tree, and filters do not create value out of nothing. */
static void any_sequence_keeps_the_tree(void **state)
{
	static const struct {
		const char *name, *argument;
	} steps[] = {{"include", "_[1-4]"}, {"exclude", "_5"}, {"focus", "_[0-9]"}, {"drop", "7$"},
		{"hide-below", "_1"}, {"charge", "_2"}, {"collapse-module", "[13]"},
		{"collapse-recursion", NULL}, {"by-process", NULL}, {"by-thread", NULL},
		{"by-cpu", NULL}, {"reverse", NULL}, {"time", "1ms.."}, {"cpu", "0-2"},
		{"thread", "10"}, {"process", "."}};

	(void)state;
	for (uint64_t seed = 0; seed < 4 * SEEDS; seed++) {
		uint64_t random = seed;
		struct profile p;
		struct view v;

		random_profile(&p, seed, SAMPLES);
		view_of(&v, &p, seed % 6); /* kinds without negative values */
		for (size_t i = 0; i < 6; i++) {
			size_t step = random_below(&random, sizeof(steps) / sizeof(*steps));
			int64_t before = total_of(&v);

			apply(&v, steps[step].name, steps[step].argument);
			assert_true(total_of(&v) <= before);
		}
		view_release(&v);
		profile_release(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reshaping_conserves_totals),
		cmocka_unit_test(filters_are_complementary),
		cmocka_unit_test(inverting_twice_is_identity),
		cmocka_unit_test(what_is_done_is_done),
		cmocka_unit_test(a_materialised_view_is_the_same),
		cmocka_unit_test(any_sequence_keeps_the_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
