/* notices.c: what should the user know about a profile before trusting a picture of it? */
#include "loading/notices.h"

#include "base/buffer.h"
#include "base/units.h"

#include <stdarg.h>

void loading_notice(const struct loading_listener *listener, const char *fmt, ...)
{
	struct buffer text = {0};
	va_list args;

	if (!listener->notice)
		return;
	va_start(args, fmt);
	buffer_format(&text, fmt, args);
	va_end(args);
	listener->notice(listener->self, text.at);
	buffer_release(&text);
}

static void report_notes(
	const struct view *v, const struct loading_listener *listener, const char *input)
{
	struct bytes note;
	size_t at = 0;
	bool own;

	while (view_next_note(v, &at, &note, &own))
		loading_notice(listener, "%s: %.*s", input, (int)note.len, note.at);
}

static void report_losses(const struct profile *p, uint32_t stream,
	const struct loading_listener *listener, const char *input)
{
	const struct stream_row *row = &p->streams.items[stream].row;
	uint64_t lost = profile_lost(p, stream), whole = row->delivered + lost;
	struct buffer text = {0};
	const char *separator = "";

	if (!lost)
		return;
	buffer_text(&text, "lost ");
	units_grouped(&text, (int64_t)lost);
	buffer_text(&text, " of ");
	units_grouped(&text, (int64_t)whole);
	buffer_text(&text, " samples (");
	units_percent_nonzero(&text, (int64_t)lost, (int64_t)whole);
	buffer_text(&text, "%): ");
	for (size_t i = 0; i < p->losses.len; i++) {
		struct bytes reason = profile_text(p, p->losses.items[i].reason);

		if (p->losses.items[i].stream != stream || !p->losses.items[i].count)
			continue;
		buffer_printf(&text, "%s%.*s ", separator, (int)reason.len, reason.at);
		units_grouped(&text, (int64_t)p->losses.items[i].count);
		separator = ", ";
	}
	loading_notice(listener, "%s: %s", input, text.at);
	buffer_release(&text);
}

/* Whoever selects by a name that no sample has gets an empty picture or table. */
static void report_nothing_left(
	const struct view *v, const struct loading_listener *listener, const char *input)
{
	const struct profile *p = v->profile;
	bool any = false;

	for (size_t s = 0; s < p->streams.len; s++) {
		uint32_t table = p->streams.items[s].row.samples;

		for (size_t i = 0; v->streams[s] && i < p->samples.items[table].count; i++) {
			any = true;
			if (view_node(v, table, i) != NODE_DROPPED)
				return;
		}
	}
	if (any)
		loading_notice(listener, "%s: no sample is left by the options that select", input);
}

void notices_report(
	const struct view *v, const struct loading_listener *listener, const char *input)
{
	report_notes(v, listener, input);
	for (uint32_t i = 0; i < v->profile->streams.len; i++)
		if (v->streams[i])
			report_losses(v->profile, i, listener, input);
	report_nothing_left(v, listener, input);
}

/* "cycles (1,234 samples)". Values without an event are named by their kind; not every format says
 * how many samples there are. */
static void event_text(struct buffer *b, const struct profile *p, const struct stream_row *row)
{
	struct bytes name = profile_text(p, row->event ? row->event : row->kind);

	buffer_printf(b, "%s%.*s", b->len ? ", " : "", (int)name.len, name.at);
	if (!row->delivered && row->samples < p->samples.len &&
		p->samples.items[row->samples].count)
		return;
	buffer_text(b, " (");
	units_grouped(b, (int64_t)row->delivered);
	buffer_text(b, row->delivered == 1 ? " sample)" : " samples)");
}

static bool is_zero(const struct stream *s, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (stream_value(s, i))
			return false;
	return true;
}

static bool stream_is_zero(const struct profile *p, size_t stream)
{
	const struct stream *s = &p->streams.items[stream];

	return is_zero(s, p->samples.items[s->row.samples].count);
}

/* Pictures and tables of such a value are empty. */
static void report_zero(
	const struct view *v, const struct loading_listener *listener, const char *input)
{
	const struct profile *p = v->profile;
	size_t other = 0;

	for (size_t i = 0; i < p->streams.len; i++)
		if (v->streams[i] && !stream_is_zero(p, i))
			return;
	while (other < p->streams.len && stream_is_zero(p, other))
		other++;
	if (other < p->streams.len) {
		struct bytes name = profile_text(p, view_stream(v)->kind);
		struct bytes kind = profile_text(p, p->streams.items[other].row.kind);

		loading_notice(listener,
			"%s: %.*s is 0 in all samples; --kind %.*s shows other values", input,
			(int)name.len, name.at, (int)kind.len, kind.at);
	}
}

void notices_report_other_events(
	const struct view *v, const struct loading_listener *listener, const char *input)
{
	const struct profile *p = v->profile;
	const struct stream_row *row = view_stream(v);
	struct buffer shown = {0}, others = {0};

	event_text(&shown, p, row);
	for (size_t i = 0; i < p->streams.len; i++) {
		string_id event = p->streams.items[i].row.event;
		bool seen = event == row->event || !event;

		for (size_t j = 0; j < i && !seen; j++)
			seen = p->streams.items[j].row.event == event;
		if (!seen)
			event_text(&others, p, &p->streams.items[i].row);
	}
	if (others.len)
		loading_notice(listener, "%s: showing %s; --kind shows another event: %s", input,
			shown.at, others.at);
	report_zero(v, listener, input);
	buffer_release(&shown);
	buffer_release(&others);
}
