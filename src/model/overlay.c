/* overlay.c: where are the strings and frames that a view adds to a profile? */
#include "model/overlay.h"

void overlay_init(struct overlay *o, const struct profile *base)
{
	*o = (struct overlay){.base = base};
	profile_init(&o->own);
}

void overlay_release(struct overlay *o)
{
	profile_release(&o->own);
	id_map_release(&o->known_strings);
	id_map_release(&o->known_frames);
}

/* Copy in order, so that the ids stay the same. */
static void rows_copy(const struct profile *rows, struct profile *ret)
{
	profile_init(ret);
	for (size_t i = 1; i < rows->string_ends.len; i++)
		profile_string(ret, profile_text(rows, (string_id)i));
	for (size_t i = 1; i < rows->frames.len; i++)
		profile_frame(ret, &rows->frames.items[i]);
	ret->meta.len = 0;
	for (size_t i = 0; i < rows->meta.len; i++)
		vector_push(&ret->meta, rows->meta.items[i]);
}

void overlay_copy(const struct overlay *o, struct overlay *ret)
{
	*ret = (struct overlay){.base = o->base,
		.known_strings = id_map_copy(&o->known_strings),
		.known_frames = id_map_copy(&o->known_frames)};
	rows_copy(&o->own, &ret->own);
}

/* ---- What the base has ---- */

/* The base's own maps are used if it has any. A base that was mapped from a file has none: then
 * maps are made on first use, and rows that the base has gained since are entered. */

static const struct id_map *known_strings(struct overlay *o)
{
	const struct profile *p = o->base;

	if (p->by_string.slots)
		return &p->by_string;
	if (!o->known_strings.slots)
		id_map_grow(&o->known_strings);
	for (size_t id = o->known_strings.used + 1; id < p->string_ends.len; id++) {
		struct bytes text = profile_text(p, (string_id)id);

		id_map_insert(&o->known_strings, hash_bytes(text.at, text.len), (uint32_t)id);
	}
	return &o->known_strings;
}

static const struct id_map *known_frames(struct overlay *o)
{
	const struct profile *p = o->base;

	if (p->by_frame.slots)
		return &p->by_frame;
	if (!o->known_frames.slots)
		id_map_grow(&o->known_frames);
	for (size_t id = o->known_frames.used + 1; id < p->frames.len; id++)
		id_map_insert(&o->known_frames,
			hash_bytes(&p->frames.items[id], sizeof(*p->frames.items)), (uint32_t)id);
	return &o->known_frames;
}

string_id overlay_string(struct overlay *o, struct bytes text)
{
	const struct id_map *known = known_strings(o);
	uint64_t hash = hash_bytes(text.at, text.len);
	size_t at = id_map_start(known, hash);
	string_id id;

	if (!text.len)
		return 0;
	while ((id = id_map_candidate(known, hash, &at)))
		if (bytes_equal(profile_text(o->base, id), text))
			return id;
	id = profile_string(&o->own, text);
	return id ? (string_id)(o->base->string_ends.len + id - 1) : 0;
}

frame_id overlay_frame(struct overlay *o, const struct frame *frame)
{
	const struct profile *p = o->base;
	const struct id_map *known;
	uint64_t hash;
	size_t at;
	frame_id id;

	if (frame_is_name(frame) && frame->function < p->frame_of_name.len) {
		id = p->frame_of_name.items[frame->function];
		if (id)
			return id;
	}
	known = known_frames(o);
	hash = hash_bytes(frame, sizeof(*frame));
	at = id_map_start(known, hash);
	while ((id = id_map_candidate(known, hash, &at)))
		if (!memcmp(&p->frames.items[id], frame, sizeof(*frame)))
			return id;
	return (frame_id)(p->frames.len + profile_frame(&o->own, frame) - 1);
}

struct frame overlay_frame_at(const struct overlay *o, frame_id id)
{
	size_t own = o->base->frames.len;

	return id < own ? o->base->frames.items[id] : o->own.frames.items[id - own + 1];
}

struct bytes overlay_text(const struct overlay *o, string_id id)
{
	size_t own = o->base->string_ends.len;

	return id < own ? profile_text(o->base, id)
			: profile_text(&o->own, (string_id)(id - own + 1));
}

size_t overlay_frame_count(const struct overlay *o)
{
	return o->base->frames.len + o->own.frames.len - 1;
}

size_t overlay_string_count(const struct overlay *o)
{
	return o->base->string_ends.len + o->own.string_ends.len - 1;
}
