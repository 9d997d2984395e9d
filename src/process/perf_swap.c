/* perf_swap.c: records from a machine with the other byte order. */
#include "process/perf_swap.h"

#include <byteswap.h>

/* ---- Fields ---- */

struct bytes perf_fields_bytes(struct perf_fields *f, uint64_t size)
{
	struct bytes taken = {f->left.at, (size_t)size};

	if (f->failed || size > f->left.len) {
		f->failed = true;
		return (struct bytes){0};
	}
	f->left.at += size;
	f->left.len -= size;
	return taken;
}

uint32_t perf_fields_u32(struct perf_fields *f)
{
	struct bytes taken = perf_fields_bytes(f, 4);
	uint32_t value = 0;

	if (taken.len)
		memcpy(&value, taken.at, 4);
	return f->swapped ? bswap_32(value) : value;
}

uint64_t perf_fields_u64(struct perf_fields *f)
{
	struct bytes taken = perf_fields_bytes(f, 8);
	uint64_t value = 0;

	if (taken.len)
		memcpy(&value, taken.at, 8);
	return f->swapped ? bswap_64(value) : value;
}

struct bytes perf_fields_text(struct perf_fields *f)
{
	struct bytes text = perf_fields_bytes(f, perf_fields_u32(f));

	if (text.len)
		text.len = strnlen(text.at, text.len);
	return text;
}

struct perf_event_header perf_header_of(struct bytes bytes, bool swapped)
{
	struct perf_event_header header;

	memcpy(&header, bytes.at, sizeof(header));
	if (swapped) {
		header.type = bswap_32(header.type);
		header.misc = bswap_16(header.misc);
		header.size = bswap_16(header.size);
	}
	return header;
}

/* ---- Records ---- */

/* The rest of a record. */
struct part {
	char *at, *end;
};

static uint64_t swap_word(struct part *p)
{
	uint64_t value = 0;

	if (p->end - p->at < 8) {
		p->at = p->end;
		return 0;
	}
	memcpy(&value, p->at, 8);
	value = bswap_64(value);
	memcpy(p->at, &value, 8);
	p->at += 8;
	return value;
}

static void swap_words(struct part *p, uint64_t count)
{
	while (count-- && p->at < p->end)
		swap_word(p);
}

static uint32_t swap_half(struct part *p)
{
	uint32_t value = 0;

	if (p->end - p->at < 4) {
		p->at = p->end;
		return 0;
	}
	memcpy(&value, p->at, 4);
	value = bswap_32(value);
	memcpy(p->at, &value, 4);
	p->at += 4;
	return value;
}

static void swap_halves(struct part *p, unsigned count)
{
	while (count--)
		swap_half(p);
}

static void skip(struct part *p, uint64_t size)
{
	p->at = size < (uint64_t)(p->end - p->at) ? p->at + size : p->end;
}

/* The words of a read value, as the decoder expects them. */
static void swap_read(struct part *p, uint64_t format)
{
	uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t count = format & PERF_FORMAT_GROUP ? swap_word(p) : 1;

	swap_words(p, times);
	swap_words(p, count < PERF_RECORD_SIZE_LIMIT ? count * each : 0);
}

/* The identity in the order of the trailer; a sample has another order. */
static void swap_identity(struct part *p, uint64_t type)
{
	if (type & PERF_SAMPLE_TID)
		swap_halves(p, 2);
	if (type & PERF_SAMPLE_TIME)
		swap_word(p);
	if (type & PERF_SAMPLE_ID)
		swap_word(p);
	if (type & PERF_SAMPLE_STREAM_ID)
		swap_word(p);
	if (type & PERF_SAMPLE_CPU)
		swap_halves(p, 2);
	if (type & PERF_SAMPLE_IDENTIFIER)
		swap_word(p);
}

static void swap_regs(struct part *p, uint64_t mask)
{
	if (swap_word(p) != PERF_SAMPLE_REGS_ABI_NONE)
		swap_words(p, (uint64_t)__builtin_popcountll(mask));
}

static void swap_stack(struct part *p)
{
	uint64_t size = swap_word(p);

	if (!size)
		return;
	skip(p, size);
	swap_word(p);
}

static void swap_raw(struct part *p)
{
	uint64_t size = swap_half(p);

	skip(p, (size + 4 + 7) / 8 * 8 - 4);
}

static void swap_branches(struct part *p, uint64_t branch_type)
{
	uint64_t count = swap_word(p);

	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		swap_word(p);
	swap_words(p, count < PERF_RECORD_SIZE_LIMIT ? count * 3 : 0);
	if (branch_type & PERF_BRANCH_COUNTERS)
		swap_words(p, count);
}

static void swap_sample(struct part *p, const struct perf_layout *layout)
{
	const uint64_t type = layout->sample_type;

	swap_words(p,
		(uint64_t)__builtin_popcountll(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP)));
	if (type & PERF_SAMPLE_TID)
		swap_halves(p, 2);
	swap_words(p, (uint64_t)__builtin_popcountll(
			      type & (PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
					     PERF_SAMPLE_STREAM_ID)));
	if (type & PERF_SAMPLE_CPU)
		swap_halves(p, 2);
	if (type & PERF_SAMPLE_PERIOD)
		swap_word(p);
	if (type & PERF_SAMPLE_READ)
		swap_read(p, layout->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		swap_words(p, swap_word(p));
	if (type & PERF_SAMPLE_RAW)
		swap_raw(p);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		swap_branches(p, layout->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		swap_regs(p, layout->regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		swap_stack(p);
	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		swap_word(p);
	if (type & PERF_SAMPLE_DATA_SRC)
		swap_word(p);
	if (type & PERF_SAMPLE_TRANSACTION)
		swap_word(p);
	if (type & PERF_SAMPLE_REGS_INTR)
		swap_regs(p, layout->regs_intr);
	swap_words(p,
		(uint64_t)__builtin_popcountll(
			type & (PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
				       PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)));
	if (type & PERF_SAMPLE_AUX)
		swap_word(p);
}

/* device, inode, generation; or a build id, which is bytes */
static void swap_mmap2_file(struct part *p, uint16_t misc)
{
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		skip(p, 24);
		return;
	}
	swap_halves(p, 2);
	swap_words(p, 2);
}

static void swap_ksymbol(struct part *p)
{
	uint16_t value;

	swap_word(p);
	swap_half(p);
	for (unsigned i = 0; i < 2 && p->end - p->at >= 2; i++, p->at += 2) {
		memcpy(&value, p->at, 2);
		value = bswap_16(value);
		memcpy(p->at, &value, 2);
	}
}

static void swap_body(
	struct part *p, const struct perf_event_header *header, const struct perf_layout *layout)
{
	switch (header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		swap_halves(p, 2);
		swap_words(p, 3);
		if (header->type == PERF_RECORD_MMAP2) {
			swap_mmap2_file(p, header->misc);
			swap_halves(p, 2);
		}
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		swap_halves(p, 2);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		swap_halves(p, 4);
		swap_word(p);
		break;
	case PERF_RECORD_READ:
		swap_halves(p, 2);
		swap_read(p, layout->read_format);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		swap_words(p, 3);
		break;
	case PERF_RECORD_CGROUP:
		swap_word(p);
		break;
	case PERF_RECORD_KSYMBOL:
		swap_ksymbol(p);
		break;
	}
}

void perf_swap_header(char *record)
{
	struct perf_event_header header = perf_header_of((struct bytes){record, 8}, true);

	memcpy(record, &header, sizeof(header));
}

void perf_swap_record(char *record, size_t size, const struct perf_layout *layout)
{
	struct part p = {record + sizeof(struct perf_event_header), record + size};
	struct perf_event_header header;
	size_t trailer;

	perf_swap_header(record);
	memcpy(&header, record, sizeof(header));
	if (header.type == PERF_RECORD_SAMPLE) {
		swap_sample(&p, layout);
		return;
	}
	trailer = perf_trailer_size(layout);
	if (trailer > (size_t)(p.end - p.at))
		return;
	p.end -= trailer;
	swap_body(&p, &header, layout);
	p.at = p.end;
	p.end += trailer;
	swap_identity(&p, layout->sample_id_all ? layout->sample_type : 0);
}
