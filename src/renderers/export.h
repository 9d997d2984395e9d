/* export.h: what files for other programs are made of: the samples of one stream and one thread. */
#ifndef KILN_RENDERERS_EXPORT_H
#define KILN_RENDERERS_EXPORT_H

#include "base/buffer.h"
#include "base/output.h"
#include "model/view.h"

/* Samples of one thread, in the order of their table, without those that the view leaves out. */
struct export_part {
	uint32_t stream;
	thread_id thread; /* 0: unknown */
	const uint32_t *samples;
	size_t count; /* never 0 */
};

/* Every stream of the profile, or those that are shown, thread by thread. */
struct export_parts {
	const struct view *view;
	VECTOR(struct export_part) parts;
	VECTOR(uint32_t *) owned;
};
void export_parts_init(struct export_parts *e, const struct view *v, bool shown_only);
void export_parts_release(struct export_parts *e);

/* The frames that the view's tree has, numbered from 0 in the order of their nodes. */
struct export_frames {
	uint32_t *number; /* of a frame id: plus one; 0: not in the tree */
	VECTOR(frame_id) frames;
};
void export_frames_init(struct export_frames *e, const struct view *v);
void export_frames_release(struct export_frames *e);

/* A stream's values as text in its unit. */
unsigned export_decimals(const struct view *v, uint32_t stream);

/* Kiln's own keys, which readers/json_stacks.h reads again: `"kiln":{...}` of a frame, and of a
 * part (whose times, if `untimed`, mean nothing). */
void export_frame_extra(struct buffer *b, const struct view *v, frame_id frame);
void export_part_extra(
	struct buffer *b, const struct view *v, const struct export_part *part, bool untimed);
#define EXPORT_BY "kiln@" KILN_VERSION

/* The kind of a stream's values: "cpu", or "cpu:before" of the two sides of a difference. */
void export_kind(struct buffer *b, const struct profile *p, uint32_t stream);

/* What a part is called: "worker-12 (cpu)". */
void export_part_name(struct buffer *b, const struct view *v, const struct export_part *part);

/* Write what has been collected once it is much. */
void export_flush(struct buffer *b, struct output *out, bool all);

#endif
