/* gperftools_text.c: heap and contention profiles that gperftools and other tcmallocs write.
 *
 *	heap profile:    100:   100000 [   300:   700000] @ heapprofile
 *	   100:   100000 [   100:   100000] @ 0x558a60ec31c5 0x558a60ec3219
 *
 *	MAPPED_LIBRARIES:
 *	558a60ec3000-558a60ec4000 r-xp 00001000 fe:00 10953510 /bin/app
 *
 * "@ heap_v2/524288" is sampled, one allocation in that many bytes; "@ growthz" is how the heap
 * grew, "@ fragmentationz" what is lost in it. "--- contentionz 1 ---" has settings and records as
 * Go's text has them (go_text.c), all of which are estimates, too. Without the names of functions,
 * Go's own text is read here: "@ heap/1048576" is sampled with half of that rate, and "threadcreate
 * profile: total 7" has records of one count. Sources of the format: gperftools,
 * src/heap-profile-table.cc; google/pprof, profile/legacy_profile.go. */
#include "readers/lines/line_format.h"
#include "readers/pprof/address_stacks.h"
#include "readers/pprof/heap_record.h"

#define EXPECTS "a record such as `300: 1228800 [300: 1228800] @ 0x4b517d 0x4b52c5`"

struct gperftools_text {
	struct text_stacks stacks;
	struct address_stacks addresses;
	const struct read_options *options;
	enum { NONE, HEAP, CONTENTION, COUNT, MAPPINGS } section;
	size_t values;		 /* of a record */
	uint64_t cycles, period; /* of contentions: per second; one in so many is recorded */
	uint64_t rate;		 /* of a heap: one sample in so many bytes */
	uint64_t discarded;	 /* contentions */
};

/* ---- The heading ---- */

static const struct {
	const char *name;
	unsigned per_rate; /* one in as many bytes as the number behind the name, divided by this,
			      is sampled; 0: there is no number, all are there */
} heap_types[] = {{"heapprofile", 0}, {"heap_v2/", 1}, {"heapz_v2/", 1}, {"heap/", 2},
	{"growthz", 0}, {"fragmentationz", 0}};

/* "heap profile: 3: 4096 [5: 8192] @ heap_v2/524288": its totals and its rate (0: all are there).
 */
static bool parse_heap_heading(
	struct bytes line, int64_t ret_totals[HEAP_VALUES], uint64_t *ret_rate)
{
	if (!bytes_starts_with(line, BYTES("heap profile:")))
		return false;
	line = (struct bytes){line.at + 13, line.len - 13};
	if (!heap_record_parse(&line, ret_totals))
		return false;
	line = bytes_trim(line);
	if (!bytes_starts_with(line, BYTES("@ ")))
		return false;
	line = bytes_trim((struct bytes){line.at + 2, line.len - 2});
	*ret_rate = 0;
	for (size_t i = 0; i < sizeof(heap_types) / sizeof(*heap_types); i++) {
		struct bytes name = bytes_of(heap_types[i].name);

		if (!heap_types[i].per_rate && bytes_equal(line, name))
			return true;
		if (!heap_types[i].per_rate || !bytes_starts_with(line, name))
			continue;
		line = (struct bytes){line.at + name.len, line.len - name.len};
		if (!bytes_u64(line, ret_rate))
			return false;
		*ret_rate /= heap_types[i].per_rate;
		return true;
	}
	return false;
}

static bool is_contention_heading(struct bytes line)
{
	return bytes_starts_with(line, BYTES("--- contentionz ")) ||
	       bytes_equal(line, BYTES("--- contention:")) ||
	       bytes_equal(line, BYTES("--- mutex:"));
}

/* "threadcreate profile: total 7" */
static bool is_count_heading(struct bytes line, struct bytes *ret_name)
{
	const char *at = bytes_find(line, BYTES(" profile: total "));

	*ret_name = (struct bytes){line.at, at ? (size_t)(at - line.at) : 0};
	return ret_name->len;
}

/* What was allocated in all is not known when the file has zeroes for it, or the same numbers
 * again.
 */
static size_t heap_values(const int64_t totals[HEAP_VALUES])
{
	bool known = totals[ALLOC_OBJECTS] || totals[ALLOC_SPACE];
	bool same = totals[ALLOC_OBJECTS] == totals[INUSE_OBJECTS] &&
		    totals[ALLOC_SPACE] == totals[INUSE_SPACE];

	return known && !same ? HEAP_VALUES : ALLOC_SPACE;
}

static void take_heading(struct gperftools_text *g, struct bytes line)
{
	int64_t totals[HEAP_VALUES];
	struct bytes name;

	if (parse_heap_heading(line, totals, &g->rate)) {
		g->section = HEAP;
		g->values = heap_values(totals);
		heap_record_streams(&g->stacks, g->values);
	} else if (is_contention_heading(line)) {
		g->section = CONTENTION;
		g->values = 2;
		text_stacks_stream(&g->stacks, BYTES("delay"), BYTES("ns"), (struct bytes){0});
		text_stacks_stream(
			&g->stacks, BYTES("contentions"), BYTES("count"), (struct bytes){0});
	} else if (is_count_heading(line, &name)) {
		g->section = COUNT;
		g->values = 1;
		text_stacks_stream(&g->stacks, name, BYTES("count"), (struct bytes){0});
	} else {
		text_stacks_skip(&g->stacks, "expected `heap profile: ` or `--- contentionz `");
	}
}

/* "cycles/second = 2400000000"; a setting that is not known has no effect. */
static bool take_setting(struct gperftools_text *g, struct bytes line)
{
	struct bytes name;
	uint64_t *number = NULL, ignored;

	if (!bytes_cut(&line, '=', &name))
		return false;
	name = bytes_trim(name);
	if (bytes_equal(name, BYTES("cycles/second")))
		number = &g->cycles;
	else if (bytes_equal(name, BYTES("sampling period")))
		number = &g->period;
	else if (bytes_equal(name, BYTES("discarded samples")))
		number = &g->discarded;
	return bytes_u64(bytes_trim(line), number ? number : &ignored) && g->period;
}

/* ---- Records ---- */

/* "453775084 3 @ 0x4b5a25": cycles of waiting and how often; one in `period` is recorded. */
static bool parse_contention(
	const struct gperftools_text *g, struct bytes *line, int64_t ret_values[HEAP_VALUES])
{
	double ns;

	if (!heap_record_count(line, ' ', &ret_values[0]) ||
		!heap_record_count(line, '@', &ret_values[1]))
		return false;
	ns = (double)ret_values[0] * (double)g->period;
	if (g->cycles)
		ns = ns * 1e9 / (double)g->cycles;
	if (!(ns < 0x1p63) || g->period > INT64_MAX ||
		__builtin_mul_overflow(ret_values[1], (int64_t)g->period, &ret_values[1]))
		return false;
	ret_values[0] = (int64_t)ns;
	return true;
}

static bool parse_heap(
	const struct gperftools_text *g, struct bytes *line, int64_t ret_values[HEAP_VALUES])
{
	struct bytes at;

	return heap_record_parse(line, ret_values) && bytes_cut(line, '@', &at) &&
	       !bytes_trim(at).len && heap_record_scale(ret_values, g->rate);
}

static void take_record(struct gperftools_text *g, struct bytes line)
{
	int64_t values[HEAP_VALUES];
	bool parsed = g->section == HEAP    ? parse_heap(g, &line, values)
		      : g->section == COUNT ? heap_record_count(&line, '@', &values[0])
					    : parse_contention(g, &line, values);

	if (parsed && address_stacks_parse(&g->addresses, line))
		address_stacks_add(&g->addresses, g->stacks.lines.number, values, g->values);
	else
		text_stacks_skip(
			&g->stacks, g->section == HEAP ? "expected " EXPECTS
				    : g->section == COUNT
					    ? "expected a record such as `3 @ 0x4b5a25`"
					    : "expected a record such as `453775084 3 @ 0x4b5a25`");
}

/* ---- Lines ---- */

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct gperftools_text *g = self;

	(void)err;
	line = bytes_trim(line);
	if (address_stacks_maps_start(line))
		g->section = MAPPINGS;
	else if (g->section == MAPPINGS)
		address_stacks_map(&g->addresses, line);
	else if (!line.len || *line.at == '#')
		return true;
	else if (!g->section)
		take_heading(g, line);
	else if (g->section != CONTENTION || !take_setting(g, line))
		take_record(g, line);
	return true;
}

/* A discarded sample stood for as many contentions as one that was kept. */
static void add_discarded(struct gperftools_text *g)
{
	uint64_t contentions;

	if (g->values == 2 && g->stacks.streams && g->discarded &&
		!__builtin_mul_overflow(g->discarded, g->period, &contentions) &&
		contentions <= PROFILE_COUNT_LIMIT)
		profile_add_loss(g->stacks.profile, g->stacks.first_stream + 1, BYTES("discarded"),
			contentions);
}

static bool end(void *self, struct error *err)
{
	struct gperftools_text *g = self;

	heap_record_note(g->stacks.profile, g->rate);
	add_discarded(g);
	return address_stacks_finish(&g->addresses, &g->stacks, g->options, err);
}

static void release(void *self)
{
	address_stacks_release(&((struct gperftools_text *)self)->addresses);
}

static const struct line_format format = {.line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct gperftools_text g = {.options = options, .period = 1};

	return line_format_read(&format, &g, in, options, out, err);
}

/* All of a heading that Go does not write, and below it a record or a setting. */
static int bid(struct bytes head)
{
	int64_t totals[HEAP_VALUES];
	uint64_t rate;
	struct bytes line, name;

	if (!bytes_line(&head, &line))
		return 0;
	if (is_count_heading(line, &name))
		return bytes_find(head, BYTES(" @ 0x")) ? 8 * 20 : 0;
	if (parse_heap_heading(line, totals, &rate))
		return 8 * 20 + (bytes_find(head, BYTES("] @")) ? 8 * 4 : 0);
	return is_contention_heading(line) && bytes_find(head, BYTES("cycles/second")) ? 8 * 28 : 0;
}

const struct reader reader_gperftools_text = {
	.name = "gperftools-text",
	.about =
		"heap and contention profiles of gperftools and other tcmallocs (HEAPPROFILE=file)",
	.expects = EXPECTS,
	.proof =
		"gperftools 2.10 on a program that counts its allocations; sampled ones as go tool "
		"pprof of Go 1.19 scales them",
	.bid = bid,
	.blanks = true,
	.read = read,
	.one_table = true,
};
