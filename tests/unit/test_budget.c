/* test_budget.c: when is a timer slowed down, how far, and when does it get faster again? */
#include "recorders/budget.h"
#include "test.h"

#include <stdlib.h>

#define SECOND	((uint64_t)1000000000)
#define PERCENT (BUDGET_WHOLE / 100)

/* On two CPUs; `spent` is a share of one. */
static uint64_t look(struct budget *b, uint64_t second, uint64_t *spent, double share, uint64_t now)
{
	*spent += (uint64_t)(share * (double)SECOND);
	return budget_update(b, 2, now, second * SECOND, *spent);
}

static void frequency_falls_in_proportion(void **state)
{
	struct budget b;
	uint64_t spent = 5 * SECOND; /* before it began */

	(void)state;
	budget_begin(&b, PERCENT, 1000, 0, spent);
	assert_int_equal(look(&b, 1, &spent, 0.019, 1000), 1000);
	/* Four times too much: a quarter of the frequency, less a tenth. */
	assert_int_equal(look(&b, 2, &spent, 0.080, 1000), 225);
	/* No change before a second has passed. */
	assert_int_equal(budget_update(&b, 2, 225, 2 * SECOND + SECOND / 2, spent + SECOND), 225);
	/* Down to the minimum. */
	assert_int_equal(look(&b, 3, &spent, 1.9, 225), 19);
	assert_int_equal(look(&b, 4, &spent, 1.9, 19), 19);
	budget_release(&b);
}

static void frequency_rises_after_seconds_below_the_budget(void **state)
{
	struct budget b;
	uint64_t spent = 0, frequency = 300;

	(void)state;
	budget_begin(&b, PERCENT, 1000, 0, spent);
	for (uint64_t second = 1; second < 10; second++)
		assert_int_equal(look(&b, second, &spent, 0.001, frequency), 300);
	assert_int_equal(look(&b, 10, &spent, 0.001, frequency), 600);
	/* A second with little room starts the count again. */
	for (uint64_t second = 11; second < 16; second++)
		assert_int_equal(look(&b, second, &spent, 0.001, 600), 600);
	assert_int_equal(look(&b, 16, &spent, 0.010, 600), 600);
	for (uint64_t second = 17; second < 26; second++)
		assert_int_equal(look(&b, second, &spent, 0.001, 600), 600);
	/* Never above the requested frequency. */
	assert_int_equal(look(&b, 26, &spent, 0.001, 600), 1000);
	for (uint64_t second = 27; second < 50; second++)
		assert_int_equal(look(&b, second, &spent, 0.001, 1000), 1000);
	budget_release(&b);
}

static void without_a_budget_there_is_no_limit(void **state)
{
	struct budget b;

	(void)state;
	budget_begin(&b, 0, 1000, 0, 0);
	assert_int_equal(budget_update(&b, 2, 1000, 10 * SECOND, 20 * SECOND), 1000);
	budget_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frequency_falls_in_proportion),
		cmocka_unit_test(frequency_rises_after_seconds_below_the_budget),
		cmocka_unit_test(without_a_budget_there_is_no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
