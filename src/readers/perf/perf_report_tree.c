/* perf_report_tree.c: which stacks are in a call tree that `perf report` draws?
 *
 * A frame's column tells which chain it belongs to, and a branch's column below which chain it is.
 * Source of the drawing: tools/perf/ui/stdio/hist.c of Linux. */
#include "readers/perf/perf_report_tree.h"

#include <stdlib.h>

#define BRANCH_WIDTH 11u /* "|--72.05%--" */
#define ROOT_WIDTH   3u	 /* "---" */
#define ALL	     10000

void report_tree_release(struct report_tree *t)
{
	buffer_release(&t->text);
	vector_release(&t->frames);
	vector_release(&t->chains);
	vector_release(&t->open);
}

void report_tree_clear(struct report_tree *t)
{
	t->text.len = t->frames.len = t->chains.len = t->open.len = 0;
}

/* ---- Lines ---- */

bool report_percent(struct bytes text, int64_t *ret_share)
{
	struct bytes whole;
	uint64_t percent;

	if (!bytes_ends_with(text, BYTES("%")))
		return false;
	text.len--;
	if (!bytes_cut(&text, '.', &whole) || text.len != 2 || whole.len > 3 ||
		!bytes_u64(whole, &percent) || !is_digit(text.at[0]) || !is_digit(text.at[1]))
		return false;
	*ret_share = (int64_t)percent * 100 + (text.at[0] - '0') * 10 + (text.at[1] - '0');
	return *ret_share <= ALL;
}

/* The column at which the drawing ends and text begins. */
static size_t text_column(struct bytes line)
{
	size_t at = 0;

	while (at < line.len && (line.at[at] == ' ' || line.at[at] == '|'))
		at++;
	return at;
}

static struct bytes text_from(struct bytes line, size_t column)
{
	return bytes_trim((struct bytes){line.at + column, line.len - column});
}

bool report_tree_is_line(const struct report_tree *t, struct bytes line)
{
	struct bytes text = bytes_trim(line);
	int64_t share;

	return text.len && *line.at == ' ' &&
	       (t->open.len || *text.at == '|' || bytes_starts_with(text, BYTES("--")) ||
		       report_percent(text, &share));
}

static void add_frame(struct report_tree *t, struct bytes name)
{
	struct report_frame frame = {t->text.len, name.len};

	buffer_add(&t->text, name.at, name.len);
	vector_push(&t->frames, frame);
	t->chains.items[t->chains.len - 1].count++;
}

/* Close the chains that have nothing in this column. */
static void close_to(struct report_tree *t, size_t column)
{
	while (t->open.len && t->chains.items[t->open.items[t->open.len - 1]].column > column)
		t->open.len--;
}

static void add_chain(struct report_tree *t, struct report_chain chain, struct bytes name)
{
	uint32_t caller = t->open.len ? t->open.items[t->open.len - 1] + 1 : 0;

	chain.caller = caller;
	chain.first = (uint32_t)t->frames.len;
	chain.cut = bytes_equal(name, BYTES("[...]"));
	if (caller) {
		t->chains.items[caller - 1].branches++;
		t->chains.items[caller - 1].below += chain.share;
	}
	vector_push(&t->open, (uint32_t)t->chains.len);
	vector_push(&t->chains, chain);
	if (!chain.cut)
		add_frame(t, name);
}

/* "--72.05%--spin", where `column` is that of the bar in front of it. */
static bool take_branch(struct report_tree *t, size_t column, struct bytes text)
{
	struct report_chain chain = {.column = column + BRANCH_WIDTH};
	struct bytes rest = {text.at + 2, text.len - 2}, number;

	if (!bytes_cut(&rest, '-', &number) || !report_percent(number, &chain.share) ||
		!bytes_starts_with(rest, BYTES("-")) || rest.len < 2)
		return false;
	close_to(t, column);
	add_chain(t, chain, (struct bytes){rest.at + 1, rest.len - 1});
	return true;
}

bool report_tree_take(struct report_tree *t, struct bytes line)
{
	size_t column = text_column(line);
	struct bytes text = text_from(line, column);
	struct report_chain chain = {0};

	if (!text.len)
		return true;
	if (bytes_starts_with(text, BYTES("---")) && text.len > ROOT_WIDTH) {
		chain.column = column + ROOT_WIDTH;
		chain.whole = true;
		t->open.len = 0;
		add_chain(t, chain, (struct bytes){text.at + ROOT_WIDTH, text.len - ROOT_WIDTH});
		return true;
	}
	if (bytes_starts_with(text, BYTES("--")))
		return column && take_branch(t, column - 1, text);
	close_to(t, column);
	/* Lists of stacks (-g flat) have percentages alone; those of stacks include what others
	 * have below. */
	if (report_percent(text, &chain.share))
		return false;
	/* The last chain is the one that is drawn: a frame of another cannot follow its branches.
	 */
	if (!t->open.len || t->open.items[t->open.len - 1] != t->chains.len - 1)
		return false;
	add_frame(t, text);
	return true;
}

/* ---- Values ---- */

int64_t report_share(uint64_t all, uint64_t hundredths)
{
	return (int64_t)(all / ALL * hundredths + (all % ALL * hundredths + ALL / 2) / ALL);
}

/* Shares of branches are their caller's as soon as they exceed the caller's own. With -g fractal
 * they always do, because they are 100% together, unless the caller is 100%, too: then both are the
 * same. */
static bool is_fractal(const struct report_tree *t, int64_t share)
{
	int64_t tops = 0, count = 0;

	for (size_t i = 0; i < t->chains.len; i++) {
		const struct report_chain *c = &t->chains.items[i];

		if (!c->caller && !c->whole) {
			tops += c->share;
			count++;
		}
		if (c->branches &&
			c->below > (c->whole ? share : c->share) + (int64_t)c->branches + 1)
			return true;
	}
	return tops > share + count + 1;
}

/* Each share is rounded, by half of a hundredth at most: a difference that is no larger is none. */
static int64_t own_share(const struct report_chain *c, int64_t share)
{
	int64_t own = share - c->below;

	return c->branches && 2 * own <= (int64_t)c->branches + 1 ? 0 : own;
}

void report_tree_weigh(struct report_tree *t, int64_t share, uint64_t all)
{
	int64_t row = report_share(all, (uint64_t)share);
	bool fractal = is_fractal(t, share);

	for (size_t i = 0; i < t->chains.len; i++) {
		struct report_chain *c = &t->chains.items[i];
		int64_t above = c->caller ? t->chains.items[c->caller - 1].value : row;

		if (c->whole)
			c->share = share;
		c->value = c->whole ? row
				    : report_share(
					      fractal ? (uint64_t)above : all, (uint64_t)c->share);
		c->own = fractal ? report_share((uint64_t)c->value, (uint64_t)own_share(c, ALL))
				 : report_share(all, (uint64_t)own_share(c, c->share));
	}
}

/* ---- Stacks ---- */

void report_tree_stack(const struct report_tree *t, uint32_t chain, struct buffer *ret_stack)
{
	size_t len = 0, end;

	ret_stack->len = 0;
	for (uint32_t i = chain + 1; i; i = t->chains.items[i - 1].caller)
		for (uint32_t f = 0; f < t->chains.items[i - 1].count; f++)
			len += t->frames.items[t->chains.items[i - 1].first + f].len + 1;
	if (!len)
		return;
	/* From the end, because each chain knows the one above. */
	buffer_reserve(ret_stack, len);
	end = len;
	for (uint32_t i = chain + 1; i; i = t->chains.items[i - 1].caller)
		for (uint32_t f = t->chains.items[i - 1].count; f--;) {
			const struct report_frame *frame =
				&t->frames.items[t->chains.items[i - 1].first + f];

			ret_stack->at[--end] = REPORT_FRAMES_END;
			end -= frame->len;
			memcpy(ret_stack->at + end, t->text.at + frame->start, frame->len);
		}
	ret_stack->len = len - 1;
	ret_stack->at[ret_stack->len] = '\0';
}
