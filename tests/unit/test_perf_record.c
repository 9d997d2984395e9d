/* test_perf_record.c: are the kernel's records read field by field, and damaged ones refused? */
#include "process/perf_record.h"
#include "support/record_builder.h"
#include "test.h"

#include <sys/mman.h>

/* Every field that a sample can have; each value identifies its field. */
static const struct perf_layout everything = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
		       PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_ID | PERF_SAMPLE_CPU |
		       PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_RAW |
		       PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
		       PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_IDENTIFIER |
		       PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR |
		       PERF_SAMPLE_AUX | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
		       PERF_SAMPLE_CODE_PAGE_SIZE,
	.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
		       PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX,
	.regs_user = 0x1c0, /* three registers */
	.regs_intr = 0x3,
	.sample_id_all = true,
};

static void put_sample(struct buffer *b)
{
	size_t start = record_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	put_u64(b, 77);			 /* identifier */
	put_u64(b, 0x1001);		 /* ip */
	put_u32s(b, 10, 11);		 /* pid, tid */
	put_u64(b, 1002);		 /* time */
	put_u64(b, 0x1003);		 /* addr */
	put_u64(b, 77);			 /* id */
	put_u64(b, 78);			 /* stream id */
	put_u32s(b, 3, 0);		 /* cpu */
	put_u64(b, 1004);		 /* period */
	put_u64(b, 2);			 /* read: members of the group, */
	put_u64(b, 50), put_u64(b, 40);	 /* enabled, running, */
	for (uint64_t i = 0; i < 6; i++) /* and value, id, lost of each */
		put_u64(b, 60 + i);
	put_u64(b, 3); /* call chain */
	put_u64(b, (uint64_t)PERF_CONTEXT_USER), put_u64(b, 0x1001), put_u64(b, 0x2001);
	put_u32s(b, 4, 0x64636261);	/* raw: size and "abcd" */
	put_u64(b, 1), put_u64(b, 999); /* branches, their index */
	put_u64(b, 1), put_u64(b, 2), put_u64(b, 3);
	put_u64(b, PERF_SAMPLE_REGS_ABI_64);
	put_u64(b, 101), put_u64(b, 102), put_u64(b, 103);
	put_u64(b, 16), put_u64(b, 111), put_u64(b, 112),
		put_u64(b, 8);		 /* stack, 8 bytes present */
	for (uint64_t i = 0; i < 3; i++) /* weight, source, transaction */
		put_u64(b, 200 + i);
	put_u64(b, PERF_SAMPLE_REGS_ABI_64), put_u64(b, 121), put_u64(b, 122);
	for (uint64_t i = 3; i < 7; i++) /* physical address, cgroup, page sizes */
		put_u64(b, 200 + i);
	put_u64(b, 8), put_u64(b, 131); /* aux */
	record_end(b, start);
}

static void check_sample(const struct perf_record *r)
{
	const struct perf_sample *s = &r->sample;

	assert_int_equal(r->identity.id, 77);
	assert_int_equal(r->identity.pid, 10);
	assert_int_equal(r->identity.tid, 11);
	assert_int_equal(r->identity.time, 1002);
	assert_int_equal(r->identity.stream_id, 78);
	assert_int_equal(r->identity.cpu, 3);
	assert_int_equal(s->ip, 0x1001);
	assert_int_equal(s->addr, 0x1003);
	assert_int_equal(s->period, 1004);
	assert_int_equal(s->read.count, 9);
	assert_int_equal(s->read.at[8], 65);
	assert_int_equal(s->callchain.count, 3);
	assert_int_equal(s->callchain.at[2], 0x2001);
	assert_bytes_equal(s->raw, "abcd");
	assert_int_equal(s->branches.count, 3);
	assert_int_equal(s->branches.at[1], 2);
	assert_int_equal(s->regs_user.count, 3);
	assert_int_equal(s->regs_user.at[2], 103);
	assert_int_equal(s->stack_user_size, 16);
	assert_int_equal(s->stack_user.len, 8);
	assert_int_equal(s->weight, 200);
	assert_int_equal(s->data_src, 201);
	assert_int_equal(s->transaction, 202);
	assert_int_equal(s->regs_intr.count, 2);
	assert_int_equal(s->regs_intr.at[1], 122);
	assert_int_equal(s->phys_addr, 203);
	assert_int_equal(s->cgroup, 204);
	assert_int_equal(s->data_page_size, 205);
	assert_int_equal(s->code_page_size, 206);
	assert_int_equal(s->aux.len, 8);
}

static void every_field(void **state)
{
	struct buffer b = {0};
	struct perf_record r;
	struct error err = {0};
	uint64_t value;

	(void)state;
	put_sample(&b);
	assert_true(perf_record_decode(buffer_bytes(&b), &everything, &r, &err));
	check_sample(&r);
	assert_true(perf_record_time(buffer_bytes(&b), &everything, &value));
	assert_int_equal(value, 1002);
	assert_true(perf_record_id(buffer_bytes(&b), &everything, &value));
	assert_int_equal(value, 77);
	buffer_release(&b);
}

/* A record that ends anywhere but at its end is refused, whatever its last field is. */
static void cut_anywhere(void **state)
{
	struct buffer b = {0};
	struct perf_record r;
	struct error err = {0};
	uint16_t size;

	(void)state;
	put_sample(&b);
	for (size = 8; size < (uint16_t)b.len; size = (uint16_t)(size + 8)) {
		memcpy(b.at + offsetof(struct perf_event_header, size), &size, sizeof(size));
		assert_false(perf_record_decode(buffer_bytes(&b), &everything, &r, &err));
		assert_int_equal(err.code, ERR_FORMAT);
	}
	assert_int_equal(perf_record_size((struct bytes){b.at, b.len - 16}), 0);
	buffer_release(&b);
}

/* Counts inside a record that claim more than there is. */
static void lying_counts(void **state)
{
	static const struct perf_layout chain = {.sample_type = PERF_SAMPLE_CALLCHAIN};
	static const struct perf_layout stack = {.sample_type = PERF_SAMPLE_STACK_USER};
	static const uint64_t lies[] = {3, 1 << 13, (uint64_t)1 << 61, UINT64_MAX};
	struct error err = {0};
	struct perf_record r;

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct buffer b = {0};
		size_t start = record_begin(&b, PERF_RECORD_SAMPLE, 0);

		put_u64(&b, lies[i]), put_u64(&b, 1), put_u64(&b, 2);
		record_end(&b, start);
		assert_false(perf_record_decode(buffer_bytes(&b), &chain, &r, &err));
		b.len = 0;
		start = record_begin(&b, PERF_RECORD_SAMPLE, 0);
		put_u64(&b, 8), put_u64(&b, 1), put_u64(&b, 8 + lies[i]); /* more than the copy */
		record_end(&b, start);
		assert_int_equal(
			perf_record_decode(buffer_bytes(&b), &stack, &r, &err), 8 + lies[i] <= 8);
		buffer_release(&b);
	}
}

static const struct perf_layout identity = {
	.sample_type =
		PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER,
	.sample_id_all = true,
};

static void put_identity(struct buffer *b)
{
	put_u32s(b, 10, 11);
	put_u64(b, 5000);
	put_u32s(b, 2, 0);
	put_u64(b, 99);
}

static void decode(struct buffer *b, size_t start, struct perf_record *ret)
{
	struct error err = {0};
	uint64_t time = 0;

	put_identity(b);
	record_end(b, start);
	assert_true(perf_record_decode(buffer_bytes(b), &identity, ret, &err));
	assert_int_equal(ret->identity.pid, 10);
	assert_int_equal(ret->identity.tid, 11);
	assert_int_equal(ret->identity.time, 5000);
	assert_int_equal(ret->identity.cpu, 2);
	assert_int_equal(ret->identity.id, 99);
	assert_true(perf_record_time(buffer_bytes(b), &identity, &time));
	assert_int_equal(time, 5000);
	b->len = 0;
}

static void mappings(void **state)
{
	static const char build_id[24] = "\x14\0\0\0ABCDEFGHIJKLMNOPQRST";
	struct buffer b = {0};
	struct perf_record r;
	size_t start = record_begin(&b, PERF_RECORD_MMAP2, 0);

	(void)state;
	put_u32s(&b, 10, 11);
	put_u64(&b, 0x400000), put_u64(&b, 0x2000), put_u64(&b, 0x1000);
	put_u32s(&b, 8, 1), put_u64(&b, 4711), put_u64(&b, 5);
	put_u32s(&b, PROT_READ | PROT_EXEC, MAP_PRIVATE);
	put_text(&b, "/bin/true");
	decode(&b, start, &r);
	assert_int_equal(r.mmap.start, 0x400000);
	assert_int_equal(r.mmap.size, 0x2000);
	assert_int_equal(r.mmap.offset, 0x1000);
	assert_int_equal(r.mmap.inode, 4711);
	assert_int_equal(r.mmap.major, 8);
	assert_int_equal(r.mmap.protection, PROT_READ | PROT_EXEC);
	assert_bytes_equal(r.mmap.path, "/bin/true");

	start = record_begin(&b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
	put_u32s(&b, 10, 11);
	put_u64(&b, 0x400000), put_u64(&b, 0x2000), put_u64(&b, 0x1000);
	buffer_add(&b, build_id, sizeof(build_id));
	put_u32s(&b, PROT_EXEC, 0);
	put_text(&b, "/seven c");
	decode(&b, start, &r);
	assert_int_equal(r.mmap.build_id_size, 20);
	assert_memory_equal(r.mmap.build_id, build_id + 4, 20);
	assert_int_equal(r.mmap.inode, 0);
	assert_bytes_equal(r.mmap.path, "/seven c");

	/* The flag is left over from another event: the record has a device and an inode. */
	for (uint32_t major = 8; major < 255; major += 246) {
		start = record_begin(&b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
		put_u32s(&b, 10, 11);
		put_u64(&b, 0x400000), put_u64(&b, 0x2000), put_u64(&b, 0x1000);
		put_u32s(&b, major, 0), put_u64(&b, 4711), put_u64(&b, 77);
		put_u32s(&b, PROT_EXEC, 0);
		put_text(&b, "/bin/true");
		decode(&b, start, &r);
		assert_int_equal(r.mmap.build_id_size, 0);
		assert_int_equal(r.mmap.major, major);
		assert_int_equal(r.mmap.inode, 4711);
		assert_bytes_equal(r.mmap.path, "/bin/true");
	}

	start = record_begin(&b, PERF_RECORD_MMAP, PERF_RECORD_MISC_MMAP_DATA);
	put_u32s(&b, 10, 11);
	put_u64(&b, 1), put_u64(&b, 2), put_u64(&b, 3);
	put_text(&b, "");
	decode(&b, start, &r);
	assert_int_equal(r.mmap.protection, PROT_READ);
	buffer_release(&b);
}

static void tasks(void **state)
{
	struct buffer b = {0};
	struct perf_record r;
	size_t start = record_begin(&b, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);

	(void)state;
	put_u32s(&b, 10, 11);
	put_text(&b, "name");
	decode(&b, start, &r);
	assert_true(r.comm.exec);
	assert_bytes_equal(r.comm.name, "name");

	start = record_begin(&b, PERF_RECORD_FORK, 0);
	put_u32s(&b, 20, 10), put_u32s(&b, 21, 11);
	put_u64(&b, 5000);
	decode(&b, start, &r);
	assert_int_equal(r.task.pid, 20);
	assert_int_equal(r.task.parent_pid, 10);
	assert_int_equal(r.task.tid, 21);
	assert_int_equal(r.task.parent_tid, 11);

	start = record_begin(&b, PERF_RECORD_LOST, 0);
	put_u64(&b, 99), put_u64(&b, 123);
	decode(&b, start, &r);
	assert_int_equal(r.lost.id, 99);
	assert_int_equal(r.lost.count, 123);

	start = record_begin(&b, PERF_RECORD_LOST_SAMPLES, 0);
	put_u64(&b, 7);
	decode(&b, start, &r);
	assert_int_equal(r.lost.count, 7);

	start = record_begin(&b, PERF_RECORD_THROTTLE, 0);
	put_u64(&b, 5000), put_u64(&b, 99), put_u64(&b, 98);
	decode(&b, start, &r);
	assert_int_equal(r.throttle.id, 99);
	assert_int_equal(r.throttle.stream_id, 98);
	buffer_release(&b);
}

static void other_records(void **state)
{
	struct buffer b = {0};
	struct perf_record r;
	uint32_t size = 64;
	uint16_t kind = PERF_RECORD_KSYMBOL_TYPE_BPF, flags = 1;
	size_t start = record_begin(&b, PERF_RECORD_KSYMBOL, 0);

	(void)state;
	put_u64(&b, 0xffffffffc0000000);
	buffer_add(&b, &size, 4), buffer_add(&b, &kind, 2), buffer_add(&b, &flags, 2);
	put_text(&b, "bpf_prog_x");
	decode(&b, start, &r);
	assert_int_equal(r.ksymbol.address, 0xffffffffc0000000);
	assert_int_equal(r.ksymbol.size, 64);
	assert_int_equal(r.ksymbol.kind, kind);
	assert_bytes_equal(r.ksymbol.name, "bpf_prog_x");

	start = record_begin(&b, PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT);
	put_u32s(&b, 1, 2);
	decode(&b, start, &r);
	assert_true(r.change.out);
	assert_int_equal(r.change.tid, 2);

	start = record_begin(&b, 200, 0); /* from a kernel of the future */
	put_u64(&b, 1);
	decode(&b, start, &r);
	assert_int_equal(r.type, 200);
	buffer_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(lying_counts),
		cmocka_unit_test(mappings),
		cmocka_unit_test(tasks),
		cmocka_unit_test(other_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
