/* perf_script.c: text of `perf script`: event lines, each with a call chain below it.
 *
 * Most of a long text is call chains that share their outer frames with the one before; the way
 * through a call chain is therefore from its end to its start, and only as far as it is new
 * (recent.h). A line that was seen before is not parsed again (perf_names.h). This is why it does
 * not use lines/line_format.h, which goes forward line by line: a reader on that skeleton, of names
 * alone, took 1.4 times the CPU time for the 340 MB of bench/fold.sh. */
#include "readers/part.h"
#include "readers/perf/perf_classic.h"
#include "readers/perf/perf_events.h"
#include "readers/perf/perf_head.h"
#include "readers/perf/perf_line.h"
#include "readers/perf/perf_names.h"

#include "model/idle.h"
#include "readers/bad_lines.h"
#include "readers/lines/scan.h"
#include "readers/perf/recent.h"

#include <assert.h>
#include <stdlib.h>

#define SAMPLE_TEXT_LIMIT ((size_t)64 << 20) /* bytes of one event and its call chain */

#define TOO_DEEP "expected no call chain of more than " READ_DEPTH_TEXT " frames"
#define EXPECTS	 "an event line such as `comm 123 4.5: cycles:`"

struct script {
	struct profile *profile;
	unsigned want; /* enum read_want */
	const struct reading_style *style;
	struct buffer chosen;	/* with a style: the event; empty: none yet */
	uint64_t lost;		/* samples, by PERF_RECORD_LOST */
	uint64_t trace_errors;	/* of Intel PT, where the trace has a gap */
	uint64_t other_samples; /* of other events than that */
	struct perf_names names;
	struct perf_events events;
	struct recent_table recent;
	struct memo programs;	 /* comm to the stack of its root frame */
	struct perf_event event; /* the last one; its texts lie in `line` */
	struct buffer line;
	stack_id root;		 /* its program's */
	VECTOR(uint8_t) waiting; /* of stacks of the idle task: 0 not known, 1 idle, 2 not */
	struct bad_lines bad;
	uint64_t lines, samples;
	bool timed;	    /* somebody asks for times or CPUs */
	bool bare;	    /* perf_event_parse_bare is what reads event lines */
	uint64_t irregular; /* offset up to which samples are not separated by empty lines */
};

static void script_release(struct script *s)
{
	perf_names_release(&s->names);
	perf_events_release(&s->events);
	recent_table_release(&s->recent);
	memo_release(&s->programs);
	vector_release(&s->waiting);
	buffer_release(&s->line);
	buffer_release(&s->chosen);
}

/* ---- Lines ---- */

static size_t line_length(struct bytes text)
{
	const char *newline = text.len ? memchr(text.at, '\n', text.len) : NULL;

	return newline ? (size_t)(newline - text.at) : text.len;
}

/* Does a sample start here although no empty line ended the one before? */
static bool starts_sample(struct bytes line)
{
	struct perf_event event;

	return perf_event_parse(line, &event) && event.anchored && event.event.len;
}

static uint32_t count_lines(struct bytes text)
{
	uint32_t count = text.len > 0;

	for (size_t i = 0; i < text.len; i++)
		count += text.at[i] == '\n';
	return count;
}

/* ---- Stacks ---- */

/* The stack of the root frame, which is named after the program. */
static stack_id program_root(struct script *s, const struct perf_event *event)
{
	bool by_comm = event->comm.len && !(s->style->process_ids || s->style->thread_ids);
	stack_id root = by_comm ? memo_find(&s->programs, event->comm) : 0;
	struct buffer name = {0};

	if (root)
		return root;
	if (s->style->tool == TOOL_KILN && !event->comm.len && event->tid < 0 && event->pid < 0)
		buffer_text(&name, "[unknown]");
	else
		perf_classic_program(s->style, event, &name);
	root = profile_stack(s->profile, 0,
		profile_location_named(s->profile,
			profile_frame_named(s->profile, buffer_bytes(&name), FRAME_META)));
	buffer_release(&name);
	if (by_comm)
		memo_put(&s->programs, event->comm, root);
	return root;
}

static void text_move(struct bytes *text, const char *from, const char *to)
{
	if (text->len)
		text->at = to + (text->at - from);
}

/* Keep an event whose texts lie in its line. */
static void keep_event(struct script *s, struct bytes line, struct perf_event event)
{
	s->line.len = 0;
	buffer_add(&s->line, line.at, line.len);
	text_move(&event.comm, line.at, s->line.at);
	text_move(&event.event, line.at, s->line.at);
	text_move(&event.rest, line.at, s->line.at);
	s->event = event;
}

/* Parse the event line that the window starts with if it is as long as the one before, as nearly
 * all are, and differs from it in its time only: nobody has to look for its end. */
static bool take_event_again(struct script *s, struct bytes window, struct bytes *ret_line)
{
	struct bytes last = buffer_bytes(&s->line), line = {window.at, last.len};

	if (s->bare || window.len <= last.len || window.at[last.len] != '\n' ||
		!perf_event_parse_again(line, last, s->timed, &s->event))
		return false;
	*ret_line = line;
	return true;
}

/* Parse an event line into s->event and s->root. Most lines are of the same thread as the one
 * before, and most of these differ in their time only. */
static bool take_event_line(struct script *s, struct bytes line)
{
	struct bytes last = buffer_bytes(&s->line), head = {last.at, s->event.head};
	struct perf_event event = s->event;

	if (s->bare) {
		if (!perf_event_parse_bare(line, &event))
			return false;
		keep_event(s, line, event);
		s->root = program_root(s, &s->event);
		return true;
	}
	if (perf_event_parse_again(line, last, s->timed, &s->event))
		return true;
	if (perf_event_parse_tail(line, head, &event)) {
		text_move(&event.comm, last.at, line.at);
		keep_event(s, line, event);
		return true;
	}
	if (!perf_event_parse(line, &event))
		return false;
	keep_event(s, line, event);
	s->root = program_root(s, &s->event);
	return true;
}

/* The idle task, in no interrupt? */
static bool is_idle(struct script *s, const struct perf_event *event, stack_id stack)
{
	if (s->style->tool != TOOL_KILN || event->tid != 0 || event->pid > 0 ||
		!bytes_starts_with(event->comm, BYTES("swapper")))
		return false;
	if (stack >= s->waiting.len) {
		size_t more = stack + 1 - s->waiting.len;

		vector_reserve(&s->waiting, more);
		memset(s->waiting.items + s->waiting.len, 0, more);
		s->waiting.len += more;
	}
	if (!s->waiting.items[stack])
		s->waiting.items[stack] = stack_is_idle(s->profile, stack) ? 1 : 2;
	return s->waiting.items[stack] == 1;
}

/* The line before `end` (which points behind its last byte). */
static struct bytes line_before(const char *start, const char *end)
{
	const char *newline = end > start ? memrchr(start, '\n', (size_t)(end - start)) : NULL;
	const char *at = newline ? newline + 1 : start;

	return (struct bytes){at, (size_t)(end - at)};
}

enum walked { WALKED, WALKED_INTO_EVENT, WALKED_TOO_DEEP };

/* Move the mark up to the start of a line. */
static void mark_move(struct recent_mark *mark, struct bytes text, const char *line, stack_id stack,
	uint32_t lines, uint32_t frames)
{
	mark->stack = stack;
	mark->lines += lines;
	mark->frames += frames;
	mark->from_end = (uint32_t)(text.at + text.len - line);
}

/* Read one more line (and the source line below it) upwards from `mark`. */
static enum walked walk_line(
	struct script *s, struct bytes text, bool java, struct recent_mark *mark)
{
	const char *end = text.at + text.len - mark->from_end - (mark->from_end > 0);
	struct bytes line;
	stack_id stack = mark->stack;
	uint32_t frames = 0, lines = 1;
	enum perf_line what;

	if (perf_names_again(&s->names, text.at, end, java, stack, &stack, &line.at, &lines)) {
		mark_move(mark, text, line.at, stack, lines, 1);
		return mark->frames > READ_DEPTH_LIMIT ? WALKED_TOO_DEEP : WALKED;
	}
	stack = mark->stack;
	line = line_before(text.at, end);
	what = perf_names_call(&s->names, line, java, stack, &stack, &frames);
	if (what == PERF_SOURCE && line.at > text.at) {
		struct bytes above = line_before(text.at, line.at - 1);
		struct bytes both = {above.at, (size_t)(end - above.at)};

		if (perf_names_call(&s->names, both, java, stack, &stack, &frames) == PERF_FRAME) {
			line = both;
			lines = 2;
		}
	}
	if (what == PERF_BLANK || (what == PERF_WEIRD && starts_sample(line)))
		return WALKED_INTO_EVENT;
	mark->bad_lines += what == PERF_WEIRD;
	mark_move(mark, text, line.at, stack, lines, frames);
	return mark->frames > READ_DEPTH_LIMIT ? WALKED_TOO_DEEP : WALKED;
}

/* The stack of a call chain. *ret_end: the kind of its first line. */
static enum walked walk(
	struct script *s, struct bytes text, stack_id root, bool java, struct recent_mark *ret_end)
{
	struct recent *r = recent_share(&s->recent, root, text);
	struct recent_mark mark = r->marks.items[r->marks.len - 1];
	enum walked how = WALKED;

	/* The first line starts at text.len; an empty text has no line. */
	while (how == WALKED && mark.from_end < text.len) {
		how = walk_line(s, text, java, &mark);
		vector_push(&r->marks, mark);
	}
	if (how == WALKED)
		recent_keep(r, text);
	else
		r->root = 0;
	*ret_end = mark;
	return how;
}

/* ---- Samples ---- */

/* The call chain below an event line, line by line: up to an empty line or the next event. */
static bool find_end_by_line(struct bytes text, bool ended, size_t *ret_len)
{
	size_t at = 0;

	while (at < text.len) {
		struct bytes rest = {text.at + at, text.len - at};
		struct bytes line = {rest.at, line_length(rest)};

		if (line.len == rest.len && !ended)
			return false;
		if (perf_line_is_empty(line) || starts_sample(line))
			break;
		at += line.len + (line.len < rest.len);
	}
	*ret_len = at && text.at[at - 1] == '\n' ? at - 1 : at;
	return at < text.len || ended;
}

/* The call chain below an event line: usually up to the next empty line. False: not all of it is in
 * the window. */
static bool find_end(struct bytes text, bool by_line, bool ended, size_t *ret_len)
{
	size_t len;

	if (!by_line && text.len && *text.at != '\t') {
		struct bytes line = {text.at, line_length(text)};

		if (line.len == text.len && !ended)
			return false;
		by_line = perf_line_is_empty(line) || starts_sample(line);
	}
	if (by_line)
		return find_end_by_line(text, ended, ret_len);
	len = scan_empty_line(text);
	if (len == text.len && !ended)
		return false;
	while (len == text.len && len && text.at[len - 1] == '\n')
		text.len = --len;
	*ret_len = len;
	return true;
}

/* A frame behind the event on its line: how perf prints samples without call chains. */
static stack_id add_frame_beside(
	struct script *s, const struct perf_event *event, stack_id stack, bool java)
{
	struct perf_frame frame;
	uint32_t frames;

	if (perf_frame_parse(event->rest, &frame) == PERF_FRAME && frame.module.at)
		perf_names_call(&s->names, event->rest, java, stack, &stack, &frames);
	return stack;
}

/* Count the lines of a call chain, and those of them that are none. */
static void count_chain(struct script *s, struct bytes text, const struct recent_mark *end)
{
	if (end->bad_lines) {
		uint64_t first = s->lines;
		struct perf_frame frame;
		struct bytes rest = text, line;

		for (uint32_t left = end->bad_lines; left && bytes_line(&rest, &line); first++)
			if (perf_frame_parse(line, &frame) == PERF_WEIRD && left--)
				bad_lines_add(&s->bad, first + 1,
					"expected a frame such as `7f12a0 main+0x1c (/usr/bin/x)`");
	}
	s->lines += end->lines;
}

static thread_id thread_of(struct profile *p, const struct perf_event *event)
{
	string_id name = profile_string(p, event->comm);

	return profile_thread(p, profile_process(p, event->pid, name), event->tid, name);
}

/* The requested columns that this input has. */
static bool add_event(
	struct script *s, const struct perf_event *event, stack_id stack, struct error *err)
{
	struct perf_event_sample sample = {.event = event->event,
		.stack = stack,
		.time = event->time,
		.period = event->period,
		.cpu = event->cpu >= 0 && event->cpu < NO_CPU ? (uint16_t)event->cpu : NO_CPU,
		.idle = is_idle(s, event, stack)};

	if ((s->want & WANT_TIMES) && event->timed)
		sample.has |= SAMPLE_TIME;
	if ((s->want & WANT_THREADS) && event->tid >= 0)
		sample.has |= SAMPLE_THREAD;
	if ((s->want & WANT_CPUS) && event->cpu >= 0)
		sample.has |= SAMPLE_CPU;
	if (s->want & WANT_THREADS)
		sample.thread = thread_of(s->profile, event);
	return perf_events_add(&s->events, &sample, err);
}

/* Other tools use one event; a note at the end counts the others. */
static bool is_counted(struct script *s, struct perf_event *event)
{
	struct bytes chosen;
	bool counted = perf_classic_counts(s->style, event, buffer_bytes(&s->chosen), &chosen);

	if (!s->chosen.len)
		buffer_add(&s->chosen, chosen.at, chosen.len);
	event->event = (struct bytes){0};
	s->other_samples += !counted;
	return counted;
}

/* s->event and the call chain below it. *ret_used is what the call chain took, or SIZE_MAX when
 * the window does not hold all of it. False with err: give up. */
static bool take_sample(struct script *s, struct bytes text, uint64_t offset, bool ended,
	size_t *ret_used, struct error *err)
{
	const struct perf_event *event = &s->event;
	bool java = bytes_starts_with(event->comm, BYTES("java"));
	bool by_line = event->rest.len > 0 || offset < s->irregular;
	stack_id stack;
	struct recent_mark end;
	enum walked how = WALKED;
	size_t len;

	*ret_used = SIZE_MAX;
	if (!find_end(text, by_line, ended, &len))
		return true;
	how = walk(s, (struct bytes){text.at, len}, s->root, java, &end);
	if (how == WALKED_INTO_EVENT) {
		s->irregular = offset + len;
		if (!find_end_by_line(text, ended, &len))
			return true;
		how = walk(s, (struct bytes){text.at, len}, s->root, java, &end);
	}
	*ret_used = len + (len && len < text.len);
	s->lines++;
	if (how == WALKED_TOO_DEEP) {
		bad_lines_add(&s->bad, s->lines, TOO_DEEP);
		s->lines += count_lines((struct bytes){text.at, len});
		return true;
	}
	count_chain(s, (struct bytes){text.at, len}, &end);
	stack = event->rest.len ? add_frame_beside(s, event, end.stack, java) : end.stack;
	s->samples++;
	if (s->style->tool != TOOL_KILN) {
		struct perf_event any = *event;

		return !is_counted(s, &any) || add_event(s, &any, stack, err);
	}
	return add_event(s, event, stack, err);
}

/* Records of --show-mmap-events and the like are no samples; lost samples are counted. */
static bool take_other_record(struct script *s)
{
	struct bytes what = s->event.event.len ? s->event.event : s->event.rest, count;
	uint64_t lost;

	if (!bytes_starts_with(what, BYTES("PERF_RECORD_")))
		return false;
	s->lines++;
	count = what;
	if (bytes_cut(&count, ' ', &what) && bytes_equal(what, BYTES("PERF_RECORD_LOST")) &&
		bytes_starts_with(count, BYTES("lost "))) {
		count = bytes_trim((struct bytes){count.at + 5, count.len - 5});
		if (bytes_u64(count, &lost) && __builtin_add_overflow(s->lost, lost, &s->lost))
			s->lost = UINT64_MAX;
	}
	return true;
}

/* With -F ip,sym nothing but an empty line is above the frames. */
static bool take_no_line(struct script *s, struct bytes line)
{
	if (!s->bare || !perf_line_is_frame_column(line))
		return false;
	s->event = (struct perf_event){.pid = -1, .tid = -1, .cpu = -1};
	s->root = program_root(s, &s->event);
	s->lines--;
	return true;
}

/* Whatever starts at the window's start: a sample, a comment, an empty line, or something else.
 * *ret_used is 0 when the window does not hold all of it. */
static bool take(struct script *s, struct bytes window, uint64_t offset, bool ended,
	size_t *ret_used, struct error *err)
{
	struct bytes line;
	bool again = take_event_again(s, window, &line), headless = false;
	uint64_t number = s->lines + 1;
	size_t below, chain;

	*ret_used = 0;
	if (!again)
		line = (struct bytes){window.at, line_length(window)};
	if (line.len == window.len && !ended)
		return true;
	below = line.len + (line.len < window.len);
	if (!again && (perf_line_is_empty(line) || *line.at == '#')) {
		s->lines++;
	} else if (again || (headless = take_no_line(s, line)) || take_event_line(s, line)) {
		if (headless)
			below = 0;
		if (take_other_record(s)) {
			*ret_used = below;
			return true;
		}
		if (!take_sample(s, (struct bytes){window.at + below, window.len - below},
			    offset + below, ended, &chain, err))
			return error_prefix(err, "line %llu: ", (unsigned long long)number);
		if (chain == SIZE_MAX)
			return true;
		below += chain;
	} else if (perf_line_is_trace_error(line)) {
		s->lines++;
		s->trace_errors++;
	} else {
		s->lines++;
		bad_lines_add(&s->bad, number, "expected " EXPECTS);
	}
	*ret_used = below;
	return true;
}

static bool take_all(struct script *s, struct input *in, struct error *err)
{
	size_t at = 0, used;

	while (at < in->window.len) {
		if (!take(s, (struct bytes){in->window.at + at, in->window.len - at},
			    in->offset + at, in->ended, &used, err))
			return false;
		if (!used)
			break;
		at += used;
	}
	input_skip(in, at);
	return true;
}

static bool script_read(struct script *s, struct input *in, struct error *err)
{
	for (;;) {
		if (!take_all(s, in, err))
			return false;
		if (in->ended)
			return true;
		if (in->window.len > SAMPLE_TEXT_LIMIT)
			return error_set(err, ERR_LIMIT,
				"line %llu: more than %zu MiB without an empty line; expected one "
				"after every sample",
				(unsigned long long)s->lines + 1, SAMPLE_TEXT_LIMIT >> 20);
		recent_table_settle(&s->recent);
		/* Doubling the window: else a long call chain would be searched for its end once
		 * for every piece of it. */
		if (!input_fill(in, in->window.len * 2 + 1, err))
			return false;
	}
}

static void note_trace_errors(struct profile *p, uint64_t count)
{
	if (count)
		profile_note(p,
			"the recorded trace has %llu gap%s (instruction trace errors): what ran "
			"there is missing",
			(unsigned long long)count, count == 1 ? "" : "s");
}

/* Skipped lines of all parts are reported together. */
static bool finish(const struct script *s, struct read_part *part, struct error *err)
{
	struct read_part all = {0};

	if (!part)
		part = &all;
	part->bad = s->bad;
	part->lines = s->lines;
	part->samples = s->samples;
	part->counted = s->trace_errors;
	part->add_notes = note_trace_errors;
	return part != &all || read_part_add_notes(part, s->profile, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct script s = {
		.profile = out,
		.names = {.profile = out, .want = options->want, .style = reading_style(options)},
		.events = {.profile = out},
		.want = options->want,
		.style = reading_style(options),
		.timed = options->want & (WANT_TIMES | WANT_CPUS),
	};
	bool done;

	if (!input_fill(in, READER_HEAD, err))
		return false;
	s.bare = s.style->tool == TOOL_KILN &&
		 perf_head_is_bare(options->part ? options->part->begin
						 : bytes_head(in->window, READER_HEAD));
	if (options->event)
		buffer_text(&s.chosen, options->event);
	done = script_read(&s, in, err);
	if (s.events.kinds.len)
		perf_events_lost(&s.events, profile_text(out, s.events.kinds.items[0].event),
			"ring full", s.lost);
	perf_events_finish(&s.events);
	done = done && finish(&s, options->part, err);
	if (s.other_samples)
		profile_note(out, "left out %llu sample%s of events other than %s",
			(unsigned long long)s.other_samples, s.other_samples == 1 ? "" : "s",
			s.chosen.at);
	script_release(&s);
	return done;
}

/* ---- Parts ---- */

/* Behind an empty line, where a sample starts. */
static size_t cut(struct bytes text)
{
	struct bytes rest = text, line;

	while (rest.len) {
		size_t newline = scan_empty_line(rest);

		rest.at += newline;
		rest.len -= newline;
		while (rest.len && (*rest.at == '\n' || *rest.at == '\r')) {
			rest.at++;
			rest.len--;
		}
		line = (struct bytes){rest.at, line_length(rest)};
		if (line.len < rest.len && starts_sample(line))
			return (size_t)(rest.at - text.at);
	}
	return text.len;
}

const struct reader reader_perf_script = {
	.name = "perf-script",
	.about = "`perf script` text",
	.expects = EXPECTS,
	.proof = "the corpora of FlameGraph and inferno; perf 6.1 on real programs",
	.bid = perf_head_bid,
	.read = read,
	.cut = cut,
};
