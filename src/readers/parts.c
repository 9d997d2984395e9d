/* parts.c: how is one long input read by several threads?
 *
 * Each thread reads a part as if it were a whole input, into a profile of its own. At the end these
 * profiles are appended to the first one (model/append.h). Equal parts take unequal times: a thread
 * that is done takes over the second half of what another one has not read yet. */
#include "readers/parts.h"

#include "base/input_range.h"
#include "base/parallel.h"
#include "base/scope.h"
#include "model/append.h"
#include "readers/lines/text_stacks.h"

#include <stdlib.h>

#define PARTS_LIMIT  8u	 /* threads */
#define PIECES_LIMIT 64u /* parts, with those that were taken over */
/* Bytes; a smaller part is read faster than it is appended. */
#define PART_MIN   ((uint64_t)16 << 20)
#define REST_MIN   ((uint64_t)4 << 20) /* bytes to take over at least; as many remain */
#define CUT_SEARCH ((size_t)4 << 20)   /* bytes in which a cut must be possible */

struct part {
	struct input_range range;
	uint64_t start;
	struct profile profile;
	struct read_part state;
	bool read;
};

struct parts {
	const struct reader *reader;
	const struct input *in;
	const struct read_options *options;
	struct part *part[PIECES_LIMIT];
	unsigned count;	      /* of parts */
	pthread_mutex_t lock; /* of the list of parts; locked before that of a range */
};

unsigned parts_count(
	const struct reader *reader, const struct input *in, const struct read_options *options)
{
	uint64_t size = reader->cut ? input_size(in) : 0;

	/* Separate samples have an order, sums do not. And a reader must not choose the event by
	 * the first line. */
	if (options->want & (WANT_TIMES | WANT_THREADS | WANT_CPUS) ||
		(options->style && !options->event) || size < 2 * PART_MIN)
		return 1;
	return parallel_thread_count(size / PART_MIN < PARTS_LIMIT ? size / PART_MIN : PARTS_LIMIT);
}

/* The first position from `start` at which a part can begin; `end`: none nearby. */
static uint64_t find_cut(const struct parts *p, uint64_t start, uint64_t end)
{
	struct input_range range = {.lock = PTHREAD_MUTEX_INITIALIZER, .at = start};
	struct error ignored = {0};
	struct input here;
	uint64_t found = end;

	range.end = end - start > CUT_SEARCH ? start + CUT_SEARCH : end;
	if (input_open_range(&here, p->in, &range, &ignored) &&
		input_fill(&here, CUT_SEARCH, &ignored)) {
		size_t at = p->reader->cut(here.window);

		if (at < here.window.len)
			found = start + at;
	}
	input_release(&here);
	return found;
}

static struct part *add_part(struct parts *p, uint64_t start, uint64_t end)
{
	struct part *part = memory_new(1, sizeof(*part));

	*part = (struct part){.range = {.lock = PTHREAD_MUTEX_INITIALIZER, .at = start, .end = end},
		.start = start};
	profile_init(&part->profile);
	p->part[p->count++] = part;
	return part;
}

static void find_parts(struct parts *p, unsigned count)
{
	uint64_t size = input_size(p->in), start = 0;

	for (unsigned i = 1; i <= count && start < size; i++) {
		uint64_t middle = size / count * i;
		uint64_t end = i < count && middle > start ? find_cut(p, middle, size) : size;

		add_part(p, start, end);
		start = end;
	}
}

static uint64_t rest_of(struct part *part, uint64_t *ret_middle)
{
	uint64_t rest;

	pthread_mutex_lock(&part->range.lock);
	rest = part->range.end - part->range.at;
	*ret_middle = part->range.at + rest / 2;
	pthread_mutex_unlock(&part->range.lock);
	return rest;
}

/* Let the reader of `part` end at `cut`, unless it has read more already. */
static bool cut_off(struct part *part, uint64_t cut, uint64_t *ret_end)
{
	bool before;

	pthread_mutex_lock(&part->range.lock);
	before = cut > part->range.at && cut < part->range.end;
	*ret_end = part->range.end;
	if (before)
		part->range.end = cut;
	pthread_mutex_unlock(&part->range.lock);
	return before;
}

/* Make a part of the second half of what the slowest thread has not read yet; NULL: all rests are
 * too short. Called with the lock. */
static struct part *take_over(struct parts *p)
{
	uint64_t most = 2 * REST_MIN, middle = 0, end;
	struct part *longest = NULL;

	for (unsigned i = 0; i < p->count; i++) {
		uint64_t at, rest = rest_of(p->part[i], &at);

		if (rest >= most) {
			most = rest;
			middle = at;
			longest = p->part[i];
		}
	}
	if (!longest || p->count == PIECES_LIMIT)
		return NULL;
	middle = find_cut(p, middle, middle + most / 2);
	return cut_off(longest, middle, &end) ? add_part(p, middle, end) : NULL;
}

static void read_part(const struct parts *p, struct part *part)
{
	struct read_options options = *p->options;
	struct error ignored = {0};
	struct input in;

	part->state = (struct read_part){.is_continuation = part->start > 0,
		.range = &part->range,
		.size = input_size(p->in),
		.begin = bytes_head(p->in->window, READER_HEAD),
		.head = bytes_head(p->in->window, part->start)};
	options.part = &part->state;
	part->read = input_open_range(&in, p->in, &part->range, &ignored) &&
		     p->reader->read(&in, &options, &part->profile, &ignored) &&
		     !(part->state.depends && part->state.is_continuation);
	/* Stacks are looked up again only in the first part: the others are appended to it. */
	if (part->state.is_continuation)
		callees_release(&part->profile.callees);
	else
		profile_index_stacks(&part->profile);
	input_release(&in);
}

static struct part *take_over_alone(struct parts *p)
{
	struct part *part;

	pthread_mutex_lock(&p->lock);
	scope_hold_lock(&p->lock);
	part = take_over(p);
	scope_drop(&p->lock);
	pthread_mutex_unlock(&p->lock);
	return part;
}

static void read_parts(void *context, size_t i)
{
	struct parts *p = context;
	struct part *part;

	pthread_mutex_lock(&p->lock);
	part = p->part[i];
	pthread_mutex_unlock(&p->lock);
	while (part) {
		read_part(p, part);
		part = part->read ? take_over_alone(p) : NULL;
	}
}

static int in_order(const void *left, const void *right)
{
	const struct part *const *a = left, *const *b = right;

	return ((*a)->start > (*b)->start) - ((*a)->start < (*b)->start);
}

/* Some readers count what the notes of the whole input mention; add up the parts. */
static bool add_notes(const struct parts *p)
{
	struct read_part all = {0};
	struct error ignored = {0};

	for (unsigned i = 0; i < p->count; i++) {
		const struct read_part *part = &p->part[i]->state;

		if (!all.bad.count) {
			all.bad.first = all.lines + part->bad.first;
			all.bad.reason = part->bad.reason;
		}
		all.bad.count += part->bad.count;
		all.lines += part->lines;
		all.samples += part->samples;
		all.counted += part->counted;
		all.add_notes = part->add_notes;
	}
	return !all.lines || read_part_add_notes(&all, &p->part[0]->profile, &ignored);
}

/* Append the next part to the first one, which contains all before it. */
static bool add_next(const struct parts *p, unsigned i)
{
	struct read_part *before = &p->part[i - 1]->state, *state = &p->part[i]->state;
	struct profile *all = &p->part[0]->profile, *next = &p->part[i]->profile;
	struct append_options how = {.one_table = p->reader->one_table,
		.last = i + 1 == p->count,
		.above = before->path.items,
		.above_count = state->above,
		.path = state->path.items,
		.path_len = state->path.len};

	/* A path that was left without entering another one is unknown. */
	if (state->above > before->path.len || (!state->path.len && before->path.len))
		return false;
	if (state->unnamed)
		next->streams.items[0].row.event =
			profile_string(next, profile_text(all, before->event));
	if (!profile_append(all, next, &how))
		return false;
	if (state->unnamed && !state->event)
		state->event = before->event;
	else
		state->event = profile_string(all, profile_text(next, state->event));
	return true;
}

static bool join(struct parts *p)
{
	struct error ignored = {0};
	struct profile *all;
	bool joined = true;

	qsort(p->part, p->count, sizeof(struct part *), in_order);
	all = &p->part[0]->profile;
	for (unsigned i = 0; i < p->count; i++)
		joined = joined && p->part[i]->read &&
			 (i + 1 == p->count || !p->part[i]->state.ended);
	for (unsigned i = 1; joined && i < p->count; i++) {
		joined = add_next(p, i);
		profile_release(&p->part[i]->profile);
	}
	/* A single reader would skip streams beyond the limit. */
	if (p->reader->one_table && all->streams.len > TEXT_STREAMS_LIMIT)
		joined = false;
	return joined && profile_check_values(all, &ignored) && add_notes(p);
}

bool parts_read(const struct reader *reader, struct input *in, const struct read_options *options,
	unsigned count, struct profile *out)
{
	struct parts p = {
		.reader = reader, .in = in, .options = options, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct error ignored = {0};
	bool joined = false;

	if (!input_fill(in, READER_HEAD, &ignored))
		return false;
	find_parts(&p, count < PARTS_LIMIT ? count : PARTS_LIMIT);
	if (p.count > 1) {
		parallel_run(p.count, 1, p.count, read_parts, &p);
		joined = join(&p);
	}
	if (joined) {
		profile_release(out);
		*out = p.part[0]->profile;
		p.part[0]->profile = (struct profile){0};
	}
	for (unsigned i = 0; i < p.count; i++) {
		profile_release(&p.part[i]->profile);
		vector_release(&p.part[i]->state.path);
		memory_free(p.part[i]);
	}
	return joined;
}
