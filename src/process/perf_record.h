/* perf_record.h: how is a kernel perf record decoded?
 *
 * The format is the kernel's ABI, described in linux/perf_event.h and perf_event_open(2).
 * Records come from a live ring, from saved ring bytes or from a perf.data file. They are not
 * trusted: every size is checked against the record's own. */
#ifndef KILN_PROCESS_PERF_RECORD_H
#define KILN_PROCESS_PERF_RECORD_H

#include "base/bytes.h"
#include "base/error.h"

#include <linux/perf_event.h>

/* A header's size field has 16 bits. */
#define PERF_RECORD_SIZE_LIMIT ((size_t)65536) /* bytes */
#define PERF_BUILD_ID_LIMIT    20	       /* bytes */

#define PERF_BRANCH_COUNTERS ((uint64_t)1 << 19) /* PERF_SAMPLE_BRANCH_COUNTERS, Linux 6.8 */

/* The layout of an event's records: the part of its perf_event_attr that decides it. */
struct perf_layout {
	uint64_t sample_type;	     /* PERF_SAMPLE_* */
	uint64_t read_format;	     /* PERF_FORMAT_* */
	uint64_t branch_sample_type; /* PERF_SAMPLE_BRANCH_* */
	uint64_t regs_user, regs_intr;
	bool sample_id_all;
};
struct perf_layout perf_layout_of(const struct perf_event_attr *attr);
/* Bytes of the trailer behind every record other than samples. */
size_t perf_trailer_size(const struct perf_layout *layout);

/* Words in a record, borrowed. */
struct perf_words {
	const uint64_t *at;
	size_t count;
};

/* The fields that identify a record: in a sample, or in the trailer (sample_id_all) of other
 * records. Absent fields are 0; `has` contains the PERF_SAMPLE_* bits of those present. */
struct perf_identity {
	uint64_t has;
	uint32_t pid, tid;
	uint64_t time, id, stream_id;
	uint32_t cpu;
};

struct perf_sample {
	const struct perf_layout *layout; /* that it was decoded by */
	uint64_t ip, addr, period;
	uint64_t weight, data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	struct perf_words read; /* as written by the kernel; the layout depends on read_format */
	struct perf_words callchain; /* innermost first, with PERF_CONTEXT_* markers */
	struct bytes raw;
	struct perf_words branches;  /* three words for each entry: from, to, flags */
	uint64_t regs_user_abi;	     /* PERF_SAMPLE_REGS_ABI_*; NONE for kernel threads */
	struct perf_words regs_user; /* one for every bit of attr.sample_regs_user */
	struct bytes
		stack_user; /* the part of the copy that was present, from the stack pointer up */
	uint64_t stack_user_size; /* bytes requested */
	uint64_t regs_intr_abi;
	struct perf_words regs_intr;
	struct bytes aux;
};

struct perf_mmap {
	uint32_t pid, tid;
	uint64_t start, size, offset;
	uint32_t major, minor; /* of the device; 0 with a build id, and for MMAP */
	uint64_t inode, inode_generation;
	uint32_t protection, flags; /* PROT_*, MAP_*; MMAP: PROT_EXEC unless it maps data */
	uint8_t build_id[PERF_BUILD_ID_LIMIT];
	uint8_t build_id_size; /* 0: none */
	struct bytes path;
};

struct perf_record {
	uint32_t type; /* PERF_RECORD_* */
	uint16_t misc; /* PERF_RECORD_MISC_* */
	struct perf_identity identity;
	union {
		struct perf_sample sample; /* SAMPLE */
		struct perf_mmap mmap;	   /* MMAP, MMAP2 */
		struct {
			uint32_t pid, tid;
			bool exec; /* the name changed because of an execve */
			struct bytes name;
		} comm; /* COMM */
		struct {
			uint32_t pid, parent_pid, tid, parent_tid;
			uint64_t time;
		} task; /* FORK, EXIT */
		struct {
			uint64_t id, count;
		} lost; /* LOST: records; LOST_SAMPLES: samples */
		struct {
			uint64_t time, id, stream_id;
		} throttle; /* THROTTLE, UNTHROTTLE */
		struct {
			bool out;
			uint32_t pid, tid; /* of the other thread; SWITCH_CPU_WIDE only */
		} change;		   /* SWITCH, SWITCH_CPU_WIDE */
		struct {
			uint64_t address;
			uint32_t size;
			uint16_t kind, flags; /* PERF_RECORD_KSYMBOL_TYPE_*, ..._FLAGS_* */
			struct bytes name;
		} ksymbol; /* KSYMBOL */
		struct {
			uint64_t id;
			struct bytes path;
		} cgroup; /* CGROUP */
		struct {
			uint32_t pid, tid;
			struct perf_words values;
		} read; /* READ */
	};
};

/* Decode one record: `bytes` starts with its header, is 8-byte aligned and at least as long as
 * the header says. The result borrows from `bytes` and `layout`. For types not listed above,
 * only the header is decoded. ERR_FORMAT when a field does not fit into the record. */
bool perf_record_decode(struct bytes bytes, const struct perf_layout *layout,
	struct perf_record *ret_record, struct error *err);

/* The size in the header at the start of `bytes`; 0 if invalid: shorter than a header, not a
 * multiple of 8, or longer than `bytes`. */
size_t perf_record_size(struct bytes bytes);

/* One value of a sample's `read`: the counter of the event with this id. */
struct perf_counted {
	uint64_t id, value;
};
/* The number of values; only values with an id are given. 0 without PERF_FORMAT_ID. */
size_t perf_sample_counts(const struct perf_sample *sample);
struct perf_counted perf_sample_count(const struct perf_sample *sample, size_t i);

/* The time of a record, without decoding the rest; false if the layout has none or the record is
 * too short. */
bool perf_record_time(struct bytes bytes, const struct perf_layout *layout, uint64_t *ret_time);

/* The event id of a record. It has the same position for all events of a file, so `layout` may be
 * that of any event. False: none. */
bool perf_record_id(struct bytes bytes, const struct perf_layout *layout, uint64_t *ret_id);

#endif
