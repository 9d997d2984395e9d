/* export.c: which samples of which thread are written to files for other programs? */
#include "renderers/export.h"

#include "base/units.h"

#include <stdlib.h>

#define FLUSH_SIZE ((size_t)64 << 10)

/* ---- Parts ---- */

/* The samples of a table that the view shows, by thread; thread t's begin at starts[t]. */
static uint32_t *samples_by_thread(
	const struct view *v, uint32_t table, size_t threads, size_t *starts)
{
	const struct samples *s = &v->profile->samples.items[table];
	uint32_t *sorted = memory_new(s->count ? s->count : 1, sizeof(*sorted));

	for (size_t i = 0; i < s->count; i++)
		if (view_node(v, table, i) != NODE_DROPPED)
			starts[(s->thread.len ? s->thread.items[i] : 0) + 1]++;
	for (size_t i = 1; i <= threads; i++)
		starts[i] += starts[i - 1];
	for (size_t i = 0; i < s->count; i++)
		if (view_node(v, table, i) != NODE_DROPPED)
			sorted[starts[s->thread.len ? s->thread.items[i] : 0]++] = (uint32_t)i;
	for (size_t i = threads; i > 0; i--)
		starts[i] = starts[i - 1];
	starts[0] = 0;
	return sorted;
}

static void stream_parts(struct export_parts *e, uint32_t stream)
{
	const struct view *v = e->view;
	size_t threads = v->profile->threads.len;
	size_t *starts = memory_new(threads + 1, sizeof(*starts));
	uint32_t *sorted = samples_by_thread(
		v, v->profile->streams.items[stream].row.samples, threads, starts);

	vector_push(&e->owned, sorted);
	for (size_t i = 0; i < threads; i++)
		if (starts[i + 1] > starts[i])
			vector_push(
				&e->parts, ((struct export_part){stream, (thread_id)i,
						   sorted + starts[i], starts[i + 1] - starts[i]}));
	memory_free(starts);
}

void export_parts_init(struct export_parts *e, const struct view *v, bool shown_only)
{
	*e = (struct export_parts){.view = v};
	for (uint32_t i = 0; i < v->profile->streams.len; i++)
		if (!shown_only || v->streams[i])
			stream_parts(e, i);
}

void export_parts_release(struct export_parts *e)
{
	for (size_t i = 0; i < e->owned.len; i++)
		memory_free(e->owned.items[i]);
	vector_release(&e->owned);
	vector_release(&e->parts);
}

/* ---- Frames ---- */

void export_frames_init(struct export_frames *e, const struct view *v)
{
	*e = (struct export_frames){.number = memory_new(view_frame_count(v), sizeof(uint32_t))};
	for (size_t i = 1; i < v->tree.caller.len; i++) {
		frame_id frame = v->tree.frame.items[i];

		if (e->number[frame])
			continue;
		vector_push(&e->frames, frame);
		e->number[frame] = (uint32_t)e->frames.len;
	}
}

void export_frames_release(struct export_frames *e)
{
	memory_free(e->number);
	vector_release(&e->frames);
}

/* ---- Text ---- */

unsigned export_decimals(const struct view *v, uint32_t stream)
{
	return units_decimals(profile_text(v->profile, v->profile->streams.items[stream].row.unit));
}

static void text_member(struct buffer *b, const char *key, struct bytes text)
{
	if (!text.len)
		return;
	if (b->at[b->len - 1] != '{')
		buffer_char(b, ',');
	buffer_printf(b, "\"%s\":", key);
	buffer_json(b, text);
}

static void number_member(struct buffer *b, const char *key, int32_t number)
{
	if (number >= 0)
		buffer_printf(b, "%s\"%s\":%d", b->at[b->len - 1] == '{' ? "" : ",", key, number);
}

void export_frame_extra(struct buffer *b, const struct view *v, frame_id id)
{
	struct frame frame = view_frame_at(v, id);

	buffer_text(b, "\"kiln\":{");
	if (frame.kind != FRAME_NATIVE)
		text_member(b, "frame", bytes_of(frame_kind_name((enum frame_kind)frame.kind)));
	text_member(b, "module", view_text(v, frame.module));
	buffer_char(b, '}');
}

void export_part_extra(
	struct buffer *b, const struct view *v, const struct export_part *part, bool untimed)
{
	const struct profile *p = v->profile;
	const struct stream_row *row = &p->streams.items[part->stream].row;
	const struct thread *thread = &p->threads.items[part->thread];
	const struct process *process = &p->processes.items[thread->process];

	buffer_text(b, "\"kiln\":{");
	text_member(b, "kind", profile_text(p, row->kind));
	text_member(b, "unit", profile_text(p, row->unit));
	text_member(b, "event", profile_text(p, row->event));
	if (row->side)
		number_member(b, "side", (int32_t)row->side);
	if (part->thread) {
		text_member(b, "process", profile_text(p, process->name));
		number_member(b, "pid", process->pid);
		text_member(b, "thread", profile_text(p, thread->name));
		number_member(b, "tid", thread->tid);
	}
	if (untimed)
		number_member(b, "untimed", 1);
	buffer_char(b, '}');
}

void export_kind(struct buffer *b, const struct profile *p, uint32_t stream)
{
	const struct stream_row *row = &p->streams.items[stream].row;
	struct bytes kind = profile_text(p, row->kind);

	buffer_add(b, kind.at, kind.len);
	if (row->side)
		buffer_text(b, row->side == 1 ? ":before" : ":after");
}

void export_part_name(struct buffer *b, const struct view *v, const struct export_part *part)
{
	const struct profile *p = v->profile;
	const struct thread *thread = &p->threads.items[part->thread];
	struct bytes name = profile_text(p, thread->name);

	if (part->thread) {
		buffer_add(b, name.at, name.len);
		if (thread->tid >= 0)
			buffer_printf(b, "%s%d", name.len ? "-" : "", thread->tid);
		buffer_char(b, ' ');
	}
	if (part->thread)
		buffer_char(b, '(');
	export_kind(b, p, part->stream);
	if (part->thread)
		buffer_char(b, ')');
}

void export_flush(struct buffer *b, struct output *out, bool all)
{
	if (b->len < FLUSH_SIZE && !all)
		return;
	output_write(out, buffer_bytes(b));
	b->len = 0;
}
