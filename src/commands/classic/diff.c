/* diff.c: two folded texts side by side as difffolded.pl and inferno-diff-folded print them.
 *
 * Beside `kiln diff` not for speed, which is the same for sorted text (`bench/diff.sh`), but
 * because scripts compare the output of these tools byte by byte: a stack is a text that is not
 * split into frames, so that any line counts; decimals are added, scaled and printed as doubles;
 * and hexadecimal numbers can be stripped. */
#include "commands/classic/classic.h"

#include "base/hash.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/output.h"
#include "commands/commands.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#define DIFF_LIMIT ((uint64_t)16 << 30) /* bytes of one input */

static struct diff_settings {
	bool normalise, strip_hex, quiet;
} own;

/* Integers are added as integers: a count of nanoseconds has more digits than a double. */
struct count {
	uint64_t whole;
	double rest; /* the sum of numbers with decimals */
};

struct row {
	struct bytes stack;
	struct count side[2];
};

struct diff {
	bool inferno;
	struct input in[2];
	VECTOR(struct row) rows;
	struct id_map by_stack;
	struct arena stripped; /* stacks whose text differs from the inputs */
	struct count total[2];
	size_t rows_of_first; /* the others are only in the second input */
	bool sorted[2];	      /* the rows that are new in each input are in order */
	uint64_t skipped, first_skipped;
};

/* ---- Lines ---- */

/* "12" or "12.5", all of it. */
static bool parse_count(struct bytes text, bool cut, struct count *ret_count)
{
	size_t at = 0;

	*ret_count = (struct count){0};
	for (; at < text.len && is_digit(text.at[at]); at++)
		if (__builtin_mul_overflow(ret_count->whole, 10, &ret_count->whole) ||
			__builtin_add_overflow(
				ret_count->whole, (uint64_t)(text.at[at] - '0'), &ret_count->whole))
			return false;
	if (!at || (at < text.len && text.at[at] != '.'))
		return false;
	for (size_t i = at + 1; i < text.len; i++)
		if (!is_digit(text.at[i]))
			return false;
	if (at + 1 < text.len && !cut) {
		ret_count->whole = 0;
		return bytes_double(text, &ret_count->rest);
	}
	return true;
}

/* The count stands behind the last blank. */
static bool parse_line(
	const struct diff *d, struct bytes line, struct bytes *ret_stack, struct count *ret_count)
{
	size_t at = line.len;
	struct bytes number;

	while (at && line.at[at - 1] != ' ' && (d->inferno || line.at[at - 1] != '\t'))
		at--;
	number = (struct bytes){line.at + at, line.len - at};
	if (!at || !parse_count(d->inferno ? bytes_trim(number) : number, d->inferno, ret_count))
		return false;
	*ret_stack = (struct bytes){line.at, at - 1};
	if (d->inferno)
		while (ret_stack->len && isspace((unsigned char)line.at[ret_stack->len - 1]))
			ret_stack->len--;
	return true;
}

/* "0x1f" as "0x..." */
static struct bytes strip_hex(struct diff *d, struct bytes stack)
{
	struct buffer out = {0};
	struct bytes kept;

	if (!bytes_find(stack, BYTES("0x")))
		return stack;
	for (size_t i = 0; i < stack.len; i++) {
		size_t digits = i + 2;

		buffer_char(&out, stack.at[i]);
		if (stack.at[i] != '0' || digits >= stack.len || stack.at[i + 1] != 'x')
			continue;
		while (digits < stack.len && isxdigit((unsigned char)stack.at[digits]))
			digits++;
		if (digits == i + 2)
			continue;
		buffer_text(&out, "x...");
		i = digits - 1;
	}
	kept = (struct bytes){arena_copy(&d->stripped, out.at, out.len), out.len};
	buffer_release(&out);
	return kept;
}

static struct row *row_of(struct diff *d, struct bytes stack, int side)
{
	uint64_t hash = hash_bytes(stack.at, stack.len);
	size_t at = id_map_first(&d->by_stack, hash), new_from = side ? d->rows_of_first : 0;
	uint32_t id;

	while ((id = id_map_candidate(&d->by_stack, hash, &at)))
		if (bytes_equal(d->rows.items[id - 1].stack, stack))
			return &d->rows.items[id - 1];
	if (d->rows.len > new_from &&
		bytes_compare(d->rows.items[d->rows.len - 1].stack, stack) > 0)
		d->sorted[side] = false;
	vector_push(&d->rows, (struct row){.stack = stack});
	id_map_insert_at(&d->by_stack, hash, at, (uint32_t)d->rows.len);
	return &d->rows.items[d->rows.len - 1];
}

static void add(struct count *sum, struct count more)
{
	sum->whole += more.whole;
	sum->rest += more.rest;
}

static bool read_side(struct diff *d, int side, const char *path, struct error *err)
{
	struct bytes content, line, stack;
	struct count count;
	uint64_t lines = 0;

	if (!input_open(&d->in[side], path, err))
		return false;
	if (!input_whole(&d->in[side], DIFF_LIMIT, &content, err))
		return error_prefix(err, "%s: ", path);
	d->sorted[side] = true;
	while (bytes_line(&content, &line)) {
		lines++;
		if (!parse_line(d, line, &stack, &count)) {
			d->first_skipped = d->skipped++ ? d->first_skipped : lines;
			continue;
		}
		add(&row_of(d, own.strip_hex ? strip_hex(d, stack) : stack, side)->side[side],
			count);
		add(&d->total[side], count);
	}
	if (d->skipped)
		print_notice(
			"%s: %llu of %llu lines skipped, first at line %llu: expected frames and a "
			"number",
			path, (unsigned long long)d->skipped, (unsigned long long)lines,
			(unsigned long long)d->first_skipped);
	d->skipped = 0;
	if (!side)
		d->rows_of_first = d->rows.len;
	return true;
}

/* ---- Counts ---- */

static double as_double(struct count c)
{
	return (double)c.whole + c.rest;
}

/* count * total of the second / total of the first, rounded down. Perl calculates with integers as
 * long as they fit; inferno never does. */
static struct count normalise(const struct diff *d, struct count c)
{
	const struct count *t = d->total;
	uint64_t product;
	bool whole = c.rest == 0 && t[0].rest == 0 && t[1].rest == 0;
	double result;

	if (!d->inferno && whole && !__builtin_mul_overflow(c.whole, t[1].whole, &product)) {
		if (product % t[0].whole == 0)
			return (struct count){product / t[0].whole, 0};
		result = (double)product / (double)t[0].whole;
	} else {
		result = as_double(c) * as_double(t[1]) / as_double(t[0]);
	}
	return (struct count){(uint64_t)fmin(floor(result), 1.8e19), 0};
}

static void normalise_all(struct diff *d)
{
	if (as_double(d->total[0]) == as_double(d->total[1]) || as_double(d->total[0]) == 0)
		return;
	for (size_t i = 0; i < d->rows.len; i++)
		d->rows.items[i].side[0] = normalise(d, d->rows.items[i].side[0]);
}

static void write_count(struct buffer *b, struct count c)
{
	buffer_char(b, ' ');
	if (c.rest == 0)
		buffer_u64(b, c.whole);
	else
		buffer_printf(b, "%.15g", as_double(c));
}

/* ---- Rows in order ---- */

static int compare(const void *a, const void *b)
{
	return bytes_compare(((const struct row *)a)->stack, ((const struct row *)b)->stack);
}

/* Both inputs are usually sorted: then merge them. */
static void write_rows(struct diff *d, struct output *out)
{
	const struct row *rows = d->rows.items, *end = rows + d->rows.len;
	const struct row *at[2] = {rows, rows + d->rows_of_first};
	const struct row *ends[2] = {at[1], end};
	struct buffer line = {0};

	if (!d->rows.len)
		return;
	if (!d->sorted[0] || !d->sorted[1]) {
		qsort(d->rows.items, d->rows.len, sizeof(*rows), compare);
		at[1] = ends[0] = end;
	}
	while (at[0] < ends[0] || at[1] < ends[1]) {
		int from = at[0] == ends[0] || (at[1] < ends[1] && compare(at[0], at[1]) > 0);
		const struct row *row = at[from]++;

		buffer_set(&line, row->stack);
		write_count(&line, row->side[0]);
		write_count(&line, row->side[1]);
		buffer_char(&line, '\n');
		output_write(out, buffer_bytes(&line));
	}
	buffer_release(&line);
}

static bool diff(struct diff *d, char **paths, struct error *err)
{
	struct output out;

	if (!read_side(d, 0, paths[0], err) || !read_side(d, 1, paths[1], err))
		return false;
	if (own.normalise)
		normalise_all(d);
	if (!output_open(&out, "-", 0666, err))
		return false;
	write_rows(d, &out);
	return output_commit(&out, err);
}

static int run(const struct classic_tool *tool, char **operands)
{
	struct diff d = {.inferno = !strcmp(tool->name, "inferno-diff-folded")};
	struct error err = {0};
	bool done;

	verbosity = own.quiet ? -1 : 0;
	classic_confine(operands, NULL);
	done = diff(&d, operands, &err);
	input_release(&d.in[0]);
	input_release(&d.in[1]);
	vector_release(&d.rows);
	id_map_release(&d.by_stack);
	arena_release(&d.stripped);
	return done ? 0 : fail(&err);
}

#define AT(member) offsetof(struct diff_settings, member)
static const struct option options[] = {
	{.name = "normalize",
		.letter = 'n',
		.help = "scale the first counts to the sum of the second counts",
		.set = option_flag,
		.offset = AT(normalise)},
	{.name = "strip-hex",
		.letter = 's',
		.help = "treat all hexadecimal numbers as equal: 0x...",
		.set = option_flag,
		.offset = AT(strip_hex)},
	{.name = "quiet",
		.letter = 'q',
		.help = "print only errors",
		.set = option_flag,
		.offset = AT(quiet)},
	{.name = "verbose",
		.letter = 'v',
		.help = "accepted, has no effect",
		.set = option_ignored},
	{0},
};

const struct classic_tool classic_difffolded_pl = {
	.name = "difffolded.pl",
	.about = "two folded texts to one with two counts per stack",
	.usage = "[-hns] BEFORE.folded AFTER.folded >DIFF.folded",
	.syntax = SYNTAX_LETTERS,
	.options = options,
	.target = &own,
	.operands = 2,
	.run = run,
};

const struct classic_tool classic_inferno_diff_folded = {
	.name = "inferno-diff-folded",
	.about = "two folded texts to one with two counts per stack",
	.usage = "[OPTIONS] BEFORE.folded AFTER.folded >DIFF.folded",
	.syntax = SYNTAX_CLAP,
	.options = options,
	.target = &own,
	.operands = 2,
	.run = run,
};
