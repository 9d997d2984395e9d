/* chrome_spans.h: how long did what a trace's events begin and end take itself?
 *
 * Spans of a thread nest by their times, which are in any order in the file. */
#ifndef KILN_READERS_BROWSERS_CHROME_SPANS_H
#define KILN_READERS_BROWSERS_CHROME_SPANS_H

#include "base/sort.h"
#include "readers/browsers/chrome_frames.h"

enum chrome_phase { PHASE_END, PHASE_BEGIN, PHASE_COMPLETE };

struct chrome_event {
	int64_t time, lasts; /* ns; no sum or difference of two overflows */
	location_id name;    /* 0: none */
	uint32_t thread;     /* any number */
	uint32_t frame;	     /* in chrome_frames: the stack at its beginning; 0: none */
	uint8_t phase;
};

/* The events' rows: thread by thread, by time. At one moment spans end before others begin, a span
 * that takes no time ends after it began, and the longer of two X events begins first. To be freed.
 */
struct sort_key *chrome_events_sorted(const struct chrome_event *events, size_t count);

/* A walk through the events of one thread after the other; all but `stacks`, `frames` and `err`
 * begin with zeroes. */
struct chrome_walk {
	struct text_stacks *stacks; /* get the self times, in ns */
	struct chrome_frames *frames;
	struct error *err;
	/* Inconsistent events; `moved` ones end after the span that they are in, and continue
	 * outside it, unless there are too many: those are `cut`. */
	uint64_t not_begun, not_ended, moved, cut, too_deep;
	double moved_ns; /* how long the moved ones continued */
	struct sample sample;
	stack_id base;
	int64_t last;
	VECTOR(struct chrome_span {
		int64_t end;
		location_id name;
		stack_id stack;
		uint32_t frame;	   /* the innermost one of the call stack that is known */
		uint32_t depth;	   /* of the stack */
		uint32_t begun_in; /* the frame of its event */
		bool moved;
		int64_t moved_at; /* the end of the span that it began in */
	})
	open;
	uint64_t deeper; /* open B events in more spans than STACK_DEPTH_LIMIT: not in `open` */
	bool crossing;	 /* a span may end after the one that it is in */
};
/* The spans of a thread, with `base` as the caller of all. */
void chrome_walk_begin(struct chrome_walk *w, struct sample sample, stack_id base);
void chrome_walk_event(struct chrome_walk *w, const struct chrome_event *e);
void chrome_walk_end(struct chrome_walk *w);
void chrome_walk_release(struct chrome_walk *w);

#endif
