/* xctrace_steps.h: reduces the tags of xctrace's XML to steps. */
#ifndef KILN_READERS_APPLE_XCTRACE_STEPS_H
#define KILN_READERS_APPLE_XCTRACE_STEPS_H

#include "readers/apple/xml_tags.h"

/* The most frequent ones come first: they are found first. */
enum xctrace_element {
	XCTRACE_FRAME,
	XCTRACE_ROW,
	XCTRACE_BACKTRACE,
	XCTRACE_TIME,
	XCTRACE_WEIGHT,
	XCTRACE_THREAD,
	XCTRACE_CORE,
	XCTRACE_BINARY,
	XCTRACE_CYCLES,
	XCTRACE_PROCESS,
	XCTRACE_TAGGED,
	XCTRACE_SOURCE,
	XCTRACE_PATH,
	XCTRACE_TID,
	XCTRACE_PID,
	XCTRACE_RESULT,
	XCTRACE_ELEMENTS,
};

/* A tag of a requested element. */
struct xctrace_step {
	uint64_t line;
	uint64_t id;		 /* that it gives or refers to; 0: none */
	uint32_t text, text_len; /* of it, among the batch's: see xctrace_text */
	uint8_t element;
	bool refers; /* to what was written before; else: */
	bool opens, closes;
};

/* Steps one after the other; nothing of them points into the input. */
struct xctrace_batch {
	struct xctrace_step *steps;
	size_t count;
	struct buffer texts;
	bool more;	    /* there is something behind it */
	struct error error; /* that comes behind its steps */
};

/* The text as written: of an opening tag its attribute, else the content of the element. */
static inline struct bytes xctrace_text(
	const struct xctrace_batch *batch, const struct xctrace_step *step)
{
	return (struct bytes){batch->texts.at + step->text, step->text_len};
}

/* Call `take` with all steps in order, a batch at a time; another thread, if there is one, reads
 * ahead. `passed_over`: elements to skip, a bit each. False: `take` returned false, or the input
 * cannot be read; *ret_line is the line of the last tag. */
bool xctrace_steps_take(struct input *in, unsigned passed_over,
	bool (*take)(void *context, const struct xctrace_batch *batch, struct error *err),
	void *context, uint64_t *ret_line, struct error *err);

#endif
