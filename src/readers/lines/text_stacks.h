/* text_stacks.h: what readers of listed stacks share: numbered lines, frames by text, samples.
 *
 *	struct text_stacks t;
 *	text_stacks_open(&t, in, options, out);
 *	text_stacks_stream(&t, BYTES("samples"), BYTES("count"), (struct bytes){0});
 *	for (bool more = true; text_stacks_line(&t, &line, &more, err) && more;)
 *		... text_stacks_push_name(&t, name, FRAME_NATIVE);
 *		... if (!text_stacks_add(&t, INNERMOST_FIRST, &value, err)) break;
 *		... text_stacks_skip(&t, "expected a count");
 *	done = !err->code && text_stacks_finish(&t, err);
 *	text_stacks_release(&t);
 */
#ifndef KILN_READERS_LINES_TEXT_STACKS_H
#define KILN_READERS_LINES_TEXT_STACKS_H

#include "readers/bad_lines.h"
#include "readers/lines/memo.h"
#include "readers/lines/text_lines.h"
#include "readers/part.h"
#include "readers/reading_style.h"

#define TEXT_STREAMS_LIMIT 16u /* values that a sample may have */

enum frame_order { OUTERMOST_FIRST, INNERMOST_FIRST };

struct text_step {
	location_id location;
	stack_id stack;
};

/* A function of a module. */
struct text_function {
	location_id location;
	uint32_t module, next; /* numbers; the next is of the same name */
};

struct text_stacks {
	struct profile *profile;
	unsigned want;	/* enum read_want */
	uint64_t taken; /* samples */
	const struct reading_style *style;
	struct text_lines lines;
	struct memo names[FRAME_KINDS], symbols[FRAME_KINDS];
	struct memo modules; /* to their numbers, from 1 */
	uint32_t modules_seen;
	VECTOR(struct text_function) functions;
	bool expands_tabs;
	struct buffer expanded;	    /* the line */
	struct buffer name, key;    /* scratch */
	VECTOR(location_id) frames; /* of the stack being read, in the order of the input */
	/* The last stack, outermost frame first: stacks that follow one another mostly begin alike.
	 */
	VECTOR(struct text_step) path;
	bool too_deep; /* it has more than READ_DEPTH_LIMIT */
	uint32_t samples, streams, first_stream;
	int64_t total[TEXT_STREAMS_LIMIT];
	VECTOR(uint32_t) row_of_stack; /* plus one; 0: none yet */
	struct bad_lines bad;
	/* A reader's count, and the function that notes it at the end. */
	uint64_t counted;
	void (*add_notes)(struct profile *p, uint64_t counted);
	struct read_part *part; /* NULL: all of an input is read */
	bool ended;		/* the rest of the input is ignored */
};

void text_stacks_open(struct text_stacks *t, struct input *in, const struct read_options *options,
	struct profile *out);
void text_stacks_release(struct text_stacks *t);

/* One more value that every sample has; samples that came before have none of it. Returns the
 * stream.
 */
uint32_t text_stacks_stream(
	struct text_stacks *t, struct bytes kind, struct bytes unit, struct bytes event);

/* The next line without its newline, valid until the next call; *ret_more is false at the end. */
static inline bool text_stacks_line(
	struct text_stacks *t, struct bytes *ret_line, bool *ret_more, struct error *err)
{
	return text_lines_next(&t->lines, ret_line, ret_more, err);
}

/* The line without tabs, valid until the next call. */
struct bytes text_stacks_expanded(struct text_stacks *t, struct bytes line);

/* The location that was remembered for this text (a whole line, say), or 0; and how to remember
 * one. It must depend on the text alone. */
static inline location_id text_stacks_known(struct text_stacks *t, struct bytes text)
{
	return text_lines_known(&t->lines, text);
}

static inline void text_stacks_learn(struct text_stacks *t, struct bytes text, location_id location)
{
	text_lines_learn(&t->lines, text, location);
}

/* The same for a function of a module, in a reader that remembers nothing else. */
location_id text_stacks_known_in(struct text_stacks *t, struct bytes function, struct bytes module);
void text_stacks_learn_in(
	struct text_stacks *t, struct bytes function, struct bytes module, location_id location);

/* A frame of which only the name is known. */
location_id text_stacks_named(struct text_stacks *t, struct bytes name, enum frame_kind kind);

/* A frame of which more is known: the base name of its module, a file (which is kept when the
 * caller wants lines) and a line of it. Not remembered: text_stacks_learn does that for what it is
 * of. */
struct text_frame {
	struct bytes function, module, file;
	uint32_t line; /* 0: unknown */
	enum frame_kind kind;
};
location_id text_stacks_frame(struct text_stacks *t, const struct text_frame *frame);

/* A frame as tracers print it: the symbol is tidied (tidy.h) unless TOOL_SCRIPTS is wanted,
 * which keeps it as it is; an empty one, or "[unknown]", is called after its module, of which only
 * the base name is kept. */
location_id text_stacks_symbol(
	struct text_stacks *t, struct bytes symbol, struct bytes module, enum frame_kind kind);

/* The next frame of the stack being read. */
static inline void text_stacks_push(struct text_stacks *t, location_id location)
{
	if (t->frames.len < READ_DEPTH_LIMIT)
		vector_push(&t->frames, location);
	else
		t->too_deep = true;
}
void text_stacks_push_name(struct text_stacks *t, struct bytes name, enum frame_kind kind);
/* A value without any frame is shown, too: as "[no stack]", for other tools without any name. Call
 * it before text_stacks_add. */
void text_stacks_fill(struct text_stacks *t);
void text_stacks_clear(struct text_stacks *t); /* no frames after all */

/* The frames pushed are a sample with a value for every stream; the next stack is empty. Samples of
 * one stack are summed unless the caller wants times. A stack of more than READ_DEPTH_LIMIT frames
 * is skipped and counted. ERR_LIMIT when values overflow. */
bool text_stacks_add(
	struct text_stacks *t, enum frame_order order, const int64_t *values, struct error *err);
/* The same with what the sample has in other columns (the stack is set here); never summed. Give
 * all samples of an input the same `has`. */
bool text_stacks_add_sample(struct text_stacks *t, enum frame_order order, struct sample sample,
	const int64_t *values, struct error *err);

/* The same for a stack that the reader has built with profile_stack itself; frames pushed stay. */
bool text_stacks_add_stack(
	struct text_stacks *t, struct sample sample, const int64_t *values, struct error *err);

/* The same for several samples with the same `has`, whose values lie one behind the other. */
bool text_stacks_add_stacks(struct text_stacks *t, const struct sample *samples, size_t count,
	const int64_t *values, struct error *err);

/* Make room for so many samples with the same `has`, if each one is a row. */
void text_stacks_reserve(struct text_stacks *t, const struct sample *sample, size_t count);

/* Prefetch for a value of this stack that will be added soon. */
static inline void text_stacks_fetch(const struct text_stacks *t, stack_id stack)
{
	if (stack < t->row_of_stack.len)
		__builtin_prefetch(t->row_of_stack.items + stack);
}

/* For reader.cut: the start of the first line before which the text can be cut, or text.len.
 * `between` decides by this line and the one above it, both complete. */
size_t text_stacks_cut(struct bytes text, bool (*between)(struct bytes above, struct bytes line));

/* Is the text nothing but digits? A count that does not fit is -1. */
bool text_is_count(struct bytes text, int64_t *ret_count);

/* A line that is a count ends a stack, innermost frame first: in one stream, "[no stack]" if it has
 * no frames; skipped when `count` is -1. */
bool text_stacks_add_count(struct text_stacks *t, int64_t count, struct error *err);

/* Skip the last line; `reason` is static: the expected form. */
void text_stacks_skip(struct text_stacks *t, const char *reason);

/* The last line depends on earlier text: if that may be in another part, the result of this part is
 * discarded. */
static inline void text_stacks_depend(struct text_stacks *t)
{
	if (t->part)
		t->part->depends = true;
}

/* What follows the last line is not looked at. */
static inline void text_stacks_end(struct text_stacks *t)
{
	t->ended = true;
	if (t->part)
		t->part->ended = true;
}

/* At the end: totals into the streams, skipped lines into a note. Fails when nothing was read. */
bool text_stacks_finish(struct text_stacks *t, struct error *err);

#endif
