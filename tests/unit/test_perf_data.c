/* test_perf_data.c: perf.data of any machine and any perf, whole, cut and damaged. */
#include "test.h"

#include "support/fold_text.h"
#include "support/perf_data_builder.h"

#include "model/view.h"
#include "process/perf_file.h"
#include "process/perf_order.h"
#include "process/symbolize.h"
#include "readers/reading.h"

#include <sys/mman.h>

#define CYCLES_ID 71u
#define FAULTS_ID 72u
#define APP	  100u
#define CHILD	  101u

#define KERNEL_TEXT ((uint64_t)0xffffffff81000000)

#define IDENTITY (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static const struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE,
	.config = PERF_COUNT_HW_CPU_CYCLES,
	.sample_period = 1000,
	.sample_type = IDENTITY | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
	.sample_id_all = 1,
	.exclude_guest = 1};
static const struct perf_event_attr faults = {.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_PAGE_FAULTS,
	.sample_period = 1,
	.sample_type = IDENTITY | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
	.sample_id_all = 1,
	.exclude_guest = 1};

/* ---- Records ---- */

static void put_comm(struct perf_data_builder *b, uint32_t pid, const char *name, uint64_t time)
{
	size_t start = builder_begin(b, PERF_RECORD_COMM, 0);

	put32(b, &b->records, pid);
	put32(b, &b->records, pid);
	builder_text(b, name);
	builder_identity(b, pid, time, 0, CYCLES_ID);
	builder_end(b, start);
}

static void put_mmap(struct perf_data_builder *b, uint32_t pid, uint64_t start_at, const char *path,
	uint64_t time)
{
	bool kernel = pid == UINT32_MAX;
	size_t start = builder_begin(b, kernel ? PERF_RECORD_MMAP : PERF_RECORD_MMAP2,
		kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);

	put32(b, &b->records, pid);
	put32(b, &b->records, pid);
	put64(b, &b->records, start_at);
	put64(b, &b->records, kernel ? 0x1000000 : 0x10000);
	put64(b, &b->records, kernel ? start_at : 0);
	if (!kernel) {
		put32(b, &b->records, 8);
		put32(b, &b->records, 1);
		put64(b, &b->records, 4711 + pid);
		put64(b, &b->records, 0);
		put32(b, &b->records, PROT_READ | PROT_EXEC);
		put32(b, &b->records, MAP_PRIVATE);
	}
	builder_text(b, path);
	builder_identity(b, pid, time, 0, CYCLES_ID);
	builder_end(b, start);
}

static void put_fork(struct perf_data_builder *b, uint32_t parent, uint32_t pid, uint64_t time)
{
	size_t start = builder_begin(b, PERF_RECORD_FORK, 0);

	put32(b, &b->records, pid);
	put32(b, &b->records, parent);
	put32(b, &b->records, pid);
	put32(b, &b->records, parent);
	put64(b, &b->records, time);
	builder_identity(b, parent, time, 0, CYCLES_ID);
	builder_end(b, start);
}

static void put_lost(struct perf_data_builder *b, uint64_t count, uint64_t time)
{
	size_t start = builder_begin(b, PERF_RECORD_LOST, 0);

	put64(b, &b->records, CYCLES_ID);
	put64(b, &b->records, count);
	builder_identity(b, APP, time, 1, CYCLES_ID);
	builder_end(b, start);
}

/* The record that perf writes at its end, from the event's own count of losses. */
static void put_lost_samples(struct perf_data_builder *b, uint64_t count, uint64_t time)
{
	size_t start = builder_begin(b, PERF_RECORD_LOST_SAMPLES, 0);

	put64(b, &b->records, count);
	builder_identity(b, APP, time, 1, CYCLES_ID);
	builder_end(b, start);
}

struct sample_fields {
	uint64_t id, time;
	uint32_t pid, cpu;
	uint64_t kernel_ip, user_ip, caller; /* 0: none */
	uint64_t period;
};

static void put_sample(struct perf_data_builder *b, const struct sample_fields *s)
{
	uint64_t chain[8], count = 0;
	size_t start = builder_begin(b, PERF_RECORD_SAMPLE,
		s->kernel_ip ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);

	if (s->kernel_ip) {
		chain[count++] = (uint64_t)PERF_CONTEXT_KERNEL;
		chain[count++] = s->kernel_ip;
	}
	chain[count++] = (uint64_t)PERF_CONTEXT_USER;
	chain[count++] = s->user_ip;
	if (s->caller)
		chain[count++] = s->caller;
	if (!b->plain)
		put64(b, &b->records, s->id);
	put64(b, &b->records, s->kernel_ip ? s->kernel_ip : s->user_ip);
	put32(b, &b->records, s->pid);
	put32(b, &b->records, s->pid);
	put64(b, &b->records, s->time);
	put32(b, &b->records, s->cpu);
	put32(b, &b->records, 0);
	put64(b, &b->records, s->period);
	put64(b, &b->records, count);
	for (uint64_t i = 0; i < count; i++)
		put64(b, &b->records, chain[i]);
	builder_end(b, start);
}

/* ---- A recording ---- */

/* Two CPUs, drained one after the other: an event of CPU 1 at time 15 follows one of CPU 0 at
 * 40. */
static void put_recording(struct perf_data_builder *b)
{
	put_mmap(b, UINT32_MAX, KERNEL_TEXT, "[kernel.kallsyms]_text", 0);
	put_comm(b, APP, "my app", 0);
	put_mmap(b, APP, 0x10000, "/none/app", 0);
	put_sample(b, &(struct sample_fields){CYCLES_ID, 20, APP, 0, 0, 0x20010, 0x10020, 1000});
	put_sample(
		b, &(struct sample_fields){FAULTS_ID, 30, APP, 0, KERNEL_TEXT + 64, 0x10030, 0, 1});
	put_fork(b, APP, CHILD, 35);
	put_comm(b, CHILD, "child", 40);
	put_mmap(b, APP, 0x20000, "/none/lib.so", 15); /* as if on CPU 1 */
	put_sample(b, &(struct sample_fields){CYCLES_ID, 45, CHILD, 1, 0, 0x20011, 0x10020, 500});
	builder_round(b);
	put_lost(b, 3, 50);
	put_sample(b, &(struct sample_fields){
			      CYCLES_ID, 60, APP, 1, KERNEL_TEXT + 128, 0x20010, 0x10020, 1000});
	put_sample(b, &(struct sample_fields){CYCLES_ID, 37, CHILD, 0, 0, 0x20010, 0x10020, 7});
	builder_round(b);
	put_sample(b, &(struct sample_fields){CYCLES_ID, 70, 999, 1, 0, 0x5000, 0, 11});
}

/* 37 is in time, as it comes before the end of the round after the one of 45. */
static const char folded_cycles[] = "child;[app+0x1f];[lib.so+0x11] 500\n"
				    "my_app;[app+0x1f];[lib.so+0x10] 1007\n"
				    "my_app;[app+0x1f];[lib.so+0x10];[kernel] 1000\n"
				    ":999;[unknown] 11\n";

static void put_about(struct perf_data_builder *b)
{
	builder_feature_text(b, PERF_FEATURE_HOSTNAME, "far.example");
	builder_feature_text(b, PERF_FEATURE_OSRELEASE, "3.10.0-old");
	builder_feature_text(b, PERF_FEATURE_ARCH, "s390x");
}

static void build(struct perf_data_builder *b, size_t *ret_data)
{
	builder_event(b, &cycles, CYCLES_ID);
	builder_event(b, &faults, FAULTS_ID);
	put_about(b);
	put_recording(b);
	builder_finish(b, ret_data);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lines in byte order. */
static void sort_lines(struct buffer *text)
{
	char *lines[256], *at = text->len ? text->at : NULL;
	struct buffer sorted = {0};
	size_t count = 0;

	for (char *line = at ? strtok(at, "\n") : NULL; line && count < 256;
		line = strtok(NULL, "\n"))
		lines[count++] = line;
	qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < count; i++)
		buffer_printf(&sorted, "%s\n", lines[i]);
	buffer_release(text);
	*text = sorted;
}

static void assert_folds_to(const struct profile *p, const char *kind, const char *expected)
{
	struct buffer given = {0}, wanted = {0};

	fold_profile(p, kind, true, NULL, &given);
	buffer_text(&wanted, expected);
	sort_lines(&given);
	sort_lines(&wanted);
	assert_string_equal(given.at, wanted.at);
	buffer_release(&given);
	buffer_release(&wanted);
}

static void name_all(struct profile *p)
{
	profile_symbolize(p, NULL, NULL);
}

static void read_whole(struct perf_data_builder *b, struct profile *p)
{
	struct error err = {0};

	if (!read_text(p, buffer_bytes(&b->out), NULL, WANT_ALL, &err))
		fail_msg("%s", err.text);
	name_all(p);
}

/* In each byte order, as a file and as a pipe, and compressed or not. */
#define FORMS 12u

static struct perf_data_builder builder_of(unsigned form)
{
	return (struct perf_data_builder){.swapped = form & 1,
		.pipe = form & 2,
		.pack = (enum pack)(form / 4),
		.attr_size = form & 1 ? 96 : 136};
}

/* ---- Tests ---- */

static void any_machine_and_any_form(void **state)
{
	(void)state;
	for (unsigned form = 0; form < FORMS; form++) {
		struct perf_data_builder b = builder_of(form);
		struct profile p;
		size_t data;

		build(&b, &data);
		read_whole(&b, &p);
		assert_folds_to(&p, "cycles", folded_cycles);
		assert_folds_to(&p, "page-faults", "my_app;[app+0x30];[kernel] 1\n");
		assert_bytes_equal(profile_meta(&p, BYTES("host")), "far.example");
		assert_bytes_equal(profile_meta(&p, BYTES("kernel")), "3.10.0-old");
		assert_bytes_equal(profile_meta(&p, BYTES("arch")), "s390x");
		assert_bytes_equal(profile_meta(&p, BYTES("note")), "");
		assert_int_equal(profile_lost(&p, 0), 3);
		assert_int_equal(p.streams.items[0].row.delivered, 5);
		profile_release(&p);
		builder_release(&b);
	}
}

/* Perf of Linux 3.10 with one event: no ids, no trailers, MMAP without a device. */
static void of_an_old_perf(void **state)
{
	struct perf_data_builder b = {.plain = true, .attr_size = 96};
	struct perf_event_attr attr = cycles;
	struct profile p;
	size_t data;

	(void)state;
	attr.sample_id_all = 0;
	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_IDENTIFIER;
	builder_event(&b, &attr, 0);
	put_comm(&b, APP, "app", 0);
	put_mmap(&b, APP, 0x10000, "/none/app", 0);
	put_sample(&b, &(struct sample_fields){0, 20, APP, 0, 0, 0x10010, 0x10020, 5});
	put_sample(&b, &(struct sample_fields){0, 10, APP, 1, 0, 0x10010, 0, 7});
	builder_finish(&b, &data);
	read_whole(&b, &p);
	assert_folds_to(&p, NULL, "app;[app+0x1f];[app+0x10] 5\napp;[app+0x10] 7\n");
	assert_int_equal(p.samples.items[0].time.items[0], 10);
	profile_release(&p);
	builder_release(&b);
}

/* What an observer sees while a file is read. */
struct seen {
	unsigned calls;
	size_t samples, with_stacks; /* the first time */
	int64_t value;
	uint64_t times, lost, threads;
};

static void observe(void *context, const struct profile *so_far)
{
	struct seen *seen = context;

	if (seen->calls++)
		return;
	seen->lost = profile_lost(so_far, 0);
	for (size_t t = 0; t < so_far->samples.len; t++) {
		const struct samples *s = &so_far->samples.items[t];

		seen->samples += s->count;
		for (size_t i = 0; i < s->count; i++) {
			seen->with_stacks += s->stack.items[i] != 0;
			seen->times = hash_pair(seen->times, s->time.len ? s->time.items[i] : 0);
			seen->threads =
				hash_pair(seen->threads, s->thread.len ? s->thread.items[i] : 0);
		}
	}
	for (size_t i = 0; i < so_far->streams.len; i++)
		for (size_t j = 0; j < so_far->streams.items[i].value.len; j++)
			seen->value += so_far->streams.items[i].value.items[j];
}

static bool read_observed(
	struct bytes text, struct seen *seen, struct profile *ret, struct error *err)
{
	const struct read_observer observer = {observe, seen};
	struct read_options options = {.want = WANT_ALL, .observer = &observer};
	struct input in;
	bool done;

	assert_true(input_open_bytes(&in, text, "test", err));
	done = profile_read_input(&in, &options, ret, err);
	input_release(&in);
	return done;
}

static void assert_seen_all(const struct seen *first, const struct profile *p)
{
	struct seen all = {0};

	observe(&all, p);
	assert_int_equal(first->samples, all.samples);
	assert_int_equal(first->value, all.value);
	assert_int_equal(first->times, all.times);
	assert_int_equal(first->threads, all.threads);
	assert_int_equal(first->lost, all.lost);
	assert_int_equal(all.with_stacks, all.samples);
}

/* All columns but the stacks are known before the stacks are read, unless records are swapped or
 * unpacked on the way. The final profile is the same. */
static void observed_before_stacks_are_read(void **state)
{
	(void)state;
	for (unsigned form = 0; form < FORMS; form++) {
		struct perf_data_builder b = builder_of(form);
		struct error err = {0};
		struct seen first = {0};
		struct profile p;
		size_t data;

		build(&b, &data);
		assert_true(read_observed(buffer_bytes(&b.out), &first, &p, &err));
		assert_true(first.calls > 0);
		assert_seen_all(&first, &p);
		assert_int_equal(first.with_stacks, b.swapped || b.pack ? first.samples : 0);
		name_all(&p);
		assert_folds_to(&p, "cycles", folded_cycles);
		assert_folds_to(&p, "page-faults", "my_app;[app+0x30];[kernel] 1\n");
		profile_release(&p);
		builder_release(&b);
	}
}

#define CUT_SAMPLES 12000u

/* About a megabyte of samples, and where each of them ends in the file. */
static void build_long(struct perf_data_builder *b, size_t ends[CUT_SAMPLES])
{
	size_t data;

	builder_event(b, &cycles, CYCLES_ID);
	put_comm(b, APP, "app", 0);
	put_mmap(b, APP, 0x10000, "/none/app", 0);
	for (uint64_t i = 0; i < CUT_SAMPLES; i++) {
		put_sample(b, &(struct sample_fields){CYCLES_ID, 100 + i, APP, 0, 0,
				      0x10010 + i % 64, 0x10100 + i % 3, 1});
		ends[i] = b->records.len;
		if (i % 500 == 499)
			builder_round(b);
	}
	builder_finish(b, &data);
	for (size_t i = 0; i < CUT_SAMPLES; i++)
		ends[i] += data;
}

/* If the last records are missing, all records before them are read, and a note reports that. */
static void check_cut(const struct perf_data_builder *b, const size_t *ends, size_t cut)
{
	struct error err = {0};
	struct profile p;
	size_t whole = 0;
	bool done = read_text(&p, (struct bytes){b->out.at, cut}, NULL, 0, &err);

	while (whole < CUT_SAMPLES && ends[whole] <= cut)
		whole++;
	if (!done) {
		assert_int_equal(whole, 0);
		assert_true(err.code == ERR_FORMAT);
	} else if (!whole) { /* a pipe that ends between two records is not noticed as truncated */
		assert_true(b->pipe);
	} else {
		assert_int_equal(p.streams.items[0].row.delivered, whole);
		if (cut < ends[CUT_SAMPLES - 1] && !b->pipe)
			assert_true(profile_meta(&p, BYTES("note")).len > 0);
	}
	profile_release(&p);
}

static void cut_anywhere(void **state)
{
	static size_t ends[CUT_SAMPLES];
	const char *all = getenv("KILN_EVERY_BYTE");
	size_t stride = all && *all == '1' ? 1 : 5003;

	(void)state;
	for (unsigned pipe = 0; pipe < 2; pipe++) {
		struct perf_data_builder b = {.pipe = pipe, .attr_size = 136};

		build_long(&b, ends);
		assert_true(b.out.len > 1000000);
		for (size_t cut = 1; cut < 1200; cut++)
			check_cut(&b, ends, cut);
		for (size_t cut = 1200; cut < b.out.len; cut += stride)
			check_cut(&b, ends, cut);
		for (size_t back = 1; back < 200; back++)
			check_cut(&b, ends, b.out.len - back);
		builder_release(&b);
	}
}

/* As a killed perf leaves it: no size of the data, and no sections, though the header lists them.
 */
static void not_finished(void **state)
{
	struct perf_data_builder b = {.attr_size = 136};
	struct error err = {0};
	struct profile p;
	size_t data;

	(void)state;
	build(&b, &data);
	memset(b.out.at + 48, 0, 8);
	b.out.len = data + b.records.len;
	read_whole(&b, &p);
	assert_folds_to(&p, "cycles", folded_cycles);
	assert_non_null(bytes_find(profile_meta(&p, BYTES("note")), BYTES("did not finish")));
	profile_release(&p);
	b.out.len = data;
	assert_false(read_text(&p, buffer_bytes(&b.out), NULL, 0, &err));
	profile_release(&p);
	builder_release(&b);
}

/* A generator that a seed decides (xorshift64). */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* With any flipped bits, the file is read or refused with an error. */
static void flipped_bits(void **state)
{
	uint64_t random = 20120614;

	(void)state;
	for (unsigned turn = 0; turn < 1000; turn++) {
		struct perf_data_builder b = {.pipe = turn & 1,
			.swapped = turn & 2,
			.pack = turn % 5 ? PACK_NONE : PACK_COMPRESSED2,
			.attr_size = 136};
		struct error err = {0};
		struct profile p;
		size_t data;

		build(&b, &data);
		for (unsigned i = 0; i <= turn % 4; i++)
			b.out.at[next_random(&random) % b.out.len] ^=
				(char)(1 << next_random(&random) % 8);
		struct seen seen = {0};
		bool done =
			turn % 2 ? read_observed(buffer_bytes(&b.out), &seen, &p, &err)
				 : read_text(&p, buffer_bytes(&b.out), "perf-data", WANT_ALL, &err);

		if (!done) {
			assert_true(err.code != ERR_NONE);
			assert_true(strlen(err.text) > 0);
		}
		profile_release(&p);
		builder_release(&b);
	}
}

/* A round that never ends does not keep the whole file in memory. */
static void without_rounds(void **state)
{
	struct perf_data_builder b = {.attr_size = 136};
	struct perf_file file;
	struct perf_order order = {.file = &file};
	struct perf_file_record record;
	struct error err = {0};
	uint64_t last = 0, count = 0;
	size_t data;

	(void)state;
	builder_event(&b, &cycles, CYCLES_ID);
	for (uint64_t i = 0; i < 3 * PERF_ORDER_MIN; i++) {
		size_t start = builder_begin(&b, PERF_RECORD_EXIT, 0);

		for (unsigned word = 0; word < 3; word++)
			put64(&b, &b.records, 0);
		builder_identity(&b, APP, 1 + (i ^ 7), 0, CYCLES_ID);
		builder_end(&b, start);
	}
	builder_finish(&b, &data);
	assert_true(perf_file_open(&file, buffer_bytes(&b.out), &err));
	while (perf_order_next(&order, &record)) {
		uint64_t time = 0;

		assert_true(perf_record_time(record.bytes, &record.event->layout, &time));
		assert_true(time > last);
		last = time;
		count++;
	}
	assert_int_equal(count, 3 * PERF_ORDER_MIN);
	assert_int_equal(order.late, 0);
	assert_true(
		order.queued.cap <= 2 * PERF_ORDER_MIN + b.out.len / PERF_ORDER_BYTES_PER_RECORD);
	perf_order_release(&order);
	perf_file_release(&file);
	builder_release(&b);
}

/* LOST records and the events' own counts report the same samples. */
static void losses_are_counted_once(void **state)
{
	(void)state;
	for (unsigned counts = 0; counts < 2; counts++) {
		struct perf_data_builder b = {.attr_size = 136};
		struct perf_event_attr attr = cycles;
		struct profile p;
		size_t data;

		attr.read_format = counts ? PERF_FORMAT_LOST : 0;
		builder_event(&b, &attr, CYCLES_ID);
		put_sample(&b, &(struct sample_fields){CYCLES_ID, 20, APP, 0, 0, 0x10010, 0, 1});
		put_lost(&b, 3, 50);
		put_lost_samples(&b, 5, 60);
		builder_finish(&b, &data);
		read_whole(&b, &p);
		assert_int_equal(profile_lost(&p, 0), counts ? 5 : 3 + 5);
		profile_release(&p);
		builder_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_machine_and_any_form),
		cmocka_unit_test(observed_before_stacks_are_read),
		cmocka_unit_test(of_an_old_perf),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(not_finished),
		cmocka_unit_test(flipped_bits),
		cmocka_unit_test(without_rounds),
		cmocka_unit_test(losses_are_counted_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
