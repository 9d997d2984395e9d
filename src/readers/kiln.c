/* kiln.c: Kiln's own files, mapped where they are files. */
#include "model/kiln_file.h"
#include "readers/readers.h"

#include "base/output.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define KILN_SIZE_LIMIT	 ((uint64_t)1 << 40)  /* bytes */
#define KILN_SPOOL_LIMIT ((uint64_t)64 << 30) /* bytes of a pipe */
#define THREADS_LIMIT	 8
#define GRAB		 ((size_t)4) /* pieces that a thread takes at once */

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
	void *spooled;
	size_t spooled_size;
};

static void held_release(void *at)
{
	struct held *held = at;

	if (held->spooled)
		munmap(held->spooled, held->spooled_size);
	input_release(&held->input);
	free(held);
}

/* A file without a name: in $TMPDIR, or in memory where there is no such folder. */
static int spool_open(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : memfd_create("kiln-spool", MFD_CLOEXEC);
}

static bool spool_copy(struct input *in, int fd, struct error *err)
{
	uint64_t size = 0;

	do {
		if (!input_fill(in, 1, err) || !output_write_fd(fd, in->window, err))
			return false;
		size += in->window.len;
		if (size > KILN_SPOOL_LIMIT)
			return error_set(err, ERR_LIMIT, "more than %llu GiB through a pipe",
				(unsigned long long)(KILN_SPOOL_LIMIT >> 30));
		input_skip(in, in->window.len);
	} while (!in->ended);
	return true;
}

static bool spool_map(int fd, struct held *held, struct bytes *ret_content, struct error *err)
{
	off_t size = lseek(fd, 0, SEEK_CUR);
	void *at = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (at == MAP_FAILED)
		return error_errno(err, "cannot map what came through the pipe");
	held->spooled = at;
	held->spooled_size = (size_t)size;
	*ret_content = (struct bytes){at, (size_t)size};
	return true;
}

static bool content_spool(
	struct input *in, struct held *held, struct bytes *ret_content, struct error *err)
{
	int fd = spool_open();
	bool done;

	if (fd < 0)
		return error_errno(err, "cannot spool what comes through the pipe");
	done = spool_copy(in, fd, err) && spool_map(fd, held, ret_content, err);
	close(fd);
	return done;
}

static bool kiln_read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct held *held = memory_new(1, sizeof(*held));
	struct bytes content = {0};
	struct profile read;
	bool done;

	(void)options; /* what is not wanted costs nothing: it stays in the map */
	done = input_can_map(in) ? input_whole(in, KILN_SIZE_LIMIT, &content, err)
				 : content_spool(in, held, &content, err);
	done = done && kiln_file_read(content, run_in_threads, &read, err);
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
