/* firefox_stacks.c: which stack does a row of a stack table of the Firefox Profiler stand for? */
#include "readers/browsers/firefox_stacks.h"

#include <stdlib.h>

void firefox_stacks_release(struct firefox_stacks *s)
{
	vector_release(&s->stacks);
	vector_release(&s->chain);
	text_stacks_release(&s->names);
}

/* ---- Frames ---- */

static uint32_t index_at(const struct json_indices *column, size_t row)
{
	return row < column->len ? column->items[row] : JSON_NO_INDEX;
}

static uint32_t line_at(const struct json_numbers *column, size_t row)
{
	int64_t line = row < column->len ? column->items[row] : 0;

	return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
}

static enum frame_kind kind_of(
	const struct firefox_file *f, const struct firefox_tables *t, uint32_t frame, uint32_t func)
{
	struct bytes category = json_texts_at(&f->categories, index_at(&t->frame_category, frame));
	uint32_t depth = index_at(&t->frame_depth, frame);

	if (f->own) {
		for (unsigned kind = 0; kind < FRAME_KINDS; kind++)
			if (bytes_equal(category, bytes_of(frame_kind_name((enum frame_kind)kind))))
				return (enum frame_kind)kind;
		return FRAME_NATIVE;
	}
	if (depth && depth != JSON_NO_INDEX)
		return FRAME_INLINED;
	if (index_at(&t->func_js, func) == 1)
		return FRAME_JIT;
	return bytes_equal(category, BYTES("Kernel")) ? FRAME_KERNEL : FRAME_NATIVE;
}

/* Missing tables of a thread are those shared by all. */
static struct bytes string_at(
	const struct firefox_file *f, const struct firefox_tables *t, uint32_t index)
{
	return json_texts_at(t->strings.ends.len ? &t->strings : &f->shared.strings, index);
}

static struct bytes lib_at(
	const struct firefox_file *f, const struct firefox_tables *t, uint32_t index)
{
	return json_texts_at(t->libs.ends.len ? &t->libs : &f->shared.libs, index);
}

static location_id learn_location(struct firefox_stacks *s, uint32_t frame)
{
	const struct firefox_file *f = s->file;
	const struct firefox_tables *t = s->tables;
	uint32_t func = index_at(&t->frame_func, frame);
	uint32_t source = index_at(&t->func_source, func);
	uint32_t lib = index_at(&t->frame_lib, frame);
	const struct json_indices *sources =
		t->source_file.len ? &t->source_file : &f->shared.source_file;
	struct text_frame known = {.kind = kind_of(f, t, frame, func)};

	if (lib == JSON_NO_INDEX)
		lib = index_at(&t->resource_lib, index_at(&t->func_resource, func));
	known.function = string_at(f, t, index_at(&t->func_name, func));
	if (!known.function.len && !f->own)
		known.function = BYTES("[unknown]");
	known.module = lib_at(f, t, lib);
	known.file = string_at(f, t,
		source == JSON_NO_INDEX ? index_at(&t->func_file, func)
					: index_at(sources, source));
	known.line = line_at(&t->frame_line, frame);
	if (!known.line && !f->own)
		known.line = line_at(&t->func_line, func);
	return text_stacks_frame(&s->names, &known);
}

static location_id location_of(struct firefox_stacks *s, uint32_t frame)
{
	struct firefox_tables *t = s->tables;

	while (t->locations.len <= frame)
		vector_push(&t->locations, 0);
	if (!t->locations.items[frame])
		t->locations.items[frame] = learn_location(s, frame);
	return t->locations.items[frame];
}

/* ---- Stacks ---- */

static uint32_t prefix_of(const struct firefox_tables *t, uint32_t stack)
{
	uint32_t prefix = index_at(&t->stack_prefix, stack);

	if (!t->prefix_is_offset)
		return prefix;
	return prefix && prefix <= stack ? stack - prefix : JSON_NO_INDEX;
}

/* Frames outside of the table become one frame. */
static uint32_t frame_of(const struct firefox_tables *t, uint32_t stack)
{
	uint32_t frame = index_at(&t->stack_frame, stack), none = (uint32_t)t->frame_func.len;

	return frame < none ? frame : none;
}

void firefox_stacks_begin(struct firefox_stacks *s, struct firefox_tables *t, stack_id base)
{
	if (s->round && s->tables == t && t == &s->file->shared && s->base == base)
		return;
	s->tables = t;
	s->base = base;
	s->round++;
	while (s->stacks.len < t->stack_frame.len)
		vector_push(&s->stacks, (struct firefox_row_stack){0});
	profile_reserve_stacks(s->names.profile, t->stack_frame.len);
}

/* Make the stacks of rows from this one to a known caller; callers come first in the table. False:
 * there is a cycle. */
static bool chain_take(struct firefox_stacks *s, uint32_t *row)
{
	const struct firefox_tables *t = s->tables;

	s->chain.len = 0;
	while (*row < t->stack_frame.len && s->stacks.items[*row].round != s->round) {
		uint32_t prefix = prefix_of(t, *row);

		if (s->chain.len == READ_DEPTH_LIMIT || (prefix != JSON_NO_INDEX && prefix >= *row))
			return false;
		vector_push(&s->chain, *row);
		*row = prefix;
	}
	return true;
}

stack_id firefox_stacks_learn(struct firefox_stacks *s, uint32_t row)
{
	const struct firefox_tables *t = s->tables;
	stack_id stack = s->base;

	if (row >= t->stack_frame.len) {
		s->no_stack += row != JSON_NO_INDEX;
		return row == JSON_NO_INDEX ? stack : FIREFOX_NO_STACK;
	}
	if (!chain_take(s, &row)) {
		s->too_deep++;
		return FIREFOX_NO_STACK;
	}
	if (row < t->stack_frame.len)
		stack = s->stacks.items[row].stack;
	while (s->chain.len) {
		row = s->chain.items[--s->chain.len];
		stack = profile_stack(s->names.profile, stack, location_of(s, frame_of(t, row)));
		s->stacks.items[row] = (struct firefox_row_stack){s->round, stack};
	}
	return stack;
}
