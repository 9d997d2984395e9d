/* property_export.c: what is written for other programs and read again folds to the same text. */
#include "test.h"

#include "support/fold_text.h"
#include "support/random_profile.h"

#include "base/memory.h"
#include "model/view.h"
#include "renderers/renderers.h"

static bool write_as(const struct profile *p, const char *format, const char *kind,
	struct buffer *out, struct error *err)
{
	const struct renderer *renderer = renderer_by_name(format);
	struct output output;
	struct view v;
	bool done;

	view_init(&v, p, BY_LINE);
	assert_true(view_select(&v, bytes_of(kind), false, err));
	output_open_memory(&output);
	done = renderer->render(&v, NULL, &output, err);
	buffer_add(out, output.pending.at, output.pending.len);
	output_discard(&output);
	view_release(&v);
	return done;
}

static void same_fold(
	const struct profile *p, const struct profile *again, const char *kind, uint64_t seed)
{
	struct buffer once = {0}, twice = {0};

	fold_profile(p, kind, false, "all", &once);
	fold_profile(again, kind, false, "all", &twice);
	if (!bytes_equal(buffer_bytes(&once), buffer_bytes(&twice)))
		fail_msg("seed %d: %s differs", (int)seed, kind);
	buffer_release(&once);
	buffer_release(&twice);
}

/* The row of a kind and an event, NULL when there is none. */
static const struct stream *stream_of(const struct profile *p, const char *kind)
{
	for (size_t i = 0; i < p->streams.len; i++)
		if (bytes_equal(profile_text(p, p->streams.items[i].row.kind), bytes_of(kind)))
			return &p->streams.items[i];
	fail_msg("no stream of %s", kind);
	abort();
}

static void same_stream(const struct profile *p, const struct profile *again, const char *kind)
{
	const struct stream *a = stream_of(p, kind), *b = stream_of(again, kind);

	assert_true(bytes_equal(profile_text(p, a->row.unit), profile_text(again, b->row.unit)));
	assert_true(bytes_equal(profile_text(p, a->row.event), profile_text(again, b->row.event)));
}

/* Sum of products that depends on which sample has which time and thread. */
static uint64_t fingerprint(const struct profile *p, const char *kind)
{
	const struct stream *stream = stream_of(p, kind);
	const struct samples *s = &p->samples.items[stream->row.samples];
	uint64_t sum = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct thread *t = &p->threads.items[s->thread.items[i]];

		sum += s->time.items[i] * (uint64_t)(stream_value(stream, i) + 1) *
		       (uint64_t)(t->tid + 3 * p->processes.items[t->process].pid + 1);
	}
	return sum;
}

static void all_kinds_are_kept(const char *format)
{
	static const char *const kinds[] = {"samples", "cpu", "alloc"};

	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct buffer text = {0};
		struct error err = {0};
		struct profile p, again;

		random_profile(&p, seed, 20 * seed);
		assert_true(write_as(&p, format, "samples", &text, &err));
		if (!read_text(&again, buffer_bytes(&text), NULL, WANT_ALL, &err))
			fail_msg("seed %d: %s", (int)seed, err.text);
		for (size_t i = 0; i < 3; i++) {
			same_fold(&p, &again, kinds[i], seed);
			same_stream(&p, &again, kinds[i]);
		}
		if (!strcmp(format, "firefox"))
			for (size_t i = 0; i < 2; i++)
				assert_true(
					fingerprint(&p, kinds[i]) == fingerprint(&again, kinds[i]));
		profile_release(&again);
		profile_release(&p);
		buffer_release(&text);
	}
}

static void speedscope_keeps_all_kinds(void **state)
{
	(void)state;
	all_kinds_are_kept("speedscope");
}

static void firefox_keeps_all_kinds_and_times(void **state)
{
	(void)state;
	all_kinds_are_kept("firefox");
}

static void cpuprofile_keeps_what_is_shown(void **state)
{
	static const char *const kinds[] = {"samples", "cpu"};

	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		const char *kind = kinds[seed % 2];
		struct buffer text = {0};
		struct error err = {0};
		struct profile p, again;

		random_profile(&p, seed, 10 * seed);
		assert_true(write_as(&p, "cpuprofile", kind, &text, &err));
		if (!read_text(&again, buffer_bytes(&text), NULL, WANT_ALL, &err))
			fail_msg("seed %d: %s", (int)seed, err.text);
		same_fold(&p, &again, kind, seed);
		same_stream(&p, &again, kind);
		profile_release(&again);
		profile_release(&p);
		buffer_release(&text);
	}
}

static void cpuprofile_refuses_what_is_no_time(void **state)
{
	struct buffer text = {0};
	struct error err = {0};
	struct profile p;

	(void)state;
	random_profile(&p, 5, 200);
	assert_false(write_as(&p, "cpuprofile", "alloc", &text, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	profile_release(&p);
	buffer_release(&text);
}

/* One sample after the other, with pauses: times stay. */
static void cpuprofile_keeps_times(void **state)
{
	uint64_t seed = 11, now = 1000;
	struct buffer text = {0};
	struct error err = {0};
	struct profile p, again;
	uint32_t table;

	(void)state;
	profile_init(&p);
	table = profile_add_samples(&p);
	profile_add_stream(&p, table, BYTES("cpu"), BYTES("ns"), BYTES(""));
	for (int i = 0; i < 500; i++) {
		struct frame frame = {.function = numbered_string(&p, "f", random_below(&seed, 9))};
		int64_t lasts = random_below(&seed, 5000);

		now += random_below(&seed, 3) ? 0 : 77;
		profile_add_sample(&p, table,
			&(struct sample){.has = SAMPLE_TIME,
				.stack = profile_stack(&p, 0,
					profile_location_named(&p, profile_frame(&p, &frame))),
				.time = now});
		vector_push(&p.streams.items[0].value, lasts);
		now += (uint64_t)lasts;
	}
	assert_true(write_as(&p, "cpuprofile", "cpu", &text, &err));
	assert_true(read_text(&again, buffer_bytes(&text), NULL, WANT_ALL, &err));
	assert_int_equal(again.samples.items[0].count, 500);
	for (size_t i = 0; i < 500; i++) {
		assert_int_equal(
			p.samples.items[0].time.items[i], again.samples.items[0].time.items[i]);
		assert_int_equal(
			p.streams.items[0].value.items[i], again.streams.items[0].value.items[i]);
	}
	same_fold(&p, &again, "cpu", seed);
	profile_release(&again);
	profile_release(&p);
	buffer_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(speedscope_keeps_all_kinds),
		cmocka_unit_test(firefox_keeps_all_kinds_and_times),
		cmocka_unit_test(cpuprofile_keeps_what_is_shown),
		cmocka_unit_test(cpuprofile_refuses_what_is_no_time),
		cmocka_unit_test(cpuprofile_keeps_times),
	};

	return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
