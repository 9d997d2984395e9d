/* wcp.c: reports of wallClockProfiler, which asks gdb for stacks:
 *
 *	Full stacks of samples:
 *
 *	99.791% ===================================== (17194 samples)
 *	1: poll   (at /src/asyncloop.nim:343)
 *	2: main   (at /src/main.nim:12)
 *
 * Innermost frame first; what comes before "Full stacks" sums the same samples up in other ways. */
#include "names/tidy.h"
#include "readers/lines/line_format.h"

#include <stdlib.h>

#define EXPECTS                                                                                    \
	"`Full stacks`, `99.8% === (17194 samples)` and frames such as `1: main   (at a.c:1)`"

struct wcp {
	struct text_stacks stacks;
	int64_t count; /* of the stack being read */
	bool started, open;
};

static bool is_start(struct bytes text)
{
	return bytes_starts_with(text, BYTES("Full stacks"));
}

/* "99.791% ==== (17194 samples)" */
static bool parse_share(struct bytes text, int64_t *ret_count)
{
	const char *open = bytes_find(text, BYTES("% ="));
	struct bytes number;

	if (!open || !is_digit(*text.at) || !bytes_ends_with(text, BYTES(" samples)")))
		return false;
	open = bytes_find_last(text, '(');
	if (!open)
		return false;
	number = (struct bytes){open + 1, (size_t)(text.at + text.len - open) - 1};
	number.len -= strlen(" samples)");
	return text_is_count(number, ret_count);
}

/* "12: " is cut off. */
static bool cut_place(struct bytes *text)
{
	size_t i = 0;

	while (i < text->len && is_digit(text->at[i]))
		i++;
	if (!i || i + 2 >= text->len || text->at[i] != ':' || text->at[i + 1] != ' ')
		return false;
	*text = (struct bytes){text->at + i + 2, text->len - i - 2};
	return true;
}

/* "poll   (at /src/asyncloop.nim:343)" */
static location_id learn_frame(struct text_stacks *t, struct bytes text)
{
	const char *at = bytes_find(text, BYTES("   (at ")), *colon;
	struct text_frame frame = {.function = text};
	location_id location;
	struct bytes source;
	uint64_t line;

	if (at && bytes_ends_with(text, BYTES(")"))) {
		frame.function.len = (size_t)(at - text.at);
		source = (struct bytes){at + 7, (size_t)(text.at + text.len - at) - 8};
		colon = bytes_find_last(source, ':');
		if (colon &&
			bytes_u64((struct bytes){colon + 1,
					  (size_t)(source.at + source.len - colon) - 1},
				&line) &&
			line <= UINT32_MAX) {
			frame.file = (struct bytes){source.at, (size_t)(colon - source.at)};
			frame.line = (uint32_t)line;
		}
	}
	frame.function = bytes_trim(t->style->tool == TOOL_SCRIPTS ? text : frame.function);
	t->name.len = 0;
	if (t->style->tool == TOOL_SCRIPTS)
		buffer_add(&t->name, frame.function.at, frame.function.len);
	else
		tidy_name(frame.function, &t->name);
	frame.function = buffer_bytes(&t->name);
	location = text_stacks_frame(t, &frame);
	text_stacks_learn(t, text, location);
	return location;
}

static bool finish_stack(struct wcp *w, struct error *err)
{
	if (!w->open || !w->stacks.frames.len)
		return true;
	w->open = false;
	return text_stacks_add_count(&w->stacks, w->count, err);
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct wcp *w = self;
	struct bytes text = bytes_trim(line);
	int64_t count;

	if (!w->started) {
		w->started = is_start(text);
		return true;
	}
	if (!text.len)
		return finish_stack(w, err);
	if (parse_share(text, &count)) {
		if (!finish_stack(w, err))
			return false;
		w->count = count;
		w->open = true;
	} else if (w->open && cut_place(&text)) {
		location_id known = text_stacks_known(&w->stacks, text);

		text_stacks_push(&w->stacks, known ? known : learn_frame(&w->stacks, text));
	} else {
		text_stacks_skip(&w->stacks, "expected " EXPECTS);
	}
	return true;
}

/* A part in the middle has full stacks if they have started in the first bytes of the input. */
static bool find_start(struct wcp *w, struct bytes head)
{
	struct bytes line;

	while (!w->started && bytes_line(&head, &line) && head.len)
		w->started = is_start(bytes_trim(line));
	return w->started;
}

static bool start(void *self, struct error *err)
{
	struct wcp *w = self;

	(void)err;
	text_stacks_stream(&w->stacks, BYTES("samples"), BYTES("count"), (struct bytes){0});
	return !w->stacks.part || !w->stacks.part->is_continuation ||
	       find_start(w, w->stacks.part->head);
}

static bool end(void *self, struct error *err)
{
	struct wcp *w = self;

	return finish_stack(w, err);
}

static const struct line_format format = {.start = start, .line = take_line, .end = end};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct wcp w = {0};

	return line_format_read(&format, &w, in, options, out, err);
}

static int bid(struct bytes head)
{
	struct bytes line;
	int64_t count;
	int bits = 0;

	while (bytes_line(&head, &line)) {
		if (is_start(line))
			bits += 8 * 8;
		if (parse_share(bytes_trim(line), &count))
			return bits + 8 * 8;
	}
	return bits;
}

/* Where a stack begins. */
static bool between(struct bytes above, struct bytes line)
{
	int64_t count;

	(void)above;
	return parse_share(bytes_trim(line), &count);
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_wcp = {
	.name = "wcp",
	.about = "reports of wallClockProfiler",
	.expects = EXPECTS,
	.bid = bid,
	.blanks = true,
	.read = read,
	.cut = cut,
	.one_table = true,
};
