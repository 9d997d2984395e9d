/* dtrace.c: aggregations of stacks that DTrace prints:
 *
 *	CPU     ID                    FUNCTION:NAME
 *	  0  64091                        :tick-60s
 *
 *	              genunix`fop_write+0x12
 *	              unix`sys_syscall+0x17a
 *	               23
 *
 * Other keys of an aggregation stand in a line before the stack or in the line of the value; they
 * become outer frames. Names are cut as the classic scripts do it: "module`" stays, and behind a
 * "::" all from the last '(' or '<' goes. */
#include "readers/lines/line_format.h"

#include "names/tidy.h"

#include <stdlib.h>

#define EXPECTS "frames such as \"unix`trap+0x2c\", innermost first, and a line with their count"

struct dtrace {
	struct text_stacks stacks;
	struct buffer name;
	VECTOR(location_id) keys; /* of the stack being read */
	bool begun;		  /* the header has been passed */
};

static bool is_address(struct bytes text)
{
	uint64_t address;

	return bytes_starts_with(text, BYTES("0x")) &&
	       bytes_hex((struct bytes){text.at + 2, text.len - 2}, &address);
}

static bool is_frame(struct bytes text)
{
	return (text.len && memchr(text.at, '`', text.len)) || is_address(text);
}

/* Keys are indented a little, by DTrace; frames are much further, or not at all. */
static bool may_be_keys(struct bytes line, struct bytes text)
{
	return text.at > line.at && text.at <= line.at + 2 && !is_frame(text);
}

/* "CPU     ID   FUNCTION:NAME", and what stands below it: a CPU, the id and the name of a probe. */
static bool is_probe(struct bytes text)
{
	size_t words = 0, i = 0;

	if (bytes_starts_with(text, BYTES("CPU ")) &&
		bytes_ends_with(text, BYTES(" FUNCTION:NAME")))
		return true;
	while (words < 2) {
		size_t start = i;

		while (i < text.len && is_digit(text.at[i]))
			i++;
		if (i == start || i == text.len || text.at[i] != ' ')
			return false;
		while (i < text.len && text.at[i] == ' ')
			i++;
		words++;
	}
	text = (struct bytes){text.at + i, text.len - i};
	return memchr(text.at, ':', text.len) && !memchr(text.at, ' ', text.len);
}

/* ---- Frames ---- */

static struct bytes without_offset(struct bytes text)
{
	size_t at = text.len;

	while (at && is_hex_digit(text.at[at - 1]))
		at--;
	if (at < text.len && at >= 3 && !memcmp(text.at + at - 3, "+0x", 3))
		text.len = at - 3;
	return text;
}

/* "ns::f<T>(int)" as "ns::f<T>": behind "::" the last '(' or '<' and the rest are cut off. */
static struct bytes without_arguments(struct bytes text)
{
	const char *scope = bytes_find(text, BYTES("::"));

	if (!scope)
		return text;
	for (const char *at = text.at + text.len; at-- > scope + 2;) {
		/* NOLINTNEXTLINE(clang-analyzer-core.*): it is part of the text, behind "::" */
		if (*at == '(' || *at == '<') {
			text.len = (size_t)(at - text.at);
			return text;
		}
	}
	return text;
}

static bool is_mangled(struct bytes name)
{
	return bytes_starts_with(name, BYTES("_Z")) || bytes_starts_with(name, BYTES("_R")) ||
	       bytes_starts_with(name, BYTES("__Z"));
}

/* "module`function", tidied, in d->name. *ret_module is a part of `text`. */
static void tidy_frame(struct dtrace *d, struct bytes text, struct bytes *ret_module)
{
	struct bytes function = without_arguments(text);
	const char *tick = function.len ? memchr(function.at, '`', function.len) : NULL;

	*ret_module = (struct bytes){text.at, tick ? (size_t)(tick - text.at) : 0};
	d->name.len = 0;
	if (tick) {
		function.len -= ret_module->len + 1;
		function.at = tick + 1;
		buffer_add(&d->name, text.at, ret_module->len + 1);
	}
	if (d->stacks.style->tool == TOOL_SCRIPTS)
		buffer_add(&d->name, function.at, function.len);
	else if (d->stacks.style->tool == TOOL_KILN && is_mangled(function))
		tidy_name(function, &d->name);
	else
		tidy_rust_name(bytes_trim(function), &d->name);
}

/* What was inlined is printed as "outer->inner->...": the frames are pushed one by one. */
static void push_inlined(struct dtrace *d, struct bytes names, struct bytes module)
{
	struct buffer all = {0};
	struct bytes name;
	VECTOR(location_id) found = {0};

	buffer_add(&all, names.at, names.len);
	names = buffer_bytes(&all);
	while (tidy_next_inlined(&names, &name)) {
		struct text_frame frame = {.module = module};

		d->name.len = 0;
		name = tidy_java(name);
		buffer_add(&d->name, name.at, name.len);
		if (found.len) {
			buffer_text(&d->name, "_[i]");
			frame.kind = FRAME_INLINED;
		}
		frame.function = buffer_bytes(&d->name);
		vector_push(&found, text_stacks_frame(&d->stacks, &frame));
	}
	while (found.len)
		text_stacks_push(&d->stacks, found.items[--found.len]);
	vector_release(&found);
	buffer_release(&all);
}

/* Where offsets are kept, a line means something else at the innermost end of a stack. */
static bool is_special(const struct dtrace *d)
{
	return d->stacks.style->offsets && !d->stacks.frames.len;
}

static void take_frame(struct dtrace *d, struct bytes line)
{
	bool special = is_special(d), keep = d->stacks.style->offsets && !special;
	struct bytes whole = bytes_trim(line), text = without_offset(whole), module;
	location_id location;

	if (!text.len)
		text = BYTES("-");
	tidy_frame(d, text, &module);
	if (keep && without_arguments(whole).len == whole.len)
		buffer_add(&d->name, text.at + text.len, whole.len - text.len);
	if (bytes_find(buffer_bytes(&d->name), BYTES("->"))) {
		push_inlined(d, buffer_bytes(&d->name), module);
		return;
	}
	location = text_stacks_frame(&d->stacks,
		&(struct text_frame){.function = buffer_bytes(&d->name), .module = module});
	/* Where the line stands decides whether it has keys. */
	if (!special && !may_be_keys(line, whole))
		text_stacks_learn(&d->stacks, line, location);
	text_stacks_push(&d->stacks, location);
}

/* ---- Keys and values ---- */

static bool take_count(struct dtrace *d, int64_t count, struct error *err)
{
	while (d->keys.len)
		text_stacks_push(&d->stacks, d->keys.items[--d->keys.len]);
	return text_stacks_add_count(&d->stacks, count, err);
}

/* Two blanks or more separate keys. */
static bool cut_key(struct bytes *text, struct bytes *ret_key)
{
	size_t i = 0;

	*text = bytes_trim(*text);
	if (!text->len)
		return false;
	while (i < text->len &&
		!(text->at[i] == ' ' && i + 1 < text->len && text->at[i + 1] == ' '))
		i++;
	*ret_key = (struct bytes){text->at, i};
	*text = (struct bytes){text->at + i, text->len - i};
	return true;
}

/* "  bash          " before a stack (keys are padded), "  bash      12" behind one. */
static bool take_keys(struct dtrace *d, struct bytes line, bool *ret_taken, struct error *err)
{
	bool padded = line.len && line.at[line.len - 1] == ' ';
	struct bytes text = bytes_trim(line), key;
	int64_t count;

	*ret_taken = false;
	if (!may_be_keys(line, text))
		return true;
	if (padded && !d->stacks.frames.len) {
		while (cut_key(&text, &key))
			vector_push(&d->keys, text_stacks_named(&d->stacks, key, FRAME_META));
		*ret_taken = true;
	} else if (!padded && bytes_find(text, BYTES("  "))) {
		const char *blank = bytes_find_last(text, ' ');
		struct bytes last = {blank + 1, (size_t)(text.at + text.len - blank) - 1};

		if (blank[-1] != ' ' || !text_is_count(last, &count))
			return true;
		text.len -= last.len;
		while (cut_key(&text, &key))
			vector_push(&d->keys, text_stacks_named(&d->stacks, key, FRAME_META));
		*ret_taken = true;
		return take_count(d, count, err);
	}
	return true;
}

static bool take_new_line(struct dtrace *d, struct bytes line, struct error *err)
{
	struct bytes text = bytes_trim(line);
	int64_t count;
	bool taken;

	if (!text.len || is_probe(text))
		return true;
	if (text_is_count(text, &count))
		return take_count(d, count, err);
	if (!take_keys(d, line, &taken, err))
		return false;
	if (!taken)
		take_frame(d, line);
	return true;
}

/* DTrace's own messages end with the first empty line, or with a stack. */
static bool take_header(struct dtrace *d, struct bytes line, struct error *err)
{
	struct bytes text = bytes_trim(line);
	bool frame = is_frame(text);

	d->begun = frame || !text.len;
	return !frame || take_new_line(d, line, err);
}

static bool start(void *self, struct error *err)
{
	struct dtrace *d = self;

	(void)err;
	text_stacks_stream(&d->stacks, BYTES("samples"), BYTES("count"), (struct bytes){0});
	return true;
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct dtrace *d = self;
	location_id known;

	if (!d->begun)
		return take_header(d, line, err);
	known = line.len && !is_special(d) ? text_stacks_known(&d->stacks, line) : 0;
	if (!known)
		return take_new_line(d, line, err);
	text_stacks_push(&d->stacks, known);
	return true;
}

static bool end(void *self, struct error *err)
{
	struct dtrace *d = self;

	(void)err;
	if (d->stacks.frames.len)
		text_stacks_skip(&d->stacks, "expected a line with the count of the last stack");
	return true;
}

static void release(void *self)
{
	struct dtrace *d = self;

	buffer_release(&d->name);
	vector_release(&d->keys);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct dtrace d = {0};

	return line_format_read(&format, &d, in, options, out, err);
}

/* DTrace's heading, or frames and then a count. */
static int bid(struct bytes head)
{
	struct bytes line;
	int bits = 0, frames = 0, ticks = 0;

	while (bytes_line(&head, &line)) {
		struct bytes text = bytes_trim(line);
		int64_t count;

		if (bytes_starts_with(text, BYTES("CPU ")) &&
			bytes_ends_with(text, BYTES(" FUNCTION:NAME")))
			bits = 64;
		if (is_frame(text) && !bytes_find(text, BYTES(" : ")) && text.at != line.at) {
			frames++;
			ticks += memchr(text.at, '`', text.len) != NULL;
		} else if (frames && text_is_count(text, &count)) {
			return bits + 8 + (ticks ? 8 : 0);
		} else if (text.len && frames && bytes_find(text, BYTES(" : "))) {
			return bits;
		}
	}
	return bits;
}

/* Behind a count; an empty line is what a heading ends with. */
static bool between(struct bytes above, struct bytes line)
{
	int64_t count;

	return !bytes_trim(line).len && text_is_count(bytes_trim(above), &count);
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_dtrace = {
	.name = "dtrace",
	.about = "stack aggregations printed by DTrace",
	.expects = EXPECTS,
	.proof = "the corpora of FlameGraph and inferno",
	.bid = bid,
	.blanks = true,
	.read = read,
	.cut = cut,
	.one_table = true,
};
