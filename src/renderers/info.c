/* info.c: what is in a profile, as text or JSON. */
#include "base/units.h"
#include "base/utf8.h"
#include "model/idle.h"
#include "renderers/renderers.h"
#include "renderers/summary.h"
#include "renderers/text.h"

#include <stdlib.h>

#define LABEL_COLUMNS  12u
#define SHARES_LIMIT   8u /* of each kind in the text; JSON has all */
#define MAPPINGS_LIMIT 16u

struct info_settings {
	struct text_settings text;
	bool json;
};

static const struct option options[] = {
	{.name = "json",
		.help = "print one JSON object with everything",
		.set = option_flag,
		.offset = offsetof(struct info_settings, json)},
	{0},
};

static void defaults(void *settings)
{
	*(struct info_settings *)settings = (struct info_settings){0};
}

/* ---- Text ---- */

/* "name ", a label before its values. A longer name moves them to the right rather than being
 * cut, unless it takes more than a third of the terminal. */
static void label(struct buffer *b, struct bytes name, const struct text_settings *text)
{
	size_t width = LABEL_COLUMNS;

	if (utf8_count(name) > LABEL_COLUMNS && (!text->width || text->width / 3 > LABEL_COLUMNS))
		width = text->width / 3;
	text_style(b, TEXT_HEADING, text);
	text_cell(b, name, width, utf8_count(name) < LABEL_COLUMNS, text);
	text_style(b, TEXT_PLAIN, text);
	buffer_text(b, "  ");
}

static bool is_note(const struct profile *p, const struct meta *meta)
{
	return bytes_equal(profile_text(p, meta->key), BYTES("note"));
}

static void text_meta(struct buffer *b, const struct profile *p, const struct text_settings *text)
{
	for (size_t i = 0; i < p->meta.len; i++) {
		const struct meta *meta = &p->meta.items[i];

		if (is_note(p, meta))
			continue;
		label(b, profile_text(p, meta->key), text);
		text_cell(b, profile_text(p, meta->value), 0, false, text);
		buffer_char(b, '\n');
	}
}

static void count_of(struct buffer *b, uint64_t count, const char *one, const char *many)
{
	units_grouped(b, (int64_t)count);
	buffer_printf(b, " %s", count == 1 ? one : many);
}

static void text_sizes(struct buffer *b, const struct summary *s, const struct text_settings *text)
{
	if (s->last > s->first) {
		label(b, BYTES("time span"), text);
		units_human(b, (int64_t)(s->last - s->first), BYTES("ns"));
		buffer_char(b, '\n');
	}
	if (s->threads) {
		label(b, BYTES("threads"), text);
		count_of(b, s->threads, "thread of ", "threads of ");
		count_of(b, s->processes, "process\n", "processes\n");
	}
	label(b, BYTES("stacks"), text);
	count_of(b, s->nodes, "node in the call tree, ", "nodes in the call tree, ");
	buffer_text(b, "at most ");
	count_of(b, s->deepest, "frame deep\n", "frames deep\n");
}

static void text_losses(struct buffer *b, const struct profile *p, size_t stream)
{
	for (size_t i = 0; i < p->losses.len; i++) {
		struct bytes reason = profile_text(p, p->losses.items[i].reason);

		if (p->losses.items[i].stream != stream || !p->losses.items[i].count)
			continue;
		buffer_printf(b, "              - %.*s: ", (int)reason.len, reason.at);
		units_grouped(b, (int64_t)p->losses.items[i].count);
		buffer_char(b, '\n');
	}
}

/* Was an earlier stream about the same samples? They were lost only once, however they are
 * weighed. */
static bool is_repeated(const struct profile *p, size_t stream)
{
	const struct stream_row *row = &p->streams.items[stream].row;

	for (size_t i = 0; i < stream; i++) {
		const struct stream_row *other = &p->streams.items[i].row;

		if (other->samples == row->samples && other->delivered == row->delivered &&
			profile_lost(p, (uint32_t)i) == profile_lost(p, (uint32_t)stream))
			return true;
	}
	return false;
}

static void text_stream(struct buffer *b, const struct view *v, const struct summary *s, size_t i,
	const struct text_settings *text)
{
	const struct profile *p = v->profile;
	const struct stream_row *row = &p->streams.items[i].row;
	const struct stream_summary *own = &s->streams[i];
	struct bytes event = profile_text(p, row->event);
	bool counts = text_counts(p, row);
	uint64_t samples = UINT64_MAX; /* unknown */

	label(b, profile_text(p, row->kind), text);
	text_stream_value(b, p, row, own->sum);
	/* A row can be the sum of several samples of one stack. */
	if (!counts)
		samples = text_sample_count(v, i, own->samples);
	if (samples != UINT64_MAX || (uint64_t)own->sum != own->samples) {
		bool known = samples != UINT64_MAX;

		buffer_text(b, " in ");
		count_of(b, known ? samples : own->samples, known ? "sample" : "stack",
			known ? "samples" : "stacks");
	}
	if (event.len)
		buffer_printf(b, ", event %.*s", (int)event.len, event.at);
	if (row->side)
		buffer_text(b, row->side == 1 ? ", before" : ", after");
	if (v->streams[i])
		buffer_text(b, " (shown)");
	else if (stream_is_idle(p, i))
		buffer_text(b, " (left out of pictures and tables; --idle shows them)");
	buffer_char(b, '\n');
	if ((!row->expected && !own->lost) || is_repeated(p, i))
		return;
	buffer_text(b, "              expected ");
	units_grouped(b, (int64_t)(row->expected ? row->expected : row->delivered + own->lost));
	buffer_text(b, ", delivered ");
	units_grouped(b, (int64_t)row->delivered);
	buffer_text(b, ", lost ");
	units_grouped(b, (int64_t)own->lost);
	buffer_text(b, " (");
	units_percent_nonzero(b, (int64_t)own->lost, (int64_t)(row->delivered + own->lost));
	buffer_text(b, "%)\n");
	text_losses(b, p, i);
}

/* The sum of values, as in pictures: a row of folded text is many samples. */
static int64_t sum_of(const struct share *shares, size_t count)
{
	int64_t sum = 0;

	while (count--)
		sum += shares[count].sum;
	return sum;
}

/* Code without a name is shown as its module, in brackets as in the classic tools. perf's
 * "[vdso]" would then have two pairs; one is enough. */
static struct bytes module_of(struct bytes name)
{
	if (bytes_starts_with(name, BYTES("[[")) && bytes_ends_with(name, BYTES("]]")))
		return (struct bytes){name.at + 1, name.len - 2};
	return name;
}

static void text_shares(struct buffer *b, const struct view *v, const struct summary *s,
	const struct share *shares, size_t count, const char *what,
	const struct text_settings *text)
{
	if (!count)
		return;
	text_style(b, TEXT_HEADING, text);
	units_percent(b, sum_of(shares, count), s->sum);
	buffer_printf(b, "%% of samples %s", what);
	text_style(b, TEXT_PLAIN, text);
	buffer_char(b, '\n');
	for (size_t i = 0; i < count && i < SHARES_LIMIT; i++) {
		struct buffer cell = {0};

		units_percent(&cell, shares[i].sum, s->sum);
		text_right(b, buffer_bytes(&cell), 12);
		buffer_text(b, "  ");
		text_cell(b, module_of(view_text(v, shares[i].name)), 0, false, text);
		buffer_char(b, '\n');
		buffer_release(&cell);
	}
	if (count > SHARES_LIMIT)
		buffer_printf(b, "              and %zu more\n", count - SHARES_LIMIT);
}

static void text_mappings(struct buffer *b, const struct view *v, const struct summary *s,
	const struct text_settings *text)
{
	const struct profile *p = v->profile;
	size_t shown = 0;

	for (size_t i = 1; i < p->mappings.len; i++) {
		struct bytes file = profile_text(p, p->mappings.items[i].file);
		struct bytes build_id = profile_text(p, p->mappings.items[i].build_id);
		const struct mapping_summary *m = &s->mappings[i];

		if (!m->locations || shown++ >= MAPPINGS_LIMIT)
			continue;
		if (shown == 1) {
			text_style(b, TEXT_HEADING, text);
			buffer_text(b, "addresses with names, by binary");
			text_style(b, TEXT_PLAIN, text);
			buffer_char(b, '\n');
		}
		buffer_printf(b, "%6llu of %6llu  ", (unsigned long long)m->named,
			(unsigned long long)m->locations);
		if (p->mappings.items[i].kind == MAPPING_JIT) {
			file = profile_text(
				p, p->processes.items[p->mappings.items[i].process].name);
			buffer_text(b, "JIT code of ");
		}
		text_cell(b, file, 0, false, text);
		if (build_id.len)
			buffer_printf(b, "  %.*s", (int)build_id.len, build_id.at);
		buffer_char(b, '\n');
	}
	if (shown > MAPPINGS_LIMIT)
		buffer_printf(
			b, "                  and %zu more binaries\n", shown - MAPPINGS_LIMIT);
}

static void text_notes(struct buffer *b, const struct view *v, const struct text_settings *text)
{
	struct bytes note;
	size_t at = 0;
	bool own;

	while (view_next_note(v, &at, &note, &own)) {
		label(b, BYTES("note"), text);
		text_cell(b, note, 0, false, text);
		buffer_char(b, '\n');
	}
}

static void info_text(struct buffer *b, const struct view *v, const struct summary *s,
	const struct text_settings *text)
{
	const struct profile *p = v->profile;

	text_meta(b, p, text);
	text_sizes(b, s, text);
	for (size_t i = 0; i < p->streams.len; i++)
		text_stream(b, v, s, i, text);
	text_shares(b, v, s, s->truncated.items, s->truncated.len,
		"have stacks that are not complete", text);
	text_shares(b, v, s, s->unnamed.items, s->unnamed.len, "end in code without symbols", text);
	text_mappings(b, v, s, text);
	text_notes(b, v, text);
}

/* ---- JSON ---- */

/* A comma, unless this is the first item or a new line has just begun. */
static void separate(struct buffer *b)
{
	char last = b->len ? b->at[b->len - 1] : '{';

	if (last != '{' && last != '[' && last != '\n')
		buffer_char(b, ',');
}

static void new_line(struct buffer *b)
{
	separate(b);
	buffer_char(b, '\n');
}

static void key(struct buffer *b, struct bytes name)
{
	separate(b);
	buffer_json(b, name);
	buffer_char(b, ':');
}

static void open_in(struct buffer *b, const char *name, char bracket)
{
	key(b, bytes_of(name));
	buffer_char(b, bracket);
}

static void json_i64(struct buffer *b, const char *name, int64_t value)
{
	key(b, bytes_of(name));
	buffer_i64(b, value);
}

static void json_u64(struct buffer *b, const char *name, uint64_t value)
{
	key(b, bytes_of(name));
	buffer_u64(b, value);
}

static void json_text(struct buffer *b, const char *name, struct bytes value)
{
	key(b, bytes_of(name));
	buffer_json(b, value);
}

static void json_meta(struct buffer *b, const struct view *v)
{
	const struct profile *p = v->profile;
	struct bytes note;
	size_t at = 0;
	bool own;

	open_in(b, "meta", '{');
	for (size_t i = 0; i < p->meta.len; i++) {
		if (is_note(p, &p->meta.items[i]))
			continue;
		key(b, profile_text(p, p->meta.items[i].key));
		buffer_json(b, profile_text(p, p->meta.items[i].value));
	}
	buffer_char(b, '}');
	new_line(b);
	open_in(b, "notes", '[');
	while (view_next_note(v, &at, &note, &own)) {
		separate(b);
		buffer_json(b, note);
	}
	buffer_char(b, ']');
	new_line(b);
}

static void json_stream(struct buffer *b, const struct view *v, const struct summary *s, size_t i)
{
	const struct profile *p = v->profile;
	const struct stream_row *row = &p->streams.items[i].row;

	buffer_char(b, '{');
	json_text(b, "kind", profile_text(p, row->kind));
	json_text(b, "unit", profile_text(p, row->unit));
	json_text(b, "event", profile_text(p, row->event));
	json_u64(b, "side", row->side);
	key(b, BYTES("shown"));
	buffer_text(b, v->streams[i] ? "true" : "false");
	json_u64(b, "samples", s->streams[i].samples);
	json_i64(b, "sum", s->streams[i].sum);
	json_u64(b, "expected", row->expected);
	json_u64(b, "delivered", row->delivered);
	json_u64(b, "lost", s->streams[i].lost);
	open_in(b, "losses", '{');
	for (size_t l = 0; l < p->losses.len; l++) {
		if (p->losses.items[l].stream != i)
			continue;
		key(b, profile_text(p, p->losses.items[l].reason));
		buffer_u64(b, p->losses.items[l].count);
	}
	buffer_text(b, "}}");
}

static void json_shares(struct buffer *b, const char *name, const struct view *v,
	const struct share *shares, size_t count)
{
	open_in(b, name, '[');
	for (size_t i = 0; i < count; i++) {
		separate(b);
		buffer_char(b, '{');
		json_text(b, "name", view_text(v, shares[i].name));
		json_u64(b, "samples", shares[i].samples);
		json_i64(b, "sum", shares[i].sum);
		buffer_char(b, '}');
	}
	buffer_char(b, ']');
	new_line(b);
}

static void json_mappings(struct buffer *b, const struct profile *p, const struct summary *s)
{
	open_in(b, "mappings", '[');
	for (size_t i = 1; i < p->mappings.len; i++) {
		new_line(b);
		buffer_char(b, '{');
		json_text(b, "file", profile_text(p, p->mappings.items[i].file));
		json_text(b, "build_id", profile_text(p, p->mappings.items[i].build_id));
		json_u64(b, "addresses", s->mappings[i].locations);
		json_u64(b, "named", s->mappings[i].named);
		buffer_char(b, '}');
	}
	buffer_char(b, ']');
}

/* Threads with samples. */
static void json_threads(struct buffer *b, const struct profile *p)
{
	bool *seen = memory_new(p->threads.len, sizeof(*seen));

	for (size_t t = 0; t < p->samples.len; t++)
		for (size_t i = 0; i < p->samples.items[t].thread.len; i++)
			seen[p->samples.items[t].thread.items[i]] = true;
	open_in(b, "thread_list", '[');
	for (size_t i = 1; i < p->threads.len; i++) {
		const struct thread *thread = &p->threads.items[i];
		const struct process *process = &p->processes.items[thread->process];

		if (!seen[i])
			continue;
		new_line(b);
		buffer_char(b, '{');
		json_i64(b, "pid", process->pid);
		json_i64(b, "tid", thread->tid);
		json_text(b, "process", profile_text(p, process->name));
		json_text(b, "name", profile_text(p, thread->name));
		buffer_char(b, '}');
	}
	buffer_char(b, ']');
	new_line(b);
	memory_free(seen);
}

static void json_cpus(struct buffer *b, const struct profile *p)
{
	bool *seen = memory_new(NO_CPU + 1, sizeof(*seen));

	for (size_t t = 0; t < p->samples.len; t++)
		for (size_t i = 0; i < p->samples.items[t].cpu.len; i++)
			seen[p->samples.items[t].cpu.items[i]] = true;
	open_in(b, "cpu_list", '[');
	for (unsigned cpu = 0; cpu < NO_CPU; cpu++) {
		if (!seen[cpu])
			continue;
		separate(b);
		buffer_u64(b, cpu);
	}
	buffer_char(b, ']');
	new_line(b);
	memory_free(seen);
}

static void info_json(struct buffer *b, const struct view *v, const struct summary *s)
{
	const struct profile *p = v->profile;

	buffer_char(b, '{');
	json_meta(b, v);
	open_in(b, "streams", '[');
	for (size_t i = 0; i < p->streams.len; i++) {
		new_line(b);
		json_stream(b, v, s, i);
	}
	buffer_char(b, ']');
	new_line(b);
	json_u64(b, "first_ns", s->first);
	json_u64(b, "span_ns", s->last - s->first);
	json_u64(b, "threads", s->threads);
	json_u64(b, "processes", s->processes);
	json_u64(b, "tree_nodes", s->nodes);
	json_u64(b, "deepest", s->deepest);
	json_u64(b, "idle_samples", s->idle);
	new_line(b);
	json_shares(b, "truncated", v, s->truncated.items, s->truncated.len);
	json_shares(b, "without_symbols", v, s->unnamed.items, s->unnamed.len);
	json_threads(b, p);
	json_cpus(b, p);
	json_mappings(b, p, s);
	buffer_text(b, "}\n");
}

static bool render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	const struct info_settings *i = settings;
	struct summary s;
	struct buffer b = {0};

	(void)err;
	summary_init(&s, v);
	if (i->json)
		info_json(&b, v, &s);
	else
		info_text(&b, v, &s, &i->text);
	output_write(out, buffer_bytes(&b));
	buffer_release(&b);
	summary_release(&s);
	return true;
}

static const char *media_type_of(const void *settings)
{
	const struct info_settings *s = settings;

	return s->json ? MEDIA_JSON : MEDIA_TEXT;
}

const struct renderer renderer_info = {
	.name = "info",
	.about = "what is in a profile, as text",
	.readable = true,
	.media_type_of = media_type_of,
	.options = options,
	.settings_size = sizeof(struct info_settings),
	.defaults = defaults,
	.render = render,
};
