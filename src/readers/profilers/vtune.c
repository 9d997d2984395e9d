/* vtune.c: call trees that Intel's VTune writes as CSV (`-R top-down -format csv`).
 *
 *	Function Stack,CPU Time:Self,Module
 *	Total,0.0,[Unknown]
 *	 main,0.016612,a.exe
 *	  "std::vector<int, A>::at",0.5,a.exe
 *
 * Blanks before a name tell how deep it is. Every column whose name ends in ":Self" is a value: CPU
 * time (in seconds, kept as whole ms as other tools have it), numbers and sizes of allocations, ...
 */
#include "names/tidy.h"
#include "readers/lines/call_path.h"
#include "readers/lines/csv.h"
#include "readers/lines/line_format.h"

#include <math.h>
#include <stdlib.h>

#define EXPECTS	      "a function, its values and module, such as ` main,0.5,a.exe`"
#define COLUMNS_LIMIT 64u
#define CALLS_LIMIT   ((size_t)1 << 20) /* different lines that are remembered */
#define NO_COLUMN     COLUMNS_LIMIT
#define SOON	      6u /* lines to prefetch ahead */

/* A line that was read; its values are a group of vtune.values. */
struct vtune_call {
	location_id location;
	bool any;	 /* value that is not 0 */
	int64_t rounded; /* how much less the first value became, in parts of its unit */
};

/* How many parts: sums of them are the same in any order. */
#define ROUNDING 1073741824.0

struct vtune {
	struct text_stacks stacks;
	VECTOR(struct vtune_call) calls;
	VECTOR(int64_t) values;
	char delimiter;
	bool memory; /* what is counted are allocations */
	unsigned columns, module;
	unsigned column[TEXT_STREAMS_LIMIT]; /* of a stream */
	double scale[TEXT_STREAMS_LIMIT];
	struct call_path path;
	struct buffer name;
};

/* ---- The header ---- */

static bool is_header(struct bytes line)
{
	return bytes_starts_with(line, BYTES("Function Stack")) ||
	       bytes_starts_with(line, BYTES("\"Function Stack"));
}

/* Columns; the best known ones come first. */
static const struct {
	struct bytes column, kind, unit;
	double scale;
} known[] = {
	{{"CPU Time", 8}, {"cpu", 3}, {"ms", 2}, 1000},
	{{"Allocations", 11}, {"allocations", 11}, {"count", 5}, 1},
	{{"Allocation Size", 15}, {"alloc", 5}, {"bytes", 5}, 1},
	{{"Deallocation Size", 17}, {"dealloc", 7}, {"bytes", 5}, 1},
};

#define KNOWN (sizeof(known) / sizeof(*known))

static size_t known_column(struct bytes name)
{
	size_t i = 0;

	while (i < KNOWN && !bytes_equal(name, known[i].column))
		i++;
	return i;
}

static bool add_stream(struct vtune *v, unsigned column, struct bytes kind, struct bytes unit,
	double scale, struct error *err)
{
	if (v->stacks.streams == TEXT_STREAMS_LIMIT)
		return error_set(err, ERR_LIMIT, "line %llu: more than %u columns of values",
			(unsigned long long)v->stacks.lines.number, TEXT_STREAMS_LIMIT);
	v->column[v->stacks.streams] = column;
	v->scale[v->stacks.streams] = scale;
	text_stacks_stream(&v->stacks, kind, unit, (struct bytes){0});
	return true;
}

/* The names of the columns, without ":Self" where they end in it; others are {0}. */
static bool read_columns(
	struct vtune *v, struct bytes line, struct bytes *ret_names, struct error *err)
{
	struct bytes field;

	for (v->columns = 0; csv_next(&line, v->delimiter, &field); v->columns++) {
		if (v->columns == COLUMNS_LIMIT)
			return error_set(err, ERR_LIMIT, "line %llu: more than %u columns",
				(unsigned long long)v->stacks.lines.number, COLUMNS_LIMIT);
		field = bytes_trim(field);
		ret_names[v->columns] = (struct bytes){0};
		if (bytes_equal(field, BYTES("Module")))
			v->module = v->columns;
		if (bytes_ends_with(field, BYTES(":Self")))
			ret_names[v->columns] = (struct bytes){field.at, field.len - 5};
	}
	return true;
}

static bool take_header(struct vtune *v, struct bytes line, struct error *err)
{
	struct bytes names[COLUMNS_LIMIT];

	v->delimiter = memchr(line.at, '\t', line.len)	? '\t'
		       : memchr(line.at, ';', line.len) ? ';'
							: ',';
	v->module = NO_COLUMN;
	if (!read_columns(v, line, names, err))
		return false;
	for (size_t k = 0; k < KNOWN; k++)
		for (unsigned i = 1; i < v->columns; i++)
			if (names[i].len && known_column(names[i]) == k &&
				!add_stream(
					v, i, known[k].kind, known[k].unit, known[k].scale, err))
				return false;
	v->memory = v->stacks.streams && names[v->column[0]].at &&
		    bytes_find(names[v->column[0]], BYTES("llocation"));
	for (unsigned i = 1; i < v->columns; i++)
		if (names[i].len && known_column(names[i]) == KNOWN &&
			!add_stream(v, i, names[i], BYTES("count"), 1, err))
			return false;
	if (!v->stacks.streams)
		return error_set(err, ERR_FORMAT,
			"line %llu: expected a column such as `CPU Time:Self`",
			(unsigned long long)v->stacks.lines.number);
	return true;
}

/* ---- Lines ---- */

/* "module`function": as these stacks are folded. */
static location_id make_location(struct vtune *v, struct bytes function, struct bytes module)
{
	bool shown = module.len && !v->stacks.style->no_modules;
	bool behind = v->memory && v->stacks.style->tool == TOOL_SCRIPTS;

	v->name.len = 0;
	if (shown && !behind) {
		buffer_add(&v->name, module.at, module.len);
		buffer_char(&v->name, '`');
	}
	buffer_add(&v->name, function.at, function.len);
	if (behind)
		buffer_printf(&v->name, "(%.*s)", (int)module.len, module.at);
	return text_stacks_frame(
		&v->stacks, &(struct text_frame){.function = buffer_bytes(&v->name),
				    .module = tidy_base_name(module)});
}

static location_id find_location(struct vtune *v, struct bytes function, struct bytes module)
{
	location_id location = text_stacks_known_in(&v->stacks, function, module);

	if (!location) {
		location = make_location(v, function, module);
		text_stacks_learn_in(&v->stacks, function, module, location);
	}
	return location;
}

/* "0.016612", "" (none), "1,234.5" is none. */
static bool parse_value(struct bytes text, double *ret_value)
{
	text = bytes_trim(text);
	*ret_value = 0;
	return !text.len || (bytes_double(text, ret_value) && fabs(*ret_value) < 1e15);
}

static bool take_values(struct vtune *v, const struct bytes *fields, unsigned count,
	struct vtune_call *call, int64_t *ret_values)
{
	for (uint32_t i = 0; i < v->stacks.streams; i++) {
		double value;

		if (v->column[i] >= count || !parse_value(fields[v->column[i]], &value))
			return false;
		value *= v->scale[i];
		ret_values[i] = llround(value);
		call->any |= ret_values[i] != 0;
		if (!i)
			call->rounded = llround((value - (double)ret_values[i]) * ROUNDING);
	}
	return true;
}

static unsigned split(struct vtune *v, struct bytes line, struct bytes *ret_fields)
{
	unsigned count = 0;

	while (count < v->columns && csv_next(&line, v->delimiter, &ret_fields[count]))
		count++;
	return count;
}

/* What is remembered of a line: all of it behind the blanks, and one of them, with which no name of
 * a function begins. */
static struct bytes call_of(struct bytes line)
{
	size_t depth = bytes_count_leading(line, ' ');

	return depth ? (struct bytes){line.at + depth - 1, line.len - depth + 1} : line;
}

static void learn_call(
	struct vtune *v, struct bytes text, const struct vtune_call *call, const int64_t *values)
{
	if (*text.at != ' ' || v->calls.len == CALLS_LIMIT)
		return;
	vector_push(&v->calls, *call);
	for (uint32_t i = 0; i < v->stacks.streams; i++)
		vector_push(&v->values, values[i]);
	text_stacks_learn(&v->stacks, text, (uint32_t)v->calls.len);
}

static bool add_call(struct vtune *v, size_t depth, const struct vtune_call *call,
	const int64_t *values, struct error *err)
{
	struct sample sample = {0};

	if (!call_path_enter(&v->path, v->stacks.profile, depth, call->location)) {
		if (v->path.unknown)
			text_stacks_depend(&v->stacks);
		text_stacks_skip(
			&v->stacks, "expected a line above that is indented one space less");
		return true;
	}
	v->stacks.counted += (uint64_t)call->rounded;
	sample.stack = call_path_stack(&v->path);
	return !call->any || text_stacks_add_stack(&v->stacks, sample, values, err);
}

static bool new_call(struct vtune *v, size_t depth, struct bytes line, struct error *err)
{
	struct bytes fields[COLUMNS_LIMIT];
	struct bytes text = call_of(line);
	int64_t values[TEXT_STREAMS_LIMIT] = {0};
	struct vtune_call call = {0};
	size_t inside = 0;
	unsigned count;

	count = split(v, (struct bytes){line.at + depth, line.len - depth}, fields);
	/* Some versions put the blanks inside the quotes. */
	while (count && fields[0].len && *fields[0].at == ' ') {
		fields[0] = (struct bytes){fields[0].at + 1, fields[0].len - 1};
		inside++;
	}
	depth += inside;
	if (!count || !fields[0].len || !take_values(v, fields, count, &call, values)) {
		if (v->path.unknown)
			text_stacks_depend(&v->stacks);
		call_path_cut(&v->path, depth);
		text_stacks_skip(&v->stacks, "expected " EXPECTS);
		return true;
	}
	call.location = find_location(v, fields[0],
		v->module < count ? bytes_trim(fields[v->module]) : (struct bytes){"", 0});
	if (!inside)
		learn_call(v, text, &call, values);
	return add_call(v, depth, &call, values, err);
}

/* Prefetch the call of a later line. */
static void fetch_call(const struct vtune *v)
{
	uint32_t call = text_lines_coming(&v->stacks.lines, SOON);

	if (!call)
		return;
	__builtin_prefetch(&v->calls.items[call - 1]);
	__builtin_prefetch(v->values.items + (size_t)(call - 1) * v->stacks.streams);
}

static bool take_call(struct vtune *v, struct bytes line, struct error *err)
{
	struct bytes text = text_lines_part(&v->stacks.lines, line);
	size_t depth = text.len && *text.at == ' ' ? (size_t)(text.at - line.at) + 1 : 0;
	uint32_t call = depth ? text_stacks_known(&v->stacks, text) : 0;

	fetch_call(v);

	if (call)
		return add_call(v, depth, &v->calls.items[call - 1],
			v->values.items + (size_t)(call - 1) * v->stacks.streams, err);
	return !bytes_trim(line).len || new_call(v, depth, line, err);
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct vtune *v = self;

	if (v->stacks.streams)
		return take_call(v, line, err);
	return !is_header(line) || take_header(v, line, err);
}

static void note_rounding(struct profile *p, uint64_t counted)
{
	const struct stream *first = &p->streams.items[0];
	double lost = (double)(int64_t)counted / ROUNDING, kept = 0;

	if (!bytes_equal(profile_text(p, first->row.unit), BYTES("ms")) || fabs(lost) < 0.5)
		return;
	for (size_t i = 0; i < first->value.len; i++)
		kept += (double)first->value.items[i];
	profile_note(p, "times are rounded to ms, line by line: %.1f ms became %.0f ms",
		kept + lost, kept);
}

/* The header of a later part is in the first one. */
static bool find_header(struct vtune *v, const struct read_part *part, struct error *err)
{
	struct bytes head = part->head, line;

	while (!v->stacks.streams && bytes_line(&head, &line) && head.len)
		if (is_header(line) && !take_header(v, line, err))
			return false;
	if (!v->stacks.streams)
		text_stacks_depend(&v->stacks);
	return v->stacks.streams;
}

static bool start(void *self, struct error *err)
{
	struct vtune *v = self;

	v->stacks.lines.part = call_of;
	v->stacks.add_notes = note_rounding;
	call_path_open(&v->path, v->stacks.part);
	return !v->path.unknown || find_header(v, v->stacks.part, err);
}

static bool end(void *self, struct error *err)
{
	struct vtune *v = self;

	if (!v->stacks.streams)
		return error_set(err, ERR_FORMAT,
			"line %llu: unexpected end: expected a line that starts with `Function "
			"Stack`",
			(unsigned long long)v->stacks.lines.number);
	call_path_leave(&v->path, v->stacks.part);
	return true;
}

static void release(void *self)
{
	struct vtune *v = self;

	call_path_release(&v->path);
	vector_release(&v->calls);
	vector_release(&v->values);
	buffer_release(&v->name);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct vtune v = {0};

	return line_format_read(&format, &v, in, options, out, err);
}

static int bid(struct bytes head)
{
	struct bytes line;

	while (bytes_line(&head, &line))
		if (is_header(line) && bytes_find(line, BYTES(":Self")))
			return 8 * 19;
	return 0;
}

/* A part may begin at any line: the callers of its first lines are resolved when the parts are
 * joined. */
static bool between(struct bytes above, struct bytes line)
{
	(void)above;
	return line.len > 1 && *line.at == ' ' && bytes_trim(line).len;
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_vtune = {
	.name = "vtune",
	.about = "call trees of Intel's VTune as CSV (hotspots, memory consumption)",
	.expects = EXPECTS,
	.proof = "inferno's corpus",
	.bid = bid,
	.read = read,
	.cut = cut,
	.one_table = true,
};
