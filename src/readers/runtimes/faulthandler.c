/* faulthandler.c: tracebacks of all threads that Python's faulthandler writes.
 *
 *	Timeout (0:00:01)!
 *	Thread 0x00007f9e8d4f5740 [main] (most recent call first):
 *	  File "busy.py", line 3 in spin
 *	  File "busy.py", line 9 in <module>
 *
 * It stops after 100 frames with "  ...". */
#include "readers/lines/line_format.h"

#define EXPECTS "a frame such as `  File \"a.py\", line 3 in main`"

struct faulthandler {
	struct text_stacks stacks;
	thread_id thread;
	unsigned has; /* of samples */
};

/* `a.py", line 3 in main`: what follows `  File "`. */
static bool parse_frame(struct bytes text, struct bytes *ret_file, struct bytes *ret_line,
	struct bytes *ret_function)
{
	struct bytes rest = text;
	const char *at = bytes_find(text, BYTES("\", line "));

	if (!at)
		return false;
	*ret_file = (struct bytes){text.at, (size_t)(at - text.at)};
	rest = (struct bytes){at + 8, text.len - (size_t)(at + 8 - text.at)};
	if (!bytes_cut(&rest, ' ', ret_line) || !bytes_starts_with(rest, BYTES("in ")))
		return false;
	*ret_function = (struct bytes){rest.at + 3, rest.len - 3};
	return ret_function->len > 0;
}

/* Named "a.py:3:main", as the stacks are folded. */
static location_id make_location(struct text_stacks *t, struct bytes text)
{
	struct bytes file, line, function;
	struct frame frame = {.kind = FRAME_INTERPRETED};
	struct buffer name = {0};
	uint64_t number;

	if (!parse_frame(text, &file, &line, &function))
		return 0;
	buffer_add(&name, file.at, file.len);
	buffer_char(&name, ':');
	buffer_add(&name, line.at, line.len);
	buffer_char(&name, ':');
	buffer_add(&name, function.at, function.len);
	frame.function = profile_string(t->profile, buffer_bytes(&name));
	frame.file = profile_string(t->profile, file);
	if (bytes_u64(line, &number) && number < UINT32_MAX)
		frame.line = (uint32_t)number;
	buffer_release(&name);
	return profile_location_named(t->profile, profile_frame(t->profile, &frame));
}

static void take_frame(struct faulthandler *f, struct bytes text)
{
	location_id location = text_stacks_known(&f->stacks, text);

	if (!location) {
		location = make_location(&f->stacks, text);
		if (!location) {
			text_stacks_skip(&f->stacks, "expected " EXPECTS);
			return;
		}
		text_stacks_learn(&f->stacks, text, location);
	}
	text_stacks_push(&f->stacks, location);
}

static bool end_stack(struct faulthandler *f, struct error *err)
{
	static const int64_t one = 1;
	struct sample sample = {.has = f->has, .thread = f->thread};

	return !f->stacks.frames.len ||
	       text_stacks_add_sample(&f->stacks, INNERMOST_FIRST, sample, &one, err);
}

/* "Thread 0x00007f9e8d4f5740 [name] (most recent call first):"; the number is pthread's, not the
 * system's: it is the name of threads that have none. */
static void take_thread(struct faulthandler *f, struct bytes line)
{
	const char *at = bytes_find(line, BYTES(" 0x"));
	const char *end = bytes_find(line, BYTES(" (most recent call first)"));
	struct profile *p = f->stacks.profile;
	struct bytes name;
	const char *open;

	if (!f->has || !at || !end || at >= end)
		return;
	name = (struct bytes){at + 1, (size_t)(end - at) - 1};
	open = memchr(name.at, '[', name.len);
	if (open && bytes_ends_with(name, BYTES("]")))
		name = (struct bytes){open + 1, name.len - (size_t)(open - name.at) - 2};
	f->thread = profile_thread(p, 0, -1, profile_string(p, name));
}

static bool is_thread(struct bytes line)
{
	return bytes_starts_with(line, BYTES("Thread ")) ||
	       bytes_starts_with(line, BYTES("Current thread "));
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct faulthandler *f = self;
	static const struct bytes start = {"  File \"", 8};

	if (bytes_starts_with(line, start)) {
		take_frame(f, (struct bytes){line.at + start.len, line.len - start.len});
		return true;
	}
	if (f->stacks.frames.len && bytes_equal(line, BYTES("  ...")))
		f->stacks.counted++;
	if (!end_stack(f, err))
		return false;
	if (is_thread(line))
		take_thread(f, line);
	return true;
}

/* Stacks that lack their outermost frames are counted. */
static void note_truncated(struct profile *p, uint64_t counted)
{
	if (counted)
		profile_note(p,
			"%llu stacks have no outermost frames: faulthandler stops at 100 frames",
			(unsigned long long)counted);
}

static bool start(void *self, struct error *err)
{
	struct faulthandler *f = self;

	(void)err;
	f->has = f->stacks.want & WANT_THREADS ? SAMPLE_THREAD : 0;
	f->stacks.add_notes = note_truncated;
	text_stacks_stream(&f->stacks, BYTES("samples"), BYTES("count"), (struct bytes){0});
	return true;
}

static bool end(void *self, struct error *err)
{
	struct faulthandler *f = self;

	return end_stack(f, err);
}

static const struct line_format format = {.start = start, .line = take_line, .end = end};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct faulthandler f = {0};

	return line_format_read(&format, &f, in, options, out, err);
}

static int bid(struct bytes head)
{
	struct bytes line;
	int bits = 0;

	while (bytes_line(&head, &line) && bits < 200) {
		struct bytes file, number, function;

		if (bytes_ends_with(line, BYTES(" (most recent call first):")))
			bits += 8 * 20;
		else if (bytes_starts_with(line, BYTES("  File \"")) &&
			 parse_frame((struct bytes){line.at + 8, line.len - 8}, &file, &number,
				 &function))
			bits += 8 * 5;
	}
	return bits;
}

/* Where a thread begins. */
static bool between(struct bytes above, struct bytes line)
{
	(void)above;
	return is_thread(line);
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_faulthandler = {
	.name = "faulthandler",
	.about = "tracebacks of Python's faulthandler",
	.expects = EXPECTS,
	.proof = "Python 3.11's faulthandler on a program with known shares",
	.bid = bid,
	.read = read,
	.cut = cut,
	.one_table = true,
};
