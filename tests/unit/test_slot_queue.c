/* test_slot_queue.c: does the second thread consume every slot once, in order, and up to a
 * failure? */
#include "test.h"

#include "base/slot_queue.h"

#define SLOTS_LIMIT 16u

struct numbers {
	uint64_t slots[SLOTS_LIMIT];
	uint64_t next, last; /* that is to be taken; at which taking fails */
	bool ordered;
};

static bool take(void *context, size_t slot)
{
	struct numbers *n = context;

	n->ordered = n->ordered && n->slots[slot] == n->next;
	return n->next++ < n->last;
}

/* Up to `count` numbers. Returns how many were passed. */
static uint64_t run(
	struct numbers *n, struct slot_queue r, bool threaded, uint64_t count, bool *ret_done)
{
	uint64_t passed = 0;

	r.consume = take;
	r.context = n;
	slot_queue_open(&r, threaded);
	while (passed < count) {
		n->slots[slot_queue_slot(&r)] = passed++;
		if (!slot_queue_push(&r))
			break;
	}
	*ret_done = slot_queue_close(&r);
	return passed;
}

static void all_are_taken_in_order(void **state)
{
	static const size_t slots[] = {1, 2, 4, 16};
	bool done;

	(void)state;
	for (int threaded = 0; threaded < 2; threaded++)
		for (size_t i = 0; i < 4; i++)
			for (size_t wake = 1; wake <= slots[i]; wake++)
				for (uint64_t count = 0; count < 70; count++) {
					struct numbers n = {.last = UINT64_MAX, .ordered = true};

					assert_int_equal(
						run(&n,
							(struct slot_queue){.slots = slots[i],
								.wake_batch = wake},
							threaded, count, &done),
						count);
					assert_true(done && n.ordered);
					assert_int_equal(n.next, count);
				}
}

static void nothing_is_consumed_after_a_failure(void **state)
{
	bool done;

	(void)state;
	for (int threaded = 0; threaded < 2; threaded++)
		for (uint64_t last = 0; last < 40; last++) {
			struct numbers n = {.last = last, .ordered = true};
			uint64_t passed = run(&n, (struct slot_queue){.slots = 4, .wake_batch = 1},
				threaded, 1000, &done);

			assert_true(!done && n.ordered);
			assert_int_equal(n.next, last + 1);
			assert_in_range(passed, last + 1, last + 1 + 4 * (uint64_t)threaded);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_taken_in_order),
		cmocka_unit_test(nothing_is_consumed_after_a_failure),
	};

	return cmocka_run_group_tests_name("slot_queue", tests, NULL, NULL);
}
