/* perf_data.c: what `perf record` wrote, as a file or into a pipe.
 *
 * Records take the same way to stacks as those of a live recording, and samples go to the same
 * streams as those in the text of `perf script`:
 *
 *	process/perf_file.h	cuts the file into records, and knows its events
 *	process/perf_order.h	puts records in the order of their times
 *	process/processes.h	keeps what programs map where, at the time of a sample
 *	process/walks.h		unwinds stack copies, in several threads, in the samples' order
 *	process/stacks.h	makes stacks of frames out of addresses
 *	perf_events.h		puts samples into a stream for each event
 *	perf_losses.h		counts lost samples by reason
 *	perf_waiting.h		keeps samples whose stacks are made later, so that observers see
 *				the samples first (struct read_observer)
 *
 * In the end addresses get their names (process/symbolize.h is the caller's: loading/). */
#include "readers/perf/perf_events.h"
#include "readers/perf/perf_kernel.h"
#include "readers/perf/perf_losses.h"
#include "readers/perf/perf_waiting.h"
#include "readers/readers.h"

#include "base/spool.h"
#include "images/kernel.h"
#include "names/cgroup_names.h"
#include "process/perf_order.h"
#include "process/stacks.h"
#include "process/walks.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>

/* Off-CPU samples are written when the recording ends, numbered from here instead of timed. */
#define OFF_CPU_TIMES ((uint64_t)0xFFFFFFFF << 32)

/* Bytes of the file. */
#define PASSED_STEP  ((uint64_t)32 << 20)
#define PREPARE_STEP ((uint64_t)256 << 10)
#define PREPARED     ((uint64_t)16 << 20) /* at most, ahead of the record that is read */

#define OBSERVE_EVERY 1024u /* samples that get their stacks between two calls of the observer */

struct data {
	struct profile *profile;
	const struct read_options *options;
	struct input *in;
	struct perf_file file;
	uint64_t passed; /* bytes of the file that have been reported to the input as read */
	_Atomic uint64_t at, prepared; /* the byte of the file being read, and the end of its
					  mapping, for other threads */
	struct perf_order order;
	struct binaries binaries;
	struct processes processes;
	struct stacks stacks;
	struct walks *walks; /* when samples have stack copies; else NULL */
	struct perf_events events;
	struct perf_losses losses;
	struct perf_waiting waiting; /* samples without a stack: used only with an observer */
	struct kernel *kernel;	     /* the running one, if it is the recorded one; else NULL */
	bool kernel_expected;	     /* there was a sample in the kernel */
	bool kernel_own;	     /* the running kernel is the recorded one */
	bool kernel_assumed;	     /* it fits, but the file does not say which it is */
	size_t build_ids;	     /* how many of the file's are known to the binaries */
	size_t events_known;	     /* how many of its events have streams */
	uint64_t samples;
	uint64_t last_time; /* of a record, ns */
	uint64_t stray;	    /* samples with the id of no event */
	uint64_t unwalked;  /* samples with stack copies of a machine that is unknown */
	VECTOR(struct perf_counted) counted; /* by events of groups, when they were last read */
	struct id_map counted_by_id;	     /* to its row plus one */
	struct error failed;		     /* while samples were delivered */
	struct error damaged;		     /* of the last record that could not be decoded: here,
					      * because to clear one for each record takes 5% of
					      * the time (bench/perf_data.sh) */
	uint64_t malformed;		     /* records with a field beyond their end */
};

static void data_release(struct data *d)
{
	perf_losses_release(&d->losses);
	perf_events_release(&d->events);
	walks_release(d->walks);
	perf_waiting_release(&d->waiting);
	vector_release(&d->counted);
	id_map_release(&d->counted_by_id);
	perf_order_release(&d->order);
	stacks_release(&d->stacks);
	processes_release(&d->processes);
	binaries_release(&d->binaries);
	perf_file_release(&d->file);
	kernel_release_for_reuse(d->kernel);
}

/* ---- Events ---- */

/* Does each sample have a period of its own? */
static bool has_period(const struct perf_file_event *event)
{
	return event->layout.sample_type & PERF_SAMPLE_PERIOD ||
	       (!event->attr.freq && event->attr.sample_period);
}

static uint64_t period_of(const struct perf_file_event *event, const struct perf_sample *sample)
{
	if (event->layout.sample_type & PERF_SAMPLE_PERIOD)
		return sample->period;
	return event->attr.freq ? 0 : event->attr.sample_period;
}

/* The requested columns that the event has. */
static unsigned columns(const struct data *d, const struct perf_file_event *event)
{
	const uint64_t type = event->layout.sample_type;
	unsigned has = 0;

	/* An event with a chosen clock (perf record -k) has times to be compared with those of
	 * other files, such as jitdumps. */
	if ((d->options->want & WANT_TIMES || event->attr.use_clockid) && type & PERF_SAMPLE_TIME)
		has |= SAMPLE_TIME;
	if ((d->options->want & WANT_THREADS) && type & PERF_SAMPLE_TID)
		has |= SAMPLE_THREAD;
	if ((d->options->want & WANT_CPUS) && type & PERF_SAMPLE_CPU)
		has |= SAMPLE_CPU;
	if (d->options->want & WANT_LABELS && type & PERF_SAMPLE_CGROUP)
		has |= SAMPLE_LABELS;
	return has;
}

/* ---- What the file says about itself ---- */

/* If the file has no build id of its kernel, the running kernel is taken for it when both the
 * kernel's release and the host's name are the same. Addresses still have to agree
 * (process/symbolize.h). */
static void identify_kernel(struct data *d)
{
	const struct perf_file_info *about = &d->file.about;
	char hex[65], raw[32];
	struct utsname own;
	uint64_t byte;
	size_t len = 0;

	if (!about->release.len || uname(&own))
		return;
	d->binaries.other_kernel = !bytes_equal(about->release, bytes_of(own.release));
	if (d->binaries.other_kernel || !bytes_equal(about->host, bytes_of(own.nodename)) ||
		!kernel_build_id_text(hex))
		return;
	while (len < sizeof(raw) && bytes_hex((struct bytes){hex + 2 * len, 2}, &byte))
		raw[len++] = (char)byte;
	binaries_add_build_id(&d->binaries, BYTES("[kernel.kallsyms]"), (struct bytes){raw, len});
}

/* False for the event that perf opens only for records about processes. */
static bool is_sampled(const struct perf_event_attr *attr)
{
	return attr->type != PERF_TYPE_SOFTWARE || attr->config != PERF_COUNT_SW_DUMMY;
}

/* Use new information about the file: in a pipe it comes among the records, before its use. */
static void learn(struct data *d)
{
	const struct perf_file_info *about = &d->file.about;

	for (; d->build_ids < about->build_ids.len; d->build_ids++) {
		const struct perf_file_build_id *row = &about->build_ids.items[d->build_ids];

		binaries_add_build_id(&d->binaries, row->path,
			(struct bytes){(const char *)row->build_id, row->size});
	}
	if (d->events_known == d->file.events.len)
		return;
	identify_kernel(d);
	if (about->arch.len || d->file.swapped)
		d->stacks.arch = arch_by_name(about->arch);
	perf_file_name_events(&d->file);
	for (; d->events_known < d->file.events.len; d->events_known++) {
		const struct perf_file_event *event = d->file.events.items[d->events_known];

		if (is_sampled(&event->attr))
			perf_events_open(&d->events, buffer_bytes(&event->name), columns(d, event),
				has_period(event));
	}
}

static void set_meta(struct data *d, const char *key, struct bytes value)
{
	if (value.len)
		profile_set_meta(d->profile, bytes_of(key), value);
}

/* Is it known that the samples of all events have this clock? */
static bool has_clock(const struct data *d, int32_t clock)
{
	for (size_t i = 0; i < d->file.events.len; i++) {
		const struct perf_event_attr *attr = &d->file.events.items[i]->attr;

		if (!attr->use_clockid || attr->clockid != clock)
			return false;
	}
	return d->file.events.len > 0;
}

static void describe(struct data *d)
{
	const struct perf_file_info *about = &d->file.about;
	struct buffer recorder = {0};

	if (has_clock(d, CLOCK_MONOTONIC))
		set_meta(d, "clock", BYTES("monotonic"));
	set_meta(d, "host", about->host);
	set_meta(d, "kernel", about->release);
	set_meta(d, "arch", about->arch);
	set_meta(d, "command", about->command);
	if (about->version.len)
		buffer_printf(&recorder, "perf %.*s", (int)about->version.len, about->version.at);
	set_meta(d, "recorder", buffer_bytes(&recorder));
	buffer_release(&recorder);
	for (size_t i = 0; about->clock_known && i < d->profile->streams.len; i++)
		d->profile->streams.items[i].row.wall_offset = about->wall_offset;
}

/* ---- Samples ---- */

/* A file without the kernel's release has no build id of it either. */
static bool assume_kernel(struct data *d)
{
	struct error hidden = {0};
	struct kernel *running;

	if (d->file.about.release.len)
		return false;
	running = kernel_open(&hidden);
	d->kernel_assumed =
		running && perf_kernel_assume(d->profile, d->processes.kernel_space, running);
	kernel_release_for_reuse(running);
	return d->kernel_assumed;
}

static void open_own_kernel(struct data *d)
{
	struct error hidden = {0};
	uint64_t base;

	d->kernel = kernel_open(&hidden);
	d->kernel_own = d->kernel && perf_kernel_is_running(d->profile, &base) &&
			kernel_text_start(d->kernel) == base;
	if (d->kernel_own)
		d->stacks.kernel = d->kernel;
}

/* Names of kernel functions will be needed: for naming, and already here if a CPU is idle, as only
 * they show why it was interrupted. */
static void expect_kernel(struct data *d, const struct perf_record *r)
{
	const struct perf_words chain = r->sample.callchain;
	bool in_kernel = (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL ||
			 (chain.count && chain.at[0] == (uint64_t)PERF_CONTEXT_KERNEL);
	bool idle = !r->identity.pid && !r->identity.tid;
	uint64_t base;

	if (in_kernel && !d->kernel_expected) {
		d->kernel_expected = true;
		d->kernel_own = perf_kernel_is_running(d->profile, &base) || assume_kernel(d);
		if (d->kernel_own && !d->kernel_assumed)
			kernel_prefetch();
	}
	if (idle && d->kernel_own && !d->kernel)
		open_own_kernel(d);
}

static label_set_id label_of(struct data *d, uint64_t cgroup)
{
	string_id path = processes_cgroup(&d->processes, cgroup);

	if (!path)
		return 0;
	return profile_label(d->profile, 0, profile_string(d->profile, BYTES(LABEL_CGROUP)), path);
}

/* The sample without its stack. */
static struct perf_event_sample sample_of(struct data *d, const struct walk_job *job)
{
	const struct perf_file_event *event = job->event;
	const struct perf_identity *id = &job->record.identity;
	struct perf_event_sample sample = {.event = buffer_bytes(&event->name),
		.has = columns(d, event),
		.thread = job->thread,
		.time = id->time,
		.period = job->period,
		.cpu = id->cpu < NO_CPU ? (uint16_t)id->cpu : NO_CPU};

	if (sample.has & SAMPLE_LABELS)
		sample.labels = label_of(d, job->record.sample.cgroup);
	sample.idle = stacks_idle(&d->stacks, &job->record);
	if (sample.time >= OFF_CPU_TIMES)
		sample.time = d->last_time;
	else
		d->last_time = sample.time;
	return sample;
}

static bool add_row(struct data *d, const struct perf_event_sample *sample, struct error *err)
{
	d->samples++;
	return perf_events_add(&d->events, sample, err);
}

/* ---- The file's pages ---- */

/* Page faults of the mapped file take much of the time of reading it. Threads that have no stack to
 * walk take them in advance, piece by piece. Two threads may take the same piece, which does no
 * harm. */
static bool prepare(void *context)
{
	struct data *d = context;
	uint64_t at = atomic_load_explicit(&d->at, memory_order_relaxed);
	uint64_t start = atomic_load_explicit(&d->prepared, memory_order_relaxed);

	if (start < at + PREPARE_STEP)
		start = at + PREPARE_STEP;
	if (!at || start > at + PREPARED)
		return false;
	atomic_store_explicit(&d->prepared, start + PREPARE_STEP, memory_order_relaxed);
	return input_prefault(d->in, start, PREPARE_STEP);
}

/* The file has been read up to `record`. Unmap its pages while it is read: that costs half as much
 * as mapping them, and would otherwise be left to one thread at the end. The last PASSED_STEP bytes
 * stay, as samples that are still being walked, and records of other CPUs, are in them. */
static void pass(struct data *d, const char *record)
{
	uint64_t at = (uint64_t)(record - d->file.content.at);

	atomic_store_explicit(&d->at, at, memory_order_relaxed);
	if (at < d->passed + 2 * PASSED_STEP)
		return;
	d->passed = at - PASSED_STEP;
	input_drop_pages(d->in, d->passed);
}

/* ---- Stacks ---- */

/* Make the stack of a sample whose stack copy, if it has one, has been walked, and add the sample's
 * row; or, if the sample has waited and has its row (job->row), set the stack in it. */
static bool deliver(void *context, const struct walk_job *job, struct error *err)
{
	struct data *d = context;
	const struct perf_waiting_sample *row = job->row;
	const struct deferred_sample moment = {.record = &job->record,
		.thread = job->thread,
		.process = job->process,
		.space = job->space,
		.user = job->has_copy ? &job->frames : NULL};
	struct perf_event_sample sample = row ? (struct perf_event_sample){0} : sample_of(d, job);

	sample.stack = stacks_add_deferred(&d->stacks, &moment, STACK_USER | STACK_KERNEL).stack;
	if (!row)
		return add_row(d, &sample, err);
	d->profile->samples.items[row->samples].stack.items[row->row] = sample.stack;
	return true;
}

/* The first stack copy starts the threads; from then on all samples go through them, to stay in
 * order. */
static bool walk(struct data *d, struct walk_job *job, struct error *err)
{
	d->unwalked += !d->stacks.arch && job->record.sample.stack_user.len;
	job->has_copy = unwinder_supports(d->stacks.arch, &job->record.sample) &&
			job->record.sample.regs_user_abi != PERF_SAMPLE_REGS_ABI_NONE;
	if (job->has_copy && !d->walks)
		d->walks = walks_new(d->stacks.arch, &d->binaries,
			&(struct walks_callbacks){deliver, prepare, d});
	return d->walks ? walks_add(d->walks, job, err) : deliver(d, job, err);
}

static void notify_observer(const struct data *d)
{
	const struct read_observer *observer = d->options->observer;

	if (observer)
		observer->observe(observer->context, d->profile);
}

/* Make the stacks of all waiting samples. all: no more samples come. */
static bool give_stacks(struct data *d, bool all, struct error *err)
{
	bool done = true;

	for (size_t i = 0; done && i < d->waiting.rows.len; i++) {
		struct walk_job job = perf_waiting_job(&d->waiting, i);

		if (all && i % OBSERVE_EVERY == 0)
			notify_observer(d);
		pass(d, d->waiting.rows.items[i].at);
		done = walk(d, &job, err);
	}
	done = done && (!d->walks || walks_finish(d->walks, err));
	perf_waiting_drop(&d->waiting);
	return done;
}

/* With an observer, a sample gets its row now and its stack later (perf_waiting.h). That needs a
 * row for each sample, and a record that stays where it is: not one of a decompressed block. */
static bool submit(struct data *d, const struct perf_file_record *record, struct walk_job *job,
	struct error *err)
{
	struct perf_event_sample sample;

	if (!d->options->observer || record->block)
		return walk(d, job, err);
	sample = sample_of(d, job);
	if (!perf_events_has_rows(&d->events, &sample))
		return walk(d, job, err);
	if (!add_row(d, &sample, err))
		return false;
	perf_waiting_add(
		&d->waiting, job, record->bytes.at, d->events.last_samples, d->events.last_row);
	return !perf_waiting_is_full(&d->waiting) || give_stacks(d, false, err);
}

/* What the event has counted since it was last read. */
static uint64_t counted_since(struct data *d, const struct perf_counted *now)
{
	uint64_t hash = hash_pair(now->id, 0), before;
	size_t at = id_map_first(&d->counted_by_id, hash);

	for (uint32_t row; (row = id_map_candidate(&d->counted_by_id, hash, &at));)
		if (d->counted.items[row - 1].id == now->id) {
			before = d->counted.items[row - 1].value;
			d->counted.items[row - 1].value = now->value;
			return now->value - before;
		}
	vector_push(&d->counted, *now);
	id_map_insert_at(&d->counted_by_id, hash, at, (uint32_t)d->counted.len);
	return now->value;
}

/* A sample that reads the whole group (`perf record -e '{a,b}:S'`) is one of each event that has
 * counted something since. */
static bool submit_group(struct data *d, const struct perf_file_record *record,
	struct walk_job *job, struct error *err)
{
	size_t count = perf_sample_counts(&job->record.sample);

	for (size_t i = 0; i < count; i++) {
		struct perf_counted now = perf_sample_count(&job->record.sample, i);
		const struct perf_file_event *event = perf_file_event_of(&d->file, now.id);

		job->event = event;
		job->period = counted_since(d, &now);
		d->stray += !event;
		if (event && job->period && !submit(d, record, job, err))
			return false;
	}
	return true;
}

static bool take_sample(struct data *d, const struct perf_file_record *record,
	const struct perf_record *r, struct error *err)
{
	const struct perf_identity *id = &r->identity;
	const struct process_state *process;
	struct walk_job job = {.record = *r,
		.event = record->event,
		.period = period_of(record->event, &r->sample)};

	expect_kernel(d, r);
	job.thread = processes_thread(&d->processes, (int32_t)id->pid, (int32_t)id->tid);
	process = processes_get(&d->processes, (int32_t)id->pid);
	job.process = process->process;
	job.space = process->space;
	return perf_sample_counts(&r->sample) ? submit_group(d, record, &job, err)
					      : submit(d, record, &job, err);
}

static bool take(struct data *d, const struct perf_file_record *record, struct error *err)
{
	struct perf_record r;

	if (!record->event) {
		d->stray++;
		return true;
	}
	/* Records of waiting samples are read again. */
	if (!record->block && !d->waiting.rows.len)
		pass(d, record->bytes.at);
	learn(d);
	if (!perf_record_decode(record->bytes, &record->event->layout, &r, &d->damaged)) {
		d->malformed++;
		return true;
	}
	if (r.type == PERF_RECORD_SAMPLE)
		return take_sample(d, record, &r, err);
	perf_losses_add(&d->losses, record->event, &r);
	processes_apply(&d->processes, &r);
	return true;
}

/* ---- Ends ---- */

/* What the file says of the machine is behind the records. */
static void note_truncated(struct data *d)
{
	const struct perf_file *f = &d->file;

	if (f->cut)
		profile_note(d->profile,
			"truncated: %llu bytes of records are missing at the end, and all that "
			"follows them: the command, the machine and build ids%s",
			(unsigned long long)f->cut,
			d->kernel_assumed ? "; the running kernel is assumed, whose code has the "
					    "same address and size"
					  : "");
	else if (d->kernel_assumed)
		profile_note(d->profile,
			"the file does not say which kernel was recorded: the running one is "
			"assumed, whose code has the same address and size");
	if (f->cut_sections)
		profile_note(d->profile,
			"truncated: %llu section%s missing behind the records, with the command, "
			"the machine, names of events or build ids",
			(unsigned long long)f->cut_sections,
			f->cut_sections == 1 ? " is" : "s are");
}

static void note_damage(struct data *d)
{
	const struct perf_file *f = &d->file;

	if (f->killed)
		profile_note(d->profile, "perf did not finish the file (was it killed?): "
					 "everything up to its end is read");
	note_truncated(d);
	if (*f->damage)
		profile_note(d->profile, "read up to %s", f->damage);
	if (d->stray + d->malformed)
		profile_note(d->profile,
			"skipped %llu records: %llu of unknown events, %llu with fields beyond "
			"their end",
			(unsigned long long)(d->stray + d->malformed), (unsigned long long)d->stray,
			(unsigned long long)d->malformed);
	if (f->unknown + f->misplaced + f->about.damaged)
		profile_note(d->profile,
			"skipped %llu records or sections with metadata: unknown or damaged",
			(unsigned long long)(f->unknown + f->misplaced + f->about.damaged));
	if (d->order.late)
		profile_note(d->profile,
			"%llu records are out of order (older than the end of the previous round): "
			"some names may be wrong",
			(unsigned long long)d->order.late);
	if (f->auxtraces)
		profile_note(d->profile,
			"skipped %llu hardware traces (%llu bytes): Kiln reads only samples",
			(unsigned long long)f->auxtraces, (unsigned long long)f->auxtrace);
}

static void note_unwalked(struct data *d)
{
	struct bytes arch = d->file.about.arch;

	if (!arch.len)
		arch = BYTES("an unknown machine");
	if (d->unwalked)
		profile_note(d->profile,
			"%llu samples have copies of stacks that Kiln does not unwind: they are of "
			"%.*s, and Kiln knows x86_64 and aarch64; their user stacks are the "
			"function that was sampled, or call chains of the kernel",
			(unsigned long long)d->unwalked, (int)arch.len, arch.at);
}

static bool finish(struct data *d, struct error *err)
{
	const struct perf_file *f = &d->file;

	if (!d->samples && f->about.in_folder && !f->parts.len)
		return error_set(err, ERR_FORMAT,
			"no samples: perf record --threads has written them to the files data.0, "
			"data.1, ... beside it; name the folder");
	if (!d->samples && (*f->damage || f->cut || f->killed))
		return error_set(err, ERR_FORMAT, "no samples before the damage: %s",
			*f->damage  ? f->damage
			: f->killed ? "perf did not finish the file"
				    : "it is truncated");
	learn(d);
	perf_losses_finish(&d->losses, d->last_time, &d->events);
	perf_events_finish(&d->events);
	describe(d);
	if (!give_stacks(d, true, err))
		return false;
	processes_name_loaded(&d->processes);
	binaries_identify(&d->binaries);
	stacks_add_meta(&d->stacks);
	note_unwalked(d);
	note_damage(d);
	notify_observer(d);
	return true;
}

/* Finish all walks before the order drops blocks, from which their samples borrow. */
static bool let_go(void *context)
{
	struct data *d = context;

	return !d->walks || walks_finish(d->walks, &d->failed);
}

static bool read_records(struct data *d, struct error *err)
{
	struct perf_file_record record;

	d->order.file = &d->file;
	d->order.release_blocks = let_go;
	d->order.context = d;
	while (perf_order_next(&d->order, &record))
		if (!take(d, &record, err))
			return false;
	if (d->failed.code) {
		*err = d->failed;
		return false;
	}
	return (!d->walks || walks_finish(d->walks, err)) && finish(d, err);
}

/* A file that does not say which machine it is of is taken to be of this one. */
static const struct arch *own_arch(void)
{
	struct utsname own;

	return arch_native() || uname(&own) ? arch_native() : arch_by_name(bytes_of(own.machine));
}

/* Of a recording in a folder, the first part is the file, and the others have only records. */
static bool open_file(struct data *d, struct bytes content, struct error *err)
{
	size_t count;
	const struct input_part *parts = input_parts(d->in, &count);

	if (!count)
		return perf_file_open(&d->file, content, err);
	if (!perf_file_open(&d->file, (struct bytes){content.at, (size_t)parts[0].end}, err))
		return false;
	perf_file_add_parts(&d->file, content, parts + 1, count - 1);
	return true;
}

static bool perf_data_read(struct input *in, const struct read_options *options,
	struct profile *out, struct error *err)
{
	static const struct binary_locations usual;
	struct data d = {.profile = out, .options = options, .in = in, .events = {.profile = out}};
	struct spool spool = {0};
	struct bytes content;
	bool done;

	if (!spool_input(&spool, in, &content, err) || !open_file(&d, content, err)) {
		spool_release(&spool);
		return false;
	}
	binaries_init(&d.binaries, out);
	d.binaries.binary_locations =
		options->binary_locations ? options->binary_locations : &usual;
	d.binaries.recorded = input_time(in);
	processes_init(&d.processes, out, &d.binaries);
	stacks_init(&d.stacks, out, &d.processes, NULL, own_arch());
	done = read_records(&d, err);
	data_release(&d);
	spool_release(&spool);
	return done;
}

static int perf_data_bid(struct bytes head)
{
	return bytes_starts_with(head, BYTES(PERF_FILE_MAGIC)) ||
			       bytes_starts_with(head, BYTES(PERF_FILE_MAGIC_BIG)) ||
			       bytes_starts_with(head, BYTES("PERFFILE"))
		       ? 8 * 8
		       : 0;
}

const struct reader reader_perf_data = {
	.name = "perf-data",
	.about = "`perf record` files and folders: perf.data",
	.expects = "the bytes PERFILE2",
	.proof = "18 recordings of perf 6.1 compared with perf script, stacks with libdwfl; files "
		 "of both byte orders since Linux 3.10; stacks of 64-bit Arm with the calls in the "
		 "programs' sources, unwind rules with libdw",
	.bid = perf_data_bid,
	.read = perf_data_read,
};
