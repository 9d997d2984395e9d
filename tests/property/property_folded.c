/* property_folded.c: folded text of any profile, read and written again, is the same text. */
#include "test.h"

#include "support/fold_text.h"
#include "support/random_profile.h"

#include "model/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t total_of(const struct profile *p)
{
	struct view v;
	int64_t *self, sum = 0;

	view_init(&v, p, BY_FUNCTION);
	self = calloc(v.tree.caller.len, sizeof(*self));
	view_self(&v, self);
	for (size_t i = 0; i < v.tree.caller.len; i++)
		sum += self[i];
	free(self);
	view_release(&v);
	return sum;
}

static void written_and_read_is_equal(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct buffer once = {0}, twice = {0};
		struct error err = {0};
		struct profile p, again;

		random_profile(&p, seed, 50 * seed);
		fold_profile(&p, NULL, false, NULL, &once);
		if (!read_text(&again, buffer_bytes(&once), "folded", 0, &err))
			fail_msg("seed %d: %s", (int)seed, err.text);
		fold_profile(&again, NULL, false, NULL, &twice);
		assert_bytes_equal(buffer_bytes(&twice), once.at);
		assert_int_equal(total_of(&again), total_of(&p));
		assert_int_equal(profile_meta(&again, BYTES("note")).len, 0);
		buffer_release(&once);
		buffer_release(&twice);
		profile_release(&again);
		profile_release(&p);
	}
}

/* Lines in any order, each in pieces, give what sorted lines give. */
static void order_and_pieces_do_not_matter(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int turn = 0; turn < 20; turn++) {
		struct buffer sorted = {0}, shuffled = {0}, once = {0}, twice = {0};
		struct error err = {0};
		struct profile p, q;

		for (int i = 0; i < 400; i++) {
			struct buffer *b = random_below(&seed, 2) ? &sorted : &shuffled;

			for (uint32_t d = random_below(&seed, 12); d; d--)
				buffer_printf(b, "f%u;", random_below(&seed, 4));
			buffer_printf(b, "leaf %u\n", 1 + random_below(&seed, 9));
		}
		assert_true(read_text(&p, buffer_bytes(&sorted), "folded", 0, &err));
		fold_profile(&p, NULL, false, NULL, &once);
		buffer_add(&once, shuffled.at, shuffled.len);
		buffer_add(&sorted, shuffled.at, shuffled.len);
		assert_true(read_text(&q, buffer_bytes(&sorted), "folded", 0, &err));
		profile_release(&p);
		assert_true(read_text(&p, buffer_bytes(&once), "folded", 0, &err));
		once.len = 0;
		fold_profile(&p, NULL, false, NULL, &once);
		fold_profile(&q, NULL, false, NULL, &twice);
		assert_bytes_equal(buffer_bytes(&twice), once.at);
		buffer_release(&sorted);
		buffer_release(&shuffled);
		buffer_release(&once);
		buffer_release(&twice);
		profile_release(&p);
		profile_release(&q);
	}
}

/* ---- Sorted text, which the reader trusts ---- */

#define NASTY_LINES 60

struct nasty_line {
	char text[64];
	size_t stack; /* its length */
};

/* Short frames of characters that sort before and behind ';', blanks, digits and broken UTF-8. */
static void nasty_line_make(struct nasty_line *line, uint64_t *seed)
{
	static const char letters[] = "aaab1 ;;;;!\t\x01\xff";
	uint32_t len = 1 + random_below(seed, 12);

	for (uint32_t i = 0; i < len; i++)
		line->text[i] = letters[random_below(seed, sizeof(letters) - 1)];
	line->stack = len;
	snprintf(line->text + len, sizeof(line->text) - len, " %u", 1 + random_below(seed, 20));
}

static int by_line(const void *a, const void *b)
{
	return strcmp(((const struct nasty_line *)a)->text, ((const struct nasty_line *)b)->text);
}

static int by_stack(const void *a, const void *b)
{
	const struct nasty_line *x = a, *y = b;

	return bytes_compare((struct bytes){x->text, x->stack}, (struct bytes){y->text, y->stack});
}

static void assert_no_stack_twice(const struct profile *p)
{
	for (size_t i = 1; i < p->stack_caller.len; i++)
		for (size_t j = 1; j < i; j++)
			assert_false(p->stack_caller.items[i] == p->stack_caller.items[j] &&
				     p->stack_location.items[i] == p->stack_location.items[j]);
}

static void fold_once(struct bytes text, struct buffer *ret_folded)
{
	struct error err = {0};
	struct profile p;

	if (!read_text(&p, text, "folded", 0, &err))
		fail_msg("%s", err.text);
	assert_no_stack_twice(&p);
	fold_profile(&p, NULL, false, NULL, ret_folded);
	profile_release(&p);
}

static void fold_nasty(const struct nasty_line *lines, struct buffer *ret_folded)
{
	struct buffer text = {0};

	for (size_t i = 0; i < NASTY_LINES; i++)
		buffer_printf(&text, "%s\n", lines[i].text);
	fold_once(buffer_bytes(&text), ret_folded);
	buffer_release(&text);
}

/* "x 1" is a frame, then the start of "x 12", and a frame again. */
static void a_digit_may_be_of_a_name_or_of_a_number(void **state)
{
	struct buffer folded = {0};

	(void)state;
	fold_once(BYTES("x 1 5\nx 12\nx 1;y 3\n"), &folded);
	assert_bytes_equal(buffer_bytes(&folded), "x 12\nx 1 5\nx 1;y 3\n");
	buffer_release(&folded);
}

static void sorted_text_gives_each_stack_once(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (int turn = 0; turn < 600; turn++) {
		struct nasty_line lines[NASTY_LINES];
		struct buffer as_is = {0}, sorted = {0};

		for (size_t i = 0; i < NASTY_LINES; i++)
			nasty_line_make(&lines[i], &seed);
		fold_nasty(lines, &as_is);
		qsort(lines, NASTY_LINES, sizeof(*lines), by_line);
		fold_nasty(lines, &sorted);
		assert_bytes_equal(buffer_bytes(&sorted), as_is.at);
		sorted.len = 0;
		qsort(lines, NASTY_LINES, sizeof(*lines), by_stack);
		fold_nasty(lines, &sorted);
		assert_bytes_equal(buffer_bytes(&sorted), as_is.at);
		buffer_release(&as_is);
		buffer_release(&sorted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_and_read_is_equal),
		cmocka_unit_test(order_and_pieces_do_not_matter),
		cmocka_unit_test(sorted_text_gives_each_stack_once),
		cmocka_unit_test(a_digit_may_be_of_a_name_or_of_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
