/* property_folded.c: folded text of any profile, read and written again, is the same text. */
#include "test.h"

#include "support/fold_text.h"
#include "support/random_profile.h"

#include "model/view.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_and_read_is_equal),
		cmocka_unit_test(order_and_pieces_do_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
