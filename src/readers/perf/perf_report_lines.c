/* perf_report_lines.c: what do the headings and rows of `perf report --stdio` say? */
#include "readers/perf/perf_report_lines.h"

#include "readers/perf/perf_report_tree.h"

/* ---- Headings ---- */

/* "4K" */
static bool parse_samples(struct bytes word, uint64_t *ret_samples, uint64_t *ret_unit)
{
	static const char units[] = "KMG";
	const char *unit = word.len ? strchr(units, word.at[word.len - 1]) : NULL;
	uint64_t in_unit = 1;

	if (unit && *unit)
		word.len--;
	else
		unit = NULL;
	for (const char *u = units; unit && u <= unit; u++)
		in_unit *= 1000;
	if (!bytes_u64(word, ret_samples) || *ret_samples > UINT32_MAX)
		return false;
	*ret_samples *= in_unit;
	*ret_unit = in_unit;
	return true;
}

bool report_parse_event(
	struct bytes line, uint64_t *ret_samples, uint64_t *ret_unit, struct bytes *ret_event)
{
	const struct bytes start = BYTES("# Samples: ");
	struct bytes word;
	const char *of, *end;

	if (!bytes_starts_with(line, start))
		return false;
	line = (struct bytes){line.at + start.len, line.len - start.len};
	of = bytes_find(line, BYTES(" of event"));
	end = bytes_find_last(line, '\'');
	if (!of || !bytes_cut(&line, ' ', &word) || !parse_samples(word, ret_samples, ret_unit) ||
		!bytes_cut(&line, '\'', &word) || end < line.at)
		return false;
	*ret_event = (struct bytes){line.at, (size_t)(end - line.at)};
	return true;
}

bool report_parse_total(struct bytes line, struct bytes start, uint64_t *ret_total)
{
	struct bytes number = {line.at + start.len, line.len - start.len};
	uint64_t total;

	if (!bytes_starts_with(line, start) || !bytes_u64(bytes_trim(number), &total) ||
		total > INT64_MAX)
		return false;
	*ret_total = total;
	return true;
}

bool report_parse_event_count(struct bytes line, uint64_t *ret_count)
{
	return report_parse_total(line, BYTES("# Event count (approx.): "), ret_count) ||
	       report_parse_total(line, BYTES("# Total weight : "), ret_count);
}

/* ---- Columns and rows ---- */

void report_row_release(struct report_row *r)
{
	buffer_release(&r->command);
	buffer_release(&r->symbol);
}

bool report_is_dotted(struct bytes line)
{
	for (size_t i = 1; i < line.len; i++)
		if (line.at[i] != '.' && line.at[i] != ' ')
			return false;
	return bytes_starts_with(line, BYTES("# ."));
}

static enum report_column column_named(struct bytes name)
{
	if (bytes_equal(name, BYTES("Command")) || bytes_ends_with(name, BYTES(":Command")))
		return REPORT_COMMAND;
	if (bytes_equal(name, BYTES("Symbol")))
		return REPORT_SYMBOL;
	if (bytes_equal(name, BYTES("Overhead")))
		return REPORT_OVERHEAD;
	if (bytes_equal(name, BYTES("Children")))
		return REPORT_CHILDREN;
	return bytes_equal(name, BYTES("Self")) ? REPORT_SELF : REPORT_OTHER;
}

bool report_columns_take(struct report_columns *c, struct bytes heading, struct bytes dotted,
	uint64_t number, struct error *err)
{
	size_t at = 2;

	c->count = 0;
	while (at < dotted.len) {
		struct bytes rest = {dotted.at + at, dotted.len - at}, name = {0};
		size_t width = bytes_count_leading(rest, '.');

		if (c->count == REPORT_COLUMNS_LIMIT)
			return error_set(err, ERR_LIMIT, "line %llu: more than %u columns",
				(unsigned long long)number, REPORT_COLUMNS_LIMIT);
		if (at < heading.len)
			name = bytes_head((struct bytes){heading.at + at, heading.len - at}, width);
		c->list[c->count].width = width;
		c->list[c->count++].is = column_named(bytes_trim(name));
		at += width +
		      bytes_count_leading((struct bytes){rest.at + width, rest.len - width}, ' ');
	}
	return true;
}

/* What a row has in the next column; what is wider than that goes on to the next blank. */
static struct bytes cut_field(struct bytes *row, size_t width, bool last)
{
	struct bytes field = *row;
	size_t end = width;

	while (end < row->len && row->at[end] != ' ')
		end++;
	if (last || end + 2 > row->len) {
		row->len = 0;
		return bytes_trim(field);
	}
	field.len = end;
	*row = (struct bytes){row->at + end + 2, row->len - end - 2};
	return bytes_trim(field);
}

/* "1234:app" is app of process 1234. */
static struct bytes command_of(struct bytes field)
{
	struct bytes rest = field, pid;
	uint64_t number;

	return bytes_cut(&rest, ':', &pid) && bytes_u64(pid, &number) ? rest : field;
}

/* "[.] main" */
static struct bytes symbol_of(struct bytes field)
{
	if (field.len > 4 && field.at[0] == '[' &&
		bytes_starts_with((struct bytes){field.at + 2, 2}, BYTES("] ")))
		field = (struct bytes){field.at + 4, field.len - 4};
	return bytes_trim(field);
}

void report_row_take(struct report_row *r, const struct report_columns *c, struct bytes line)
{
	struct bytes rest = {line.at + 2, line.len - 2}, overhead = {0}, children = {0}, self = {0};

	r->command.len = r->symbol.len = 0;
	for (size_t i = 0; i < c->count && rest.len; i++) {
		struct bytes field = cut_field(&rest, c->list[i].width, i + 1 == c->count);

		switch (c->list[i].is) {
		case REPORT_COMMAND:
			buffer_set(&r->command, command_of(field));
			break;
		case REPORT_SYMBOL:
			buffer_set(&r->symbol, symbol_of(field));
			break;
		case REPORT_OVERHEAD:
			overhead = field;
			break;
		case REPORT_CHILDREN:
			children = field;
			break;
		case REPORT_SELF:
			self = field;
			break;
		case REPORT_OTHER:
			break;
		}
	}
	r->with_children = children.len > 0;
	r->all_self = bytes_equal(children, self);
	r->no_self = bytes_equal(self, BYTES("0.00%"));
	if (!report_percent(r->with_children ? children : overhead, &r->share))
		r->share = -1;
	r->self = r->share;
	if (r->with_children && !report_percent(self, &r->self))
		r->self = -1;
}
