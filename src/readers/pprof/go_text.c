/* go_text.c: a profile of a Go program as text, which net/http/pprof sends for ?debug=1:
 *
 *	heap profile: 437: 1657904 [630: 1685032] @ heap/1048576
 *	300: 1228800 [300: 1228800] @ 0x4b517d 0x4b52c5
 *	#	0x4b517c	main.leaf+0x5c		/src/main.go:17
 *	#	0x4b52c4	main.half+0x24		/src/main.go:25
 *
 *	goroutine profile: total 11
 *	7 @ 0x4378b6 0x40619b
 *
 *	--- contention:
 *	cycles/second=2300001035
 *	453775084 3 @ 0x4b5a25 0x4b59f5
 *
 * "--- mutex:" is like contention, with a line "sampling period=N"; all other profiles,
 * threadcreate and a program's own, are like that of goroutines. A record ends with an empty line.
 * Source of the format: runtime/pprof/pprof.go. Sizes of a heap are of the sampled objects. */
#include "readers/lines/line_format.h"
#include "readers/pprof/heap_record.h"

#include <stdlib.h>

#define EXPECTS "a record such as `300: 1228800 [300: 1228800] @ 0x4b517d` and frames below it"

struct go_text {
	struct text_stacks stacks;
	enum { GO_NONE, GO_HEAP, GO_COUNT, GO_CONTENTION } what; /* which kind of profile it is */
	uint64_t cycles, period;				 /* per second; of sampling */
	uint64_t rate; /* of a heap: one sample in so many bytes */
	int64_t value[HEAP_VALUES];
	bool is_open; /* a record, whose frames are being read */
};

/* ---- The heading ---- */

static void add_stream(struct go_text *g, struct bytes kind, const char *unit)
{
	text_stacks_stream(&g->stacks, kind, bytes_of(unit), (struct bytes){0});
}

/* "heap profile: ... @ heap/1048576": half of the number is the rate. */
static void begin_heap(struct go_text *g, struct bytes line)
{
	const char *rate = bytes_find(line, BYTES("@ heap/"));

	g->what = GO_HEAP;
	heap_record_streams(&g->stacks, HEAP_VALUES);
	if (rate && bytes_u64((struct bytes){rate + 7, (size_t)(line.at + line.len - rate) - 7},
			    &g->rate))
		g->rate /= 2;
}

/* "goroutine profile: total 11" */
static bool is_count_heading(struct bytes line, struct bytes *ret_name)
{
	const char *at = bytes_find(line, BYTES(" profile: total "));

	*ret_name = (struct bytes){line.at, at ? (size_t)(at - line.at) : 0};
	return ret_name->len;
}

/* False: not a heading. */
static bool take_heading(struct go_text *g, struct bytes line)
{
	struct bytes name;

	if (bytes_starts_with(line, BYTES("heap profile: "))) {
		begin_heap(g, line);
	} else if (bytes_equal(line, BYTES("--- contention:")) ||
		   bytes_equal(line, BYTES("--- mutex:"))) {
		g->what = GO_CONTENTION;
		add_stream(g, BYTES("delay"), "ns");
		add_stream(g, BYTES("contentions"), "count");
	} else if (is_count_heading(line, &name)) {
		g->what = GO_COUNT;
		add_stream(g, name, "count");
	} else {
		return false;
	}
	return true;
}

/* ---- Records ---- */

/* "300: 1228800 [300: 1228800] @" */
static bool parse_heap(struct go_text *g, struct bytes line)
{
	return heap_record_parse(&line, g->value) &&
	       bytes_starts_with(bytes_trim(line), BYTES("@"));
}

/* "453775084 3 @": cycles of waiting and how often; of mutexes, one of `period` is counted. */
static bool parse_contention(struct go_text *g, struct bytes line)
{
	double ns;

	if (!heap_record_count(&line, ' ', &g->value[0]) ||
		!heap_record_count(&line, '@', &g->value[1]) || !g->cycles)
		return false;
	ns = (double)g->value[0] * 1e9 / (double)g->cycles * (double)g->period;
	if (!(ns < 4e18) || __builtin_mul_overflow(g->value[1], g->period, &g->value[1]))
		return false;
	g->value[0] = (int64_t)ns;
	return true;
}

static bool parse_record(struct go_text *g, struct bytes line)
{
	switch (g->what) {
	case GO_HEAP:
		return parse_heap(g, line);
	case GO_CONTENTION:
		return parse_contention(g, line);
	default:
		return heap_record_count(&line, '@', &g->value[0]);
	}
}

static bool end_record(struct go_text *g, struct error *err)
{
	if (!g->is_open)
		return true;
	g->is_open = false;
	text_stacks_fill(&g->stacks);
	return text_stacks_add(&g->stacks, INNERMOST_FIRST, g->value, err);
}

/* ---- Frames ---- */

/* "main.leaf+0x5c" */
static struct bytes without_offset(struct bytes name)
{
	const char *plus = bytes_find_last(name, '+');

	if (plus && bytes_starts_with((struct bytes){plus, (size_t)(name.at + name.len - plus)},
			    BYTES("+0x")))
		name.len = (size_t)(plus - name.at);
	return name;
}

/* "0x4b517c\tmain.leaf+0x5c\t\t/src/main.go:17", or nothing but the address. */
static void take_frame(struct go_text *g, struct bytes text)
{
	struct text_frame frame = {.kind = FRAME_NATIVE};
	location_id location = text_stacks_known(&g->stacks, text);
	struct bytes rest = text, address, name, place;
	uint64_t number;
	const char *colon;

	if (!location) {
		if (!bytes_cut(&rest, '\t', &address))
			rest = BYTES("[unknown]");
		if (!bytes_cut(&rest, '\t', &name))
			name = rest;
		place = name.at == rest.at ? (struct bytes){0} : bytes_trim(rest);
		colon = bytes_find_last(place, ':');
		if (colon &&
			bytes_u64((struct bytes){colon + 1,
					  (size_t)(place.at + place.len - colon) - 1},
				&number) &&
			number <= UINT32_MAX) {
			frame.file = (struct bytes){place.at, (size_t)(colon - place.at)};
			frame.line = (uint32_t)number;
		}
		frame.function = without_offset(name);
		location = text_stacks_frame(&g->stacks, &frame);
		text_stacks_learn(&g->stacks, text, location);
	}
	text_stacks_push(&g->stacks, location);
}

/* ---- Lines ---- */

/* "cycles/second=2300001035", "sampling period=1" */
static bool take_setting(struct go_text *g, struct bytes line)
{
	struct bytes name;

	if (g->what != GO_CONTENTION || !bytes_cut(&line, '=', &name))
		return false;
	return (bytes_equal(name, BYTES("cycles/second")) && bytes_u64(line, &g->cycles)) ||
	       (bytes_equal(name, BYTES("sampling period")) && bytes_u64(line, &g->period) &&
		       g->period);
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct go_text *g = self;

	if (!line.len)
		return end_record(g, err);
	if (bytes_starts_with(line, BYTES("#\t0x"))) {
		take_frame(g, (struct bytes){line.at + 2, line.len - 2});
		return true;
	}
	if (bytes_starts_with(bytes_trim((struct bytes){line.at + 1, line.len - 1}), BYTES("0x")) &&
		*line.at == '#')
		text_stacks_skip(&g->stacks, "expected tabs between the columns of a frame");
	if (bytes_starts_with(line, BYTES("# labels: ")))
		g->stacks.counted++;
	if (*line.at == '#') /* figures of the runtime */
		return true;
	if (!end_record(g, err))
		return false;
	if (g->what ? take_setting(g, line) : take_heading(g, line))
		return true;
	g->is_open = g->what && parse_record(g, line);
	if (!g->is_open)
		text_stacks_skip(&g->stacks, "expected " EXPECTS);
	return true;
}

static void note_labels(struct profile *p, uint64_t counted)
{
	if (counted)
		profile_note(
			p, "the labels of %llu records are left out", (unsigned long long)counted);
}

static bool end(void *self, struct error *err)
{
	struct go_text *g = self;

	g->stacks.add_notes = note_labels;
	if (g->rate > 1)
		profile_note(g->stacks.profile,
			"values are those of the sampled objects, about one in %llu bytes; go tool "
			"pprof shows estimates for all",
			(unsigned long long)g->rate);
	return end_record(g, err);
}

static const struct line_format format = {.line = take_line, .end = end};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct go_text g = {.period = 1};

	return line_format_read(&format, &g, in, options, out, err);
}

/* A heading, and a frame as only Go prints them: gperftools' heap profiles begin alike. */
static int bid(struct bytes head)
{
	struct bytes line, name;

	if (!bytes_line(&head, &line) ||
		!(bytes_starts_with(line, BYTES("heap profile: ")) ||
			bytes_equal(line, BYTES("--- contention:")) ||
			bytes_equal(line, BYTES("--- mutex:")) || is_count_heading(line, &name)))
		return 0;
	return bytes_find(head, BYTES("\n#\t0x")) ? 8 * 30 : 0;
}

const struct reader reader_go_text = {
	.name = "go-text",
	.about = "text of Go's /debug/pprof/...?debug=1",
	.expects = EXPECTS,
	.proof = "Go 1.19 on a program with known shares: heap, block, mutex, goroutine, "
		 "threadcreate",
	.bid = bid,
	.read = read,
	.one_table = true,
};
