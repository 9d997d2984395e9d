/* java_exceptions.c: stack traces of Java exceptions, wherever they are in a log.
 *
 *	java.lang.IllegalStateException: no
 *		at Failing.three(Failing.java:3)
 *		at Failing.main(Failing.java:9)
 *	Caused by: java.lang.NullPointerException
 *		at Failing.inner(Failing.java:5)
 *		... 1 more
 *
 * Every trace counts, causes and suppressed exceptions too; the frames that "... 1 more" stands for
 * are those of the trace that it is printed below. Other lines are the log's. */
#include "readers/java/java_names.h"
#include "readers/lines/line_format.h"

#include <stdlib.h>

#define EXPECTS "a method such as `at a.B.c(B.java:1)`"
#define LEVELS	8u /* of exceptions that were suppressed by suppressed ones */

enum { NO_LEVEL = -1 };

struct exceptions {
	struct text_stacks stacks;
	int level; /* of the trace being read: how far it is indented */
	int below; /* the level whose last trace it shares frames with, or NO_LEVEL */
	struct trace {
		VECTOR(location_id) frames; /* innermost first */
	} last[LEVELS];
};

static int level_of(struct bytes line)
{
	size_t tabs = 0;

	while (tabs < line.len && line.at[tabs] == '\t')
		tabs++;
	return tabs > 1 ? (int)tabs - 1 : 0;
}

/* Keep the trace that has been read for those printed below it. */
static void keep_trace(struct exceptions *e)
{
	struct trace *last;

	if (e->level >= (int)LEVELS)
		return;
	last = &e->last[e->level];
	last->frames.len = 0;
	for (size_t i = 0; i < e->stacks.frames.len; i++)
		vector_push(&last->frames, e->stacks.frames.items[i]);
}

static bool end_trace(struct exceptions *e, struct error *err)
{
	static const int64_t one = 1;

	if (!e->stacks.frames.len)
		return true;
	keep_trace(e);
	e->below = NO_LEVEL;
	return text_stacks_add(&e->stacks, INNERMOST_FIRST, &one, err);
}

/* "... 12 more", "... 12 common frames omitted". */
static bool is_more(struct bytes text, uint64_t *ret_count)
{
	struct bytes count;

	if (!bytes_starts_with(text, BYTES("... ")))
		return false;
	text = (struct bytes){text.at + 4, text.len - 4};
	return bytes_cut(&text, ' ', &count) && bytes_u64(count, ret_count) &&
	       (bytes_equal(text, BYTES("more")) ||
		       bytes_equal(text, BYTES("common frames omitted")));
}

/* The outermost `count` frames of the trace above belong to this one, too. */
static void take_more(struct exceptions *e, uint64_t count)
{
	const struct trace *above =
		e->below >= 0 && e->below < (int)LEVELS ? &e->last[e->below] : NULL;

	if (e->stacks.style->tool == TOOL_SCRIPTS)
		return;
	if (!above || count > above->frames.len) {
		text_stacks_depend(&e->stacks);
		text_stacks_skip(
			&e->stacks, "expected at least that many frames in the trace above");
		return;
	}
	for (size_t i = above->frames.len - count; i < above->frames.len; i++)
		text_stacks_push(&e->stacks, above->frames.items[i]);
}

/* A line that is no frame. */
static bool take_other(struct exceptions *e, struct bytes line, struct error *err)
{
	struct bytes text = bytes_trim(line);
	uint64_t count;

	if (bytes_starts_with(text, BYTES("- ")))
		return true; /* what it holds or waits for, in the midst of its frames */
	if (is_more(text, &count) && (e->stacks.frames.len || e->below >= 0)) {
		if (!e->stacks.frames.len)
			e->level = level_of(line);
		take_more(e, count);
		if (!end_trace(e, err))
			return false;
		e->below = NO_LEVEL;
		return true;
	}
	if (!end_trace(e, err))
		return false;
	if (bytes_starts_with(text, BYTES("Caused by: ")))
		e->below = line.at[0] == '\t' ? level_of(line) + 1 : 0;
	else if (bytes_starts_with(text, BYTES("Suppressed: ")))
		e->below = level_of(line);
	return true;
}

/* What follows "at "; {0} when the line is no frame. */
static struct bytes frame_text(struct bytes line)
{
	size_t blanks = 0;

	while (blanks < line.len && (line.at[blanks] == '\t' || line.at[blanks] == ' '))
		blanks++;
	line = (struct bytes){line.at + blanks, line.len - blanks};
	if (!bytes_starts_with(line, BYTES("at ")))
		return (struct bytes){0};
	return (struct bytes){line.at + 3, line.len - 3};
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct exceptions *e = self;
	struct bytes text = frame_text(line);
	location_id location = text.len ? java_location(&e->stacks, text, NULL) : 0;

	if (!location)
		return take_other(e, line, err);
	if (!e->stacks.frames.len)
		e->level = level_of(line);
	text_stacks_push(&e->stacks, location);
	return true;
}

static bool start(void *self, struct error *err)
{
	struct exceptions *e = self;

	(void)err;
	text_stacks_stream(&e->stacks, BYTES("exceptions"), BYTES("count"), (struct bytes){0});
	return true;
}

static bool end(void *self, struct error *err)
{
	struct exceptions *e = self;

	return end_trace(e, err);
}

static void release(void *self)
{
	struct exceptions *e = self;

	for (size_t i = 0; i < LEVELS; i++)
		vector_release(&e->last[i].frames);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct exceptions e = {.below = NO_LEVEL};

	return line_format_read(&format, &e, in, options, out, err);
}

/* A frame whose source only a JVM names so. */
static bool is_certain(struct bytes text)
{
	struct java_frame frame;

	return java_frame_parse(text, &frame) && memchr(frame.method.at, '.', frame.method.len) &&
	       !memchr(frame.method.at, ' ', frame.method.len) &&
	       (frame.line || frame.kind == FRAME_NATIVE ||
		       bytes_ends_with(text, BYTES("(Unknown Source)")));
}

static int bid(struct bytes head)
{
	struct bytes line;
	int bits = 0;

	while (bytes_line(&head, &line) && bits < 8 * 8) {
		struct bytes text = frame_text(line);

		if (text.len && is_certain(text))
			bits += 8;
	}
	return bits;
}

/* Behind the last line of a trace, what has no cause, which would share frames with it. */
static bool between(struct bytes above, struct bytes line)
{
	struct bytes text = bytes_trim(line), frame = frame_text(above);
	struct java_frame parsed;
	uint64_t count;

	return !bytes_starts_with(text, BYTES("at ")) && !bytes_starts_with(text, BYTES("- ")) &&
	       !bytes_starts_with(text, BYTES("... ")) &&
	       !bytes_starts_with(text, BYTES("Caused by: ")) &&
	       !bytes_starts_with(text, BYTES("Suppressed: ")) &&
	       (frame.len ? java_frame_parse(frame, &parsed) : is_more(bytes_trim(above), &count));
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_java_exceptions = {
	.name = "java-exceptions",
	.about = "stack traces of Java exceptions in logs",
	.expects = EXPECTS,
	.proof = "exceptions of Java 17: all that were thrown",
	.bid = bid,
	.read = read,
	.cut = cut,
	.one_table = true,
};
