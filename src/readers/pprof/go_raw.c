/* go_raw.c: a pprof profile as `go tool pprof -raw` prints it.
 *
 *	PeriodType: cpu nanoseconds
 *	Samples:
 *	samples/count cpu/nanoseconds
 *	          5   50000000: 1 2 3
 *	                thread:[main]
 *	Locations
 *	     1: 0x4b0aae M=1 main.(*T).spin /tmp/busy.go:5 s=0
 *	             main.three /tmp/busy.go:7 s=0
 *	Mappings
 *	1: 0x400000/0x4b1000/0x0 /tmp/busy  [FN]
 *
 * A sample has a value for each type and its locations, innermost first; labels may follow. Lines
 * below a location are what it was inlined into. Samples come before the locations they name: they
 * are kept as a tree over location numbers until the end.
 *
 * It does not use lines/line_format.h, as two threads read the halves of one text (go_halves.c):
 * 0.22 s for the 103 MB of `bench/readers.sh go-raw`, and 0.32 s with one. */
#include "readers/lines/text_stacks.h"
#include "readers/pprof/go_halves.h"
#include "readers/pprof/go_words.h"

#include <assert.h>
#include <stdlib.h>

static_assert(GO_TYPES_LIMIT <= TEXT_STREAMS_LIMIT, "each is a stream");

struct go_raw {
	struct text_stacks stacks;
	struct go_sections sections;
};

/* ---- Lines ---- */

static struct bytes short_unit(struct bytes unit)
{
	static const struct {
		struct bytes name, unit;
	} units[] = {
		{{"nanoseconds", 11}, {"ns", 2}},
		{{"microseconds", 12}, {"us", 2}},
		{{"milliseconds", 12}, {"ms", 2}},
		{{"seconds", 7}, {"s", 1}},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (bytes_equal(unit, units[i].name))
			return units[i].unit;
	return unit;
}

/* "samples/count cpu/nanoseconds[dflt]" */
static bool take_types(struct go_raw *g, struct bytes line, struct error *err)
{
	struct bytes word;

	while (go_next_word(&line, &word)) {
		struct bytes unit = word, kind;

		if (g->stacks.streams == TEXT_STREAMS_LIMIT)
			return error_set(err, ERR_LIMIT, "line %llu: more than %u types of values",
				(unsigned long long)g->stacks.lines.number, TEXT_STREAMS_LIMIT);
		if (bytes_ends_with(unit, BYTES("[dflt]")))
			unit.len -= strlen("[dflt]");
		if (!bytes_cut(&unit, '/', &kind)) {
			kind = unit;
			unit = BYTES("count");
		}
		text_stacks_stream(&g->stacks, kind, short_unit(unit), (struct bytes){0});
	}
	if (!g->stacks.streams)
		return error_set(err, ERR_FORMAT,
			"line %llu: expected types such as `samples/count cpu/nanoseconds`",
			(unsigned long long)g->stacks.lines.number);
	return true;
}

/* Up to the types behind "Samples:"; *ret_more is false when there are none. */
static bool read_head(struct go_raw *g, bool *ret_more, struct error *err)
{
	struct bytes line;
	bool samples = false;

	while (text_stacks_line(&g->stacks, &line, ret_more, err)) {
		if (!*ret_more)
			return true;
		if (bytes_equal(line, BYTES("Locations"))) /* there are no samples */
			return go_sections_take(&g->sections, line, err);
		if (samples)
			return take_types(g, line, err);
		samples = bytes_equal(line, BYTES("Samples:"));
	}
	return false;
}

/* ---- Making stacks of it ---- */

#define STACK_TOO_DEEP UINT32_MAX

/* The stack of the profile for each stack of numbers, which its caller precedes. */
static stack_id *make_stacks(struct go_raw *g)
{
	const struct profile *numbers = &g->sections.samples.stacks;
	size_t count = numbers->stack_caller.len;
	stack_id *stacks = memory_new(count, sizeof(*stacks));
	uint32_t *depth = memory_new(count, sizeof(*depth));
	uint64_t missing = 0;

	for (size_t i = 1; i < count; i++) {
		stack_id caller = numbers->stack_caller.items[i];
		struct go_location *l =
			go_places_find(&g->sections.places, numbers->stack_location.items[i]);

		depth[i] = depth[caller] + (l && l->count ? l->count : 1);
		missing += !l;
		if (stacks[caller] == STACK_TOO_DEEP || depth[i] > READ_DEPTH_LIMIT)
			stacks[i] = STACK_TOO_DEEP;
		else
			stacks[i] = l ? go_places_follow(&g->sections.places, l, stacks[caller])
				      : profile_stack(g->stacks.profile, stacks[caller],
						text_stacks_named(&g->stacks, BYTES("[unknown]"),
							FRAME_NATIVE));
	}
	if (missing)
		profile_note(g->stacks.profile, "samples refer to missing locations, %llu times",
			(unsigned long long)missing);
	memory_free(depth);
	return stacks;
}

static bool make_samples(struct go_raw *g, struct error *err)
{
	struct text_stacks *t = &g->stacks;
	stack_id *stacks = make_stacks(g);
	uint64_t too_deep = 0;
	bool done = true;

	memset(t->total, 0, sizeof(t->total));
	for (size_t i = 0; i < g->sections.samples.rows.len && done; i++) {
		const struct go_row *row = &g->sections.samples.rows.items[i];
		struct sample sample = {.has = g->sections.samples.labelled ? SAMPLE_LABELS : 0,
			.stack = stacks[row->stack],
			.labels = row->labels};

		too_deep += sample.stack == STACK_TOO_DEEP;
		if (sample.stack == STACK_TOO_DEEP)
			continue;
		done = text_stacks_add_stack(
			t, sample, g->sections.samples.values.items + i * t->streams, err);
	}
	if (too_deep)
		profile_note(g->stacks.profile,
			"left out %llu stacks of more than " READ_DEPTH_TEXT " frames",
			(unsigned long long)too_deep);
	memory_free(stacks);
	return done;
}

static bool read_all(struct go_raw *g, const struct read_options *options, struct error *err)
{
	bool more;

	if (!read_head(g, &more, err))
		return false;
	g->sections.samples.types = g->stacks.streams;
	if (more && !go_halves_read(&g->sections, options, err))
		return false;
	g->stacks.bad = g->sections.bad;
	return make_samples(g, err) && text_stacks_finish(&g->stacks, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct go_raw g;
	bool done;

	text_stacks_open(&g.stacks, in, options, out);
	go_sections_init(&g.sections, &g.stacks.lines, out, options);
	done = read_all(&g, options, err);
	go_sections_release(&g.sections);
	text_stacks_release(&g.stacks);
	return done;
}

static int bid(struct bytes head)
{
	struct bytes line;
	int bits = 0;
	bool samples = false;

	while (bytes_line(&head, &line)) {
		if (bytes_starts_with(line, BYTES("PeriodType: ")))
			bits += 8 * 12;
		if (samples && memchr(line.at, '/', line.len))
			return bits + 8 * 4;
		samples = bytes_equal(line, BYTES("Samples:"));
		if (samples)
			bits += 8 * 8;
	}
	return 0;
}

const struct reader reader_go_raw = {
	.name = "go-raw",
	.about = "`go tool pprof -raw` text",
	.expects = GO_SAMPLE,
	.proof = "go tool pprof of Go 1.19, compared with the files that it printed",
	.bid = bid,
	.read = read,
};
