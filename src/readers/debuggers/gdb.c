/* gdb.c: backtraces that gdb prints: `bt`, and `thread apply all bt` of a program sampled with it.
 *
 *	Thread 2 (Thread 0x7f9e8d4f46c0 (LWP 31650) "b"):
 *	#0  0x00007f9e8d5cbdf2 in __libc_pause () at ../sysdeps/unix/sysv/linux/pause.c:29
 *	#1  0x000055b7d6923152 in waiter (x=<optimized out>) at b.c:7
 *	#2  0x00007f9e8d5811f5 in foo(int, char) () from /lib/x86_64-linux-gnu/libfoo.so
 *	#3  <signal handler called>
 *
 * A stack ends before its next frame 0, before a thread and before whatever is not indented;
 * indented lines belong to the frame above them (wrapped lines, the locals of `bt full`). */
#include "names/tidy.h"
#include "readers/debuggers/numbered_frames.h"
#include "readers/lines/line_format.h"

#define EXPECTS "a frame such as `#1  0x000055d0 in main () at a.c:3`"

struct gdb {
	struct text_stacks stacks;
	thread_id thread;
	unsigned has; /* of samples */
};

/* ---- Frames ---- */

/* The parts of a frame line, which point into it. */
struct gdb_frame {
	struct bytes function, module, file;
	uint32_t line;
};

/* The end of "operator<", "operator()", "operator->", behind which brackets have their usual
 * meaning. */
static size_t skip_operator(struct bytes text, size_t at)
{
	struct bytes rest = {text.at + at, text.len - at};

	if (!bytes_starts_with(rest, BYTES("operator")))
		return at;
	at += strlen("operator");
	rest = (struct bytes){text.at + at, text.len - at};
	if (bytes_starts_with(rest, BYTES("()")))
		return at + 2;
	while (at < text.len && strchr("<>-=!+*/%&|^~,", text.at[at]))
		at++;
	return at;
}

/* The next "(" at or behind `at` outside of brackets that does not start "(anonymous namespace)";
 * text.len: none. */
static size_t find_parenthesis(struct bytes text, size_t at, bool behind_blank)
{
	for (int depth = 0; at < text.len; at++) {
		char c = text.at[at];

		if (c == 'o') {
			at = skip_operator(text, at);
			if (at == text.len)
				break;
			c = text.at[at];
		}
		if (c == '(' && !depth && (!behind_blank || (at && text.at[at - 1] == ' ')) &&
			!bytes_starts_with((struct bytes){text.at + at, text.len - at},
				BYTES("(anonymous namespace)")))
			return at;
		if (c == '<' || c == '(' || c == '{' || c == '[')
			depth++;
		else if ((c == '>' && !(at && text.at[at - 1] == '-')) || c == ')' || c == '}' ||
			 c == ']')
			depth -= depth > 0;
	}
	return text.len;
}

/* The length of the function's name: up to the blank before its values in parentheses. Names have
 * blanks themselves. */
static size_t function_length(struct bytes text)
{
	size_t at = find_parenthesis(text, 0, true);

	return at == text.len ? at : at - 1;
}

/* Behind the parenthesis that closes the one at `at`. */
static size_t behind_parenthesis(struct bytes text, size_t at)
{
	for (int depth = 0; at < text.len; at++) {
		depth += text.at[at] == '(';
		depth -= text.at[at] == ')';
		if (!depth)
			return at + 1;
	}
	return text.len;
}

/* Cut off the parameters' types at the end of C++ names: "f(int) const". Those of a function around
 * a lambda remain. */
static struct bytes without_parameters(struct bytes name)
{
	size_t at = 0, open;

	while ((open = find_parenthesis(name, at, false)) < name.len) {
		struct bytes rest;

		at = behind_parenthesis(name, open);
		rest = (struct bytes){name.at + at, name.len - at};
		if (open && (!rest.len || *rest.at == ' ' || *rest.at == '['))
			return (struct bytes){name.at, open};
	}
	return name;
}

/* The last " at " or " from " behind the values, and what follows it. */
static struct bytes text_behind(struct bytes text, struct bytes word)
{
	const char *found = NULL, *at;
	struct bytes rest = text;

	while ((at = bytes_find(rest, word))) {
		found = at + word.len;
		rest = (struct bytes){found, text.len - (size_t)(found - text.at)};
	}
	return found ? rest : (struct bytes){0};
}

static void parse_place(struct bytes text, struct gdb_frame *f)
{
	struct bytes place = text_behind(text, BYTES(") at "));
	const char *colon = bytes_find_last(place, ':');
	uint64_t line;

	f->module = tidy_base_name(text_behind(text, BYTES(") from ")));
	if (!colon ||
		!bytes_u64((struct bytes){colon + 1, place.len - (size_t)(colon + 1 - place.at)},
			&line))
		return;
	f->file = (struct bytes){place.at, (size_t)(colon - place.at)};
	f->line = line < UINT32_MAX ? (uint32_t)line : 0;
}

/* "in main () at a.c:3" or "main () at a.c:3". */
static bool parse_frame(struct bytes text, struct gdb_frame *ret_frame)
{
	struct gdb_frame f = {0};

	if (bytes_starts_with(text, BYTES("in ")))
		text = (struct bytes){text.at + 3, text.len - 3};
	if (!text.len || bytes_equal(text, BYTES("in")))
		return false;
	if (*text.at == '<' && bytes_ends_with(text, BYTES(" called>"))) {
		f.function = text; /* "<signal handler called>" */
	} else {
		f.function = (struct bytes){text.at, function_length(text)};
		parse_place(
			(struct bytes){text.at + f.function.len, text.len - f.function.len}, &f);
	}
	*ret_frame = f;
	return f.function.len > 0;
}

static location_id make_location(struct text_stacks *t, const struct gdb_frame *f)
{
	struct buffer name = {0};
	location_id location;

	if (t->style->tool == TOOL_SCRIPTS)
		buffer_add(&name, f->function.at, f->function.len);
	else
		tidy_rust_name(without_parameters(f->function), &name);
	location = text_stacks_frame(t, &(struct text_frame){.function = buffer_bytes(&name),
						.module = f->module,
						.file = f->file,
						.line = f->line});
	buffer_release(&name);
	return location;
}

/* ---- Lines ---- */

static bool end_stack(struct gdb *g, struct error *err)
{
	static const int64_t one = 1;
	struct sample sample = {.has = g->has, .thread = g->thread};

	return !g->stacks.frames.len ||
	       text_stacks_add_sample(&g->stacks, INNERMOST_FIRST, sample, &one, err);
}

static bool take_frame(struct gdb *g, const struct numbered_frame *printed, struct error *err)
{
	location_id location;
	struct gdb_frame frame;

	if (!printed->number && !end_stack(g, err))
		return false;
	location = text_stacks_known(&g->stacks, printed->rest);
	if (!location) {
		if (!parse_frame(printed->rest, &frame)) {
			text_stacks_skip(&g->stacks, "expected " EXPECTS);
			return true;
		}
		location = make_location(&g->stacks, &frame);
		text_stacks_learn(&g->stacks, printed->rest, location);
	}
	text_stacks_push(&g->stacks, location);
	return true;
}

/* `Thread 2 (Thread 0x7f9e8d4f46c0 (LWP 31650) "b"):`, `Thread 1 (process 5):` */
static void take_thread(struct gdb *g, struct bytes line)
{
	struct profile *p = g->stacks.profile;
	const char *quote = memchr(line.at, '"', line.len);
	int32_t tid = number_behind(line, BYTES("LWP "));
	struct bytes name = {0};

	if (!(g->stacks.want & WANT_THREADS))
		return;
	if (tid < 0)
		tid = number_behind(line, BYTES("process "));
	if (quote) {
		name = (struct bytes){quote + 1, line.len - (size_t)(quote + 1 - line.at)};
		quote = bytes_find_last(name, '"');
		name.len = quote ? (size_t)(quote - name.at) : name.len;
	}
	g->thread = profile_thread(p, 0, tid, profile_string(p, name));
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct gdb *g = self;
	struct numbered_frame frame;

	if (numbered_frame_parse(line, &frame))
		return take_frame(g, &frame, err);
	if (g->stacks.frames.len && line.len &&
		(*line.at == ' ' || *line.at == '\t' || bytes_equal(line, BYTES("No locals.")) ||
			bytes_starts_with(line, BYTES("--Type <")) ||
			bytes_starts_with(line, BYTES("---Type <"))))
		return true;
	if (!end_stack(g, err))
		return false;
	if (bytes_starts_with(line, BYTES("Thread ")))
		take_thread(g, line);
	return true;
}

static bool start(void *self, struct error *err)
{
	struct gdb *g = self;

	(void)err;
	g->has = g->stacks.want & WANT_THREADS ? SAMPLE_THREAD : 0;
	text_stacks_stream(&g->stacks, BYTES("samples"), BYTES("count"), (struct bytes){0});
	return true;
}

static bool end(void *self, struct error *err)
{
	struct gdb *g = self;

	return end_stack(g, err);
}

static const struct line_format format = {.start = start, .line = take_line, .end = end};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct gdb g = {0};

	return line_format_read(&format, &g, in, options, out, err);
}

/* "in" behind the address, or values in parentheses without an address, distinguish gdb from other
 * tools. */
static int bid(struct bytes head)
{
	struct bytes line;
	int bits = 0;

	while (bytes_line(&head, &line) && bits < 200) {
		struct numbered_frame frame;

		if (bytes_starts_with(line, BYTES("Thread ")) &&
			bytes_find(line, BYTES(" (LWP ")) && bytes_ends_with(line, BYTES("):")))
			bits += 8 * 12;
		if (!numbered_frame_parse(line, &frame))
			continue;
		if (frame.address.len && bytes_starts_with(frame.rest, BYTES("in ")))
			bits += 8 * 5;
		else if (!frame.address.len && bytes_find(frame.rest, BYTES(") at ")))
			bits += 8 * 4;
	}
	return bits;
}

/* Where a stack begins. */
static bool between(struct bytes above, struct bytes line)
{
	struct numbered_frame frame;

	(void)above;
	return numbered_frame_parse(line, &frame) && !frame.number;
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_gdb = {
	.name = "gdb",
	.about = "backtraces of gdb (bt, thread apply all bt)",
	.expects = EXPECTS,
	.proof = "gdb 13 on a program with known shares",
	.bid = bid,
	.blanks = true,
	.read = read,
	.cut = cut,
	.one_table = true,
};
