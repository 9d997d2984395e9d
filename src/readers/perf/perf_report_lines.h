/* perf_report_lines.h: what do the headings and rows of `perf report --stdio` say? */
#ifndef KILN_READERS_PERF_PERF_REPORT_LINES_H
#define KILN_READERS_PERF_PERF_REPORT_LINES_H

#include "base/buffer.h"
#include "base/error.h"

/* "# Samples: 4K of event 'cycles:u'"; of several at once it is "of events 'anon group { a, b }'".
 * *ret_unit: what the number is rounded down to, 1000 here. */
bool report_parse_event(
	struct bytes line, uint64_t *ret_samples, uint64_t *ret_unit, struct bytes *ret_event);

/* A number behind what a line starts with, at most 2^63 - 1. */
bool report_parse_total(struct bytes line, struct bytes start, uint64_t *ret_total);
/* "# Event count (approx.): 3155261": the sum of all periods, or of all weights. */
bool report_parse_event_count(struct bytes line, uint64_t *ret_count);

#define REPORT_COLUMNS_LIMIT 64u

enum report_column {
	REPORT_OTHER,
	REPORT_COMMAND,
	REPORT_SYMBOL,
	REPORT_OVERHEAD,
	REPORT_CHILDREN,
	REPORT_SELF
};
struct report_columns {
	struct {
		size_t width;
		enum report_column is;
	} list[REPORT_COLUMNS_LIMIT];
	size_t count;
};

/* Is it the line of dots below the names of columns? */
bool report_is_dotted(struct bytes line);
/* Columns are as wide as the dots below their names, which are in `heading`. ERR_LIMIT. */
bool report_columns_take(struct report_columns *c, struct bytes heading, struct bytes dotted,
	uint64_t number, struct error *err);

struct report_row {
	struct buffer command, symbol;
	int64_t share, self; /* with callees and without, in hundredths of a percent; -1: it is no
				percentage */
	bool with_children;  /* the two are told apart (--children) */
	bool all_self, no_self; /* all of its share is its own; nothing is */
};
void report_row_release(struct report_row *r);
void report_row_take(struct report_row *r, const struct report_columns *c, struct bytes line);

#endif
