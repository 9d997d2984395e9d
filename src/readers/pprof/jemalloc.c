/* jemalloc.c: heap profiles that jemalloc writes (MALLOC_CONF=prof:true).
 *
 *	heap_v2/524288
 *	  t*: 28106: 56637512 [0: 0]
 *	  t0: 28099: 56618752 [0: 0]
 *	@ 0x5f86da8 0x5f5a1dc 0x29e4d4e
 *	  t*: 1: 4096 [0: 0]
 *	  t0: 1: 4096 [0: 0]
 *
 *	MAPPED_LIBRARIES:
 *
 * t* is the sum of the threads below it, which are left out. What was allocated in all is known
 * only with prof_accum. Source of the format: jemalloc, src/prof_data.c. */
#include "readers/lines/line_format.h"
#include "readers/pprof/address_stacks.h"
#include "readers/pprof/heap_record.h"

#define EXPECTS "`@ 0x5f86da8 0x5f5a1dc` and below it counts such as `t*: 3: 4096 [0: 0]`"

struct jemalloc {
	struct text_stacks stacks;
	struct address_stacks addresses;
	const struct read_options *options;
	enum { HEADING, TOTALS, STACKS, MAPPINGS } section;
	bool is_open; /* addresses have been read, and their counts not yet */
	uint64_t rate;
	size_t values; /* of a record */
};

/* "heap_v2/524288" */
static bool parse_heading(struct bytes line, uint64_t *ret_rate)
{
	return bytes_starts_with(line, BYTES("heap_v2/")) &&
	       bytes_u64((struct bytes){line.at + 8, line.len - 8}, ret_rate);
}

/* "t*: 28106: 56637512 [0: 0]" */
static bool parse_counts(struct bytes line, int64_t ret_values[HEAP_VALUES])
{
	if (!bytes_starts_with(line, BYTES("t*:")))
		return false;
	line = (struct bytes){line.at + 3, line.len - 3};
	return heap_record_parse(&line, ret_values) && !bytes_trim(line).len;
}

static bool is_thread(struct bytes line)
{
	return line.len > 2 && *line.at == 't' && is_digit(line.at[1]);
}

static void skip(struct jemalloc *j, const char *reason)
{
	j->is_open = false;
	text_stacks_skip(&j->stacks, reason);
}

/* The sums of all records. */
static void take_totals(struct jemalloc *j, struct bytes line)
{
	int64_t totals[HEAP_VALUES] = {0};

	if (!parse_counts(line, totals))
		skip(j, "expected totals such as `t*: 28106: 56637512 [0: 0]`");
	j->values = totals[ALLOC_OBJECTS] || totals[ALLOC_SPACE] ? HEAP_VALUES : ALLOC_SPACE;
	heap_record_streams(&j->stacks, j->values);
	j->section = STACKS;
}

static void take_counts(struct jemalloc *j, struct bytes line)
{
	int64_t values[HEAP_VALUES];

	if (!parse_counts(line, values) || !heap_record_scale(values, j->rate))
		skip(j, "expected " EXPECTS);
	else
		address_stacks_add(&j->addresses, j->stacks.lines.number, values, j->values);
	j->is_open = false;
}

static void take_stack(struct jemalloc *j, struct bytes line)
{
	if (j->is_open)
		skip(j, "expected " EXPECTS);
	j->is_open = address_stacks_parse(&j->addresses, (struct bytes){line.at + 1, line.len - 1});
	if (!j->is_open)
		skip(j, "expected " EXPECTS);
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct jemalloc *j = self;

	line = bytes_trim(line);
	if (j->section == HEADING && !parse_heading(line, &j->rate))
		return error_set(err, ERR_FORMAT, "line 1: expected `heap_v2/` and a number");
	if (j->section == HEADING)
		j->section = TOTALS;
	else if (address_stacks_maps_start(line))
		j->section = MAPPINGS;
	else if (j->section == MAPPINGS)
		address_stacks_map(&j->addresses, line);
	else if (!line.len || is_thread(line))
		return true;
	else if (j->section == TOTALS)
		take_totals(j, line);
	else if (*line.at == '@')
		take_stack(j, line);
	else if (j->is_open)
		take_counts(j, line);
	else
		skip(j, "expected " EXPECTS);
	return true;
}

static bool end(void *self, struct error *err)
{
	struct jemalloc *j = self;

	if (j->is_open)
		skip(j, "expected " EXPECTS);
	heap_record_note(j->stacks.profile, j->rate);
	return address_stacks_finish(&j->addresses, &j->stacks, j->options, err);
}

static void release(void *self)
{
	address_stacks_release(&((struct jemalloc *)self)->addresses);
}

static const struct line_format format = {.line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct jemalloc j = {.options = options};

	return line_format_read(&format, &j, in, options, out, err);
}

/* The heading, and the totals below it. */
static int bid(struct bytes head)
{
	int64_t totals[HEAP_VALUES];
	struct bytes line;
	uint64_t rate;

	return bytes_line(&head, &line) && parse_heading(line, &rate) && bytes_line(&head, &line) &&
			       parse_counts(bytes_trim(line), totals)
		       ? 8 * 16
		       : 0;
}

const struct reader reader_jemalloc = {
	.name = "jemalloc",
	.about = "heap profiles of jemalloc (MALLOC_CONF=prof:true)",
	.expects = EXPECTS,
	.proof = "jemalloc 5.3 on a program that counts its allocations",
	.bid = bid,
	.read = read,
	.one_table = true,
};
