/* perf_classic.c: the names that other tools give to frames and programs of `perf script`. */
#include "readers/perf/perf_classic.h"

#include "names/tidy.h"

static bool has(struct bytes text, struct bytes part)
{
	return bytes_find(text, part) != NULL;
}

/* ---- Marks ---- */

/* "/tmp/perf-123.map", anywhere in the text. */
static bool has_perf_map(struct bytes module)
{
	const struct bytes start = BYTES("/tmp/perf-");
	const char *at = bytes_find(module, start);
	struct bytes rest = {at, at ? (size_t)(module.at + module.len - at) : 0};
	size_t digits = start.len;

	while (digits < rest.len && is_digit(rest.at[digits]))
		digits++;
	return digits > start.len &&
	       bytes_starts_with(
		       (struct bytes){rest.at + digits, rest.len - digits}, BYTES(".map"));
}

static bool is_kernel(const struct reading_style *style, struct bytes module)
{
	if (style->tool == TOOL_SCRIPTS)
		return (bytes_starts_with(module, BYTES("[")) ||
			       bytes_ends_with(module, BYTES("vmlinux"))) &&
		       !has(module, BYTES("unknown"));
	return !bytes_equal(module, BYTES("[unknown]")) &&
	       (bytes_starts_with(module, BYTES("[")) || tidy_module_kind(module) == FRAME_KERNEL);
}

static bool is_jit(const struct reading_style *style, struct bytes module)
{
	return style->tool == TOOL_SCRIPTS ? has_perf_map(module)
					   : tidy_module_kind(module) == FRAME_JIT;
}

/* Unless it is there already; Perl and inferno differ in where they look. */
static void mark(struct buffer *out, size_t start, const char *text)
{
	if (!has((struct bytes){out->at + start, out->len - start}, bytes_of(text)))
		buffer_text(out, text);
}

/* ---- Frames ---- */

/* "[module]", or with its address "[module <7f12>]". */
static void nameless(
	const struct reading_style *style, const struct perf_frame *frame, struct buffer *out)
{
	struct bytes module = tidy_base_name(frame->module);

	if (bytes_equal(frame->module, BYTES("[unknown]")))
		module = BYTES("unknown");
	buffer_char(out, '[');
	buffer_add(out, module.at, module.len);
	if (style->addresses)
		buffer_printf(out, " <%llx>", (unsigned long long)frame->address);
	buffer_char(out, ']');
}

/* ":main.c:12": without what stands in brackets, and nothing when that is all. */
static void add_source(struct bytes source, struct buffer *out)
{
	size_t start = out->len;
	bool inside = false;

	buffer_char(out, ':');
	source = bytes_trim(source);
	for (size_t i = 0; i < source.len; i++) {
		inside |= source.at[i] == '[';
		if (!inside)
			buffer_char(out, source.at[i]);
		inside &= source.at[i] != ']';
	}
	if (out->len == start + 1)
		out->len = start;
}

void perf_classic_function(const struct reading_style *style, const struct perf_frame *frame,
	struct bytes symbol, struct bytes source, bool java, bool inlined, struct buffer *out)
{
	bool perl = style->tool == TOOL_SCRIPTS, unknown = bytes_equal(symbol, BYTES("[unknown]"));
	struct buffer name = {0};
	struct bytes shown;
	size_t start = out->len;

	if (unknown)
		nameless(style, frame, &name);
	else
		buffer_add(&name, symbol.len ? symbol.at : " ", symbol.len ? symbol.len : 1);
	shown = buffer_bytes(&name);
	(perl ? tidy_name_perl : tidy_name_inferno)(shown, out);
	if (java) {
		size_t len = tidy_java((struct bytes){out->at + start, out->len - start}).len;
		size_t cut = out->len - start - len;

		memmove(out->at + start, out->at + start + cut, len);
		out->len -= cut;
	}
	if (inlined)
		mark(out, start, "_[i]");
	else if (style->mark_kernel && is_kernel(style, frame->module))
		buffer_text(out, "_[k]");
	else if (style->mark_jit && is_jit(style, frame->module))
		mark(out, start, "_[j]");
	if (style->source_lines && !(unknown && bytes_equal(frame->module, BYTES("[unknown]"))))
		add_source(source, out);
	buffer_release(&name);
}

/* ---- Programs and events ---- */

void perf_classic_program(
	const struct reading_style *style, const struct perf_event *event, struct buffer *out)
{
	size_t start = out->len;

	buffer_add(out, event->comm.at, event->comm.len);
	for (size_t i = start; i < out->len; i++)
		if (out->at[i] == ' ')
			out->at[i] = '_';
	if (!event->comm.len)
		buffer_printf(out, ":%d", event->tid);
	if (!(style->process_ids || style->thread_ids))
		return;
	if (event->pid < 0)
		buffer_text(out, "-?");
	else
		buffer_printf(out, "-%d", event->pid);
	if (style->thread_ids)
		buffer_printf(out, "/%d", event->tid);
}

bool perf_classic_counts(const struct reading_style *style, struct perf_event *event,
	struct bytes chosen, struct bytes *ret_chosen)
{
	struct bytes name = event->event;
	const char *colon = name.len ? memchr(name.at, ':', name.len) : NULL;

	*ret_chosen = chosen;
	/* Perl sees an event only between a time and the end of the line. */
	if (style->tool == TOOL_SCRIPTS && (event->rest.len || !event->timed)) {
		event->period = 1;
		return true;
	}
	if (style->tool == TOOL_INFERNO && colon)
		name.len = (size_t)(colon - name.at);
	if (!chosen.len)
		*ret_chosen = name;
	return !chosen.len || !name.len || bytes_equal(name, chosen);
}
