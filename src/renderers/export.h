/* export.h: the parts of files for other programs: the samples of one stream and one thread. */
#ifndef KILN_RENDERERS_EXPORT_H
#define KILN_RENDERERS_EXPORT_H

#include "base/buffer.h"
#include "base/output.h"
#include "model/view.h"

/* The samples of a thread, in table order, without those that the view leaves out. */
struct export_part {
	uint32_t stream;
	thread_id thread; /* 0: unknown */
	const uint32_t *samples;
	size_t count; /* never 0 */
};

/* Every stream of the profile, or the shown ones, each by thread. */
struct export_parts {
	const struct view *view;
	VECTOR(struct export_part) parts;
	VECTOR(uint32_t *) owned;
};
void export_parts_init(struct export_parts *e, const struct view *v, bool shown_only);
void export_parts_release(struct export_parts *e);

/* The frames in the view's tree, numbered from 0 in the order of their nodes. */
struct export_frames {
	uint32_t *number; /* for each frame id: its number plus one; 0: not in the tree */
	VECTOR(frame_id) frames;
};
void export_frames_init(struct export_frames *e, const struct view *v);
void export_frames_release(struct export_frames *e);

/* How many decimals a stream's values have (base/units.h). */
unsigned export_decimals(const struct view *v, uint32_t stream);

/* Keys of Kiln's own, which its readers understand: `"kiln":{...}` of a frame, and of a part
 * (whose times, if `untimed`, are meaningless). */
void export_frame_extra(struct buffer *b, const struct view *v, frame_id frame);
void export_part_extra(
	struct buffer *b, const struct view *v, const struct export_part *part, bool untimed);
#define EXPORT_BY "kiln@" KILN_VERSION

/* The kind of a stream's values: "cpu", or "cpu:before" for a side of a difference. */
void export_kind(struct buffer *b, const struct profile *p, uint32_t stream);

/* The name of a part: "worker-12 (cpu)". */
void export_part_name(struct buffer *b, const struct view *v, const struct export_part *part);

/* Write the collected text once it has 64 KiB, or with `all` however long it is. */
void export_flush(struct buffer *b, struct output *out, bool all);

#endif
