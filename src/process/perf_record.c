/* perf_record.c: how is a kernel perf record decoded? */
#include "process/perf_record.h"

#include <sys/mman.h>

/* Reads words in order; after the first one that does not fit, all reads fail. */
struct record_cursor {
	const char *at, *end;
	bool failed;
};

static const char *record_take(struct record_cursor *c, uint64_t size)
{
	const char *at = c->at;

	if (c->failed || size > (uint64_t)(c->end - c->at)) {
		c->failed = true;
		return NULL;
	}
	c->at += size;
	return at;
}

static uint64_t record_u64(struct record_cursor *c)
{
	const char *at = record_take(c, 8);
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, 8);
	return value;
}

/* Two 32-bit values share a word. */
static void record_pair(struct record_cursor *c, uint32_t *ret_first, uint32_t *ret_second)
{
	uint64_t word = record_u64(c);

	memcpy(ret_first, &word, 4);
	memcpy(ret_second, (const char *)&word + 4, 4);
}

static struct bytes record_bytes(struct record_cursor *c, uint64_t size)
{
	const char *at = record_take(c, size);

	return at ? (struct bytes){at, (size_t)size} : (struct bytes){NULL, 0};
}

/* Words are borrowed in place. The kernel aligns all of them, so a misaligned field means that
 * an earlier size was wrong. */
static struct perf_words record_words(struct record_cursor *c, uint64_t count)
{
	const char *at = NULL;

	if (count > PERF_RECORD_SIZE_LIMIT / 8 || (count && (uintptr_t)c->at % 8))
		c->failed = true;
	else
		at = record_take(c, count * 8);
	return at ? (struct perf_words){(const uint64_t *)(const void *)at, (size_t)count}
		  : (struct perf_words){NULL, 0};
}

/* Text padded with NULs to the end of the record. */
static struct bytes record_text(struct record_cursor *c)
{
	size_t left = (size_t)(c->end - c->at);

	if (c->failed)
		return (struct bytes){NULL, 0};
	return (struct bytes){c->at, strnlen(c->at, left)};
}

struct perf_layout perf_layout_of(const struct perf_event_attr *attr)
{
	return (struct perf_layout){
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.branch_sample_type = attr->branch_sample_type,
		.regs_user = attr->sample_regs_user,
		.regs_intr = attr->sample_regs_intr,
		.sample_id_all = attr->sample_id_all,
	};
}

#define IDENTITY                                                                                   \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |             \
		PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* One word for each field of the trailer. */
size_t perf_trailer_size(const struct perf_layout *layout)
{
	return layout->sample_id_all
		       ? 8 * (size_t)__builtin_popcountll(layout->sample_type & IDENTITY)
		       : 0;
}

static void decode_trailer(
	struct record_cursor c, const struct perf_layout *layout, struct perf_identity *ret)
{
	uint64_t type = layout->sample_type;
	uint32_t unused;

	ret->has = type & IDENTITY;
	if (type & PERF_SAMPLE_TID)
		record_pair(&c, &ret->pid, &ret->tid);
	if (type & PERF_SAMPLE_TIME)
		ret->time = record_u64(&c);
	if (type & PERF_SAMPLE_ID)
		ret->id = record_u64(&c);
	if (type & PERF_SAMPLE_STREAM_ID)
		ret->stream_id = record_u64(&c);
	if (type & PERF_SAMPLE_CPU)
		record_pair(&c, &ret->cpu, &unused);
	if (type & PERF_SAMPLE_IDENTIFIER)
		ret->id = record_u64(&c);
}

static struct perf_words decode_read(struct record_cursor *c, uint64_t format)
{
	uint64_t count = 1, each = 1, fixed;
	struct record_cursor peek = *c;

	fixed = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		!!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	each += !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	if (format & PERF_FORMAT_GROUP) {
		count = record_u64(&peek);
		fixed++;
	}
	if (count > PERF_RECORD_SIZE_LIMIT / 8)
		c->failed = true;
	return record_words(c, c->failed ? 0 : fixed + count * each);
}

static void decode_raw(struct record_cursor *c, struct perf_sample *s)
{
	const char *size_at = record_take(c, 4);
	uint32_t size = 0;

	if (size_at)
		memcpy(&size, size_at, 4);
	s->raw = record_bytes(c, size);
	/* The kernel pads so that size and data together fill whole words. */
	if (!c->failed && (4 + (uint64_t)size) % 8)
		record_take(c, 8 - (4 + (uint64_t)size) % 8);
}

static void decode_branches(struct record_cursor *c, uint64_t branch_type, struct perf_sample *s)
{
	uint64_t count = record_u64(c);

	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		record_u64(c);
	if (count > PERF_RECORD_SIZE_LIMIT / 24)
		c->failed = true;
	else
		s->branches = record_words(c, count * 3);
	if (branch_type & PERF_BRANCH_COUNTERS)
		record_words(c, count);
}

static void decode_regs(
	struct record_cursor *c, uint64_t mask, uint64_t *ret_abi, struct perf_words *ret_regs)
{
	*ret_abi = record_u64(c);
	if (*ret_abi != PERF_SAMPLE_REGS_ABI_NONE)
		*ret_regs = record_words(c, (uint64_t)__builtin_popcountll(mask));
}

/* The kernel reserves the requested size, and writes behind it how much of it is valid. */
static void decode_stack(struct record_cursor *c, struct perf_sample *s)
{
	struct bytes copy;
	uint64_t present;

	s->stack_user_size = record_u64(c);
	if (!s->stack_user_size)
		return;
	copy = record_bytes(c, s->stack_user_size);
	present = record_u64(c);
	if (present > copy.len)
		c->failed = true;
	else
		s->stack_user = (struct bytes){copy.at, (size_t)present};
}

/* The first half of a sample: fixed-size fields, in the order of the ABI. */
static void decode_sample_head(
	struct record_cursor *c, uint64_t type, struct perf_identity *id, struct perf_sample *s)
{
	uint32_t unused;

	id->has = type & IDENTITY;
	if (type & PERF_SAMPLE_IDENTIFIER)
		id->id = record_u64(c);
	if (type & PERF_SAMPLE_IP)
		s->ip = record_u64(c);
	if (type & PERF_SAMPLE_TID)
		record_pair(c, &id->pid, &id->tid);
	if (type & PERF_SAMPLE_TIME)
		id->time = record_u64(c);
	if (type & PERF_SAMPLE_ADDR)
		s->addr = record_u64(c);
	if (type & PERF_SAMPLE_ID)
		id->id = record_u64(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		id->stream_id = record_u64(c);
	if (type & PERF_SAMPLE_CPU)
		record_pair(c, &id->cpu, &unused);
	if (type & PERF_SAMPLE_PERIOD)
		s->period = record_u64(c);
}

/* The second half: fields of variable size, and those behind them. */
static void decode_sample_tail(
	struct record_cursor *c, const struct perf_layout *layout, struct perf_sample *s)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_READ)
		s->read = decode_read(c, layout->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		s->callchain = record_words(c, record_u64(c));
	if (type & PERF_SAMPLE_RAW)
		decode_raw(c, s);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		decode_branches(c, layout->branch_sample_type, s);
	if (type & PERF_SAMPLE_REGS_USER)
		decode_regs(c, layout->regs_user, &s->regs_user_abi, &s->regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		decode_stack(c, s);
	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		s->weight = record_u64(c);
	if (type & PERF_SAMPLE_DATA_SRC)
		s->data_src = record_u64(c);
	if (type & PERF_SAMPLE_TRANSACTION)
		s->transaction = record_u64(c);
	if (type & PERF_SAMPLE_REGS_INTR)
		decode_regs(c, layout->regs_intr, &s->regs_intr_abi, &s->regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		s->phys_addr = record_u64(c);
	if (type & PERF_SAMPLE_CGROUP)
		s->cgroup = record_u64(c);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = record_u64(c);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = record_u64(c);
	if (type & PERF_SAMPLE_AUX)
		s->aux = record_bytes(c, record_u64(c));
}

/* If an event of any recorder requests build ids, the kernel (as of 6.18) sets the flag for all
 * events; in records of the others, the field has device and inode. A build id has one byte for its
 * size, three zeroes, the id, and zeroes up to 24 bytes. */
static bool is_build_id(const char *at)
{
	static const char zeroes[PERF_BUILD_ID_LIMIT];
	uint8_t size = (uint8_t)at[0];

	return size && size <= PERF_BUILD_ID_LIMIT && !memcmp(at + 1, zeroes, 3) &&
	       !memcmp(at + 4 + size, zeroes, PERF_BUILD_ID_LIMIT - size);
}

static void decode_mmap2_file(struct record_cursor *c, uint16_t misc, struct perf_mmap *m)
{
	struct bytes id = record_bytes(c, 24);

	if (!id.len)
		return;
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID && is_build_id(id.at)) {
		m->build_id_size = (uint8_t)id.at[0];
		memcpy(m->build_id, id.at + 4, m->build_id_size);
		return;
	}
	memcpy(&m->major, id.at, 4);
	memcpy(&m->minor, id.at + 4, 4);
	memcpy(&m->inode, id.at + 8, 8);
	memcpy(&m->inode_generation, id.at + 16, 8);
}

static void decode_mmap(struct record_cursor *c, uint32_t type, uint16_t misc, struct perf_mmap *m)
{
	record_pair(c, &m->pid, &m->tid);
	m->start = record_u64(c);
	m->size = record_u64(c);
	m->offset = record_u64(c);
	m->protection = misc & PERF_RECORD_MISC_MMAP_DATA ? PROT_READ : PROT_READ | PROT_EXEC;
	if (type == PERF_RECORD_MMAP2) {
		decode_mmap2_file(c, misc, m);
		record_pair(c, &m->protection, &m->flags);
	}
	m->path = record_text(c);
}

static void decode_ksymbol(struct record_cursor *c, struct perf_record *r)
{
	uint64_t word;

	r->ksymbol.address = record_u64(c);
	word = record_u64(c);
	memcpy(&r->ksymbol.size, &word, 4);
	memcpy(&r->ksymbol.kind, (const char *)&word + 4, 2);
	memcpy(&r->ksymbol.flags, (const char *)&word + 6, 2);
	r->ksymbol.name = record_text(c);
}

static void decode_task(struct record_cursor *c, struct perf_record *r)
{
	record_pair(c, &r->task.pid, &r->task.parent_pid);
	record_pair(c, &r->task.tid, &r->task.parent_tid);
	r->task.time = record_u64(c);
}

static void decode_body(
	struct record_cursor *c, const struct perf_layout *layout, struct perf_record *r)
{
	switch (r->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		decode_mmap(c, r->type, r->misc, &r->mmap);
		break;
	case PERF_RECORD_COMM:
		record_pair(c, &r->comm.pid, &r->comm.tid);
		r->comm.exec = r->misc & PERF_RECORD_MISC_COMM_EXEC;
		r->comm.name = record_text(c);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		decode_task(c, r);
		break;
	case PERF_RECORD_LOST:
		r->lost.id = record_u64(c);
		r->lost.count = record_u64(c);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		r->lost.count = record_u64(c);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		r->throttle.time = record_u64(c);
		r->throttle.id = record_u64(c);
		r->throttle.stream_id = record_u64(c);
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		record_pair(c, &r->change.pid, &r->change.tid);
		__attribute__((fallthrough));
	case PERF_RECORD_SWITCH:
		r->change.out = r->misc & PERF_RECORD_MISC_SWITCH_OUT;
		break;
	case PERF_RECORD_KSYMBOL:
		decode_ksymbol(c, r);
		break;
	case PERF_RECORD_CGROUP:
		r->cgroup.id = record_u64(c);
		r->cgroup.path = record_text(c);
		break;
	case PERF_RECORD_READ:
		record_pair(c, &r->read.pid, &r->read.tid);
		r->read.values = decode_read(c, layout->read_format);
		break;
	}
}

/* In words: the part before the values, and each value; and the number of values. */
struct read_shape {
	size_t head, each, count;
};

static struct read_shape read_shape_of(const struct perf_sample *sample)
{
	const uint64_t format = sample->layout->read_format;
	size_t times = (size_t) !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	struct read_shape shape = {
		.each = (size_t)1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST)};

	if (!(format & PERF_FORMAT_ID) || !sample->read.count)
		return shape;
	shape.count = format & PERF_FORMAT_GROUP ? (size_t)sample->read.at[0] : 1;
	shape.head = format & PERF_FORMAT_GROUP ? 1 + times : 0;
	return shape;
}

size_t perf_sample_counts(const struct perf_sample *sample)
{
	return read_shape_of(sample).count;
}

/* A single value comes first, then the times, then its id. */
struct perf_counted perf_sample_count(const struct perf_sample *sample, size_t i)
{
	const struct read_shape shape = read_shape_of(sample);
	const uint64_t *at = sample->read.at + shape.head + i * shape.each;
	const uint64_t format = sample->layout->read_format;

	if (format & PERF_FORMAT_GROUP)
		return (struct perf_counted){.value = at[0], .id = at[1]};
	return (struct perf_counted){.value = at[0],
		.id = at[1 + !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING)]};
}

size_t perf_record_size(struct bytes bytes)
{
	struct perf_event_header header;

	if (bytes.len < sizeof(header))
		return 0;
	memcpy(&header, bytes.at, sizeof(header));
	if (header.size < sizeof(header) || header.size % 8 || header.size > bytes.len)
		return 0;
	return header.size;
}

bool perf_record_decode(struct bytes bytes, const struct perf_layout *layout,
	struct perf_record *ret_record, struct error *err)
{
	struct perf_event_header header;
	struct perf_record r = {0};
	size_t size = perf_record_size(bytes), trailer;
	struct record_cursor c;

	if (!size)
		return error_set(
			err, ERR_FORMAT, "expected a perf record of 8 to %zu bytes", bytes.len);
	memcpy(&header, bytes.at, sizeof(header));
	r.type = header.type;
	r.misc = header.misc;
	c = (struct record_cursor){bytes.at + sizeof(header), bytes.at + size, false};
	if (header.type == PERF_RECORD_SAMPLE) {
		r.sample.layout = layout;
		decode_sample_head(&c, layout->sample_type, &r.identity, &r.sample);
		decode_sample_tail(&c, layout, &r.sample);
	} else {
		trailer = perf_trailer_size(layout);
		if (trailer > size - sizeof(header))
			return error_set(err, ERR_FORMAT,
				"perf record of type %u: %zu bytes are too few for its sample id",
				header.type, size);
		c.end -= trailer;
		decode_trailer(
			(struct record_cursor){c.end, c.end + trailer, false}, layout, &r.identity);
		decode_body(&c, layout, &r);
	}
	if (c.failed)
		return error_set(err, ERR_FORMAT,
			"perf record of type %u: a field exceeds its %zu bytes", header.type, size);
	*ret_record = r;
	return true;
}

bool perf_record_time(struct bytes bytes, const struct perf_layout *layout, uint64_t *ret_time)
{
	uint64_t type = layout->sample_type;
	size_t size = perf_record_size(bytes), at;
	struct perf_event_header header;

	if (!size || !(type & PERF_SAMPLE_TIME))
		return false;
	memcpy(&header, bytes.at, sizeof(header));
	if (header.type == PERF_RECORD_SAMPLE) {
		at = sizeof(header) + 8 * (size_t)__builtin_popcountll(
						  type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
								 PERF_SAMPLE_TID));
	} else {
		if (!layout->sample_id_all || perf_trailer_size(layout) > size - sizeof(header))
			return false;
		at = size - perf_trailer_size(layout) + (type & PERF_SAMPLE_TID ? 8 : 0);
	}
	if (at + 8 > size)
		return false;
	memcpy(ret_time, bytes.at + at, 8);
	return true;
}

/* Where the event id is, in bytes. In a sample: its end, behind the header; in other records: its
 * start, before the end of the record. 0: none. */
static size_t id_place(uint32_t record_type, const struct perf_layout *layout)
{
	const uint64_t type = layout->sample_type;
	uint64_t between;

	if (!(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)))
		return 0;
	if (record_type == PERF_RECORD_SAMPLE) {
		between = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
		return type & PERF_SAMPLE_IDENTIFIER
			       ? 8
			       : 8 + 8 * (size_t)__builtin_popcountll(type & between);
	}
	if (!layout->sample_id_all)
		return 0;
	between = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
	return type & PERF_SAMPLE_IDENTIFIER ? 8
					     : 8 + 8 * (size_t)__builtin_popcountll(type & between);
}

bool perf_record_id(struct bytes bytes, const struct perf_layout *layout, uint64_t *ret_id)
{
	size_t size = perf_record_size(bytes), place;
	struct perf_event_header header;

	if (!size)
		return false;
	memcpy(&header, bytes.at, sizeof(header));
	place = id_place(header.type, layout);
	if (!place || sizeof(header) + place > size)
		return false;
	memcpy(ret_id,
		bytes.at + (header.type == PERF_RECORD_SAMPLE ? sizeof(header) + place - 8
							      : size - place),
		8);
	return true;
}
