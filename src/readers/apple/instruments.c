/* instruments.c: call trees that Xcode's Instruments copies as text (Edit > Deep Copy):
 *
 *	Weight	Self Weight		Symbol Name
 *	1.21 min  100.0%	0 s	 	busy (12345)
 *	900.00 ms  82.6%	12.50 ms	 	 main
 *
 * Fields are separated by tabs; a blank more before the name is a call deeper. Xcode 16 has no
 * third field, and two blanks before the outermost name. What counts is the second field, the
 * line's own time: in ms, with as many decimals as the input needs. Counters have cycles
 * ("1.50 Gc") in its place. */
#include "readers/lines/call_path.h"
#include "readers/lines/line_format.h"

#include <stdlib.h>

#define EXPECTS	 "lines such as `12.0 ms  50.0%<TAB>2.0 ms<TAB> <TAB>  main`"
#define EXPECTED "expected a weight, a self weight and a symbol, separated by tabs"

/* The reader counts lines whose time is not a whole number of microseconds, or of milliseconds. */
#define FINE   1u
#define FINEST ((uint64_t)1 << 40)

struct tree {
	struct text_stacks stacks;
	struct call_path path;
	bool known; /* by the first line with a weight, what follows: */
	bool cycles;
	size_t margin; /* blanks before the outermost name */
};

/* A line's fields. */
struct weighed {
	int64_t self; /* ns, or cycles */
	size_t blanks, depth;
	struct bytes name, weight;
	bool cycles; /* `self` has their unit */
};

/* What a unit is in ns, or in cycles; 0: unknown. Old versions write ms without a unit. */
static int64_t unit_size(struct bytes unit, bool *ret_cycles)
{
	static const struct {
		struct bytes name;
		int64_t size;
		bool cycles;
	} units[] = {{{"", 0}, 1000000, false}, {{"ms", 2}, 1000000, false},
		{{"s", 1}, 1000000000, false}, {{"min", 3}, 60000000000, false},
		{{"\xC2\xB5s", 3}, 1000, false}, {{"\xCE\xBCs", 3}, 1000, false},
		{{"us", 2}, 1000, false}, {{"ns", 2}, 1, false}, {{"h", 1}, 3600000000000, false},
		{{"hr", 2}, 3600000000000, false}, {{"c", 1}, 1, true}, {{"kc", 2}, 1000, true},
		{{"Kc", 2}, 1000, true}, {{"Mc", 2}, 1000000, true}, {{"Gc", 2}, 1000000000, true},
		{{"Tc", 2}, 1000000000000, true}};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (!bytes_equal(unit, units[i].name))
			continue;
		*ret_cycles = units[i].cycles;
		return units[i].size;
	}
	return 0;
}

/* "12.50 ms" in ns, "1.50 Gc" in cycles; further digits are dropped. */
static bool parse_value(struct bytes text, int64_t *ret_value, bool *ret_cycles)
{
	int64_t whole = 0, ns = 0, unit;
	struct bytes digits = {0};
	size_t i = 0;

	while (text.len && text.at[text.len - 1] == ' ')
		text.len--;
	for (; i < text.len && is_digit(text.at[i]); i++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
			__builtin_add_overflow(whole, text.at[i] - '0', &whole))
			return false;
	if (!i)
		return false;
	if (i < text.len && text.at[i] == '.') {
		digits.at = text.at + ++i;
		while (i < text.len && is_digit(text.at[i]))
			i++;
		digits.len = (size_t)(text.at + i - digits.at);
	}
	while (i < text.len && text.at[i] == ' ')
		i++;
	unit = unit_size((struct bytes){text.at + i, text.len - i}, ret_cycles);
	if (!unit || __builtin_mul_overflow(whole, unit, &ns))
		return false;
	for (size_t d = 0; d < digits.len && unit; d++) {
		unit /= 10;
		if (__builtin_add_overflow(ns, unit * (digits.at[d] - '0'), &ns))
			return false;
	}
	*ret_value = ns;
	return true;
}

/* "1.21 min  100.0%" is not looked at any closer. */
static bool is_weight(struct bytes text)
{
	while (text.len && *text.at == ' ')
		text = (struct bytes){text.at + 1, text.len - 1};
	while (text.len && text.at[text.len - 1] == ' ')
		text.len--;
	return text.len > 1 && is_digit(*text.at) && text.at[text.len - 1] == '%';
}

/* The part of a line by which its frame is found again: its name. */
static struct bytes name_of(struct bytes line)
{
	struct bytes field;
	size_t depth;

	for (int i = 0; i < 3; i++)
		bytes_cut(&line, '\t', &field);
	depth = bytes_count_leading(line, ' ');
	return bytes_trim((struct bytes){line.at + depth, line.len - depth});
}

static bool parse_line(struct bytes line, struct bytes name, struct weighed *ret)
{
	struct bytes self, blank;

	ret->self = 0;
	ret->cycles = false;
	if (!bytes_cut(&line, '\t', &ret->weight) || !bytes_cut(&line, '\t', &self) ||
		!is_weight(ret->weight) ||
		(!parse_value(self, &ret->self, &ret->cycles) &&
			!bytes_equal(bytes_trim(self), BYTES("-"))))
		return false;
	bytes_cut(&line, '\t', &blank);
	ret->blanks = bytes_count_leading(line, ' ');
	ret->name = name;
	return name.len > 0;
}

/* Is the weight, "9.50 Gc  100.0%", one in cycles? */
static bool weighs_cycles(struct bytes weight)
{
	const char *blank = bytes_find(weight, BYTES("  "));
	bool cycles = false;
	int64_t value;

	return blank &&
	       parse_value(
		       (struct bytes){weight.at, (size_t)(blank - weight.at)}, &value, &cycles) &&
	       cycles;
}

/* The first line with a weight says what is counted, and where names begin. */
static void learn_from(struct tree *t, const struct weighed *first)
{
	struct profile *p = t->stacks.profile;
	struct stream_row *row = &p->streams.items[t->stacks.first_stream].row;

	t->known = true;
	t->cycles = weighs_cycles(first->weight);
	t->margin = first->blanks;
	if (!t->cycles)
		return;
	row->kind = profile_string(p, BYTES("cycles"));
	row->unit = profile_string(p, BYTES("count"));
}

static void learn_from_head(struct tree *t, struct bytes head)
{
	struct weighed first;
	struct bytes line;

	while (!t->known && bytes_line(&head, &line))
		if (parse_line(line, name_of(line), &first))
			learn_from(t, &first);
}

static bool take_weighed(struct tree *t, const struct weighed *line, struct error *err)
{
	struct sample sample = {0};
	location_id location;

	if (!t->path.unknown && line->depth > t->path.stacks.len) {
		text_stacks_skip(&t->stacks,
			"expected a symbol indented at most one space more than its caller");
		return true;
	}
	if (line->depth >= READ_DEPTH_LIMIT) {
		if (t->path.unknown)
			text_stacks_depend(&t->stacks);
		text_stacks_skip(
			&t->stacks, "expected a stack of at most " READ_DEPTH_TEXT " frames");
		return true;
	}
	if (line->self % 1000000)
		t->stacks.counted += line->self % 1000 ? FINEST : FINE;
	location = line->depth ? text_stacks_known(&t->stacks, line->name) : 0;
	if (!location) {
		location = text_stacks_named(
			&t->stacks, line->name, line->depth ? FRAME_NATIVE : FRAME_META);
		if (line->depth)
			text_stacks_learn(&t->stacks, line->name, location);
	}
	call_path_enter(&t->path, t->stacks.profile, line->depth, location);
	sample.stack = call_path_stack(&t->path);
	return !line->self || text_stacks_add_stack(&t->stacks, sample, &line->self, err);
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct tree *t = self;
	struct weighed weighed;

	if (parse_line(line, text_lines_part(&t->stacks.lines, line), &weighed)) {
		if (!t->known)
			learn_from(t, &weighed);
		weighed.depth = weighed.blanks < t->margin ? 0 : weighed.blanks - t->margin;
		if (weighed.cycles == t->cycles || !weighed.self)
			return take_weighed(t, &weighed, err);
	}
	if (bytes_trim(line).len && !bytes_find(line, BYTES("Symbol Name")))
		text_stacks_skip(&t->stacks, EXPECTED);
	return true;
}

/* From ns to ms, or to parts of them if there are any. */
static void choose_unit(struct profile *p, uint64_t counted)
{
	struct stream *s = &p->streams.items[0];
	int64_t ns = counted >= FINEST ? 1 : counted ? 1000 : 1000000;

	if (bytes_equal(profile_text(p, s->row.kind), BYTES("cycles")))
		return;
	for (size_t i = 0; i < s->value.len; i++)
		s->value.items[i] /= ns;
	s->row.unit = profile_string(p, ns == 1000000 ? BYTES("ms")
					: ns == 1000  ? BYTES("ms/1000")
						      : BYTES("ms/1000000"));
}

static bool start(void *self, struct error *err)
{
	struct tree *t = self;

	(void)err;
	t->stacks.lines.part = name_of;
	t->stacks.add_notes = choose_unit;
	text_stacks_stream(&t->stacks, BYTES("time"), BYTES("ms"), (struct bytes){0});
	call_path_open(&t->path, t->stacks.part);
	if (t->stacks.part)
		learn_from_head(t, t->stacks.part->begin);
	return true;
}

static bool end(void *self, struct error *err)
{
	struct tree *t = self;

	(void)err;
	call_path_leave(&t->path, t->stacks.part);
	return true;
}

static void release(void *self)
{
	struct tree *t = self;

	call_path_release(&t->path);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct tree t = {0};

	return line_format_read(&format, &t, in, options, out, err);
}

static int bid(struct bytes head)
{
	struct bytes line;
	struct weighed weighed;

	if (!bytes_line(&head, &line))
		return 0;
	if (bytes_find(line, BYTES("Self")) && bytes_find(line, BYTES("\tSymbol Name")))
		return 8 * 16;
	return parse_line(line, name_of(line), &weighed) ? 24 : 0;
}

/* A part may begin at any line: the callers of its first lines are resolved when the parts are
 * joined. */
static bool between(struct bytes above, struct bytes line)
{
	struct weighed weighed;

	(void)above;
	return parse_line(line, name_of(line), &weighed);
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_instruments = {
	.name = "instruments",
	.about = "call trees copied as text from Xcode's Instruments",
	.expects = EXPECTS,
	.bid = bid,
	.read = read,
	.cut = cut,
	.one_table = true,
};
