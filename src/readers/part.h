/* part.h: what does the reader of one part of a long input get, and what does it leave? */
#ifndef KILN_READERS_PART_H
#define KILN_READERS_PART_H

#include "base/input_range.h"
#include "readers/bad_lines.h"
#include "readers/readers.h"

/* A part of an input, and what its reader found out that concerns the whole input. */
struct read_part {
	bool is_continuation; /* it is not the first part */
	/* The whole part; another thread may move its end to the front. */
	const struct input_range *range;
	uint64_t size;	    /* of the input */
	struct bytes begin; /* the first READER_HEAD bytes of the input, or all there are */
	struct bytes head;  /* how the input begins, before the part */
	uint64_t lines, samples;
	struct bad_lines bad;
	/* What the reader has counted, and the function that notes it for the whole input. NULL:
	 * none. */
	uint64_t counted;
	void (*add_notes)(struct profile *p, uint64_t counted);
	bool depends; /* on what is before the part: it cannot be read without that */
	bool ended;   /* the rest of the input is not read */
	/* In a call tree: the stack of the last line with its callers, where the next part
	 * continues; and how many of these callers are in the part before. They are the profile's
	 * first stacks, without locations. */
	VECTOR(stack_id) path;
	uint32_t above;
	/* The event of the last values, if a line above names it; and has the profile's first
	 * stream no name, because the part before has it? */
	string_id event;
	bool unnamed;
};

/* When the part's end has been reached: does another one follow? */
static inline bool read_part_goes_on(const struct read_part *part)
{
	return part && part->range->end < part->size;
}

/* Add the notes of the input to its profile; fail if nothing was read. */
bool read_part_add_notes(const struct read_part *part, struct profile *out, struct error *err);

#endif
