/* perf_record.h: what do the bytes of a kernel perf record say?
 *
 * The format is the kernel's ABI, described in linux/perf_event.h and perf_event_open(2). Records
 * come from a live ring, from saved ring bytes or from a perf.data file: nothing in them is
 * trusted, every size is checked against the record's own. */
#ifndef KILN_PROCESS_PERF_RECORD_H
#define KILN_PROCESS_PERF_RECORD_H

#include <linux/perf_event.h>

#include "base/bytes.h"
#include "base/error.h"

/* A header's size field has 16 bits. */
#define PERF_RECORD_SIZE_LIMIT ((size_t)65536) /* bytes */
#define PERF_BUILD_ID_LIMIT    20	       /* bytes */

#define PERF_BRANCH_COUNTERS ((uint64_t)1 << 19) /* PERF_SAMPLE_BRANCH_COUNTERS, Linux 6.8 */

/* How the records of one event are laid out: the part of its perf_event_attr that decides it. */
struct perf_layout {
	uint64_t sample_type;	     /* PERF_SAMPLE_* */
	uint64_t read_format;	     /* PERF_FORMAT_* */
	uint64_t branch_sample_type; /* PERF_SAMPLE_BRANCH_* */
	uint64_t regs_user, regs_intr;
	bool sample_id_all;
};
struct perf_layout perf_layout_of(const struct perf_event_attr *attr);
/* Bytes of the trailer behind every record that is no sample. */
size_t perf_trailer_size(const struct perf_layout *layout);

/* Words inside a record, borrowed from it. */
struct perf_words {
	const uint64_t *at;
	size_t count;
};

/* The kernel's identity of a record: fields of a sample, or the trailer that sample_id_all puts
 * behind all others. Absent fields are 0; `has` holds the PERF_SAMPLE_* bits that were there. */
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
	struct perf_words read;	     /* as the kernel wrote it; layout by read_format */
	struct perf_words callchain; /* innermost first, with PERF_CONTEXT_* markers in between */
	struct bytes raw;
	struct perf_words branches;  /* three words an entry: from, to, flags */
	uint64_t regs_user_abi;	     /* PERF_SAMPLE_REGS_ABI_*; NONE for kernel threads */
	struct perf_words regs_user; /* one for every bit of attr.sample_regs_user */
	struct bytes stack_user;     /* what was present of the copy, from the stack pointer up */
	uint64_t stack_user_size;    /* bytes that were asked for */
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
			bool exec; /* the name is new because the process runs a new program */
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
 * the header says. Borrows from `bytes` and `layout`. Types that are not listed above decode to
 * their header and nothing else. ERR_FORMAT when a field does not fit into the record. */
bool perf_record_decode(struct bytes bytes, const struct perf_layout *layout,
	struct perf_record *ret_record, struct error *err);

/* The size that the header at the start of `bytes` claims; 0 when it cannot be one: shorter than a
 * header, not a multiple of 8, or longer than `bytes`. */
size_t perf_record_size(struct bytes bytes);

/* One value of a sample's `read`: what the event with this id had counted by then. */
struct perf_counted {
	uint64_t id, value;
};
/* How many values there are; each only with an id. 0 without PERF_FORMAT_ID. */
size_t perf_sample_counts(const struct perf_sample *sample);
struct perf_counted perf_sample_count(const struct perf_sample *sample, size_t i);

/* The time in a record's identity without decoding the rest of it; false when the layout has none
 * or the record is too short. */
bool perf_record_time(struct bytes bytes, const struct perf_layout *layout, uint64_t *ret_time);

/* The event's id in a record, which tells its event where there are several: all of them agree on
 * where it is, so that the layout of any will do. False when there is none. */
bool perf_record_id(struct bytes bytes, const struct perf_layout *layout, uint64_t *ret_id);

#endif
