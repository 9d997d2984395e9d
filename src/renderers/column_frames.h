/* column_frames.h: frames as columns: each once, by number, and so are their names. */
#ifndef KILN_RENDERERS_COLUMN_FRAMES_H
#define KILN_RENDERERS_COLUMN_FRAMES_H

#include "renderers/columns.h"

/* Columns `frame_name`, `frame_module`, `frame_kind`, `string_end` and `strings` in the making. */
struct column_frames {
	const struct view *view;
	uint32_t *frame_number;	 /* of every frame of the view plus one; 0: not used yet */
	uint32_t *string_number; /* the same of every string */
	VECTOR(uint32_t) name, module;
	VECTOR(uint8_t) kind;
	VECTOR(uint32_t) ends;
	struct buffer bytes;
};

void column_frames_init(struct column_frames *f, const struct view *v);
/* The number of a frame, which is added when it is new. */
uint32_t column_frame(struct column_frames *f, frame_id id);
/* The number of a frame that is no code, and whose name has been appended to `bytes`. */
uint32_t column_frame_made(struct column_frames *f);
/* All of them, which stay there until columns_write, and `"kinds":[...]`, the names of the kinds.
 */
void columns_add_frames(struct columns *c, const struct column_frames *f);
void column_frames_release(struct column_frames *f);

#endif
