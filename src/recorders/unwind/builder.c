/* builder.c: a thread that makes the unwind tables of large binaries, which takes up to seconds. */
#include "recorders/unwind/builder.h"

#include "base/clock.h"
#include "recorders/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

void unwind_job_run(struct unwind_job *job)
{
	uint64_t before = monotonic_ns();

	unwind_pages_open(job->image, &job->pages);
	job->took = monotonic_ns() - before;
}

bool unwind_job_read(struct unwind_job *job)
{
	uint64_t before = monotonic_ns();
	bool there = unwind_pages_read(job->image, &job->pages);

	job->took = monotonic_ns() - before;
	return there;
}

/* Wait for a job; false: the thread ends. */
static bool next_job(struct unwind_builder *b, struct unwind_job *ret_job)
{
	bool any;

	pthread_mutex_lock(&b->lock);
	while (!b->waiting.len && !b->ending)
		pthread_cond_wait(&b->added, &b->lock);
	any = !b->ending;
	if (any) {
		*ret_job = b->waiting.items[0];
		memmove(b->waiting.items, b->waiting.items + 1,
			--b->waiting.len * sizeof(*b->waiting.items));
	}
	pthread_mutex_unlock(&b->lock);
	return any;
}

static void put_made(struct unwind_builder *b, const struct unwind_job *job)
{
	pthread_mutex_lock(&b->lock);
	vector_push(&b->made, *job);
	b->notified = b->made_fd >= 0 && !eventfd_write(b->made_fd, 1);
	pthread_mutex_unlock(&b->lock);
}

static void *work(void *argument)
{
	struct unwind_builder *b = argument;
	struct unwind_job job;

	while (next_job(b, &job)) {
		unwind_job_run(&job);
		put_made(b, &job);
	}
	return NULL;
}

void unwind_builder_init(struct unwind_builder *b)
{
	*b = (struct unwind_builder){
		.lock = PTHREAD_MUTEX_INITIALIZER, .added = PTHREAD_COND_INITIALIZER};
	b->made_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void unwind_builder_release(struct unwind_builder *b)
{
	pthread_mutex_lock(&b->lock);
	b->ending = true;
	pthread_cond_signal(&b->added);
	pthread_mutex_unlock(&b->lock);
	if (b->threaded)
		pthread_join(b->thread, NULL);
	for (size_t i = 0; i < b->made.len; i++)
		unwind_pages_release(&b->made.items[i].pages);
	vector_release(&b->waiting);
	vector_release(&b->made);
	if (b->made_fd >= 0)
		close(b->made_fd);
	pthread_cond_destroy(&b->added);
	pthread_mutex_destroy(&b->lock);
}

void unwind_builder_add(struct unwind_builder *b, uint32_t number, const struct image *image)
{
	struct unwind_job job = {.number = number, .image = image};

	if (!b->threaded)
		b->threaded = !pthread_create(&b->thread, NULL, work, b);
	if (!b->threaded) {
		unwind_job_run(&job);
		put_made(b, &job);
		return;
	}
	pthread_mutex_lock(&b->lock);
	vector_push(&b->waiting, job);
	pthread_cond_signal(&b->added);
	pthread_mutex_unlock(&b->lock);
}

bool unwind_builder_take(struct unwind_builder *b, struct unwind_job *ret_job)
{
	eventfd_t ignored;
	bool any;

	pthread_mutex_lock(&b->lock);
	any = b->made.len > 0;
	if (any)
		*ret_job = b->made.items[--b->made.len];
	else if (b->notified)
		b->notified = eventfd_read(b->made_fd, &ignored) != 0;
	pthread_mutex_unlock(&b->lock);
	return any;
}
