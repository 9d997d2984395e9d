/* pmc.c: call graphs that FreeBSD's pmcstat -G writes:
 *
 *	@ CPU_CLK_UNHALTED_CORE [20 samples]
 *
 *	85.00%  [17]       witness_unlock @ /boot/kernel/kernel
 *	 70.59%  [12]        __mtx_unlock_flags
 *	  16.67%  [2]          selfdfree
 *
 * The sampled function comes first and a blank more is its caller; a count includes those below,
 * and the rest of it is of samples that end in the function itself. */
#include "names/tidy.h"
#include "readers/lines/line_format.h"
#include "readers/lines/nested.h"

#include <stdlib.h>

#define EXPECTS "lines such as ` 70.59%  [12]        __mtx_unlock_flags`"

struct pmc {
	struct text_stacks stacks;
	struct nested nested;
	VECTOR(string_id) events;	  /* the stream of each is its index */
	uint32_t event;			  /* of the call graph being read */
	int64_t told[TEXT_STREAMS_LIMIT]; /* samples */
};

/* A line of a call graph. */
struct counted {
	size_t depth;
	int64_t count;
	struct bytes text; /* "witness_unlock @ /boot/kernel/kernel" */
};

static bool parse_line(struct bytes line, struct counted *ret)
{
	size_t i = bytes_count_leading(line, ' '), digits = i;
	uint64_t count;

	ret->depth = i;
	while (i < line.len && (is_digit(line.at[i]) || line.at[i] == '.'))
		i++;
	if (i == digits || i + 4 >= line.len || memcmp(line.at + i, "%  [", 4))
		return false;
	digits = i += 4;
	while (i < line.len && is_digit(line.at[i]))
		i++;
	if (i == line.len || line.at[i] != ']' ||
		!bytes_u64((struct bytes){line.at + digits, i - digits}, &count) ||
		count > INT64_MAX)
		return false;
	ret->count = (int64_t)count;
	ret->text = bytes_trim((struct bytes){line.at + i + 1, line.len - i - 1});
	return ret->text.len > 0;
}

/* "@ CPU_CLK_UNHALTED_CORE [1044 samples]" */
static bool parse_heading(struct bytes line, struct bytes *ret_event, uint64_t *ret_samples)
{
	const char *open = bytes_find_last(line, '[');
	struct bytes number;

	if (!bytes_starts_with(line, BYTES("@ ")) || !open ||
		!bytes_ends_with(line, BYTES(" samples]")) || open < line.at + 2)
		return false;
	number = (struct bytes){open + 1, (size_t)(line.at + line.len - open) - 1};
	number.len -= strlen(" samples]");
	*ret_event = bytes_trim((struct bytes){line.at + 2, (size_t)(open - line.at) - 2});
	return bytes_u64(number, ret_samples) && *ret_samples <= INT64_MAX / 2;
}

static bool choose_event(struct pmc *s, struct bytes event, struct error *err)
{
	string_id name = profile_string(s->stacks.profile, event);

	for (s->event = 0; s->event < s->events.len; s->event++)
		if (s->events.items[s->event] == name)
			return true;
	if (s->events.len == TEXT_STREAMS_LIMIT)
		return error_set(err, ERR_LIMIT, "line %llu: more than %u events",
			(unsigned long long)s->stacks.lines.number, TEXT_STREAMS_LIMIT);
	vector_push(&s->events, name);
	text_stacks_stream(&s->stacks, BYTES("samples"), BYTES("count"), event);
	return true;
}

static location_id learn_frame(struct pmc *s, struct bytes text)
{
	const char *at = bytes_find(text, BYTES(" @ "));
	struct bytes symbol = text, module = {0};
	location_id location;

	if (at) {
		symbol.len = (size_t)(at - text.at);
		module = (struct bytes){at + 3, text.len - symbol.len - 3};
	}
	location = text_stacks_symbol(&s->stacks, symbol, module,
		bytes_starts_with(module, BYTES("/boot/")) || bytes_ends_with(module, BYTES(".ko"))
			? FRAME_KERNEL
			: FRAME_NATIVE);
	text_stacks_learn(&s->stacks, text, location);
	return location;
}

static bool take_counted(struct pmc *s, const struct counted *line, struct error *err)
{
	location_id location;

	if (!nested_takes(&s->nested, line->depth)) {
		text_stacks_skip(&s->stacks,
			"expected a line indented at most one space more than the line above");
		return true;
	}
	if (!s->events.len && !choose_event(s, (struct bytes){0}, err))
		return false;
	location = text_stacks_known(&s->stacks, line->text);
	if (!location)
		location = learn_frame(s, line->text);
	return nested_add(&s->nested, line->depth, location, s->event, line->count, err);
}

static bool take_heading(struct pmc *s, struct bytes event, uint64_t samples, struct error *err)
{
	if (!event.len) /* so lines are called that have no heading */
		text_stacks_depend(&s->stacks);
	if (!choose_event(s, event, err))
		return false;
	if (__builtin_add_overflow(s->told[s->event], (int64_t)samples, &s->told[s->event]))
		return error_set(err, ERR_LIMIT, "line %llu: the sum of all values exceeds 2^63",
			(unsigned long long)s->stacks.lines.number);
	return true;
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct pmc *s = self;
	struct counted counted;
	struct bytes event;
	uint64_t samples;

	if (parse_line(line, &counted))
		return take_counted(s, &counted, err);
	if (!bytes_trim(line).len)
		return true;
	if (!nested_finish(&s->nested, err))
		return false;
	if (parse_heading(line, &event, &samples))
		return take_heading(s, event, samples, err);
	text_stacks_skip(&s->stacks, "expected " EXPECTS);
	return true;
}

/* pmcstat leaves out what is rare. */
static void add_losses(struct profile *p, uint64_t counted)
{
	(void)counted;
	for (uint32_t i = 0; i < p->streams.len; i++) {
		struct stream_row *row = &p->streams.items[i].row;

		if (row->expected > row->delivered)
			profile_add_loss(
				p, i, BYTES("left out by pmcstat"), row->expected - row->delivered);
		else
			row->expected = 0;
	}
}

/* A part whose first lines have no event goes on with the one before. */
static void leave_event(const struct pmc *s, struct read_part *part)
{
	if (!part || !s->events.len)
		return;
	part->event = s->events.items[s->event];
	part->unnamed = part->is_continuation && !s->events.items[0];
}

static bool start(void *self, struct error *err)
{
	struct pmc *s = self;

	(void)err;
	s->stacks.add_notes = add_losses;
	return true;
}

static bool end(void *self, struct error *err)
{
	struct pmc *s = self;

	if (!nested_finish(&s->nested, err))
		return false;
	leave_event(s, s->stacks.part);
	for (uint32_t i = 0; i < s->events.len; i++)
		s->stacks.profile->streams.items[s->stacks.first_stream + i].row.expected =
			(uint64_t)s->told[i];
	return true;
}

static void release(void *self)
{
	struct pmc *s = self;

	nested_release(&s->nested);
	vector_release(&s->events);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct pmc s = {.nested = {.stacks = &s.stacks, .order = INNERMOST_FIRST}};

	return line_format_read(&format, &s, in, options, out, err);
}

static int bid(struct bytes head)
{
	struct bytes line, event;
	struct counted counted;
	uint64_t samples;
	int bits = 0;

	while (bytes_line(&head, &line)) {
		if (parse_heading(line, &event, &samples))
			bits += 8 * 8;
		else if (parse_line(line, &counted))
			return bits + 8 * 4;
		else if (bytes_trim(line).len)
			return 0;
	}
	return bits;
}

/* Where a call graph or one of its outermost entries begins. */
static bool between(struct bytes above, struct bytes line)
{
	struct counted counted;
	struct bytes event;
	uint64_t samples;

	(void)above;
	return (parse_line(line, &counted) && !counted.depth) ||
	       parse_heading(line, &event, &samples);
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_pmc = {
	.name = "pmc",
	.about = "call graphs written by FreeBSD's pmcstat -G",
	.expects = EXPECTS,
	.bid = bid,
	.blanks = true,
	.read = read,
	.cut = cut,
	.one_table = true,
};
