/* eu_stack.c: what elfutils' eu-stack prints of a process or a core file.
 *
 *	PID 31648 - process
 *	TID 31648:
 *	#0  0x000055b7d692316d     spin - /tmp/b
 *	    /tmp/b.c:4:64
 *	#1  0x000055b7d69231a8 - 1 one - /tmp/b
 *
 * What is behind the address ("- 1", with -a: a return address), behind the name ("- MODULE", with
 * -m) and on the line below (source or build id) is only there when it was asked for. A stack ends
 * before the next thread or frame 0. */
#include "names/tidy.h"
#include "readers/debuggers/numbered_frames.h"
#include "readers/lines/line_format.h"

#define EXPECTS "a frame such as `#1  0x000055d0c2 main`"

struct eu_stack {
	struct text_stacks stacks;
	int32_t pid, tid;    /* -1: unknown */
	unsigned has;	     /* of samples */
	bool pending;	     /* the line below the last frame may have its source */
	struct buffer frame; /* that frame's line */
};

/* ---- Frames ---- */

/* The name; *ret_module is what follows " - /". */
static struct bytes split_module(struct bytes text, struct bytes *ret_module)
{
	const char *at = bytes_find(text, BYTES(" - /"));

	if (!at)
		at = bytes_find(text, BYTES(" - ["));
	*ret_module = (struct bytes){0};
	if (!at)
		return text;
	*ret_module = (struct bytes){at + 3, text.len - (size_t)(at + 3 - text.at)};
	return (struct bytes){text.at, (size_t)(at - text.at)};
}

/* "/tmp/b.c:4:64"; other text sets nothing. */
static void parse_source(struct bytes text, struct bytes *ret_file, uint32_t *ret_line)
{
	uint64_t number[2];

	if (!text.len)
		return;
	text = bytes_trim(text);
	for (int i = 0; i < 2; i++) {
		const char *colon = bytes_find_last(text, ':');

		if (!colon || !bytes_u64((struct bytes){colon + 1,
						 text.len - (size_t)(colon + 1 - text.at)},
				      &number[i]))
			return;
		text.len = (size_t)(colon - text.at);
	}
	*ret_file = text;
	*ret_line = number[1] < UINT32_MAX ? (uint32_t)number[1] : 0;
}

static void function_name(struct bytes printed, struct buffer *out)
{
	if (printed.len)
		tidy_name(printed, out);
	else
		buffer_text(out, "[unknown]");
}

/* Perl takes all that is printed for the name. */
static location_id make_location_perl(struct eu_stack *e, struct bytes text)
{
	return text_stacks_named(&e->stacks, text.len ? text : BYTES("[unknown]"), FRAME_NATIVE);
}

static location_id make_location(struct eu_stack *e, struct bytes text, struct bytes source)
{
	struct text_frame frame = {0};
	struct buffer name = {0};
	struct bytes module, printed;
	location_id location;

	if (e->stacks.style->tool == TOOL_SCRIPTS)
		return make_location_perl(e, text);
	if (bytes_starts_with(text, BYTES("- 1")) && (text.len == 3 || text.at[3] == ' '))
		text = bytes_trim((struct bytes){text.at + 3, text.len - 3});
	printed = split_module(text, &module);
	function_name(printed, &name);
	frame.function = buffer_bytes(&name);
	frame.module = tidy_base_name(module);
	parse_source(source, &frame.file, &frame.line);
	location = text_stacks_frame(&e->stacks, &frame);
	buffer_release(&name);
	return location;
}

/* Push the pending frame, now that its source (or "") is known. */
static void push_pending(struct eu_stack *e, struct bytes source)
{
	struct bytes text = buffer_bytes(&e->frame);

	if (!e->pending)
		return;
	e->pending = false;
	text_stacks_push(&e->stacks, make_location(e, text, source));
}

static void take_frame(struct eu_stack *e, struct bytes text)
{
	location_id location;

	if (e->stacks.want & WANT_LINES) {
		push_pending(e, (struct bytes){0});
		buffer_set(&e->frame, text);
		e->pending = true;
		return;
	}
	/* A line without a source is looked up, too, but not remembered. */
	location = text.len ? text_stacks_known(&e->stacks, text) : 0;
	if (!location) {
		location = make_location(e, text, (struct bytes){0});
		if (text.len)
			text_stacks_learn(&e->stacks, text, location);
	}
	text_stacks_push(&e->stacks, location);
}

/* ---- Threads ---- */

static void push_number(struct eu_stack *e, const char *what, int32_t number)
{
	struct buffer name = {0};

	buffer_text(&name, what);
	if (number >= 0)
		buffer_i64(&name, number);
	text_stacks_push_name(&e->stacks, buffer_bytes(&name), FRAME_META);
	buffer_release(&name);
}

static bool end_stack(struct eu_stack *e, struct error *err)
{
	static const int64_t one = 1;
	struct sample sample = {.has = e->has};
	struct profile *p = e->stacks.profile;

	push_pending(e, (struct bytes){0});
	if (!e->stacks.frames.len)
		return true;
	if (e->stacks.style->thread_ids)
		push_number(e, "TID=", e->tid);
	if (e->stacks.style->process_ids)
		push_number(e, "PID=", e->pid);
	if (e->has)
		sample.thread = profile_thread(p, profile_process(p, e->pid, 0), e->tid, 0);
	return text_stacks_add_sample(&e->stacks, INNERMOST_FIRST, sample, &one, err);
}

/* Behind the address and a blank. */
static struct bytes rest_of_line(struct bytes line, struct bytes address)
{
	const char *rest = address.at + address.len + 1, *end = line.at + line.len;

	return rest < end ? (struct bytes){rest, (size_t)(end - rest)} : (struct bytes){0};
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct eu_stack *e = self;
	struct numbered_frame frame;

	if (numbered_frame_parse(line, &frame) && frame.address.len) {
		if (!frame.number && !end_stack(e, err))
			return false;
		if (e->stacks.style->tool == TOOL_SCRIPTS)
			frame.rest = rest_of_line(line, frame.address);
		take_frame(e, frame.rest);
	} else if (bytes_starts_with(line, BYTES("PID ")) ||
		   bytes_starts_with(line, BYTES("TID "))) {
		if (!end_stack(e, err))
			return false;
		*(*line.at == 'P' ? &e->pid : &e->tid) = number_behind(line, BYTES("ID "));
	} else if (e->pending && line.len > 4 && *line.at == ' ') {
		push_pending(e, line);
	} else if (bytes_starts_with(line, BYTES("#"))) {
		text_stacks_skip(&e->stacks, "expected " EXPECTS);
	}
	return true;
}

static bool start(void *self, struct error *err)
{
	struct eu_stack *e = self;

	(void)err;
	e->has = e->stacks.want & WANT_THREADS ? SAMPLE_THREAD : 0;
	text_stacks_stream(&e->stacks, BYTES("samples"), BYTES("count"), (struct bytes){0});
	return true;
}

static bool end(void *self, struct error *err)
{
	struct eu_stack *e = self;

	return end_stack(e, err);
}

static void release(void *self)
{
	struct eu_stack *e = self;

	buffer_release(&e->frame);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct eu_stack e = {.pid = -1, .tid = -1};

	return line_format_read(&format, &e, in, options, out, err);
}

static int bid(struct bytes head)
{
	struct bytes line;
	int bits = 0;

	while (bytes_line(&head, &line) && bits < 200) {
		struct numbered_frame frame;

		if ((bytes_starts_with(line, BYTES("PID ")) &&
			    bytes_ends_with(line, BYTES(" - process"))) ||
			(bytes_starts_with(line, BYTES("PID ")) &&
				bytes_ends_with(line, BYTES(" - core"))))
			bits += 8 * 10;
		else if (bytes_starts_with(line, BYTES("TID ")) &&
			 bytes_ends_with(line, BYTES(":")))
			bits += 8 * 5;
		else if (numbered_frame_parse(line, &frame) && frame.address.len &&
			 !bytes_starts_with(frame.rest, BYTES("in ")))
			bits += 8 * 2;
	}
	return bits;
}

/* The start of a stack; the style decides which thread it belongs to. */
static bool between(struct bytes above, struct bytes line)
{
	struct numbered_frame frame;

	(void)above;
	return numbered_frame_parse(line, &frame) && !frame.number && frame.address.len;
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_eu_stack = {
	.name = "eu-stack",
	.about = "stacks of elfutils' eu-stack",
	.expects = EXPECTS,
	.proof = "eu-stack 0.188 on a program with known shares",
	.bid = bid,
	.blanks = true,
	.read = read,
	.cut = cut,
	.one_table = true,
};
