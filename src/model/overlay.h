/* overlay.h: a profile's strings and frames, and those that a view adds to them.
 *
 * The profile (`base`) is not changed. Its strings and frames keep their ids; new ones get ids from
 * the profile's count on. The same content always has the same id. */
#ifndef KILN_MODEL_OVERLAY_H
#define KILN_MODEL_OVERLAY_H

#include "model/profile.h"

struct overlay {
	const struct profile *base;
	struct profile own;			   /* strings, frames and notes that were added */
	struct id_map known_strings, known_frames; /* of the base, when it has no maps itself */
};

void overlay_init(struct overlay *o, const struct profile *base); /* the base outlives it */
void overlay_release(struct overlay *o);
void overlay_copy(const struct overlay *o, struct overlay *ret);

/* Found in the base, or added. */
string_id overlay_string(struct overlay *o, struct bytes text);
frame_id overlay_frame(struct overlay *o, const struct frame *frame);

struct frame overlay_frame_at(const struct overlay *o, frame_id id);
struct bytes overlay_text(const struct overlay *o, string_id id);
size_t overlay_frame_count(const struct overlay *o); /* ids are below this count */
size_t overlay_string_count(const struct overlay *o);

#endif
