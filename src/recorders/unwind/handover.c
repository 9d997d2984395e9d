/* handover.c: putting maps into a map of maps without waiting for RCU. */
#include "recorders/unwind/handover.h"

#include <bpf/bpf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define POLL_PAUSE 20000 /* ns */

struct handover {
	pthread_t thread;
	bool threaded, done;
	int outer;
	uint32_t count;
	uint32_t *keys;
	int *fds;
};

/* In one call where the kernel can (5.19), as it waits after each update. */
static void *run(void *argument)
{
	struct handover *job = argument;
	uint32_t count = job->count;

	if (bpf_map_update_batch(job->outer, job->keys, job->fds, &count, NULL))
		for (uint32_t i = 0; i < job->count; i++)
			bpf_map_update_elem(job->outer, &job->keys[i], &job->fds[i], BPF_ANY);
	__atomic_store_n(&job->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void finish(struct handover *job)
{
	if (job->threaded)
		pthread_join(job->thread, NULL);
	for (uint32_t i = 0; i < job->count; i++)
		close(job->fds[i]);
	free(job->keys);
	free(job->fds);
	free(job);
}

static void drop_finished(struct handovers *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->items.len; i++) {
		struct handover *job = h->items.items[i];

		if (__atomic_load_n(&job->done, __ATOMIC_ACQUIRE) ||
			h->items.len - i + kept > HANDOVERS_MAX)
			finish(job);
		else
			h->items.items[kept++] = job;
	}
	h->items.len = kept;
}

/* Maps are put in by their order: when the last one is there, all are. */
static void wait_until_seen(const struct handover *job)
{
	struct timespec pause = {0, POLL_PAUSE};
	uint32_t id;

	while (!__atomic_load_n(&job->done, __ATOMIC_ACQUIRE) &&
		bpf_map_lookup_elem(job->outer, &job->keys[job->count - 1], &id))
		nanosleep(&pause, NULL);
}

void handovers_add(
	struct handovers *h, int outer, const uint32_t *keys, const int *fds, uint32_t count)
{
	struct handover *job = memory_new(1, sizeof(*job));

	*job = (struct handover){.outer = outer,
		.count = count,
		.keys = memory_new(count, sizeof(*keys)),
		.fds = memory_new(count, sizeof(*fds))};
	memcpy(job->keys, keys, count * sizeof(*keys));
	memcpy(job->fds, fds, count * sizeof(*fds));
	job->threaded = !pthread_create(&job->thread, NULL, run, job);
	if (!job->threaded)
		run(job);
	vector_push(&h->items, job);
	wait_until_seen(job);
	drop_finished(h);
}

void handovers_release(struct handovers *h)
{
	for (size_t i = 0; i < h->items.len; i++)
		finish(h->items.items[i]);
	vector_release(&h->items);
}
