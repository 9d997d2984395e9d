/* folded_lines.c: how are the stacks of a call tree written as sorted lines?
 *
 * The lines have to be sorted bytewise, as the classic tools do it. Making all lines and sorting
 * them would need memory for the whole text, often several GB, and compare the long common prefixes
 * of lines again and again. Instead the siblings in the tree are sorted (sorted_stacks.h), and a
 * walk through the tree produces the lines in order, with the caller's path already in a buffer
 * (struct path).
 *
 * To use several threads, the text is divided into pieces before any of it is made: one backward
 * sweep computes for each node the bytes of the lines below it, and a walk that descends only
 * into large subtrees finds where a piece begins (find_pieces). Threads produce pieces, and
 * output_pieces.c writes them in order. Siblings below small nodes are sorted by the thread that
 * needs them. `bench/fold.sh` and `bench/diff.sh` measure it. */
#include "renderers/folded_lines.h"

#include "base/expansion.h"
#include "base/memory.h"
#include "base/output_pieces.h"
#include "base/parallel.h"

#include <stdlib.h>

/* Bytes of a piece, so that it stays in a CPU's own cache. The last subtree may add as many
 * again, plus one line. */
#define PIECE ((uint32_t)96 << 10)

#define LINE_LIMIT ((uint32_t)256 << 20) /* bytes: the reader's INPUT_WINDOW_LIMIT */

/* From this many nodes on, preparing in several threads is faster than in one. */
#define PARALLEL_NODES_MIN ((size_t)64 << 10)

struct writing {
	const struct folded_lines *lines;
	struct sorted_stacks sorted_stacks;
	uint32_t *length; /* of every node: bytes of its line, without values; at most UINT32_MAX */
	uint32_t *below;  /* of every node: bytes of the lines below it */
	uint64_t all;	  /* bytes of all lines, without values */
	uint32_t longest; /* bytes of the longest line */
	VECTOR(uint32_t) starts; /* of every piece: its first visit, plus 1 */
};

/* ---- Pieces ---- */

/* `at` links to a visit below `*inside`. At the end of that list (0), go to the next visit below
 * the nearest caller that has one; `*inside` becomes that caller. */
static uint32_t next_visit(const struct writing *w, uint32_t at, node_id *inside)
{
	while (!at && *inside) {
		at = sorted_stacks_next(&w->sorted_stacks, 2 * *inside + 1);
		*inside = w->lines->caller[*inside];
	}
	return at;
}

static uint32_t add_saturating(uint32_t a, uint32_t b)
{
	uint32_t sum = a + b;

	return sum < a ? UINT32_MAX : sum;
}

static void find_lengths(struct writing *w)
{
	const struct folded_lines *l = w->lines;

	w->length = memory_new_table(l->nodes, sizeof(*w->length));
	w->below = memory_new_table(l->nodes, sizeof(*w->below));
	for (size_t i = 1; i < l->nodes; i++) {
		size_t own = l->texts[l->text[i]].len + 1;

		w->length[i] = add_saturating(
			w->length[l->caller[i]], own < UINT32_MAX ? (uint32_t)own : UINT32_MAX);
	}
	for (size_t i = l->nodes; i-- > 1;) {
		uint32_t all = add_saturating(w->below[i], l->ends[i] ? w->length[i] : 0);

		w->below[l->caller[i]] = add_saturating(w->below[l->caller[i]], all);
		w->all += l->ends[i] ? w->length[i] : 0;
		if (l->ends[i] && w->length[i] > w->longest)
			w->longest = w->length[i];
	}
}

/* Is there more text below the node than one piece has? Then its callees are divided among
 * pieces. */
static bool is_large(const struct writing *w, node_id node)
{
	return w->below[node] > PIECE;
}

static void find_pieces(struct writing *w)
{
	struct sorted_stacks_scratch room = {0};
	uint32_t at, bytes = PIECE;
	node_id inside = 0;

	sorted_stacks_sort(&w->sorted_stacks, 0, &room);
	at = sorted_stacks_first(&w->sorted_stacks, 0);
	while ((at = next_visit(w, at, &inside))) {
		node_id node = (at - 1) / 2;
		bool own = (at - 1) % 2 == 0;

		if (!own && is_large(w, node)) {
			inside = node;
			sorted_stacks_sort(&w->sorted_stacks, node, &room);
			at = sorted_stacks_first(&w->sorted_stacks, node);
			continue;
		}
		if (bytes >= PIECE) {
			vector_push(&w->starts, at);
			bytes = 0;
		}
		bytes = add_saturating(bytes, own ? w->length[node] : w->below[node]);
		at = sorted_stacks_next(&w->sorted_stacks, at - 1);
	}
	vector_release(&room.keys);
}

/* ---- Text ---- */

static void add_line(
	const struct folded_lines *l, node_id node, struct bytes callers, struct buffer *text)
{
	int64_t value[2] = {l->self[0][node], l->sides == 2 ? l->self[1][node] : 0};

	if (l->share) {
		value[0] = sides_share(l->share, value[0]);
		if (!value[0] && !value[1])
			return;
	}
	buffer_add(text, callers.at, callers.len);
	if (node)
		buffer_add(text, l->texts[l->text[node]].at, l->texts[l->text[node]].len);
	for (size_t side = 0; side < l->sides && side < 2; side++) {
		buffer_char(text, ' ');
		buffer_decimal(text, value[side], l->decimals);
	}
	buffer_char(text, '\n');
}

/* The text in front of the names of a node's callees, and its length at each level. */
struct path {
	struct buffer text;
	VECTOR(size_t) lengths;
};

static void path_enter(struct path *p, const struct folded_lines *l, node_id node)
{
	struct bytes text = l->texts[l->text[node]];

	p->text.len = p->lengths.len ? p->lengths.items[p->lengths.len - 1] : 0;
	buffer_add(&p->text, text.at, text.len);
	buffer_char(&p->text, ';');
	vector_push(&p->lengths, p->text.len);
}

static struct bytes path_text(const struct path *p)
{
	size_t len = p->lengths.len ? p->lengths.items[p->lengths.len - 1] : 0;

	return (struct bytes){len ? p->text.at : "", len};
}

/* Start with the path of `node`. */
static void path_init(struct path *p, const struct folded_lines *l, node_id node)
{
	VECTOR(node_id) callers = {0};

	*p = (struct path){0};
	for (; node; node = l->caller[node])
		vector_push(&callers, node);
	while (callers.len)
		path_enter(p, l, callers.items[--callers.len]);
	vector_release(&callers);
}

/* Prefetch the next visit while this one is written: in the order of texts, nodes are anywhere
 * in memory. */
static uint32_t fetch(const struct writing *w, uint32_t visit)
{
	node_id node = visit ? (visit - 1) / 2 : 0;

	__builtin_prefetch(&w->sorted_stacks.of_node[node]);
	__builtin_prefetch(&w->lines->self[0][node]);
	return visit;
}

/* Depth first, without recursion, up to the start of the next piece. Nodes with much text below
 * them are sorted already, by find_pieces. */
static void make_piece(void *context, size_t i, struct buffer *text)
{
	struct writing *w = context;
	const struct folded_lines *l = w->lines;
	uint32_t at = w->starts.items[i], end = i + 1 < w->starts.len ? w->starts.items[i + 1] : 0;
	node_id inside = l->caller[(at - 1) / 2];
	struct sorted_stacks_scratch room = {0};
	struct path path;

	path_init(&path, l, inside);
	for (;;) {
		node_id node;

		for (; !at && inside; inside = l->caller[inside], path.lengths.len--)
			at = sorted_stacks_next(&w->sorted_stacks, 2 * inside + 1);
		if (at == end)
			break;
		node = (at - 1) / 2;
		if ((at - 1) & 1) {
			inside = node;
			if (!is_large(w, node))
				sorted_stacks_sort(&w->sorted_stacks, node, &room);
			at = fetch(w, sorted_stacks_first(&w->sorted_stacks, node));
			path_enter(&path, l, node);
		} else {
			at = fetch(w, sorted_stacks_next(&w->sorted_stacks, at - 1));
			add_line(l, node, path_text(&path), text);
		}
	}
	buffer_release(&path.text);
	vector_release(&path.lengths);
	vector_release(&room.keys);
}

/* Independent preparations for all nodes, run in threads; the longest comes first. */
#define PREPARED 3u

static void prepare(void *context, size_t part)
{
	struct writing *w = context;
	const struct folded_lines *l = w->lines;
	struct sorted_stacks_source source = {
		l->caller, l->text, l->ends, l->nodes, l->texts, l->text_count};

	if (part == 0)
		sorted_stacks_link(&w->sorted_stacks, &source);
	else if (part == 1)
		sorted_stacks_rank(&w->sorted_stacks, &source);
	else
		find_lengths(w);
}

/* Checked before any text is made: each thread holds some lines. */
static bool lines_fit(const struct writing *w, struct output *out)
{
	if (out->failed.code)
		return false;
	if (w->longest > LINE_LIMIT)
		return error_set(&out->failed, ERR_LIMIT,
			"a stack of more than %u MB as one line: choose another format",
			LINE_LIMIT >> 20);
	return !out->limit || w->all <= out->limit ||
	       expansion_error("the output", out->limit, &out->failed);
}

void folded_lines_write(const struct folded_lines *l, struct output *out)
{
	struct writing w = {.lines = l};

	parallel_run(l->nodes < PARALLEL_NODES_MIN ? 1 : parallel_thread_count(2), 1, PREPARED,
		prepare, &w);
	if (l->ends[0]) {
		struct buffer text = {0};

		add_line(l, 0, (struct bytes){"", 0}, &text);
		output_write(out, buffer_bytes(&text));
		buffer_release(&text);
	}
	if (lines_fit(&w, out))
		find_pieces(&w);
	/* Shares depend on those written before: one thread. */
	output_write_pieces(out, l->share ? 1 : SIZE_MAX, w.starts.len, make_piece, &w);
	vector_release(&w.starts);
	memory_free(w.length);
	memory_free(w.below);
	sorted_stacks_release(&w.sorted_stacks);
}
