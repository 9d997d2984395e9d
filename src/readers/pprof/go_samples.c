/* go_samples.c: reads the samples that `go tool pprof -raw` lists. */
#include "readers/pprof/go_samples.h"

#include "readers/pprof/go_words.h"

#include <assert.h>
#include <stdlib.h>

#define TOO_DEEP	"expected a stack of at most " READ_DEPTH_TEXT " frames"
#define LABEL_KEY_LIMIT ((size_t)256)

void go_samples_init(struct go_samples *s, struct profile *profile)
{
	*s = (struct go_samples){.profile = profile};
	profile_init(&s->stacks);
	s->paths.profile = &s->stacks;
	vector_push(&s->row_of_stack, 0);
}

void go_samples_release(struct go_samples *s)
{
	profile_release(&s->stacks);
	paths_release(&s->paths);
	vector_release(&s->numbers);
	vector_release(&s->row_of_stack);
	vector_release(&s->rows);
	id_map_release(&s->by_row);
	vector_release(&s->values);
}

/* ---- Numbers ---- */

/* Cut the value at the start of *text off. */
static bool next_value(struct bytes *text, int64_t *ret_value)
{
	struct bytes rest = go_skip_blanks(*text);
	bool negative = rest.len && *rest.at == '-';
	uint64_t value = 0;
	size_t i = negative;

	for (; i < rest.len && is_digit(rest.at[i]); i++) {
		if (value > (uint64_t)INT64_MAX / 10)
			return false;
		value = value * 10 + (uint64_t)(rest.at[i] - '0');
	}
	if (i == negative || value > INT64_MAX ||
		(i < rest.len && rest.at[i] != ' ' && rest.at[i] != ':'))
		return false;
	*text = (struct bytes){rest.at + i, rest.len - i};
	*ret_value = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

/* Cut the number at the end of *text off, with the blanks before it; false: there is none. */
static bool last_number(struct bytes *text, uint32_t *ret_number)
{
	size_t end = text->len, start = end;
	uint64_t number = 0, power = 1;

	for (; start && is_digit(text->at[start - 1]); power *= 10) {
		if (end - start >= 10)
			return false;
		number += power * (uint64_t)(text->at[--start] - '0');
	}
	if (start == end || number >= GO_NUMBER_LIMIT)
		return false;
	if (start && text->at[start - 1] != ' ')
		return false;
	while (start && text->at[start - 1] == ' ')
		start--;
	text->len = start;
	*ret_number = (uint32_t)number;
	return true;
}

/* ---- Rows ---- */

static uint32_t new_row(struct go_samples *s)
{
	vector_push(&s->rows, ((struct go_row){s->stack, s->labels}));
	for (size_t i = 0; i < s->types; i++)
		vector_push(&s->values, 0);
	return (uint32_t)s->rows.len;
}

/* The row of the last sample, plus one. */
static uint32_t row_of_sample(struct go_samples *s)
{
	uint64_t hash = hash_pair(s->stack, s->labels);
	size_t at;
	uint32_t row;

	if (!s->labels) {
		uint32_t *known = &s->row_of_stack.items[s->stack];

		if (!*known)
			*known = new_row(s);
		return *known;
	}
	at = id_map_first(&s->by_row, hash);
	while ((row = id_map_candidate(&s->by_row, hash, &at)))
		if (s->rows.items[row - 1].stack == s->stack &&
			s->rows.items[row - 1].labels == s->labels)
			return row;
	row = new_row(s);
	id_map_insert_at(&s->by_row, hash, at, row);
	return row;
}

void go_samples_end(struct go_samples *s)
{
	int64_t *values;
	uint32_t row;

	if (!s->pending)
		return;
	s->pending = false;
	s->labelled |= s->labels != 0;
	row = row_of_sample(s);
	values = s->values.items + (size_t)(row - 1) * s->types;
	for (size_t i = 0; i < s->types; i++)
		values[i] += s->value[i];
}

/* ---- Stacks ---- */

/* The locations are listed innermost first. */
static bool take_numbers(struct go_samples *s, struct bytes text, const char **ret_reason)
{
	uint32_t number;

	s->numbers.len = 0;
	while (text.len) {
		*ret_reason = TOO_DEEP;
		if (s->numbers.len == READ_DEPTH_LIMIT)
			return false;
		*ret_reason = "expected " GO_SAMPLE;
		if (!last_number(&text, &number))
			return false;
		vector_push(&s->numbers, number);
	}
	return true;
}

static void add_rows_of_stacks(struct go_samples *s)
{
	while (s->row_of_stack.len < s->stacks.stack_caller.len)
		vector_push(&s->row_of_stack, 0);
}

static stack_id walk(struct go_samples *s)
{
	struct path path = {s->numbers.items, 0, (uint32_t)s->numbers.len};
	stack_id stack;

	paths_expect(&s->paths, path);
	stack = paths_walk(&s->paths, path);
	add_rows_of_stacks(s);
	return stack;
}

/* The stack of the locations of a sample, which are remembered as they are written. */
static bool find_stack(struct go_samples *s, struct text_lines *lines, struct bytes numbers,
	const char **ret_reason)
{
	s->stack = text_lines_known(lines, numbers);
	if (s->stack)
		return true;
	if (!take_numbers(s, numbers, ret_reason))
		return false;
	s->stack = walk(s);
	text_lines_learn(lines, numbers, s->stack);
	return true;
}

/* ---- Lines ---- */

struct bytes go_samples_part(struct bytes line)
{
	struct bytes values;

	return bytes_cut(&line, ':', &values) ? bytes_trim(line) : line;
}

/* Sums are checked here, so that adding up rows cannot overflow. */
static bool add_totals(struct go_samples *s)
{
	for (uint32_t i = 0; i < s->types; i++) {
		int64_t size = s->value[i] < 0 ? -s->value[i] : s->value[i];

		if (__builtin_add_overflow(s->total[i], size, &s->total[i]))
			return false;
	}
	return true;
}

/* "5 50000000:": a value for each type. */
static bool take_values(struct go_samples *s, struct bytes values)
{
	for (uint32_t i = 0; i < s->types; i++)
		if (!next_value(&values, &s->value[i]))
			return false;
	values = go_skip_blanks(values);
	return values.len && *values.at == ':';
}

#define SOON 8 /* lines ahead for which memory is prefetched */

static bool take_sample(
	struct go_samples *s, struct text_lines *lines, struct bytes line, const char **ret_reason)
{
	struct bytes numbers = text_lines_part(lines, line);
	struct bytes values = {line.at, (size_t)(numbers.at - line.at)};
	uint32_t row = s->row_of_stack.items[text_lines_coming(lines, SOON)];

	__builtin_prefetch(s->row_of_stack.items + text_lines_coming(lines, 2 * SOON));
	if (row)
		__builtin_prefetch(s->values.items + (size_t)(row - 1) * s->types, 1);
	*ret_reason = "expected " GO_SAMPLE;
	if (!take_values(s, values) || !find_stack(s, lines, numbers, ret_reason))
		return true;
	*ret_reason = NULL;
	s->pending = true;
	s->labels = 0;
	return add_totals(s);
}

/* `thread:[main] bytes:[512]`: keys with values in brackets. */
static bool take_labels(struct go_samples *s, struct bytes line)
{
	struct profile *p = s->profile;
	struct bytes rest = line;

	if (!s->pending || !line.len || line.at[line.len - 1] != ']')
		return false;
	while ((rest = go_skip_blanks(rest)).len) {
		const char *open = bytes_find(rest, BYTES(":[")), *close;
		struct bytes key, value;

		if (!open || (size_t)(open - rest.at) > LABEL_KEY_LIMIT)
			return false;
		key = (struct bytes){rest.at, (size_t)(open - rest.at)};
		value = (struct bytes){open + 2, rest.len - key.len - 2};
		close = memchr(value.at, ']', value.len);
		if (!close)
			return false;
		value.len = (size_t)(close - value.at);
		s->labels = profile_label(
			p, s->labels, profile_string(p, key), profile_string(p, value));
		rest = (struct bytes){close + 1, rest.len - (size_t)(close + 1 - rest.at)};
	}
	return true;
}

bool go_samples_take(
	struct go_samples *s, struct text_lines *lines, struct bytes line, const char **ret_reason)
{
	if (take_labels(s, line))
		return true;
	go_samples_end(s);
	return take_sample(s, lines, line, ret_reason);
}

/* ---- What another thread has read ---- */

bool go_samples_starts(struct bytes line)
{
	struct bytes values;
	int64_t value;

	if (!bytes_cut(&line, ':', &values) || !next_value(&values, &value))
		return false;
	for (size_t i = 0; i < line.len; i++)
		if (line.at[i] != ' ' && !is_digit(line.at[i]))
			return false;
	return true;
}

bool go_samples_totals_fit(const struct go_samples *s, const struct go_samples *more)
{
	int64_t sum;

	for (uint32_t i = 0; i < s->types; i++)
		if (__builtin_add_overflow(s->total[i], more->total[i], &sum))
			return false;
	return true;
}

/* The stacks of the other thread as they are here, in the order in which they were met. */
static stack_id *append_stacks(struct go_samples *s, const struct profile *more)
{
	size_t count = more->stack_caller.len;
	stack_id *stacks = memory_new(count, sizeof(*stacks));
	uint64_t *hashes = memory_new(count, sizeof(*hashes));

	for (size_t i = 1; i < count; i++) {
		stack_id caller = more->stack_caller.items[i];
		location_id number = more->stack_location.items[i];

		hashes[i] = paths_hash(hashes[caller], number);
		stacks[i] = paths_step(&s->paths, stacks[caller], hashes[i], number);
	}
	add_rows_of_stacks(s);
	memory_free(hashes);
	return stacks;
}

static label_set_id *append_labels(
	struct profile *p, const struct profile *more, const string_id *strings)
{
	label_set_id *labels = memory_new(more->label_sets.len, sizeof(*labels));

	for (size_t i = 1; i < more->label_sets.len; i++) {
		const struct label_set *set = &more->label_sets.items[i];

		labels[i] = profile_label(
			p, labels[set->parent], strings[set->key], strings[set->value]);
	}
	return labels;
}

void go_samples_append(struct go_samples *s, const struct go_samples *more,
	const struct profile *profile, const string_id *strings)
{
	stack_id *stacks = append_stacks(s, &more->stacks);
	label_set_id *labels = append_labels(s->profile, profile, strings);

	for (size_t i = 0; i < more->rows.len; i++) {
		s->stack = stacks[more->rows.items[i].stack];
		s->labels = labels[more->rows.items[i].labels];
		memcpy(s->value, more->values.items + i * s->types, s->types * sizeof(*s->value));
		s->pending = true;
		go_samples_end(s);
	}
	for (uint32_t i = 0; i < s->types; i++)
		s->total[i] += more->total[i];
	memory_free(stacks);
	memory_free(labels);
}
