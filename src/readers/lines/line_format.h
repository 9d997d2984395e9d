/* line_format.h: the skeleton of readers whose input is lines.
 *
 * A format of lines says what is different about it in four functions; all else is here, once: the
 * loop over lines, the end of a part or of the input, errors, totals and the note about lines that
 * were skipped. So a whole reader is
 *
 *	struct gdb {
 *		struct text_stacks stacks; // first
 *		thread_id thread;
 *	};
 *
 *	static bool take_line(void *self, struct bytes line, struct error *err)
 *	{
 *		struct gdb *g = self;
 *
 *		if (is_frame(line))
 *			text_stacks_push_name(&g->stacks, line, FRAME_NATIVE);
 *		else if (!text_stacks_add(&g->stacks, INNERMOST_FIRST, &one, err))
 *			return false;
 *		return true;
 *	}
 *
 *	static const struct line_format format = {.start = start, .line = take_line, .end = end};
 *
 *	static bool read(struct input *in, const struct read_options *options,
 *		struct profile *out, struct error *err)
 *	{
 *		struct gdb g = {0};
 *
 *		return line_format_read(&format, &g, in, options, out, err);
 *	}
 *
 * folded.c, perf_script.c and go_raw.c have loops of their own, for speed, and say so. */
#ifndef KILN_READERS_LINES_LINE_FORMAT_H
#define KILN_READERS_LINES_LINE_FORMAT_H

#include "readers/lines/tabs.h"
#include "readers/lines/text_stacks.h"

/* `self` is the reader's state, whose first member is a struct text_stacks; that is open from
 * `start` to `release`. Functions return false with err: give up. */
struct line_format {
	/* Before the first line: streams, and of a later part (stacks.part) what it has to know of
	 * the input's beginning. NULL: nothing. */
	bool (*start)(void *self, struct error *err);
	/* The next line. text_stacks_end: no line after it matters. */
	bool (*line)(void *self, struct bytes line, struct error *err);
	/* After the last line: what is still open becomes a sample, or is skipped. NULL: nothing
	 * is. */
	bool (*end)(void *self, struct error *err);
	/* Whatever happened: free all that the reader has besides its text_stacks. NULL: nothing.
	 */
	void (*release)(void *self);
};

/* Only the loop: `line` for each line up to the end. */
static inline __attribute__((always_inline)) bool line_format_lines(
	const struct line_format *format, void *self, struct error *err)
{
	struct text_stacks *t = self;
	struct bytes line;
	bool more = true;

	while (!t->ended) {
		if (!text_stacks_line(t, &line, &more, err))
			return false;
		if (!more)
			break;
		if (t->expands_tabs && has_tab(line))
			line = text_stacks_expanded(t, line);
		if (!format->line(self, line, err))
			return false;
	}
	return true;
}

/* For struct reader.read. Always inlined, so that the compiler sees the table and inlines the
 * format's functions in the loop: calls of them were up to 8% of the instructions that a format of
 * short lines takes (bench/readers.sh bcc). */
static inline __attribute__((always_inline)) bool line_format_read(const struct line_format *format,
	void *self, struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct text_stacks *t = self;
	bool done;

	text_stacks_open(t, in, options, out);
	done = (!format->start || format->start(self, err)) &&
	       line_format_lines(format, self, err) && (!format->end || format->end(self, err)) &&
	       text_stacks_finish(t, err);
	if (format->release)
		format->release(self);
	text_stacks_release(t);
	return done;
}

#endif
