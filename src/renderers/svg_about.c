/* svg_about.c: what should everybody who sees the picture know about its profile? */
#include "renderers/svg_about.h"

#include "base/units.h"
#include "model/idle.h"
#include "model/sides.h"
#include "renderers/text.h"

#include <stdlib.h>

#define COMMAND_LETTERS 80 /* of a command line; the rest is cut */
#define NOTE_LETTERS	60 /* a single note up to this length is shown in full */

static void part_begin(struct buffer *out)
{
	if (out->len)
		buffer_text(out, " \xC2\xB7 ");
}

static void share(struct buffer *out, int64_t part, int64_t whole)
{
	units_percent_nonzero(out, part, whole);
	buffer_char(out, '%');
}

/* ---- Losses ---- */

/* Losses of the shown streams: all of them for reason 0, otherwise those with that reason. */
static uint64_t lost(const struct view *v, string_id reason)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < v->profile->losses.len; i++) {
		const struct loss *loss = &v->profile->losses.items[i];

		if (v->streams[loss->stream] && (!reason || loss->reason == reason))
			sum += loss->count;
	}
	return sum;
}

static uint64_t expected(const struct view *v)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < v->profile->streams.len; i++) {
		const struct stream_row *row = &v->profile->streams.items[i].row;

		if (v->streams[i])
			sum += row->expected
				       ? row->expected
				       : row->delivered + profile_lost(v->profile, (uint32_t)i);
	}
	return sum;
}

static bool reason_seen(const struct view *v, size_t before)
{
	for (size_t i = 0; i < before; i++)
		if (v->streams[v->profile->losses.items[i].stream] &&
			v->profile->losses.items[i].reason ==
				v->profile->losses.items[before].reason)
			return true;
	return false;
}

static void describe_losses(const struct view *v, struct buffer *out)
{
	int64_t all = (int64_t)expected(v), gone = (int64_t)lost(v, 0);
	bool first = true;

	if (!gone)
		return;
	part_begin(out);
	buffer_text(out, "lost ");
	share(out, gone, all);
	buffer_text(out, " (");
	for (size_t i = 0; i < v->profile->losses.len; i++) {
		const struct loss *loss = &v->profile->losses.items[i];
		struct bytes reason = profile_text(v->profile, loss->reason);
		int64_t count = (int64_t)lost(v, loss->reason);

		if (!v->streams[loss->stream] || !loss->count || reason_seen(v, i))
			continue;
		if (!first)
			buffer_text(out, ", ");
		first = false;
		buffer_add(out, reason.at, reason.len);
		if (count != gone) {
			buffer_char(out, ' ');
			share(out, count, all);
		}
	}
	buffer_char(out, ')');
}

/* ---- Idle ---- */

static int64_t stream_sum(const struct view *v, size_t s)
{
	const struct stream *stream = &v->profile->streams.items[s];
	size_t count = v->profile->samples.items[stream->row.samples].count;
	int64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		if (view_node(v, stream->row.samples, i) != NODE_DROPPED)
			sum += stream_value(stream, i);
	return sum;
}

static void describe_idle(const struct view *v, int64_t shown, struct buffer *out)
{
	size_t count = v->profile->streams.len, first = 0;
	int64_t idle = 0;

	while (first < count && !v->streams[first])
		first++;
	for (size_t s = 0; s < count && first < count; s++)
		if (!v->streams[s] && stream_is_idle_of(v->profile, s, first))
			idle += stream_sum(v, s);
	if (idle <= 0)
		return;
	part_begin(out);
	buffer_text(out, "idle samples left out (");
	share(out, idle, idle + shown);
	buffer_text(out, " of all)");
}

/* ---- Incomplete stacks ---- */

static bool frame_is_truncation(const struct view *v, frame_id id)
{
	struct frame frame = view_frame_at(v, id);

	return frame.kind == FRAME_META &&
	       bytes_starts_with(view_text(v, frame.function), BYTES("[truncated"));
}

static void describe_truncation(const struct view *v, const int64_t *total, struct buffer *out)
{
	size_t frames = view_frame_count(v), nodes = v->tree.caller.len;
	bool *truncation = memory_new(frames, sizeof(*truncation));
	bool any = false;
	int64_t sum = 0;

	for (size_t i = 1; i < frames; i++)
		any |= truncation[i] = frame_is_truncation(v, (frame_id)i);
	for (size_t i = 1; any && i < nodes; i++)
		if (truncation[v->tree.frame.items[i]])
			sum += total[i];
	memory_free(truncation);
	if (sum <= 0)
		return;
	part_begin(out);
	share(out, sum, total[0]);
	buffer_text(out, " of stacks truncated");
}

/* ---- All of it ---- */

/* "after: b.folded against before: a.folded" */
static void describe_sides(const struct view *v, struct buffer *out)
{
	if (!profile_meta(v->profile, BYTES("before")).len)
		return;
	part_begin(out);
	sides_name(v->profile, 1, out);
	buffer_text(out, " against ");
	sides_name(v->profile, 0, out);
}

static void describe_first(const struct view *v, const char *first, struct buffer *out)
{
	struct bytes command = profile_meta(v->profile, BYTES("command"));
	size_t keep = command.len;

	if (first) {
		buffer_text(out, first);
		return;
	}
	if (keep > COMMAND_LETTERS)
		for (keep = COMMAND_LETTERS; keep && (command.at[keep] & 0xC0) == 0x80;)
			keep--;
	buffer_add(out, command.at, keep);
	if (keep < command.len)
		buffer_text(out, "...");
}

static void describe_kind(const struct view *v, struct buffer *out)
{
	const struct stream_row *shown = view_stream(v);
	struct bytes name = profile_text(v->profile, shown->event ? shown->event : shown->kind);

	for (size_t s = 0; s < v->profile->streams.len; s++) {
		const struct stream_row *row = &v->profile->streams.items[s].row;

		if (row->event == shown->event || stream_is_idle(v->profile, s))
			continue;
		part_begin(out);
		buffer_add(out, name.at, name.len);
		return;
	}
}

/* The view's own notes in full. The profile's notes in full only if there is a single short one;
 * otherwise only their number. */
static void describe_notes(const struct view *v, struct buffer *out)
{
	struct bytes note, last = {"", 0};
	size_t at = 0, notes = 0;
	bool own;

	while (view_next_note(v, &at, &note, &own)) {
		if (own) {
			part_begin(out);
			buffer_add(out, note.at, note.len);
		} else {
			last = note;
			notes++;
		}
	}
	if (!notes)
		return;
	part_begin(out);
	if (notes == 1 && last.len <= NOTE_LETTERS)
		buffer_add(out, last.at, last.len);
	else
		buffer_printf(out, "%zu note%s", notes, notes > 1 ? "s" : "");
}

void about_line(const struct view *v, const int64_t *total, const char *first, struct buffer *out)
{
	describe_first(v, first, out);
	describe_sides(v, out);
	describe_kind(v, out);
	describe_losses(v, out);
	describe_idle(v, total[0], out);
	describe_truncation(v, total, out);
	describe_notes(v, out);
}

void about_below_zero(const struct view *v, int64_t below, struct buffer *out)
{
	if (!below)
		return;
	part_begin(out);
	text_stream_value(out, v->profile, view_stream(v), below);
	buffer_text(out, " in negative values not drawn");
}

void about_notes(const struct view *v, struct buffer *out)
{
	struct bytes note;
	size_t at = 0;
	bool own;

	while (view_next_note(v, &at, &note, &own)) {
		if (out->len)
			buffer_char(out, '\n');
		buffer_add(out, note.at, note.len);
	}
}
