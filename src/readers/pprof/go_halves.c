/* go_halves.c: how do two threads read one long text of `go tool pprof -raw`?
 *
 * The other thread reads the rear half as if that were all, into a profile of its own. What it has
 * found is put behind what is in the front half. When there is anything wrong with it, it has read
 * in vain: then one thread reads all, which can say what is wrong and where. */
#include "readers/pprof/go_halves.h"

#include "base/input_range.h"
#include "base/parallel.h"

#include <stdlib.h>

#define SIZE_MIN   ((uint64_t)8 << 20) /* bytes: the minimum for a second thread */
#define CUT_SEARCH ((size_t)1 << 20)   /* bytes in which a sample must start */

/* Where the last line starts in the input. */
static uint64_t place_of(const struct input *in, struct bytes line)
{
	return in->offset - (uint64_t)(in->window.at - line.at);
}

/* Up to a line of samples that starts at `cut`, or to the end. */
static bool read_to(struct go_sections *s, uint64_t cut, struct bytes *ret_line, bool *ret_more,
	struct error *err)
{
	while (text_lines_next(s->lines, ret_line, ret_more, err)) {
		if (!*ret_more || place_of(s->lines->in, *ret_line) >= cut) {
			go_samples_end(&s->samples);
			return true;
		}
		if (!go_sections_take(s, *ret_line, err))
			return false;
	}
	return false;
}

/* Where a sample starts behind the middle; 0: nowhere near. */
static uint64_t find_cut(const struct input *in, uint64_t size)
{
	uint64_t middle = size / 2;
	struct input_range range = {.lock = PTHREAD_MUTEX_INITIALIZER,
		.at = middle,
		.end = size - middle < CUT_SEARCH ? size : middle + CUT_SEARCH};
	struct bytes text, line;
	struct error ignored = {0};
	struct input here;
	uint64_t found = 0;

	if (input_open_range(&here, in, &range, &ignored) &&
		input_fill(&here, CUT_SEARCH, &ignored)) {
		text = here.window;
		bytes_line(&text, &line); /* not all of it */
		while (!found && bytes_line(&text, &line))
			if (text.len && go_samples_starts(line))
				found = middle + (uint64_t)(line.at - here.window.at);
	}
	input_release(&here);
	return found;
}

struct rear {
	struct input in;
	struct input_range range;
	struct text_lines lines;
	struct profile profile;
	struct go_sections sections;
	bool read;
};

static void rear_release(struct rear *r)
{
	if (!r)
		return;
	go_sections_release(&r->sections);
	profile_release(&r->profile);
	text_lines_release(&r->lines);
	input_release(&r->in);
	memory_free(r);
}

static struct rear *rear_open(const struct go_sections *front, const struct read_options *options,
	uint64_t cut, uint64_t size)
{
	struct rear *r = memory_new(1, sizeof(*r));
	struct error ignored = {0};

	r->range = (struct input_range){.lock = PTHREAD_MUTEX_INITIALIZER, .at = cut, .end = size};
	r->lines.in = &r->in;
	profile_init(&r->profile);
	go_sections_init(&r->sections, &r->lines, &r->profile, options);
	r->sections.samples.types = front->samples.types;
	if (input_open_range(&r->in, front->lines->in, &r->range, &ignored))
		return r;
	rear_release(r);
	return NULL;
}

struct halves {
	struct go_sections *front;
	struct rear *rear;
	uint64_t cut;
	struct bytes line; /* behind the front half */
	bool more, done;
	struct error *err;
};

/* False: one thread is to read all. */
static bool halves_open(struct halves *h, const struct read_options *options)
{
	const struct input *in = h->front->lines->in;
	uint64_t size = input_size(in), cut = 0;

	if (h->front->section == GO_SAMPLES && size >= SIZE_MIN && parallel_thread_count(2) > 1)
		cut = find_cut(in, size);
	h->cut = in->offset + cut;
	h->rear = cut ? rear_open(h->front, options, cut, size) : NULL;
	return h->rear;
}

static void read_half(void *context, size_t i)
{
	struct halves *h = context;
	struct error ignored = {0};
	struct bytes line;
	bool more;

	if (!i)
		h->done = read_to(h->front, h->cut, &h->line, &h->more, h->err);
	else
		h->rear->read = read_to(&h->rear->sections, UINT64_MAX, &line, &more, &ignored);
}

static bool join(const struct halves *h)
{
	struct go_sections *s = h->front;

	return h->rear->read && s->section == GO_SAMPLES &&
	       place_of(s->lines->in, h->line) == h->cut &&
	       go_sections_append(s, &h->rear->sections, s->lines->number - 1);
}

bool go_halves_read(struct go_sections *s, const struct read_options *options, struct error *err)
{
	struct halves h = {.front = s, .err = err};
	bool done;

	if (!halves_open(&h, options))
		return read_to(s, UINT64_MAX, &h.line, &h.more, err);
	parallel_run(2, 1, 2, read_half, &h);
	done = h.done;
	if (done && h.more && !join(&h))
		done = go_sections_take(s, h.line, err) &&
		       read_to(s, UINT64_MAX, &h.line, &h.more, err);
	rear_release(h.rear);
	return done;
}
