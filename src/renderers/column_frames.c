/* column_frames.c: which frames are in a table, and where are their names? */
#include "renderers/column_frames.h"

#include <stdlib.h>

void column_frames_init(struct column_frames *f, const struct view *v)
{
	size_t strings = view_string_count(v);

	*f = (struct column_frames){.view = v,
		.frame_number = memory_new(view_frame_count(v), sizeof(*f->frame_number)),
		.string_number = memory_new(strings, sizeof(*f->string_number))};
}

/* End the string that was appended to `bytes`; returns its number. */
static uint32_t end_string(struct column_frames *f)
{
	vector_push(&f->ends, (uint32_t)f->bytes.len);
	return (uint32_t)f->ends.len - 1;
}

static uint32_t string_of(struct column_frames *f, string_id id)
{
	if (!f->string_number[id]) {
		struct bytes text = view_text(f->view, id);

		buffer_add(&f->bytes, text.at, text.len);
		f->string_number[id] = end_string(f) + 1;
	}
	return f->string_number[id] - 1;
}

static uint32_t add_frame(
	struct column_frames *f, uint32_t name, uint32_t module, enum frame_kind kind)
{
	vector_push(&f->name, name);
	vector_push(&f->module, module);
	vector_push(&f->kind, (uint8_t)kind);
	return (uint32_t)f->name.len - 1;
}

uint32_t column_frame(struct column_frames *f, frame_id id)
{
	if (!f->frame_number[id]) {
		struct frame frame = view_frame_at(f->view, id);
		uint32_t name = string_of(f, frame.function);

		f->frame_number[id] =
			add_frame(f, name, string_of(f, frame.module), frame.kind) + 1;
	}
	return f->frame_number[id] - 1;
}

uint32_t column_frame_made(struct column_frames *f)
{
	uint32_t name = end_string(f);

	return add_frame(f, name, string_of(f, 0), FRAME_META);
}

static void add_kinds(struct columns *c)
{
	buffer_text(&c->header, ",\"kinds\":[");
	for (int kind = 0; kind < FRAME_KINDS; kind++)
		buffer_printf(&c->header, "%s\"%s\"", kind ? "," : "",
			frame_kind_name((enum frame_kind)kind));
	buffer_char(&c->header, ']');
}

void columns_add_frames(struct columns *c, const struct column_frames *f)
{
	add_kinds(c);
	columns_add(c, "frame_name", "u32", f->name.items, f->name.len);
	columns_add(c, "frame_module", "u32", f->module.items, f->module.len);
	columns_add(c, "frame_kind", "u8", f->kind.items, f->kind.len);
	columns_add(c, "string_end", "u32", f->ends.items, f->ends.len);
	columns_add(c, "strings", "u8", f->bytes.at, f->bytes.len);
}

void column_frames_release(struct column_frames *f)
{
	memory_free(f->frame_number);
	memory_free(f->string_number);
	vector_release(&f->name);
	vector_release(&f->module);
	vector_release(&f->kind);
	vector_release(&f->ends);
	buffer_release(&f->bytes);
}
