/* answer_slots.c: how many answers are computed at once, and how is their CPU time limited? */
#include "server/answer_slots.h"

#include <pthread.h>

#define ANSWER_SLOTS 4u

static struct {
	pthread_mutex_t lock;
	pthread_cond_t is_free;
	unsigned taken;
	bool is_stopping;
	uint64_t limit;
} slots = {.lock = PTHREAD_MUTEX_INITIALIZER, .is_free = PTHREAD_COND_INITIALIZER};

void answer_slots_open(uint64_t limit)
{
	slots.limit = limit;
}

/* Also when the server stops, a thread that resumes gets a slot: its deadline ends it. */
static bool take_slot(bool resumed)
{
	bool has;

	pthread_mutex_lock(&slots.lock);
	while (slots.taken >= ANSWER_SLOTS && !slots.is_stopping)
		pthread_cond_wait(&slots.is_free, &slots.lock);
	has = resumed || !slots.is_stopping;
	slots.taken += has;
	pthread_mutex_unlock(&slots.lock);
	return has;
}

static void give_back(void)
{
	pthread_mutex_lock(&slots.lock);
	slots.taken--;
	pthread_cond_signal(&slots.is_free);
	pthread_mutex_unlock(&slots.lock);
}

bool answer_slots_answer(const struct question *q, struct profile_store *store, struct answer *ret,
	bool *ret_cut, struct error *err)
{
	struct deadline deadline = {.limit = slots.limit};
	bool done;

	*ret_cut = false;
	if (!question_needs_profile(q->address))
		return question_answer(q, store, ret, err);
	*ret_cut = true;
	if (!take_slot(false))
		return error_set(err, ERR_LIMIT, "the server is stopping");
	deadline_enter(&deadline);
	done = question_answer(q, store, ret, err);
	*ret_cut = deadline_passed();
	deadline_leave();
	give_back();
	return done;
}

struct deadline *answer_slots_pause(void)
{
	struct deadline *d = deadline_leave();

	if (d)
		give_back();
	return d;
}

void answer_slots_resume(struct deadline *paused)
{
	if (!paused)
		return;
	take_slot(true);
	deadline_enter(paused);
}

void answer_slots_stop(void)
{
	deadline_stop_all();
	pthread_mutex_lock(&slots.lock);
	slots.is_stopping = true;
	pthread_cond_broadcast(&slots.is_free);
	pthread_mutex_unlock(&slots.lock);
}
