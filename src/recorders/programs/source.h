/* source.h: what recorders with BPF programs have in common: configuring and loading the programs,
 * marking targets, taking events in order, stacks, and losses.
 *
 * A mode opens the skeleton of its programs and sets their constants; `config` is set here. All
 * programs have the maps `ring`, `chunks`, `spaces`, `targets` and `counts` and the iterator `mark`
 * (bpf/mode.h).
 *
 * Order. What happens to processes comes through perf rings (perf/source.h), events of programs
 * through the BPF ring. An event is taken when it is 10 ms old, or at once when the ring fills:
 * then all perf records up to its time have arrived, and are applied first. So the mappings of a
 * process are always those of the event's time.
 *
 * Losses. For each reason that an event is not emitted, programs count it in `counts`; a mode adds
 * up what was expected from these counters (bpf_source_account), and expected = delivered + lost
 * holds for each stream. */
#ifndef KILN_RECORDERS_PROGRAMS_SOURCE_H
#define KILN_RECORDERS_PROGRAMS_SOURCE_H

#include "bpf/shared/config.h"
#include "bpf/shared/events.h"
#include "recorders/perf/source.h"
#include "recorders/programs/chunks.h"
#include "recorders/programs/ring.h"
#include "recorders/sampler.h"
#include "recorders/unwind/feed.h"

struct bpf_map;
struct bpf_object_skeleton;
struct bpf_program;

/* A mode's own events: each begins with its type, EVENT_OF_MODE or above, or EVENT_HIT. */
struct bpf_records {
	size_t (*size)(uint8_t type); /* 0: no type of the mode */
	/* When it was emitted (CLOCK_MONOTONIC, ns). */
	uint64_t (*time)(const void *record);
	/* False: it is malformed, which programs never emit. */
	bool (*take)(void *context, const void *record);
};

struct bpf_source {
	struct bpf_object_skeleton *programs;
	const struct bpf_records *records;
	void *context;		/* for records->take */
	unsigned scratch_areas; /* enum scratch_area: how many its programs use; 0: the first two */
	const char *timer;	/* the program that runs when a timer of a CPU fires; NULL: none */

	struct bpf_ring ring;
	struct perf_source processes; /* what happens to them */
	struct sampler sampler;
	struct chunk_table chunks;
	struct unwind_feed feed; /* the export of unwind tables... */
	bool by_tables;		 /* ... if user stacks are walked with them */
	int stats; /* 1 + a descriptor that lets the kernel measure the time of programs; 0: none */
	struct buffer left; /* deferred events that were not emitted by the end */
	uint64_t malformed; /* events that make no sense: always 0 */
};

/* Of zeroes. Events are passed to `records` with `context`. After this, release is always allowed.
 */
void bpf_source_init(struct bpf_source *source, const struct bpf_records *records, void *context);
/* Can programs be loaded? If so, read the kernel's symbols, which `config` needs. To be called
 * first.
 */
bool bpf_source_possible(struct session *s, struct error *err);
/* Set `config` as the session's options say. `function`: the kernel's function whose tracepoint the
 * programs are attached to; it becomes the innermost frame of kernel stacks. */
void bpf_source_fill_config(struct bpf_source *source, const struct session *s,
	const char *function, struct bpf_config *config);
/* The code of a function of the kernel; zeroes if the name is not known. */
struct code_range bpf_source_function(const struct session *s, const char *name);
/* Load the programs and open the rings; source->programs and source->timer are set by the caller.
 * Iterators are not attached, but run by bpf_iterate. */
bool bpf_source_open(struct bpf_source *source, struct session *s, struct error *err);
/* Attach the programs and mark all targets. `doing`: for messages, "attaching to ...". */
bool bpf_source_enable(
	struct bpf_source *source, struct session *s, const char *doing, struct error *err);
/* The capabilities that it needs while it records. */
capabilities bpf_source_keeps(const struct session *s);
/* CPU time that the programs took, ns; with --max-overhead only. */
uint64_t bpf_source_spent(const struct bpf_source *source);
/* No more events. */
void bpf_source_disable(struct bpf_source *source);
void bpf_source_release(struct bpf_source *source);

/* Take the events that are old enough; `last`: all. */
void bpf_source_drain(struct bpf_source *source, bool last);
/* Take an event of the mode that came another way than by the ring. */
void bpf_source_take(struct bpf_source *source, struct bytes record);
/* Apply the records of processes up to a time. */
void bpf_source_track(struct bpf_source *source, uint64_t until);
/* The stack of a thread that ends with a chunk; how its walk ended is counted in the sampler. */
stack_id bpf_source_stack(struct bpf_source *source, thread_id thread, uint32_t chunk);
/* ... of a thread that is not the sample's, with the root of its stacks; it is not counted. */
stack_id bpf_source_stack_above(struct bpf_source *source, stack_id root, uint32_t chunk);
/* Set the labels of a sample, whose thread is set, if there are any. */
void bpf_source_label(struct bpf_source *source, struct sample *sample);
/* Delete all entries of a hash map. */
void bpf_source_empty(struct bpf_source *source, const char *map, size_t key_size, size_t most);

/* May programs wait for pages of stacks that are not in memory (bpf/pages.h)? To be called before
 * the programs are loaded, of which `program` is one. `deferred_stacks`: the map of that name,
 * which gets its size, or NULL. */
bool bpf_source_waits_for_pages(const struct bpf_source *source, const struct session *s,
	struct bpf_program *program, struct bpf_map *deferred_stacks);
/* When the programs are detached, collect the deferred events that are not emitted yet; and after
 * the last drain, take them. */
void bpf_source_collect(struct bpf_source *source, struct deferred_event *deferred);
void bpf_source_take_left(struct bpf_source *source);

/* The sums of the counters of all CPUs, which are 64-bit words. */
void bpf_source_counts(const struct bpf_source *source, uint64_t *ret_counts, size_t words);
/* How often the kernel did not run a program because it was running on that CPU already. */
uint64_t bpf_source_missed(const struct bpf_source *source, const char *program);

/* Samples that were expected and are lost. */
struct bpf_loss {
	const char *reason;
	uint64_t count;
};
/* Store in `count` streams from `first` on how many samples were expected, and the losses by
 * reason; `losses` ends with a NULL reason. */
void bpf_source_account(struct session *s, uint32_t first, uint32_t count, uint64_t expected,
	const struct bpf_loss *losses);

#endif
