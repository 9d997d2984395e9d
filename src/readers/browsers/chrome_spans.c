/* chrome_spans.c: computes the self times of spans that a trace's events begin and end. */
#include "readers/browsers/chrome_spans.h"

#include <stdlib.h>

#define OPEN_END INT64_MAX /* until an E event ends the span */

/* ---- Their order ---- */

/* Events of one thread and one moment. */
struct at_once {
	const struct chrome_event *event;
};

static uint32_t key_of(const struct chrome_event *e, unsigned pass, int64_t start)
{
	uint64_t time = (uint64_t)e->time - (uint64_t)start;

	return pass == 0 ? (uint32_t)time : pass == 1 ? (uint32_t)(time >> 32) : e->thread;
}

static int at_once_compare(const void *a, const void *b)
{
	const struct at_once *x = a, *y = b;

	if (x->event->phase != y->event->phase)
		return x->event->phase < y->event->phase ? -1 : 1;
	if (x->event->lasts != y->event->lasts)
		return x->event->lasts > y->event->lasts ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

static void sort_at_once(const struct chrome_event *events, struct sort_key *keys, size_t count)
{
	struct at_once *all = memory_new(count, sizeof(*all));

	for (size_t i = 0; i < count; i++)
		all[i].event = &events[keys[i].row];
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

/* Close spans whose duration is over. */
static void close_until(struct chrome_walk *w, int64_t now)
{
	while (w->open.len && w->open.items[w->open.len - 1].end <= now) {
		pass_time(w, w->open.items[w->open.len - 1].end);
		w->open.len--;
	}
	pass_time(w, now);
}

/* A span that begins inside of another one ends with it at the latest. */
static void open_span(struct chrome_walk *w, const struct chrome_event *e)
{
	const struct chrome_span none = {.end = OPEN_END, .stack = w->base};
	const struct chrome_span *outer = w->open.len ? &w->open.items[w->open.len - 1] : &none;
	int64_t end = e->phase == PHASE_BEGIN ? OPEN_END : e->time + e->lasts;
	struct chrome_span span = *outer;

	if (outer->depth == STACK_DEPTH_LIMIT) {
		w->too_deep++;
		return;
	}
	if (end > outer->end && e->phase == PHASE_COMPLETE) {
		w->overlapping++;
		end = outer->end;
	}
	span.depth++;
	if (e->frame &&
		chrome_frames_stack(w->frames, outer->frame, e->frame, &span.stack, &span.depth))
		span.frame = e->frame;
	span.end = end;
	span.name = e->name;
	span.stack = profile_stack(w->stacks->profile, span.stack, e->name);
	vector_push(&w->open, span);
}

/* End the innermost open span of that name, or of any name, and the spans inside it. */
static void close_span(struct chrome_walk *w, const struct chrome_event *e)
{
	size_t at = w->open.len;

	while (at && (w->open.items[at - 1].end != OPEN_END ||
			     (e->name && w->open.items[at - 1].name != e->name)))
		at--;
	if (!at) {
		w->not_begun++;
		return;
	}
	for (size_t i = at; i < w->open.len; i++)
		w->overlapping += w->open.items[i].end != OPEN_END;
	w->open.len = at - 1;
}

void chrome_walk_event(struct chrome_walk *w, const struct chrome_event *e)
{
	close_until(w, e->time);
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
	while (w->open.len) {
		int64_t own = w->open.items[w->open.len - 1].end;

		pass_time(w, own < end ? own : end);
		w->open.len--;
	}
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
