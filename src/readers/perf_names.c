/* perf_names.c: how does a printed frame become a frame of the profile, and where does it lead? */
#include "readers/perf_names.h"

#include "readers/perf_classic.h"
#include "readers/tidy.h"

#include <stdlib.h>

void perf_names_release(struct perf_names *n)
{
	for (int java = 0; java < 2; java++) {
		memo_release(&n->known[java]);
		memo_release(&n->frames[java]);
	}
	vector_release(&n->runs);
	vector_release(&n->hints);
	buffer_release(&n->name);
	buffer_release(&n->key);
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
	if (kind == FRAME_KERNEL && (bytes_start(module, BYTES("[kernel")) ||
					    bytes_start(tidy_base_name(module), BYTES("vmlinux"))))
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

/* Append a run for the frame: its function, then what was inlined into it. Returns its value. */
static uint32_t add_run(
	struct perf_names *n, const struct perf_frame *printed, struct bytes source, bool java)
{
	enum frame_kind kind = tidy_module_kind(printed->module);
	struct frame frame = {.kind = kind};
	struct bytes symbols = printed->symbol, symbol, file;
	size_t run;

	if (!n->runs.len)
		vector_push(&n->runs, 0); /* so that no place is 0, which is "not known" */
	run = n->runs.len;
	if (!symbols.at)
		symbols.at = "";
	frame.module = profile_string(n->profile, module_name(printed->module, kind));
	if ((n->want & WANT_LINES) && perf_source_parse(source, &file, &frame.line))
		frame.file = profile_string(n->profile, file);
	vector_push(&n->runs, 0);
	while (tidy_next_inlined(&symbols, &symbol)) {
		bool inlined = n->runs.len > run + 1;

		frame.function = profile_string(n->profile,
			n->style ? classic_name(n, printed, symbol, source, java, inlined)
				 : function_name(n, symbol, printed->module, java, inlined));
		vector_push(&n->runs,
			profile_location_named(n->profile, profile_frame(n->profile, &frame)));
		frame.kind = FRAME_INLINED;
	}
	n->runs.items[run] = (location_id)(n->runs.len - run - 1);
	if (n->runs.items[run] == 1 && n->runs.items[run + 1] < SINGLE) {
		n->runs.len = run;
		return SINGLE | n->runs.items[run + 1];
	}
	return (uint32_t)run;
}

/* The frame's value; what differs in its offset or address only has the same. */
static uint32_t find_run(
	struct perf_names *n, const struct perf_frame *frame, struct bytes source, bool java)
{
	uint32_t run;

	n->key.len = 0;
	buffer_add(&n->key, frame->symbol.at, frame->symbol.len);
	buffer_char(&n->key, '\n');
	buffer_add(&n->key, frame->module.at, frame->module.len);
	buffer_char(&n->key, '\n');
	buffer_add(&n->key, source.at, source.len);
	if (n->style & STYLE_ADDRS)
		buffer_printf(&n->key, "\n%llx", (unsigned long long)frame->address);
	run = memo_find(&n->frames[java], buffer_bytes(&n->key));
	if (run)
		return run;
	run = add_run(n, frame, source, java);
	memo_put(&n->frames[java], buffer_bytes(&n->key), run);
	return run;
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
	if (what == PERF_FRAME)
		*ret_run = find_run(n, &frame, source, java);
	return what;
}

/* What tells lines apart: not the address, which perf prints in the columns from 1 to 16. */
static struct bytes line_key(struct bytes line)
{
	if (line.len > 18 && line.at[0] == '\t' && line.at[17] == ' ' && line.at[16] != ' ')
		return (struct bytes){line.at + 17, line.len - 17};
	return line;
}

/* The hint for a stack; all are void when a memo has started afresh. */
static struct perf_hint *hint_for(struct perf_names *n, stack_id caller, bool java)
{
	if (n->beginnings[java] != n->known[java].beginnings) {
		n->beginnings[java] = n->known[java].beginnings;
		n->hints.len = 0;
	}
	if (caller >= n->hints.len) {
		size_t more = n->profile->stack_caller.len - n->hints.len;

		vector_reserve(&n->hints, more);
		memset(n->hints.items + n->hints.len, 0, more * sizeof(*n->hints.items));
		n->hints.len += more;
	}
	return &n->hints.items[caller];
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

enum perf_line perf_names_call(struct perf_names *n, struct bytes line, bool java, stack_id caller,
	stack_id *ret_callee, uint32_t *ret_frames)
{
	struct memo *known = &n->known[java];
	struct bytes key = n->style & STYLE_ADDRS ? line : line_key(line);
	struct perf_hint *hint = hint_for(n, caller, java);
	uint32_t run;

	if (hint->record && memo_is(known, hint->record, key)) {
		*ret_callee = hint->callee;
		*ret_frames = 1;
		return PERF_FRAME;
	}
	run = memo_find(known, key);
	if (!run) {
		enum perf_line what = learn(n, line, java, &run);

		if (what != PERF_FRAME)
			return what;
		memo_put(known, key, run);
	}
	*ret_callee = follow(n, run, caller, ret_frames);
	if (*ret_frames == 1)
		*hint = (struct perf_hint){known->last, *ret_callee};
	return PERF_FRAME;
}
