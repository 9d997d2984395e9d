/* stap.c: stacks that SystemTap's print_backtrace(), print_ubacktrace() and print_stack() print:
 *
 *	 0xffffffff8103ce3b : native_safe_halt+0xb/0x10 [kernel]
 *	 0xffffffff81013236 : cpu_idle+0xd6/0x120 [kernel]
 *		2404
 *
 * or symbols alone, a line each; innermost first, and then a line with their count. */
#include "readers/lines/line_format.h"

#include <stdlib.h>

#define EXPECTS                                                                                    \
	"frames such as `0xffffffff8103ce3b : idle+0xb/0x10 [kernel]` and a line with their count"

/* "0x401136 : " is cut off. */
static bool cut_address(struct bytes *text, uint64_t *ret_address)
{
	const char *blank = text->len ? memchr(text->at, ' ', text->len) : NULL;
	struct bytes digits;

	if (!blank || !bytes_starts_with(*text, BYTES("0x")))
		return false;
	digits = (struct bytes){text->at + 2, (size_t)(blank - text->at) - 2};
	if (!bytes_hex(digits, ret_address) ||
		!bytes_starts_with((struct bytes){blank, (size_t)(text->at + text->len - blank)},
			BYTES(" : ")))
		return false;
	*text = (struct bytes){blank + 3, (size_t)(text->at + text->len - blank) - 3};
	return true;
}

/* Where "+0x" and hexadecimal digits at the end start, or text.len. */
static size_t find_offset(struct bytes text)
{
	size_t at = text.len;

	while (at && is_hex_digit(text.at[at - 1]))
		at--;
	return at < text.len && at >= 3 && !memcmp(text.at + at - 3, "+0x", 3) ? at - 3 : text.len;
}

/* "+0xb/0x10" or "+0xb" is cut off. */
static struct bytes without_offset(struct bytes text)
{
	size_t slash = text.len;

	while (slash && is_hex_digit(text.at[slash - 1]))
		slash--;
	if (slash >= 3 && slash < text.len && !memcmp(text.at + slash - 3, "/0x", 3)) {
		struct bytes before = {text.at, slash - 3};

		before.len = find_offset(before);
		if (before.len < slash - 3)
			return before;
	}
	return (struct bytes){text.at, find_offset(text)};
}

/* " [/usr/bin/x]" or " [libc.so.6+0x27b25]" is cut off. */
static struct bytes cut_module(struct bytes *text)
{
	const char *open = bytes_find_last(*text, '[');
	struct bytes module;

	if (!open || text->at[text->len - 1] != ']' || (open > text->at && open[-1] != ' '))
		return (struct bytes){0};
	module = (struct bytes){open + 1, (size_t)(text->at + text->len - open) - 2};
	module.len = find_offset(module);
	*text = bytes_trim((struct bytes){text->at, (size_t)(open - text->at)});
	return module;
}

/* Perl's name: what is between " : " and the last '+'. */
static location_id learn_frame_perl(struct text_stacks *t, struct bytes line)
{
	struct bytes text = bytes_trim(line);
	const char *plus = text.len ? memrchr(text.at, '+', text.len) : NULL, *colon;
	location_id location;

	if (plus)
		text.len = (size_t)(plus - text.at);
	while ((colon = bytes_find(text, BYTES(" : ")))) {
		text.len -= (size_t)(colon + 3 - text.at);
		text.at = colon + 3;
	}
	location = text_stacks_named(t, text.len ? text : BYTES("-"), FRAME_NATIVE);
	text_stacks_learn(t, line, location);
	return location;
}

static location_id learn_frame(struct text_stacks *t, struct bytes line)
{
	struct bytes text = bytes_trim(line), symbol, module;
	uint64_t address = 0;
	location_id location;

	if (bytes_starts_with(text, BYTES("Returning from: ")) ||
		bytes_starts_with(text, BYTES("Returning to  : ")))
		text = (struct bytes){text.at + 16, text.len - 16};
	if (bytes_ends_with(text, BYTES(" (inexact)")))
		text.len -= strlen(" (inexact)");
	symbol = text;
	cut_address(&symbol, &address);
	module = cut_module(&symbol);
	if (address >> 63 && bytes_equal(module, BYTES("kernel")))
		module = BYTES("[kernel]");
	symbol = without_offset(symbol);
	/* What has no name is printed as its address. */
	if (module.len && bytes_starts_with(symbol, BYTES("0x")))
		symbol.len = 0;
	location =
		text_stacks_symbol(t, symbol, module, address >> 63 ? FRAME_KERNEL : FRAME_NATIVE);
	text_stacks_learn(t, line, location);
	return location;
}

static bool take_new_line(struct text_stacks *t, struct bytes line, struct error *err)
{
	struct bytes text = bytes_trim(line);
	int64_t count;

	if (!text.len)
		return true;
	if (text_is_count(text, &count))
		return text_stacks_add_count(t, count, err);
	if (bytes_starts_with(text, BYTES("WARNING: ")))
		text_stacks_skip(t, "expected " EXPECTS);
	else
		text_stacks_push(t, t->style->tool == TOOL_SCRIPTS ? learn_frame_perl(t, line)
								   : learn_frame(t, line));
	return true;
}

static bool start(void *self, struct error *err)
{
	struct text_stacks *t = self;

	(void)err;
	text_stacks_stream(t, BYTES("samples"), BYTES("count"), (struct bytes){0});
	return true;
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct text_stacks *t = self;
	location_id known = line.len ? text_stacks_known(t, line) : 0;

	if (!known)
		return take_new_line(t, line, err);
	text_stacks_push(t, known);
	return true;
}

static bool end(void *self, struct error *err)
{
	struct text_stacks *t = self;

	(void)err;
	if (t->frames.len)
		text_stacks_skip(t, "expected a line with the count of the last stack");
	return true;
}

static const struct line_format format = {.start = start, .line = take_line, .end = end};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct text_stacks t;

	return line_format_read(&format, &t, in, options, out, err);
}

static bool is_symbol(struct bytes text)
{
	char c = text.len ? *text.at : '\0';

	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_'
		       ? !memchr(text.at, ' ', text.len) && !memchr(text.at, ';', text.len)
		       : false;
}

/* Addresses with names behind " : ", and a count; or, weaker, nothing but symbols and counts. */
static int bid(struct bytes head)
{
	struct bytes line;
	int frames = 0, symbols = 0, deepest = 0, others = 0;

	while (bytes_line(&head, &line)) {
		struct bytes text = bytes_trim(line);
		uint64_t number;

		if (!text.len)
			continue;
		if (cut_address(&text, &number)) {
			frames++;
		} else if (bytes_u64(text, &number)) {
			if (frames)
				return 8 * 4 + 8;
			deepest = symbols > deepest ? symbols : deepest;
			symbols = 0;
		} else if (is_symbol(text)) {
			symbols++;
		} else {
			others++;
		}
	}
	return frames ? 8 : deepest > 1 && !others ? 3 : 0;
}

/* Behind a count. */
static bool between(struct bytes above, struct bytes line)
{
	int64_t count;

	(void)line;
	return text_is_count(bytes_trim(above), &count);
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_stap = {
	.name = "stap",
	.about = "stacks printed by SystemTap",
	.expects = EXPECTS,
	.bid = bid,
	.read = read,
	.cut = cut,
	.one_table = true,
};
