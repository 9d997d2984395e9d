/* test_perf_ring.c: do records leave several rings whole and in the order of their times? */
#include "recorders/perf/counts.h"
#include "recorders/perf/ring.h"
#include "support/record_builder.h"
#include "test.h"

static const struct perf_layout layout = {
	.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER,
	.sample_id_all = true,
};

/* A COMM record of a length that varies; its pid is a running number. */
static void put_comm(struct buffer *b, uint32_t number, uint64_t time)
{
	static const char name[] = "012345678901234567890123456789012345678901234567890123456789";
	size_t start;

	b->len = 0;
	start = record_begin(b, PERF_RECORD_COMM, 0);
	put_u32s(b, number, number);
	put_text(b, name + number * 7 % 60);
	put_u64(b, time);
	put_u64(b, 1);
	record_end(b, start);
}

struct order {
	uint64_t last_time;
	uint32_t count;
};

static void take(struct perf_merge *m, uint64_t until, struct order *order)
{
	struct perf_ring *ring;
	struct bytes bytes;

	perf_merge_update(m);
	while (perf_merge_next(m, until, &bytes, &ring)) {
		struct perf_record r;
		struct error err = {0};

		assert_true(perf_record_decode(bytes, ring->layout, &r, &err));
		assert_true(r.identity.time >= order->last_time);
		assert_true(r.identity.time <= until);
		assert_int_equal(r.identity.time, r.comm.pid * 10); /* the record is intact */
		order->last_time = r.identity.time;
		order->count++;
		perf_merge_done(ring);
	}
}

/* 20,000 records over three small rings, which wrap many times. */
static void merges(void **state)
{
	struct perf_merge m = {0};
	struct order order = {0};
	struct buffer b = {0};
	uint32_t seed = 7;

	(void)state;
	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		struct perf_ring ring;

		perf_ring_init(&ring, cpu, 1024, &layout);
		vector_push(&m.rings, ring);
	}
	for (uint32_t number = 1; number <= 20000; number++) {
		seed = seed * 1664525 + 1013904223;
		put_comm(&b, number, number * 10);
		while (!perf_ring_feed(&m.rings.items[(seed >> 16) % 3], buffer_bytes(&b)))
			take(&m, number * 10, &order);
		if (seed >> 28 == 0) /* only records older than 50 */
			take(&m, number * 10 - 50, &order);
	}
	take(&m, UINT64_MAX, &order);
	assert_int_equal(order.count, 20000);
	assert_int_equal(m.late, 0);
	assert_int_equal(m.damaged, 0);
	perf_merge_release(&m);
	buffer_release(&b);
}

static void save(void *context, size_t ring, struct bytes bytes)
{
	struct buffer *saved = context;

	assert_int_equal(ring, 0);
	buffer_add(saved, bytes.at, bytes.len);
}

/* The saved bytes are the written ones, each byte once. */
static void saved_bytes(void **state)
{
	struct buffer written = {0}, saved = {0}, b = {0};
	struct perf_merge m = {.save = save, .save_context = &saved};
	struct order order = {0};
	struct perf_ring ring;

	(void)state;
	perf_ring_init(&ring, 0, 512, &layout);
	vector_push(&m.rings, ring);
	for (uint32_t number = 1; number <= 1000; number++) {
		put_comm(&b, number, number * 10);
		while (!perf_ring_feed(&m.rings.items[0], buffer_bytes(&b)))
			take(&m, UINT64_MAX, &order);
		buffer_add(&written, b.at, b.len);
	}
	take(&m, UINT64_MAX, &order);
	assert_int_equal(written.len, saved.len);
	assert_memory_equal(written.at, saved.at, saved.len);
	perf_merge_release(&m);
	buffer_release(&written);
	buffer_release(&saved);
	buffer_release(&b);
}

/* Bytes that cannot be a record end the reading of their ring, and of no other ring. */
static void damaged(void **state)
{
	struct perf_merge m = {0};
	struct order order = {0};
	struct buffer b = {0};

	(void)state;
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		struct perf_ring ring;

		perf_ring_init(&ring, cpu, 1024, &layout);
		vector_push(&m.rings, ring);
	}
	assert_true(perf_ring_feed(&m.rings.items[0], BYTES("garbage garbage ")));
	put_comm(&b, 3, 30);
	assert_true(perf_ring_feed(&m.rings.items[1], buffer_bytes(&b)));
	take(&m, UINT64_MAX, &order);
	assert_int_equal(order.count, 1);
	assert_int_equal(m.damaged, 1);
	perf_merge_release(&m);
	buffer_release(&b);
}

/* expected = delivered + lost, whatever the cause; work and idle CPUs make up the event's count. */
static void accounting(void **state)
{
	struct event_counts clock = {.delivered = 900, .throttled = 10}, idle = {.delivered = 50};
	struct event_counts each = {.delivered = 90}, none = {0};
	struct event_counts adapted = {.delivered = 5, .lost_records = 2};
	struct event_totals totals = {.periods = 1000, .lost = 20, .lost_known = true};

	(void)state;
	totals.idle = 65 * 1003009 + 5; /* 50 came, 3 were throttled */
	idle.throttled = 3;
	counts_finish(&clock, &idle, COUNT_CLOCK, 1003009, &totals);
	assert_int_equal(clock.expected + idle.expected, 1000);
	assert_int_equal(clock.ring_full, 20);
	assert_int_equal(idle.missed, 12);
	assert_int_equal(clock.missed, 1000 - 900 - 50 - 10 - 3 - 20 - 12);
	assert_int_equal(clock.expected, clock.delivered + counts_lost(&clock));
	assert_int_equal(idle.expected, idle.delivered + counts_lost(&idle));

	/* Of 10 periods without a sample, the hypervisor ran others in 7. */
	clock = (struct event_counts){.delivered = 990};
	totals = (struct event_totals){.periods = 1000, .stolen = 7 * 1003009 + 5};
	counts_finish(&clock, &none, COUNT_CLOCK, 1003009, &totals);
	assert_int_equal(clock.expected, 993);
	assert_int_equal(clock.missed, 3);
	/* A stolen period can still have its sample, late. */
	clock = (struct event_counts){.delivered = 995};
	counts_finish(&clock, &none, COUNT_CLOCK, 1003009, &totals);
	assert_int_equal(clock.expected, 995);
	assert_int_equal(clock.missed, 0);

	/* One tick in ten is to be a sample: of 50 missing ticks, five would have been samples. */
	clock = (struct event_counts){.delivered = 95};
	totals = (struct event_totals){.periods = 1000, .passed_over = 855};
	counts_finish(&clock, &none, COUNT_CLOCK, 1003009, &totals);
	assert_int_equal(clock.missed, 5);
	assert_int_equal(clock.expected, 100);

	totals = (struct event_totals){.value = 100, .lost = 10, .lost_known = true};
	counts_finish(&each, &none, COUNT_EACH, 1, &totals);
	assert_int_equal(each.expected, 100);
	assert_int_equal(each.missed, 0);
	assert_int_equal(each.ring_full, 10);

	totals = (struct event_totals){.value = 100};
	counts_finish(&adapted, &none, COUNT_UNKNOWN, 0, &totals);
	assert_int_equal(adapted.expected, 0);
	assert_int_equal(counts_lost(&adapted), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merges),
		cmocka_unit_test(saved_bytes),
		cmocka_unit_test(damaged),
		cmocka_unit_test(accounting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
