/* folded.c: folded text, one stack a line: `main;parse;read 12`.
 *
 * The grammar is flamegraph.pl's: frames, outermost first, separated by ';', then a number; a
 * second number makes the file a differential one (before, after). Numbers may be below 0, as Kiln
 * writes them, and there are comments (folded_line.h), but neither for tools of other names.
 * Values may have decimals: then all values of the file are kept in tenths, hundredths, ..., and
 * the unit says so ("count/100").
 *
 * Folded text is usually sorted, so that a line shares its outer frames with the one before: what
 * is the same is not looked at again. While it is sorted, a stack that the lines before do not hand
 * down is new, and is added without a look at those that are there: lines that start alike lie
 * together, so that a stack whose text a line does not start with does not come back.
 *
 * Lines wait until there are some: in no order their names and stacks are anywhere in memory, and
 * looking for many takes hardly longer than looking for one. */
#include "readers/bad_lines.h"
#include "readers/folded_line.h"
#include "readers/paths.h"
#include "readers/readers.h"
#include "readers/scan.h"
#include "readers/tidy.h"

#include <stdlib.h>

#define LINE_LIMIT ((size_t)16 << 20) /* bytes */
#define EXPECTS	   "frames and a number, such as `main;parse;read 12`"
#define TOO_DEEP   "expected no stack of more than 8,192 frames"

_Static_assert(STACK_DEPTH_LIMIT == 8192, "TOO_DEEP says so");

#define WAITING_MOST 256u /* frames, and of lines without any; a line may go beyond */

/* The text of a line up to `end` is this stack wherever a frame ends there. Once lines come in no
 * order, all marks are of the last line, and its path knows the stacks. */
struct folded_mark {
	uint32_t end;	/* bytes; lines are at most LINE_LIMIT long */
	uint32_t depth; /* frames */
	uint32_t frame; /* of those that wait, plus one: it becomes the stack. 0: it is known */
	stack_id stack;
};

/* A line that waits for its stack. */
struct folded_waiting {
	struct folded_mark start; /* what is shared with lines before */
	uint32_t frames;	  /* behind that: the next ones of those that wait */
	uint64_t line;
	struct decimal number[2];
};

/* Tools sort lines as they are, or stacks before the numbers are put behind them. */
enum folded_order { ORDER_OF_LINES = 1, ORDER_OF_STACKS = 2 };

struct folded {
	struct profile *profile;
	unsigned style; /* enum read_style */
	bool differential;
	bool in_order;	 /* a sample for every line: their order is all that there is of time */
	unsigned sorted; /* enum folded_order, or'ed: what all lines so far are in */
	VECTOR(location_id) location_of_string; /* 0: not asked for yet */
	VECTOR(struct folded_mark) marks;	/* starts of `last` that are stacks, growing */
	const char *last; /* the line before, in the window; NULL: there is none to share with */
	size_t last_len, last_frames;  /* bytes of it, and of its frames */
	size_t seen;		       /* bytes at the start of the window that have been read */
	uint32_t samples, stream;      /* a differential file has stream + 1 for `after` */
	VECTOR(uint32_t) row_of_stack; /* plus one; 0: none yet */
	unsigned decimals;	       /* of all values */
	int64_t total[2];
	uint64_t lines, comments, taken;
	struct bad_lines bad;
	VECTOR(struct folded_waiting) waiting;
	VECTOR(struct bytes) names; /* of frames that wait: in the window */
	VECTOR(uint32_t) found;	    /* for each its string, then its location, then its stack */
	struct paths paths;	    /* once lines come in no order */
};

/* ---- Numbers ---- */

static int64_t power_of_ten(unsigned exponent)
{
	int64_t power = 1;

	while (exponent--)
		power *= 10;
	return power;
}

/* Keep all values with `decimals` digits from now on. At most DECIMALS_LIMIT times. */
static bool rescale(struct folded *f, unsigned decimals)
{
	int64_t factor = power_of_ten(decimals - f->decimals);

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

/* In the file's decimals; false when it, or the sum of all values (without their signs), is too
 * large. */
static bool to_value(struct folded *f, unsigned side, struct decimal number, int64_t *ret_value)
{
	int64_t value, size;

	if (number.decimals > f->decimals && !rescale(f, number.decimals))
		return false;
	if (__builtin_mul_overflow(
		    number.digits, power_of_ten(f->decimals - number.decimals), &value) ||
		value == INT64_MIN)
		return false;
	size = value < 0 ? -value : value;
	if (__builtin_add_overflow(f->total[side], size, &f->total[side]))
		return false;
	*ret_value = value;
	return true;
}

/* ---- Stacks ---- */

static location_id frame_location(struct folded *f, struct bytes name, string_id string)
{
	struct profile *p = f->profile;
	struct frame frame = {.function = string, .kind = tidy_suffix_kind(name)};
	location_id location = profile_location_named(p, profile_frame(p, &frame));

	while (f->location_of_string.len <= string)
		vector_push(&f->location_of_string, 0);
	f->location_of_string.items[string] = location;
	return location;
}

/* The locations of all frames that wait. */
static void find_locations(struct folded *f)
{
	vector_reserve(&f->found, f->names.len);
	f->found.len = f->names.len;
	profile_strings(f->profile, f->names.items, f->names.len, f->found.items);
	for (size_t i = 0; i < f->names.len; i++) {
		struct bytes name = f->names.items[i];
		string_id string = f->found.items[i];
		location_id location = string < f->location_of_string.len
					       ? f->location_of_string.items[string]
					       : 0;

		/* Repaired it may be another line's name, spelled otherwise. */
		if (f->sorted && !bytes_equal(profile_text(f->profile, string), name))
			f->sorted = 0;
		f->found.items[i] = location ? location : frame_location(f, name, string);
	}
}

/* What follows may be anything again. */
static void forget_last(struct folded *f)
{
	f->last = NULL;
	f->marks.len = 0;
	f->sorted = 0;
}

/* Is `a` the same as `b` or behind it, when their first `shared` bytes are the same? */
static bool follows(struct bytes a, struct bytes b, size_t shared)
{
	if (shared >= b.len)
		return a.len >= b.len;
	return shared < a.len && (unsigned char)a.at[shared] > (unsigned char)b.at[shared];
}

static void check_order(struct folded *f, struct bytes line, struct bytes frames, size_t shared)
{
	if (!follows(line, (struct bytes){f->last, f->last_len}, shared))
		f->sorted &= ~(unsigned)ORDER_OF_LINES;
	if (!follows(frames, (struct bytes){f->last, f->last_frames}, shared))
		f->sorted &= ~(unsigned)ORDER_OF_STACKS;
}

static bool in_no_order(const struct folded *f)
{
	return f->paths.profile != NULL;
}

/* The longest start of the line that is known to be a stack, in a frame of `frames` that is known
 * to end there. Marks that the line does not start with go; others may be needed again, in order.
 */
static struct folded_mark known_start(struct folded *f, struct bytes frames, size_t shared)
{
	while (f->marks.len && f->marks.items[f->marks.len - 1].end > shared)
		f->marks.len--;
	/* A digit of a frame's name may have been one of a number: "a 1 2" and "a 12". */
	while (f->marks.len && f->marks.items[f->marks.len - 1].end > frames.len) {
		f->marks.len--;
		f->sorted = 0;
	}
	for (size_t i = f->marks.len; i-- > 0;) {
		struct folded_mark mark = f->marks.items[i];

		if (mark.end == frames.len || frames.at[mark.end] == ';')
			return mark;
		if (in_no_order(f))
			f->marks.len = i;
	}
	return (struct folded_mark){0};
}

/* Frames behind `start` wait. */
static void add_frames(struct folded *f, struct bytes frames, struct folded_mark start)
{
	for (size_t at = start.depth ? start.end + 1 : 0; at <= frames.len; at = start.end + 1) {
		const char *end = memchr(frames.at + at, ';', frames.len - at);
		size_t len = end ? (size_t)(end - frames.at) - at : frames.len - at;

		vector_push(&f->names, ((struct bytes){frames.at + at, len}));
		start = (struct folded_mark){.end = (uint32_t)(at + len),
			.depth = start.depth + 1,
			.frame = (uint32_t)f->names.len};
		vector_push(&f->marks, start);
	}
}

/* A line that lies in the window and has its first `shared` bytes in common with the last one
 * waits. */
static void add_waiting(struct folded *f, struct bytes line, struct bytes frames, size_t shared,
	const struct decimal *numbers)
{
	struct folded_waiting new = {.line = f->lines, .number = {numbers[0], numbers[1]}};
	size_t before = f->names.len;

	if (frames.len) {
		if (f->last)
			check_order(f, line, frames, shared);
		new.start = known_start(f, frames, shared);
		f->last = line.at;
		f->last_len = line.len;
		f->last_frames = frames.len;
		add_frames(f, frames, new.start);
	} else {
		forget_last(f);
	}
	new.frames = (uint32_t)(f->names.len - before);
	vector_push(&f->waiting, new);
}

static stack_id marked_stack(const struct folded *f, struct folded_mark mark)
{
	return mark.frame ? f->found.items[mark.frame - 1] : mark.stack;
}

/* The row of the stack's sample, a new one with zeroes when it has none. */
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

/* ---- Lines ---- */

static bool skip_line(struct folded *f, const char *reason)
{
	bad_lines_add(&f->bad, f->lines, reason);
	return true;
}

static enum folded_sign sign_of(const struct folded *f)
{
	return f->style ? FOLDED_UNSIGNED : FOLDED_SIGNED;
}

/* Other tools take a line with one number in a differential file for one without a change. */
static bool cut_numbers(const struct folded *f, struct bytes *frames, struct decimal *ret_numbers)
{
	enum folded_sign sign = sign_of(f);
	struct bytes whole = *frames;

	if (!folded_cut_number(frames, sign, &ret_numbers[f->differential]))
		return false;
	if (f->differential && !folded_cut_number(frames, sign, &ret_numbers[0])) {
		ret_numbers[0] = ret_numbers[1];
		if (!f->style)
			return false;
	}
	/* Perl takes all blanks before a number but one for the end of a name. */
	while ((f->style & STYLE_PERL) && folded_is_blank(whole.at[frames->len + 1]))
		frames->len++;
	while ((f->style & STYLE_PERL) && bytes_end(*frames, BYTES(";")))
		frames->len--; /* its split() drops empty names at the end */
	return true;
}

/* A line whose frames have been found. */
static bool take_waiting(
	struct folded *f, const struct folded_waiting *w, stack_id stack, struct error *err)
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

/* The stacks of all frames that wait, which were found in their order: any that a line does not
 * share with those before it is new. */
static bool take_in_order(struct folded *f, struct error *err)
{
	size_t next = 0;

	for (size_t i = 0; i < f->waiting.len; i++) {
		const struct folded_waiting *w = &f->waiting.items[i];
		stack_id stack = marked_stack(f, w->start);

		for (size_t end = next + w->frames; next < end; next++) {
			location_id location = f->found.items[next];

			stack = f->sorted ? profile_add_stack(f->profile, stack, location)
					  : profile_stack(f->profile, stack, location);
			f->found.items[next] = stack;
		}
		if (!take_waiting(f, w, stack, err))
			return false;
	}
	for (size_t i = 0; i < f->marks.len; i++) {
		struct folded_mark *mark = &f->marks.items[i];

		mark->stack = marked_stack(f, *mark);
		mark->frame = 0;
	}
	return true;
}

static struct path waiting_path(
	const struct folded *f, const struct folded_waiting *w, size_t *next)
{
	return path_next(w->start.depth, w->frames, f->found.items, next);
}

static bool take_in_no_order(struct folded *f, struct error *err)
{
	size_t next = 0;

	for (size_t i = 0; i < f->waiting.len; i++)
		paths_expect(&f->paths, waiting_path(f, &f->waiting.items[i], &next));
	next = 0;
	for (size_t i = 0; i < f->waiting.len; i++) {
		const struct folded_waiting *w = &f->waiting.items[i];

		if (!take_waiting(f, w, paths_walk(&f->paths, waiting_path(f, w, &next)), err))
			return false;
	}
	return true;
}

/* All lines that wait, before their window moves. */
static bool take_all_waiting(struct folded *f, struct error *err)
{
	find_locations(f);
	if (!(in_no_order(f) ? take_in_no_order : take_in_order)(f, err))
		return false;
	f->waiting.len = f->names.len = f->found.len = 0;
	if (!f->sorted && !in_no_order(f)) {
		forget_last(f);
		f->paths.profile = f->profile;
		paths_learn(&f->paths);
	}
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
	if (folded_is_too_deep(frames))
		return skip_line(f, TOO_DEEP);
	add_waiting(f, line, frames, shared, number);
	return f->names.len + f->waiting.len < WAITING_MOST || take_all_waiting(f, err);
}

/* Its first `shared` bytes are those of the last line that gave a stack. */
static bool take_line(struct folded *f, struct bytes line, size_t shared, struct error *err)
{
	f->lines++;
	if (line.len && line.at[line.len - 1] == '\r')
		line.len--;
	if (!line.len || (!f->style && folded_is_comment(line)) || !bytes_trim(line).len) {
		f->comments++;
		return true;
	}
	return take_stack(f, line, shared, err);
}

/* Where a line ends, and what it has in common with the last one. */
struct folded_ahead {
	size_t shared;	     /* bytes: there is no newline in them */
	const char *newline; /* NULL: it does not end in the window */
};

/* Look at the first line of `rest`, which comes after `last`. */
static struct folded_ahead look_ahead(struct bytes last, struct bytes rest)
{
	struct folded_ahead line = {.shared = last.at ? scan_common_start(last, rest) : 0};

	if (line.shared < rest.len)
		line.newline = memchr(rest.at + line.shared, '\n', rest.len - line.shared);
	return line;
}

/* The first line of `rest`, of which *ahead tells, and then of the one behind it. */
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
	if (f->last != line.at)
		*ahead = look_ahead((struct bytes){f->last, f->last_len}, *rest);
	return true;
}

/* All whole lines of the window. The last one that gave a stack stays in it, for the next one to be
 * compared with: then f->seen bytes at the window's start have been read. */
static bool take_window(struct folded *f, struct input *in, struct error *err)
{
	struct bytes rest = {in->window.at + f->seen, in->window.len - f->seen};
	struct folded_ahead ahead;
	const char *keep;

	if (f->last)
		f->last = in->window.at;
	ahead = look_ahead((struct bytes){f->last, f->last_len}, rest);
	while (rest.len && (ahead.newline || in->ended))
		if (!take_next(f, &rest, &ahead, err))
			return false;
	if (!take_all_waiting(f, err))
		return false;
	if (rest.len > LINE_LIMIT)
		return error_set(err, ERR_LIMIT, "line %llu: more than %zu MiB, expected " EXPECTS,
			(unsigned long long)f->lines + 1, LINE_LIMIT >> 20);
	if (f->last && (size_t)(rest.at - f->last) > LINE_LIMIT)
		forget_last(f);
	keep = f->last ? f->last : rest.at;
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

/* Say in the streams what all of their values came to, and what was passed over. */
static void streams_close(struct folded *f)
{
	struct buffer unit = {0};

	buffer_printf(&unit, "count/%lld", (long long)power_of_ten(f->decimals));
	for (unsigned side = 0; side <= f->differential; side++) {
		struct stream_row *row = &f->profile->streams.items[f->stream + side].row;

		if (f->decimals)
			row->unit = profile_string(f->profile, buffer_bytes(&unit));
		else
			row->delivered = (uint64_t)f->total[side];
	}
	buffer_release(&unit);
	if (f->comments) {
		struct buffer count = {0};

		buffer_u64(&count, f->comments);
		profile_set_meta(f->profile, BYTES("comments"), buffer_bytes(&count));
		buffer_release(&count);
	}
}

/* Other tools count what they pass over, and are content with nothing; Perl counts empty lines too.
 */
static void tell_ignored(struct folded *f)
{
	uint64_t ignored = f->bad.count + (f->style & STYLE_PERL ? f->comments : 0);
	struct buffer count = {0};

	buffer_u64(&count, ignored);
	profile_set_meta(f->profile, BYTES("ignored"), buffer_bytes(&count));
	buffer_release(&count);
}

static bool folded_read(struct folded *f, struct input *in, struct error *err)
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
	if (f->style) {
		tell_ignored(f);
		bad_lines_note(&f->bad, f->lines, f->profile);
		return true;
	}
	return bad_lines_finish(&f->bad, f->lines, f->taken, f->profile, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct folded f = {.profile = out,
		.style = options->style,
		.in_order = options->want & WANT_TIMES,
		.sorted = ORDER_OF_LINES | ORDER_OF_STACKS};
	bool done = folded_read(&f, in, err);

	vector_release(&f.location_of_string);
	vector_release(&f.marks);
	vector_release(&f.row_of_stack);
	vector_release(&f.waiting);
	vector_release(&f.names);
	vector_release(&f.found);
	paths_release(&f.paths);
	return done;
}

/* Any text whose lines end in a number can be folded text, so this is never a strong claim. */
static int bid(struct bytes head)
{
	struct bytes line, all = head;
	struct decimal number;
	int good = 0, other = 0, with_frames = 0;

	for (size_t i = 0; i < head.len; i++)
		if ((unsigned char)head.at[i] < '\t')
			return 0;
	/* A last line that READER_HEAD cut in two counts neither way. */
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
		return head.len >= READER_HEAD && memchr(head.at, ';', head.len) ? 1 : 0;
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
	.about = "folded text: one stack a line, then its value",
	.expects = EXPECTS,
	.proof = "the corpora of FlameGraph and inferno",
	.bid = bid,
	.read = read,
	.cut = cut,
};
