/* pprof_about.c: reads what a pprof file has about all of its samples. */
#include "base/units.h"
#include "readers/pprof/pprof_file.h"
#include "readers/pprof/sampled_time.h"

#include <stdlib.h>

/* ---- Streams ---- */

static void take_loss(struct pprof *p, uint32_t stream, struct bytes message)
{
	struct protobuf m = protobuf_open(message, &pprof_pair_shape);
	uint64_t reason = 0, count = 0;

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == PPROF_PAIR_FIRST)
			reason = f.value;
		else if (f.number == PPROF_PAIR_SECOND)
			count = f.value;
	}
	profile_add_loss(p->profile, stream, pprof_text_at(p, reason), count);
}

static void take_delivered(struct pprof *p, uint32_t stream, uint64_t delivered)
{
	p->profile->streams.items[stream].row.delivered = delivered;
	p->has_delivered[stream] = true;
}

/* What Kiln wrote beside the name and the unit. */
static void take_stream(struct pprof *p, uint32_t stream, struct bytes own)
{
	struct stream_row *row = &p->profile->streams.items[stream].row;
	struct protobuf m = protobuf_open(own, &pprof_pair_shape);

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == PPROF_TYPE_LOSS && f.wire == PROTOBUF_BYTES)
			take_loss(p, stream, f.bytes);
		if (f.wire != PROTOBUF_VARINT)
			continue;
		if (f.number == PPROF_TYPE_KIND)
			row->kind = pprof_string_made(p, f.value);
		else if (f.number == PPROF_TYPE_EVENT)
			row->event = pprof_string_made(p, f.value);
		else if (f.number == PPROF_TYPE_SIDE)
			row->side = (uint32_t)f.value;
		else if (f.number == PPROF_TYPE_RUN)
			row->run = (uint32_t)f.value;
		else if (f.number == PPROF_TYPE_EXPECTED)
			row->expected = f.value;
		else if (f.number == PPROF_TYPE_DELIVERED)
			take_delivered(p, stream, f.value);
		else if (f.number == PPROF_TYPE_PERIOD)
			row->period = f.value;
	}
}

static void open_stream(struct pprof *p, size_t type)
{
	const struct pprof_sample_type *t = &p->types.items[type];
	struct bytes unit = pprof_unit_to_profile(pprof_text_at(p, t->unit));
	uint32_t stream = profile_add_stream(
		p->profile, p->samples, pprof_text_at(p, t->kind), unit, (struct bytes){0});

	p->stream_of[type] = stream;
	if ((int64_t)p->period > 0 && p->period_type.kind == t->kind &&
		p->period_type.unit == t->unit)
		p->profile->streams.items[stream].row.period = p->period;
	take_stream(p, stream, t->own);
}

/* The one that pprof shows by default is the first of the profile. */
static size_t default_type(struct pprof *p)
{
	struct bytes name = pprof_text_at(p, p->default_type);

	for (size_t i = 0; name.len && i < p->types.len; i++)
		if (bytes_equal(pprof_text_at(p, p->types.items[i].kind), name))
			return i;
	return p->types.len - 1;
}

void pprof_open_streams(struct pprof *p)
{
	size_t first = default_type(p);

	p->samples = profile_add_samples(p->profile);
	open_stream(p, first);
	for (size_t i = 0; i < p->types.len; i++)
		if (i != first)
			open_stream(p, i);
}

/* ---- About the profile ---- */

static void set_meta(struct pprof *p, const char *key, struct bytes value)
{
	if (value.len)
		profile_set_meta(p->profile, bytes_of(key), value);
}

/* The period is the time of a sample, and samples are all that the file counts. */
static bool add_time(struct pprof *p)
{
	struct sampled_time time = {pprof_text_at(p, p->period_type.kind),
		pprof_text_at(p, p->period_type.unit), p->period};

	return p->types.len == 1 &&
	       bytes_equal(pprof_text_at(p, p->types.items[0].kind), BYTES("samples")) &&
	       sampled_time_add(p->profile, p->stream_of[0], &time);
}

/* When the period is in the unit of no stream. */
static void set_period(struct pprof *p)
{
	struct bytes kind = pprof_text_at(p, p->period_type.kind);
	struct buffer text = {0};

	for (size_t i = 0; i < p->types.len; i++)
		if (p->period_type.kind == p->types.items[i].kind &&
			p->period_type.unit == p->types.items[i].unit)
			return;
	if ((int64_t)p->period <= 0 || add_time(p))
		return;
	pprof_number_text(&text, (int64_t)p->period, pprof_text_at(p, p->period_type.unit));
	if (kind.len)
		buffer_printf(&text, " of %.*s", (int)kind.len, kind.at);
	set_meta(p, "period", buffer_bytes(&text));
	buffer_release(&text);
}

static void set_comments(struct pprof *p)
{
	struct buffer text = {0};

	for (size_t i = 0; i < p->comments.len; i++) {
		struct bytes comment = pprof_text_at(p, p->comments.items[i]);

		buffer_printf(&text, "%s%.*s", text.len ? "; " : "", (int)comment.len, comment.at);
	}
	set_meta(p, "comment", buffer_bytes(&text));
	buffer_release(&text);
}

/* Rows that Kiln's own writer copied from its profile. */
static void add_own_meta(struct pprof *p, struct bytes message)
{
	struct protobuf m = protobuf_open(message, &pprof_pair_shape);
	struct meta row = {0};

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == PPROF_PAIR_FIRST)
			row.key = pprof_string_made(p, f.value);
		else if (f.number == PPROF_PAIR_SECOND)
			row.value = pprof_string_made(p, f.value);
	}
	if (row.key)
		vector_push(&p->profile->meta, row);
}

static void set_meta_rows(struct pprof *p, struct bytes content)
{
	const char *end = content.at + content.len;
	struct protobuf m =
		protobuf_open((struct bytes){p->meta, p->meta ? (size_t)(end - p->meta) : 0},
			&pprof_profile_shape);

	for (struct protobuf_field f; protobuf_next(&m, &f);)
		if (f.number == PPROF_META && f.wire == PROTOBUF_BYTES)
			add_own_meta(p, f.bytes);
	if (!p->meta) {
		pprof_set_times(p->profile, p->time, p->duration);
		set_comments(p);
		set_period(p);
		set_meta(p, "documentation", pprof_text_at(p, p->doc_url));
	}
}

/* How many samples came: the sum of a type that counts them, else the number of rows. */
static void set_delivered(struct pprof *p)
{
	uint64_t delivered = p->taken;

	for (size_t i = 0; i < p->profile->streams.len; i++) {
		const struct stream *s = &p->profile->streams.items[i];
		int64_t sum = 0;

		if (!bytes_equal(profile_text(p->profile, s->row.kind), BYTES("samples")) ||
			!bytes_equal(profile_text(p->profile, s->row.unit), BYTES("count")))
			continue;
		for (size_t j = 0; j < s->value.len; j++)
			if (__builtin_add_overflow(sum, s->value.items[j], &sum))
				return; /* profile_check_values reports that */
		delivered = delivered_of_sum(sum);
		break;
	}
	for (size_t i = 0; i < p->profile->streams.len; i++)
		if (!p->has_delivered[i])
			p->profile->streams.items[i].row.delivered = delivered;
}

static void note_oddities(struct pprof *p)
{
	struct pprof_skipped bad = pprof_skipped(p);

	if (bad.count)
		profile_note(p->profile, "%llu of %llu samples skipped, first at byte %llu: %s",
			(unsigned long long)bad.count, (unsigned long long)p->seen,
			(unsigned long long)bad.first, bad.reason);
	if (p->bad_strings)
		profile_note(p->profile, "references to missing strings: %llu",
			(unsigned long long)p->bad_strings);
	if (p->bad_rows)
		profile_note(p->profile, "references to missing functions or mappings: %llu",
			(unsigned long long)p->bad_rows);
	if (p->cut)
		profile_note(p->profile,
			"%llu of %llu stacks are cut, as drop_frames of the file says",
			(unsigned long long)p->cut, (unsigned long long)p->taken);
}

void pprof_set_metadata(struct pprof *p, struct bytes content)
{
	set_delivered(p);
	set_meta_rows(p, content);
	note_oddities(p);
}
