/* open_kiln.c: how long does it take to open a .kiln file, next to only reading its bytes?
 *
 *	open_kiln make SAMPLES FILE
 *	open_kiln open FILE ROUNDS */
#include "base/buffer.h"
#include "base/leases.h"
#include "base/output.h"
#include "model/view.h"
#include "readers/reading.h"
#include "renderers/renderers.h"
#include "support/random_profile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define STACKS	40000u
#define THREADS 64u

static int fail_with(const struct error *err)
{
	fprintf(stderr, "open_kiln: %s\n", err->text);
	return 1;
}

/* What a recording of an hour on a busy machine looks like: many samples, few thousand stacks. */
static void profile_make(struct profile *p, size_t samples)
{
	struct sample sample = {.has = SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU};
	uint64_t random = 1;

	profile_init(p);
	profile_add_samples(p);
	profile_add_stream(p, 0, BYTES("cpu"), BYTES("ns"), BYTES("cpu-clock"));
	for (size_t i = 1; i < STACKS; i++) {
		struct frame frame = {
			.function = numbered_string(p, "function_", (uint32_t)(i % 5000))};

		profile_stack(p, (stack_id)(random_below(&random, (uint32_t)p->stack_caller.len)),
			profile_location_named(p, profile_frame(p, &frame)));
	}
	for (size_t i = 0; i < THREADS; i++)
		profile_thread(
			p, profile_process(p, (int32_t)(100 + i / 8), 0), (int32_t)(100 + i), 0);
	for (size_t i = 0; i < samples; i++) {
		sample.stack = (stack_id)(random_below(&random, (uint32_t)p->stack_caller.len));
		sample.thread = (thread_id)(random_below(&random, (uint32_t)p->threads.len));
		sample.time += 100000 + random_below(&random, 1000);
		sample.cpu = (uint16_t)(i % 8);
		profile_add_sample(p, 0, &sample);
	}
}

static int make(size_t samples, const char *path)
{
	struct profile p;
	struct view v;
	struct output out;
	struct error err = {0};
	bool done;

	profile_make(&p, samples);
	view_init(&v, &p, BY_FUNCTION);
	done = output_open(&out, path, 0666, &err) &&
	       renderer_by_name("kiln")->render(&v, NULL, &out, &err) && output_commit(&out, &err);
	view_release(&v);
	profile_release(&p);
	return done ? 0 : fail_with(&err);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* The least that anybody who looks at every byte has to do. */
static double read_once(const char *path, uint64_t *ret_size)
{
	static char piece[256 << 10];
	double start = now_ms();
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	*ret_size = 0;
	while (fd >= 0 && (got = read(fd, piece, sizeof(piece))) > 0)
		*ret_size += (uint64_t)got;
	close(fd);
	return now_ms() - start;
}

static int measure(const char *path, size_t rounds)
{
	double *opened = memory_new(rounds, sizeof(*opened)),
	       *raw = memory_new(rounds, sizeof(*raw));
	const struct read_options options = {.want = WANT_ALL};
	size_t samples = 0;
	uint64_t size = 0;

	for (size_t i = 0; i < rounds; i++) {
		struct profile p;
		struct error err = {0};
		double start = now_ms();

		if (!profile_read(path, &options, &p, &err))
			return fail_with(&err);
		opened[i] = now_ms() - start;
		samples = p.samples.items[0].count;
		profile_release(&p);
		raw[i] = read_once(path, &size);
	}
	qsort(opened, rounds, sizeof(*opened), compare);
	qsort(raw, rounds, sizeof(*raw), compare);
	printf("%zu samples, %.1f MB: opened in %.1f ms (median of %zu, least %.1f), %.2f times "
	       "read() alone (%.1f ms)\n",
		samples, (double)size / 1e6, opened[rounds / 2], rounds, opened[0],
		opened[rounds / 2] / raw[rounds / 2], raw[rounds / 2]);
	free(opened);
	free(raw);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t number;

	leases_allow(); /* as the command does: the file is mapped, not copied */
	if (argc == 4 && !strcmp(argv[1], "make") && bytes_u64(bytes_of(argv[2]), &number))
		return make(number, argv[3]);
	if (argc == 4 && !strcmp(argv[1], "open") && bytes_u64(bytes_of(argv[3]), &number) &&
		number)
		return measure(argv[2], number);
	fputs("usage: open_kiln make SAMPLES FILE | open FILE ROUNDS\n", stderr);
	return 2;
}
