/* cpu_bpf.c: samples of the CPU clock, taken by a BPF program.
 *
 * With --untimed, the program only counts samples, in a table of rows that the recorder maps. A row
 * is one sample of the profile, whose value grows as the count does. Rows are emptied by epochs of
 * ten seconds, or when half of them are used: the program counts into the rows of the new epoch
 * from then on, and when no program can still use the old rows, at the next drain, they are
 * cleared. */
#include "recorders/modes/cpu_bpf.h"

#include "base/clock.h"
#include "bpf/shared/sample.h"
#include "recorders/programs/source.h"
#include "recorders/programs/support.h"
#include "sample.skel.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#define EPOCH_TIME                                                                                 \
	((uint64_t)10000000000) /* ns: how often counts are taken out of the kernel...             \
				 */
#define EPOCH_PERCENT 50	/* ... or when the table is as full as this */
#define TALLY_BYTES   64	/* of memory for a row of the table, about */

/* A ring that fills up wakes the recorder. Otherwise it drains once per COMMIT_INTERVAL, and more
 * often while processes have started or mapped code within this time, ns: */
#define NEWS_PATIENCE ((uint64_t)2000000000)

/* How much of a row's count is in the profile, and in which sample. */
struct counted {
	uint64_t count; /* 0: there is no sample yet */
	size_t sample;
	bool idle;
};

struct epoch {
	uint64_t begins;	     /* CLOCK_MONOTONIC, ns */
	VECTOR(struct counted) rows; /* as the kernel's */
	size_t first[2];	     /* sample of the profile, of others and of idle CPUs */
};

struct cpu_bpf {
	struct sample_bpf *programs;
	struct bpf_source source;
	bool untimed;
	uint64_t epoch_ends;	   /* CLOCK_MONOTONIC, ns */
	struct epoch epochs[2];	   /* even and odd ones */
	struct tally_row *tallies; /* the kernel's rows; NULL where they are not counted */
	uint32_t room;		   /* rows of an epoch */
	bool rest;		   /* the previous epoch has not been read yet */
	uint64_t news;		   /* bytes of records about processes so far */
	uint64_t news_time;	   /* when the last drain came that found more of them:
				      CLOCK_MONOTONIC, ns */
	struct sample_counts counts;
};

/* ---- Records ---- */

static bool add_samples(struct cpu_bpf *b, struct sample *sample, const struct tally_key *who,
	uint64_t count, bool *ret_idle)
{
	struct bpf_source *source = &b->source;
	struct sampler *sampler = &source->sampler;
	bool switching = who->chunk == SAMPLE_SWITCHING, idle;

	if (switching) {
		sampler_switching(sampler, sample);
	} else {
		sample->thread =
			processes_thread(sampler->processes, (int32_t)who->pid, (int32_t)who->tid);
		sample->stack = bpf_source_stack(source, sample->thread, who->chunk);
		bpf_source_label(source, sample);
	}
	idle = !switching && !who->pid && !who->tid &&
	       chunk_table_idle(&source->chunks, who->chunk);
	*ret_idle = idle;
	return sampler_add(sampler, 0, sample, idle, count);
}

static bool add_counted(
	struct cpu_bpf *b, const struct tally_key *who, uint32_t epoch, uint64_t count)
{
	struct sample sample = {.has = SAMPLE_THREAD, .time = b->epochs[epoch & 1].begins};
	bool idle;

	add_samples(b, &sample, who, count, &idle);
	return idle;
}

/* With counted samples, only deferred ones arrive by the ring, at the end. */
static bool take_sample(void *context, const void *record)
{
	struct cpu_bpf *b = context;
	const struct event_sample *event = record;
	struct tally_key who = {.pid = event->pid, .tid = event->tid, .chunk = event->chunk};
	struct sample sample = {.has = SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU,
		.time = event->time,
		.cpu = event->cpu};
	bool idle;

	if (!b->untimed)
		return add_samples(b, &sample, &who, 1, &idle);
	add_counted(b, &who, b->programs->bss->epoch, 1);
	return true;
}

static size_t sample_size(uint8_t event)
{
	return event == EVENT_SAMPLE ? sizeof(struct event_sample) : 0;
}

static uint64_t sample_time(const void *record)
{
	return ((const struct event_sample *)record)->time;
}

static const struct bpf_records sample_records = {sample_size, sample_time, take_sample};

/* ---- Counts ---- */

/* The ring is read before the counts: if a thread's first sample comes in between, the next drain
 * has its stack. */
static bool stack_is_known(const struct cpu_bpf *b, const struct tally_key *who)
{
	return who->chunk == SAMPLE_SWITCHING || chunk_table_has(&b->source.chunks, who->chunk);
}

/* Add the new part of a row's count to the profile. `final`: no call follows for this row. */
static void take_count(struct cpu_bpf *b, struct epoch *epoch, struct counted *known,
	const struct tally_row *row, bool final)
{
	struct sampler *sampler = &b->source.sampler;
	uint64_t count = __atomic_load_n(&row->count, __ATOMIC_ACQUIRE);

	if (count == known->count)
		return;
	if (known->count) {
		sampler_add_to(sampler, 0, known->idle, known->sample, epoch->begins,
			count - known->count);
	} else {
		if (!final && !stack_is_known(b, &row->key))
			return;
		known->idle = add_counted(b, &row->key, row->key.epoch, count);
		known->sample = sampler_rows(sampler, 0, known->idle) - 1;
	}
	known->count = count;
}

/* Clear the rows of an epoch, for the next but one. */
static void clear_epoch(struct cpu_bpf *b, struct epoch *epoch, struct tally_row *rows)
{
	int fd = bpf_map__fd(b->programs->maps.tally_numbers);

	for (size_t i = 0; i < epoch->rows.len; i++)
		if (rows[i].count)
			bpf_map_delete_elem(fd, &rows[i].key);
	memset(rows, 0, epoch->rows.len * sizeof(*rows));
	b->programs->bss->tallied[epoch - b->epochs] = 0;
	vector_release(&epoch->rows);
	*epoch = (struct epoch){0};
}

/* Add all new counts. `over`: the present epoch gets no more counts. */
static void take_counts(struct cpu_bpf *b, bool over)
{
	struct sample_bpf__bss *bss = b->programs->bss;

	for (uint32_t i = 0; i < 2; i++) {
		struct epoch *epoch = &b->epochs[i];
		struct tally_row *rows = b->tallies + i * b->room;
		uint64_t taken = __atomic_load_n(&bss->tallied[i], __ATOMIC_ACQUIRE);
		bool past = i != (bss->epoch & 1);

		while (epoch->rows.len < taken && epoch->rows.len < b->room)
			vector_push(&epoch->rows, (struct counted){0});
		for (size_t k = 0; k < epoch->rows.len; k++)
			take_count(b, epoch, &epoch->rows.items[k], &rows[k], over || past);
		if (past)
			clear_epoch(b, epoch, rows);
	}
}

static void begin_epoch(struct cpu_bpf *b, uint64_t now)
{
	struct sample_bpf__bss *bss = b->programs->bss;
	struct epoch *next = &b->epochs[(bss->epoch + 1) & 1];

	b->epoch_ends = now + EPOCH_TIME;
	next->begins = now;
	for (int idle = 0; idle < 2; idle++)
		next->first[idle] = sampler_rows(&b->source.sampler, 0, idle);
	__atomic_fetch_add(&bss->epoch, 1, __ATOMIC_SEQ_CST);
	b->rest = true;
}

/* Samples of epochs into which programs may still count can change. */
static void set_changing(struct cpu_bpf *b)
{
	uint32_t oldest = b->programs->bss->epoch - b->rest;

	for (int idle = 0; idle < 2; idle++)
		sampler_set_changing(
			&b->source.sampler, 0, idle, b->epochs[oldest & 1].first[idle]);
}

/* At the next drain, no program that started before still counts into the old epoch. */
static void follow_epochs(struct cpu_bpf *b, bool commits)
{
	const struct sample_bpf__bss *bss = b->programs->bss;
	uint64_t now = monotonic_ns();

	if (b->rest || commits)
		take_counts(b, false);
	b->rest = false;
	if (now >= b->epoch_ends ||
		bss->tallied[bss->epoch & 1] * 100 >= (uint64_t)b->room * EPOCH_PERCENT)
		begin_epoch(b, now);
	set_changing(b);
}

uint64_t cpu_bpf_slice(struct cpu_bpf *b)
{
	uint64_t now = monotonic_ns();

	if (!b->untimed)
		return now;
	if (b->rest)
		take_counts(b, false);
	begin_epoch(b, now);
	set_changing(b);
	return now;
}

void cpu_bpf_pass_over(struct cpu_bpf *b)
{
	b->programs->bss->every = (uint32_t)b->source.processes.every;
}

uint64_t cpu_bpf_spent(const struct cpu_bpf *b)
{
	return bpf_source_spent(&b->source);
}

/* ---- The recorder ---- */

static void size_tables(struct cpu_bpf *b, uint64_t bytes)
{
	uint64_t rows =
		bytes && bytes / TALLY_BYTES < TALLIES_MAX ? bytes / TALLY_BYTES : TALLIES_MAX;

	b->room = b->untimed ? (uint32_t)rows / 2 : 0;
	b->programs->rodata->tally_room = b->room;
	bpf_map__set_max_entries(b->programs->maps.tallies, b->untimed ? 2 * b->room : 1);
	bpf_map__set_max_entries(b->programs->maps.tally_numbers, b->untimed ? 2 * b->room : 1);
}

static size_t tallies_size(const struct cpu_bpf *b)
{
	return 2 * (size_t)b->room * sizeof(*b->tallies);
}

static bool map_tallies(struct cpu_bpf *b, struct error *err)
{
	void *at;

	if (!b->untimed)
		return true;
	at = mmap(NULL, tallies_size(b), PROT_READ | PROT_WRITE, MAP_SHARED,
		bpf_map__fd(b->programs->maps.tallies), 0);
	if (at == MAP_FAILED)
		return error_errno(err, "cannot map the kernel's counters");
	b->tallies = at;
	return true;
}

static bool open_programs(struct cpu_bpf *b, const struct session *s, struct error *err)
{
	struct sample_bpf__rodata *constants;

	b->programs = sample_bpf__open();
	if (!b->programs)
		return bpf_error(err, -errno, "cannot open the BPF programs");
	constants = b->programs->rodata;
	bpf_source_fill_config(&b->source, s, "", &constants->config);
	constants->untimed = b->untimed;
	b->source.programs = b->programs->skeleton;
	size_tables(b, s->options->ring_bytes);
	constants->wait_for_pages = bpf_source_waits_for_pages(
		&b->source, s, b->programs->progs.on_sample, b->programs->maps.deferred_stacks);
	return true;
}

/* Attach now: after a failure, perf can still take the place of programs. */
static bool attach(struct cpu_bpf *b, struct error *err)
{
	int code = bpf_object__attach_skeleton(b->programs->skeleton);

	return !code || bpf_error(err, code, "cannot attach to the scheduler");
}

struct cpu_bpf *cpu_bpf_open(struct session *s, struct error *err)
{
	struct cpu_bpf *b = memory_new(1, sizeof(*b));

	b->untimed = s->options->untimed;
	bpf_source_init(&b->source, &sample_records, b);
	b->source.timer = "on_sample";
	if (bpf_source_possible(s, err) && open_programs(b, s, err) &&
		bpf_source_open(&b->source, s, err) && map_tallies(b, err) && attach(b, err)) {
		b->source.sampler.untimed = b->untimed;
		b->programs->bss->of_command = b->source.processes.cgroup.folder != NULL;
		return b;
	}
	perf_source_leave_group(&b->source.processes, s);
	s->processes.remapped = NULL;
	cpu_bpf_release(b);
	return NULL;
}

struct perf_source *cpu_bpf_events(struct cpu_bpf *b)
{
	return &b->source.processes;
}

struct sampler *cpu_bpf_sampler(struct cpu_bpf *b)
{
	return &b->source.sampler;
}

bool cpu_bpf_enable(struct cpu_bpf *b, struct session *s, struct error *err)
{
	b->news_time = monotonic_ns();
	b->epoch_ends = b->news_time + EPOCH_TIME;
	return bpf_source_enable(&b->source, s, "cannot attach to the timer", err);
}

static uint64_t next_drain(struct cpu_bpf *b)
{
	const struct perf_merge *merge = &b->source.processes.merge;
	uint64_t news = 0, now = monotonic_ns();

	for (size_t i = 0; i < merge->rings.len; i++)
		news += merge->rings.items[i].head;
	if (news != b->news)
		b->news_time = now;
	b->news = news;
	if (now - b->news_time < NEWS_PATIENCE)
		return 0;
	return COMMIT_INTERVAL;
}

uint64_t cpu_bpf_drain(struct cpu_bpf *b, bool commits, bool last)
{
	bpf_source_drain(&b->source, last);
	if (b->untimed && !last)
		follow_epochs(b, commits);
	if (!last)
		return next_drain(b);
	if (b->untimed)
		take_counts(b, true);
	bpf_source_take_left(&b->source);
	bpf_source_track(&b->source, UINT64_MAX);
	return 0;
}

void cpu_bpf_stop(struct cpu_bpf *b)
{
	bpf_source_disable(&b->source);
	bpf_source_collect(&b->source, b->programs->bss->deferred);
	bpf_source_counts(&b->source, (uint64_t *)&b->counts, sizeof(b->counts) / sizeof(uint64_t));
}

void cpu_bpf_count(const struct cpu_bpf *b, struct event_totals *totals)
{
	totals->lost_known = true;
	totals->lost = b->counts.ring_full;
	totals->map_full = b->counts.map_full;
	totals->passed_over = b->counts.skipped;
}

void cpu_bpf_release(struct cpu_bpf *b)
{
	if (!b)
		return;
	if (b->tallies)
		munmap(b->tallies, tallies_size(b));
	sample_bpf__destroy(b->programs);
	bpf_source_release(&b->source);
	for (int i = 0; i < 2; i++)
		vector_release(&b->epochs[i].rows);
	free(b);
}
