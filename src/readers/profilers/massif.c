/* massif.c: the heap of a program at its peak, as Valgrind's Massif writes it.
 *
 *	snapshot=3
 *	time=136231
 *	mem_heap_B=8000
 *	mem_heap_extra_B=40
 *	mem_stacks_B=0
 *	heap_tree=peak
 *	n2: 8000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 *	 n1: 5000 0x10919E: churn (ms.c:7)
 *	  n0: 5000 0x1091D1: main (ms.c:8)
 *	 n0: 3000 in 12 places, all below massif's threshold (1.00%)
 *
 * A line's bytes include those of the lines below it, which are its callers. Snapshots are of
 * different moments, whose bytes are not to be added up: the peak is read, or the largest one with
 * a tree where no peak was written. Source of the format: Valgrind, massif/ms_main.c. */
#include "readers/lines/line_format.h"
#include "readers/lines/nested.h"
#include "readers/profilers/valgrind_frame.h"

#define EXPECTS "a line such as ` n1: 5000 0x10919E: churn (ms.c:7)`"

struct snapshot {
	uint64_t number, time, heap, extra, stacks;
	bool peak;
	uint64_t line;	    /* of its tree's first one */
	struct buffer tree; /* lines */
};

struct massif {
	struct text_stacks stacks;
	struct nested nested;
	struct snapshot current, best; /* best.tree.len 0: none yet */
	uint64_t snapshots;
	struct buffer unit; /* of times */
	bool in_tree;
};

/* ---- Snapshots ---- */

/* The tree has ended: is it of more interest than the best one so far? */
static void end_tree(struct massif *m)
{
	struct snapshot *now = &m->current, *best = &m->best;

	if (m->in_tree && now->tree.len &&
		(!best->tree.len || now->peak > best->peak ||
			(now->peak == best->peak && now->heap > best->heap))) {
		struct buffer room = best->tree;

		*best = *now;
		now->tree = room;
	}
	m->in_tree = false;
}

static void begin_snapshot(struct massif *m, uint64_t number)
{
	struct buffer room = m->current.tree;

	room.len = 0;
	m->current = (struct snapshot){.number = number, .tree = room};
	m->snapshots++;
}

/* "heap_tree=peak" */
static void begin_tree(struct massif *m, struct bytes kind)
{
	m->current.peak = bytes_equal(kind, BYTES("peak"));
	m->in_tree = m->current.peak || bytes_equal(kind, BYTES("detailed"));
	m->current.line = m->stacks.lines.number + 1;
}

/* "mem_heap_B=8000"; what is not known has no effect. */
static bool take_value(struct massif *m, struct bytes key, struct bytes value)
{
	const struct {
		const char *key;
		uint64_t *value;
	} keys[] = {{"time", &m->current.time}, {"mem_heap_B", &m->current.heap},
		{"mem_heap_extra_B", &m->current.extra}, {"mem_stacks_B", &m->current.stacks}};
	uint64_t number;

	if (bytes_equal(key, BYTES("heap_tree"))) {
		begin_tree(m, value);
		return true;
	}
	if (bytes_equal(key, BYTES("snapshot"))) {
		if (!bytes_u64(value, &number))
			return false;
		begin_snapshot(m, number);
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (bytes_equal(key, bytes_of(keys[i].key)))
			return bytes_u64(value, keys[i].value);
	return true;
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct massif *m = self;
	struct bytes key, value = line;

	(void)err;
	if (m->in_tree && line.len && (*line.at == ' ' || *line.at == 'n')) {
		buffer_add(&m->current.tree, line.at, line.len);
		buffer_char(&m->current.tree, '\n');
		return true;
	}
	end_tree(m);
	if (!line.len || *line.at == '#')
		return true;
	if (bytes_starts_with(line, BYTES("time_unit: ")))
		buffer_set(&m->unit, (struct bytes){line.at + 11, line.len - 11});
	else if (bytes_cut(&value, '=', &key) && bytes_until(key, ' ') == key.len &&
		 !take_value(m, key, value))
		text_stacks_skip(&m->stacks, "expected a number behind `=`");
	return true;
}

/* ---- The tree ---- */

/* " n1: 5000 0x10919E: churn (ms.c:7)" */
static bool parse_line(
	struct bytes line, size_t *ret_depth, int64_t *ret_count, struct bytes *ret_frame)
{
	struct bytes word;
	uint64_t callers, count;

	*ret_depth = bytes_count_leading(line, ' ');
	line = (struct bytes){line.at + *ret_depth, line.len - *ret_depth};
	if (!line.len || *line.at != 'n' || !bytes_cut(&line, ':', &word) ||
		!bytes_u64((struct bytes){word.at + 1, word.len - 1}, &callers))
		return false;
	line = bytes_trim(line);
	if (!bytes_cut(&line, ' ', &word) || !bytes_u64(word, &count) || count > INT64_MAX)
		return false;
	*ret_count = (int64_t)count;
	*ret_frame = line;
	return line.len > 0;
}

/* "in 12 places, all below massif's threshold (1.00%)": their callers are not told. */
static location_id locate(struct massif *m, struct bytes frame)
{
	if (bytes_starts_with(frame, BYTES("in ")) && bytes_find(frame, BYTES(" threshold (")))
		return text_stacks_named(&m->stacks, BYTES("[below the threshold]"), FRAME_META);
	return valgrind_frame(&m->stacks, frame);
}

/* The first line is what all allocations have in common: it is no frame. */
static bool take_tree_line(struct massif *m, struct bytes line, struct error *err)
{
	struct bytes frame;
	int64_t count;
	size_t depth;

	if (!parse_line(line, &depth, &count, &frame)) {
		text_stacks_skip(&m->stacks, "expected " EXPECTS);
		return true;
	}
	if (!depth)
		return true;
	if (!nested_takes(&m->nested, depth - 1)) {
		text_stacks_skip(&m->stacks, "expected at most one blank more than the line above");
		return true;
	}
	return nested_add(&m->nested, depth - 1, locate(m, frame), 0, count, err);
}

static bool read_tree(struct massif *m, struct error *err)
{
	struct bytes line, tree = buffer_bytes(&m->best.tree);
	uint64_t lines = m->stacks.lines.number;
	bool done = true;

	m->stacks.lines.number = m->best.line - 1;
	while (done && bytes_line(&tree, &line)) {
		m->stacks.lines.number++;
		done = take_tree_line(m, line, err);
	}
	done = done && nested_finish(&m->nested, err);
	m->stacks.lines.number = lines;
	return done;
}

static void add_notes(const struct massif *m)
{
	const struct snapshot *best = &m->best;
	struct profile *p = m->stacks.profile;
	struct bytes unit = buffer_bytes(&m->unit);

	profile_note(p, "%s of %llu snapshots is shown: number %llu, at %llu %.*s",
		best->peak ? "the peak" : "the largest", (unsigned long long)m->snapshots,
		(unsigned long long)best->number, (unsigned long long)best->time, (int)unit.len,
		unit.at);
	if (best->extra || best->stacks)
		profile_note(p,
			"besides the blocks themselves, their administration took %llu bytes, and "
			"stacks of threads %llu",
			(unsigned long long)best->extra, (unsigned long long)best->stacks);
}

static bool end(void *self, struct error *err)
{
	struct massif *m = self;

	end_tree(m);
	if (!m->best.tree.len)
		return true;
	text_stacks_stream(&m->stacks, BYTES("heap"), BYTES("bytes"), (struct bytes){0});
	add_notes(m);
	return read_tree(m, err);
}

static void release(void *self)
{
	struct massif *m = self;

	nested_release(&m->nested);
	buffer_release(&m->current.tree);
	buffer_release(&m->best.tree);
	buffer_release(&m->unit);
}

static const struct line_format format = {.line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct massif m = {.nested = {.stacks = &m.stacks, .order = INNERMOST_FIRST}};

	return line_format_read(&format, &m, in, options, out, err);
}

/* The three lines of the header, and the first snapshot. */
static int bid(struct bytes head)
{
	return bytes_starts_with(head, BYTES("desc: ")) && bytes_find(head, BYTES("\ncmd: ")) &&
			       bytes_find(head, BYTES("\ntime_unit: ")) &&
			       bytes_find(head, BYTES("\nsnapshot=")) &&
			       bytes_find(head, BYTES("\nmem_heap_B="))
		       ? 8 * 24
		       : 0;
}

const struct reader reader_massif = {
	.name = "massif",
	.about = "the peak of the heap, written by Valgrind's Massif",
	.expects = EXPECTS,
	.proof = "Valgrind 3.19 on a program that counts its blocks, compared with ms_print",
	.bid = bid,
	.read = read,
	.one_table = true,
};
