/* perf_names.c: how does a printed frame become a frame of the profile, and where does it lead? */
#include "readers/perf/perf_names.h"

#include "names/tidy.h"
#include "readers/lines/scan.h"
#include "readers/perf/perf_classic.h"

#include <stdlib.h>

void perf_names_release(struct perf_names *n)
{
	memo_release(&n->known[0]);
	memo_release(&n->known[1]);
	vector_release(&n->runs);
	vector_release(&n->hints);
	memory_free(n->leads);
	buffer_release(&n->name);
	buffer_release(&n->key);
	perf_inline_release(&n->inlined);
}

static bool is_unknown(struct bytes name)
{
	return !name.len || bytes_equal(name, BYTES("[unknown]"));
}

/* What pictures call a module; kernels have one name, wherever their image was found. */
static struct bytes module_name(struct bytes module, enum frame_kind kind)
{
	if (is_unknown(module) || kind == FRAME_INLINED)
		return (struct bytes){0};
	if (kind == FRAME_GUEST)
		return BYTES("[guest.kernel]");
	if (kind == FRAME_KERNEL &&
		(bytes_starts_with(module, BYTES("[kernel")) ||
			bytes_starts_with(tidy_base_name(module), BYTES("vmlinux"))))
		return BYTES("[kernel]");
	return tidy_base_name(module);
}

/* A function without a name is called after its module. What a JIT compiler inlined carries the
 * classic tools' mark, here as in folded text. */
static struct bytes function_name(
	struct perf_names *n, struct bytes symbol, struct bytes module, bool java, bool inlined)
{
	n->name.len = 0;
	if (!is_unknown(symbol)) {
		tidy_name(symbol, &n->name);
	} else if (is_unknown(module)) {
		buffer_text(&n->name, "[unknown]");
	} else {
		struct bytes base = tidy_base_name(module);

		buffer_char(&n->name, '[');
		buffer_add(&n->name, base.at, base.len);
		buffer_char(&n->name, ']');
	}
	if (inlined && tidy_suffix_kind(buffer_bytes(&n->name)) != FRAME_INLINED)
		buffer_text(&n->name, "_[i]");
	return java ? tidy_java(buffer_bytes(&n->name)) : buffer_bytes(&n->name);
}

static struct bytes classic_name(struct perf_names *n, const struct perf_frame *frame,
	struct bytes symbol, struct bytes source, bool java, bool inlined)
{
	n->name.len = 0;
	perf_classic_function(n->style, frame, symbol, source, java, inlined, &n->name);
	return buffer_bytes(&n->name);
}

/* A line's value is this bit and the one location that it names, or the place of a run. */
#define SINGLE 0x80000000u

/* Begin a run: its count is to come. */
static size_t run_begin(struct perf_names *n)
{
	if (!n->runs.len)
		vector_push(&n->runs, 0); /* so that no place is 0, which is "not known" */
	vector_push(&n->runs, 0);
	return n->runs.len - 1;
}

static void run_add(struct perf_names *n, struct frame *frame, struct bytes name)
{
	frame->function = profile_string(n->profile, name);
	vector_push(&n->runs, profile_location_named(n->profile, profile_frame(n->profile, frame)));
	frame->kind = FRAME_INLINED;
}

/* The run's value. */
static uint32_t run_end(struct perf_names *n, size_t run)
{
	n->runs.items[run] = (location_id)(n->runs.len - run - 1);
	if (n->runs.items[run] == 1 && n->runs.items[run + 1] < SINGLE) {
		n->runs.len = run;
		return SINGLE | n->runs.items[run + 1];
	}
	return (uint32_t)run;
}

/* Append a run for the frame: its function, then what was inlined into it. Returns its value. */
static uint32_t add_run(
	struct perf_names *n, const struct perf_frame *printed, struct bytes source, bool java)
{
	enum frame_kind kind = tidy_module_kind(printed->module);
	struct frame frame = {.kind = kind};
	struct bytes symbols = printed->symbol, symbol, file;
	size_t run = run_begin(n);

	if (!symbols.at)
		symbols.at = "";
	frame.module = profile_string(n->profile, module_name(printed->module, kind));
	if ((n->want & WANT_LINES) && perf_source_parse(source, &file, &frame.line))
		frame.file = profile_string(n->profile, file);
	while (tidy_next_inlined(&symbols, &symbol)) {
		bool inlined = n->runs.len > run + 1;

		if (n->style->tool == TOOL_KILN)
			frame.kind = tidy_name_kind(symbol, frame.kind);
		run_add(n, &frame,
			n->style->tool != TOOL_KILN
				? classic_name(n, printed, symbol, source, java, inlined)
				: function_name(n, symbol, printed->module, java, inlined));
	}
	return run_end(n, run);
}

/* The same by what the binary says; false when it says nothing. */
static bool add_run_inlined(struct perf_names *n, struct bytes line,
	const struct perf_frame *printed, uint32_t *ret_run)
{
	struct frame frame = {.kind = tidy_module_kind(printed->module)};
	struct bytes names, name;
	size_t run;

	n->name.len = 0;
	if (!perf_inline_names(&n->inlined, line, printed, n->style->inlined_places, &n->name))
		return false;
	names = buffer_bytes(&n->name);
	frame.module = profile_string(n->profile, module_name(printed->module, frame.kind));
	run = run_begin(n);
	for (bool more = true; more;) {
		more = bytes_cut(&names, ';', &name);
		run_add(n, &frame, more ? name : names);
	}
	*ret_run = run_end(n, run);
	return true;
}

static enum perf_line learn(struct perf_names *n, struct bytes line, bool java, uint32_t *ret_run)
{
	const char *newline = memchr(line.at, '\n', line.len);
	struct bytes source = {0};
	struct perf_frame frame;
	enum perf_line what;

	if (newline) {
		source = (struct bytes){newline + 1, (size_t)(line.at + line.len - (newline + 1))};
		line.len = (size_t)(newline - line.at);
	}
	what = perf_frame_parse(line, &frame);
	if (what == PERF_FRAME && !(n->style->inlined && add_run_inlined(n, line, &frame, ret_run)))
		*ret_run = add_run(n, &frame, source, java);
	return what;
}

/* ---- What tells lines apart ---- */

/* Not the address, which perf prints in the columns from 1 to 16, and not the offset: a line is
 * known by this and what is left of it. */
struct line_form {
	uint8_t columns; /* bytes at its start that were cut */
	uint8_t lines;	 /* 2: with a source line */
	uint16_t tail;	 /* bytes behind the offset; 0: there is none */
};

#define ADDRESS_COLUMNS 17 /* a tab and 16 digits or blanks */

/* Anything else in these columns makes another line of it. */
static bool has_address(const char *line)
{
	return line[0] == '\t' && line[ADDRESS_COLUMNS] == ' ' && scan_hex_column(line + 1);
}

/* Into n->key: the form, then `text` without `digits` bytes at `at`. */
static struct bytes make_key(
	struct perf_names *n, struct line_form form, struct bytes text, size_t at, size_t digits)
{
	struct buffer *key = &n->key;

	key->len = 0;
	buffer_reserve(key, sizeof(form) + text.len);
	memcpy(key->at, &form, sizeof(form));
	memcpy(key->at + sizeof(form), text.at, at);
	memcpy(key->at + sizeof(form) + at, text.at + at + digits, text.len - at - digits);
	return (struct bytes){key->at, sizeof(form) + text.len - digits};
}

static struct bytes line_key(struct perf_names *n, struct bytes line)
{
	const char *newline = memchr(line.at, '\n', line.len);
	struct line_form form = {.lines = newline ? 2 : 1};
	struct bytes first = {line.at, newline ? (size_t)(newline - line.at) : line.len};
	size_t at, digits;

	if (n->style->addresses || n->style->inlined) /* names depend on the address */
		return make_key(n, form, line, line.len, 0);
	if (first.len > ADDRESS_COLUMNS + 1 && has_address(line.at))
		form.columns = ADDRESS_COLUMNS;
	first.at += form.columns;
	first.len -= form.columns;
	line.at += form.columns;
	line.len -= form.columns;
	if (!perf_frame_offset(first, &at, &digits) || line.len - at - digits > UINT16_MAX)
		return make_key(n, form, line, line.len, 0);
	form.tail = (uint16_t)(line.len - at - digits);
	return make_key(n, form, line, at, digits);
}

/* Cut `text` off the end of what lies between `start` and *end; false when it is not there. */
static bool cut_end(const char *start, const char **end, struct bytes text)
{
	if ((size_t)(*end - start) < text.len || !scan_same(*end - text.len, text.at, text.len))
		return false;
	*end -= text.len;
	return true;
}

/* Does a line start at `line`, and have its address in the columns for it? */
static bool starts_line(const char *start, const char *line, struct line_form form)
{
	if (line > start && line[-1] != '\n')
		return false;
	return !form.columns || has_address(line);
}

/* Does the line that ends at `end` have this key? Then *ret_start is where it starts. */
static bool ends_in_key(const char *start, const char *end, struct bytes key,
	const char **ret_start, uint32_t *ret_lines)
{
	struct line_form form;

	memcpy(&form, key.at, sizeof(form));
	key.at += sizeof(form);
	key.len -= sizeof(form) + form.tail;
	if (form.tail) {
		size_t digits;

		if (!cut_end(start, &end, (struct bytes){key.at + key.len, form.tail}))
			return false;
		digits = scan_hex_before(start, end);
		if (!digits)
			return false;
		end -= digits;
	}
	if (!cut_end(start, &end, key) || end - start < form.columns)
		return false;
	*ret_start = end - form.columns;
	*ret_lines = form.lines;
	return starts_line(start, *ret_start, form);
}

/* ---- Where lines lead ---- */

/* Remember where the line of a record led from a stack. */
static void set_hint(struct perf_names *n, stack_id caller, uint32_t record, stack_id callee)
{
	if (caller >= n->hints.len) {
		size_t more = n->profile->stack_caller.len - n->hints.len;

		vector_reserve(&n->hints, more);
		memset(n->hints.items + n->hints.len, 0, more * sizeof(*n->hints.items));
		n->hints.len += more;
	}
	n->hints.items[caller] = (struct perf_hint){record, callee};
}

/* Hints are void when a memo has started afresh. */
static void remember(struct perf_names *n, struct memo *known, struct bytes key, uint32_t run)
{
	uint32_t beginnings = known->beginnings;

	memo_put(known, key, run);
	if (known->beginnings == beginnings)
		return;
	n->hints.len = 0;
	if (n->leads)
		memset(n->leads, 0, PERF_LEADS * sizeof(*n->leads));
}

#define NAME_START (ADDRESS_COLUMNS + 1)
#define NAME_BYTES 16 /* from there on, that tell lines apart: often enough */

/* Of how a name starts, up to the offset, which changes. */
static uint64_t hash_name(const char *at)
{
	const uint64_t low = 0x0101010101010101;
	uint64_t hash = 0, pluses = 0;

	for (const char *end = at + NAME_BYTES; at < end && !pluses; at += sizeof(hash)) {
		uint64_t word, others;

		memcpy(&word, at, sizeof(word));
		word = le64toh(word);
		others = word ^ low * '+';
		pluses = (others - low) & ~others & low << 7;
		word &= (pluses & -pluses) -
			1; /* what is before the first one; all when there is none */
		hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
		hash ^= hash >> 32;
	}
	return hash;
}

/* Where to find what such a line led to from `caller`; NULL: such lines have no place. */
static struct perf_lead *lead_place(struct perf_names *n, stack_id caller, struct bytes line)
{
	if (line.len < NAME_START + NAME_BYTES)
		return NULL;
	if (!n->leads)
		n->leads = memory_new(PERF_LEADS, sizeof(*n->leads));
	return &n->leads[hash_pair(caller, hash_name(line.at + NAME_START)) >> 40 &
			 (PERF_LEADS - 1)];
}

/* Is it this line that led from `caller` to there? */
static bool leads_on(const struct perf_names *n, const struct perf_lead *lead, struct bytes line,
	bool java, stack_id caller)
{
	const char *start;
	uint32_t lines;

	if (!lead || lead->caller != caller || !lead->to.record)
		return false;
	return ends_in_key(line.at, line.at + line.len, memo_text(&n->known[java], lead->to.record),
		       &start, &lines) &&
	       start == line.at;
}

/* From `caller` through everything that a line names. */
static stack_id follow(struct perf_names *n, uint32_t run, stack_id caller, uint32_t *ret_frames)
{
	const location_id *locations = n->runs.items + run + 1;

	*ret_frames = 1;
	if (run & SINGLE)
		return profile_stack(n->profile, caller, run & ~SINGLE);
	*ret_frames = n->runs.items[run];
	for (uint32_t i = 0; i < *ret_frames; i++)
		caller = profile_stack(n->profile, caller, locations[i]);
	return caller;
}

bool perf_names_again(struct perf_names *n, const char *start, const char *end, bool java,
	stack_id caller, stack_id *ret_callee, const char **ret_start, uint32_t *ret_lines)
{
	struct perf_hint hint = {0};

	if (caller < n->hints.len)
		hint = n->hints.items[caller];
	*ret_callee = hint.callee;
	return hint.record && ends_in_key(start, end, memo_text(&n->known[java], hint.record),
				      ret_start, ret_lines);
}

enum perf_line perf_names_call(struct perf_names *n, struct bytes line, bool java, stack_id caller,
	stack_id *ret_callee, uint32_t *ret_frames)
{
	struct memo *known = &n->known[java];
	struct perf_lead *lead = lead_place(n, caller, line);
	struct bytes key;
	uint32_t run;

	if (leads_on(n, lead, line, java, caller)) {
		*ret_callee = lead->to.callee;
		*ret_frames = 1;
		n->hints.items[caller] = lead->to;
		return PERF_FRAME;
	}
	key = line_key(n, line);
	run = memo_find(known, key);
	if (!run) {
		enum perf_line what = learn(n, line, java, &run);

		if (what != PERF_FRAME)
			return what;
		remember(n, known, key, run);
	}
	*ret_callee = follow(n, run, caller, ret_frames);
	if (*ret_frames == 1) {
		set_hint(n, caller, known->last, *ret_callee);
		if (lead)
			*lead = (struct perf_lead){caller, n->hints.items[caller]};
	}
	return PERF_FRAME;
}
