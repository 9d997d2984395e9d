/* fuzz_perf_record.c: records of any layout, with any bytes in them. */
#include "process/perf_record.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Touch what a record borrows, so that a wrong size is noticed. */
static uint64_t touch_words(struct perf_words words)
{
	return words.count ? words.at[0] ^ words.at[words.count - 1] : 0;
}

static uint64_t touch_bytes(struct bytes bytes)
{
	return bytes.len ? (uint64_t)bytes.at[0] ^ (uint64_t)bytes.at[bytes.len - 1] : 0;
}

static uint64_t touch(const struct perf_record *r)
{
	const struct perf_sample *s = &r->sample;

	switch (r->type) {
	case PERF_RECORD_SAMPLE:
		return touch_words(s->read) ^ touch_words(s->callchain) ^ touch_bytes(s->raw) ^
		       touch_words(s->branches) ^ touch_words(s->regs_user) ^
		       touch_bytes(s->stack_user) ^ touch_words(s->regs_intr) ^ touch_bytes(s->aux);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return touch_bytes(r->mmap.path);
	case PERF_RECORD_COMM:
		return touch_bytes(r->comm.name);
	case PERF_RECORD_KSYMBOL:
		return touch_bytes(r->ksymbol.name);
	case PERF_RECORD_READ:
		return touch_words(r->read.values);
	}
	return 0;
}

/* Four words of layout, then records. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_layout layout = {.sample_id_all = true};
	struct error err = {0};
	struct perf_record r;
	volatile uint64_t sink = 0;
	uint64_t words[4];
	struct bytes rest;
	char *copy;
	size_t step;

	if (size < sizeof(words))
		return 0;
	memcpy(words, data, sizeof(words));
	layout.sample_type = words[0];
	layout.read_format = words[1];
	layout.regs_user = layout.regs_intr = words[2];
	layout.branch_sample_type = words[3];
	copy = malloc(size); /* aligned, and with a guard behind it under ASan */
	if (!copy)
		return 0;
	memcpy(copy, data + sizeof(words), size - sizeof(words));
	rest = (struct bytes){copy, size - sizeof(words)};
	while ((step = perf_record_size(rest))) {
		uint64_t value = 0;

		if (perf_record_decode(rest, &layout, &r, &err))
			sink ^= touch(&r);
		if (perf_record_time(rest, &layout, &value) ||
			perf_record_id(rest, &layout, &value))
			sink ^= value;
		rest.at += step;
		rest.len -= step;
	}
	(void)sink; /* written so that every value is read */
	free(copy);
	return 0;
}
