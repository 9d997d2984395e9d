/* filters.c: tools that pass on or change the lines of `perf script`: range-perf.pl,
 * pkgsplit-perf.pl.
 */
#include "commands/classic/classic.h"

#include "base/input.h"
#include "base/output.h"
#include "commands/commands.h"
#include "readers/perf/perf_line.h"

#include <math.h>
#include <stdlib.h>

/* ---- Lines ---- */

/* Handles a line; false: stop reading. */
typedef bool take_line(struct bytes line, struct buffer *out);

static bool filter_input(struct input *in, struct output *out, take_line *take, struct error *err)
{
	struct buffer text = {0};
	struct bytes line;
	bool done, more = true;

	while ((done = input_line(in, &line, &more, err)) && more && take(line, &text)) {
		output_write(out, buffer_bytes(&text));
		text.len = 0;
	}
	buffer_release(&text);
	return done;
}

static int filter(char **paths, take_line *take)
{
	char *standard[] = {(char[]){"-"}, NULL};
	struct error err = {0};
	struct output out;
	struct input in;
	bool done;

	classic_confine(paths, NULL);
	if (!input_open_files(&in, *paths ? paths : standard, &err))
		return fail(&err);
	if (!output_open(&out, "-", 0666, &err)) {
		input_release(&in);
		return fail(&err);
	}
	done = filter_input(&in, &out, take, &err);
	done = output_commit(&out, &err) && done;
	input_release(&in);
	return done ? 0 : fail(&err);
}

/* ---- range-perf.pl ---- */

static struct range {
	bool raw, from_second;
	double begin, end;
	bool started, inside;
	double start;
} range;

static const struct option range_options[] = {
	{.name = "timeraw",
		.help = "seconds are the timestamps of the input",
		.set = option_flag,
		.offset = offsetof(struct range, raw)},
	{.name = "timezerosecs",
		.help = "seconds count from the whole second of the first event",
		.set = option_flag,
		.offset = offsetof(struct range, from_second)},
	{0},
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Does this word or the next one contain a ':' that is not its first letter? */
static bool event_follows(struct bytes text)
{
	size_t at = 0;

	for (int word = 0; word < 2; word++) {
		size_t start;

		while (at < text.len && text.at[at] == ' ')
			at++;
		start = at;
		for (; at < text.len && !is_blank(text.at[at]); at++)
			if (text.at[at] == ':' && at > start)
				return true;
	}
	return false;
}

/* The time is the first number between a blank and a ':' that is followed by an event. */
static bool find_time(struct bytes line, double *ret_seconds)
{
	for (size_t i = 0; i + 1 < line.len; i++) {
		size_t end = i + 1;

		if (line.at[i] != ' ')
			continue;
		while (end < line.len && (is_digit(line.at[end]) || line.at[end] == '.'))
			end++;
		if (end == i + 1 || end == line.len || line.at[end] != ':' ||
			!event_follows((struct bytes){line.at + end + 1, line.len - end - 1}))
			continue;
		return bytes_double((struct bytes){line.at + i + 1, end - i - 1}, ret_seconds);
	}
	return false;
}

/* Samples are sorted by time, so the first one behind the range ends the output. */
static bool take_in_range(struct bytes line, struct buffer *out)
{
	double seconds;

	if (line.len && *line.at == '#')
		return true;
	if (find_time(line, &seconds)) {
		if (!range.started)
			range.start = seconds;
		range.started = true;
		if (range.from_second)
			seconds -= floor(range.start);
		else if (!range.raw)
			seconds -= range.start;
		range.inside |= seconds >= range.begin;
		if (seconds > range.end)
			return false;
	}
	if (range.inside) {
		buffer_add(out, line.at, line.len);
		buffer_char(out, '\n');
	}
	return true;
}

static int run_range(const struct classic_tool *tool, char **operands)
{
	struct error err = {0};

	if (!bytes_double(bytes_of(operands[0]), &range.begin) ||
		!bytes_double(bytes_of(operands[1]), &range.end)) {
		error_set(&err, ERR_USAGE, "%s: expected two numbers of seconds, got '%s' and '%s'",
			tool->name, operands[0], operands[1]);
		return fail(&err);
	}
	return filter(operands + 2, take_in_range);
}

const struct classic_tool classic_range_perf_pl = {
	.name = "range-perf.pl",
	.about = "select a range of seconds from `perf script` text",
	.usage = "[OPTIONS] FROM_SECOND TO_SECOND <PERF.txt",
	.syntax = SYNTAX_PERL,
	.options = range_options,
	.target = &range,
	.operands = 2,
	.run = run_range,
};

/* ---- pkgsplit-perf.pl ---- */

static bool is_idle(struct bytes line)
{
	return bytes_find(line, BYTES("xen_hypercall_sched_op")) ||
	       bytes_find(line, BYTES("cpu_idle")) || bytes_find(line, BYTES("native_safe_halt"));
}

/* The name in "7fd781ac3053 Ljava/util/Arrays;::toArray (/tmp/perf-1.map)". */
static struct bytes function_of(struct bytes frame)
{
	struct bytes address;
	const char *module = bytes_find(frame, BYTES(" ("));

	if (module && bytes_ends_with(frame, BYTES(")")))
		frame.len = (size_t)(module - frame.at);
	frame = bytes_trim(frame);
	if (!bytes_cut(&frame, ' ', &address))
		return (struct bytes){0};
	while (frame.len && is_blank(*frame.at))
		frame = (struct bytes){frame.at + 1, frame.len - 1};
	return frame;
}

/* Split a package into frames. Numbers are dropped: they would distinguish equal names. */
static bool take_package(struct bytes line, struct buffer *out)
{
	struct perf_event event;
	struct bytes function;

	if ((line.len && *line.at == '#') || is_idle(line) || !perf_event_parse(line, &event) ||
		!event.timed || !event.event.len)
		return true;
	function = function_of(event.rest);
	if (!function.len)
		return true;
	for (size_t i = 0; i < event.comm.len; i++)
		buffer_char(out, event.comm.at[i] == ' ' ? '_' : event.comm.at[i]);
	buffer_char(out, ';');
	for (size_t i = *function.at == 'L'; i < function.len; i++) {
		char c = function.at[i];

		buffer_char(out, c == '/' ? ';' : is_digit(c) ? 'X' : c);
	}
	buffer_text(out, " 1\n");
	return true;
}

static int run_package(const struct classic_tool *tool, char **operands)
{
	(void)tool;
	return filter(operands, take_package);
}

const struct classic_tool classic_pkgsplit_perf_pl = {
	.name = "pkgsplit-perf.pl",
	.about = "samples of `perf script` without stacks to folded text, by Java package",
	.usage = "[FILE...] >PACKAGES.folded",
	.syntax = SYNTAX_PERL,
	.run = run_package,
};
