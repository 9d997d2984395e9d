/* test_replay.c: do saved ring bytes become the right stacks, threads, times and losses? */
#include "images/arch.h"
#include "recorders/perf/tee.h"
#include "support/record_builder.h"
#include "support/replay_tee.h"
#include "test.h"

#define EVENT_ID    42u
#define TRACKING_ID 43u
#define SAMPLE_TYPE                                                                                \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
		PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

static void put_chunk(struct buffer *b, enum tee_kind kind, uint32_t a, uint32_t c,
	const void *content, size_t size)
{
	struct tee_chunk chunk = {kind, (uint32_t)size, a, c};
	static const char zeroes[8];

	buffer_add(b, &chunk, sizeof(chunk));
	buffer_add(b, content, size);
	buffer_add(b, zeroes, (8 - size % 8) % 8);
}

static void put_word(struct buffer *b, enum tee_kind kind, uint32_t a, uint64_t word)
{
	put_chunk(b, kind, a, 0, &word, sizeof(word));
}

/* One clock event, and a ring for samples and one for processes on each of two CPUs. */
static void put_setup(struct buffer *b)
{
	struct tee_setup setup = {STACK_USER | STACK_KERNEL};
	struct tee_event event = {1, COUNT_CLOCK, 1000};
	struct tee_ring ring = {.size = 4096, .layout = {.sample_type = SAMPLE_TYPE}};
	struct buffer row = {0};

	buffer_text(b, TEE_MAGIC);
	put_chunk(b, TEE_SETUP, 0, 0, &setup, sizeof(setup));
	buffer_add(&row, &event, sizeof(event));
	buffer_text(&row, "cpu-clock");
	put_chunk(b, TEE_EVENT, 0, 0, row.at, row.len);
	put_word(b, TEE_ID, 0, EVENT_ID);
	for (ring.cpu = 0; ring.cpu < 2; ring.cpu++)
		put_chunk(b, TEE_RING, 0, 0, &ring, sizeof(ring));
	ring.layout.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
	for (ring.cpu = 0; ring.cpu < 2; ring.cpu++)
		put_chunk(b, TEE_RING, 0, 0, &ring, sizeof(ring));
	buffer_release(&row);
}

static void put_identity(struct buffer *b, uint32_t pid, uint64_t time)
{
	put_u32s(b, pid, pid);
	put_u64(b, time);
	put_u32s(b, 0, 0);
	put_u64(b, TRACKING_ID);
}

/* A sample in user code at `ip`, called from 0x1200. */
static void put_sample(struct buffer *b, uint32_t pid, uint64_t time, uint64_t ip)
{
	size_t start = record_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	put_u64(b, EVENT_ID), put_u64(b, ip), put_u32s(b, pid, pid), put_u64(b, time);
	put_u32s(b, 1, 0), put_u64(b, 1000);
	put_u64(b, 3), put_u64(b, (uint64_t)PERF_CONTEXT_USER), put_u64(b, ip);
	put_u64(b, 0x1200);
	record_end(b, start);
}

static void put_mmap(struct buffer *b, uint32_t pid, uint64_t time, const char *path)
{
	size_t start = record_begin(b, PERF_RECORD_MMAP2, 0);

	put_u32s(b, pid, pid), put_u64(b, 0x1000), put_u64(b, 0x1000), put_u64(b, 0x7000);
	put_u32s(b, 8, 1), put_u64(b, (uint64_t)path[1]), put_u64(b, 0);
	put_u32s(b, 5, 2);
	put_text(b, path);
	put_identity(b, pid, time);
	record_end(b, start);
}

static void put_fork(struct buffer *b, uint32_t pid, uint32_t parent, uint64_t time)
{
	size_t start = record_begin(b, PERF_RECORD_FORK, 0);

	put_u32s(b, pid, parent), put_u32s(b, pid, parent), put_u64(b, time);
	put_identity(b, pid, time);
	record_end(b, start);
}

static void put_ring(struct buffer *b, uint32_t ring, struct buffer *records)
{
	put_chunk(b, TEE_BYTES, ring, 0, records->at, records->len);
	records->len = 0;
}

/* The path and offset of a location, and of its caller's. */
static void check_stack(const struct profile *p, stack_id stack, const char *leaf, uint64_t offset)
{
	const struct location *l = &p->locations.items[p->stack_location.items[stack]];
	const struct location *caller =
		&p->locations.items[p->stack_location.items[p->stack_caller.items[stack]]];
	struct bytes path = profile_text(p, p->mappings.items[l->mapping].file);

	assert_bytes_equal(path, leaf);
	assert_int_equal(l->address, offset);
	assert_int_equal(caller->address, 0x7200 - 1); /* a return address: inside of the call */
}

/* The mapping is reported on CPU 0, used on CPU 1, and comes later in the file; then the program
 * changes. */
static void across_cpus(void **state)
{
	struct buffer b = {0}, records = {0};
	struct event_totals totals = {.periods = 6, .lost = 2, .lost_known = true};
	struct error err = {0};
	struct replay r;
	const struct samples *samples;

	(void)state;
	put_setup(&b);
	put_sample(&records, 5, 200, 0x1100);
	put_sample(&records, 5, 400, 0x1100);
	put_sample(&records, 6, 500, 0x1101);
	put_ring(&b, 1, &records);
	put_mmap(&records, 5, 100, "/a");
	put_mmap(&records, 5, 300, "/b");
	put_fork(&records, 6, 5, 450);
	put_ring(&b, 2, &records);
	put_word(&b, TEE_UNTIL, 0, 450);
	put_word(&b, TEE_UNTIL, 0, UINT64_MAX);
	put_chunk(&b, TEE_TOTALS, 0, 0, &totals, sizeof(totals));
	assert_true(replay_tee(&r, buffer_bytes(&b), false, &err));
	assert_int_equal(r.sampler.malformed, 0);
	assert_int_equal(r.merge.late, 0);
	samples = &r.profile.samples.items[0];
	assert_int_equal(samples->count, 3);
	assert_int_equal(samples->time.items[0], 200);
	assert_int_equal(samples->time.items[2], 500);
	check_stack(&r.profile, samples->stack.items[0], "/a", 0x7100);
	check_stack(&r.profile, samples->stack.items[1], "/b", 0x7100);
	check_stack(&r.profile, samples->stack.items[2], "/b", 0x7101);
	assert_int_equal(r.profile.streams.items[0].row.expected, 6);
	assert_int_equal(r.profile.streams.items[0].row.delivered, 3);
	assert_int_equal(profile_lost(&r.profile, 0), 3); /* two in the ring, one by the timer */
	replay_release(&r);
	buffer_release(&b);
	buffer_release(&records);
}

/* Replaying twice gives the same profile. */
static void deterministic(void **state)
{
	struct buffer b = {0}, records = {0};
	struct error err = {0};
	struct replay first, second;

	(void)state;
	put_setup(&b);
	put_chunk(&b, TEE_NAME, 5, 5, "five\n", 5);
	put_chunk(&b, TEE_MAPS, 5, 0, "1000-2000 r-xp 00007000 08:01 97 /a\n", 36);
	for (uint32_t i = 0; i < 30; i++)
		put_sample(&records, 5, 100 + i * 7 % 30, 0x1100 + i % 5);
	put_ring(&b, 1, &records);
	put_word(&b, TEE_UNTIL, 0, UINT64_MAX);
	assert_true(replay_tee(&first, buffer_bytes(&b), false, &err));
	assert_true(replay_tee(&second, buffer_bytes(&b), false, &err));
	assert_int_equal(first.profile.samples.items[0].count, 30);
	assert_int_equal(first.profile.stack_caller.len, second.profile.stack_caller.len);
	assert_memory_equal(first.profile.samples.items[0].stack.items,
		second.profile.samples.items[0].stack.items, 30 * sizeof(stack_id));
	check_stack(&first.profile, first.profile.samples.items[0].stack.items[0], "/a", 0x7100);
	replay_release(&first);
	replay_release(&second);
	buffer_release(&b);
	buffer_release(&records);
}

/* A file that is truncated anywhere is replayed up to its end. */
static void torn(void **state)
{
	struct buffer b = {0}, records = {0};
	struct error err = {0};
	struct replay r;

	(void)state;
	put_setup(&b);
	put_sample(&records, 5, 1, 0x1100);
	put_ring(&b, 1, &records);
	put_word(&b, TEE_UNTIL, 0, UINT64_MAX);
	put_word(&b, TEE_UNTIL, 0, UINT64_MAX);
	assert_false(replay_tee(&r, (struct bytes){b.at, b.len - 4}, false, &err));
	assert_int_equal(err.code, ERR_FORMAT);
	assert_int_equal(r.sampler.delivered, 1);
	replay_release(&r);
	assert_false(replay_tee(&r, BYTES("something else"), false, &err));
	replay_release(&r);
	buffer_release(&b);
	buffer_release(&records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(across_cpus),
		cmocka_unit_test(deterministic),
		cmocka_unit_test(torn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
