/* diff_folded.c: how do folded files become one with two numbers a line?
 *
 * Beside transforms/compare_options.c, which does this for every input and output, for speed:
 * sorted files, which is what every tool that folds writes, are merged as they are read, without a
 * profile. For 2 x 139 MB that takes 0.12 s of CPU time and 11 MB of memory, against 0.44 s and
 * 65 MB: `bench/diff.sh`. The output is the same.
 *
 * Every file is read once to add up the totals and to see that its lines are sorted, then all are
 * merged. For each file it is known how many bytes its next line shares with the line that was
 * written last. The line that shares the most comes next; only if that does not decide are lines
 * compared, from the end of the shared part on. So common prefixes are not compared again. */
#include "commands/diff_folded.h"

#include "base/parallel.h"
#include "model/sides.h"

#include <pthread.h>
#include <stdlib.h>

#define FLUSH_BYTES  ((size_t)1 << 20)	/* what an output hands on without a copy */
#define WAIT_BYTES   ((size_t)16 << 20) /* of a range that waits for those before it */
#define RANGE_PIECES 4096u		/* of the source that has most; some megabytes of text */

/* ---- Can it be done? ---- */

struct survey {
	struct diff_folded *what;
	atomic_bool unsupported;
};

static void survey_file(void *context, size_t i)
{
	struct survey *s = context;
	const char *path = s->what->files[i].path;

	if (!s->unsupported && !diff_source_survey(&s->what->sources[i], path, s->what->canonical,
				       &s->unsupported))
		s->unsupported = true;
}

/* The sum of all values, of both sides, fits as it has to in a profile. */
static bool sum_up(struct diff_folded *d)
{
	int64_t all = 0;

	d->total[0] = d->total[1] = 0;
	for (size_t i = 0; i < d->count; i++) {
		if (__builtin_add_overflow(all, d->sources[i].total, &all))
			return false;
		d->total[d->files[i].side] += d->sources[i].total;
	}
	return true;
}

bool diff_folded_can(struct diff_folded *d)
{
	struct survey s = {.what = d};

	d->sources = memory_new(d->count, sizeof(*d->sources));
	parallel_run(parallel_thread_count(d->count), 1, d->count, survey_file, &s);
	return !s.unsupported && sum_up(d);
}

void diff_folded_release(struct diff_folded *d)
{
	for (size_t i = 0; d->sources && i < d->count; i++)
		diff_source_release(&d->sources[i]);
	free(d->sources);
	d->sources = NULL;
}

/* ---- Merging ---- */

/* Threads merge ranges of stacks, which are written one after the other. */
struct merges {
	const struct diff_folded *what;
	struct output *out;
	size_t count;
	size_t *from; /* where range i begins in source k: [i * sources + k]; and one more range */
	int64_t *before; /* the sum of before's values in all ranges in front of range i */
	size_t writing;	 /* the range that is being written */
	VECTOR(struct buffer) spare; /* to be used again */
	bool failed;
	struct error err;
	pthread_mutex_t lock;
	pthread_cond_t range_ended;
};

/* A range of stacks. */
struct merge {
	struct merges *all;
	const struct diff_folded *what;
	size_t range;
	struct diff_cursor *cursors;
	struct buffer text; /* lines to be written; the stack of the last one is at `last` */
	size_t last, last_len;
	size_t enough; /* bytes of text at which it should be written */
	struct sides_share share;
};

static struct bytes last_stack(const struct merge *m)
{
	return (struct bytes){m->text.at + m->last, m->last_len};
}

/* The source whose stack is the next, or NULL behind the last. */
static struct diff_cursor *choose(const struct merge *m)
{
	struct diff_cursor *best = NULL;
	size_t ignored;

	for (size_t i = 0; i < m->what->count; i++) {
		struct diff_cursor *c = &m->cursors[i];

		if (c->ended)
			continue;
		if (!best || c->shared > best->shared ||
			(c->shared == best->shared && folded_compare_from(c->stack, best->stack,
							      c->shared, &ignored) < 0))
			best = c;
	}
	return best;
}

/* Add up the values of all lines of `c` that have the stack last written, and see what the next one
 * has in common with it. */
static bool take_lines(struct diff_cursor *c, struct bytes last, int64_t *value, struct error *err)
{
	while (!c->ended && c->shared == last.len && c->stack.len == last.len) {
		*value += c->value;
		if (!diff_cursor_next(c, last, err))
			return false;
	}
	return true;
}

static bool take_values(
	struct merge *m, struct diff_cursor *next, int64_t ret_value[2], struct error *err)
{
	size_t shared = next->shared;

	for (size_t i = 0; i < m->what->count; i++) {
		struct diff_cursor *c = &m->cursors[i];

		/* With less in common than the chosen one had, it still has what it had. */
		if (c->ended || c->shared < shared)
			continue;
		if (c == next)
			c->shared = m->last_len;
		else
			folded_compare_from(last_stack(m), c->stack, shared, &c->shared);
		if (!take_lines(c, last_stack(m), &ret_value[m->what->files[i].side], err))
			return false;
	}
	return true;
}

static void put_values(struct merge *m, int64_t value[2])
{
	if (m->share.whole[0])
		value[0] = sides_share(&m->share, value[0]);
	if (!value[0] && !value[1]) {
		m->text.len = m->last; /* it is still there to be compared with */
		return;
	}
	for (size_t side = 0; side < 2; side++) {
		buffer_char(&m->text, ' ');
		buffer_i64(&m->text, value[side]);
	}
	buffer_char(&m->text, '\n');
}

/* Write the text if all ranges before this one are written; `wait`: until they are. */
static void merge_flush(struct merge *m, bool wait)
{
	struct merges *all = m->all;
	bool is_writing;

	pthread_mutex_lock(&all->lock);
	while (wait && all->writing != m->range)
		pthread_cond_wait(&all->range_ended, &all->lock);
	is_writing = all->writing == m->range;
	pthread_mutex_unlock(&all->lock);
	if (!is_writing) {
		m->enough += FLUSH_BYTES;
		return;
	}
	output_write(all->out, buffer_bytes(&m->text));
	m->text.len = 0;
	m->enough = FLUSH_BYTES;
}

static bool merge_lines(struct merge *m, struct error *err)
{
	struct diff_cursor *next;

	while ((next = choose(m))) {
		int64_t value[2] = {0};

		m->last = m->text.len;
		m->last_len = next->stack.len;
		buffer_add(&m->text, next->stack.at, next->stack.len);
		if (!take_values(m, next, value, err))
			return false;
		put_values(m, value);
		if (m->text.len >= m->enough)
			merge_flush(m, m->text.len >= WAIT_BYTES);
	}
	return true;
}

/* The next range may be written. */
static void merge_end(struct merge *m, bool done, const struct error *err)
{
	struct merges *all = m->all;

	merge_flush(m, true);
	pthread_mutex_lock(&all->lock);
	vector_push(&all->spare, m->text);
	if (!done && !all->failed) {
		all->failed = true;
		all->err = *err;
	}
	all->writing++;
	pthread_cond_broadcast(&all->range_ended);
	pthread_mutex_unlock(&all->lock);
}

static void merge_range(void *context, size_t range)
{
	struct merges *all = context;
	const struct diff_folded *d = all->what;
	const size_t *from = all->from + range * d->count, *to = from + d->count;
	struct merge m = {.all = all, .what = d, .range = range, .enough = FLUSH_BYTES};
	struct error err = {0};
	bool done = true;

	pthread_mutex_lock(&all->lock);
	if (all->spare.len)
		m.text = all->spare.items[--all->spare.len];
	pthread_mutex_unlock(&all->lock);
	m.cursors = memory_new(d->count, sizeof(*m.cursors));
	if (all->before) {
		m.share = (struct sides_share){.whole = {d->total[0], d->total[1]}};
		sides_share(&m.share, all->before[range]);
	}
	for (size_t i = 0; i < d->count && done; i++)
		done = diff_cursor_open(&m.cursors[i], &d->sources[i], from[i], to[i], &err);
	done = done && merge_lines(&m, &err);
	merge_end(&m, done, &err);
	for (size_t i = 0; i < d->count; i++)
		diff_cursor_release(&m.cursors[i]);
	free(m.cursors);
}

/* ---- Ranges ---- */

/* What all are divided by: the source that has most. NULL: one is read from its file, from its
 * start. */
static const struct line_trie *divisible(const struct diff_folded *d)
{
	const struct line_trie *max = NULL;

	for (size_t i = 0; i < d->count; i++) {
		const struct line_trie *lines = &d->sources[i].lines;

		if (d->sources[i].in_order)
			return NULL;
		if (!max || lines->sorted.len > max->sorted.len)
			max = lines;
	}
	return max;
}

static void find_ranges(struct merges *m)
{
	const struct diff_folded *d = m->what;
	const struct line_trie *by = divisible(d);
	size_t pieces = d->range ? d->range : RANGE_PIECES;
	struct buffer start = {0};

	m->count = by && by->sorted.len ? (by->sorted.len - 1) / pieces + 1 : 1;
	m->from = memory_new((m->count + 1) * d->count, sizeof(*m->from));
	for (size_t range = 1; range <= m->count; range++) {
		start.len = 0;
		if (range < m->count)
			line_trie_text(by, range * pieces, &start);
		for (size_t i = 0; i < d->count; i++) {
			const struct line_trie *lines = &d->sources[i].lines;

			m->from[range * d->count + i] =
				range < m->count ? line_trie_place(lines, buffer_bytes(&start))
						 : lines->sorted.len;
		}
	}
	buffer_release(&start);
}

static void sum_range(void *context, size_t range)
{
	struct merges *m = context;
	const struct diff_folded *d = m->what;
	const size_t *from = m->from + range * d->count, *to = from + d->count;

	for (size_t i = 0; i < d->count; i++)
		if (!d->files[i].side)
			m->before[range + 1] += line_trie_sum(&d->sources[i].lines, from[i], to[i]);
}

static void sum_ranges(struct merges *m, unsigned threads)
{
	m->before = memory_new(m->count + 1, sizeof(*m->before));
	if (m->count > 1)
		parallel_run(threads, 1, m->count - 1, sum_range, m);
	for (size_t range = 1; range < m->count; range++)
		m->before[range] += m->before[range - 1];
}

bool diff_folded_write(const struct diff_folded *d, struct output *out, struct error *err)
{
	struct merges m = {.what = d, .out = out};
	unsigned threads;

	pthread_mutex_init(&m.lock, NULL);
	pthread_cond_init(&m.range_ended, NULL);
	find_ranges(&m);
	threads = parallel_thread_count(m.count);
	if (d->normalised && d->total[0] && d->total[1] && d->total[0] != d->total[1])
		sum_ranges(&m, threads);
	parallel_run(threads, 1, m.count, merge_range, &m);
	pthread_mutex_destroy(&m.lock);
	pthread_cond_destroy(&m.range_ended);
	for (size_t i = 0; i < m.spare.len; i++)
		buffer_release(&m.spare.items[i]);
	vector_release(&m.spare);
	free(m.from);
	free(m.before);
	return !m.failed || error_set(err, m.err.code, "%s", m.err.text);
}
