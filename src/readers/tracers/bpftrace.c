/* bpftrace.c: the maps that bpftrace prints, keyed by stacks:
 *
 *	@name[comm,
 *	    innermost+12
 *	    outermost+34
 *	, 1234]: 5
 *
 * Keys that are no stack become outer frames, in the order of the key. Every map is a value of its
 * own; what a map counted in a histogram is how often it was asked to. */
#include "readers/lines/line_format.h"
#include "readers/tracers/bpftrace_maps.h"

#define EXPECTS "a map such as `@[`, the lines of a stack, `, comm]: 12`"

struct bpftrace {
	struct bpftrace_maps maps;
	bool open;     /* an entry has started */
	bool counting; /* its value is the sum of the lines of a histogram */
	int64_t counted;
};

/* ---- Numbers ---- */

/* Digits at the start of *text are cut off. */
static bool cut_number(struct bytes *text, int64_t *ret_value)
{
	bool negative = text->len && *text->at == '-';
	int64_t value = 0;
	size_t i = negative;

	for (; i < text->len && is_digit(text->at[i]); i++)
		if (__builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, text->at[i] - '0', &value))
			return false;
	if (i == negative)
		return false;
	*text = (struct bytes){text->at + i, text->len - i};
	*ret_value = negative ? -value : value;
	return true;
}

/* "12", or of "count 3, average 4, total 12" the total. */
static bool parse_value(struct bytes text, int64_t *ret_value)
{
	const char *total = bytes_starts_with(text, BYTES("count "))
				    ? bytes_find(text, BYTES(", total "))
				    : NULL;

	if (total) {
		total += strlen(", total ");
		text = (struct bytes){total, (size_t)(text.at + text.len - total)};
	}
	return cut_number(&text, ret_value) && !text.len;
}

/* "[2, 4)     9 |@@@    |": how many values a histogram has there. */
static bool parse_bucket(struct bytes line, int64_t *ret_count)
{
	const char *end = line.len ? memchr(line.at, ')', line.len) : NULL;
	const char *other = line.len ? memchr(line.at, ']', line.len) : NULL;
	struct bytes rest;

	if (!line.len || (*line.at != '[' && *line.at != '('))
		return false;
	if (!end || (other && other < end))
		end = other;
	if (!end)
		return false;
	rest = bytes_trim((struct bytes){end + 1, (size_t)(line.at + line.len - end) - 1});
	return cut_number(&rest, ret_count) && bytes_find(rest, BYTES(" |"));
}

/* ---- Entries ---- */

/* Cut "@name[" off; the name includes the '@'. */
static bool cut_map(struct bytes *line, struct bytes *ret_name)
{
	size_t i = 1;

	if (!line->len || *line->at != '@')
		return false;
	while (i < line->len &&
		(is_digit(line->at[i]) || line->at[i] == '_' ||
			((line->at[i] | 0x20) >= 'a' && (line->at[i] | 0x20) <= 'z')))
		i++;
	if (i == line->len || line->at[i] != '[')
		return false;
	*ret_name = (struct bytes){line->at, i};
	*line = (struct bytes){line->at + i + 1, line->len - i - 1};
	return true;
}

/* Where ", " is, or text.len. */
static size_t find_separator(struct bytes text)
{
	for (size_t i = 0; i + 1 < text.len; i++)
		if (text.at[i] == ',' && text.at[i + 1] == ' ')
			return i;
	return text.len;
}

/* "comm, 1234, ", or ", comm, 1234", which for Perl is one frame. */
static void take_keys(struct bpftrace *b, struct bytes text)
{
	bool one =
		b->maps.stacks.style->tool == TOOL_SCRIPTS && bytes_starts_with(text, BYTES(", "));

	if (one)
		text = (struct bytes){text.at + 2, text.len - 2};
	while (text.len) {
		struct bytes key = {text.at, one ? text.len : find_separator(text)};
		size_t used = key.len + (key.len < text.len ? 2 : 0);

		text = (struct bytes){text.at + used, text.len - used};
		key = bytes_trim(key);
		if (key.len && !bytes_equal(key, BYTES(",")))
			bpftrace_key(&b->maps, key);
	}
}

static void drop_entry(struct bpftrace *b)
{
	b->open = b->counting = false;
	bpftrace_drop(&b->maps);
}

static bool finish_entry(struct bpftrace *b, int64_t value, struct error *err)
{
	b->open = b->counting = false;
	return bpftrace_add(&b->maps, value, err);
}

/* Where "]: " or, at the end, "]:" starts, or text.len. */
static size_t find_close(struct bytes text)
{
	for (size_t i = text.len; i-- > 1;)
		if (text.at[i] == ':' && text.at[i - 1] == ']' &&
			(i + 1 == text.len || text.at[i + 1] == ' '))
			return i - 1;
	return text.len;
}

/* What is outside of a stack: keys before and behind it, and the value. */
static bool take_boundary(struct bpftrace *b, struct bytes line, struct error *err)
{
	size_t close = find_close(line);
	int64_t value;

	take_keys(b, (struct bytes){line.at, close});
	if (close == line.len)
		return true;
	line = bytes_trim((struct bytes){line.at + close + 2, line.len - close - 2});
	if (!line.len) {
		b->counting = true;
		b->counted = 0;
		return true;
	}
	if (parse_value(line, &value))
		return finish_entry(b, value, err);
	text_stacks_skip(&b->maps.stacks, "expected a number after `]: `");
	drop_entry(b);
	return true;
}

/* A line outside of entries: the start of one, or a message of bpftrace and its programs. */
static bool take_other(struct bpftrace *b, struct bytes line, struct error *err)
{
	struct bytes name, rest = line;
	int64_t count;

	if (cut_map(&rest, &name)) {
		if (!bpftrace_choose(&b->maps, name)) {
			text_stacks_skip(&b->maps.stacks, "expected no more than 16 maps");
			return true;
		}
		b->open = true;
		return take_boundary(b, rest, err);
	}
	rest = line;
	if (bytes_starts_with(line, BYTES("Lost "))) {
		rest = (struct bytes){line.at + 5, line.len - 5};
		if (cut_number(&rest, &count) && bytes_starts_with(rest, BYTES(" events"))) {
			b->maps.stacks.counted += (uint64_t)count;
			return true;
		}
	}
	if (bytes_trim(line).len && !bytes_starts_with(line, BYTES("Attaching ")) &&
		!bytes_starts_with(line, BYTES("Attached ")) &&
		!bytes_starts_with(line, BYTES("^C")))
		text_stacks_skip(&b->maps.stacks, "expected " EXPECTS);
	return true;
}

static bool take_new_line(struct bpftrace *b, struct bytes line, struct error *err)
{
	int64_t count;

	if (b->counting) {
		if (parse_bucket(line, &count)) {
			if (__builtin_add_overflow(b->counted, count, &b->counted))
				return error_set(err, ERR_LIMIT,
					"line %llu: the sum of all values exceeds 2^63",
					(unsigned long long)b->maps.stacks.lines.number);
			return true;
		}
		if (!finish_entry(b, b->counted, err))
			return false;
	}
	if (!b->open)
		return take_other(b, line, err);
	if (line.len && *line.at == '@') {
		text_stacks_skip(
			&b->maps.stacks, "expected `]: ` and a number before the next map");
		drop_entry(b);
		return take_other(b, line, err);
	}
	if (line.len && (*line.at == ',' || *line.at == ']' || find_close(line) < line.len))
		return take_boundary(b, line, err);
	if (bytes_trim(line).len)
		bpftrace_frame(&b->maps, line);
	return true;
}

static bool start(void *self, struct error *err)
{
	struct bpftrace *b = self;

	(void)err;
	b->maps.stacks.add_notes = bpftrace_note_lost;
	if (b->maps.stacks.style->tool != TOOL_SCRIPTS)
		b->maps.stacks.lines.part = bpftrace_part;
	return true;
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct bpftrace *b = self;
	struct text_stacks *t = &b->maps.stacks;
	location_id known = b->open && !b->counting
				    ? text_stacks_known(t, text_lines_part(&t->lines, line))
				    : 0;

	if (!known)
		return take_new_line(b, line, err);
	text_stacks_push(t, known);
	return true;
}

static bool end(void *self, struct error *err)
{
	struct bpftrace *b = self;

	if (b->counting && !finish_entry(b, b->counted, err))
		return false;
	if (b->open)
		text_stacks_skip(&b->maps.stacks, "expected `]: ` and a number before the end");
	return true;
}

static void release(void *self)
{
	struct bpftrace *b = self;

	bpftrace_maps_release(&b->maps);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct bpftrace b = {0};

	return line_format_read(&format, &b, in, options, out, err);
}

/* "@[" and, in the same line or below, "]: ". */
static int bid(struct bytes head)
{
	struct bytes line, name;
	int bits = 0;

	while (bytes_line(&head, &line)) {
		if (cut_map(&line, &name))
			bits = 16;
		if (bits && find_close(line) < line.len)
			return 40;
	}
	return bits;
}

/* Between entries. */
static bool between(struct bytes above, struct bytes line)
{
	struct bytes name;

	return cut_map(&line, &name) && find_close(above) < above.len;
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_bpftrace = {
	.name = "bpftrace",
	.about = "stack maps printed by bpftrace",
	.expects = EXPECTS,
	.proof = "bpftrace 0.17 on programs with known shares",
	.bid = bid,
	.read = read,
	.cut = cut,
	.one_table = true,
};
