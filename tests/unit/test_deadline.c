/* test_deadline.c: does a deadline pass when its CPU time is used up, by any of its threads? */
#include "test.h"

#include "base/deadline.h"
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define MS UINT64_C(1000000) /* ns */

static void burn(uint64_t ns)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((uint64_t)((now.tv_sec - begin.tv_sec) * INT64_C(1000000000) + now.tv_nsec -
			  begin.tv_nsec) < ns);
}

static void test_without_a_deadline_none_passes(void **state)
{
	struct error err = {0};

	(void)state;
	assert_null(deadline_current());
	burn(20 * MS);
	assert_false(deadline_passed());
	assert_true(deadline_check(&err));
}

static void test_only_time_under_the_deadline_counts(void **state)
{
	struct deadline d = {.limit = 50 * MS}, unlimited = {0};
	struct error err = {0};

	(void)state;
	deadline_enter(&d);
	assert_false(deadline_passed());
	assert_ptr_equal(deadline_leave(), &d);
	burn(100 * MS); /* not counted */
	deadline_enter(&d);
	assert_false(deadline_passed());
	while (!deadline_passed())
		;
	assert_false(deadline_check(&err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_non_null(strstr(err.text, "0.05 s of CPU time"));
	assert_non_null(strstr(err.text, "--request-seconds"));
	assert_true(d.is_exceeded && d.used > d.limit);
	deadline_leave();
	deadline_enter(&unlimited);
	burn(100 * MS);
	assert_false(deadline_passed());
	deadline_leave();
}

static void spin(void *context, size_t i)
{
	atomic_uint *ended = context;

	(void)i;
	while (!deadline_passed())
		;
	atomic_fetch_add(ended, 1);
}

static void test_parallel_threads_share_the_callers_deadline(void **state)
{
	struct deadline d = {.limit = 50 * MS};
	atomic_uint ended = 0;

	(void)state;
	deadline_enter(&d);
	parallel_run(4, 1, 4, spin, &ended);
	assert_int_equal(ended, 4);
	assert_true(d.is_exceeded);
	deadline_leave();
}

static void *wait_for_stop(void *started)
{
	struct deadline unlimited = {0};
	struct error err = {0};

	deadline_enter(&unlimited);
	*(atomic_bool *)started = true;
	while (!deadline_passed())
		;
	assert_false(deadline_check(&err));
	assert_string_equal(err.text, "the server is stopping");
	deadline_leave();
	return NULL;
}

/* The last test, because stopping cannot be undone. */
static void test_stopping_passes_all_deadlines(void **state)
{
	atomic_bool started = false;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, wait_for_stop, &started), 0);
	while (!started)
		;
	deadline_stop_all();
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_false(deadline_passed()); /* this thread has no deadline, as in a command */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_without_a_deadline_none_passes),
		cmocka_unit_test(test_only_time_under_the_deadline_counts),
		cmocka_unit_test(test_parallel_threads_share_the_callers_deadline),
		cmocka_unit_test(test_stopping_passes_all_deadlines)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
