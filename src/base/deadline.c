/* deadline.c: how much CPU time may a piece of work take, and is the process stopping? */
#include "base/deadline.h"

#include <time.h>

static atomic_bool is_stopping;
static _Thread_local struct deadline *current;
static _Thread_local uint64_t counted_until; /* of this thread's CPU time */
static _Thread_local uint64_t checked_at;    /* last check, on the coarse clock */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Add this thread's CPU time to the deadline's, which is the sum over all its threads. */
static void add_used(void)
{
	uint64_t now = clock_ns(CLOCK_THREAD_CPUTIME_ID), used = now - counted_until;

	counted_until = now;
	used += atomic_fetch_add(&current->used, used);
	if (current->limit && used > current->limit)
		current->is_exceeded = true;
}

void deadline_enter(struct deadline *d)
{
	current = d;
	checked_at = 0;
	if (d)
		counted_until = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

struct deadline *deadline_leave(void)
{
	struct deadline *d = current;

	if (d)
		add_used();
	current = NULL;
	return d;
}

struct deadline *deadline_current(void)
{
	return current;
}

bool deadline_passed(void)
{
	uint64_t now;

	if (!current)
		return false;
	if (is_stopping || current->is_exceeded)
		return true;
	/* Reading this clock is no system call; it ticks every few milliseconds. */
	now = clock_ns(CLOCK_MONOTONIC_COARSE);
	if (now == checked_at)
		return false;
	checked_at = now;
	add_used();
	return current->is_exceeded;
}

bool deadline_check(struct error *err)
{
	if (!deadline_passed())
		return true;
	if (is_stopping)
		return error_set(err, ERR_LIMIT, "the server is stopping");
	return error_set(err, ERR_LIMIT,
		"the answer takes more than %g s of CPU time: raise kiln view --request-seconds N",
		(double)current->limit / 1e9);
}

void deadline_stop_all(void)
{
	is_stopping = true;
}
