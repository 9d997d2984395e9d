/* test_layout.c: where are the boxes of a flame graph? */
#include "test.h"

#include "base/buffer.h"
#include "renderers/layout.h"
#include "support/random_profile.h"
#include "support/small_profile.h"

struct drawn {
	struct profile profile;
	struct view view;
	struct layout layout;
	int64_t *self, *total;
};

static void drawn_release(struct drawn *d)
{
	layout_release(&d->layout);
	view_release(&d->view);
	profile_release(&d->profile);
	free(d->self);
	free(d->total);
}

static void sum(struct drawn *d)
{
	size_t nodes = d->view.tree.caller.len;

	d->self = memory_new(nodes, sizeof(*d->self));
	d->total = memory_new(nodes, sizeof(*d->total));
	view_self(&d->view, d->self);
	for (size_t i = 0; i < nodes; i++)
		d->self[i] = d->self[i] > 0 ? d->self[i] : 0;
	tree_totals(&d->view.tree, d->self, d->total);
}

static void draw_tree(struct drawn *d, const char *text, enum sibling_order order, int64_t least)
{
	*d = (struct drawn){0};
	small_profile(&d->profile, text, false);
	view_init(&d->view, &d->profile, BY_FUNCTION);
	sum(d);
	layout_tree(&d->layout, &d->view, d->self, d->total, order, least);
}

static void draw_chart(struct drawn *d, const char *text, bool times, int64_t least)
{
	*d = (struct drawn){0};
	small_profile(&d->profile, text, times);
	view_init(&d->view, &d->profile, BY_FUNCTION);
	layout_chart(&d->layout, &d->view, false, least);
}

/* "depth:name[start,end) ..." in the order of the boxes, the root as "/". */
static void assert_boxes(struct drawn *d, const char *expected)
{
	struct buffer b = {0};

	for (size_t i = 0; i < d->layout.boxes.len; i++) {
		const struct box *box = &d->layout.boxes.items[i];
		struct bytes name = view_function(&d->view, d->view.tree.frame.items[box->node]);

		if (!box->node)
			name = BYTES("/");
		buffer_printf(&b, "%s%u:%.*s[%lld,%lld)", i ? " " : "", box->depth, (int)name.len,
			name.at, (long long)box->start, (long long)box->end);
	}
	assert_string_equal(b.len ? b.at : "", expected);
	buffer_release(&b);
	drawn_release(d);
}

static void siblings_are_ordered_by_name(void **state)
{
	struct drawn d;

	(void)state;
	draw_tree(&d, "a;c 1,a;b 2,a;b;x 4,a 8", SIBLINGS_BY_NAME, 1);
	/* A frame's own value comes first: 8 in a, then 2 in b. */
	assert_boxes(&d, "0:/[0,15) 1:a[0,15) 2:b[8,14) 3:x[10,14) 2:c[14,15)");
}

static void siblings_are_ordered_by_weight(void **state)
{
	struct drawn d;

	(void)state;
	draw_tree(&d, "a;b 1,a;d 4,a;c 4,a 8,z 90", SIBLINGS_BY_WEIGHT, 1);
	/* Equal weights are ordered by name. The own value of a comes last. */
	assert_boxes(&d, "0:/[0,107) 1:z[0,90) 1:a[90,107) 2:c[90,94) 2:d[94,98) 2:b[98,99)");
}

/* flamegraph.pl sorts whole lines, where "b;c" comes between "b" and "b.part.0": two boxes for b.
 */
static void a_frame_is_one_box(void **state)
{
	struct drawn d;

	(void)state;
	draw_tree(&d, "b 1,b.part.0 1,b;c 1", SIBLINGS_BY_NAME, 1);
	assert_boxes(&d, "0:/[0,3) 1:b[0,2) 2:c[1,2) 1:b.part.0[2,3)");
}

static void narrow_frames_leave_room_at_the_end(void **state)
{
	struct drawn d;

	(void)state;
	draw_tree(&d, "a;b 1,a;c 5,a;d;e 2,a;d;f 2", SIBLINGS_BY_NAME, 3);
	assert_boxes(&d, "0:/[0,10) 1:a[0,10) 2:c[0,5) 2:d[5,9)");
}

static void an_empty_profile_has_no_boxes(void **state)
{
	struct drawn d;

	(void)state;
	draw_tree(&d, "", SIBLINGS_BY_NAME, 1);
	assert_boxes(&d, "");
	draw_chart(&d, "", true, 1);
	assert_boxes(&d, "");
	draw_tree(&d, "a 0", SIBLINGS_BY_NAME, 0);
	assert_boxes(&d, "");
}

static void depth_is_that_of_drawn_boxes(void **state)
{
	struct drawn d;

	(void)state;
	draw_tree(&d, "a;b;c;d 1,a 9", SIBLINGS_BY_NAME, 1);
	assert_int_equal(d.layout.depth, 4);
	drawn_release(&d);
	draw_tree(&d, "a;b;c;d 1,a 9", SIBLINGS_BY_NAME, 2);
	assert_int_equal(d.layout.depth, 1);
	drawn_release(&d);
	draw_chart(&d, "a;b;c;d 1,a 9", false, 2);
	assert_int_equal(d.layout.depth, 1);
	drawn_release(&d);
}

static void a_chart_continues_frames_over_time(void **state)
{
	struct drawn d;

	(void)state;
	draw_chart(&d, "a;c 1,a;b 2,a;b 3,b 1,a;b 1", false, 1);
	assert_boxes(&d, "0:/[0,8) 1:a[0,6) 2:c[0,1) 2:b[1,6) 1:b[6,7) 1:a[7,8) 2:b[7,8)");
}

static void a_chart_sorts_by_time(void **state)
{
	struct drawn d;

	(void)state;
	draw_chart(&d, "@1+30c 1,@1+10a 2,@1+20b 3", true, 1);
	assert_boxes(&d, "0:/[0,6) 1:a[0,2) 1:b[2,5) 1:c[5,6)");
}

/* Thread 7 begins first; the frames of two threads never join. */
static void a_chart_keeps_threads_apart(void **state)
{
	struct drawn d;

	(void)state;
	draw_chart(&d, "@5+2m;x 1,@7+1m 1,@7+3m 1,@5+4m;y 1", true, 1);
	assert_boxes(&d, "0:/[0,4) 1:m[0,2) 1:m[2,4) 2:x[2,3) 2:y[3,4)");
}

static void a_chart_leaves_out_narrow_boxes(void **state)
{
	struct drawn d;

	(void)state;
	draw_chart(&d, "a;b 1,a;c;d 3,a;c 1,e 1", false, 2);
	assert_boxes(&d, "0:/[0,6) 1:a[0,5) 2:c[1,5) 3:d[1,4)");
}

/* What must hold for any layout. */
static void check_contracts(const struct drawn *d, bool tree, int64_t least)
{
	const struct layout *l = &d->layout;
	uint32_t deepest = 0;

	for (size_t i = 0; i < l->boxes.len; i++) {
		const struct box *box = &l->boxes.items[i], *below = &l->boxes.items[box->parent];

		assert_true(box->start < box->end);
		assert_true(i == 0 || box->end - box->start >= least);
		if (tree)
			assert_true(box->end - box->start == d->total[box->node]);
		deepest = box->depth > deepest ? box->depth : deepest;
		if (!i)
			continue;
		assert_true(box->parent < i);
		assert_int_equal(box->depth, below->depth + 1);
		assert_int_equal(d->view.tree.caller.items[box->node], below->node);
		assert_true(box->start >= below->start && box->end <= below->end);
		/* Siblings, and with them all boxes of a depth, follow without overlap. */
		for (size_t j = i; j-- > box->parent + 1;) {
			if (l->boxes.items[j].depth == box->depth) {
				assert_true(l->boxes.items[j].end <= box->start);
				break;
			}
		}
	}
	assert_int_equal(l->depth, deepest);
}

static void every_layout_keeps_its_invariants(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		for (int64_t least = 1; least <= 1000000; least *= 1000) {
			struct drawn d = {0};

			random_profile(&d.profile, seed, 300);
			view_init(&d.view, &d.profile, BY_FUNCTION);
			sum(&d);
			layout_tree(&d.layout, &d.view, d.self, d.total,
				seed % 2 ? SIBLINGS_BY_NAME : SIBLINGS_BY_WEIGHT, least);
			check_contracts(&d, true, least);
			layout_release(&d.layout);
			layout_chart(&d.layout, &d.view, false, least);
			check_contracts(&d, false, least);
			drawn_release(&d);
		}
	}
}

/* Deep stacks are laid out without recursion. */
static void deep_stacks_do_not_recurse(void **state)
{
	struct drawn d = {0};
	struct buffer text = {0};

	(void)state;
	for (int i = 0; i < 100000; i++)
		buffer_text(&text, i ? ";f" : "f");
	buffer_text(&text, " 1");
	draw_tree(&d, text.at, SIBLINGS_BY_NAME, 1);
	assert_int_equal(d.layout.boxes.len, 100001);
	assert_int_equal(d.layout.depth, 100000);
	drawn_release(&d);
	draw_chart(&d, text.at, true, 1);
	assert_int_equal(d.layout.boxes.len, 100001);
	drawn_release(&d);
	buffer_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(siblings_are_ordered_by_name),
		cmocka_unit_test(siblings_are_ordered_by_weight),
		cmocka_unit_test(a_frame_is_one_box),
		cmocka_unit_test(narrow_frames_leave_room_at_the_end),
		cmocka_unit_test(an_empty_profile_has_no_boxes),
		cmocka_unit_test(depth_is_that_of_drawn_boxes),
		cmocka_unit_test(a_chart_continues_frames_over_time),
		cmocka_unit_test(a_chart_sorts_by_time),
		cmocka_unit_test(a_chart_keeps_threads_apart),
		cmocka_unit_test(a_chart_leaves_out_narrow_boxes),
		cmocka_unit_test(every_layout_keeps_its_invariants),
		cmocka_unit_test(deep_stacks_do_not_recurse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
