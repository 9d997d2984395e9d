/* xctrace_steps.h: what do the tags of xctrace's XML say, in short? */
#ifndef KILN_READERS_APPLE_XCTRACE_STEPS_H
#define KILN_READERS_APPLE_XCTRACE_STEPS_H

#include "readers/apple/xml_tags.h"

/* Those that there are most of are found first. */
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

/* A tag of an element that is wanted. */
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

/* As it was written: what a tag that opens an element says of it; else what the element has inside.
 */
static inline struct bytes xctrace_text(
	const struct xctrace_batch *batch, const struct xctrace_step *step)
{
	return (struct bytes){batch->texts.at + step->text, step->text_len};
}

/* Have all steps taken in their order, a batch at a time, while another thread reads what comes
 * next if there is one. `passed_over`: elements that nobody wants, a bit each. False when `take`
 * says so or the input cannot be read; *ret_line is that of the last tag. */
bool xctrace_steps_take(struct input *in, unsigned passed_over,
	bool (*take)(void *context, const struct xctrace_batch *batch, struct error *err),
	void *context, uint64_t *ret_line, struct error *err);

#endif
