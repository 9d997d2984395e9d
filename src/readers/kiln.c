/* kiln.c: Kiln's own files, mapped where they are files. */
#include "model/kiln_file.h"
#include "readers/readers.h"

#include "base/spool.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS_LIMIT 8
#define GRAB	      ((size_t)4) /* pieces that a thread takes at once */

static int kiln_bid(struct bytes head)
{
	return bytes_start(head, BYTES(KILN_FILE_MAGIC)) ? 8 * 8 : 0;
}

/* ---- Threads for the checks ---- */

struct crew {
	size_t next, count;
	void (*piece)(void *context, size_t i);
	void *context;
};

static void *crew_work(void *crew)
{
	struct crew *c = crew;
	size_t first;

	while ((first = __atomic_fetch_add(&c->next, GRAB, __ATOMIC_RELAXED)) < c->count)
		for (size_t i = first; i < first + GRAB && i < c->count; i++)
			c->piece(c->context, i);
	return NULL;
}

/* As many threads as there are CPUs, and work; those that cannot be started are done without. */
static void run_in_threads(size_t count, void (*piece)(void *context, size_t i), void *context)
{
	struct crew crew = {.count = count, .piece = piece, .context = context};
	pthread_t threads[THREADS_LIMIT];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t want = count / (GRAB * 4), started = 0;

	if (cpus > 0 && want > (size_t)cpus)
		want = (size_t)cpus;
	if (want > THREADS_LIMIT)
		want = THREADS_LIMIT;
	while (started + 1 < want && !pthread_create(&threads[started], NULL, crew_work, &crew))
		started++;
	crew_work(&crew);
	while (started)
		pthread_join(threads[--started], NULL);
}

/* ---- Where the bytes are ---- */

/* What a profile keeps as long as it borrows from it. */
struct held {
	struct input input;
	struct spool spool;
};

static void held_release(void *at)
{
	struct held *held = at;

	spool_release(&held->spool);
	input_release(&held->input);
	free(held);
}

static bool kiln_read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct held *held = memory_new(1, sizeof(*held));
	struct bytes content = {0};
	struct profile read;
	bool done;

	(void)options; /* what is not wanted costs nothing: it stays in the map */
	done = spool_input(&held->spool, in, &content, err) &&
	       kiln_file_read(content, run_in_threads, &read, err);
	if (!done) {
		held_release(held);
		return false;
	}
	profile_release(out);
	*out = read;
	if (out->borrowed) { /* it was not aligned and has been copied */
		held_release(held);
		return true;
	}
	held->input = *in;
	in->source = NULL; /* the profile keeps it */
	out->borrowed = held;
	out->release_borrowed = held_release;
	return true;
}

const struct reader reader_kiln = {
	.name = "kiln",
	.about = "Kiln's own files",
	.expects = "the bytes \\x89KILN",
	.bid = kiln_bid,
	.read = kiln_read,
};
