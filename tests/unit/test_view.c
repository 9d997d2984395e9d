/* test_view.c: which samples a view shows, and in which tree. */
#include "test.h"

#include "base/memory.h"
#include "model/shrink.h"
#include "model/view.h"

/* One function of one module, at two lines and two addresses, with something inlined at one. */
struct fixture {
	struct profile p;
	location_id plain, inlined, unnamed;
};

static void fixture_init(struct fixture *f)
{
	struct profile *p = &f->p;
	struct mapping mapping = {.kind = MAPPING_FILE};
	struct frame work = {0}, inner = {.kind = FRAME_INLINED};
	frame_id frames[2];
	mapping_id id;

	profile_init(p);
	mapping.file = profile_string(p, BYTES("/usr/lib/libwork.so.1"));
	id = profile_mapping(p, &mapping);
	work.function = profile_string(p, BYTES("work"));
	work.file = profile_string(p, BYTES("work.c"));
	inner.function = profile_string(p, BYTES("inner"));
	f->plain = profile_location(p, id, 0x100);
	f->inlined = profile_location(p, id, 0x200);
	f->unnamed = profile_location(p, id, 0x300);
	work.line = 10;
	frames[0] = profile_frame(p, &work);
	profile_name_location(p, f->plain, frames, 1);
	work.line = 20;
	frames[0] = profile_frame(p, &work);
	frames[1] = profile_frame(p, &inner);
	profile_name_location(p, f->inlined, frames, 2);
	profile_add_samples(p);
	profile_add_stream(p, 0, BYTES("cpu"), BYTES("ns"), BYTES("cpu-clock"));
}

static void fixture_sample(struct fixture *f, location_id location)
{
	profile_add_sample(&f->p, 0, &(struct sample){.stack = profile_stack(&f->p, 0, location)});
}

static size_t nodes_by(const struct profile *p, enum projection by, const char *expected_last)
{
	struct view v;
	size_t nodes;

	view_init(&v, p, by);
	nodes = v.tree.caller.len;
	assert_bytes_equal(view_function(&v, v.tree.frame.items[nodes - 1]), expected_last);
	view_release(&v);
	return nodes;
}

static void projections_distinguish_functions_lines_and_addresses(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_sample(&f, f.plain);
	fixture_sample(&f, f.inlined);
	/* root, work, inner; root, work:10, work:20, inner. */
	assert_int_equal(nodes_by(&f.p, BY_FUNCTION, "inner"), 3);
	assert_int_equal(nodes_by(&f.p, BY_LINE, "inner"), 4);
	profile_release(&f.p);
}

static void unnamed_locations_show_module_or_address(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_sample(&f, f.unnamed);
	assert_int_equal(nodes_by(&f.p, BY_FUNCTION, "[libwork.so.1]"), 2);
	assert_int_equal(nodes_by(&f.p, BY_ADDRESS, "[libwork.so.1+0x300]"), 2);
	profile_release(&f.p);
}

static void samples_remain_without_a_tree(void **state)
{
	struct fixture f;
	struct view v;

	(void)state;
	fixture_init(&f);
	fixture_sample(&f, f.plain);
	fixture_sample(&f, f.unnamed);
	view_init(&v, &f.p, BY_ROOT);
	assert_int_equal(v.tree.caller.len, 1);
	assert_int_equal(view_node(&v, 0, 0), 0);
	assert_int_equal(view_node(&v, 0, 1), 0);
	view_release(&v);
	profile_release(&f.p);
}

static int64_t total(const struct view *v)
{
	int64_t *self = memory_new(v->tree.caller.len, sizeof(*self)), sum = 0;

	view_self(v, self);
	for (size_t i = 0; i < v->tree.caller.len; i++)
		sum += self[i];
	free(self);
	return sum;
}

static void kinds_are_shown_one_at_a_time(void **state)
{
	struct fixture f;
	struct error err = {0};
	struct view v;
	uint32_t idle;

	(void)state;
	fixture_init(&f);
	fixture_sample(&f, f.plain);
	fixture_sample(&f, f.plain);
	f.p.streams.items[0].row.fixed_value = 1000;
	profile_add_stream(&f.p, 0, BYTES("samples"), BYTES("count"), BYTES("cpu-clock"));
	idle = profile_add_samples(&f.p);
	profile_add_sample(&f.p, idle, &(struct sample){0});
	profile_add_stream(&f.p, idle, BYTES("idle"), BYTES("ns"), BYTES("cpu-clock"));
	f.p.streams.items[2].row.fixed_value = 500;
	view_init(&v, &f.p, BY_FUNCTION);
	assert_int_equal(total(&v), 2000);
	assert_true(view_select(&v, BYTES("samples"), false, &err));
	assert_int_equal(total(&v), 2);
	assert_true(view_select(&v, BYTES("cpu"), true, &err));
	assert_int_equal(total(&v), 2500);
	assert_true(view_select(&v, BYTES(""), false, &err));
	assert_int_equal(total(&v), 2000);
	assert_false(view_select(&v, BYTES("wall"), false, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.text, "cpu"));
	assert_int_equal(total(&v), 2000);
	assert_false(v.changed);
	view_release(&v);
	profile_release(&f.p);
}

/* Frames that a transform adds get new ids; frames of the profile keep theirs. */
static void frames_of_the_view_follow_the_profiles(void **state)
{
	struct fixture f;
	struct frame frame = {0};
	frame_id known, added;
	struct view v;

	(void)state;
	fixture_init(&f);
	known = profile_frame_named(&f.p, BYTES("known"), FRAME_NATIVE);
	view_init(&v, &f.p, BY_ADDRESS);
	frame.function = view_string(&v, BYTES("known"));
	assert_int_equal(view_frame(&v, &frame), known);
	frame.function = view_string(&v, BYTES("added"));
	added = view_frame(&v, &frame);
	assert_true(added >= f.p.frames.len && added < view_frame_count(&v));
	assert_int_equal(view_frame(&v, &frame), added);
	assert_bytes_equal(view_function(&v, added), "added");
	view_release(&v);
	profile_release(&f.p);
}

/* Values are refused if the sum of any selection of them, in any order, could overflow. */
static void sums_cannot_overflow(void **state)
{
	struct fixture f;
	struct error err = {0};
	struct stream *s;

	(void)state;
	fixture_init(&f);
	fixture_sample(&f, f.plain);
	fixture_sample(&f, f.plain);
	s = &f.p.streams.items[0];
	s->row.fixed_value = INT64_MAX / 2;
	assert_true(profile_check_values(&f.p, &err));
	s->row.fixed_value = INT64_MAX / 2 + 1;
	assert_false(profile_check_values(&f.p, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	s->row.fixed_value = INT64_MIN;
	assert_false(profile_check_values(&f.p, &err));
	vector_push(&s->value, INT64_MAX - 5);
	vector_push(&s->value, -5);
	assert_true(profile_check_values(&f.p, &err));
	s->value.items[1] = -6;
	assert_false(profile_check_values(&f.p, &err));
	s->value.items[0] = s->value.items[1] = INT64_MIN;
	assert_false(profile_check_values(&f.p, &err));
	profile_release(&f.p);
}

/* profile_shrink does not change values. */
static void equal_values_are_stored_once(void **state)
{
	struct fixture f;
	struct stream *s;

	(void)state;
	fixture_init(&f);
	s = &f.p.streams.items[0];
	for (unsigned i = 0; i < 3; i++) {
		fixture_sample(&f, f.plain);
		vector_push(&s->value, 7);
	}
	profile_shrink(&f.p);
	assert_int_equal(s->value.len, 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(stream_value(s, i), 7);
	for (int64_t i = 0; i < 3; i++)
		vector_push(&s->value, i / 2);
	profile_shrink(&f.p);
	assert_int_equal(s->value.len, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(stream_value(s, i), i / 2);
	profile_release(&f.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(projections_distinguish_functions_lines_and_addresses),
		cmocka_unit_test(unnamed_locations_show_module_or_address),
		cmocka_unit_test(samples_remain_without_a_tree),
		cmocka_unit_test(kinds_are_shown_one_at_a_time),
		cmocka_unit_test(sums_cannot_overflow),
		cmocka_unit_test(equal_values_are_stored_once),
		cmocka_unit_test(frames_of_the_view_follow_the_profiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
