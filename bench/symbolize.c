/* symbolize.c: how long does it take to name the places of a profile in one binary?
 *
 *	symbolize BINARY ADDRESSES inlined|lines cold|cached
 *
 * Prints: cold|cached SECONDS CPU-SECONDS NAMED FRAMES FROM-THE-CACHE MEMORY */
#include "process/symbolize.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Places all over the code, in an order as samples bring them: none. */
static void add_places(
	struct profile *p, const struct image *image, mapping_id mapping, size_t count)
{
	const struct image_section *code = image_section(image, ".text");
	uint64_t step = code->size / count ? code->size / count : 1, at = 0, offset;

	for (size_t i = 0; i < count; i++) {
		at = (at + 7919 * step) % (count * step); /* a prime: every one is visited */
		if (image_offset(image, code->address + at % code->size, &offset))
			profile_location(p, mapping, offset);
	}
}

static size_t count_frames(const struct profile *p)
{
	size_t frames = 0;

	for (size_t i = 1; i < p->location_names.len; i++)
		frames += p->location_names.items[i].count;
	return frames;
}

int main(int argc, char **argv)
{
	struct symbolize_options options = {.stored = true};
	struct symbolize_report report = {0};
	struct mapping mapping = {.kind = MAPPING_FILE};
	struct rusage usage;
	struct error err = {0};
	struct profile p;
	struct image *image;
	char id[65];
	double begin, cpu;

	if (argc != 5 || !(image = image_open(argv[1], &err))) {
		fprintf(stderr, "symbolize: %s\n",
			err.code ? err.text : "BINARY ADDRESSES DEPTH HOW");
		return 2;
	}
	profile_init(&p);
	image_build_id_text(image, id);
	mapping.file = profile_string(&p, bytes_of(argv[1]));
	mapping.build_id = profile_string(&p, bytes_of(id));
	add_places(&p, image, profile_mapping(&p, &mapping), strtoull(argv[2], NULL, 10));
	image_release(image);
	if (!strcmp(argv[3], "lines"))
		options.depth = NAMES_LINES;
	begin = now(CLOCK_MONOTONIC);
	cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	profile_symbolize(&p, &options, &report);
	begin = now(CLOCK_MONOTONIC) - begin;
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	getrusage(RUSAGE_SELF, &usage);
	printf("%s %.3f %.3f %u %zu %u %ld\n", argv[4], begin, cpu, report.named, count_frames(&p),
		report.known, usage.ru_maxrss >> 10);
	symbolize_report_release(&report);
	profile_release(&p);
	return 0;
}
