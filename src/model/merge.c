/* merge.c: how do several profiles become one? */
#include "model/merge.h"

#include "base/units.h"
#include "model/copy.h"

#include <stdlib.h>

/* ---- Units ---- */

static bool multiply(struct stream *s, size_t from, int64_t factor)
{
	bool fits = !__builtin_mul_overflow(s->row.fixed_value, factor, &s->row.fixed_value);

	for (size_t i = from; fits && i < s->value.len; i++)
		fits = !__builtin_mul_overflow(s->value.items[i], factor, &s->value.items[i]);
	return fits;
}

/* Convert the values of all streams to the decimals of the finest unit. Streams from `fresh` on
 * have just been added, with `unit`. */
static bool agree_on_unit(
	struct profile *to, size_t fresh, struct bytes unit, string_id unit_id, struct error *err)
{
	string_id known = fresh ? to->streams.items[0].row.unit : unit_id;
	unsigned old = units_decimals(profile_text(to, known)), new = units_decimals(unit);
	bool fits = true;

	for (size_t i = 0; i < to->streams.len; i++) {
		struct stream *s = &to->streams.items[i];

		if (i<fresh &&new> old)
			fits &= multiply(s, 0, units_power(new - old));
		if (i >= fresh && old > new)
			fits &= multiply(s, 0, units_power(old - new));
		s->row.unit = new > old ? unit_id : known;
	}
	return fits || error_set(err, ERR_LIMIT, "the sum of all values exceeds 2^63");
}

bool merge_units_agree(const struct profile *to, const struct view *v)
{
	struct bytes unit = profile_text(v->profile, view_stream(v)->unit);

	return !to->streams.len ||
	       bytes_equal(units_base(unit),
		       units_base(profile_text(to, to->streams.items[0].row.unit)));
}

static bool check_unit(const struct profile *to, const struct view *v, struct error *err)
{
	struct bytes unit = units_base(profile_text(v->profile, view_stream(v)->unit)), known;

	if (merge_units_agree(to, v))
		return true;
	known = units_base(profile_text(to, to->streams.items[0].row.unit));
	return error_set(err, ERR_USAGE,
		"its values are in %.*s, those of the files before it in %.*s; choose a common one "
		"with --kind",
		(int)unit.len, unit.at, (int)known.len, known.at);
}

/* ---- Streams ---- */

static void stream_added(struct profile *to, const struct view *v, size_t from, uint32_t table,
	const size_t *kept, size_t count, const struct merge_part *part)
{
	const struct stream *source = &v->profile->streams.items[from];
	struct stream made = {.row = source->row};
	const struct stream_row *first = to->streams.len ? &to->streams.items[0].row : NULL;

	made.row.kind = first ? first->kind : copy_text(v, to, source->row.kind);
	made.row.event = first ? first->event : copy_text(v, to, source->row.event);
	made.row.unit = copy_text(v, to, source->row.unit);
	made.row.samples = table;
	made.row.side = part->side;
	made.row.run = part->run;
	for (size_t i = 0; source->value.len && i < count; i++)
		vector_push(&made.value, source->value.items[kept[i]]);
	for (size_t i = 0; i < v->profile->losses.len; i++) {
		const struct loss *loss = &v->profile->losses.items[i];

		if (loss->stream == from)
			profile_add_loss(to, (uint32_t)to->streams.len,
				profile_text(v->profile, loss->reason), loss->count);
	}
	vector_push(&to->streams, made);
}

static bool table_is_shown(const struct view *v, uint32_t table)
{
	for (size_t i = 0; i < v->profile->streams.len; i++)
		if (v->streams[i] && v->profile->streams.items[i].row.samples == table)
			return true;
	return false;
}

static void tables_added(struct profile *to, const struct view *v, const struct copied *rows,
	const struct merge_part *part)
{
	for (uint32_t table = 0; table < v->profile->samples.len; table++) {
		uint32_t made = (uint32_t)to->samples.len;
		size_t *kept, count;

		if (!table_is_shown(v, table))
			continue;
		kept = memory_new(v->profile->samples.items[table].count, sizeof(*kept));
		count = copy_samples(v, table, rows, to, kept);
		for (size_t i = 0; i < v->profile->streams.len; i++)
			if (v->streams[i] && v->profile->streams.items[i].row.samples == table)
				stream_added(to, v, i, made, kept, count, part);
		memory_free(kept);
	}
}

static void notes_added(struct profile *to, const struct view *v, const char *name)
{
	struct bytes note;
	size_t at = 0;
	bool own;

	while (view_next_note(v, &at, &note, &own))
		profile_note(to, "%s: %.*s", name, (int)note.len, note.at);
}

static uint64_t add_limits(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

bool profile_merge(
	struct profile *to, const struct view *v, const struct merge_part *part, struct error *err)
{
	struct bytes unit = profile_text(v->profile, view_stream(v)->unit);
	size_t fresh = to->streams.len;
	thread_id *threads = NULL;
	label_set_id *labels;
	stack_id *stacks;

	if (!check_unit(to, v, err) || !view_check_size(v, err))
		return false;
	to->limit = add_limits(to->limit, v->profile->limit);
	stacks = copy_stacks(v, to);
	labels = copy_labels(v, to);
	if (!part->threads)
		threads = copy_threads(v, to);
	tables_added(to, v,
		&(struct copied){stacks, part->threads ? part->threads : threads, labels}, part);
	notes_added(to, v, part->name);
	memory_free(stacks);
	memory_free(threads);
	memory_free(labels);
	return profile_check_rows(to, err) &&
	       agree_on_unit(to, fresh, unit, profile_string(to, unit), err) &&
	       profile_check_values(to, err);
}

/* ---- Means ---- */

static int64_t value_at(const struct stream *s, size_t row)
{
	return s->value.len ? s->value.items[row] : s->row.fixed_value;
}

/* Is each value of the side a multiple of its number of files? */
static bool all_divide(const struct profile *p, const size_t files[2])
{
	for (size_t i = 0; i < p->streams.len; i++) {
		const struct stream *s = &p->streams.items[i];
		int64_t by = (int64_t)files[s->row.side - 1];

		for (size_t row = 0; row < p->samples.items[s->row.samples].count; row++)
			if (value_at(s, row) % by)
				return false;
	}
	return true;
}

static int64_t quotient(int64_t value, int64_t by)
{
	return value / by + value % by * 2 / by;
}

/* `read` and `written` are the sums so far, of values and of their quotients. */
static void divide(struct stream *s, size_t rows, int64_t by, int64_t *read, int64_t *written)
{
	while (s->value.len < rows)
		vector_push(&s->value, s->row.fixed_value);
	for (size_t row = 0; row < rows; row++) {
		int64_t sum;

		*read += s->value.items[row];
		sum = quotient(*read, by);
		s->value.items[row] = sum - *written;
		*written = sum;
	}
}

static bool add_decimals(struct profile *p, struct error *err)
{
	struct bytes unit = profile_text(p, p->streams.items[0].row.unit);
	struct buffer finer = {0};
	bool fits = true;
	string_id id;

	if (!bytes_equal(units_base(unit), BYTES("count")) || units_decimals(unit) > 4)
		return true;
	buffer_printf(&finer, "count/%lld", (long long)units_power(units_decimals(unit) + 2));
	id = profile_string(p, buffer_bytes(&finer));
	buffer_release(&finer);
	for (size_t i = 0; fits && i < p->streams.len; i++) {
		fits = multiply(&p->streams.items[i], 0, 100);
		p->streams.items[i].row.unit = id;
	}
	return fits ? profile_check_values(p, err)
		    : error_set(err, ERR_LIMIT, "the sum of all values exceeds 2^63");
}

bool profile_average(struct profile *p, const size_t files[2], struct error *err)
{
	int64_t read[2] = {0}, written[2] = {0};

	if (p->streams.len && !all_divide(p, files) && !add_decimals(p, err))
		return false;
	for (size_t i = 0; i < p->streams.len; i++) {
		struct stream *s = &p->streams.items[i];
		size_t side = s->row.side - 1;

		if (files[side] > 1)
			divide(s, p->samples.items[s->row.samples].count, (int64_t)files[side],
				&read[side], &written[side]);
	}
	return true;
}
