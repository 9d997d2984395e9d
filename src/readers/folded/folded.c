/* folded.c: folded text, one stack a line: `main;parse;read 12`.
 *
 * The grammar is flamegraph.pl's: frames, outermost first, separated by ';', then a number; a
 * second number makes the file a differential one (before, after). Numbers may be below 0, as Kiln
 * writes them, and there are comments (folded_line.h), but neither for tools of other names.
 * Values may have decimals: then all values of the file are kept in tenths, hundredths, ..., and
 * the unit says so ("count/100").
 *
 * It does not use lines/line_format.h: in one pass over a line it finds both the line's end and how
 * many bytes it shares with the last one, which tells the frames that need no look-up. A reader on
 * that skeleton took 1.5 times the CPU time for the 440 MB of bench/draw_folded.sh (0.63 s, not
 * 0.42 s). */
#include "base/units.h"
#include "readers/bad_lines.h"
#include "readers/folded/folded_line.h"
#include "readers/folded/folded_stacks.h"
#include "readers/lines/scan.h"
#include "readers/part.h"
#include "readers/reading_style.h"

#include <assert.h>
#include <stdlib.h>

#define LINE_LIMIT ((size_t)16 << 20) /* bytes */
#define EXPECTS	   "frames and a number, such as `main;parse;read 12`"
#define TOO_DEEP   "expected a stack of at most " READ_DEPTH_TEXT " frames"

/* A line whose stack is looked up together with those of other lines (folded_stacks.h). */
struct waiting_line {
	uint64_t line;
	struct decimal number[2];
};

struct folded {
	struct profile *profile;
	const struct reading_style *style;
	bool differential;
	bool in_order; /* a sample for every line, whose order is the only information about time */
	struct folded_stacks stacks;
	VECTOR(struct waiting_line) waiting;
	size_t seen;		       /* consumed bytes at the start of the window */
	uint32_t samples, stream;      /* a differential file has stream + 1 for `after` */
	VECTOR(uint32_t) row_of_stack; /* plus one; 0: none yet */
	unsigned decimals;	       /* of all values */
	int64_t total[2];
	uint64_t lines, comments, taken;
	struct bad_lines bad;
};

/* ---- Numbers ---- */

/* Keep all values with `decimals` digits from now on. At most DECIMALS_LIMIT times. */
static bool rescale(struct folded *f, unsigned decimals)
{
	int64_t factor = units_power(decimals - f->decimals);

	for (unsigned side = 0; side <= f->differential; side++) {
		struct stream *s = &f->profile->streams.items[f->stream + side];

		if (__builtin_mul_overflow(f->total[side], factor, &f->total[side]))
			return false;
		for (size_t i = 0; i < s->value.len; i++)
			s->value.items[i] *= factor;
	}
	f->decimals = decimals;
	return true;
}

/* The value in the file's decimals; false: it, or the sum of all absolute values, is too large. */
static bool to_value(struct folded *f, unsigned side, struct decimal number, int64_t *ret_value)
{
	int64_t value, size;

	if (number.decimals > f->decimals && !rescale(f, number.decimals))
		return false;
	if (__builtin_mul_overflow(
		    number.digits, units_power(f->decimals - number.decimals), &value) ||
		value == INT64_MIN)
		return false;
	size = value < 0 ? -value : value;
	if (__builtin_add_overflow(f->total[side], size, &f->total[side]))
		return false;
	*ret_value = value;
	return true;
}

/* ---- Lines ---- */

/* The row of the stack's sample; a new one has zeroes. */
static size_t sample_row(struct folded *f, stack_id stack)
{
	struct profile *p = f->profile;
	size_t row;

	while (f->row_of_stack.len <= stack)
		vector_push(&f->row_of_stack, 0);
	if (f->row_of_stack.items[stack] && !f->in_order)
		return f->row_of_stack.items[stack] - 1;
	row = profile_add_sample(p, f->samples, &(struct sample){.stack = stack});
	for (unsigned side = 0; side <= f->differential; side++)
		vector_push(&p->streams.items[f->stream + side].value, 0);
	f->row_of_stack.items[stack] = (uint32_t)row + 1;
	return row;
}

static bool skip_line(struct folded *f, const char *reason)
{
	bad_lines_add(&f->bad, f->lines, reason);
	return true;
}

static enum folded_sign sign_of(const struct folded *f)
{
	return f->style->tool != TOOL_KILN ? FOLDED_UNSIGNED : FOLDED_SIGNED;
}

/* Other tools treat a line with one number in a differential file as unchanged. */
static bool cut_numbers(const struct folded *f, struct bytes *frames, struct decimal *ret_numbers)
{
	enum folded_sign sign = sign_of(f);
	struct bytes whole = *frames;

	if (!folded_cut_number(frames, sign, &ret_numbers[f->differential]))
		return false;
	if (f->differential && !folded_cut_number(frames, sign, &ret_numbers[0])) {
		ret_numbers[0] = ret_numbers[1];
		if (f->style->tool == TOOL_KILN)
			return false;
	}
	/* For Perl, all blanks before a number except one belong to the name. */
	while (f->style->tool == TOOL_SCRIPTS && folded_is_blank(whole.at[frames->len + 1]))
		frames->len++;
	while (f->style->tool == TOOL_SCRIPTS && bytes_ends_with(*frames, BYTES(";")))
		frames->len--; /* its split() drops empty names at the end */
	return true;
}

/* A line whose stack has been found. */
static bool take_found(
	struct folded *f, const struct waiting_line *w, stack_id stack, struct error *err)
{
	size_t row = sample_row(f, stack);

	for (unsigned side = 0; side <= f->differential; side++) {
		int64_t value;

		if (!to_value(f, side, w->number[side], &value))
			return error_set(err, ERR_LIMIT,
				"line %llu: the sum of all values exceeds 2^63",
				(unsigned long long)w->line);
		f->profile->streams.items[f->stream + side].value.items[row] += value;
	}
	f->taken++;
	return true;
}

/* Look up the stacks of all waiting lines, and add their values. Called when enough wait, and
 * before the window moves, in which their text lies. */
static bool take_waiting(struct folded *f, struct error *err)
{
	folded_stacks_find(&f->stacks);
	for (size_t i = 0; i < f->waiting.len; i++)
		if (!take_found(f, &f->waiting.items[i], f->stacks.stacks.items[i], err))
			return false;
	f->waiting.len = 0;
	return true;
}

static bool take_stack(struct folded *f, struct bytes line, size_t shared, struct error *err)
{
	struct bytes frames = line;
	struct decimal number[2] = {{0}};

	while (frames.len && folded_is_blank(frames.at[frames.len - 1]))
		frames.len--;
	if (!cut_numbers(f, &frames, number))
		return skip_line(f, f->differential ? "expected frames and two numbers, as "
						      "in the first lines"
						    : "expected " EXPECTS);
	if (folded_is_deeper(frames, READ_DEPTH_LIMIT))
		return skip_line(f, TOO_DEEP);
	vector_push(&f->waiting, ((struct waiting_line){f->lines, {number[0], number[1]}}));
	return !folded_stacks_add(&f->stacks, line, frames, shared) || take_waiting(f, err);
}

/* The line's first `shared` bytes equal those of the last line with a stack. */
static bool take_line(struct folded *f, struct bytes line, size_t shared, struct error *err)
{
	f->lines++;
	if (line.len && line.at[line.len - 1] == '\r')
		line.len--;
	if (!line.len || (f->style->tool == TOOL_KILN && folded_is_comment(line)) ||
		!bytes_trim(line).len) {
		f->comments++;
		return true;
	}
	return take_stack(f, line, shared, err);
}

/* The end of the next line, and how many bytes at its start equal those of the last line. */
struct folded_ahead {
	size_t shared;	     /* bytes: there is no newline in them */
	const char *newline; /* NULL: it does not end in the window */
};

/* Find the end of the first line of `rest`, which follows `last`. */
static struct folded_ahead look_ahead(struct bytes last, struct bytes rest)
{
	struct folded_ahead line = {.shared = last.at ? scan_common_start(last, rest) : 0};

	if (line.shared < rest.len)
		line.newline = memchr(rest.at + line.shared, '\n', rest.len - line.shared);
	return line;
}

/* Take the first line of `rest` (*ahead describes it), and look at the next one. */
static bool take_next(
	struct folded *f, struct bytes *rest, struct folded_ahead *ahead, struct error *err)
{
	struct folded_ahead this = *ahead;
	struct bytes line = {
		rest->at, this.newline ? (size_t)(this.newline - rest->at) : rest->len};

	rest->at += line.len + (this.newline != NULL);
	rest->len -= line.len + (this.newline != NULL);
	*ahead = look_ahead(line, *rest);
	if (!take_line(f, line, this.shared, err))
		return false;
	if (f->stacks.last.at != line.at)
		*ahead = look_ahead(f->stacks.last, *rest);
	return true;
}

/* Take all whole lines of the window. The last one with a stack stays in it, to compare the next
 * one with it: f->seen bytes at the window's start have been read. */
static bool take_window(struct folded *f, struct input *in, struct error *err)
{
	struct bytes rest = {in->window.at + f->seen, in->window.len - f->seen};
	struct bytes *last = &f->stacks.last;
	struct folded_ahead ahead;
	const char *keep;

	if (last->at)
		last->at = in->window.at;
	ahead = look_ahead(*last, rest);
	while (rest.len && (ahead.newline || in->ended))
		if (!take_next(f, &rest, &ahead, err))
			return false;
	if (!take_waiting(f, err))
		return false;
	if (rest.len > LINE_LIMIT)
		return error_set(err, ERR_LIMIT, "line %llu: more than %zu MiB, expected " EXPECTS,
			(unsigned long long)f->lines + 1, LINE_LIMIT >> 20);
	if (last->at && (size_t)(rest.at - last->at) > LINE_LIMIT)
		folded_stacks_clear(&f->stacks);
	keep = last->at ? last->at : rest.at;
	f->seen = (size_t)(rest.at - keep);
	input_skip(in, (size_t)(keep - in->window.at));
	return true;
}

static void streams_open(struct folded *f)
{
	f->samples = profile_add_samples(f->profile);
	for (unsigned side = 0; side <= f->differential; side++) {
		uint32_t stream = profile_add_stream(f->profile, f->samples, BYTES("samples"),
			BYTES("count"), (struct bytes){0});

		f->profile->streams.items[stream].row.side = f->differential ? side + 1 : 0;
		if (!side)
			f->stream = stream;
	}
}

/* Store the totals of the streams, and note skipped lines. */
static void streams_close(struct folded *f)
{
	struct buffer unit = {0};

	buffer_printf(&unit, "count/%lld", (long long)units_power(f->decimals));
	for (unsigned side = 0; side <= f->differential; side++) {
		struct stream_row *row = &f->profile->streams.items[f->stream + side].row;

		if (f->decimals)
			row->unit = profile_string(f->profile, buffer_bytes(&unit));
		else
			row->delivered = delivered_of_sum(f->total[side]);
	}
	buffer_release(&unit);
}

/* Other tools count skipped lines and accept an input without stacks; Perl counts empty lines,
 * too. */
static void note_ignored(struct folded *f)
{
	uint64_t ignored = f->bad.count + (f->style->tool == TOOL_SCRIPTS ? f->comments : 0);
	struct buffer count = {0};

	buffer_u64(&count, ignored);
	profile_set_meta(f->profile, BYTES("ignored"), buffer_bytes(&count));
	buffer_release(&count);
}

/* For kiln info, which shows what a profile says of itself. */
static void add_comments(struct profile *p, uint64_t comments)
{
	struct buffer count = {0};

	if (!comments)
		return;
	buffer_u64(&count, comments);
	profile_set_meta(p, BYTES("comments"), buffer_bytes(&count));
	buffer_release(&count);
}

/* Comments and skipped lines of all parts are reported together. */
static bool finish(const struct folded *f, struct read_part *part, struct error *err)
{
	struct read_part all = {0};

	if (!part)
		part = &all;
	part->bad = f->bad;
	part->lines = f->lines;
	part->samples = f->taken;
	part->counted = f->comments;
	part->add_notes = add_comments;
	return part != &all || read_part_add_notes(&all, f->profile, err);
}

static bool folded_read(
	struct folded *f, struct input *in, struct read_part *part, struct error *err)
{
	struct bytes head;

	if (!input_fill(in, READER_HEAD, err))
		return false;
	head = bytes_head(in->window, READER_HEAD);
	f->differential =
		folded_is_differential(head, in->ended && head.len == in->window.len, sign_of(f));
	streams_open(f);
	for (;;) {
		bool ended = in->ended;

		if (!take_window(f, in, err))
			return false;
		if (ended)
			break;
		if (!input_fill(in, in->window.len * 2 + 1, err))
			return false;
	}
	streams_close(f);
	if (f->style->tool != TOOL_KILN) {
		note_ignored(f);
		bad_lines_note(&f->bad, f->lines, f->profile);
		return true;
	}
	return finish(f, part, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct folded f = {.profile = out,
		.style = reading_style(options),
		.in_order = options->want & WANT_TIMES,
		.stacks = {.profile = out, .sorted = FOLDED_SORTED}};
	bool done = folded_read(&f, in, options->part, err);

	folded_stacks_release(&f.stacks);
	vector_release(&f.waiting);
	vector_release(&f.row_of_stack);
	return done;
}

/* An object or a list of JSON, of which no function's name begins like this? */
static bool is_json(struct bytes head)
{
	head = bytes_trim(head);
	if (head.len < 2 || (*head.at != '{' && *head.at != '['))
		return false;
	head = bytes_trim((struct bytes){head.at + 1, head.len - 1});
	return head.len && (*head.at == '"' || *head.at == '{');
}

/* Any text whose lines end in numbers can be folded text: the bid is low. */
static int bid(struct bytes head)
{
	struct bytes line, all = head;
	struct decimal number;
	int good = 0, other = 0, with_frames = 0;

	if (memchr(head.at, 0, head.len)) /* other control characters may be in names */
		return 0;
	/* Ignore a last line that READER_HEAD cut. */
	while (good + other < 64 && bytes_line(&all, &line)) {
		bool cut = !all.len && head.len >= READER_HEAD;

		if (cut || !line.len || folded_is_comment(line))
			continue;
		if (!folded_cut_number(&line, FOLDED_SIGNED, &number)) {
			other++;
			continue;
		}
		good++;
		with_frames += line.len && memchr(line.at, ';', line.len);
	}
	if (!good && !other) /* one line, longer than the head */
		return head.len >= READER_HEAD && memchr(head.at, ';', head.len) && !is_json(head);
	if (good <= other)
		return 0;
	return with_frames ? 6 : 2;
}

static size_t cut(struct bytes text)
{
	const char *newline = memchr(text.at, '\n', text.len);

	return newline ? (size_t)(newline + 1 - text.at) : text.len;
}

const struct reader reader_folded = {
	.name = "folded",
	.about = "folded text: one stack per line, then its value",
	.expects = EXPECTS,
	.proof = "the corpora of FlameGraph and inferno",
	.bid = bid,
	.read = read,
	.cut = cut,
};
