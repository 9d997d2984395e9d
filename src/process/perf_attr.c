/* perf_attr.c: which event does a stored perf_event_attr describe? */
#include "process/perf_attr.h"

#include <byteswap.h>
#include <stddef.h>
#include <stdio.h>

const struct perf_known_event perf_known_events[] = {
	{"cpu-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"task-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"minor-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"major-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"alignment-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{"emulation-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
	{"cgroup-switches", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES},
	{"cycles", "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"cache-references", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{"cache-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"branches", "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"bus-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
	{"stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE,
		PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE,
		PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"ref-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
	{0},
};

/* "L1-dcache-load-misses": cache, operation, result, in the order of PERF_COUNT_HW_CACHE_*. */
#define CACHES		 7u
#define CACHE_OPERATIONS 3u
static const char *const caches[CACHES] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
static const char *const operations[CACHE_OPERATIONS] = {"load", "store", "prefetch"};

static const char *cache_suffix(uint64_t operation, uint64_t miss)
{
	if (miss)
		return "-misses";
	return operation == PERF_COUNT_HW_CACHE_OP_PREFETCH ? "es" : "s";
}

bool perf_cache_event(const char *name, uint64_t *ret_config)
{
	char text[64];

	for (uint64_t i = 0; i < CACHES * CACHE_OPERATIONS * 2; i++) {
		uint64_t cache = i / 6, op = i / 2 % 3, miss = i % 2;

		snprintf(text, sizeof(text), "%s-%s%s", caches[cache], operations[op],
			cache_suffix(op, miss));
		if (strcmp(text, name))
			continue;
		*ret_config = cache | op << 8 | miss << 16;
		return true;
	}
	return false;
}

/* ---- Reading ---- */

static void swap_u16(char *at)
{
	uint16_t value;

	memcpy(&value, at, 2);
	value = bswap_16(value);
	memcpy(at, &value, 2);
}

static void swap_u32(char *at)
{
	uint32_t value;

	memcpy(&value, at, 4);
	value = bswap_32(value);
	memcpy(at, &value, 4);
}

static void swap_u64(char *at)
{
	uint64_t value;

	memcpy(&value, at, 8);
	value = bswap_64(value);
	memcpy(at, &value, 8);
}

/* With the other byte order, compilers allocate bit fields from the other end: the bits of each
 * byte are reversed. So is the two-bit precise_ip. */
static void swap_flags(struct perf_event_attr *attr)
{
	const size_t at = offsetof(struct perf_event_attr, read_format) + 8;
	unsigned precise;

	for (size_t i = 0; i < 8; i++) {
		unsigned char *byte = (unsigned char *)attr + at + i, reversed = 0;

		for (unsigned bit = 0; bit < 8; bit++)
			reversed |= (unsigned char)((*byte >> bit & 1) << (7 - bit));
		*byte = reversed;
	}
	precise = attr->precise_ip;
	attr->precise_ip = (precise << 1 | precise >> 1) & 3;
}

static void swap_attr(struct perf_event_attr *attr)
{
	static const unsigned short words[] = {offsetof(struct perf_event_attr, config),
		offsetof(struct perf_event_attr, sample_period),
		offsetof(struct perf_event_attr, sample_type),
		offsetof(struct perf_event_attr, read_format),
		offsetof(struct perf_event_attr, config1),
		offsetof(struct perf_event_attr, config2),
		offsetof(struct perf_event_attr, branch_sample_type),
		offsetof(struct perf_event_attr, sample_regs_user),
		offsetof(struct perf_event_attr, sample_regs_intr),
		offsetof(struct perf_event_attr, sig_data)};
	static const unsigned short halves[] = {offsetof(struct perf_event_attr, type),
		offsetof(struct perf_event_attr, size),
		offsetof(struct perf_event_attr, wakeup_events),
		offsetof(struct perf_event_attr, bp_type),
		offsetof(struct perf_event_attr, sample_stack_user),
		offsetof(struct perf_event_attr, clockid),
		offsetof(struct perf_event_attr, aux_watermark),
		offsetof(struct perf_event_attr, aux_sample_size)};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		swap_u64((char *)attr + words[i]);
	for (size_t i = 0; i < sizeof(halves) / sizeof(*halves); i++)
		swap_u32((char *)attr + halves[i]);
	swap_u16((char *)attr + offsetof(struct perf_event_attr, sample_max_stack));
	swap_flags(attr);
}

bool perf_attr_read(struct bytes stored, bool swapped, struct perf_event_attr *ret)
{
	if (stored.len < PERF_ATTR_SIZE_MIN)
		return false;
	*ret = (struct perf_event_attr){0};
	memcpy(ret, stored.at, stored.len < sizeof(*ret) ? stored.len : sizeof(*ret));
	if (swapped)
		swap_attr(ret);
	return true;
}

/* ---- Names ---- */

static void cache_name(uint64_t config, struct buffer *name)
{
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= CACHES || op >= CACHE_OPERATIONS || result > 1) {
		buffer_printf(name, "cache 0x%llx", (unsigned long long)config);
		return;
	}
	buffer_printf(name, "%s-%s%s", caches[cache], operations[op], cache_suffix(op, result));
}

static void plain_name(const struct perf_event_attr *attr, struct buffer *name)
{
	unsigned long long config = attr->config;

	for (size_t i = 0; perf_known_events[i].name; i++)
		if (perf_known_events[i].type == attr->type &&
			perf_known_events[i].config == attr->config) {
			buffer_text(name, perf_known_events[i].name);
			return;
		}
	switch (attr->type) {
	case PERF_TYPE_HW_CACHE:
		cache_name(attr->config, name);
		break;
	case PERF_TYPE_RAW:
		buffer_printf(name, "raw 0x%llx", config);
		break;
	case PERF_TYPE_TRACEPOINT:
		buffer_printf(name, "tracepoint %llu", config);
		break;
	case PERF_TYPE_SOFTWARE:
		if (attr->config == PERF_COUNT_SW_BPF_OUTPUT)
			buffer_text(name, "bpf-output");
		else if (attr->config == PERF_COUNT_SW_DUMMY)
			buffer_text(name, "dummy");
		else
			buffer_printf(name, "software 0x%llx", config);
		break;
	default:
		buffer_printf(name, "event type %u config 0x%llx", attr->type, config);
	}
}

/* Append the privilege levels unless all are sampled, and host or guest unless the other modifiers
 * imply them. */
void perf_attr_name(const struct perf_event_attr *attr, struct buffer *name)
{
	bool some = attr->exclude_user || attr->exclude_kernel || attr->exclude_hv;
	bool no_guest = some || attr->precise_ip;
	char modifiers[16] = "";
	size_t count = 0;

	plain_name(attr, name);
	if (attr->type == PERF_TYPE_TRACEPOINT)
		return;
	if (some && !attr->exclude_kernel)
		modifiers[count++] = 'k';
	if (some && !attr->exclude_user)
		modifiers[count++] = 'u';
	if (some && !attr->exclude_hv)
		modifiers[count++] = 'h';
	for (unsigned i = 0; i < attr->precise_ip; i++)
		modifiers[count++] = 'p';
	if (attr->exclude_host || attr->exclude_guest == no_guest) {
		if (!attr->exclude_host)
			modifiers[count++] = 'H';
		if (!attr->exclude_guest)
			modifiers[count++] = 'G';
	}
	if (count)
		buffer_printf(name, ":%s", modifiers);
}
