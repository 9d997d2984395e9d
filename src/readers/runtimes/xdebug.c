/* xdebug.c: traces of PHP functions that Xdebug writes with xdebug.trace_format=1:
 *
 *	TRACE START [2026-11-22 00:05:38.274145]
 *	1  0  0  0.000214  393032  {main}  1  -  trace.php  0  0
 *	2  1  0  0.000317  393032  strlen  0  -  trace.php  5  1
 *	2  1  1  0.022059  393032
 *
 * Tabs separate the fields, and '-' stands for an empty one. They are the level, the number of the
 * call, 0 (entry), 1 (exit) or R (what it returned), the time in seconds and the memory; of entries
 * also the function's name and whether it is the user's own. The time between two lines belongs to
 * the function that runs between them. Calls are counted, as the classic script does on demand,
 * where a function returns that has called no other. */
#include "readers/lines/line_format.h"

#include <assert.h>
#include <stdlib.h>

#define EXPECTS "`TRACE START` and lines of xdebug.trace_format=1"
#define EXPECTED                                                                                   \
	"expected level, number, 0 or 1, time and memory, as xdebug.trace_format=1 writes them"
#define TOO_DEEP "expected a stack of at most " READ_DEPTH_TEXT " frames"

struct call {
	stack_id stack;
	uint64_t level;
};

struct xdebug {
	struct text_stacks stacks;
	VECTOR(struct call) calls;
	bool tracing;
	bool entered;  /* the last line was an entry */
	uint64_t last; /* its time, ns */
};

/* A line in its fields. */
struct traced {
	uint64_t level, time; /* ns */
	char what;	      /* '0', '1', 'R' */
	struct bytes name;
	bool own;
};

/* "0.032009"; digits below ns are dropped. */
static bool parse_time(struct bytes text, uint64_t *ret_ns)
{
	static const uint64_t units[] = {
		1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
	uint64_t seconds = 0, fraction = 0;
	size_t i = 0, decimals = 0;

	for (; i < text.len && is_digit(text.at[i]); i++) {
		seconds = seconds * 10 + (uint64_t)(text.at[i] - '0');
		if (seconds > 1000000000)
			return false;
	}
	if (!i)
		return false;
	if (i < text.len && text.at[i] == '.') {
		for (i++; i < text.len && is_digit(text.at[i]); i++) {
			if (decimals == 9)
				continue;
			fraction = fraction * 10 + (uint64_t)(text.at[i] - '0');
			decimals++;
		}
	}
	*ret_ns = seconds * 1000000000 + fraction * units[decimals];
	return i == text.len;
}

/* Fields are separated by one tab or more. */
static inline struct bytes cut_field(struct bytes *line)
{
	struct bytes field = {line->at, bytes_until(*line, '\t')};
	size_t used = field.len;

	while (used < line->len && line->at[used] == '\t')
		used++;
	*line = (struct bytes){line->at + used, line->len - used};
	return field;
}

static bool parse_line(struct bytes line, struct traced *ret)
{
	struct bytes level = cut_field(&line), what;

	if (!level.len || !bytes_u64(level, &ret->level))
		return false;
	cut_field(&line); /* the call's number */
	what = cut_field(&line);
	if (what.len != 1)
		return false;
	ret->what = *what.at;
	if (ret->what == 'R')
		return true;
	if ((ret->what != '0' && ret->what != '1') || !parse_time(cut_field(&line), &ret->time))
		return false;
	if (ret->what == '1')
		return true;
	cut_field(&line); /* memory */
	ret->name = cut_field(&line);
	ret->own = bytes_equal(cut_field(&line), BYTES("1"));
	return ret->name.len > 0;
}

/* What passed since the last line belongs to the function that ran. */
static bool charge(struct xdebug *x, uint64_t now, bool call, struct error *err)
{
	int64_t values[2] = {0, call};
	struct sample sample = {.time = x->last};

	if (!x->calls.len)
		return true;
	if (now < x->last) {
		text_stacks_skip(&x->stacks, "expected increasing times");
		now = x->last;
	}
	/* Whole microseconds of either time, so that their sum is what passed in all. */
	values[0] = (int64_t)(now / 1000 - x->last / 1000);
	if (!values[0] && !call)
		return true;
	sample.stack = x->calls.items[x->calls.len - 1].stack;
	if (x->stacks.want & WANT_TIMES) {
		sample.has = SAMPLE_TIME | SAMPLE_DURATION;
		sample.duration = now - x->last;
	}
	return text_stacks_add_stack(&x->stacks, sample, values, err);
}

static void enter(struct xdebug *x, const struct traced *line)
{
	struct profile *p = x->stacks.profile;
	stack_id caller;

	/* Calls whose exit is missing are over. */
	while (x->calls.len && x->calls.items[x->calls.len - 1].level >= line->level)
		x->calls.len--;
	caller = x->calls.len ? x->calls.items[x->calls.len - 1].stack : 0;
	if (x->calls.len >= READ_DEPTH_LIMIT)
		text_stacks_skip(&x->stacks, TOO_DEEP);
	else
		caller = profile_stack(p, caller,
			text_stacks_named(&x->stacks, line->name,
				line->own ? FRAME_INTERPRETED : FRAME_NATIVE));
	vector_push(&x->calls, ((struct call){caller, line->level}));
}

static bool take_call(struct xdebug *x, const struct traced *line, struct error *err)
{
	if (line->what == 'R')
		return true;
	if (!charge(x, line->time, line->what == '1' && x->entered, err))
		return false;
	if (line->what == '0') {
		enter(x, line);
	} else {
		size_t len = x->calls.len;

		while (len && x->calls.items[len - 1].level > line->level)
			len--;
		if (!len || x->calls.items[len - 1].level != line->level)
			text_stacks_skip(&x->stacks, "expected an entry before an exit");
		else
			x->calls.len = len - 1;
	}
	x->entered = line->what == '0';
	x->last = line->time;
	return true;
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct xdebug *x = self;
	struct traced traced = {0};

	if (bytes_starts_with(line, BYTES("TRACE START"))) {
		x->calls.len = 0;
		x->entered = false;
		x->tracing = true;
		return true;
	}
	if (!x->tracing || !line.len)
		return true;
	if (*line.at == '\t' || bytes_starts_with(line, BYTES("TRACE END"))) {
		x->tracing = false;
		return true;
	}
	if (parse_line(line, &traced))
		return take_call(x, &traced, err);
	text_stacks_skip(&x->stacks, EXPECTED);
	return true;
}

static bool start(void *self, struct error *err)
{
	struct xdebug *x = self;

	(void)err;
	text_stacks_stream(&x->stacks, BYTES("time"), BYTES("us"), (struct bytes){0});
	text_stacks_stream(&x->stacks, BYTES("calls"), BYTES("count"), (struct bytes){0});
	return true;
}

static bool end(void *self, struct error *err)
{
	struct xdebug *x = self;

	(void)err;
	if (x->tracing)
		text_stacks_skip(&x->stacks, "expected `TRACE END` before the end");
	return true;
}

static void release(void *self)
{
	struct xdebug *x = self;

	vector_release(&x->calls);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct xdebug x = {0};

	return line_format_read(&format, &x, in, options, out, err);
}

static int bid(struct bytes head)
{
	struct bytes line;
	int bits = 0;

	while (bytes_line(&head, &line)) {
		struct traced traced;

		if (bytes_starts_with(line, BYTES("TRACE START [")))
			bits = 8 * 13;
		else if (bits && line.len)
			return bits + (parse_line(line, &traced) ? 8 : 0);
	}
	return bits;
}

const struct reader reader_xdebug = {
	.name = "xdebug",
	.about = "PHP function traces written by Xdebug",
	.expects = EXPECTS,
	.proof = "Xdebug 3.2 on a program with known shares",
	.bid = bid,
	.read = read,
};
