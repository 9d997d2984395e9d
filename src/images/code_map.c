/* code_map.c: which code was at an address, and when?
 *
 * The problem: millions of pieces that overlap in any way, in space and time; find all that contain
 * an address. Pieces are sorted by start, and a binary tree over the sorted list stores in each
 * node the furthest end of the pieces below it (an interval tree in an array). A search starts at
 * the root and skips each subtree that ends before the address, or that starts behind it; what
 * remains are the pieces around the address. Of those, the time decides: the valid one that was
 * written last, which is the one with the highest index. The cost is O(log n) for each piece found,
 * and few pieces ever lie at one address. A tree keyed by address and time would need its ranges
 * split at every overlap.
 *
 * The tree is built at the first lookup after a change: a map is filled once and then searched. */
#include "images/code_map.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/search.h"

#include <stdlib.h>

#define NEVER	   UINT64_MAX
#define STEPS_FREE 16u /* pieces at one address that a lookup visits without counting them */

struct piece {
	uint64_t start, end;
	uint64_t from, until;
	const char *name;
	uint32_t name_len, line_count;
	size_t first_line;
};

/* The piece that was written last at one start. */
struct latest {
	uint64_t start;
	uint32_t piece;
};

struct order {
	uint64_t start;
	uint32_t piece;
};

struct code_map {
	VECTOR(struct piece) pieces; /* in the order in which they were written */
	VECTOR(struct code_line) lines;
	VECTOR(struct latest) latest;
	struct id_map by_start; /* index in `latest`, plus one */
	struct arena text;
	uint64_t dropped;
	uint64_t *steps; /* or NULL */

	/* Built at the first lookup: */
	VECTOR(struct order) sorted; /* by ascending start */
	uint64_t *reach; /* for each node, the furthest end below it; its children are 2n and 2n + 1
			  */
	size_t leaves;	 /* a power of two; leaf i is node leaves + i */
	uint64_t overlapping;
};

struct code_map *code_map_new(void)
{
	return memory_new(1, sizeof(struct code_map));
}

void code_map_count_steps(struct code_map *map, uint64_t *steps)
{
	map->steps = steps;
}

void code_map_release(struct code_map *map)
{
	if (!map)
		return;
	vector_release(&map->pieces);
	vector_release(&map->lines);
	vector_release(&map->latest);
	id_map_release(&map->by_start);
	arena_release(&map->text);
	vector_release(&map->sorted);
	memory_free(map->reach);
	memory_free(map);
}

/* ---- Writing ---- */

/* The row for a start, added if it is missing. */
static struct latest *latest_at(struct code_map *map, uint64_t start)
{
	uint64_t hash = hash_pair(start, 0);
	size_t at = id_map_first(&map->by_start, hash);

	for (uint32_t id; (id = id_map_candidate(&map->by_start, hash, &at));)
		if (map->latest.items[id - 1].start == start)
			return &map->latest.items[id - 1];
	vector_push(&map->latest, ((struct latest){start, UINT32_MAX}));
	id_map_insert_at(&map->by_start, hash, at, (uint32_t)map->latest.len);
	return &map->latest.items[map->latest.len - 1];
}

static void push(struct code_map *map, const struct piece *piece)
{
	if (map->pieces.len >= CODE_PIECES_LIMIT) {
		map->dropped++;
		return;
	}
	latest_at(map, piece->start)->piece = (uint32_t)map->pieces.len;
	vector_push(&map->pieces, *piece);
}

static uint64_t end_of(uint64_t start, uint64_t size)
{
	return size > UINT64_MAX - start ? UINT64_MAX : start + size;
}

void code_map_add(struct code_map *map, const struct code_piece *piece)
{
	struct piece own = {piece->start, end_of(piece->start, piece->size), piece->from, NEVER,
		.name_len = (uint32_t)piece->name.len, .line_count = (uint32_t)piece->line_count,
		.first_line = map->lines.len};
	struct bytes last = {0}, given = {0};

	if (map->pieces.len < CODE_PIECES_LIMIT)
		own.name = arena_copy(&map->text, piece->name.at, piece->name.len);
	for (size_t i = 0; own.name && i < piece->line_count; i++) {
		struct code_line line = piece->lines[i];

		if (!last.at || !bytes_equal(line.file, given))
			last = (struct bytes){
				arena_copy(&map->text, line.file.at, line.file.len), line.file.len};
		given = line.file;
		line.file = last;
		vector_push(&map->lines, line);
	}
	push(map, &own);
}

void code_map_remove(struct code_map *map, uint64_t start, uint64_t time)
{
	struct latest *latest = latest_at(map, start);
	struct piece *piece;

	if (latest->piece == UINT32_MAX)
		return;
	piece = &map->pieces.items[latest->piece];
	piece->until = time < piece->until ? time : piece->until;
}

void code_map_move(struct code_map *map, uint64_t start, uint64_t to, uint64_t time)
{
	struct latest *latest = latest_at(map, start);
	struct piece piece;

	if (latest->piece == UINT32_MAX)
		return;
	piece = map->pieces.items[latest->piece];
	code_map_remove(map, start, time);
	piece.end = end_of(to, piece.end - piece.start);
	piece.line_count = 0; /* the addresses of its lines are in the old place */
	piece.start = to;
	piece.from = time;
	piece.until = NEVER;
	push(map, &piece);
}

void code_map_remove_all(struct code_map *map, uint64_t time)
{
	for (size_t i = 0; i < map->pieces.len; i++)
		if (map->pieces.items[i].until > time)
			map->pieces.items[i].until = time;
}

/* ---- Looking ---- */

static int order_compare(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->piece < y->piece ? -1 : x->piece > y->piece;
}

static void sort_pieces(struct code_map *map)
{
	map->sorted.len = 0;
	vector_reserve(&map->sorted, map->pieces.len);
	for (size_t i = 0; i < map->pieces.len; i++)
		vector_push(
			&map->sorted, ((struct order){map->pieces.items[i].start, (uint32_t)i}));
	if (map->sorted.len)
		qsort(map->sorted.items, map->sorted.len, sizeof(*map->sorted.items),
			order_compare);
}

static void prepare(struct code_map *map)
{
	uint64_t furthest = 0;

	if (map->sorted.len == map->pieces.len)
		return;
	sort_pieces(map);
	for (map->leaves = 1; map->leaves < map->pieces.len; map->leaves *= 2)
		;
	memory_free(map->reach);
	map->reach = memory_new(2 * map->leaves, sizeof(*map->reach));
	map->overlapping = 0;
	for (size_t i = 0; i < map->pieces.len; i++) {
		const struct piece *piece = &map->pieces.items[map->sorted.items[i].piece];

		map->reach[map->leaves + i] = piece->end;
		map->overlapping += piece->start < furthest;
		furthest = piece->end > furthest ? piece->end : furthest;
	}
	for (size_t i = map->leaves; i-- > 1;)
		map->reach[i] = map->reach[2 * i] > map->reach[2 * i + 1] ? map->reach[2 * i]
									  : map->reach[2 * i + 1];
}

/* Iterates over the pieces around an address. */
struct walk {
	uint64_t address;
	size_t limit; /* pieces of `sorted` that start at or below it */
	size_t nodes[2 * 8 * sizeof(size_t)];
	size_t depth;
	uint64_t found; /* pieces */
	bool cut;	/* stopped at the limit of steps: there may be more pieces */
};

static void walk_init(struct walk *w, struct code_map *map, uint64_t address)
{
	prepare(map);
	w->address = address;
	w->limit = search_up_to(&map->sorted, start, address);
	w->depth = 0;
	w->found = 0;
	w->cut = false;
	if (w->limit)
		w->nodes[w->depth++] = 1;
}

/* The first leaf below a node. */
static size_t first_leaf(const struct code_map *map, size_t node)
{
	while (node < map->leaves)
		node *= 2;
	return node - map->leaves;
}

/* Count a found piece. True: the limit of steps is reached, and the walk ends. */
static bool walk_ends(struct walk *w, const struct code_map *map)
{
	if (!map->steps || ++w->found <= STEPS_FREE)
		return false;
	w->cut = *map->steps >= CODE_STEPS_LIMIT;
	*map->steps += !w->cut;
	return w->cut;
}

static const struct piece *walk_next(struct walk *w, const struct code_map *map)
{
	while (w->depth) {
		size_t node = w->nodes[--w->depth];

		if (map->reach[node] <= w->address || first_leaf(map, node) >= w->limit)
			continue;
		if (node >= map->leaves && walk_ends(w, map))
			break;
		if (node >= map->leaves)
			return &map->pieces.items[map->sorted.items[node - map->leaves].piece];
		w->nodes[w->depth++] = 2 * node;
		w->nodes[w->depth++] = 2 * node + 1;
	}
	return NULL;
}

static bool existed_at(const struct piece *piece, uint64_t time)
{
	return piece->from <= time &&
	       (time == CODE_LATEST || piece->until == NEVER || time < piece->until);
}

/* Comparing pointers to pieces compares the order of writing. */
bool code_map_find(struct code_map *map, uint64_t address, uint64_t time, struct code_piece *ret)
{
	const struct piece *found = NULL, *next = NULL;
	struct walk w;

	walk_init(&w, map, address);
	for (const struct piece *piece; (piece = walk_next(&w, map));) {
		if (existed_at(piece, time))
			found = !found || piece > found ? piece : found;
		else if (piece->from > time)
			next = !next || piece < next ? piece : next;
	}
	found = found ? found : next;
	if (!found || w.cut)
		return false;
	*ret = (struct code_piece){found->start, found->end - found->start, found->from,
		{found->name, found->name_len}, NULL, found->line_count};
	if (found->line_count)
		ret->lines = map->lines.items + found->first_line;
	return true;
}

bool code_map_reused(struct code_map *map, uint64_t address)
{
	const struct piece *first = NULL;
	struct walk w;

	walk_init(&w, map, address);
	for (const struct piece *piece; (piece = walk_next(&w, map));) {
		if (first && !bytes_equal((struct bytes){piece->name, piece->name_len},
				     (struct bytes){first->name, first->name_len}))
			return true;
		first = piece;
	}
	return false;
}

const struct code_line *code_piece_line(const struct code_piece *piece, uint64_t address)
{
	const struct code_line *found = NULL;

	for (size_t i = 0; i < piece->line_count && piece->lines[i].address <= address; i++)
		found = &piece->lines[i];
	return found;
}

struct code_map_counts code_map_counts(struct code_map *map)
{
	prepare(map);
	return (struct code_map_counts){map->pieces.len, map->overlapping, map->dropped};
}
