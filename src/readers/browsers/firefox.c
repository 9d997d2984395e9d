/* firefox.c: profiles of the Firefox Profiler, as profiler.firefox.com saves them and samply and
 * others write them.
 *
 * One thread reads the JSON, another adds samples of threads that are complete. */
#include "readers/browsers/firefox_samples.h"

#include "base/slot_queue.h"

#include <stdlib.h>

#define BATCH	16384u /* rows of a thread from which on a second thread pays */
#define BATCHES 8u

/* From the file into the profile. */
struct firefox {
	struct firefox_file file;
	struct firefox_samples samples;
	struct error error;
	size_t rows; /* of the batch that is being filled */
	bool passing;
	struct slot_queue slot_queue;
	struct batch {
		struct firefox_threads threads;
		bool any_cpu;
	} batches[BATCHES];
};

static bool take(void *firefox, size_t slot)
{
	struct firefox *f = firefox;
	struct batch *batch = &f->batches[slot];
	bool done = true;

	for (size_t i = 0; done && i < batch->threads.len; i++)
		done = firefox_samples_add(
			&f->samples, &batch->threads.items[i], batch->any_cpu, &f->error);
	firefox_threads_clear(&batch->threads);
	return done;
}

static bool pass(struct firefox *f, bool threaded)
{
	bool done;

	if (!f->passing)
		slot_queue_open(&f->slot_queue, threaded);
	f->passing = true;
	f->batches[slot_queue_slot(&f->slot_queue)].any_cpu = f->file.any_cpu;
	done = slot_queue_push(&f->slot_queue);
	f->file.threads = &f->batches[slot_queue_slot(&f->slot_queue)].threads;
	f->rows = 0;
	return done;
}

static bool offer(void *firefox)
{
	struct firefox *f = firefox;
	const struct firefox_threads *threads = f->file.threads;

	for (size_t kind = 0; kind < ROWS_KINDS; kind++)
		f->rows += threads->items[threads->len - 1].rows[kind].stack.len;
	return f->rows < BATCH || pass(f, true);
}

static bool read_all(struct firefox *f, struct json *j, struct error *err)
{
	firefox_file_read(&f->file, j);
	if (!j->failed)
		pass(f, false);
	if (f->passing && !slot_queue_close(&f->slot_queue)) {
		*err = f->error;
		return false;
	}
	return json_finish(j) && firefox_samples_finish(&f->samples, j, err);
}

static void firefox_release(struct firefox *f)
{
	for (size_t i = 0; i < BATCHES; i++) {
		firefox_threads_clear(&f->batches[i].threads);
		vector_release(&f->batches[i].threads);
	}
	firefox_samples_release(&f->samples);
	firefox_file_release(&f->file);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct json j;
	struct firefox f = {
		.slot_queue = {.slots = BATCHES, .wake_batch = 1, .consume = take, .context = &f},
		.file = {.start = INT64_MIN,
			.threads = &f.batches[0].threads,
			.offer = offer,
			.context = &f}};
	bool done;

	firefox_samples_open(&f.samples, &f.file, in, options, out);
	json_open(&j, in, err);
	done = read_all(&f, &j, err);
	if (!done && f.file.raw)
		error_prefix(err, "a raw profile without meta.preprocessedProfileVersion: read it "
				  "with --format gecko; ");
	firefox_release(&f);
	json_release(&j);
	return done;
}

static int bid(struct bytes head)
{
	if (!json_begins(head))
		return 0;
	if (json_contains(head, "\"preprocessedProfileVersion\""))
		return 224;
	return json_contains(head, "\"stackTable\"") && json_contains(head, "\"prefix\"") ? 16 : 0;
}

const struct reader reader_firefox = {
	.name = "firefox",
	.about = "profiles of the Firefox Profiler, samply and others",
	.expects = "a JSON object with `threads` and `meta.preprocessedProfileVersion`",
	.proof = "compared with the Firefox Profiler's own loader, stack by stack",
	.bid = bid,
	.read = read,
};
