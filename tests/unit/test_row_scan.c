/* test_row_scan.c: is the first row that is out of its bounds found, wherever it is? */
#include "test.h"

#include "model/row_scan.h"

#include <stdlib.h>

#define ROOM 200u /* some blocks and what is left of one */

/* Every length, with a wrong row at every place and another one behind it, and nowhere. */
static void the_first_wrong_id_is_found(void **state)
{
	const uint32_t bounds[] = {1, 7, 0x80000000u, UINT32_MAX};

	(void)state;
	for (size_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++) {
		for (size_t len = 0; len < ROOM; len++) {
			uint32_t *ids = calloc(len ? len : 1, sizeof(*ids));

			for (size_t i = 0; i < len; i++)
				ids[i] = bounds[b] - 1;
			assert_int_equal(row_scan_ids(ids, len, bounds[b]), len);
			for (size_t at = len; at-- > 0;) {
				ids[at] = at % 2 ? bounds[b] : UINT32_MAX;
				assert_int_equal(row_scan_ids(ids, len, bounds[b]), at);
			}
			free(ids);
		}
	}
}

static void the_first_id_that_is_not_of_an_earlier_row_is_found(void **state)
{
	const uint32_t firsts[] = {0, 1, 63, 0x7fffffc0u, UINT32_MAX - ROOM};

	(void)state;
	for (size_t f = 0; f < sizeof(firsts) / sizeof(firsts[0]); f++) {
		for (size_t len = 0; len < ROOM; len++) {
			uint32_t *ids = calloc(len ? len : 1, sizeof(*ids));

			for (size_t i = 0; i < len; i++)
				ids[i] = firsts[f] + (uint32_t)i - (firsts[f] + i > 0);
			assert_int_equal(row_scan_earlier(ids, len, firsts[f]), len);
			for (size_t at = len; at-- > (firsts[f] ? 0 : 1);) {
				ids[at] = at % 2 ? UINT32_MAX : firsts[f] + (uint32_t)at;
				assert_int_equal(row_scan_earlier(ids, len, firsts[f]), at);
			}
			free(ids);
		}
	}
	assert_int_equal(row_scan_earlier((const uint32_t[]){1}, 1, 0), 0);
}

static void the_first_time_above_the_limit_is_found(void **state)
{
	const uint64_t limit = ((uint64_t)1 << 62) - 1;

	(void)state;
	for (size_t len = 0; len < ROOM; len++) {
		uint64_t *times = calloc(len ? len : 1, sizeof(*times));

		for (size_t i = 0; i < len; i++)
			times[i] = i % 2 ? limit : 0;
		assert_int_equal(row_scan_times(times, len, limit), len);
		for (size_t at = len; at-- > 0;) {
			times[at] = at % 2 ? limit + 1 : UINT64_MAX;
			assert_int_equal(row_scan_times(times, len, limit), at);
		}
		free(times);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_wrong_id_is_found),
		cmocka_unit_test(the_first_id_that_is_not_of_an_earlier_row_is_found),
		cmocka_unit_test(the_first_time_above_the_limit_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
