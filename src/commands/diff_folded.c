/* diff_folded.c: how do sorted files become one with two numbers a line?
 *
 * Every file is read twice: first to see that nothing has to be taken out of its place, and for the
 * totals; then all are merged. What a line has in common with the last one that was written is kept
 * for each file: the file that has most in common comes next, and only where that does not decide
 * are lines compared, from there on. */
#include "commands/diff_folded.h"

#include "base/output.h"
#include "base/utf8.h"
#include "model/sides.h"
#include "readers/folded_sorted.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define FLUSH_BYTES ((size_t)1 << 20) /* what an output hands on without a copy */

/* ---- Can it be done? ---- */

struct survey {
	const struct diff_folded *what;
	struct look {
		bool plain;
		int64_t total;
	} * looks; /* of each file */
	atomic_size_t next;
	atomic_bool hopeless;
};

/* Is nothing in a stack's frames from `from` on changed on the way into a profile? */
static bool frames_stay(
	const struct canonical *c, struct bytes stack, size_t from, struct buffer *spare)
{
	struct bytes rest = {stack.at + from, stack.len - from}, frame;
	bool part, first = !from;

	if (utf8_clean_length(rest) != rest.len)
		return false;
	for (bool more = true; more; first = false) {
		more = bytes_cut(&rest, ';', &frame);
		if (!more)
			frame = rest;
		if (!canonical_keeps(c, frame) &&
			canonical_function(c, frame, (struct bytes){0}, spare, &part))
			return false;
		if (first && canonical_root(c, frame, spare))
			return false;
	}
	return true;
}

/* Where the first frame begins that the line does not have in common with the one before. */
static size_t first_new_frame(struct bytes stack, size_t shared)
{
	const char *end = shared ? memrchr(stack.at, ';', shared) : NULL;

	return end ? (size_t)(end - stack.at) + 1 : 0;
}

static bool look_at_lines(struct survey *s, struct folded_sorted *f, struct look *look)
{
	struct buffer last = {0}, spare = {0};
	struct error ignored = {0};
	bool good;

	for (;;) {
		good = folded_sorted_next(f, buffer_bytes(&last), &ignored) && f->plain &&
		       !atomic_load_explicit(&s->hopeless, memory_order_relaxed);
		if (!good || f->ended)
			break;
		good = !__builtin_add_overflow(look->total, f->value, &look->total) &&
		       frames_stay(s->what->canonical, f->stack,
			       first_new_frame(f->stack, f->shared), &spare);
		if (!good)
			break;
		last.len = f->shared;
		buffer_add(&last, f->stack.at + f->shared, f->stack.len - f->shared);
	}
	buffer_release(&last);
	buffer_release(&spare);
	return good;
}

static void look_at_file(struct survey *s, size_t index)
{
	struct look *look = &s->looks[index];
	struct error ignored = {0};
	struct folded_sorted f;

	if (folded_sorted_open(&f, s->what->files[index].path, &look->plain, &ignored) &&
		look->plain)
		look->plain = look_at_lines(s, &f, look);
	if (!look->plain)
		atomic_store(&s->hopeless, true);
	folded_sorted_release(&f);
}

static void *survey_work(void *context)
{
	struct survey *s = context;
	size_t index;

	while ((index = atomic_fetch_add(&s->next, 1)) < s->what->count && !s->hopeless)
		look_at_file(s, index);
	return NULL;
}

/* The sum of all values, of both sides, fits as it has to in a profile. */
static bool sum_up(struct diff_folded *d, const struct look *looks)
{
	int64_t all = 0;

	d->total[0] = d->total[1] = 0;
	for (size_t i = 0; i < d->count; i++) {
		if (!looks[i].plain || __builtin_add_overflow(all, looks[i].total, &all))
			return false;
		d->total[d->files[i].side] += looks[i].total;
	}
	return true;
}

bool diff_folded_can(struct diff_folded *d)
{
	struct survey s = {.what = d, .looks = memory_new(d->count, sizeof(*s.looks))};
	pthread_t other;
	bool two, can;

	two = d->count > 1 && !pthread_create(&other, NULL, survey_work, &s);
	survey_work(&s);
	if (two)
		pthread_join(other, NULL);
	can = !s.hopeless && sum_up(d, s.looks);
	free(s.looks);
	return can;
}

/* ---- Merging ---- */

struct merge {
	const struct diff_folded *what;
	struct folded_sorted *files;
	struct buffer text; /* lines to be written; the stack of the last one is at `last` */
	size_t last, last_len;
	bool normalised;
	struct sides_share share;
};

static struct bytes last_stack(const struct merge *m)
{
	return (struct bytes){m->text.at + m->last, m->last_len};
}

static bool changed(const char *path, struct error *err)
{
	return error_set(err, ERR_FORMAT, "%s: changed while it was read", path);
}

static bool merge_open(struct merge *m, struct error *err)
{
	const struct diff_folded *d = m->what;
	bool plain = true;

	for (size_t i = 0; i < d->count && plain; i++) {
		struct folded_sorted *f = &m->files[i];

		if (!folded_sorted_open(f, d->files[i].path, &plain, err) ||
			(plain && !folded_sorted_next(f, (struct bytes){"", 0}, err)))
			return false;
		plain = (plain && f->plain) || changed(d->files[i].path, err);
	}
	return plain;
}

/* The file whose line is the next, or NULL behind the last. */
static struct folded_sorted *choose(const struct merge *m)
{
	struct folded_sorted *best = NULL;
	size_t ignored;

	for (size_t i = 0; i < m->what->count; i++) {
		struct folded_sorted *f = &m->files[i];

		if (f->ended)
			continue;
		if (!best || f->shared > best->shared ||
			(f->shared == best->shared && folded_compare_from(f->stack, best->stack,
							      f->shared, &ignored) < 0))
			best = f;
	}
	return best;
}

/* Add up the values of all lines of `f` that have the stack last written, and see what the next one
 * has in common with it. */
static bool take_lines(
	struct folded_sorted *f, struct bytes last, int64_t *value, struct error *err)
{
	while (!f->ended && f->shared == last.len && f->stack.len == last.len) {
		*value += f->value;
		if (!folded_sorted_next(f, last, err))
			return false;
		if (!f->plain)
			return changed(f->in.name, err);
	}
	return true;
}

static bool take_values(
	struct merge *m, struct folded_sorted *next, int64_t ret_value[2], struct error *err)
{
	size_t shared = next->shared;

	for (size_t i = 0; i < m->what->count; i++) {
		struct folded_sorted *f = &m->files[i];

		/* With less in common than the chosen one had, it still has what it had. */
		if (f->ended || f->shared < shared)
			continue;
		if (f == next)
			f->shared = m->last_len;
		else
			folded_compare_from(last_stack(m), f->stack, shared, &f->shared);
		if (!take_lines(f, last_stack(m), &ret_value[m->what->files[i].side], err))
			return false;
	}
	return true;
}

static void put_values(struct merge *m, int64_t value[2])
{
	if (m->normalised)
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

static bool merge_lines(struct merge *m, struct output *out, struct error *err)
{
	struct folded_sorted *next;

	while ((next = choose(m))) {
		int64_t value[2] = {0};

		m->last = m->text.len;
		m->last_len = next->stack.len;
		buffer_add(&m->text, next->stack.at, next->stack.len);
		if (!take_values(m, next, value, err))
			return false;
		put_values(m, value);
		if (m->text.len < FLUSH_BYTES)
			continue;
		output_write(out, buffer_bytes(&m->text));
		m->text.len = 0;
	}
	output_write(out, buffer_bytes(&m->text));
	return true;
}

bool diff_folded_write(const struct diff_folded *d, const char *path, struct error *err)
{
	struct merge m = {.what = d,
		.files = memory_new(d->count, sizeof(*m.files)),
		.normalised =
			d->normalised && d->total[0] && d->total[1] && d->total[0] != d->total[1],
		.share.whole = {d->total[0], d->total[1]}};
	struct output out = {0};
	bool done = merge_open(&m, err) && output_open(&out, path, 0666, err) &&
		    merge_lines(&m, &out, err) && output_commit(&out, err);

	output_discard(&out);
	for (size_t i = 0; i < d->count; i++)
		folded_sorted_release(&m.files[i]);
	buffer_release(&m.text);
	free(m.files);
	return done;
}
