/* chrome_spans.h: how long did what a trace's events begin and end take itself?
 *
 * Spans of a thread nest by their times, which are in any order in the file. */
#ifndef KILN_READERS_BROWSERS_CHROME_SPANS_H
#define KILN_READERS_BROWSERS_CHROME_SPANS_H

#include "base/sort.h"
#include "readers/browsers/chrome_frames.h"

/* In the order in which events of one moment count. */
enum chrome_phase { PHASE_END, PHASE_BEGIN, PHASE_COMPLETE };

struct chrome_event {
	int64_t time, lasts; /* ns; no sum or difference of two overflows */
	location_id name;    /* 0: none */
	uint32_t thread;     /* any number */
	uint32_t frame;	     /* in chrome_frames: the stack at its beginning; 0: none */
	uint8_t phase;
};

/* The events' rows: thread by thread, by time; of what begins together the longer one first. To be
 * freed. */
struct sort_key *chrome_events_sorted(const struct chrome_event *events, size_t count);

/* A walk through the events of one thread after the other; all but `stacks`, `frames` and `err`
 * begin with zeroes. */
struct chrome_walk {
	struct text_stacks *stacks; /* get the self times, in ns */
	struct chrome_frames *frames;
	struct error *err;
	uint64_t not_begun, not_ended, overlapping, too_deep; /* inconsistent events */
	struct sample sample;
	stack_id base;
	int64_t last;
	VECTOR(struct chrome_span {
		int64_t end;
		location_id name;
		stack_id stack;
		uint32_t frame; /* the innermost one of the call stack that is known */
		uint32_t depth; /* of the stack */
	})
	open;
};
/* The spans of a thread, with `base` as the caller of all. */
void chrome_walk_begin(struct chrome_walk *w, struct sample sample, stack_id base);
void chrome_walk_event(struct chrome_walk *w, const struct chrome_event *e);
void chrome_walk_end(struct chrome_walk *w);
void chrome_walk_release(struct chrome_walk *w);

#endif
