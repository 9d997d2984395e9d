/* cpu_bpf.c: samples of the CPU clock, taken by a program in the kernel. */
#include "recorders/cpu_bpf.h"

#include <errno.h>
#include <stdlib.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "recorders/bpf_source.h"
#include "recorders/bpf_support.h"
#include "sample.skel.h"

#define EPOCH_TIME                                                                                 \
	((uint64_t)10000000000) /* ns: how often counts are taken out of the kernel...             \
				 */
#define EPOCH_PERCENT 50	/* ... or when the table is as full as this */
#define TALLY_BYTES   64	/* of memory, about, that a row of the table takes */

/* The ring wakes the recorder up when it fills: until then there is no hurry, but while processes
 * begin and map code. ns: */
#define NEWS_PATIENCE ((uint64_t)2000000000)
#define INTERVAL      ((uint64_t)1000000000)

struct cpu_bpf {
	struct sample_bpf *programs;
	struct bpf_source source;
	bool untimed;
	uint64_t epoch_ends;	  /* CLOCK_MONOTONIC, ns */
	uint64_t epoch_begins[2]; /* ... of even and odd ones */
	uint32_t room;		  /* rows of the table */
	bool rest;		  /* the epoch before has not been taken out yet */
	uint64_t news;		  /* bytes that were told of processes... */
	uint64_t news_time;	  /* ... the last of them then: CLOCK_MONOTONIC, ns */
	struct sample_counts counts;
};

/* ---- Records ---- */

static bool add_samples(
	struct cpu_bpf *b, struct sample *sample, const struct tally_key *who, uint64_t count)
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
	return sampler_add(sampler, 0, sample, idle, count);
}

static void add_counted(
	struct cpu_bpf *b, const struct tally_key *who, uint32_t epoch, uint64_t count)
{
	struct sample sample = {.has = SAMPLE_THREAD, .time = b->epoch_begins[epoch & 1]};

	add_samples(b, &sample, who, count);
}

/* Where they are counted, only those whose threads had not come back to do so. */
static bool take_sample(void *context, const void *record)
{
	struct cpu_bpf *b = context;
	const struct told_sample *told = record;
	struct tally_key who = {.pid = told->pid, .tid = told->tid, .chunk = told->chunk};
	struct sample sample = {.has = SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU,
		.time = told->time,
		.cpu = told->cpu};

	if (!b->untimed)
		return add_samples(b, &sample, &who, 1);
	add_counted(b, &who, b->programs->bss->epoch, 1);
	return true;
}

static size_t sample_size(uint8_t told)
{
	return told == TOLD_SAMPLE ? sizeof(struct told_sample) : 0;
}

static uint64_t sample_time(const void *record)
{
	return ((const struct told_sample *)record)->time;
}

static const struct bpf_records sample_records = {sample_size, sample_time, take_sample};

/* ---- Counts ---- */

/* Take out what was counted, but for the present epoch unless `all`. */
static void take_counts(struct cpu_bpf *b, bool all)
{
	int fd = bpf_map__fd(b->programs->maps.tallies);
	uint32_t now = b->programs->bss->epoch;
	struct tally_key key, next;
	bool more = !bpf_map_get_next_key(fd, NULL, &next);
	uint64_t count;

	for (size_t i = 0; more && i < 2 * TALLIES_MOST; i++) {
		key = next;
		more = !bpf_map_get_next_key(fd, &key, &next);
		if ((key.epoch == now && !all) || bpf_map_lookup_elem(fd, &key, &count))
			continue;
		add_counted(b, &key, key.epoch, count);
		bpf_map_delete_elem(fd, &key);
	}
	b->programs->bss->tallied[~now & 1] = 0;
}

static void begin_epoch(struct cpu_bpf *b, uint64_t now)
{
	struct sample_bpf__bss *bss = b->programs->bss;

	b->epoch_ends = now + EPOCH_TIME;
	b->epoch_begins[(bss->epoch + 1) & 1] = now;
	__atomic_fetch_add(&bss->epoch, 1, __ATOMIC_SEQ_CST);
}

/* No program that began before still counts in the old epoch when the next drain comes. */
static void follow_epochs(struct cpu_bpf *b)
{
	struct sample_bpf__bss *bss = b->programs->bss;
	uint64_t now = monotonic_ns();

	if (b->rest)
		take_counts(b, false);
	b->rest = now >= b->epoch_ends ||
		  bss->tallied[bss->epoch & 1] * 100 >= (uint64_t)b->room * EPOCH_PERCENT;
	if (!b->rest)
		return;
	begin_epoch(b, now);
}

uint64_t cpu_bpf_slice(struct cpu_bpf *b)
{
	uint64_t now = monotonic_ns();

	if (!b->untimed)
		return now;
	if (b->rest)
		take_counts(b, false);
	b->rest = true;
	begin_epoch(b, now);
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

static bool open_programs(struct cpu_bpf *b, const struct session *s, struct error *err)
{
	struct sample_bpf__rodata *constants;

	b->programs = sample_bpf__open();
	if (!b->programs)
		return bpf_error(err, -errno, "opening the programs for the kernel");
	constants = b->programs->rodata;
	bpf_source_ask(&b->source, s, "", &constants->asked);
	constants->untimed = b->untimed;
	b->source.programs = b->programs->skeleton;
	b->room = s->options->ring_bytes / TALLY_BYTES < TALLIES_MOST && s->options->ring_bytes
			  ? (uint32_t)(s->options->ring_bytes / TALLY_BYTES)
			  : TALLIES_MOST;
	bpf_map__set_max_entries(b->programs->maps.tallies, b->untimed ? b->room : 1);
	constants->wait_for_pages = bpf_source_waits_for_pages(
		&b->source, s, b->programs->progs.on_sample, b->programs->maps.laters);
	return true;
}

/* What may fail does so here, while rings can still take the place of programs. */
static bool attach(struct cpu_bpf *b, struct error *err)
{
	int code = bpf_object__attach_skeleton(b->programs->skeleton);

	return !code || bpf_error(err, code, "attaching to the scheduler");
}

struct cpu_bpf *cpu_bpf_open(struct session *s, struct error *err)
{
	struct cpu_bpf *b = memory_new(1, sizeof(*b));

	b->untimed = s->options->untimed;
	bpf_source_init(&b->source, &sample_records, b);
	b->source.timer = "on_sample";
	if (bpf_source_possible(s, err) && open_programs(b, s, err) &&
		bpf_source_open(&b->source, s, err) && attach(b, err)) {
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
	return bpf_source_enable(&b->source, s, "attaching to the timer", err);
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
	return INTERVAL;
}

uint64_t cpu_bpf_drain(struct cpu_bpf *b, bool last)
{
	bpf_source_drain(&b->source, last);
	if (b->untimed && !last)
		follow_epochs(b);
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
	bpf_source_collect(&b->source, b->programs->bss->later);
	bpf_source_counts(&b->source, (uint64_t *)&b->counts, sizeof(b->counts) / sizeof(uint64_t));
}

void cpu_bpf_count(const struct cpu_bpf *b, struct event_totals *totals)
{
	totals->lost_known = true;
	totals->lost = b->counts.ring_full;
	totals->map_full = b->counts.map_full;
	totals->passed_over = b->counts.passed_over;
}

void cpu_bpf_release(struct cpu_bpf *b)
{
	if (!b)
		return;
	sample_bpf__destroy(b->programs);
	bpf_source_release(&b->source);
	free(b);
}
