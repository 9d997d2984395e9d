/* chrome_spans.c: computes the self times of spans that a trace's events begin and end. */
#include "readers/browsers/chrome_spans.h"

#include <stdlib.h>
#include <string.h>

#define OPEN_END     INT64_MAX /* until an E event ends the span */
#define NESTED_LIMIT 256u      /* spans in one another that begin and end in one moment */
#define MOVED_LIMIT  256u      /* spans that continue when the one that they are in ends */

/* ---- Their order ---- */

/* An event of a moment that several events of a thread share. */
struct at_once {
	const struct chrome_event *event, *begin; /* of an E event: its B event of this moment */
};

static uint32_t key_of(const struct chrome_event *e, unsigned pass, int64_t start)
{
	uint64_t time = (uint64_t)e->time - (uint64_t)start;

	return pass == 0 ? (uint32_t)time : pass == 1 ? (uint32_t)(time >> 32) : e->thread;
}

/* E events that end earlier spans come first, then B events, each with its E event, then X events,
 * the longest first. */
static unsigned rank_of(const struct at_once *a)
{
	if (a->event->phase == PHASE_COMPLETE)
		return 2;
	return a->event->phase == PHASE_BEGIN || a->begin;
}

static const struct chrome_event *begin_of(const struct at_once *a)
{
	return a->begin ? a->begin : a->event;
}

static int at_once_compare(const void *a, const void *b)
{
	const struct at_once *x = a, *y = b;
	unsigned left = rank_of(x), right = rank_of(y);

	if (left != right)
		return left < right ? -1 : 1;
	if (x->event->lasts != y->event->lasts)
		return x->event->lasts > y->event->lasts ? -1 : 1;
	if (begin_of(x) != begin_of(y))
		return begin_of(x) < begin_of(y) ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

/* Which E events end a span that began in the same moment? Those whose B event is before them in
 * the file; the events are in the order of the file. */
static void pair_at_once(struct at_once *all, size_t count)
{
	size_t *begun = memory_new(count, sizeof(*begun)), depth = 0;

	for (size_t i = 0; i < count; i++) {
		const struct chrome_event *e = all[i].event;
		size_t at = depth, last = depth > NESTED_LIMIT ? depth - NESTED_LIMIT : 0;

		if (e->phase == PHASE_BEGIN)
			begun[depth++] = i;
		if (e->phase != PHASE_END)
			continue;
		while (at > last && e->name && all[begun[at - 1]].event->name != e->name)
			at--;
		if (at == last)
			continue;
		all[i].begin = all[begun[at - 1]].event;
		memmove(begun + at - 1, begun + at, (depth - at) * sizeof(*begun));
		depth--;
	}
	memory_free(begun);
}

static void sort_at_once(const struct chrome_event *events, struct sort_key *keys, size_t count)
{
	struct at_once *all = memory_new(count, sizeof(*all));

	for (size_t i = 0; i < count; i++)
		all[i] = (struct at_once){.event = &events[keys[i].row]};
	pair_at_once(all, count);
	qsort(all, count, sizeof(*all), at_once_compare);
	for (size_t i = 0; i < count; i++)
		keys[i].row = (uint32_t)(all[i].event - events);
	memory_free(all);
}

static bool same_moment(const struct chrome_event *events, struct sort_key a, struct sort_key b)
{
	const struct chrome_event *x = &events[a.row], *y = &events[b.row];

	return x->time == y->time && x->thread == y->thread;
}

struct sort_key *chrome_events_sorted(const struct chrome_event *events, size_t count)
{
	struct sort_key *keys = memory_new(count, sizeof(*keys));
	int64_t start = INT64_MAX;

	for (size_t i = 0; i < count; i++) {
		keys[i].row = (uint32_t)i;
		if (events[i].time < start)
			start = events[i].time;
	}
	for (unsigned pass = 0; pass < 3; pass++) {
		for (size_t i = 0; i < count; i++)
			keys[i].key = key_of(&events[keys[i].row], pass, start);
		sort_keys(keys, count);
	}
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && same_moment(events, keys[i], keys[next]);)
			next++;
		if (next > i + 1)
			sort_at_once(events, keys + i, next - i);
	}
	return keys;
}

/* ---- Self times ---- */

/* Add the time until now to the innermost open frame. */
static void pass_time(struct chrome_walk *w, int64_t now)
{
	int64_t lasted;

	if (w->open.len && now > w->last && !w->err->code) {
		lasted = now - w->last;
		w->sample.stack = w->open.items[w->open.len - 1].stack;
		w->sample.time = w->last < 0 ? 0 : (uint64_t)w->last;
		w->sample.duration = (uint64_t)lasted;
		text_stacks_add_stack(w->stacks, w->sample, &lasted, w->err);
	}
	w->last = now > w->last ? now : w->last;
}

/* Does any span end after the one that it is in? Mostly none does: then the innermost one ends
 * first. */
static bool any_crossing(const struct chrome_walk *w)
{
	for (size_t i = 1; i < w->open.len; i++)
		if (w->open.items[i].end > w->open.items[i - 1].end)
			return true;
	return false;
}

/* The open span that ends first, of several the innermost. */
static size_t first_to_end(const struct chrome_walk *w)
{
	size_t first = w->open.len - 1;

	for (size_t i = first; w->crossing && i-- > 0;)
		if (w->open.items[i].end < w->open.items[first].end)
			first = i;
	return first;
}

/* Set a span's stack: its name below the span it is in, or below the call stack it began in. */
static void set_stack(struct chrome_walk *w, struct chrome_span *span, uint32_t frame,
	const struct chrome_span *outer)
{
	span->stack = outer->stack;
	span->frame = outer->frame;
	span->depth = outer->depth + 1;
	span->begun_in = frame;
	if (frame &&
		chrome_frames_stack(w->frames, outer->frame, frame, &span->stack, &span->depth))
		span->frame = frame;
	span->stack = profile_stack(w->stacks->profile, span->stack, span->name);
}

static struct chrome_span outermost(const struct chrome_walk *w)
{
	return (struct chrome_span){.end = OPEN_END, .stack = w->base};
}

/* A span ends: how long did it continue outside of the one that it began in? */
static void count_moved(struct chrome_walk *w, const struct chrome_span *span, int64_t now)
{
	if (!span->moved)
		return;
	w->moved++;
	w->moved_ns += (double)(now - span->moved_at);
}

/* The span `at` ends now. Those in it that last longer cannot be nested: they continue in the span
 * that it was in. Beyond MOVED_LIMIT they end, too. */
static void remove_span(struct chrome_walk *w, size_t at, int64_t now)
{
	struct chrome_span outer = at ? w->open.items[at - 1] : outermost(w);
	size_t len = at;

	count_moved(w, &w->open.items[at], now);
	for (size_t i = at + 1; i < w->open.len; i++) {
		struct chrome_span span = w->open.items[i];

		w->cut += span.end > now && len - at == MOVED_LIMIT;
		if (span.end <= now || len - at == MOVED_LIMIT) {
			count_moved(w, &span, now);
			continue;
		}
		set_stack(w, &span, span.begun_in, &outer);
		if (!span.moved)
			span.moved_at = now;
		span.moved = true;
		w->open.items[len++] = outer = span;
	}
	w->open.len = len;
	w->crossing = w->crossing && any_crossing(w);
}

/* Close spans whose duration is over: those that end before `now`, or then, too. */
static void close_until(struct chrome_walk *w, int64_t now, bool including)
{
	while (w->open.len) {
		size_t first = first_to_end(w);
		int64_t end = w->open.items[first].end;

		if (end > now || (end == now && !including))
			break;
		pass_time(w, end);
		remove_span(w, first, end);
	}
	pass_time(w, now);
}

static void open_span(struct chrome_walk *w, const struct chrome_event *e)
{
	struct chrome_span none = outermost(w);
	const struct chrome_span *outer = w->open.len ? &w->open.items[w->open.len - 1] : &none;
	struct chrome_span span = {
		.name = e->name, .end = e->phase == PHASE_BEGIN ? OPEN_END : e->time + e->lasts};

	if (outer->depth == STACK_DEPTH_LIMIT) {
		w->too_deep++;
		w->deeper += e->phase == PHASE_BEGIN;
		return;
	}
	w->crossing |= span.end > outer->end;
	set_stack(w, &span, e->frame, outer);
	vector_push(&w->open, span);
}

/* End the innermost open span of that name, or of any name, and B events in it. */
static void close_span(struct chrome_walk *w, const struct chrome_event *e)
{
	size_t at = w->open.len;

	if (w->deeper) {
		w->deeper--;
		return;
	}
	while (at && (w->open.items[at - 1].end != OPEN_END ||
			     (e->name && w->open.items[at - 1].name != e->name)))
		at--;
	if (!at) {
		w->not_begun++;
		return;
	}
	for (size_t i = at; i < w->open.len; i++)
		if (w->open.items[i].end == OPEN_END)
			w->open.items[i].end = e->time;
	remove_span(w, at - 1, e->time);
}

void chrome_walk_event(struct chrome_walk *w, const struct chrome_event *e)
{
	close_until(w, e->time, e->phase != PHASE_END);
	if (e->phase == PHASE_END)
		close_span(w, e);
	else
		open_span(w, e);
}

/* A span without an end lasts until the thread's last event. */
void chrome_walk_end(struct chrome_walk *w)
{
	int64_t end = w->last;

	for (size_t i = 0; i < w->open.len; i++) {
		if (w->open.items[i].end == OPEN_END)
			w->not_ended++;
		else if (w->open.items[i].end > end)
			end = w->open.items[i].end;
	}
	close_until(w, end, true);
	while (w->open.len)
		remove_span(w, w->open.len - 1, end);
	w->crossing = false;
	w->deeper = 0;
}

void chrome_walk_begin(struct chrome_walk *w, struct sample sample, stack_id base)
{
	w->sample = sample;
	w->base = base;
	w->last = INT64_MIN;
}

void chrome_walk_release(struct chrome_walk *w)
{
	vector_release(&w->open);
}
