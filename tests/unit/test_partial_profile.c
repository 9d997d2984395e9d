/* test_partial_profile.c: using a profile while it is read. */
#include "test.h"

#include "server/partial_profile.h"

#define USERS	 8u
#define READINGS 200u
#define OFFERS	 20u

/* Threads use a number in the profile, which the reader changes between two publications. */
struct shared {
	pthread_mutex_t lock;
	struct partial_profile partial;
	struct profile profile;
	struct file_mark mark, other;
	uint64_t seen, missed;
	bool end;
};

static void *use_partial(void *context)
{
	struct shared *s = context;
	const struct stored_profile *given;
	size_t before;

	pthread_mutex_lock(&s->lock);
	while (!s->end) {
		assert_null(partial_profile_get(&s->partial, "other", &s->mark));
		assert_null(partial_profile_get(&s->partial, "file", &s->other));
		given = partial_profile_get(&s->partial, "file", &s->mark);
		s->missed += !given;
		pthread_mutex_unlock(&s->lock);
		if (given) {
			before = given->profile->streams.len;
			sched_yield();
			assert_int_equal(given->profile->streams.len, before);
			assert_int_equal(before % 2, 0);
		}
		pthread_mutex_lock(&s->lock);
		s->seen += given != NULL;
		if (given)
			partial_profile_put(&s->partial);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static void read_file(struct shared *s, uint64_t reading)
{
	const struct stored_profile given = {"file", NULL, BY_FUNCTION, reading};

	pthread_mutex_lock(&s->lock);
	partial_profile_begin(&s->partial, &given, &s->mark);
	pthread_mutex_unlock(&s->lock);
	for (unsigned i = 0; i < OFFERS; i++) {
		s->profile.streams.len++; /* odd: must not be seen */
		sched_yield();
		s->profile.streams.len++;
		pthread_mutex_lock(&s->lock);
		partial_profile_publish(&s->partial, &s->profile);
		pthread_mutex_unlock(&s->lock);
	}
	pthread_mutex_lock(&s->lock);
	partial_profile_end(&s->partial);
	pthread_mutex_unlock(&s->lock);
}

static void users_see_no_change(void **state)
{
	struct shared s = {.mark = {.size = 1}, .other = {.size = 2}};
	pthread_t threads[USERS];

	(void)state;
	pthread_mutex_init(&s.lock, NULL);
	partial_profile_init(&s.partial, &s.lock);
	for (unsigned i = 0; i < USERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, use_partial, &s), 0);
	for (uint64_t i = 1; i <= READINGS; i++)
		read_file(&s, i);
	pthread_mutex_lock(&s.lock);
	s.end = true;
	pthread_mutex_unlock(&s.lock);
	for (unsigned i = 0; i < USERS; i++)
		pthread_join(threads[i], NULL);
	assert_true(s.seen > 0);
	partial_profile_release(&s.partial);
	pthread_mutex_destroy(&s.lock);
}

/* When a reader ends that never published anything, it wakes the waiting threads. */
static void a_reader_that_ends_wakes_waiting_threads(void **state)
{
	struct shared s = {.mark = {.size = 1}, .other = {.size = 2}};
	const struct stored_profile given = {"file", NULL, BY_FUNCTION, 1};
	pthread_t thread;

	(void)state;
	pthread_mutex_init(&s.lock, NULL);
	partial_profile_init(&s.partial, &s.lock);
	partial_profile_begin(&s.partial, &given, &s.mark);
	assert_int_equal(pthread_create(&thread, NULL, use_partial, &s), 0);
	pthread_mutex_lock(&s.lock);
	while (!s.partial.waiting) {
		pthread_mutex_unlock(&s.lock);
		sched_yield();
		pthread_mutex_lock(&s.lock);
	}
	s.end = true;
	partial_profile_end(&s.partial);
	pthread_mutex_unlock(&s.lock);
	pthread_join(thread, NULL);
	assert_int_equal(s.seen, 0);
	assert_true(s.missed > 0);
	partial_profile_release(&s.partial);
	pthread_mutex_destroy(&s.lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(users_see_no_change),
		cmocka_unit_test(a_reader_that_ends_wakes_waiting_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
