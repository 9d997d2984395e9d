/* instruments.c: call trees that Xcode's Instruments copies as text (Edit > Deep Copy):
 *
 *	Weight	Self Weight		Symbol Name
 *	1.21 min  100.0%	0 s	 	busy (12345)
 *	900.00 ms  82.6%	12.50 ms	 	 main
 *
 * Fields are separated by tabs; a blank more before the name is a call deeper. What counts is the
 * second field, the line's own time: in ms, with as many decimals as the input has need of. */
#include "readers/text_stacks.h"

#include <stdlib.h>

#define EXPECTS	 "lines such as `12.0 ms  50.0%<TAB>2.0 ms<TAB> <TAB>  main`"
#define EXPECTED "expected weight, own weight and a symbol, separated by tabs"

struct tree {
	struct text_stacks stacks;
	VECTOR(stack_id) path; /* by depth */
};

/* A line's fields. */
struct weighed {
	int64_t self; /* ns */
	size_t depth;
	struct bytes name;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Of a unit, in ns; 0: unknown. Without a unit it is ms, as old versions have it. */
static int64_t unit_ns(struct bytes unit)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {{"", 1000000}, {"ns", 1}, {"us", 1000}, {"\xC2\xB5s", 1000},
		{"\xCE\xBCs", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"min", 60000000000},
		{"h", 3600000000000}, {"hr", 3600000000000}};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (bytes_equal(unit, bytes_of(units[i].name)))
			return units[i].ns;
	return 0;
}

/* "12.50 ms" in ns, cut off where the unit ends; digits below ns are dropped. */
static bool cut_time(struct bytes *text, int64_t *ret_ns)
{
	int64_t whole = 0, ns = 0, unit;
	struct bytes digits = {0}, name;
	size_t i = 0;

	for (; i < text->len && is_digit(text->at[i]); i++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
			__builtin_add_overflow(whole, text->at[i] - '0', &whole))
			return false;
	if (!i)
		return false;
	if (i < text->len && text->at[i] == '.') {
		digits.at = text->at + ++i;
		while (i < text->len && is_digit(text->at[i]))
			i++;
		digits.len = (size_t)(text->at + i - digits.at);
	}
	while (i < text->len && text->at[i] == ' ')
		i++;
	name = (struct bytes){text->at + i, 0};
	while (i < text->len && !is_digit(text->at[i]) && text->at[i] != ' ')
		i++;
	name.len = (size_t)(text->at + i - name.at);
	unit = unit_ns(name);
	if (!unit || __builtin_mul_overflow(whole, unit, &ns))
		return false;
	for (size_t d = 0; d < digits.len && unit; d++) {
		unit /= 10;
		if (__builtin_add_overflow(ns, unit * (digits.at[d] - '0'), &ns))
			return false;
	}
	*text = (struct bytes){text->at + i, text->len - i};
	*ret_ns = ns;
	return true;
}

static bool parse_line(struct bytes line, struct weighed *ret)
{
	struct bytes weight, self, percent;
	const char *tab;
	int64_t all;

	if (!bytes_cut(&line, '\t', &weight) || !bytes_cut(&line, '\t', &self))
		return false;
	weight = bytes_trim(weight);
	self = bytes_trim(self);
	if (!cut_time(&weight, &all) || !cut_time(&self, &ret->self) || self.len)
		return false;
	percent = bytes_trim(weight);
	if (!percent.len || percent.at[percent.len - 1] != '%')
		return false;
	tab = memrchr(line.at, '\t', line.len);
	if (tab)
		line = (struct bytes){tab + 1, (size_t)(line.at + line.len - tab) - 1};
	ret->depth = 0;
	while (ret->depth < line.len && line.at[ret->depth] == ' ')
		ret->depth++;
	ret->name = bytes_trim(line);
	return ret->name.len > 0;
}

static bool take_weighed(struct tree *t, const struct weighed *line, struct error *err)
{
	struct sample sample = {0};

	if (line->depth > t->path.len) {
		text_stacks_skip(&t->stacks, "expected a symbol one blank further in than its "
					     "caller's at most");
		return true;
	}
	if (line->depth >= STACK_DEPTH_LIMIT) {
		text_stacks_skip(&t->stacks, "expected no stack of more than 8,192 frames");
		return true;
	}
	t->path.len = line->depth;
	sample.stack = profile_stack(t->stacks.profile,
		line->depth ? t->path.items[line->depth - 1] : 0,
		text_stacks_named(&t->stacks, line->name, line->depth ? FRAME_NATIVE : FRAME_META));
	vector_push(&t->path, sample.stack);
	return !line->self || text_stacks_add_stack(&t->stacks, sample, &line->self, err);
}

static bool take_line(struct tree *t, struct bytes line, struct error *err)
{
	struct weighed weighed;

	if (parse_line(line, &weighed))
		return take_weighed(t, &weighed, err);
	if (bytes_trim(line).len && !bytes_find(line, BYTES("Symbol Name")))
		text_stacks_skip(&t->stacks, EXPECTED);
	return true;
}

static bool all_divisible(const struct stream *s, int64_t by)
{
	for (size_t i = 0; i < s->value.len; i++)
		if (s->value.items[i] % by)
			return false;
	return true;
}

/* From ns to ms, or to parts of them if there are any. */
static void choose_unit(struct tree *t)
{
	struct profile *p = t->stacks.profile;
	struct stream *s = &p->streams.items[t->stacks.first_stream];
	int64_t by = all_divisible(s, 1000000) ? 1000000 : all_divisible(s, 1000) ? 1000 : 1;

	for (size_t i = 0; i < s->value.len; i++)
		s->value.items[i] /= by;
	s->row.unit = profile_string(p, by == 1000000 ? BYTES("ms")
					: by == 1000  ? BYTES("ms/1000")
						      : BYTES("ms/1000000"));
}

static bool tree_read(struct tree *t, struct error *err)
{
	struct bytes line;
	bool more = true;

	text_stacks_stream(&t->stacks, BYTES("time"), BYTES("ms"), (struct bytes){0});
	while (text_stacks_line(&t->stacks, &line, &more, err) && more)
		if (!take_line(t, line, err))
			return false;
	if (err->code)
		return false;
	choose_unit(t);
	return text_stacks_finish(&t->stacks, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct tree t = {0};
	bool done;

	text_stacks_open(&t.stacks, in, options, out);
	done = tree_read(&t, err);
	text_stacks_release(&t.stacks);
	vector_release(&t.path);
	return done;
}

static int bid(struct bytes head)
{
	struct bytes line;
	struct weighed weighed;

	if (!bytes_line(&head, &line))
		return 0;
	if (bytes_find(line, BYTES("Self")) && bytes_end(line, BYTES("\tSymbol Name")))
		return 8 * 16;
	return parse_line(line, &weighed) ? 24 : 0;
}

const struct reader reader_instruments = {
	.name = "instruments",
	.about = "call trees that Xcode's Instruments copies as text",
	.expects = EXPECTS,
	.bid = bid,
	.read = read,
};
