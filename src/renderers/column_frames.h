/* column_frames.h: frames as columns: each frame and each name once, by number. */
#ifndef KILN_RENDERERS_COLUMN_FRAMES_H
#define KILN_RENDERERS_COLUMN_FRAMES_H

#include "renderers/columns.h"

/* The columns `frame_name`, `frame_module`, `frame_kind`, `string_end` and `strings` while they
 * are built. */
struct column_frames {
	const struct view *view;
	uint32_t *
		frame_number; /* for each frame of the view, its number plus one; 0: not used yet */
	uint32_t *string_number; /* the same for each string */
	VECTOR(uint32_t) name, module;
	VECTOR(uint8_t) kind;
	VECTOR(uint32_t) ends;
	struct buffer bytes;
};

void column_frames_init(struct column_frames *f, const struct view *v);
/* The number of a frame, which is added if it is new. */
uint32_t column_frame(struct column_frames *f, frame_id id);
/* The number of a frame that is not code, whose name the caller has appended to `bytes`. */
uint32_t column_frame_made(struct column_frames *f);
/* Add all of these columns, whose memory must stay until columns_write, and `"kinds":[...]`, the
 * names of the kinds. */
void columns_add_frames(struct columns *c, const struct column_frames *f);
void column_frames_release(struct column_frames *f);

#endif
