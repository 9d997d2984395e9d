/* name_addresses.c: how long does it take to name addresses from debugging information?
 *
 * name_addresses [-w] FILE [COUNT]: COUNT addresses (1,000,000) spread evenly over .text of FILE,
 * which may be a debug file; those outside of functions are left out. With -w also the time that
 * libdw needs to visit every entry of FILE once. Each measurement opens the file anew; a line of it
 * is "what milliseconds". */
#include "images/dwarf_lookup.h"

#include "base/memory.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Addresses in functions, as those of samples are. */
struct sampled {
	uint64_t *addresses;
	size_t count;
	bool *known;
};

static void note(void *context, size_t index, const struct dwarf_frame *frames, size_t count)
{
	struct sampled *w = context;

	w->known[index] = count && frames[0].name.len;
}

static bool choose(const char *path, struct sampled *w)
{
	struct error err = {0};
	struct image *image = image_open(path, &err);
	const struct image_section *code = image ? image_section(image, ".text") : NULL;
	struct dwarf *dwarf;
	size_t kept = 0;

	if (!code) {
		fprintf(stderr, "%s: %s\n", path, image ? "no .text" : err.text);
		return false;
	}
	w->addresses = memory_new(w->count, sizeof(*w->addresses));
	w->known = memory_new(w->count, sizeof(*w->known));
	for (size_t i = 0; i < w->count; i++)
		w->addresses[i] = code->address +
				  (uint64_t)((double)code->size / (double)w->count * (double)i);
	dwarf = dwarf_open(image, NULL, NULL);
	dwarf_lookup(dwarf, w->addresses, w->count, false, 0, note, w);
	for (size_t i = 0; i < w->count; i++)
		if (w->known[i])
			w->addresses[kept++] = w->addresses[i];
	w->count = kept;
	dwarf_release(dwarf);
	image_release(image);
	return true;
}

struct totals {
	size_t frames, lines, bytes;
};

static void add(void *context, size_t index, const struct dwarf_frame *frames, size_t count)
{
	struct totals *t = context;

	(void)index;
	t->frames += count;
	for (size_t i = 0; i < count; i++) {
		t->lines += frames[i].line > 0;
		t->bytes += frames[i].name.len + frames[i].file.len;
	}
}

static void measure(const char *path, const struct sampled *w, bool lines, unsigned threads)
{
	struct error err = {0};
	double start = now_ms(CLOCK_MONOTONIC), cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID);
	struct image *image = image_open(path, &err);
	struct dwarf *dwarf = dwarf_open(image, NULL, NULL);
	struct totals t = {0};

	dwarf_lookup(dwarf, w->addresses, w->count, lines, threads, add, &t);
	printf("%s, %u threads: %.1f (%.1f), %zu addresses, %zu frames, %zu lines, %zu damaged\n",
		lines ? "names and lines" : "names", threads, now_ms(CLOCK_MONOTONIC) - start,
		now_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu, w->count, t.frames, t.lines,
		dwarf_stats(dwarf).damaged);
	dwarf_release(dwarf);
	image_release(image);
}

static size_t visit(Dwarf_Die *parent)
{
	Dwarf_Die entry;
	size_t entries = 1;

	if (dwarf_child(parent, &entry))
		return entries;
	do
		entries += visit(&entry);
	while (!dwarf_siblingof(&entry, &entry));
	return entries;
}

static void walk(const char *path)
{
	double start = now_ms(CLOCK_MONOTONIC), cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	size_t entries = 0;

	while (dwarf && !dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL))
		entries += visit(&unit);
	printf("libdw's walk: %.1f (%.1f), %zu entries\n", now_ms(CLOCK_MONOTONIC) - start,
		now_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu, entries);
	dwarf_end(dwarf);
	close(fd);
}

int main(int argc, char **argv)
{
	bool walks = argc > 1 && !strcmp(argv[1], "-w");
	const char *path = argv[1 + walks];
	struct sampled sampled = {
		.count = argc > 2 + walks ? strtoul(argv[2 + walks], NULL, 10) : 1000000};

	if (argc < 2 + walks || !sampled.count) {
		fputs("usage: name_addresses [-w] FILE [COUNT]\n", stderr);
		return 2;
	}
	if (!choose(path, &sampled))
		return 1;
	for (unsigned threads = 1; threads <= 2; threads++) {
		measure(path, &sampled, false, threads);
		measure(path, &sampled, true, threads);
	}
	if (walks)
		walk(path);
	free(sampled.addresses);
	free(sampled.known);
	return 0;
}
