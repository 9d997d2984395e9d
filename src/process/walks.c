/* walks.c: stack copies of many samples, walked by several threads, delivered in the order of the
 * samples. */
#include "process/walks.h"

#include "base/parallel.h"
#include "base/scope.h"
#include "base/thread.h"
#include "images/kernel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define BATCH_JOBS	  128u	 /* samples */
#define BATCHES		  16u	 /* in flight at most */
#define BATCHES_ALONE	  4u	 /* with one thread, so that stacks are still in its cache */
#define SAMPLES_PER_SHARE 8u	 /* samples that a thread takes at once */
#define PREFETCH_AHEAD	  2u	 /* how many samples ahead stacks are prefetched */
#define IMAGES_LIMIT	  65536u /* binaries whose images are available to threads */

/* The image of a binary after the first request. A thread that sees `is_ready` (acquire) also sees
 * the image. */
struct image_slot {
	const struct image *image;
	atomic_bool is_ready;
};

struct batch {
	struct walk_job *jobs; /* room for BATCH_JOBS */
	unsigned count, taken, walked;
};

/* A walking thread; the first is the caller's. */
struct walker {
	struct walks *walks;
	pthread_t thread;
	bool yields; /* gives way to the thread that reads the kernel's symbols */
	struct unwinder unwinder;
	struct arena frames[BATCHES]; /* addresses from its walks, by batch */
	const struct address_space *space;
	uint32_t last; /* index of its last lookup */
};

struct walks {
	struct binaries *binaries;
	struct walks_callbacks calls;
	struct image_slot *images;
	struct walker *walkers;
	unsigned threads;
	unsigned room; /* batches in flight at most, including the one being filled */

	/* A ring of numbered batches: threads walk [delivered, filled), all samples of the batches
	 * before `taking` have been taken, and the caller fills `filled`. Shared under the lock.
	 * Only the caller changes `delivered` and `filled`, so it reads these two without the
	 * lock. */
	struct batch batches[BATCHES];
	uint64_t delivered, taking, filled;
	uint32_t
		space; /* id of the last sample's address space, whose images have been requested */
	bool end;
	bool failed; /* memory ran out in a thread, which has ended */
	struct recovery *starter;
	pthread_mutex_t lock;
	pthread_cond_t work, walked;
};

/* ---- Walking ---- */

static const struct mapped *find_code(void *self, uint64_t address)
{
	struct walker *walker = self;

	return address_space_find_shared(walker->space, address, &walker->last);
}

static bool find_image(void *self, uint32_t binary, const struct image **ret_image)
{
	const struct walks *w = ((struct walker *)self)->walks;

	if (binary >= IMAGES_LIMIT ||
		!atomic_load_explicit(&w->images[binary].is_ready, memory_order_acquire))
		return false;
	*ret_image = w->images[binary].image;
	return true;
}

static void walk(struct walker *walker, struct walk_job *job, struct arena *frames)
{
	const struct code_view view = {walker, find_code, find_image};
	uint64_t *kept;

	walker->space = job->space;
	unwinder_walk(&walker->unwinder, &view, &job->record, &job->frames);
	if (!job->frames.count)
		return;
	kept = arena_alloc(frames, job->frames.count * sizeof(*kept));
	memcpy(kept, job->frames.addresses, job->frames.count * sizeof(*kept));
	job->frames.addresses = kept;
}

/* Some samples that no thread has taken yet. */
struct share {
	struct batch *batch;
	unsigned slot, first, end;
};

/* Called with the lock. False: all are taken. */
static bool take_share(struct walks *w, struct share *ret)
{
	for (; w->taking < w->filled; w->taking++) {
		struct batch *batch = &w->batches[w->taking % BATCHES];

		if (batch->taken == batch->count)
			continue;
		ret->batch = batch;
		ret->slot = (unsigned)(w->taking % BATCHES);
		ret->first = batch->taken;
		ret->end = ret->first + SAMPLES_PER_SHARE < batch->count
				   ? ret->first + SAMPLES_PER_SHARE
				   : batch->count;
		batch->taken = ret->end;
		return true;
	}
	return false;
}

/* Called with the lock, which is released meanwhile. */
static void walk_share(struct walker *walker, const struct share *share)
{
	struct walks *w = walker->walks;

	pthread_mutex_unlock(&w->lock);
	for (unsigned i = share->first; i < share->end; i++) {
		if (i + PREFETCH_AHEAD < share->batch->count)
			unwinder_prefetch(&share->batch->jobs[i + PREFETCH_AHEAD].record);
		if (share->batch->jobs[i].has_copy)
			walk(walker, &share->batch->jobs[i], &walker->frames[share->slot]);
	}
	pthread_mutex_lock(&w->lock);
	share->batch->walked += share->end - share->first;
	if (share->batch->walked == share->batch->count)
		pthread_cond_signal(&w->walked);
}

/* Called with the lock, which is released meanwhile. False: nothing was done, and there is still
 * nothing to walk. */
static bool prepare(struct walks *w)
{
	bool prepared;

	pthread_mutex_unlock(&w->lock);
	prepared = w->calls.prepare(w->calls.context);
	pthread_mutex_lock(&w->lock);
	return prepared || w->taking < w->filled || w->end;
}

static void walk_all(void *self)
{
	struct walker *walker = self;
	struct walks *w = walker->walks;
	struct share share;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		if (walker->yields) {
			pthread_mutex_unlock(&w->lock);
			kernel_prefetch_wait();
			pthread_mutex_lock(&w->lock);
		}
		if (w->end) /* may have been set while the lock was released */
			break;
		if (take_share(w, &share))
			walk_share(walker, &share);
		else if (!prepare(w))
			pthread_cond_wait(&w->work, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
}

static void *work(void *self)
{
	struct walker *walker = self;
	struct walks *w = walker->walks;

	if (scope_run_thread(w->starter, walk_all, walker))
		return NULL;
	pthread_mutex_lock(&w->lock);
	w->failed = true;
	pthread_cond_signal(&w->walked);
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Complete the oldest batch; the caller's thread takes its share. */
static void complete_oldest(struct walks *w)
{
	const struct batch *batch = &w->batches[w->delivered % BATCHES];
	struct share share;
	bool failed;

	pthread_mutex_lock(&w->lock);
	while (batch->walked < batch->count && !w->failed) {
		if (take_share(w, &share))
			walk_share(&w->walkers[0], &share);
		else
			pthread_cond_wait(&w->walked, &w->lock);
	}
	failed = w->failed;
	pthread_mutex_unlock(&w->lock);
	if (failed)
		scope_fail_from_thread();
}

/* ---- Delivering ---- */

/* Images are opened only here: they may have to be searched for, which is not thread-safe. */
static void open_image(struct walks *w, uint32_t binary)
{
	struct image_slot *slot = &w->images[binary];

	if (atomic_load_explicit(&slot->is_ready, memory_order_relaxed))
		return;
	slot->image = binaries_image(w->binaries, binary);
	atomic_store_explicit(&slot->is_ready, true, memory_order_release);
}

/* Request the images without which the walk was abandoned, and walk again. */
static void open_missing_images(struct walks *w, struct walk_job *job, struct arena *frames)
{
	while (job->frames.missing_image && job->frames.missing_image < IMAGES_LIMIT) {
		open_image(w, job->frames.missing_image);
		walk(&w->walkers[0], job, frames);
	}
}

/* Request the images of everything that is mapped before threads need them: a walk that was
 * abandoned is repeated by one thread. Files that may have to be downloaded wait until they are
 * certainly needed. */
static void open_mapped_images(struct walks *w, const struct address_space *space)
{
	const struct binary_locations *binary_locations = w->binaries->binary_locations;

	if (!space || space->id == w->space || (binary_locations && binary_locations->servers))
		return;
	w->space = space->id;
	for (size_t i = 0; i < space->maps.len; i++)
		if (space->maps.items[i].binary && space->maps.items[i].binary < IMAGES_LIMIT)
			open_image(w, space->maps.items[i].binary);
}

/* Threads look at a batch until `taking` has passed it, so `taking` must pass it before its slot is
 * reused. */
static void drop_oldest(struct walks *w)
{
	struct batch *batch = &w->batches[w->delivered % BATCHES];

	pthread_mutex_lock(&w->lock);
	*batch = (struct batch){.jobs = batch->jobs};
	w->delivered++;
	if (w->taking < w->delivered)
		w->taking = w->delivered;
	pthread_mutex_unlock(&w->lock);
}

static bool deliver_oldest(struct walks *w, struct error *err)
{
	unsigned slot = (unsigned)(w->delivered % BATCHES);
	struct batch *batch = &w->batches[slot];
	bool done = true;

	complete_oldest(w);
	for (unsigned i = 0; i < batch->count; i++) {
		open_missing_images(w, &batch->jobs[i], &w->walkers[0].frames[slot]);
		done = done && w->calls.deliver(w->calls.context, &batch->jobs[i], err);
		address_space_unref(&batch->jobs[i].space);
	}
	for (unsigned i = 0; i < w->threads; i++)
		arena_release(&w->walkers[i].frames[slot]);
	drop_oldest(w);
	return done;
}

/* Give the batch that was filled to the threads. */
static void submit(struct walks *w)
{
	pthread_mutex_lock(&w->lock);
	w->filled++;
	pthread_cond_broadcast(&w->work);
	pthread_mutex_unlock(&w->lock);
}

static bool is_oldest_walked(struct walks *w)
{
	const struct batch *batch = &w->batches[w->delivered % BATCHES];
	bool walked;

	pthread_mutex_lock(&w->lock);
	walked = w->delivered < w->filled && batch->walked == batch->count;
	pthread_mutex_unlock(&w->lock);
	return walked;
}

/* Deliver what has been walked before the ring is full. Otherwise, at the end, the other threads
 * would be idle while this one delivers. */
static bool deliver_walked(struct walks *w, struct error *err)
{
	bool done = true;

	while (done && (w->filled - w->delivered == w->room || is_oldest_walked(w)))
		done = deliver_oldest(w, err);
	return done;
}

bool walks_add(struct walks *w, const struct walk_job *job, struct error *err)
{
	struct batch *batch = &w->batches[w->filled % BATCHES];

	if (job->has_copy)
		open_mapped_images(w, job->space);
	batch->jobs[batch->count] = *job;
	if (job->space)
		job->space->references++;
	if (++batch->count < BATCH_JOBS)
		return true;
	submit(w);
	return deliver_walked(w, err);
}

bool walks_finish(struct walks *w, struct error *err)
{
	bool done = true;

	if (w->batches[w->filled % BATCHES].count)
		submit(w);
	while (done && w->delivered < w->filled)
		done = deliver_oldest(w, err);
	return done;
}

/* ---- Threads ---- */

static void end_threads(void *walks)
{
	struct walks *w = walks;

	pthread_mutex_lock(&w->lock);
	w->end = true;
	pthread_cond_broadcast(&w->work);
	pthread_mutex_unlock(&w->lock);
	for (unsigned i = 1; i < w->threads; i++)
		pthread_join(w->walkers[i].thread, NULL);
}

struct walks *walks_new(
	const struct arch *arch, struct binaries *binaries, const struct walks_callbacks *calls)
{
	struct walks *w = memory_new(1, sizeof(*w));
	unsigned want = parallel_thread_count(WALK_THREADS_LIMIT);

	*w = (struct walks){.binaries = binaries, .calls = *calls, .starter = scope_current()};
	w->images = memory_new(IMAGES_LIMIT, sizeof(*w->images));
	w->walkers = memory_new(want, sizeof(*w->walkers));
	for (unsigned i = 0; i < BATCHES; i++)
		w->batches[i].jobs = memory_new(BATCH_JOBS, sizeof(struct walk_job));
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->work, NULL);
	pthread_cond_init(&w->walked, NULL);
	scope_hold_threads(w, end_threads);
	for (; w->threads < want; w->threads++) {
		struct walker *walker = &w->walkers[w->threads];

		walker->walks = w;
		walker->yields = w->threads + 1 == want;
		unwinder_init(&walker->unwinder, arch);
		if (w->threads && !thread_start(&walker->thread, work, walker)) {
			unwinder_release(&walker->unwinder);
			break; /* the other threads do its work */
		}
	}
	w->room = w->threads > 1 ? BATCHES : BATCHES_ALONE;
	return w;
}

void walks_release(struct walks *w)
{
	if (!w)
		return;
	scope_drop(w);
	end_threads(w);
	for (unsigned i = 0; i < BATCHES; i++) {
		for (unsigned job = 0; job < w->batches[i].count; job++)
			address_space_unref(&w->batches[i].jobs[job].space);
		memory_free(w->batches[i].jobs);
		for (unsigned walker = 0; walker < w->threads; walker++)
			arena_release(&w->walkers[walker].frames[i]);
	}
	for (unsigned i = 0; i < w->threads; i++)
		unwinder_release(&w->walkers[i].unwinder);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->work);
	pthread_cond_destroy(&w->walked);
	memory_free(w->walkers);
	memory_free(w->images);
	memory_free(w);
}
