/* output_pieces.c: how do several threads write one text?
 *
 * The thread that finishes the piece that is due next writes it, and with it all pieces behind
 * it that are ready; no thread exists only to write. A thread whose piece is not due leaves it
 * in a slot and makes the next one. When all slots are in use it waits, so that memory stays
 * bounded when one piece is slow. The text does not depend on the number of threads. */
#include "base/output_pieces.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/scope.h"

#include <pthread.h>
#include <stdlib.h>

#define SLOTS_PER_THREAD 4u

struct slot {
	struct buffer text; /* its memory is reused */
	bool made;
};

struct pieces {
	struct output *output;
	void (*make)(void *context, size_t i, struct buffer *text);
	void *context;
	size_t slot_count, next; /* piece i is in slot i % slot_count; `next` is due */
	struct slot *slots;
	bool writing; /* a thread is writing */
	bool failed;  /* memory ran out: do not wait for the other threads */
	pthread_mutex_t lock;
	pthread_cond_t written;
};

/* Called with the lock held; releases it while writing. */
static void write_made(struct pieces *p)
{
	struct slot *slot = &p->slots[p->next % p->slot_count];

	p->writing = true;
	while (slot->made) {
		pthread_mutex_unlock(&p->lock);
		output_write(p->output, buffer_bytes(&slot->text));
		pthread_mutex_lock(&p->lock);
		slot->made = false;
		slot = &p->slots[++p->next % p->slot_count];
		pthread_cond_broadcast(&p->written);
	}
	p->writing = false;
}

struct job {
	struct pieces *pieces;
	size_t i;
};

static void make_piece(void *context)
{
	const struct job *job = context;
	struct pieces *p = job->pieces;
	struct slot *slot = &p->slots[job->i % p->slot_count];
	bool failed;

	pthread_mutex_lock(&p->lock);
	while (job->i >= p->next + p->slot_count && !p->failed)
		pthread_cond_wait(&p->written, &p->lock);
	failed = p->failed;
	pthread_mutex_unlock(&p->lock);
	if (failed)
		return;
	slot->text.len = 0;
	p->make(p->context, job->i, &slot->text);
	pthread_mutex_lock(&p->lock);
	slot->made = true;
	if (!p->writing)
		write_made(p);
	pthread_mutex_unlock(&p->lock);
}

static void take_turn(void *context, size_t i)
{
	struct job job = {context, i};

	if (scope_run_thread(scope_current(), make_piece, &job))
		return;
	pthread_mutex_lock(&job.pieces->lock);
	job.pieces->failed = true;
	pthread_cond_broadcast(&job.pieces->written);
	pthread_mutex_unlock(&job.pieces->lock);
	scope_fail_from_thread();
}

void output_write_pieces(struct output *o, size_t max, size_t count,
	void (*make)(void *context, size_t i, struct buffer *text), void *context)
{
	unsigned threads = parallel_thread_count(count < max ? count : max);
	struct pieces p = {.output = o,
		.make = make,
		.context = context,
		.slot_count = threads > 1 ? (size_t)threads * SLOTS_PER_THREAD : 1,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.written = PTHREAD_COND_INITIALIZER};

	p.slots = memory_new(p.slot_count, sizeof(*p.slots));
	parallel_run(threads, 1, count, take_turn, &p);
	for (size_t i = 0; i < p.slot_count; i++)
		buffer_release(&p.slots[i].text);
	memory_free(p.slots);
}
