/* vsprof.c: call trees that the profiler of Visual Studio writes as CSV.
 *
 *	Level,Function Name,Number of Calls,Elapsed Inclusive Time %,Elapsed Exclusive Time %,...
 *	0,"a.exe",0,100.00,0.00,...,"",
 *	1,"Main()","2,893,824",54.37,4.21,...,"a.exe",
 *
 * With instrumentation, calls are counted, as inferno-collapse-vsprof does: those of the callee
 * listed last are taken off its caller's. With sampling, the exclusive samples are. The exclusive
 * share of the time is another value. */
#include "names/tidy.h"
#include "readers/lines/call_path.h"
#include "readers/lines/csv.h"
#include "readers/lines/line_format.h"

#include <math.h>
#include <stdlib.h>

#define EXPECTS	      "a level, a function and its values, such as `1,\"Main()\",471,91.25`"
#define COLUMNS_LIMIT 32u
#define NO_COLUMN     COLUMNS_LIMIT

enum column { LEVEL, FUNCTION, CALLS, SAMPLES, TIME, MODULE, COLUMNS };

static const struct bytes column_names[COLUMNS] = {
	[LEVEL] = {"Level", 5},
	[FUNCTION] = {"Function Name", 13},
	[CALLS] = {"Number of Calls", 15},
	[SAMPLES] = {"Exclusive Samples", 17},
	[TIME] = {"Elapsed Exclusive Time %", 24},
	[MODULE] = {"Module Name", 11},
};

/* A line that others may still be below. */
struct level {
	uint64_t calls; /* less what callees took */
	int64_t samples, time;
};

struct vsprof {
	struct text_stacks stacks;
	unsigned column[COLUMNS], columns;
	uint32_t stream[COLUMNS]; /* of a value's column, from 0 */
	struct call_path path;
	VECTOR(struct level) levels; /* of the path */
};

/* ---- The header ---- */

static bool has(const struct vsprof *v, enum column c)
{
	return v->column[c] != NO_COLUMN;
}

static bool find_columns(struct vsprof *v, struct bytes line, struct error *err)
{
	struct bytes field;

	for (int c = 0; c < COLUMNS; c++)
		v->column[c] = NO_COLUMN;
	for (v->columns = 0; csv_next(&line, ',', &field); v->columns++) {
		if (v->columns == COLUMNS_LIMIT)
			return error_set(err, ERR_LIMIT, "line %llu: more than %u columns",
				(unsigned long long)v->stacks.lines.number, COLUMNS_LIMIT);
		for (int c = 0; c < COLUMNS; c++)
			if (bytes_equal(bytes_trim(field), column_names[c]))
				v->column[c] = v->columns;
	}
	return true;
}

static void add_stream(struct vsprof *v, enum column c, struct bytes kind, struct bytes unit)
{
	v->stream[c] = v->stacks.streams;
	if (has(v, c))
		text_stacks_stream(&v->stacks, kind, unit, (struct bytes){0});
}

static bool take_header(struct vsprof *v, struct bytes line, struct error *err)
{
	if (!find_columns(v, line, err))
		return false;
	if (!has(v, LEVEL) || !has(v, FUNCTION) || (!has(v, CALLS) && !has(v, SAMPLES)))
		return error_set(err, ERR_FORMAT,
			"line %llu: expected columns such as `Level,Function Name,Number of Calls`",
			(unsigned long long)v->stacks.lines.number);
	add_stream(v, CALLS, BYTES("calls"), BYTES("count"));
	add_stream(v, SAMPLES, BYTES("samples"), BYTES("count"));
	add_stream(v, TIME, BYTES("time"), BYTES("percent/100"));
	return true;
}

/* ---- Values ---- */

/* The values of the path's last line, which is left: its calls are not counted if a callee has all
 * of them. */
static bool add_last(struct vsprof *v, bool with_calls, struct error *err)
{
	const struct level *last = &v->levels.items[v->levels.len - 1];
	struct sample sample = {.stack = call_path_stack(&v->path)};
	int64_t values[COLUMNS] = {0};
	bool any = last->samples || last->time;

	if (has(v, CALLS) && with_calls) {
		values[v->stream[CALLS]] = (int64_t)last->calls;
		any |= last->calls != 0;
	}
	if (has(v, SAMPLES))
		values[v->stream[SAMPLES]] = last->samples;
	if (has(v, TIME))
		values[v->stream[TIME]] = last->time;
	return !any || text_stacks_add_stack(&v->stacks, sample, values, err);
}

/* Leave the path's lines down to the level `keep`. */
static bool leave(struct vsprof *v, size_t keep, struct error *err)
{
	uint64_t taken = 0;

	while (v->levels.len > keep) {
		struct level *last = v->levels.items + v->levels.len - 1;

		if (!add_last(v, last->calls != taken, err))
			return false;
		taken = last->calls;
		v->levels.len--;
		call_path_cut(&v->path, v->levels.len);
		if (v->levels.len && taken < last[-1].calls)
			last[-1].calls -= taken;
	}
	return true;
}

/* A line at the depth `keep` follows: a sibling of the last one replaces it without being taken off
 * their caller. */
static bool make_room(struct vsprof *v, size_t keep, struct error *err)
{
	if (v->levels.len != keep + 1)
		return leave(v, keep, err);
	if (!add_last(v, true, err))
		return false;
	v->levels.len = keep;
	call_path_cut(&v->path, keep);
	return true;
}

/* At the end only the last line's calls count, as inferno has it. A part that goes on does so with
 * a line that is below none of these; if no line follows, its end was that of the input. */
static bool end(void *self, struct error *err)
{
	struct vsprof *v = self;

	if (read_part_goes_on(v->stacks.part))
		return leave(v, 0, err);
	if (v->stacks.part && v->stacks.part->is_continuation && !v->levels.len)
		text_stacks_depend(&v->stacks);
	for (bool with_calls = true; v->levels.len; with_calls = false) {
		if (!add_last(v, with_calls, err))
			return false;
		v->levels.len--;
		call_path_cut(&v->path, v->levels.len);
	}
	return true;
}

/* ---- Lines ---- */

struct row {
	size_t depth;
	struct bytes function, module;
	uint64_t calls, samples;
	double time; /* percent */
};

static bool grouped(
	const struct vsprof *v, const struct bytes *fields, enum column c, uint64_t *ret_value)
{
	*ret_value = 0;
	return !has(v, c) || (csv_grouped(bytes_trim(fields[v->column[c]]), ret_value) &&
				     *ret_value <= INT64_MAX);
}

static bool parse_row(struct vsprof *v, struct bytes line, struct row *ret_row)
{
	struct bytes fields[COLUMNS_LIMIT];
	uint64_t level;
	unsigned count = 0;

	while (count < v->columns && csv_next(&line, ',', &fields[count]))
		count++;
	while (count < v->columns)
		fields[count++] = (struct bytes){0};
	*ret_row = (struct row){0};
	if (!bytes_u64(bytes_trim(fields[v->column[LEVEL]]), &level) ||
		!fields[v->column[FUNCTION]].len || !grouped(v, fields, CALLS, &ret_row->calls) ||
		!grouped(v, fields, SAMPLES, &ret_row->samples))
		return false;
	if (has(v, TIME) && (!bytes_double(bytes_trim(fields[v->column[TIME]]), &ret_row->time) ||
				    fabs(ret_row->time) > 1e6))
		return false;
	/* The process on level 0 is no function: functions start anew below it. */
	ret_row->depth = level ? (size_t)(level - 1) : 0;
	ret_row->function = fields[v->column[FUNCTION]];
	if (has(v, MODULE))
		ret_row->module = fields[v->column[MODULE]];
	return true;
}

/* What is remembered of a line, where it stands in Visual Studio's own files: in the second field.
 */
static struct bytes second_field(struct bytes line)
{
	struct bytes field = {0};

	if (csv_next(&line, ',', &field))
		csv_next(&line, ',', &field);
	return field;
}

static location_id find_location(struct vsprof *v, const struct row *row)
{
	location_id location = text_stacks_known_in(&v->stacks, row->function, row->module);

	if (location)
		return location;
	location = text_stacks_frame(&v->stacks, &(struct text_frame){.function = row->function,
							 .module = tidy_base_name(row->module)});
	text_stacks_learn_in(&v->stacks, row->function, row->module, location);
	return location;
}

static bool take_row(struct vsprof *v, const struct row *row, struct error *err)
{
	if (row->depth > v->levels.len || row->depth >= READ_DEPTH_LIMIT) {
		text_stacks_skip(
			&v->stacks, "expected a level at most one deeper than the line above");
		return true;
	}
	if (row->depth < v->levels.len && !make_room(v, row->depth, err))
		return false;
	call_path_enter(&v->path, v->stacks.profile, row->depth, find_location(v, row));
	text_stacks_fetch(&v->stacks, call_path_stack(&v->path));
	vector_push(&v->levels,
		((struct level){row->calls, (int64_t)row->samples, llround(row->time * 100)}));
	return true;
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct vsprof *v = self;
	struct row row;

	if (!v->stacks.streams)
		return take_header(v, line, err);
	if (!bytes_trim(line).len)
		return true;
	if (!parse_row(v, line, &row)) {
		text_stacks_skip(&v->stacks, "expected " EXPECTS);
		return true;
	}
	return take_row(v, &row, err);
}

/* Cut before a line whose level is in the first column. */
static bool take_header_before(struct vsprof *v, struct bytes begin, struct error *err)
{
	struct bytes line = {0};

	bytes_line(&begin, &line);
	if (!take_header(v, line, err))
		return false;
	if (v->column[LEVEL])
		text_stacks_depend(&v->stacks);
	return true;
}

static bool start(void *self, struct error *err)
{
	struct vsprof *v = self;

	v->stacks.lines.part = second_field;
	return !v->stacks.part || !v->stacks.part->is_continuation ||
	       take_header_before(v, v->stacks.part->begin, err);
}

static void release(void *self)
{
	struct vsprof *v = self;

	call_path_release(&v->path);
	vector_release(&v->levels);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct vsprof v = {0};

	return line_format_read(&format, &v, in, options, out, err);
}

static int bid(struct bytes head)
{
	return bytes_starts_with(head, BYTES("Level,Function Name,")) ? 8 * 20 : 0;
}

/* Below a process, or at its start. */
static bool between(struct bytes above, struct bytes line)
{
	(void)above;
	return line.len > 1 && (*line.at == '0' || *line.at == '1') && line.at[1] == ',';
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_vsprof = {
	.name = "vsprof",
	.about = "call trees of Visual Studio's profiler as CSV",
	.expects = EXPECTS,
	.proof = "inferno's corpus",
	.bid = bid,
	.read = read,
	.cut = cut,
	.one_table = true,
};
