/* sample.c: the call graphs that macOS' sample(1) and its Activity Monitor write:
 *
 *	Call graph:
 *	    825 Thread_15758523   DispatchQueue_1: com.apple.main-thread  (serial)
 *	    + 825 start  (in libdyld.dylib) + 1  [0x7fff737cf3d5]
 *	    +   821 main  (in rg) + 41  [0x10384b549]
 *
 * A line is two characters further in than its caller's. The functions that threads wait in, which
 * the classic script leaves out, are a kind of their own: idle. */
#include "names/tidy.h"
#include "readers/lines/line_format.h"
#include "readers/lines/nested.h"

#include <stdlib.h>

#define EXPECTS	   "`Call graph:` and lines such as `    + 825 main  (in rg) + 41  [0x1038]`"
#define BUSY	   0u /* streams */
#define WAITING	   1u
#define START	   BYTES("Call graph:")
#define END	   BYTES("Total number in stack")
#define MARGIN	   "    " /* of the call graph */
#define COUNT_SURE 18u	  /* digits: no such number is too large */
#define EXPECTED   "expected a line such as `    + 825 main  (in rg) + 41  [0x1038]`"

struct sampled {
	struct text_stacks stacks;
	struct nested nested;
	struct buffer name;
	VECTOR(uint8_t) waits; /* by location */
	process_id process;
	bool started, ended; /* the call graph */
};

/* A line's frame, in its parts. */
struct printed {
	struct bytes symbol, module; /* "libdyld.dylib"; empty: none */
	struct bytes file;
	uint32_t line;
};

/* Functions that a thread waits in, as the classic script has them. */
static bool is_waiting(struct bytes function, struct bytes module)
{
	static const char *const names[] = {"__psynch_cvwait", "__select", "__semwait_signal",
		"__ulock_wait", "__wait4", "__workq_kernreturn", "kevent", "mach_msg_trap", "read",
		"semaphore_wait_trap"};

	if (module.len && !bytes_equal(module, BYTES("libsystem_kernel.dylib")))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (bytes_equal(function, bytes_of(names[i])))
			return true;
	return false;
}

/* "main.c:12" behind the last "]  ". */
static void find_source(struct bytes text, struct printed *frame)
{
	const char *close = bytes_find_last(text, ']');
	struct bytes source, number;
	const char *colon;
	uint64_t line;

	if (!close)
		return;
	source = bytes_trim((struct bytes){close + 1, (size_t)(text.at + text.len - close) - 1});
	colon = bytes_find_last(source, ':');
	if (!colon)
		return;
	number = (struct bytes){colon + 1, (size_t)(source.at + source.len - colon) - 1};
	if (!bytes_u64(number, &line) || line > UINT32_MAX)
		return;
	frame->file = (struct bytes){source.at, (size_t)(colon - source.at)};
	frame->line = (uint32_t)line;
}

/* "main  (in rg) + 41  [0x10384b549]  main.c:12", "Thread_1   DispatchQueue_1: name  (serial)" */
static struct printed parse_frame(struct bytes text)
{
	struct printed frame = {.symbol = text};
	struct bytes rest = text;
	const char *in = NULL, *close;

	for (const char *next; (next = bytes_find(rest, BYTES("(in "))); in = next)
		rest = (struct bytes){next + 4, (size_t)(text.at + text.len - next) - 4};
	if (in) {
		frame.symbol.len = (size_t)(in - text.at);
		close = memchr(rest.at, ')', rest.len);
		if (close)
			frame.module = (struct bytes){rest.at, (size_t)(close - rest.at)};
		find_source(rest, &frame);
	} else if (bytes_find(text, BYTES("  ["))) {
		frame.symbol.len = (size_t)(bytes_find(text, BYTES("  [")) - text.at);
	}
	frame.symbol = bytes_trim(frame.symbol);
	return frame;
}

/* "run (.llvm.17269878581919215071)": what a compiler made of "run" to inline it elsewhere. */
static struct bytes without_llvm(struct bytes symbol)
{
	const char *mark = bytes_find(symbol, BYTES(" (.llvm."));

	if (mark && bytes_ends_with(symbol, BYTES(")")))
		symbol.len = (size_t)(mark - symbol.at);
	return symbol;
}

/* The classic script takes two words for the name of a thread or of a method of Objective-C, and
 * puts a '.' between them. */
static void add_as_awk(struct bytes symbol, bool is_thread, struct buffer *out)
{
	bool method = bytes_starts_with(symbol, BYTES("-[")) ||
		      bytes_starts_with(symbol, BYTES("+[")) ||
		      bytes_find(symbol, BYTES(" (.llvm."));
	struct bytes first, second;

	if (!(is_thread || method) || !bytes_cut(&symbol, ' ', &first)) {
		buffer_add(out, symbol.at, symbol.len);
		return;
	}
	symbol = bytes_trim(symbol);
	if (!bytes_cut(&symbol, ' ', &second))
		second = symbol;
	buffer_add(out, first.at, first.len);
	buffer_char(out, '.');
	buffer_add(out, second.at, second.len);
}

static location_id learn_frame(struct sampled *s, struct bytes text, bool is_thread)
{
	struct printed printed = parse_frame(text);
	struct text_frame frame = {.module = printed.module,
		.file = printed.file,
		.line = printed.line,
		.kind = is_thread ? FRAME_META : FRAME_NATIVE};
	struct bytes function;
	location_id location;
	size_t len, start;

	s->name.len = 0;
	if (printed.module.len && !s->stacks.style->no_modules) {
		len = printed.module.len -
		      (bytes_ends_with(printed.module, BYTES(".dylib")) ? strlen(".dylib") : 0);
		buffer_add(&s->name, printed.module.at, len);
		buffer_char(&s->name, '`');
	}
	buffer_reserve(&s->name, 1);
	start = s->name.len;
	if (s->stacks.style->tool == TOOL_SCRIPTS)
		add_as_awk(printed.symbol, is_thread, &s->name);
	else
		tidy_name(without_llvm(printed.symbol), &s->name);
	function = bytes_trim((struct bytes){s->name.at + start, s->name.len - start});
	s->name.len = function.len ? (size_t)(function.at + function.len - s->name.at) : start;
	frame.function = buffer_bytes(&s->name);
	location = text_stacks_frame(&s->stacks, &frame);
	while (s->waits.len <= location)
		vector_push(&s->waits, 0);
	s->waits.items[location] = is_waiting(function, printed.module);
	if (!is_thread) /* the text of a thread may be that of a function, too */
		text_stacks_learn(&s->stacks, text, location);
	return location;
}

/* The first level is a thread: its number is in its name. */
static void enter_thread(struct sampled *s, struct bytes text)
{
	struct profile *p = s->stacks.profile;
	struct bytes name, number;
	uint64_t id;

	if (!(s->stacks.want & WANT_THREADS))
		return;
	name = parse_frame(text).symbol;
	number = (struct bytes){name.at, 0};
	if (bytes_starts_with(name, BYTES("Thread_"))) {
		number.at += strlen("Thread_");
		while (number.at + number.len < name.at + name.len && number.at[number.len] != ' ')
			number.len++;
	}
	s->nested.sample.has = SAMPLE_THREAD;
	s->nested.sample.thread = profile_thread(p, s->process,
		bytes_u64(number, &id) && id <= INT32_MAX ? (int32_t)id : -1,
		profile_string(p, name));
}

static bool is_mark(char c)
{
	return c == ' ' || c == '+' || c == '|' || c == ':' || c == '!';
}

/* How many of these 16 bytes are marks before the first other one? */
static size_t marks_of_sixteen(const char *at)
{
	scan_sixteen text = scan_load(at);
	scan_sixteen others = ~((scan_sixteen)((text | 1) == '!') | (scan_sixteen)(text == '+') |
				(scan_sixteen)(text == '|') | (scan_sixteen)(text == ':'));
	uint64_t words[2];

	memcpy(words, &others, sizeof(words));
	if (words[0])
		return (size_t)__builtin_ctzll(le64toh(words[0])) / 8;
	return words[1] ? 8 + (size_t)__builtin_ctzll(le64toh(words[1])) / 8 : 16;
}

static size_t indentation(struct bytes text)
{
	size_t i = 0;

	for (; i + 16 <= text.len; i += 16) {
		size_t marks = marks_of_sixteen(text.at + i);

		if (marks < 16)
			return i + marks;
	}
	while (i < text.len && is_mark(text.at[i]))
		i++;
	return i;
}

/* Where "[0x10384b549]" or "[0x10384b549,0x10384b54e]" at the end starts, or NULL. */
static const char *find_address(struct bytes text)
{
	const char *end = text.at + text.len - 1, *open;
	size_t digits;

	if (!bytes_ends_with(text, BYTES("]")))
		return NULL;
	digits = scan_hex_before(text.at, end);
	if ((size_t)(end - text.at) >= digits + 3 && !memcmp(end - digits - 3, "[0x", 3))
		return end - digits - 3;
	open = bytes_find_last(text, '[');
	return open && !memchr(open, ' ', (size_t)(end - open)) ? open : NULL;
}

/* " + 41  [0x10384b549]" behind "(in rg)" tells no more about the frame. */
static struct bytes without_address(struct bytes text)
{
	const char *open = find_address(text);
	size_t len = open ? (size_t)(open - text.at) : 0;

	if (!open)
		return text;
	while (len &&
		(text.at[len - 1] == ' ' || text.at[len - 1] == '+' || is_digit(text.at[len - 1])))
		len--;
	open = len && text.at[len - 1] == ')' ? bytes_find_last((struct bytes){text.at, len}, '(')
					      : NULL;
	if (open && bytes_starts_with(
			    (struct bytes){open, (size_t)(text.at + len - open)}, BYTES("(in ")))
		text.len = len;
	return text;
}

/* The part of a line by which its frame is found again: the text behind the count. Empty: none. */
static struct bytes function_of(struct bytes line)
{
	size_t at = strlen(MARGIN), count;

	if (!bytes_starts_with(line, BYTES(MARGIN)))
		return (struct bytes){line.at, 0};
	at += indentation((struct bytes){line.at + at, line.len - at});
	count = at;
	while (at < line.len && is_digit(line.at[at]))
		at++;
	if (at == count || at == line.len || line.at[at] != ' ')
		return (struct bytes){line.at, 0};
	return without_address((struct bytes){line.at + at, line.len - at});
}

/* A line of the call graph, in its parts. */
struct counted {
	size_t indent; /* behind the margin */
	int64_t count;
	struct bytes text; /* the text behind the count */
};

static bool parse_line(struct bytes line, struct bytes text, struct counted *ret)
{
	const char *digits = text.at;
	uint64_t count;

	if (!text.len)
		return false;
	while (is_digit(digits[-1]))
		digits--;
	ret->indent = (size_t)(digits - line.at) - strlen(MARGIN);
	if (ret->indent % 2 ||
		!bytes_u64((struct bytes){digits, (size_t)(text.at - digits)}, &count) ||
		count > INT64_MAX)
		return false;
	ret->count = (int64_t)count;
	ret->text = text;
	return true;
}

static bool take_row(struct sampled *s, struct bytes line, struct error *err)
{
	struct counted counted;
	location_id location;

	if (!parse_line(line, text_lines_part(&s->stacks.lines, line), &counted)) {
		text_stacks_skip(&s->stacks, EXPECTED);
		return true;
	}
	if (!nested_takes(&s->nested, counted.indent / 2)) {
		text_stacks_skip(&s->stacks,
			"expected a line indented at most two characters more than its caller");
		return true;
	}
	location = counted.indent ? text_stacks_known(&s->stacks, counted.text) : 0;
	if (!location)
		location = learn_frame(s, counted.text, !counted.indent);
	if (!counted.indent && !nested_finish(&s->nested, err))
		return false;
	if (!counted.indent)
		enter_thread(s, counted.text);
	return nested_add(&s->nested, counted.indent / 2, location,
		s->waits.items[location] ? WAITING : BUSY, counted.count, err);
}

/* "Analysis of sampling rg (pid 64751) every 1 millisecond" */
static void take_heading(struct sampled *s, struct bytes line)
{
	struct bytes of = BYTES("Analysis of sampling "), number, name;
	const char *open = bytes_find(line, BYTES(" (pid "));
	uint64_t pid;

	if (!(s->stacks.want & WANT_THREADS) || !bytes_starts_with(line, of) || !open)
		return;
	name = (struct bytes){line.at + of.len, (size_t)(open - line.at) - of.len};
	number = (struct bytes){open + 6, 0};
	while (number.at + number.len < line.at + line.len && number.at[number.len] != ')')
		number.len++;
	if (bytes_u64(number, &pid) && pid <= INT32_MAX)
		s->process = profile_process(
			s->stacks.profile, (int32_t)pid, profile_string(s->stacks.profile, name));
}

/* A call graph begins in the first part and ends in the last one. */
static void find_ends(struct sampled *s)
{
	if (s->ended || !s->started)
		text_stacks_end(&s->stacks);
	if (!s->started)
		text_stacks_skip(&s->stacks, "expected `Call graph:` before the end");
	else if (!s->ended && !read_part_goes_on(s->stacks.part))
		text_stacks_skip(&s->stacks, "expected `Total number in stack` before the end");
}

static bool start(void *self, struct error *err)
{
	struct sampled *s = self;

	(void)err;
	s->stacks.lines.part = function_of;
	s->started = s->stacks.part && s->stacks.part->is_continuation;
	text_stacks_stream(&s->stacks, BYTES("samples"), BYTES("count"), (struct bytes){0});
	text_stacks_stream(&s->stacks, BYTES("idle"), BYTES("count"), (struct bytes){0});
	return true;
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct sampled *s = self;

	if (!s->started) {
		s->started = bytes_starts_with(line, START);
		take_heading(s, line);
	} else if (bytes_starts_with(line, BYTES(MARGIN))) {
		return take_row(s, line, err);
	} else if (bytes_starts_with(line, END)) {
		s->ended = true;
		text_stacks_end(&s->stacks);
	} else if (bytes_trim(line).len) {
		text_stacks_skip(&s->stacks, EXPECTED);
	}
	return true;
}

static bool end(void *self, struct error *err)
{
	struct sampled *s = self;

	if (!nested_finish(&s->nested, err))
		return false;
	find_ends(s);
	return true;
}

static void release(void *self)
{
	struct sampled *s = self;

	nested_release(&s->nested);
	buffer_release(&s->name);
	vector_release(&s->waits);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct sampled s = {.nested = {.stacks = &s.stacks, .order = OUTERMOST_FIRST}};

	return line_format_read(&format, &s, in, options, out, err);
}

static int bid(struct bytes head)
{
	struct bytes line;
	int bits = 0;

	while (bytes_line(&head, &line)) {
		if (bytes_starts_with(line, BYTES("Analysis of sampling ")))
			bits += 8 * 21;
		if (bytes_equal(bytes_trim(line), START))
			bits += 8 * 11;
	}
	return bits;
}

/* Cut at a thread: it has no caller. */
static bool between(struct bytes above, struct bytes line)
{
	struct bytes digits = {line.at + strlen(MARGIN), 0};

	(void)above;
	if (!bytes_starts_with(line, BYTES(MARGIN)))
		return false;
	while (digits.at + digits.len < line.at + line.len && is_digit(digits.at[digits.len]))
		digits.len++;
	return digits.len && digits.len <= COUNT_SURE &&
	       digits.at + digits.len < line.at + line.len && digits.at[digits.len] == ' ';
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_sample = {
	.name = "sample",
	.about = "call graphs of macOS' sample(1)",
	.expects = EXPECTS,
	.proof = "inferno's corpus; totals as the files state them",
	.bid = bid,
	.blanks = true,
	.read = read,
	.cut = cut,
	.one_table = true,
};
