/* test_transforms.c: each transform on a tree that fits on a line. */
#include "test.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "model/view.h"
#include "transforms/transforms.h"

/* "a;b 2, a;c 1": samples of one table; sample n is of thread n % 2, at n seconds, on CPU n. */
static void profile_of(struct profile *p, const char *text)
{
	struct bytes rest = bytes_of(text);
	process_id process;
	thread_id threads[2];
	uint32_t table;

	profile_init(p);
	table = profile_add_samples(p);
	profile_add_stream(p, table, BYTES("samples"), BYTES("count"), BYTES(""));
	process = profile_process(p, 7, profile_string(p, BYTES("my prog")));
	threads[0] = profile_thread(p, process, 7, profile_string(p, BYTES("my prog")));
	threads[1] = profile_thread(p, process, 8, profile_string(p, BYTES("helper")));
	for (size_t n = 0; rest.len; n++) {
		const char *comma = memchr(rest.at, ',', rest.len);
		struct bytes part = {rest.at, comma ? (size_t)(comma - rest.at) : rest.len};
		struct bytes names = {part.at, part.len - 2};
		struct sample sample = {.has = SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU,
			.thread = threads[n % 2],
			.time = 100000000000 + n * 1000000000,
			.cpu = (uint16_t)n};

		while (names.len) {
			const char *semicolon = memchr(names.at, ';', names.len);
			size_t len = semicolon ? (size_t)(semicolon - names.at) : names.len;
			struct bytes name = {names.at, len};
			enum frame_kind kind =
				bytes_equal(name, BYTES("my_prog")) ? FRAME_META : FRAME_NATIVE;

			sample.stack = profile_stack(p, sample.stack,
				profile_location_named(p, profile_frame_named(p, name, kind)));
			names.at += len + (semicolon != NULL);
			names.len -= len + (semicolon != NULL);
		}
		profile_add_sample(p, table, &sample);
		vector_push(&p->streams.items[0].value, part.at[part.len - 1] - '0');
		rest.at += part.len + (comma ? 2 : 0);
		rest.len -= part.len + (comma ? 2 : 0);
	}
}

static bool apply(struct view *v, const char *name, const char *argument, struct error *err)
{
	for (size_t i = 0; transforms[i]; i++)
		if (!strcmp(transforms[i]->name, name))
			return transforms[i]->apply(v, argument, err);
	fail_msg("no transform %s", name);
	return false;
}

/* The inverse: nodes with self values in the order of the tree. */
static void text_of(const struct view *v, struct buffer *out)
{
	size_t nodes = v->tree.caller.len;
	int64_t *self = memory_new(nodes, sizeof(*self));
	struct buffer *paths = memory_new(nodes, sizeof(*paths));

	view_self(v, self);
	for (size_t i = 0; i < nodes; i++) {
		if (i) {
			struct buffer *caller = &paths[v->tree.caller.items[i]];
			struct bytes name = view_function(v, v->tree.frame.items[i]);

			buffer_add(&paths[i], caller->at, caller->len);
			buffer_text(&paths[i], caller->len ? ";" : "");
			buffer_add(&paths[i], name.at, name.len);
		}
		if (self[i])
			buffer_printf(out, "%s%s %lld", out->len ? ", " : "",
				paths[i].len ? paths[i].at : "", (long long)self[i]);
	}
	for (size_t i = 0; i < nodes; i++)
		buffer_release(&paths[i]);
	free(paths);
	free(self);
}

static void check(const char *text, const char *name, const char *argument, const char *expected)
{
	struct profile p;
	struct view v;
	struct buffer out = {0};
	struct error err = {0};

	profile_of(&p, text);
	view_init(&v, &p, BY_FUNCTION);
	if (!apply(&v, name, argument, &err))
		fail_msg("%s", err.text);
	text_of(&v, &out);
	assert_string_equal(out.at ? out.at : "", expected);
	buffer_release(&out);
	view_release(&v);
	profile_release(&p);
}

/* The transform is refused with this code and a text that contains `part`. */
static void check_refused(
	const char *name, const char *argument, enum error_code code, const char *part)
{
	struct profile p;
	struct view v;
	struct error err = {0};

	profile_of(&p, "main;aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 1");
	view_init(&v, &p, BY_FUNCTION);
	assert_false(apply(&v, name, argument, &err));
	assert_int_equal(err.code, code);
	if (!strstr(err.text, part))
		fail_msg("'%s' is not in: %s", part, err.text);
	view_release(&v);
	profile_release(&p);
}

static void stacks_are_chosen(void **state)
{
	(void)state;
	check("a;b 2, a;c 1, b;a 4", "include", "^b$", "a;b 2, b;a 4");
	check("a;b 2, a;c 1, b;a 4", "exclude", "^b$", "a;c 1");
	check("a 1, a;b 2", "include", "b", "a;b 2");
	check("a 1, a;b 2", "exclude", "b", "a 1");
	check("a 1", "include", "x", "");
	check("größe 1, b 2", "include", "^gr..e$", "größe 1");
}

static void focus_is_the_new_root(void **state)
{
	(void)state;
	check("a;b;c 2, b;c 3, a;c 1", "focus", "b", "b;c 5");
	check("a;b;a;b 2", "focus", "b", "b;a;b 2");
}

static void dropped_frames_leave_their_callees(void **state)
{
	(void)state;
	check("a;x;b 2, a;b 3, x 4, x;x 5", "drop", "x", " 9, a;b 5");
}

static void stacks_are_cut(void **state)
{
	(void)state;
	check("a;x;b 2, a;b 3, x 4, a;x 5, a;x;b;x;c 1", "hide-below", "x", "a;x 8, a;b 3, x 4");
	check("a;x;b 2, a;b 3, x 4, a;x 5, a;x;b;x;c 1", "charge", "x", " 4, a 8, a;b 3");
}

static void one_path_is_left(void **state)
{
	(void)state;
	check("a;b 1, a;b;c 2, a;bc 3, b;a;b 4, a 5", "path", "a;b", "a;b 1, a;b;c 2");
	check("a;b 1, a;b;c 2", "path", "a;b;c;d", "");
	check("a;b 1, ab 2", "path", "a", "a;b 1");
	check_refused("path", "", ERR_USAGE, "main;work");
}

static void recursion_collapses(void **state)
{
	(void)state;
	check("a;a;b 1, a;b 2, a;b;a 3, a;a;a 4", "collapse-recursion", NULL,
		"a 4, a;b 3, a;b;a 3");
}

static void stacks_are_reversed(void **state)
{
	(void)state;
	check("a;b;c 2, d;c 3, a 1", "reverse", NULL, "a 1, c;b;a 2, c;d 3");
}

static void threads_and_processes_are_chosen(void **state)
{
	(void)state;
	check("a 1, b 2, c 3", "thread", "7", "a 1, c 3");
	check("a 1, b 2, c 3", "thread", "^help", "b 2");
	check("a 1, b 2, c 3", "process", "7", "a 1, b 2, c 3");
	check("a 1, b 2, c 3", "process", "8", "");
	check("a 1, b 2, c 3", "process", "prog", "a 1, b 2, c 3");
}

static void threads_and_processes_get_roots(void **state)
{
	(void)state;
	check("a 1, a 2", "by-thread", NULL, "my prog-7/7;a 1, helper-7/8;a 2");
	check("a 1, a 2", "by-process", NULL, "my prog-7;a 3");
	/* The label with ids replaces a name that some inputs have as root frame. */
	check("my_prog;a 1, my_prog;a 2", "by-process", NULL, "my prog-7;a 3");
	check("a 1, a 2", "by-cpu", NULL, "CPU 0;a 1, CPU 1;a 2");
}

static void times_are_half_open(void **state)
{
	(void)state;
	check("a 1, b 2, c 3, d 4", "time", "1..3", "b 2, c 3");
	check("a 1, b 2, c 3, d 4", "time", "..1", "a 1");
	check("a 1, b 2, c 3, d 4", "time", "2500ms..", "d 4");
	check("a 1, b 2, c 3, d 4", "time", "@101..@102", "b 2");
	check("a 1, b 2, c 3, d 4", "time", "1..@103", "b 2, c 3");
}

static void cpus_are_chosen(void **state)
{
	(void)state;
	check("a 1, b 2, c 3, d 4", "cpu", "0,2-3", "a 1, c 3, d 4");
	check("a 1, b 2, c 3, d 4", "cpu", "9", "");
}

static void mistakes_are_explained(void **state)
{
	(void)state;
	check_refused("include", "a(", ERR_USAGE, "regular expression");
	check_refused("focus", "*", ERR_USAGE, "at offset 0");
	check_refused("include", "(a|aa)+[xy]", ERR_LIMIT, "too long");
	check_refused("time", "3", ERR_USAGE, "FROM..TO");
	check_refused("time", "3..2", ERR_USAGE, "ends before it starts");
	check_refused("time", "x..2", ERR_USAGE, "expected a time");
	check_refused("cpu", "", ERR_USAGE, "0,2-4");
	check_refused("cpu", "1-", ERR_USAGE, "1-");
	check_refused("cpu", "3-1", ERR_USAGE, "3-1");
	check_refused("cpu", "99999", ERR_USAGE, "99999");
}

/* If the input lacks the column, that is an error and not an empty result. */
static void a_missing_column_is_an_error(void **state)
{
	static const struct {
		const char *name, *argument;
	} cases[] = {{"thread", "1"}, {"process", "1"}, {"cpu", "1"}, {"time", "1.."},
		{"by-thread", NULL}, {"by-process", NULL}, {"by-cpu", NULL}, {"by-cgroup", NULL}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile p;
		struct view v;
		struct error err = {0};

		profile_init(&p);
		profile_add_samples(&p);
		profile_add_stream(&p, 0, BYTES("samples"), BYTES("count"), BYTES(""));
		profile_add_sample(&p, 0, &(struct sample){0});
		view_init(&v, &p, BY_FUNCTION);
		assert_false(apply(&v, cases[i].name, cases[i].argument, &err));
		assert_int_equal(err.code, ERR_USAGE);
		assert_non_null(strstr(err.text, "the input does not have"));
		view_release(&v);
		profile_release(&p);
	}
}

/* 100,000 deep and 100,000 wide: nothing recurses, nothing is quadratic. */
static void large_trees_take_linear_time(void **state)
{
	static const char *const names[] = {"include", "exclude", "focus", "drop", "charge",
		"hide-below", "path", "collapse-recursion", "collapse-module", "by-thread"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct profile p;
		struct view v;
		struct error err = {0};
		struct sample sample = {.has = SAMPLE_THREAD};
		location_id location[2];

		profile_init(&p);
		profile_add_samples(&p);
		profile_add_stream(&p, 0, BYTES("samples"), BYTES("count"), BYTES(""));
		location[0] = profile_location_named(
			&p, profile_frame_named(&p, BYTES("even"), FRAME_NATIVE));
		location[1] = profile_location_named(
			&p, profile_frame_named(&p, BYTES("odd"), FRAME_NATIVE));
		for (size_t k = 0; k < 100000; k++) {
			sample.stack = profile_stack(&p, sample.stack, location[k % 2]);
			profile_add_sample(&p, 0, &sample);
		}
		view_init(&v, &p, BY_FUNCTION);
		if (!apply(&v, names[i], "even", &err))
			fail_msg("%s", err.text);
		view_release(&v);
		profile_release(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_are_chosen),
		cmocka_unit_test(focus_is_the_new_root),
		cmocka_unit_test(dropped_frames_leave_their_callees),
		cmocka_unit_test(stacks_are_cut),
		cmocka_unit_test(one_path_is_left),
		cmocka_unit_test(recursion_collapses),
		cmocka_unit_test(stacks_are_reversed),
		cmocka_unit_test(threads_and_processes_are_chosen),
		cmocka_unit_test(threads_and_processes_get_roots),
		cmocka_unit_test(times_are_half_open),
		cmocka_unit_test(cpus_are_chosen),
		cmocka_unit_test(mistakes_are_explained),
		cmocka_unit_test(a_missing_column_is_an_error),
		cmocka_unit_test(large_trees_take_linear_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
