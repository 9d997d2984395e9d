/* source.h: what recorders with programs in the kernel share: targets, stacks, and the order in
 * which records are taken.
 *
 * A mode opens the skeleton of its programs and sets constants of its own; what all of them ask for
 * is the constant `asked`, and all have the maps `ring`, `chunks`, `spaces`, `targets` and `counts`
 * and the iterator `mark` (bpf/targets.h, bpf/stacks.h). What happens to processes comes through
 * the rings of perf_source; each record of a program is taken after what happened before it. */
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

/* A mode's own records: each begins with its kind (enum told). */
struct bpf_records {
	size_t (*size)(uint8_t type); /* 0: no type of the mode */
	/* When it was emitted (CLOCK_MONOTONIC, ns). */
	uint64_t (*time)(const void *record);
	/* False: it makes no sense, which never comes from a kernel. */
	bool (*take)(void *context, const void *record);
};

struct bpf_source {
	struct bpf_object_skeleton *programs;
	const struct bpf_records *records;
	void *context;		/* for records->take */
	unsigned scratch_areas; /* enum scratch_area: how many its programs use; 0: the first two */
	const char *timer;	/* the program that each sample of the CPU clock runs; NULL: none */

	struct bpf_ring ring;
	struct perf_source processes; /* what happens to them */
	struct sampler sampler;
	struct chunk_table chunks;
	struct unwind_feed feed; /* of tables for user stacks... */
	bool by_tables;		 /* ... if they are wanted */
	int stats; /* 1 more than a descriptor: the kernel adds up what programs take; 0: none */
	struct buffer left; /* union DEFERRED_UNION: whose threads had not come back to tell them */
	uint64_t malformed; /* records that are none: never from a kernel */
};

/* Of zeroes. What comes is given to `records` with `context`; release may follow at any time. */
void bpf_source_init(struct bpf_source *source, const struct bpf_records *records, void *context);
/* Can there be programs? Then read the kernel's symbols, for `asked`. First of all. */
bool bpf_source_possible(struct session *s, struct error *err);
/* What is asked for. `origin`: the kernel's function whose tracepoint the programs are on, which is
 * the innermost frame of kernel stacks. */
void bpf_source_ask(struct bpf_source *source, const struct session *s, const char *function,
	struct bpf_config *config);
/* Another such function; nothing where its name is not known. */
struct code_range bpf_source_function(const struct session *s, const char *name);
/* Load the programs, open the rings; the source's `programs` and `timer` are set. Iterators are
 * left for bpf_iterate. */
bool bpf_source_open(struct bpf_source *source, struct session *s, struct error *err);
/* Begin, with all targets marked. `doing`: "attaching to ...". */
bool bpf_source_enable(
	struct bpf_source *source, struct session *s, const char *doing, struct error *err);
/* What capabilities it needs in the meantime. */
capabilities bpf_source_keeps(const struct session *s);
/* CPU time that the programs took, ns, if --max-overhead asks. */
uint64_t bpf_source_spent(const struct bpf_source *source);
/* No more records. */
void bpf_source_disable(struct bpf_source *source);
void bpf_source_release(struct bpf_source *source);

/* Take what is there; `last`: all of it. */
void bpf_source_drain(struct bpf_source *source, bool last);
/* Take a record of the mode that came another way. */
void bpf_source_take(struct bpf_source *source, struct bytes record);
/* After the last of all: what is left to know of processes. */
void bpf_source_track(struct bpf_source *source, uint64_t until);
/* The stack of a thread that ends with a chunk; how it ended is counted in the sampler. */
stack_id bpf_source_stack(struct bpf_source *source, thread_id thread, uint32_t chunk);
/* ... of a thread that is not the sample's: it is not counted. */
stack_id bpf_source_stack_above(struct bpf_source *source, stack_id root, uint32_t chunk);
/* Give a sample, whose thread is known, the labels that were asked for. */
void bpf_source_label(struct bpf_source *source, struct sample *sample);
/* Forget all that a hash map holds. */
void bpf_source_empty(struct bpf_source *source, const char *map, size_t key_size, size_t most);

/* May stacks wait for pages that are not in memory (bpf/pages.h)? Before the programs are loaded,
 * of which `program` is one. With `laters`, the map of that name, of which bpf/deferred.h makes
 * use.
 */
bool bpf_source_waits_for_pages(const struct bpf_source *source, const struct session *s,
	struct bpf_program *program, struct bpf_map *deferred_stacks);
/* Once nothing new is told: keep what still waits for its stack; and, after the last drain, take
 * it. */
void bpf_source_collect(struct bpf_source *source, struct deferred_event *deferred);
void bpf_source_take_left(struct bpf_source *source);

/* The CPUs' `counts`, which are 64-bit words, added up. */
void bpf_source_counts(const struct bpf_source *source, uint64_t *ret_counts, size_t words);
/* How often a program could not run because it was just running on that CPU. */
uint64_t bpf_source_missed(const struct bpf_source *source, const char *program);

/* Samples that were expected and did not come. */
struct bpf_loss {
	const char *reason;
	uint64_t count;
};
/* Say in `count` streams from `first` on what became of all samples; `losses` ends with a NULL
 * reason. Some of it is known only here. */
void bpf_source_account(struct session *s, uint32_t first, uint32_t count, uint64_t expected,
	const struct bpf_loss *losses);

#endif
