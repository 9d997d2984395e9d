/* perf_report.c: reports that `perf report --stdio` prints, best with -g folded:
 *
 *	# Samples: 4K of event 'cycles'
 *	# Event count (approx.): 3155261
 *	#
 *	# Overhead  Command  Symbol
 *	# ........  .......  ........
 *	    75.00%  app      [.] spin
 *	75.00% _start;main;spin
 *
 * Values are percentages of the event count, samples or periods; which, only the numbers tell. The
 * innermost frame is the row's symbol: its end of a stack tells the order, which is the caller's
 * first where there is no such column. With `--children` there are rows of callers, whose stacks
 * are parts of others.
 *
 * Without -g folded, stacks are drawn as trees (perf_report_tree.h), of which perf leaves out
 * branches below 0.5%. What a row has more than its branches is the share of "[...]", with what is
 * known of the frames around it, so that the shares of rows are all there. */
#include "names/tidy.h"
#include "readers/lines/line_format.h"
#include "readers/perf/perf_events.h"
#include "readers/perf/perf_report_lines.h"
#include "readers/perf/perf_report_tree.h"

#include <stdlib.h>

#define EXPECTS                                                                                    \
	"`# Samples: 4K of event 'cycles'` and, below rows, stacks such as `75.00% main;spin` or " \
	"`|--75.00%--spin`"
#define NO_STACKS                                                                                  \
	"expected stacks below rows, such as `75.00% main;spin`: record with -g, and print the "   \
	"report with -g folded,0"
#define NOT_A_TREE                                                                                 \
	"expected a branch such as `|--75.00%--spin`, or a frame below one: print the report "     \
	"with "                                                                                    \
	"-g folded,0,caller,count"
#define SHARE_LIMIT 50 /* hundredths of a percent: smaller branches are left out */
#define PAGE_PLACES 4096u

enum order { ORDER_UNKNOWN, ORDER_CALLER, ORDER_CALLEE };

/* An event's part of the report. */
struct section {
	string_id event;
	uint64_t samples;      /* "4K" is 4000, or up to 999 more */
	uint64_t samples_unit; /* 1000 */
	uint64_t event_count;  /* the sum of all periods */
	unsigned stream;       /* of those in the report, from 1; 0: no stack yet */
	int64_t sum;	       /* of all stacks */
	uint64_t stacks;       /* number */
	bool percent;
};

struct perf_report {
	struct text_stacks stacks;
	struct section section;
	bool in_section, rounded, unordered;
	uint64_t rows, lost;
	enum order order;
	struct buffer heading; /* the last line that starts with # */
	struct report_columns columns;
	struct report_row row; /* the last one */
	bool pending;	       /* its tree, or its share without one, is still to be added */
	struct report_tree tree;
	bool damaged;	     /* the rest of the tree is left out */
	bool trees;	     /* there was one in the report */
	char separator;	     /* of frames */
	struct buffer stack; /* scratch */
	struct buffer early; /* rows before the first tree, as lines... */
	size_t early_others; /* ... up to the last one */
};

/* ---- Sections ---- */

/* Stacks count samples if they are as many. */
static bool counts_samples(const struct section *s)
{
	uint64_t most = s->samples + s->samples_unit - 1;

	return !s->percent && (uint64_t)s->sum <= most && s->event_count > most;
}

/* Perf leaves stacks out without a word, and with the rows of callers there may be too many. */
static void compare_sum(struct perf_report *r, bool samples)
{
	const struct section *s = &r->section;
	struct profile *p = r->stacks.profile;
	double whole = (double)(samples ? s->samples : s->event_count), sum = (double)s->sum;
	double rounding = s->percent ? whole / 20000 * (double)s->stacks : 0;
	struct bytes event = profile_text(p, s->event);

	if (sum < whole * 0.99 - rounding)
		profile_note(p,
			"%.*s: the stacks cover %.1f%% of the report; the rest is filtered, or "
			"below the limit of perf report (0.5%% of a row; -g folded,0 removes it)",
			(int)event.len, event.at, 100 * sum / whole);
	else if (whole > 0 && sum > (whole + (double)s->samples_unit) * 1.01 + rounding)
		profile_note(p,
			"%.*s: the stacks cover %.0f%% of the report: it includes stacks of "
			"callers; print it with --no-children",
			(int)event.len, event.at, 100 * sum / whole);
}

static void finish_section(struct perf_report *r)
{
	struct profile *p = r->stacks.profile;
	bool samples = counts_samples(&r->section);

	if (!r->in_section)
		return;
	r->in_section = r->pending = false;
	r->early.len = r->early_others = 0;
	compare_sum(r, samples);
	if (r->section.stream) {
		struct stream_row *row =
			&p->streams.items[r->stacks.first_stream + r->section.stream - 1].row;

		if (samples) {
			row->kind = profile_string(p, BYTES("samples"));
			row->unit = profile_string(p, BYTES("count"));
		}
	}
}

static void start_section(struct perf_report *r, const struct section *found, struct bytes event)
{
	finish_section(r);
	r->section = *found;
	r->section.event = profile_string(r->stacks.profile, event);
	r->in_section = true;
	r->columns.count = 0;
}

/* The section's stream, once it is known how stacks are weighed. */
static bool open_stream(struct perf_report *r, bool percent)
{
	struct section *s = &r->section;
	struct bytes event = profile_text(r->stacks.profile, s->event), kind, unit;
	struct buffer copy = {0}; /* the profile's texts move when one is added */
	uint32_t stream;

	if (s->stream)
		return true;
	if (r->stacks.streams == TEXT_STREAMS_LIMIT)
		return false;
	buffer_add(&copy, event.at, event.len);
	perf_event_unit(buffer_bytes(&copy), &kind, &unit);
	stream = text_stacks_stream(&r->stacks, kind, unit, buffer_bytes(&copy));
	buffer_release(&copy);
	if (r->lost)
		profile_add_loss(r->stacks.profile, stream, BYTES("lost by perf"), r->lost);
	r->lost = 0;
	s->stream = r->stacks.streams;
	s->percent = percent;
	r->rounded |= percent;
	return true;
}

/* ---- Stacks ---- */

/* "75.00% a;b" or "3 a;b": the number is cut off, a percentage in hundredths. */
static bool cut_value(struct bytes *line, int64_t *ret_value, bool *ret_percent)
{
	struct bytes number;

	if (!bytes_cut(line, ' ', &number) || !line->len)
		return false;
	*ret_percent = bytes_ends_with(number, BYTES("%"));
	if (!*ret_percent)
		return text_is_count(number, ret_value);
	return report_percent(number, ret_value);
}

/* "main a.c:3" and "schedule +12", as `-g address` prints them: the place is cut off. */
static struct bytes cut_place(struct bytes *frame)
{
	const char *blank = bytes_find_last(*frame, ' '), *colon;
	struct bytes place, number;
	uint64_t ignored;

	if (!blank || blank == frame->at)
		return (struct bytes){0};
	place = (struct bytes){blank + 1, (size_t)(frame->at + frame->len - blank) - 1};
	colon = bytes_find_last(place, ':');
	if (!colon && place.len && *place.at == '+')
		colon = place.at;
	number = colon ? (struct bytes){colon + 1, (size_t)(place.at + place.len - colon) - 1}
		       : place;
	if (!colon || !bytes_u64(number, &ignored))
		return (struct bytes){0};
	frame->len = (size_t)(blank - frame->at);
	return place;
}

/* "0x55d0c0ffee10", "0" or "0000000000000000" */
static bool parse_address(struct bytes name, uint64_t *ret_address)
{
	if (bytes_starts_with(name, BYTES("0x")))
		return bytes_hex((struct bytes){name.at + 2, name.len - 2}, ret_address);
	*ret_address = 0;
	return name.len && bytes_count_leading(name, '0') == name.len;
}

/* Is the frame the row's symbol? Without a name it is where it is in its binary, at the same place
 * of a page as in memory. Rows of nothing but callers tell the one in memory. */
static bool is_symbol(const struct perf_report *r, struct bytes frame, bool *ret_same_address)
{
	struct bytes symbol = buffer_bytes(&r->row.symbol);
	uint64_t place, address;

	cut_place(&frame);
	if (!parse_address(frame, &address) || !parse_address(symbol, &place))
		return bytes_equal(frame, symbol);
	*ret_same_address = address == place;
	return !((address ^ place) & (PAGE_PLACES - 1));
}

static void ends_of(
	struct bytes stack, char separator, struct bytes *ret_first, struct bytes *ret_last)
{
	const char *last = bytes_find_last(stack, separator);

	*ret_first = (struct bytes){stack.at, bytes_until(stack, separator)};
	*ret_last =
		last ? (struct bytes){last + 1, (size_t)(stack.at + stack.len - last) - 1} : stack;
}

enum part { PART_WHOLE, PART_OF_ANOTHER, PART_UNKNOWN };

/* Is it the stack of samples of this row, or the part of one that starts with a caller? */
static enum part which_part(struct perf_report *r, struct bytes stack)
{
	bool starts, ends, in_memory = false;
	struct bytes first, last;

	ends_of(stack, r->separator, &first, &last);
	if (!r->row.symbol.len) {
		r->unordered |= first.at != last.at;
		if (!r->row.with_children || r->row.all_self)
			return PART_WHOLE;
		return r->row.no_self ? PART_OF_ANOTHER : PART_UNKNOWN;
	}
	starts = is_symbol(r, first, &in_memory);
	ends = is_symbol(r, last, &in_memory);
	if (r->order == ORDER_UNKNOWN && starts != ends &&
		(ends || !r->row.with_children || (r->row.all_self && !r->row.no_self)))
		r->order = ends ? ORDER_CALLER : ORDER_CALLEE;
	if (!r->row.with_children)
		return PART_WHOLE;
	if (r->order == ORDER_CALLEE)
		return PART_UNKNOWN;
	return ends && !(starts && r->row.no_self && (in_memory || first.at != last.at))
		       ? PART_WHOLE
		       : PART_OF_ANOTHER;
}

static location_id learn_frame(struct text_stacks *t, struct bytes text)
{
	struct bytes name = text, place = cut_place(&name);
	struct text_frame frame = {0};
	location_id location;
	uint64_t line = 0, address;

	if (bytes_ends_with(name, BYTES(" (inlined)"))) {
		frame.kind = FRAME_INLINED;
		name.len -= strlen(" (inlined)");
	}
	bytes_cut(&place, ':', &frame.file);
	if (frame.file.len && bytes_u64(place, &line) && line && line <= UINT32_MAX)
		frame.line = (uint32_t)line;
	else
		frame.file.len = 0;
	t->name.len = 0;
	if (parse_address(name, &address))
		buffer_text(&t->name, "[unknown]");
	else
		tidy_name(name, &t->name);
	frame.function = buffer_bytes(&t->name);
	location = text_stacks_frame(t, &frame);
	text_stacks_learn(t, text, location);
	return location;
}

static void push_frames(struct text_stacks *t, struct bytes stack, char separator)
{
	struct bytes frame;
	bool more;

	do {
		location_id known;

		more = bytes_cut(&stack, separator, &frame);
		if (!more)
			frame = stack;
		known = text_stacks_known(t, frame);
		text_stacks_push(t, known ? known : learn_frame(t, frame));
	} while (more);
}

static bool add_stack(struct perf_report *r, struct bytes stack, int64_t value, struct error *err)
{
	struct text_stacks *t = &r->stacks;
	int64_t values[TEXT_STREAMS_LIMIT] = {0};
	enum frame_order order = r->order == ORDER_CALLEE ? INNERMOST_FIRST : OUTERMOST_FIRST;

	if (r->row.command.len && order == OUTERMOST_FIRST)
		text_stacks_push_name(t, buffer_bytes(&r->row.command), FRAME_META);
	push_frames(t, stack, r->separator);
	if (r->row.command.len && order == INNERMOST_FIRST)
		text_stacks_push_name(t, buffer_bytes(&r->row.command), FRAME_META);
	values[r->section.stream - 1] = value;
	if (!text_stacks_add(t, order, values, err))
		return false;
	r->section.sum += value;
	r->section.stacks++;
	return true;
}

static bool fail_parts(const struct perf_report *r, struct error *err)
{
	return error_set(err, ERR_FORMAT,
		"line %llu: expected stacks that do not contain one another: print the report with "
		"--no-children",
		(unsigned long long)r->stacks.lines.number);
}

static bool take_whole(struct perf_report *r, struct bytes stack, int64_t value, struct error *err)
{
	switch (which_part(r, stack)) {
	case PART_WHOLE:
		if (r->section.percent)
			value = report_share(r->section.event_count, (uint64_t)value);
		return !value || add_stack(r, stack, value, err);
	case PART_OF_ANOTHER:
		return true;
	case PART_UNKNOWN:
		break;
	}
	return fail_parts(r, err);
}

static bool take_stack(struct perf_report *r, struct bytes line, struct error *err)
{
	struct bytes stack = line;
	int64_t value;
	bool percent;

	if (!cut_value(&stack, &value, &percent) || value < 0)
		text_stacks_skip(&r->stacks, "expected a percentage or a number, and frames");
	else if (!open_stream(r, percent))
		text_stacks_skip(&r->stacks, "expected no more than 16 events");
	else if (percent != r->section.percent)
		text_stacks_skip(&r->stacks, "expected either percentages or numbers");
	else
		return take_whole(r, stack, value, err);
	return true;
}

/* ---- Trees ---- */

/* The stack of a chain, in r->stack, and the part that it is. */
static enum part tree_part(struct perf_report *r, uint32_t chain)
{
	report_tree_stack(&r->tree, chain, &r->stack);
	return which_part(r, buffer_bytes(&r->stack));
}

/* "[...]" is where branches were cut off, between the frames that are known and the row's symbol,
 * which all its stacks end with. With -g callee, it is the callers that are missing: stacks begin
 * with the first frame that is known. */
static void stack_cut(struct perf_report *r)
{
	struct bytes first, last, symbol = buffer_bytes(&r->row.symbol);
	const char between[] = {r->separator, '\0'};

	ends_of(buffer_bytes(&r->stack), r->separator, &first, &last);
	if (r->order == ORDER_CALLEE || bytes_equal(last, symbol))
		return;
	if (r->stack.len)
		buffer_text(&r->stack, between);
	buffer_text(&r->stack, "[...]");
	if (!symbol.len)
		return;
	buffer_text(&r->stack, between);
	buffer_add(&r->stack, symbol.at, symbol.len);
}

/* The share of a row that no branch has. */
static bool add_rest(struct perf_report *r, int64_t rest, struct error *err)
{
	int64_t rounding = report_share(r->section.event_count, r->tree.chains.len / 2 + 1);

	if (r->row.self <= 0 || (r->tree.chains.len && rest <= rounding))
		return true;
	r->stack.len = 0;
	if (r->order == ORDER_CALLEE)
		buffer_add(&r->stack, r->row.symbol.at, r->row.symbol.len);
	stack_cut(r);
	return rest <= 0 || add_stack(r, buffer_bytes(&r->stack), rest, err);
}

/* With rows of callers, a stack that ends with the row's symbol may be cut: then it has more than
 * the row itself. */
static bool is_own(const struct perf_report *r, const struct report_chain *c, int64_t rest)
{
	return !r->row.with_children ||
	       c->own <= rest + report_share(r->section.event_count, r->tree.chains.len / 2 + 1);
}

static bool add_chain(struct perf_report *r, uint32_t chain, int64_t *rest, struct error *err)
{
	const struct report_chain *c = &r->tree.chains.items[chain];
	enum part part;

	if (c->own <= 0)
		return true;
	part = tree_part(r, chain);
	if (part == PART_UNKNOWN)
		return fail_parts(r, err);
	if (r->row.with_children && (part == PART_OF_ANOTHER || !is_own(r, c, *rest)))
		return true;
	if (c->branches || c->cut)
		stack_cut(r);
	*rest -= c->own;
	return !r->stack.len || add_stack(r, buffer_bytes(&r->stack), c->own, err);
}

/* A row whose share is as large as a branch's has to be must have a stack of its own. Without one,
 * stacks begin with the row's symbol (-g callee), and those of callers are like all others. */
static bool has_own(const struct perf_report *r, int64_t rest)
{
	return !r->row.with_children || r->row.self < 2 * SHARE_LIMIT ||
	       rest < report_share(r->section.event_count, (uint64_t)r->row.self);
}

/* The order of frames is known before the first stack is added. */
static bool add_tree(struct perf_report *r, struct error *err)
{
	int64_t rest = report_share(r->section.event_count, (uint64_t)r->row.self);

	if (r->row.with_children && !r->row.self)
		return true;
	report_tree_weigh(&r->tree, r->row.share, r->section.event_count);
	for (uint32_t i = 0; r->order == ORDER_UNKNOWN && i < r->tree.chains.len; i++)
		if (!r->tree.chains.items[i].branches)
			tree_part(r, i);
	for (uint32_t i = 0; i < r->tree.chains.len; i++)
		if (!add_chain(r, i, &rest, err))
			return false;
	if (r->tree.chains.len && !has_own(r, rest))
		return fail_parts(r, err);
	return add_rest(r, rest, err);
}

/* Values of a row are percentages. False: they are skipped. */
static bool has_shares(struct perf_report *r)
{
	if (r->row.share < 0 || r->row.self < 0)
		text_stacks_skip(&r->stacks, "expected a row with a percentage");
	else if (!open_stream(r, true))
		text_stacks_skip(&r->stacks, "expected no more than 16 events");
	else if (!r->section.percent)
		text_stacks_skip(&r->stacks, "expected either percentages or numbers");
	else
		return true;
	return false;
}

static bool add_bare_row(struct perf_report *r, struct error *err)
{
	return !has_shares(r) ||
	       add_rest(r, report_share(r->section.event_count, (uint64_t)r->row.self), err);
}

static void take_row(struct perf_report *r, struct bytes line)
{
	report_row_take(&r->row, &r->columns, line);
	r->pending = true;
}

/* Rows that came before the first tree. */
static bool add_early_rows(struct perf_report *r, struct error *err)
{
	struct bytes text = buffer_bytes(&r->early), line;

	while (bytes_line(&text, &line)) {
		take_row(r, line);
		if (!add_bare_row(r, err))
			return false;
	}
	r->early.len = 0;
	return true;
}

/* All of the last row was read. In reports with trees, rows without one have a share, too. */
static bool finish_row(struct perf_report *r, struct error *err)
{
	bool tree = r->tree.chains.len, done = true;

	if (!r->pending || !(tree || r->trees))
		return true;
	r->separator = REPORT_FRAMES_END;
	if (!tree)
		done = add_bare_row(r, err);
	else if (has_shares(r))
		done = add_tree(r, err);
	if (!r->trees)
		r->early.len = r->early_others;
	r->trees = true;
	report_tree_clear(&r->tree);
	done = done && add_early_rows(r, err);
	r->separator = ';';
	r->pending = false;
	return done;
}

/* The next row. Whether the report has trees may be seen only later. */
static bool next_row(struct perf_report *r, struct bytes line, struct error *err)
{
	if (!finish_row(r, err))
		return false;
	take_row(r, line);
	r->rows++;
	if (!r->trees) {
		r->early_others = r->early.len;
		buffer_add(&r->early, line.at, line.len);
		buffer_char(&r->early, '\n');
	}
	return true;
}

/* ---- The report ---- */

static bool take_comment(struct perf_report *r, struct bytes line, struct error *err)
{
	struct section found = {0};
	struct bytes event;

	if (report_parse_event(line, &found.samples, &found.samples_unit, &event))
		start_section(r, &found, event);
	else if (report_is_dotted(line)) {
		if (!report_columns_take(&r->columns, buffer_bytes(&r->heading), line,
			    r->stacks.lines.number, err))
			return false;
	} else if (!report_parse_event_count(line, &r->section.event_count))
		report_parse_total(line, BYTES("# Total Lost Samples: "), &r->lost);
	buffer_set(&r->heading, line);
	return true;
}

/* A tree with a line that is damaged is left out: nothing tells what the line is above. */
static void take_drawing(struct perf_report *r, struct bytes line)
{
	if (r->damaged || report_tree_take(&r->tree, line))
		return;
	text_stacks_skip(&r->stacks, NOT_A_TREE);
	report_tree_clear(&r->tree);
	r->pending = false;
	r->damaged = true;
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct perf_report *r = self;
	struct bytes text = bytes_trim(line);

	if (!text.len) {
		r->tree.open.len = 0;
		r->damaged = false;
		return true;
	}
	if (r->damaged || (r->pending && report_tree_is_line(&r->tree, line))) {
		take_drawing(r, line);
		return true;
	}
	if (*line.at == '#')
		return finish_row(r, err) && take_comment(r, line, err);
	if (r->columns.count && is_digit(*line.at)) {
		r->pending = false;
		return take_stack(r, line, err);
	}
	if (!r->columns.count || !bytes_starts_with(line, BYTES("  "))) {
		text_stacks_skip(&r->stacks, "expected " EXPECTS);
		return true;
	}
	return next_row(r, line, err);
}

static bool finish(struct perf_report *r, struct error *err)
{
	struct profile *p = r->stacks.profile;

	if (!finish_row(r, err))
		return false;
	finish_section(r);
	if (r->rows && !r->stacks.taken && !r->stacks.bad.count)
		text_stacks_skip(&r->stacks, NO_STACKS);
	if (!text_stacks_finish(&r->stacks, err))
		return false;
	if (r->rounded)
		profile_note(p, "values are percentages that perf report rounds to 0.01%% of the "
				"event count; with -g folded,0,caller,count it prints numbers");
	if (r->unordered && r->order == ORDER_UNKNOWN)
		profile_note(p, "the report has no Symbol column that shows the order of frames; "
				"assuming -g caller (outermost first)");
	return true;
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	static const struct line_format format = {.line = take_line};
	struct perf_report r = {.separator = ';'};
	bool done;

	text_stacks_open(&r.stacks, in, options, out);
	/* Not line_format_read: there is more to say behind the note about skipped lines. */
	done = line_format_lines(&format, &r, err) && finish(&r, err);
	text_stacks_release(&r.stacks);
	buffer_release(&r.heading);
	report_row_release(&r.row);
	buffer_release(&r.stack);
	buffer_release(&r.early);
	report_tree_release(&r.tree);
	return done;
}

/* A heading, which may be behind a long one about the machine. */
static int bid(struct bytes head)
{
	struct section found;
	struct bytes line, event;
	int bits = 0;

	while (bytes_line(&head, &line)) {
		if (report_parse_event(line, &found.samples, &found.samples_unit, &event))
			bits = 8 * 12;
		else if (bits && report_parse_event_count(line, &found.event_count))
			return bits + 8 * 8;
	}
	return bits;
}

const struct reader reader_perf_report = {
	.name = "perf-report",
	.about = "`perf report --stdio` text, best with -g folded: trees lack branches below 0.5%, "
		 "shown as `[...]`, and have two decimals",
	.expects = EXPECTS,
	.proof = "perf 6.1 against perf.data and perf script of the same recordings",
	.bid = bid,
	.blanks = true,
	.read = read,
};
