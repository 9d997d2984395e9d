/* chrome_frames.h: which call stacks do the events of a trace refer to?
 *
 * A trace has a dictionary of frames, `stackFrames`, each with the id of its caller ("parent");
 * events and samples name the innermost one ("sf"), which may come before the dictionary does, or
 * list all of them, outermost first ("stack"). */
#ifndef KILN_READERS_BROWSERS_CHROME_FRAMES_H
#define KILN_READERS_BROWSERS_CHROME_FRAMES_H

#include "readers/stacks/json_stacks.h"

/* A limit for the stacks made of the dictionary: each thread has its own, so a short input could
 * require any number of them. */
#define CHROME_STACKS_LIMIT (4u << 20)

struct chrome_frame {
	uint32_t parent;      /* a frame; 0: none */
	location_id location; /* 0: not made yet */
	bool walked;	      /* visited by the current walk */
};

/* `{.names}` is empty. */
struct chrome_frames {
	struct text_stacks *names;
	VECTOR(struct chrome_frame) items; /* frame 1 is the first */
	struct json_texts ids;		   /* of the dictionary's, in the order of `of_id` */
	VECTOR(uint32_t) of_id;
	struct id_map by_id, by_caller;
	VECTOR(uint32_t) path; /* scratch */
	size_t stacks;	       /* of the profile, made here so far */
	uint64_t missing, circular, beyond;
};

void chrome_frames_release(struct chrome_frames *f);

/* Read the dictionary. */
void chrome_frames_read(struct chrome_frames *f, struct json *j);
/* Read an id, or a list of frames: the innermost frame; 0: none. */
uint32_t chrome_frames_id(struct chrome_frames *f, struct json *j);
uint32_t chrome_frames_list(struct chrome_frames *f, struct json *j);

/* When all has been read: append the frames from the one inside `outer` (or from the outermost one)
 * to `frame` to `*stack`, which has `*depth` frames. False, and counted: a frame is missing from
 * the dictionary or its own caller, there are too many frames, or CHROME_STACKS_LIMIT is
 * reached. */
bool chrome_frames_stack(
	struct chrome_frames *f, uint32_t outer, uint32_t frame, stack_id *stack, uint32_t *depth);

#endif
