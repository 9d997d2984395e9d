/* perf_event_line.c: which process, when, where and why was this sample taken? */
#include "readers/perf/perf_line.h"

#include "readers/lines/scan.h"

#include <limits.h>

#define COMM_MAX 15 /* bytes: TASK_COMM_LEN less the NUL */

/* Text from elsewhere ends its lines with two characters. */
static struct bytes without_return(struct bytes line)
{
	line.len -= bytes_ends_with(line, BYTES("\r"));
	return line;
}

static void skip_blanks(struct bytes *text)
{
	while (text->len && (*text->at == ' ' || *text->at == '\t')) {
		text->at++;
		text->len--;
	}
}

/* Cut the word at the start off. */
static struct bytes next_word(struct bytes *text)
{
	struct bytes word = {text->at, 0};

	while (word.len < text->len && text->at[word.len] != ' ' && text->at[word.len] != '\t')
		word.len++;
	text->at += word.len;
	text->len -= word.len;
	skip_blanks(text);
	return word;
}

/* Digits at the start, at most 19 of them, which always fit; how many. */
static size_t leading_number(struct bytes text, uint64_t *ret_value)
{
	uint64_t value = 0;
	size_t len = 0;

	for (; len < text.len && len < 19 && is_digit(text.at[len]); len++)
		value = value * 10 + (uint64_t)(text.at[len] - '0');
	if (len)
		*ret_value = value;
	return len;
}

static int32_t to_id(uint64_t value)
{
	return value > INT32_MAX ? -1 : (int32_t)value;
}

/* "123" is a thread, "123/124" a process and a thread. */
static bool parse_ids(struct bytes word, struct perf_event *e)
{
	uint64_t first, second;
	size_t len = leading_number(word, &first);

	if (!len)
		return false;
	if (len == word.len) {
		e->pid = -1;
		e->tid = to_id(first);
		return true;
	}
	if (word.at[len] != '/')
		return false;
	word = (struct bytes){word.at + len + 1, word.len - len - 1};
	if (!word.len || leading_number(word, &second) != word.len)
		return false;
	e->pid = to_id(first);
	e->tid = to_id(second);
	return true;
}

/* "[003]" */
static bool parse_cpu(struct bytes word, struct perf_event *e)
{
	uint64_t cpu;

	if (word.len < 3 || word.at[0] != '[' || word.at[word.len - 1] != ']' ||
		leading_number((struct bytes){word.at + 1, word.len - 2}, &cpu) != word.len - 2)
		return false;
	e->cpu = to_id(cpu);
	return true;
}

/* "441995.133575:", with nanoseconds under --ns */
static bool parse_time(struct bytes word, struct perf_event *e)
{
	uint64_t seconds, fraction;
	size_t whole = leading_number(word, &seconds), digits;

	if (!whole || whole == word.len || word.at[whole] != '.' ||
		seconds > UINT64_MAX / 2000000000)
		return false;
	digits = leading_number(
		(struct bytes){word.at + whole + 1, word.len - whole - 1}, &fraction);
	if (!digits || digits > 9 || whole + 1 + digits + 1 != word.len ||
		word.at[word.len - 1] != ':')
		return false;
	for (; digits < 9; digits++)
		fraction *= 10;
	e->time = seconds * 1000000000 + fraction;
	e->timed = true;
	return true;
}

/* Letters for the kind of sample, from -F +misc. */
static bool is_misc(struct bytes word)
{
	for (size_t i = 0; i < word.len; i++)
		if (!strchr("KUHGgEsSTD", word.at[i]))
			return false;
	return word.len && word.len <= 5;
}

/* What follows the ids: [cpu] time: period event: rest, each of them optional. */
static bool parse_tail(struct bytes tail, struct perf_event *e)
{
	struct bytes before = tail, word = next_word(&tail);
	uint64_t period;

	e->cpu = -1;
	e->timed = false;
	e->period = 0;
	e->counted = false;
	if (parse_cpu(word, e)) {
		before = tail;
		word = next_word(&tail);
	}
	if (is_misc(word)) {
		struct bytes behind = tail;

		if (parse_time(next_word(&behind), e)) {
			before = behind;
			tail = behind;
			word = next_word(&tail);
		}
	} else if (parse_time(word, e)) {
		before = tail;
		word = next_word(&tail);
	}
	e->anchored = e->timed || e->cpu >= 0;
	if (word.len && leading_number(word, &period) == word.len) {
		e->period = period;
		e->counted = true;
		before = tail;
		word = next_word(&tail);
	}
	if (word.len > 1 && word.at[word.len - 1] == ':') {
		e->event = (struct bytes){word.at, word.len - 1};
		e->rest = tail;
		return true;
	}
	e->event = (struct bytes){0};
	e->rest = before;
	return e->anchored || !before.len;
}

/* The only number before an event is the thread (%5d) or, when no thread is printed, the period
 * (%10llu). The number of blanks in front of it decides. */
#define PERIOD_WIDTH 10
static void take_period(struct perf_event *e, struct bytes word)
{
	size_t blanks = (size_t)(word.at - (e->comm.at + e->comm.len));

	if (e->anchored || e->counted || !e->event.len || e->pid >= 0 ||
		blanks - 1 + word.len < PERIOD_WIDTH)
		return;
	leading_number(word, &e->period);
	e->counted = true;
	e->tid = -1;
}

static struct bytes trim_end(struct bytes text)
{
	while (text.len && (text.at[text.len - 1] == ' ' || text.at[text.len - 1] == '\t'))
		text.len--;
	return text;
}

/* A line without ids, as by -F comm,time,event: the first CPU or time ends the comm. */
static bool parse_without_ids(struct bytes line, struct perf_event *ret_event)
{
	struct perf_event e = {.pid = -1, .tid = -1};
	struct bytes all = line, tail;

	skip_blanks(&all);
	for (tail = all; tail.len; next_word(&tail)) {
		if (!is_digit(*tail.at) && *tail.at != '[')
			continue;
		if (!parse_tail(tail, &e) || !e.anchored)
			continue;
		e.comm = trim_end((struct bytes){all.at, (size_t)(tail.at - all.at)});
		e.head = (size_t)(tail.at - line.at);
		*ret_event = e;
		return e.comm.len <= COMM_MAX;
	}
	return false;
}

bool perf_event_parse(struct bytes line, struct perf_event *ret_event)
{
	struct perf_event e = {0};
	struct bytes all, tail, word;
	bool found = false;

	all = line = without_return(line);
	skip_blanks(&all);
	tail = all;
	while (tail.len) {
		struct bytes comm = trim_end((struct bytes){all.at, (size_t)(tail.at - all.at)});

		word = next_word(&tail);
		if (found && comm.len > COMM_MAX)
			break;
		if (!is_digit(word.at[0]) || !parse_ids(word, &e) || !parse_tail(tail, &e))
			continue;
		/* Without an anchor a frame's address could be taken for a thread, and the first of
		 * two numbers is as good as the second. */
		if (!e.anchored && (found || !comm.len))
			continue;
		e.comm = comm;
		e.head = (size_t)(tail.at - line.at);
		take_period(&e, word);
		*ret_event = e;
		found = true;
	}
	return (found && ret_event->anchored) || parse_without_ids(line, ret_event) || found;
}

/* The letters of +misc stand in a column that is wider than they are. */
static struct bytes without_misc(struct bytes line)
{
	struct bytes text = trim_end(line), word;
	const char *blank = bytes_find_last(text, ' ');

	if (!blank || line.len - text.len < 2)
		return text;
	word = (struct bytes){blank + 1, (size_t)(text.at + text.len - blank) - 1};
	return is_misc(word) ? trim_end((struct bytes){text.at, text.len - word.len}) : text;
}

bool perf_event_parse_bare(struct bytes line, struct perf_event *ret_event)
{
	struct perf_event e = {.pid = -1, .tid = -1, .cpu = -1};
	struct bytes text;
	const char *blank;

	skip_blanks(&line);
	line = without_return(line);
	text = trim_end(line);
	if (bytes_ends_with(text, BYTES(":")) && text.len > 1) {
		blank = bytes_find_last(text, ' ');
		e.event =
			blank ? (struct bytes){blank + 1, (size_t)(text.at + text.len - blank) - 2}
			      : (struct bytes){text.at, text.len - 1};
		text = trim_end((struct bytes){text.at, (size_t)(e.event.at - text.at)});
	} else {
		text = without_misc(line);
	}
	if (!parse_ids(text, &e))
		e.comm = text;
	if (!text.len && !e.event.len)
		return false;
	*ret_event = e;
	return e.comm.len <= COMM_MAX;
}

/* Cut a number of at most 18 digits and the character that has to follow it off the start of what
 * ends at `end`; how many digits, 0: there is no such number. */
static size_t cut_number(const char **at, const char *end, char behind, uint64_t *ret_value)
{
	const char *digit = *at;
	uint64_t value = 0;
	size_t len;

	for (; digit < end && is_digit(*digit); digit++)
		value = value * 10 + (uint64_t)(*digit - '0');
	len = (size_t)(digit - *at);
	if (!len || len > 18 || digit == end || *digit != behind)
		return 0;
	*ret_value = value;
	*at = digit + 1;
	return len;
}

/* "441995.133575:" */
static bool cut_time(const char **at, const char *end, uint64_t *ret_time)
{
	static const uint32_t scale[] = {
		1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
	uint64_t seconds, fraction;
	size_t digits;

	if (!cut_number(at, end, '.', &seconds) || seconds > UINT32_MAX)
		return false;
	digits = cut_number(at, end, ':', &fraction);
	if (!digits || digits > 9)
		return false;
	*ret_time = seconds * 1000000000 + fraction * scale[digits];
	return true;
}

/* The fields between the ids and the event, each with a blank behind it, when they are the same as
 * the last line had. */
static bool parse_same_fields(struct bytes fields, struct perf_event *e)
{
	const char *at = fields.at, *end = fields.at + fields.len;
	uint64_t cpu;

	if (e->cpu >= 0) {
		if (*at++ != '[' || !cut_number(&at, end, ']', &cpu) || *at != ' ')
			return false;
		e->cpu = to_id(cpu);
	}
	while (*at == ' ' && at + 1 < end)
		at++;
	if (e->timed && (!cut_time(&at, end, &e->time) || *at != ' '))
		return false;
	while (*at == ' ' && at + 1 < end)
		at++;
	if (e->counted && !cut_number(&at, end, ' ', &e->period))
		return false;
	while (at < end && *at == ' ')
		at++;
	return at == end;
}

/* Fields of the same form: of the numbers only the period, the last one, is asked for. */
static bool parse_period(struct bytes fields, struct perf_event *e)
{
	const char *end = fields.at + fields.len, *at;

	while (end > fields.at && end[-1] == ' ')
		end--;
	for (at = end; at > fields.at && is_digit(at[-1]);)
		at--;
	fields.at = at;
	return !e->counted || cut_number(&fields.at, end + 1, ' ', &e->period);
}

bool perf_event_parse_again(
	struct bytes line, struct bytes last, bool timed, struct perf_event *event)
{
	struct perf_event e = *event;
	struct bytes end = e.event, fields;
	size_t head = e.head;

	if (!head || !e.anchored || !end.len)
		return false;
	end.len = (size_t)(last.at + last.len - end.at);
	if (line.len <= head + end.len || !scan_same(line.at, last.at, head) ||
		!scan_same(line.at + line.len - end.len, end.at, end.len))
		return false;
	fields = (struct bytes){line.at + head, line.len - head - end.len};
	if (!timed && line.len == last.len &&
		scan_same_but_digits(fields.at, last.at + head, fields.len))
		return parse_period(fields, event);
	if (fields.at[fields.len - 1] != ' ' || !parse_same_fields(fields, &e))
		return false;
	*event = e;
	return true;
}

bool perf_event_parse_tail(struct bytes line, struct bytes head, struct perf_event *event)
{
	struct perf_event e = *event;

	line = without_return(line);
	if (!head.len || !bytes_starts_with(line, head) ||
		!parse_tail((struct bytes){line.at + head.len, line.len - head.len}, &e) ||
		!e.anchored)
		return false;
	*event = e;
	return true;
}
