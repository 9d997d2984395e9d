/* ljp.c: reports of the Lightweight Java Profiler:
 *
 *	42 3  my_func_b(prog.java:455)
 *	      my_func_a(prog.java:123)
 *	      java.lang.Thread.run(Thread.java:744)
 *	Total trace count = 42, ...
 *
 * Samples, the number of frames, and the frames, innermost first. */
#include "readers/java/java_names.h"
#include "readers/lines/line_format.h"

#include <stdlib.h>

#define EXPECTS "`42 3  Class.method(File.java:1)` and its callers, a line each"

struct ljp {
	struct text_stacks stacks;
	int64_t count; /* of the stack being read */
	bool open;
};

/* "42 3  " at the start is cut off: samples and frames. */
static bool cut_counts(struct bytes *text, int64_t *ret_count)
{
	struct bytes rest = *text, word;
	int64_t frames;

	if (!bytes_cut(&rest, ' ', &word) || !text_is_count(word, ret_count))
		return false;
	rest = bytes_trim(rest);
	if (!bytes_cut(&rest, ' ', &word) || !text_is_count(word, &frames))
		return false;
	*text = bytes_trim(rest);
	return text->len > 0;
}

static bool finish_stack(struct ljp *l, struct error *err)
{
	if (!l->open)
		return true;
	l->open = false;
	return text_stacks_add_count(&l->stacks, l->count, err);
}

static void push_frame(struct ljp *l, struct bytes text)
{
	location_id location = java_location(&l->stacks, text, NULL);

	if (!location) { /* without a source */
		location = text_stacks_named(&l->stacks, text, FRAME_INTERPRETED);
		text_stacks_learn(&l->stacks, text, location);
	}
	text_stacks_push(&l->stacks, location);
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct ljp *l = self;
	struct bytes text = bytes_trim(line);
	int64_t count;

	if (!text.len)
		return true;
	if (bytes_starts_with(text, BYTES("Total "))) {
		text_stacks_end(&l->stacks);
		return true;
	}
	if (is_digit(*text.at) && cut_counts(&text, &count)) {
		if (!finish_stack(l, err))
			return false;
		l->open = true;
		l->count = count;
	} else if (!l->open) {
		text_stacks_skip(&l->stacks, "expected " EXPECTS);
		return true;
	}
	push_frame(l, text);
	return true;
}

static bool start(void *self, struct error *err)
{
	struct ljp *l = self;

	(void)err;
	text_stacks_stream(&l->stacks, BYTES("samples"), BYTES("count"), (struct bytes){0});
	return true;
}

static bool end(void *self, struct error *err)
{
	struct ljp *l = self;

	return finish_stack(l, err);
}

static const struct line_format format = {.start = start, .line = take_line, .end = end};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct ljp l = {0};

	return line_format_read(&format, &l, in, options, out, err);
}

/* The first line, and after it only frames with a source. */
static int bid(struct bytes head)
{
	struct java_frame frame;
	struct bytes line, text;
	int64_t count;
	int frames = 0;

	while (bytes_line(&head, &line)) {
		bool cut = !head.len;

		text = bytes_trim(line);
		if (!text.len)
			continue;
		if (bytes_starts_with(text, BYTES("Total ")))
			return frames ? 40 : 0;
		if (!cut_counts(&text, &count) && !frames)
			return 0;
		if (!java_frame_parse(text, &frame))
			return frames > 1 && cut ? 24 : 0;
		frames++;
	}
	return frames ? 24 : 0;
}

/* Where a stack begins. */
static bool between(struct bytes above, struct bytes line)
{
	struct bytes text = bytes_trim(line);
	int64_t count;

	(void)above;
	return text.len && is_digit(*text.at) && cut_counts(&text, &count);
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_ljp = {
	.name = "ljp",
	.about = "reports of the Lightweight Java Profiler",
	.expects = EXPECTS,
	.bid = bid,
	.blanks = true,
	.read = read,
	.cut = cut,
	.one_table = true,
};
