/* turns.c: how many answers are made at once, and how much CPU time has each? */
#include "server/turns.h"

#include <pthread.h>

#define TURNS 4u

static struct {
	pthread_mutex_t lock;
	pthread_cond_t given; /* back */
	unsigned taken;
	bool is_stopping;
	uint64_t limit;
} turns = {.lock = PTHREAD_MUTEX_INITIALIZER, .given = PTHREAD_COND_INITIALIZER};

void turns_open(uint64_t limit)
{
	turns.limit = limit;
}

/* Who resumes has had one, and is let in at the end, too: its deadline ends it. */
static bool take(bool resumed)
{
	bool has;

	pthread_mutex_lock(&turns.lock);
	while (turns.taken >= TURNS && !turns.is_stopping)
		pthread_cond_wait(&turns.given, &turns.lock);
	has = resumed || !turns.is_stopping;
	turns.taken += has;
	pthread_mutex_unlock(&turns.lock);
	return has;
}

static void give(void)
{
	pthread_mutex_lock(&turns.lock);
	turns.taken--;
	pthread_cond_signal(&turns.given);
	pthread_mutex_unlock(&turns.lock);
}

bool turns_answer(const struct question *q, struct shelf *shelf, struct answer *ret, bool *ret_cut,
	struct error *err)
{
	struct deadline deadline = {.limit = turns.limit};
	bool done;

	*ret_cut = false;
	if (!question_needs_profile(q->address))
		return question_answer(q, shelf, ret, err);
	*ret_cut = true;
	if (!take(false))
		return error_set(err, ERR_LIMIT, "the server is stopping");
	deadline_enter(&deadline);
	done = question_answer(q, shelf, ret, err);
	*ret_cut = deadline_passed();
	deadline_leave();
	give();
	return done;
}

struct deadline *turns_pause(void)
{
	struct deadline *d = deadline_leave();

	if (d)
		give();
	return d;
}

void turns_resume(struct deadline *paused)
{
	if (!paused)
		return;
	take(true);
	deadline_enter(paused);
}

void turns_stop(void)
{
	deadline_stop_all();
	pthread_mutex_lock(&turns.lock);
	turns.is_stopping = true;
	pthread_cond_broadcast(&turns.given);
	pthread_mutex_unlock(&turns.lock);
}
