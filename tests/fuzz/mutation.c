/* mutation.c: which numbers and texts do mutators put into inputs? */
#include "mutation.h"

#include <stdio.h>
#include <stdlib.h>

bool mutation_chance(uint64_t *state, uint32_t in)
{
	return !random_below(state, in);
}

uint64_t mutation_extreme(uint64_t *state)
{
	static const uint64_t limits[] = {0, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff,
		0xfffffff0, 0x7fffffffffffffff, 0xffffffffffffffff};
	uint64_t near = random_below(state, 5) - (uint64_t)2;

	switch (random_below(state, 4)) {
	case 0:
		return random_below(state, 20);
	case 1:
		return limits[random_below(state, sizeof(limits) / sizeof(*limits))] + near;
	case 2:
		return ((uint64_t)1 << random_below(state, 64)) + near;
	default:
		return random_next(state) >> random_below(state, 64);
	}
}

uint64_t mutation_number(uint64_t *state, uint64_t value)
{
	switch (random_below(state, 4)) {
	case 0:
		return value + 1;
	case 1:
		return value - 1;
	case 2:
		return value ^ (uint64_t)1 << random_below(state, 64);
	default:
		return mutation_extreme(state);
	}
}

void mutation_change(uint64_t *state, void *at, size_t width)
{
	uint64_t value = 0;

	memcpy(&value, at, width);
	value = mutation_number(state, value);
	memcpy(at, &value, width);
}

#define CONTAINER_ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define CONTAINER_GROUP "/system.slice/docker-" CONTAINER_ID ".scope"

struct bytes mutation_text(uint64_t *state)
{
	static char repeated[2000];
	static const char *const texts[] = {"", "a", "main", ";", "a;b", " ", "-", "--", "0",
		"-9223372036854775808", "18446744073709551615", "1e999",
		"<script>alert(1)</script>", "]]>", "-->", "&amp;", "\"'\\", "%s%n",
		"../../etc/passwd", "/bin/app", "[kernel]", "[kernel.kallsyms]", "[jit]",
		"[unknown]", "[truncated:depth]", "[vdso]", "//anon", "x_[k]", "_[j]", "_[i]",
		"swapper", "cpu", "ns", "samples", "count", "bytes", "cycles:u", "note", "started",
		"2025-01-01T00:00:00Z", "cgroup", "container",
		CONTAINER_GROUP, /* NOLINT(bugprone-suspicious-missing-comma) */
		"JS:*inner /srv/app.js:12:20", "LazyCompile:~a:1:", "_ZN1a1bEv", "_RNvC1a1b",
		"std::vector<std::pair<a, b>, c>::f(int)", "\xe2\x80\xae", "\xc3\xa9", "\xff\xfe",
		"\xf0\x9f\x94\xa5", "\x1b[31m", "\n", "\t", "(.*)*", "[", "\\", "xxh3:0", "00ff"};
	uint32_t chosen = random_below(state, sizeof(texts) / sizeof(*texts) + 2);
	size_t len;

	if (chosen < sizeof(texts) / sizeof(*texts))
		return bytes_of(texts[chosen]);
	len = random_below(state, sizeof(repeated));
	memset(repeated, "x;\xc3 "[random_below(state, 4)], len);
	return (struct bytes){repeated, len};
}

size_t mutation_done(struct buffer *file, uint8_t *data, size_t size, size_t max_size)
{
	if (file->len && file->len <= max_size) {
		memcpy(data, file->at, file->len);
		size = file->len;
	}
	buffer_release(file);
	return size;
}

static unsigned long long inputs, inputs_read;

/* Beside what libFuzzer prints there. */
static void print_share(void)
{
	fprintf(stderr, "stat::inputs_read:                %llu of %llu (%.0f%%)\n", inputs_read,
		inputs, inputs ? 100.0 * (double)inputs_read / (double)inputs : 0);
}

void mutation_count(bool read)
{
	if (!inputs && LLVMFuzzerMutate)
		atexit(print_share);
	inputs++;
	inputs_read += read;
}
