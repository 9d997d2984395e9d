/* async_html.c: flame graphs of async-profiler (2.0 to 4) and of its converter, as pages.
 *
 * The script of a page has a call for each frame, callers before callees, with its width, which
 * includes its callees:
 *
 *	f(level,left,width,type,'name')		2.x; behind the name, shares of compilers
 *	f(key,level,left,width)			since 3.0, where `left` counts from the last frame
 *	u(key,width)				one level above the last frame, at its left
 *	n(key,width)				behind the last frame, at its level
 *
 * A width that is missing is the last one. A key is a type in three bits and the number of a name
 * in `const cpool`, where a name is how many characters it shares with the one before, as a
 * character from ' ' on, and the rest. What a frame has more than its callees is its own, or that
 * of callees below --minwidth. Source of the format: src/flameGraph.cpp of async-profiler. */
#include "readers/lines/line_format.h"

#include <stdlib.h>

#define EXPECTS	      "a page with frames such as `f(1,0,12,1,'main')` or `u(9,12)`"
#define A_FRAME	      "a frame such as `f(1,0,12,1,'main')`, `f(9,1,0,12)` or `u(9,12)`"
#define NAMES_LIMIT   ((size_t)16 << 20) /* different ones */
#define KEY_TYPE_BITS 3u
#define NUMBERS_LIMIT 7u /* of a call */

static const enum frame_kind kinds[] = {FRAME_INTERPRETED, FRAME_JIT, FRAME_INLINED, FRAME_NATIVE,
	FRAME_NATIVE, FRAME_KERNEL, FRAME_BASELINE};
static const enum frame_kind kinds_until_2_5[] = {
	FRAME_JIT, FRAME_INLINED, FRAME_KERNEL, FRAME_NATIVE, FRAME_NATIVE};

struct level {
	location_id location;
	int64_t width, callees;
};

struct async_html {
	struct text_stacks stacks;
	VECTOR(struct level) levels; /* of the last frame and its callers */
	VECTOR(char) names;	     /* one behind the other... */
	VECTOR(size_t) ends;	     /* ... up to here */
	struct buffer unit, name;
	uint64_t level, width; /* of the last frame */
	bool in_names, reversed, types_known, old_types, difference, opened;
	uint64_t wide; /* frames narrower than their callees */
};

/* Frames tell where they are by the last one: without one, those behind it would be wrong. */
static bool fail(const struct async_html *a, const char *expected, struct error *err)
{
	return error_set(err, ERR_FORMAT, "line %llu: expected %s",
		(unsigned long long)a->stacks.lines.number, expected);
}

/* ---- Names ---- */

/* "'it\'s'" without its quotes; *rest is what follows. False: it is no text. */
static bool cut_text(struct bytes *rest, struct buffer *ret_text)
{
	size_t at = 1;

	ret_text->len = 0;
	if (!rest->len || *rest->at != '\'')
		return false;
	for (; at < rest->len && rest->at[at] != '\''; at++) {
		at += rest->at[at] == '\\' && at + 1 < rest->len;
		buffer_char(ret_text, rest->at[at]);
	}
	if (at >= rest->len)
		return false;
	*rest = (struct bytes){rest->at + at + 1, rest->len - at - 1};
	return true;
}

static struct bytes name_at(const struct async_html *a, size_t number)
{
	size_t start = number ? a->ends.items[number - 1] : 0;

	return (struct bytes){a->names.items + start, a->ends.items[number] - start};
}

static void add_bytes(struct async_html *a, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		vector_push(&a->names, bytes[i]);
}

/* The first name, "all", shares nothing and says so with no character. */
static bool take_name(struct async_html *a, struct bytes line, struct error *err)
{
	size_t shared = 0, skip = a->ends.len > 0;

	if (!cut_text(&line, &a->name) || (skip && !a->name.len))
		return fail(a, "the name of a function in quotes", err);
	if (skip && a->name.at[0] > ' ')
		shared = (size_t)(a->name.at[0] - ' ');
	if (skip) {
		struct bytes last = name_at(a, a->ends.len - 1);
		size_t start = (size_t)(last.at - a->names.items);

		shared = shared < last.len ? shared : last.len;
		vector_reserve(&a->names, shared);
		add_bytes(a, a->names.items + start, shared);
	}
	add_bytes(a, a->name.at + skip, a->name.len - skip);
	vector_push(&a->ends, a->names.len);
	return true;
}

/* ---- Stacks ---- */

/* The frames that are open down to a level are a stack, all but the first one, "all". */
static bool add_own(struct async_html *a, size_t depth, struct error *err)
{
	const struct level *level = &a->levels.items[depth - 1];
	int64_t own = level->width - level->callees;

	a->wide += own < 0;
	if (own <= 0)
		return true;
	for (size_t i = 1; i < depth; i++)
		text_stacks_push(&a->stacks, a->levels.items[i].location);
	text_stacks_fill(&a->stacks);
	return text_stacks_add(
		&a->stacks, a->reversed ? INNERMOST_FIRST : OUTERMOST_FIRST, &own, err);
}

static bool close_to(struct async_html *a, size_t depth, struct error *err)
{
	for (; a->levels.len > depth; a->levels.len--)
		if (!add_own(a, a->levels.len, err))
			return false;
	return true;
}

static void open_stream(struct async_html *a)
{
	struct bytes unit = buffer_bytes(&a->unit);
	bool samples = !unit.len || bytes_equal(unit, BYTES("samples"));
	bool known = bytes_equal(unit, BYTES("bytes")) || bytes_equal(unit, BYTES("ns"));

	a->opened = true;
	text_stacks_stream(&a->stacks,
		samples				 ? BYTES("samples")
		: bytes_equal(unit, BYTES("ns")) ? BYTES("time")
						 : unit,
		known ? unit : BYTES("count"), (struct bytes){0});
}

static bool add_frame(struct async_html *a, uint64_t level, uint64_t width, unsigned type,
	struct bytes name, struct error *err)
{
	size_t types = a->old_types ? sizeof(kinds_until_2_5) / sizeof(*kinds_until_2_5)
				    : sizeof(kinds) / sizeof(*kinds);
	struct level frame = {.width = (int64_t)width};

	if (level > a->levels.len || level > READ_DEPTH_LIMIT || width > INT64_MAX ||
		(!level && a->levels.len))
		return fail(a, "a frame above the last one, or beside it or its callers", err);
	if (!a->opened)
		open_stream(a);
	if (!close_to(a, level, err))
		return false;
	if (level && __builtin_add_overflow(a->levels.items[level - 1].callees, frame.width,
			     &a->levels.items[level - 1].callees))
		return error_set(err, ERR_LIMIT, "line %llu: the sum of all values exceeds 2^63",
			(unsigned long long)a->stacks.lines.number);
	frame.location = text_stacks_named(&a->stacks, name.len ? name : BYTES("[unknown]"),
		type >= types  ? FRAME_NATIVE
		: a->old_types ? kinds_until_2_5[type]
			       : kinds[type]);
	vector_push(&a->levels, frame);
	a->level = level;
	a->width = width;
	return true;
}

/* ---- Calls ---- */

/* Numbers up to the end of the call or the text in it; false: something else is there. */
static bool cut_numbers(struct bytes *rest, uint64_t *ret_numbers, size_t *ret_count)
{
	*ret_count = 0;
	while (rest->len && is_digit(*rest->at) && *ret_count < NUMBERS_LIMIT) {
		size_t digits = 0;

		while (digits < rest->len && is_digit(rest->at[digits]))
			digits++;
		if (!bytes_u64((struct bytes){rest->at, digits}, &ret_numbers[(*ret_count)++]))
			return false;
		*rest = (struct bytes){rest->at + digits, rest->len - digits};
		if (rest->len && *rest->at == ')')
			return true;
		if (!rest->len || *rest->at != ',')
			return false;
		*rest = (struct bytes){rest->at + 1, rest->len - 1};
	}
	return rest->len && *rest->at == '\'';
}

static bool take_named(struct async_html *a, struct bytes rest, const uint64_t *numbers,
	size_t count, struct error *err)
{
	if (count != 4 || !cut_text(&rest, &a->name))
		return fail(a, A_FRAME, err);
	return add_frame(a, numbers[0], numbers[2], (unsigned)(numbers[3] & 255),
		buffer_bytes(&a->name), err);
}

static bool take_keyed(
	struct async_html *a, char call, const uint64_t *numbers, size_t count, struct error *err)
{
	size_t before_width = call == 'f' ? 3 : 1;
	uint64_t name = count ? numbers[0] >> KEY_TYPE_BITS : 0;
	uint64_t level = call == 'f' ? (count > 1 ? numbers[1] : 0) : a->level + (call == 'u');
	uint64_t width = count > before_width ? numbers[before_width] : a->width;

	if (count < before_width || name >= a->ends.len)
		return fail(a, A_FRAME, err);
	return add_frame(a, level, width ? width : a->width, numbers[0] & 7, name_at(a, name), err);
}

static bool is_call(struct bytes line)
{
	return line.len > 3 && (*line.at == 'f' || *line.at == 'u' || *line.at == 'n') &&
	       line.at[1] == '(';
}

static bool take_call(struct async_html *a, struct bytes line, struct error *err)
{
	struct bytes rest = {line.at + 2, line.len - 2};
	uint64_t numbers[NUMBERS_LIMIT];
	size_t count;

	if (!cut_numbers(&rest, numbers, &count))
		return fail(a, A_FRAME, err);
	return *rest.at == '\'' ? take_named(a, rest, numbers, count, err)
				: take_keyed(a, *line.at, numbers, count, err);
}

/* ---- The page ---- */

/* "let inverted = true;", "const units = 'samples';" */
static bool is_setting(struct bytes line, struct bytes name, struct bytes *ret_value)
{
	struct bytes word, rest = line;

	if (!bytes_cut(&rest, ' ', &word) ||
		!(bytes_equal(word, BYTES("let")) || bytes_equal(word, BYTES("var")) ||
			bytes_equal(word, BYTES("const"))) ||
		!bytes_cut(&rest, ' ', &word) || !bytes_equal(word, name) ||
		!bytes_starts_with(rest, BYTES("= ")))
		return false;
	*ret_value = (struct bytes){rest.at + 2, rest.len - 2};
	return true;
}

static void take_setting(struct async_html *a, struct bytes line)
{
	struct bytes value;

	if (is_setting(line, BYTES("reverse"), &value) ||
		is_setting(line, BYTES("inverted"), &value))
		a->reversed = bytes_starts_with(value, BYTES("true"));
	else if (is_setting(line, BYTES("units"), &value))
		cut_text(&value, &a->unit);
	else if (is_setting(line, BYTES("maxdiff"), &value))
		a->difference = value.len && is_digit(*value.at);
	else if (is_setting(line, BYTES("cpool"), &value))
		a->in_names = true;
}

/* Colours of types: the first one of 2.0 to 2.5 is that of Java, later it is that of interpreted
 * code. */
static void take_colour(struct async_html *a, struct bytes line)
{
	if (a->types_known || !bytes_starts_with(line, BYTES("[0x")))
		return;
	a->types_known = true;
	a->old_types = bytes_starts_with(line, BYTES("[0x50e150,"));
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct async_html *a = self;
	struct bytes text = bytes_trim(line);

	if (a->in_names && bytes_starts_with(text, BYTES("]")))
		a->in_names = false;
	else if (a->in_names && a->ends.len == NAMES_LIMIT)
		return error_set(err, ERR_LIMIT, "more than %zu names", NAMES_LIMIT);
	else if (a->in_names)
		return take_name(a, text, err);
	else if (is_call(line))
		return take_call(a, line, err);
	else {
		take_setting(a, text);
		take_colour(a, text);
	}
	return true;
}

static bool finish(struct async_html *a, struct error *err)
{
	struct profile *p = a->stacks.profile;

	if (!close_to(a, 0, err) || !text_stacks_finish(&a->stacks, err))
		return false;
	if (a->wide)
		profile_note(p,
			"frames narrower than their callees, without a value of their own: "
			"%llu",
			(unsigned long long)a->wide);
	if (a->difference)
		profile_note(p, "the page shows a difference: values are those afterwards");
	if (a->reversed && a->ends.len)
		profile_note(p, "the page does not tell --reverse from --inverted: assuming "
				"--reverse, where stacks begin with the innermost frame");
	return true;
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	static const struct line_format format = {.line = take_line};
	struct async_html a = {0};
	bool done;

	text_stacks_open(&a.stacks, in, options, out);
	done = line_format_lines(&format, &a, err) && finish(&a, err);
	text_stacks_release(&a.stacks);
	vector_release(&a.levels);
	vector_release(&a.names);
	vector_release(&a.ends);
	buffer_release(&a.unit);
	buffer_release(&a.name);
	return done;
}

/* The page's script, which is at its start. */
static int bid(struct bytes head)
{
	return bytes_starts_with(head, BYTES("<!DOCTYPE html>")) &&
			       bytes_find(head, BYTES("async-profiler")) &&
			       bytes_find(head, BYTES("const levels = Array("))
		       ? 8 * 40
		       : 0;
}

const struct reader reader_async_html = {
	.name = "async-html",
	.about = "flame graphs of async-profiler and jfrconv, as pages (.html)",
	.expects = EXPECTS,
	.proof = "async-profiler 2.0 to 4.5, compared with its collapsed stacks",
	.bid = bid,
	.read = read,
	.one_table = true,
};
