/* chain_frames.h: how do a binary's chains of functions become frames of a profile?
 *
 * Each chain and each text is added once, however many locations use it. */
#ifndef KILN_PROCESS_CHAIN_FRAMES_H
#define KILN_PROCESS_CHAIN_FRAMES_H

#include "images/chains.h"
#include "model/profile.h"

/* The caller sets everything above `strings`. */
struct chain_frames {
	struct profile *profile;
	const struct chains *chains; /* complete: rows added later are not seen */
	string_id module;
	enum frame_kind kind; /* of the outermost function; the others are FRAME_INLINED */

	string_id *strings; /* of each text; 0: not added yet */
	frame_id *frames;   /* of each chain's last function; 0: not added yet */
	frame_id span[CHAIN_LIMIT];
};

/* The frames of a chain (not 0), outermost first; valid until the next call. */
const frame_id *chain_frames_of(struct chain_frames *f, uint32_t chain, size_t *ret_count);
void chain_frames_release(struct chain_frames *f);

#endif
