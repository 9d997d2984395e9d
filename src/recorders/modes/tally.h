/* tally.h: a table of samples that a mode's events become: one sample for each event with its time
 * or, with --untimed, one for each stack with the sum of the values. */
#ifndef KILN_RECORDERS_MODES_TALLY_H
#define KILN_RECORDERS_MODES_TALLY_H

#include "recorders/programs/source.h"

struct tally_kinds {
	struct bytes kind, unit;   /* of values; no kind: there is only a count */
	struct bytes count, event; /* of the count, and of both */
	bool uneven;		   /* a sample may count as 0 events */
	bool beside;		   /* another tally counts the same events: not in session_counts */
};

struct tally {
	struct bpf_source *source;
	uint32_t samples;	   /* a table of the profile */
	uint32_t stream, streams;  /* its first stream, and how many: values, then the count */
	bool valued, counts, sums; /* counts: each sample has its own */
	bool beside;		   /* see struct tally_kinds */
	uint64_t delivered;	   /* events that the added samples count as */
	uint64_t settles;	   /* when new sums are begun: CLOCK_MONOTONIC, ns */
	VECTOR(struct tally_sum) rows;
	struct id_map by_stack;
};

/* Add the table and its streams to the profile. */
void tally_open(struct tally *t, struct session *s, struct bpf_source *source,
	const struct tally_kinds *kinds);
void tally_release(struct tally *t);

/* Add a sample, whose thread is known; it is given its labels. */
void tally_add(struct tally *t, const struct sample *sample, int64_t value, unsigned count);
/* At each drain: when sums are old or many, close them and begin new ones. */
void tally_settle(struct tally *t);

#endif
