/* test_first_look.c: looking at a profile while it is read. */
#include "test.h"

#include "server/first_look.h"

#define LOOKERS	 8u
#define READINGS 200u
#define OFFERS	 20u

/* What is looked at is a number in the profile, which who reads changes between offers. */
struct shared {
	pthread_mutex_t lock;
	struct first_look look;
	struct profile profile;
	struct file_mark mark, other;
	uint64_t seen, missed;
	bool end;
};

static void *looker(void *context)
{
	struct shared *s = context;
	const struct stored_profile *given;
	size_t before;

	pthread_mutex_lock(&s->lock);
	while (!s->end) {
		assert_null(first_look_take(&s->look, "other", &s->mark));
		assert_null(first_look_take(&s->look, "file", &s->other));
		given = first_look_take(&s->look, "file", &s->mark);
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
			first_look_give(&s->look);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static void read_file(struct shared *s, uint64_t reading)
{
	const struct stored_profile given = {"file", NULL, BY_FUNCTION, reading};

	pthread_mutex_lock(&s->lock);
	first_look_begin(&s->look, &given, &s->mark);
	pthread_mutex_unlock(&s->lock);
	for (unsigned i = 0; i < OFFERS; i++) {
		s->profile.streams.len++; /* odd: nobody sees that */
		sched_yield();
		s->profile.streams.len++;
		pthread_mutex_lock(&s->lock);
		first_look_offer(&s->look, &s->profile);
		pthread_mutex_unlock(&s->lock);
	}
	pthread_mutex_lock(&s->lock);
	first_look_end(&s->look);
	pthread_mutex_unlock(&s->lock);
}

static void nobody_sees_it_change(void **state)
{
	struct shared s = {.mark = {.size = 1}, .other = {.size = 2}};
	pthread_t threads[LOOKERS];

	(void)state;
	pthread_mutex_init(&s.lock, NULL);
	first_look_init(&s.look, &s.lock);
	for (unsigned i = 0; i < LOOKERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, looker, &s), 0);
	for (uint64_t i = 1; i <= READINGS; i++)
		read_file(&s, i);
	pthread_mutex_lock(&s.lock);
	s.end = true;
	pthread_mutex_unlock(&s.lock);
	for (unsigned i = 0; i < LOOKERS; i++)
		pthread_join(threads[i], NULL);
	assert_true(s.seen > 0);
	first_look_release(&s.look);
	pthread_mutex_destroy(&s.lock);
}

/* A reader that never offers anything lets those who wait go when it ends. */
static void who_waits_for_nothing_goes_on(void **state)
{
	struct shared s = {.mark = {.size = 1}, .other = {.size = 2}};
	const struct stored_profile given = {"file", NULL, BY_FUNCTION, 1};
	pthread_t thread;

	(void)state;
	pthread_mutex_init(&s.lock, NULL);
	first_look_init(&s.look, &s.lock);
	first_look_begin(&s.look, &given, &s.mark);
	assert_int_equal(pthread_create(&thread, NULL, looker, &s), 0);
	pthread_mutex_lock(&s.lock);
	while (!s.look.waiting) {
		pthread_mutex_unlock(&s.lock);
		sched_yield();
		pthread_mutex_lock(&s.lock);
	}
	s.end = true;
	first_look_end(&s.look);
	pthread_mutex_unlock(&s.lock);
	pthread_join(thread, NULL);
	assert_int_equal(s.seen, 0);
	assert_true(s.missed > 0);
	first_look_release(&s.look);
	pthread_mutex_destroy(&s.lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_sees_it_change),
		cmocka_unit_test(who_waits_for_nothing_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
