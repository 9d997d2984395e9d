/* memleak.c: allocations that were not freed, as memleak of bcc and of libbpf-tools prints them;
 * and all of them, as bcc's example mallocstacks does.
 *
 *	[11:16:33] Top 2 stacks with outstanding allocations:
 *	        addr = 948cd0 size = 16
 *	        80 bytes in 5 allocations from stack
 *	                main+0x6d [allocs]
 *	                0x00007f3a5c21e0b4	__libc_start_main+0xf0 [libc.so.6]
 *	        1 [<00007f3a5c21e0b4>] start+0x1c a.c:12
 *
 *	80 bytes allocated at:
 *	        main+0x6d
 *	    80
 *
 * Frames are innermost first, in one of three forms. memleak prints all that is outstanding again
 * and again: the last report that has stacks is read. Sources of the format: tools/memleak.py,
 * libbpf-tools/memleak.c and examples/tracing/mallocstacks.py of iovisor/bcc. */
#include "readers/lines/line_format.h"

#include <stdlib.h>

#define EXPECTS "`80 bytes in 5 allocations from stack`, or `80 bytes allocated at:`, and frames"

enum { BYTES_VALUE, OBJECTS, VALUES };

struct allocation {
	size_t first, count; /* of the frames */
	int64_t values[VALUES];
	uint64_t line;
};

struct memleak {
	struct text_stacks stacks;
	VECTOR(struct allocation) allocations; /* of the last report with stacks */
	VECTOR(location_id) frames;
	uint64_t reports;
	bool headed; /* a report begins with the next stack */
	bool in_stack, all;
};

/* "80 bytes in 5 allocations from stack", "80 bytes allocated at:" */
static bool parse_allocation(struct bytes line, int64_t *ret_values, bool *ret_all)
{
	struct bytes bytes, count;

	ret_values[OBJECTS] = 0;
	if (!bytes_cut(&line, ' ', &bytes) || !text_is_count(bytes, &ret_values[BYTES_VALUE]))
		return false;
	*ret_all = bytes_equal(line, BYTES("bytes allocated at:"));
	if (*ret_all)
		return true;
	if (!bytes_starts_with(line, BYTES("bytes in ")))
		return false;
	line = (struct bytes){line.at + 9, line.len - 9};
	return bytes_cut(&line, ' ', &count) && text_is_count(count, &ret_values[OBJECTS]) &&
	       bytes_equal(line, BYTES("allocations from stack"));
}

static bool is_report(struct bytes line)
{
	return bytes_starts_with(line, BYTES("[")) && bytes_find(line, BYTES("] Top ")) &&
	       bytes_ends_with(line, BYTES(" stacks with outstanding allocations:"));
}

static bool is_address(struct bytes line)
{
	return bytes_starts_with(line, BYTES("addr = ")) && bytes_find(line, BYTES(" size = "));
}

/* ---- Frames ---- */

/* "0x00007f3a5c21e0b4<TAB>name" and "1 [<00007f3a5c21e0b4>] name": the name is left. */
static struct bytes without_address(struct bytes text)
{
	const char *bracket = bytes_find(text, BYTES(">] "));
	struct bytes rest = text, word;

	if (bytes_starts_with(text, BYTES("0x")) && bytes_cut(&rest, '\t', &word))
		return bytes_trim(rest);
	if (text.len && is_digit(*text.at) && bracket)
		return bytes_trim(
			(struct bytes){bracket + 3, (size_t)(text.at + text.len - bracket) - 3});
	return text;
}

/* " a.c:12" at the end. */
static void cut_place(struct bytes *text, struct text_frame *frame)
{
	const char *blank = bytes_find_last(*text, ' ');
	struct bytes place = {0}, file;
	uint64_t line;

	if (blank)
		place = (struct bytes){blank + 1, (size_t)(text->at + text->len - blank) - 1};
	if (!bytes_cut(&place, ':', &file) || !bytes_u64(place, &line))
		return;
	frame->file = file;
	frame->line = line <= UINT32_MAX ? (uint32_t)line : 0;
	text->len = (size_t)(blank - text->at);
}

/* "[libc.so.6]" or "(libc.so.6)" at the end, and "+0xf0" before it. */
static void cut_module(struct bytes *text, struct text_frame *frame)
{
	const char *blank = bytes_find_last(*text, ' '), *end = text->at + text->len;
	size_t at;

	if (blank && end - blank > 3 &&
		((blank[1] == '[' && end[-1] == ']') || (blank[1] == '(' && end[-1] == ')'))) {
		frame->module = (struct bytes){blank + 2, (size_t)(end - blank) - 3};
		text->len = (size_t)(blank - text->at);
	}
	at = text->len;
	while (at && is_hex_digit(text->at[at - 1]))
		at--;
	if (at < text->len && at > 3 && !memcmp(text->at + at - 3, "+0x", 3))
		text->len = at - 3;
}

static location_id learn_frame(struct text_stacks *t, struct bytes line)
{
	struct bytes text = without_address(bytes_trim(line));
	struct text_frame frame = {0};
	location_id location;

	cut_place(&text, &frame);
	cut_module(&text, &frame);
	frame.kind = bytes_equal(frame.module, BYTES("kernel")) ? FRAME_KERNEL : FRAME_NATIVE;
	if (!text.len || bytes_equal(text, BYTES("<null sym>")))
		text = BYTES("[unknown]");
	if (frame.file.len) {
		frame.function = text;
		location = text_stacks_frame(t, &frame);
	} else {
		location = text_stacks_symbol(t, text, frame.module, frame.kind);
	}
	text_stacks_learn(t, line, location);
	return location;
}

static void take_frame(struct memleak *m, struct bytes line)
{
	location_id known = text_stacks_known(&m->stacks, line);

	vector_push(&m->frames, known ? known : learn_frame(&m->stacks, line));
	m->allocations.items[m->allocations.len - 1].count++;
}

/* ---- Lines ---- */

static void take_allocation(struct memleak *m, const int64_t *values)
{
	struct allocation allocation = {.line = m->stacks.lines.number};

	if (m->headed) {
		m->allocations.len = m->frames.len = 0;
		m->reports++;
	}
	m->headed = false;
	m->in_stack = true;
	allocation.first = m->frames.len;
	memcpy(allocation.values, values, sizeof(allocation.values));
	vector_push(&m->allocations, allocation);
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct memleak *m = self;
	struct bytes text = bytes_trim(line);
	int64_t values[VALUES], repeated;
	bool all;

	(void)err;
	if (!text.len) {
		m->in_stack = false;
	} else if (is_report(text)) {
		m->headed = true;
		m->in_stack = false;
	} else if (parse_allocation(text, values, &all)) {
		m->in_stack = false;
		if (values[BYTES_VALUE] < 0 || values[OBJECTS] < 0)
			text_stacks_skip(&m->stacks, "expected bytes and a number below 2^63");
		else if (m->allocations.len && all != m->all)
			text_stacks_skip(&m->stacks, "expected stacks of one tool");
		else {
			m->all = all;
			take_allocation(m, values);
		}
	} else if (m->in_stack && text.at != line.at &&
		   !(m->all && text_is_count(text, &repeated))) {
		take_frame(m, line);
	} else if (!m->in_stack && !is_address(text) &&
		   !bytes_starts_with(text, BYTES("Attaching to ")) &&
		   !bytes_starts_with(text, BYTES("^C"))) {
		text_stacks_skip(&m->stacks, "expected " EXPECTS);
	}
	return true;
}

static void open_streams(struct memleak *m)
{
	text_stacks_stream(&m->stacks, m->all ? BYTES("alloc_space") : BYTES("inuse_space"),
		BYTES("bytes"), (struct bytes){0});
	if (!m->all)
		text_stacks_stream(
			&m->stacks, BYTES("inuse_objects"), BYTES("count"), (struct bytes){0});
}

static bool end(void *self, struct error *err)
{
	struct memleak *m = self;
	uint64_t lines = m->stacks.lines.number;

	open_streams(m);
	for (size_t i = 0; i < m->allocations.len; i++) {
		const struct allocation *a = &m->allocations.items[i];

		for (size_t f = 0; f < a->count; f++)
			text_stacks_push(&m->stacks, m->frames.items[a->first + f]);
		text_stacks_fill(&m->stacks);
		m->stacks.lines.number = a->line;
		if (!text_stacks_add(&m->stacks, INNERMOST_FIRST, a->values, err))
			return false;
	}
	m->stacks.lines.number = lines;
	if (m->reports > 1)
		profile_note(m->stacks.profile,
			"%llu reports of what was not freed at that time: the last one is read",
			(unsigned long long)m->reports);
	return true;
}

static const struct line_format format = {.line = take_line, .end = end};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct memleak m = {0};
	bool done = line_format_read(&format, &m, in, options, out, err);

	vector_release(&m.allocations);
	vector_release(&m.frames);
	return done;
}

/* A stack's heading and an indented line below it. */
static int bid(struct bytes head)
{
	struct bytes line;
	bool headed = false;

	while (bytes_line(&head, &line)) {
		struct bytes text = bytes_trim(line);
		int64_t values[VALUES];
		bool all;

		if (headed && text.len && text.at != line.at)
			return 8 * 20;
		headed = parse_allocation(text, values, &all);
	}
	return 0;
}

const struct reader reader_memleak = {
	.name = "memleak",
	.about =
		"allocations by stack, printed by memleak and mallocstacks of bcc and libbpf-tools",
	.expects = EXPECTS,
	.proof = "only examples from their sources",
	.bid = bid,
	.read = read,
	.one_table = true,
};
