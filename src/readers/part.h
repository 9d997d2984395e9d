/* part.h: what does the reader of one part of a long input get, and what does it leave? */
#ifndef KILN_READERS_PART_H
#define KILN_READERS_PART_H

#include "base/input_range.h"
#include "readers/bad_lines.h"
#include "readers/readers.h"

/* A part of an input, and what its reader found out that concerns the whole input. */
struct read_part {
	bool is_continuation; /* it is not the first part */
	/* All of it; its end may come nearer until it is reached. */
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
	bool ended;   /* what is behind the part is not to be read */
	/* In a call tree: the last line's stack and those that it is below, where the next part
	 * goes on; and how many of them are in the part before. These are the profile's first
	 * stacks, of which no location is known. */
	VECTOR(stack_id) path;
	uint32_t above;
	/* Whose values come last, where they belong to what was named some lines above; and is the
	 * profile's first stream without a name, as that is in the part before? */
	string_id event;
	bool unnamed;
};

/* When the part's end has been reached: does another one follow? */
static inline bool read_part_goes_on(const struct read_part *part)
{
	return part && part->range->end < part->size;
}

/* Leave notes in the profile of an input of which this is all that is known; fail when nothing was
 * read. */
bool read_part_add_notes(const struct read_part *part, struct profile *out, struct error *err);

#endif
