/* perf_head.c: does an input begin like text of `perf script`, and how do its samples begin? */
#include "readers/perf/perf_head.h"

#include "readers/lines/scan.h"
#include "readers/perf/perf_line.h"
#include "readers/readers.h"

#define ADDRESS_WIDTH 16 /* columns of a frame's address */

bool perf_line_is_trace_error(struct bytes line)
{
	return bytes_starts_with(line, BYTES(" instruction trace error "));
}

bool perf_line_is_frame_column(struct bytes line)
{
	return line.len >= 1 + ADDRESS_WIDTH && *line.at == '\t' && scan_hex_column(line.at + 1) &&
	       (line.len == 1 + ADDRESS_WIDTH || line.at[1 + ADDRESS_WIDTH] == ' ');
}

/* Is there a time, a CPU or an event, or nothing behind the ids? Any other text may be a comm and
 * ids by chance. */
static bool is_event_line(struct bytes line)
{
	struct perf_event event;

	return perf_event_parse(line, &event) &&
	       (event.anchored || event.event.len || !event.rest.len);
}

/* Are most lines that start samples bare: without a time or an event, recognizable by their place
 * alone? */
bool perf_head_is_bare(struct bytes head)
{
	bool cut = head.len == READER_HEAD, inside = false;
	unsigned frames = 0, bare = 0, other = 0;
	struct perf_event event;
	struct perf_frame frame;
	struct bytes line;

	while (bytes_line(&head, &line) && (head.len || !cut)) {
		bool none = perf_line_is_empty(line) || *line.at == '#';
		bool frame_column = perf_line_is_frame_column(line);
		bool starts = !inside && !none && !frame_column;
		bool is_bare_line =
			starts && !is_event_line(line) && perf_event_parse_bare(line, &event);

		frames += frame_column;
		bare += is_bare_line;
		other += starts && !is_bare_line;
		/* Samples are not separated. */
		other += inside && !none && !frame_column &&
			 perf_frame_parse(line, &frame) == PERF_WEIRD;
		inside = !none;
	}
	return frames && bare >= other;
}

/* An event line and a frame below it bid most, perf's header less. */
int perf_head_bid(struct bytes head)
{
	struct bytes line, all = head;
	struct perf_event event;
	struct perf_frame frame;
	enum perf_line what;
	bool below_event = false;
	int bits = 0;

	while (bytes_line(&head, &line) && bits < 40) {
		if (bytes_starts_with(line, BYTES("# cmdline :")) ||
			bytes_starts_with(line, BYTES("# captured on")))
			bits += 8;
		if (perf_line_is_empty(line) || *line.at == '#' || perf_line_is_trace_error(line))
			continue;
		what = below_event ? perf_frame_parse(line, &frame) : PERF_WEIRD;
		bits += what == PERF_FRAME ? 8 : 0;
		if (what == PERF_FRAME || (what == PERF_SOURCE && bits))
			continue;
		/* With neither time nor event only frames below tell. */
		below_event = is_event_line(line);
		if (!below_event)
			return bits > 8 ? bits : perf_head_is_bare(all) ? 20 : 0;
		bits += perf_event_parse(line, &event) && (event.anchored || event.event.len) ? 4
											      : 0;
	}
	return bits;
}
