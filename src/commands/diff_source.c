/* diff_source.c: which stacks does a file of folded text have, in order? */
#include "commands/diff_source.h"

#include "base/utf8.h"
#include "readers/lines/scan.h"

#define AT_ONCE 16u /* lines whose memory is waited for together */

/* Of a file that is surveyed. */
struct survey {
	struct diff_source *source;
	struct folded_sorted file;
	const struct canonical *canonical;
	const atomic_bool *give_up;
	struct buffer last, spare;
	struct canonical_text renamed;
	struct line_search searches[AT_ONCE];
};

static bool survey_goes_on(const struct survey *s)
{
	return !atomic_load_explicit(s->give_up, memory_order_relaxed);
}

/* The start of the first frame that the stacks do not share. */
static size_t first_new_frame(struct bytes stack, size_t shared)
{
	const char *end = shared ? memrchr(stack.at, ';', shared) : NULL;

	return end ? (size_t)(end - stack.at) + 1 : 0;
}

static bool is_clean(struct bytes stack, size_t from)
{
	struct bytes rest = {stack.at + from, stack.len - from};

	return utf8_clean_length(rest) == rest.len;
}

static bool survey_open(struct survey *s)
{
	struct error ignored = {0};
	bool plain;

	s->source->total = 0;
	return folded_sorted_open(&s->file, s->source->path, &plain, &ignored) && plain;
}

/* Is nothing out of its place, and are all names what they will be? */
static bool survey_in_order(struct survey *s)
{
	struct folded_sorted *f = &s->file;
	struct error ignored = {0};
	struct bytes stack;

	while (folded_sorted_next(f, buffer_bytes(&s->last), &ignored) && f->plain &&
		survey_goes_on(s)) {
		size_t from;

		if (f->ended)
			return true;
		stack = f->stack;
		from = first_new_frame(stack, f->shared);
		if (__builtin_add_overflow(s->source->total, f->value, &s->source->total) ||
			!is_clean(stack, from) ||
			!canonical_stack_is_unchanged(s->canonical, stack, from, &s->spare))
			return false;
		s->last.len = f->shared;
		buffer_add(&s->last, stack.at + f->shared, stack.len - f->shared);
	}
	return false;
}

/* Starts of stacks that stay as they are are marked: there is no need to look at them again. */
static bool add_line(struct survey *s, struct line_search *search, int64_t value)
{
	struct line_trie *lines = &s->source->lines;
	size_t from = first_new_frame(search->line, line_trie_seek(lines, search));

	if (!is_clean(search->line, from))
		return false;
	if (canonical_stack_is_unchanged(s->canonical, search->line, from, &s->spare))
		return line_trie_add(lines, search, value, true);
	if (!canonical_stack(s->canonical, search->line, &s->renamed))
		return false;
	search->line = buffer_bytes(&s->renamed.stack);
	line_trie_fetch(lines, search, 1);
	line_trie_seek(lines, search);
	return line_trie_add(lines, search, value, false);
}

static bool add_lines(struct survey *s, const struct folded_plain *lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		s->searches[i].line = lines[i].stack;
	line_trie_fetch(&s->source->lines, s->searches, count);
	for (size_t i = 0; i < count; i++)
		if (__builtin_add_overflow(s->source->total, lines[i].value, &s->source->total) ||
			!add_line(s, &s->searches[i], lines[i].value))
			return false;
	return true;
}

/* Take all lines, wherever they stand. */
static bool survey_any_order(struct survey *s)
{
	struct folded_plain lines[AT_ONCE];
	struct error ignored = {0};
	size_t count;

	while (folded_sorted_take(&s->file, lines, AT_ONCE, &count, &ignored) && s->file.plain &&
		survey_goes_on(s)) {
		if (!count) {
			line_trie_sort(&s->source->lines);
			return true;
		}
		if (!add_lines(s, lines, count))
			return false;
	}
	return false;
}

bool diff_source_survey(struct diff_source *source, const char *path,
	const struct canonical *canonical, const atomic_bool *give_up)
{
	struct survey s = {.source = source, .canonical = canonical, .give_up = give_up};
	bool can;

	*source = (struct diff_source){.path = path};
	can = survey_open(&s);
	source->in_order = can && survey_in_order(&s);
	folded_sorted_release(&s.file);
	if (can && !source->in_order) {
		can = survey_goes_on(&s) && survey_open(&s) && survey_any_order(&s);
		folded_sorted_release(&s.file);
	}
	buffer_release(&s.last);
	buffer_release(&s.spare);
	canonical_text_release(&s.renamed);
	for (size_t i = 0; i < AT_ONCE; i++)
		line_search_release(&s.searches[i]);
	return can;
}

void diff_source_release(struct diff_source *s)
{
	line_trie_release(&s->lines);
}

static bool changed(const struct diff_source *s, struct error *err)
{
	return error_set(err, ERR_FORMAT, "%s: changed while it was read", s->path);
}

bool diff_cursor_open(struct diff_cursor *c, const struct diff_source *source, size_t from,
	size_t to, struct error *err)
{
	const struct bytes none = {"", 0};
	bool plain;

	*c = (struct diff_cursor){.source = source, .walk = {.trie = &source->lines, .end = to}};
	if (!source->in_order)
		line_walk_seek(&c->walk, from);
	else if (!folded_sorted_open(&c->file, source->path, &plain, err))
		return false;
	else if (!plain)
		return changed(source, err);
	return diff_cursor_next(c, none, err);
}

void diff_cursor_release(struct diff_cursor *c)
{
	folded_sorted_release(&c->file);
	line_walk_release(&c->walk);
}

bool diff_cursor_next(struct diff_cursor *c, struct bytes last, struct error *err)
{
	struct folded_sorted *f = &c->file;

	if (!c->source->in_order) {
		c->ended = !line_walk_next(&c->walk);
		c->stack = buffer_bytes(&c->walk.line);
		c->value = c->walk.value;
		folded_compare_from(c->stack, last, c->walk.common, &c->shared);
		return true;
	}
	if (!folded_sorted_next(f, last, err))
		return false;
	c->stack = f->stack;
	c->value = f->value;
	c->shared = f->shared;
	c->ended = f->ended;
	return f->plain || changed(c->source, err);
}
