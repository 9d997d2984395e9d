/* chrome_frames.c: which call stacks do the events of a trace refer to? */
#include "readers/browsers/chrome_frames.h"

#include <stdio.h>
#include <stdlib.h>

void chrome_frames_release(struct chrome_frames *f)
{
	vector_release(&f->items);
	json_texts_release(&f->ids);
	vector_release(&f->of_id);
	id_map_release(&f->by_id);
	id_map_release(&f->by_caller);
	vector_release(&f->path);
}

static uint32_t add_frame(struct chrome_frames *f, uint32_t parent, location_id location)
{
	vector_push(&f->items, ((struct chrome_frame){parent, location, false}));
	return (uint32_t)f->items.len;
}

static struct chrome_frame *frame_at(struct chrome_frames *f, uint32_t frame)
{
	return &f->items.items[frame - 1];
}

/* ---- Reading ---- */

/* The frame of an id; the dictionary may define it later. */
static uint32_t frame_of(struct chrome_frames *f, struct bytes id)
{
	uint64_t hash = hash_bytes(id.at, id.len);
	size_t at = id_map_first(&f->by_id, hash);
	uint32_t found;

	while ((found = id_map_candidate(&f->by_id, hash, &at)))
		if (bytes_equal(json_texts_at(&f->ids, found - 1), id))
			return f->of_id.items[found - 1];
	json_texts_add(&f->ids, id);
	vector_push(&f->of_id, add_frame(f, 0, 0));
	id_map_insert_at(&f->by_id, hash, at, (uint32_t)f->of_id.len);
	return f->of_id.items[f->of_id.len - 1];
}

uint32_t chrome_frames_id(struct chrome_frames *f, struct json *j)
{
	char digits[24];
	int64_t number;

	if (json_peek(j) == JSON_STRING)
		return frame_of(f, json_string(j));
	number = json_number_if(j, 0, INT64_MIN);
	if (number == INT64_MIN)
		return 0;
	snprintf(digits, sizeof(digits), "%lld", (long long)number);
	return frame_of(f, bytes_of(digits));
}

/* A frame identified by its caller and its name. */
static uint32_t frame_below(struct chrome_frames *f, uint32_t parent, location_id location)
{
	uint64_t hash = hash_pair(parent, location);
	size_t at = id_map_first(&f->by_caller, hash);
	uint32_t found;

	while ((found = id_map_candidate(&f->by_caller, hash, &at)))
		if (frame_at(f, found)->parent == parent &&
			frame_at(f, found)->location == location)
			return found;
	found = add_frame(f, parent, location);
	id_map_insert_at(&f->by_caller, hash, at, found);
	return found;
}

uint32_t chrome_frames_list(struct chrome_frames *f, struct json *j)
{
	uint32_t frame = 0;

	if (!json_array_if(j))
		return 0;
	while (json_item(j)) {
		struct bytes name = json_string_if(j);

		if (name.len)
			frame = frame_below(
				f, frame, text_stacks_named(f->names, name, FRAME_NATIVE));
	}
	return frame;
}

/* Hermes writes "name(file:line:column)": cut the place off. */
static void cut_place(struct text_frame *frame)
{
	struct bytes name = frame->function, place;
	const char *open = bytes_find_last(name, '('), *colon;
	uint64_t line, column;

	if (!open || !bytes_ends_with(name, BYTES(")")))
		return;
	place = (struct bytes){open + 1, (size_t)(name.at + name.len - open) - 2};
	colon = bytes_find_last(place, ':');
	if (!colon ||
		!bytes_u64((struct bytes){colon + 1, (size_t)(place.at + place.len - colon) - 1},
			&column))
		return;
	place.len = (size_t)(colon - place.at);
	colon = bytes_find_last(place, ':');
	if (!colon ||
		!bytes_u64((struct bytes){colon + 1, (size_t)(place.at + place.len - colon) - 1},
			&line))
		return;
	frame->file = (struct bytes){place.at, (size_t)(colon - place.at)};
	frame->line = line < UINT32_MAX ? (uint32_t)line : 0;
	if (open > name.at)
		frame->function.len = (size_t)(open - name.at);
}

static location_id location_of(struct chrome_frames *f, struct bytes name, bool script)
{
	struct text_frame frame = {
		.function = name, .kind = script ? FRAME_INTERPRETED : FRAME_NATIVE};

	if (!name.len)
		frame.function = BYTES("(unnamed)");
	else if (script)
		cut_place(&frame);
	return text_stacks_frame(f->names, &frame);
}

void chrome_frames_read(struct chrome_frames *f, struct json *j)
{
	struct buffer name = {0};
	struct bytes key, text;

	if (!json_object_if(j))
		return;
	while (json_key(j, &key)) {
		uint32_t frame = frame_of(f, key), parent = 0;
		bool script = false;

		name.len = 0;
		if (!json_object_if(j))
			continue;
		while (json_key(j, &key)) {
			if (bytes_equal(key, BYTES("name"))) {
				text = json_string_if(j);
				buffer_set(&name, text);
			} else if (bytes_equal(key, BYTES("category"))) {
				script = bytes_equal(json_string_if(j), BYTES("JavaScript"));
			} else if (bytes_equal(key, BYTES("parent"))) {
				parent = chrome_frames_id(f, j);
			} else {
				json_skip(j);
			}
		}
		frame_at(f, frame)->parent = parent;
		frame_at(f, frame)->location = location_of(f, buffer_bytes(&name), script);
	}
	buffer_release(&name);
}

/* ---- Stacks ---- */

/* The frames between `outer`, if that is among the callers, and `frame`; innermost first in the
 * path. */
static bool find_path(struct chrome_frames *f, uint32_t outer, uint32_t frame, size_t most)
{
	bool whole = true;

	f->path.len = 0;
	for (; whole && frame && frame != outer; frame = frame_at(f, frame)->parent) {
		struct chrome_frame *now = frame_at(f, frame);

		if (!now->location) {
			f->missing++;
			whole = false;
		} else if (now->walked || f->path.len >= most) {
			f->circular++;
			whole = false;
		} else {
			now->walked = true;
			vector_push(&f->path, frame);
		}
	}
	for (size_t i = 0; i < f->path.len; i++)
		frame_at(f, f->path.items[i])->walked = false;
	return whole;
}

bool chrome_frames_stack(
	struct chrome_frames *f, uint32_t outer, uint32_t frame, stack_id *stack, uint32_t *depth)
{
	const struct profile *p = f->names->profile;
	size_t before = p->stack_caller.len;

	if (f->stacks >= CHROME_STACKS_LIMIT) {
		f->beyond++;
		return false;
	}
	if (!find_path(f, outer, frame, STACK_DEPTH_LIMIT - *depth))
		return false;
	*depth += (uint32_t)f->path.len;
	while (f->path.len)
		*stack = profile_stack(f->names->profile, *stack,
			frame_at(f, f->path.items[--f->path.len])->location);
	f->stacks += p->stack_caller.len - before;
	return true;
}
