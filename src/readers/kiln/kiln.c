/* kiln.c: Kiln's own files. Columns are used where they lie in the file: nothing of them is copied.
 */
#include "model/kiln_file.h"
#include "readers/readers.h"

#include "base/parallel.h"
#include "base/spool.h"

#include <stdlib.h>

#define GRAB ((size_t)4) /* pieces that a thread takes at once */

static int kiln_bid(struct bytes head)
{
	return bytes_starts_with(head, BYTES(KILN_FILE_MAGIC)) ? 8 * 8 : 0;
}

/* ---- Threads for the checks ---- */

static void run_in_threads(size_t count, void (*piece)(void *context, size_t i), void *context)
{
	parallel_run(parallel_thread_count(count / (GRAB * 4)), GRAB, count, piece, context);
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
	memory_free(held);
}

static bool kiln_read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct held *held = memory_new(1, sizeof(*held));
	struct bytes content = {0};
	struct profile read;
	bool done;

	(void)options; /* unused columns cost nothing: they stay in the map */
	done = spool_input(&held->spool, in, &content, err);
	done = done && kiln_file_read(content, run_in_threads, &read, err);
	if (!done) {
		held_release(held);
		return false;
	}
	profile_release(out);
	*out = read;
	if (!out->borrowed) {
		held->input = *in;
		in->source = NULL; /* the profile keeps it */
	}
	profile_borrow(out, held, held_release);
	return true;
}

const struct reader reader_kiln = {
	.name = "kiln",
	.about = "Kiln's own files",
	.expects = "the bytes \\x89KILN",
	.proof = "a Python reader written from kiln-format.md",
	.bid = kiln_bid,
	.read = kiln_read,
	.checked = true,
};
