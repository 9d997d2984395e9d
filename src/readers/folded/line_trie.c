/* line_trie.c: lines that come in any order, sorted.
 *
 * A line is cut into pieces of 128 to 255 bytes, each up to the first ';' in that span, so that
 * lines with equal starts are cut at equal places. A node of the trie is a piece behind another
 * node. It is found by one hash table whose key is the hash of the line's text from its start to
 * the piece's end: all pieces of a line can be looked up at once, instead of one after the other.
 * line_trie_fetch does that for a group of lines, and prefetches what their lookups will read,
 * since most of the time would go into waiting for memory. A second table finds the text of a piece
 * where it was stored behind another node, to store it once.
 *
 * line_trie_sort sorts the pieces behind each node by their bytes, and then lists all nodes in
 * depth-first order, which is the order of the lines. */
#include "readers/folded/line_trie.h"

#include "readers/lines/scan.h"

#include <assert.h>
#include <stdlib.h>

#define PIECES_LIMIT UINT32_MAX
#define CACHE_LINE   64u /* bytes */
#define FEW	     24u /* pieces that are sorted by insertion */
#define SOON	     8u	 /* pieces from here */

void line_trie_release(struct line_trie *t)
{
	vector_release(&t->pieces);
	arena_release(&t->texts);
	id_map_release(&t->by_start);
	id_map_release(&t->by_text);
	vector_release(&t->sorted);
	*t = (struct line_trie){0};
}

void line_search_release(struct line_search *s)
{
	vector_release(&s->steps);
	*s = (struct line_search){0};
}

/* ---- Finding ---- */

static struct bytes step_text(const struct line_search *s, size_t i)
{
	const struct line_step *step = &s->steps.items[i];

	return (struct bytes){s->line.at + step->start, step->len};
}

/* A cut depends only on the bytes before it: lines with a common start are cut alike, and of two
 * pieces behind the same one, neither is the start of the other if it has pieces behind it. */
static size_t cut_piece(struct bytes rest)
{
	size_t most = rest.len < LINE_PIECE_LIMIT ? rest.len : LINE_PIECE_LIMIT;
	const char *end = NULL;

	if (most >= LINE_PIECE_MIN)
		end = memchr(rest.at + LINE_PIECE_MIN - 1, ';', most - LINE_PIECE_MIN + 1);
	return end ? (size_t)(end + 1 - rest.at) : most;
}

/* A step's hash covers all bytes up to its end: lookups do not wait for earlier ones. */
static void cut_line(struct line_search *s)
{
	struct bytes rest = s->line;
	uint64_t hash = 0;

	s->steps.len = 0;
	while (rest.len) {
		struct line_step step = {.start = (uint32_t)(rest.at - s->line.at),
			.len = (uint32_t)cut_piece(rest)};

		step.text_hash = hash_bytes(rest.at, step.len);
		step.start_hash = hash = hash_pair(hash, step.text_hash);
		vector_push(&s->steps, step);
		rest.at += step.len;
		rest.len -= step.len;
	}
}

static void fetch_text(const struct line_piece *p)
{
	for (size_t i = 0; i < p->len; i += CACHE_LINE)
		__builtin_prefetch(p->text + i);
}

/* The first that may be the piece, or 0. */
static uint32_t candidate(const struct id_map *m, uint64_t hash)
{
	size_t at = id_map_start(m, hash);

	return id_map_candidate(m, hash, &at);
}

static void fetch_slot(const struct id_map *m, uint64_t hash)
{
	__builtin_prefetch(&m->slots[id_map_start(m, hash)]);
}

/* Prefetches, in stages: a piece that is certainly new may have a known text. */
static void fetch_start(const struct line_trie *t, struct line_step *step)
{
	fetch_slot(&t->by_start, step->start_hash);
}

static void fetch_piece(const struct line_trie *t, struct line_step *step)
{
	step->piece = candidate(&t->by_start, step->start_hash);
	if (step->piece)
		__builtin_prefetch(&t->pieces.items[step->piece]);
	else
		fetch_slot(&t->by_text, step->text_hash);
}

static void fetch_twin(const struct line_trie *t, struct line_step *step)
{
	step->twin = step->piece ? 0 : candidate(&t->by_text, step->text_hash);
	if (step->piece)
		fetch_text(&t->pieces.items[step->piece]);
	else if (step->twin)
		__builtin_prefetch(&t->pieces.items[step->twin]);
}

static void fetch_twins_text(const struct line_trie *t, struct line_step *step)
{
	if (step->twin)
		fetch_text(&t->pieces.items[step->twin]);
}

static void fetch(const struct line_trie *t, struct line_search *searches, size_t count,
	void (*stage)(const struct line_trie *t, struct line_step *step))
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < searches[i].steps.len; k++)
			stage(t, &searches[i].steps.items[k]);
}

void line_trie_fetch(const struct line_trie *t, struct line_search *searches, size_t count)
{
	for (size_t i = 0; i < count; i++)
		cut_line(&searches[i]);
	if (!t->pieces.len)
		return;
	fetch(t, searches, count, fetch_start);
	fetch(t, searches, count, fetch_piece);
	fetch(t, searches, count, fetch_twin);
	fetch(t, searches, count, fetch_twins_text);
}

static bool has_text(const struct line_piece *p, struct bytes text)
{
	return p->len == text.len && !memcmp(p->text, text.at, text.len);
}

static uint32_t find_piece(
	const struct line_trie *t, uint64_t hash, uint32_t before, struct bytes text)
{
	size_t at = id_map_start(&t->by_start, hash);
	uint32_t id;

	while ((id = id_map_candidate(&t->by_start, hash, &at)))
		if (t->pieces.items[id].before == before && has_text(&t->pieces.items[id], text))
			break;
	return id;
}

size_t line_trie_seek(const struct line_trie *t, struct line_search *s)
{
	size_t marked = 0;
	uint32_t piece = 0;
	bool all = true;

	for (s->found = 0; t->pieces.len && s->found < s->steps.len; s->found++) {
		struct line_step *step = &s->steps.items[s->found];

		piece = find_piece(t, step->start_hash, piece, step_text(s, s->found));
		if (!piece)
			break;
		step->piece = piece;
		all = all && t->pieces.items[piece].marked;
		marked += all ? step->len : 0;
	}
	return marked;
}

/* ---- Adding ---- */

static const char *known_text(const struct line_trie *t, uint64_t hash, struct bytes text)
{
	size_t at = id_map_start(&t->by_text, hash);
	uint32_t id;

	while ((id = id_map_candidate(&t->by_text, hash, &at)))
		if (has_text(&t->pieces.items[id], text))
			return t->pieces.items[id].text;
	return NULL;
}

static uint32_t add_piece(
	struct line_trie *t, const struct line_step *step, uint32_t before, struct bytes text)
{
	struct line_piece new = {.before = before,
		.start = step->start & (LINE_TRIE_LIMIT - 1),
		.len = step->len & 0xFF};
	uint32_t id = (uint32_t)t->pieces.len;

	new.text = id > 1 ? known_text(t, step->text_hash, text) : NULL;
	if (!new.text) {
		new.text = arena_copy(&t->texts, text.at, text.len);
		id_map_insert(&t->by_text, step->text_hash, id);
	}
	vector_push(&t->pieces, new);
	id_map_insert(&t->by_start, step->start_hash, id);
	return id;
}

bool line_trie_add(struct line_trie *t, struct line_search *s, int64_t value, bool mark)
{
	uint32_t piece = 0;

	if (!t->pieces.len)
		vector_push(&t->pieces, (struct line_piece){0});
	assert(s->line.len);
	if (s->line.len > LINE_TRIE_LIMIT || s->steps.len > PIECES_LIMIT - t->pieces.len)
		return false;
	for (size_t i = 0; i < s->steps.len; i++) {
		const struct line_step *step = &s->steps.items[i];

		piece = i < s->found ? step->piece : add_piece(t, step, piece, step_text(s, i));
		if (mark)
			t->pieces.items[piece].marked = true;
	}
	t->pieces.items[piece].ends = true;
	t->pieces.items[piece].value += value;
	return true;
}

/* ---- Sorting ---- */

/* Group all pieces by the piece before them. */
struct groups {
	uint32_t *start; /* for every piece, the start of its followers in `ids`; and one more */
	uint32_t *ids;
	size_t most; /* behind one piece */
};

/* A counting sort. */
static void groups_init(struct groups *g, const struct line_trie *t)
{
	size_t count = t->pieces.len;

	*g = (struct groups){.start = memory_new(count + 2, sizeof(*g->start)),
		.ids = memory_new(count, sizeof(*g->ids))};
	for (size_t i = 1; i < count; i++)
		g->start[t->pieces.items[i].before + 2]++;
	for (size_t i = 2; i < count + 2; i++) {
		g->most = g->start[i] > g->most ? g->start[i] : g->most;
		g->start[i] += g->start[i - 1];
	}
	for (size_t i = 1; i < count; i++)
		g->ids[g->start[t->pieces.items[i].before + 1]++] = (uint32_t)i;
}

/* A piece among those behind the same one. */
struct sibling {
	uint64_t key; /* the bytes from where they begin to differ */
	const char *text;
	uint32_t piece, len;
};

static uint64_t key_at(struct bytes text, size_t from)
{
	uint64_t key = 0;

	if (text.len >= from + 8) {
		memcpy(&key, text.at + from, 8);
		return be64toh(key);
	}
	for (size_t i = from; i < from + 8; i++)
		key = key << 8 | (i < text.len ? (unsigned char)text.at[i] : 0);
	return key;
}

static int compare(const void *left, const void *right)
{
	const struct sibling *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return bytes_compare((struct bytes){a->text, a->len}, (struct bytes){b->text, b->len});
}

/* Which have `same` bytes in common. */
static void sort_few(struct sibling *s, size_t count, size_t same)
{
	for (size_t i = 0; i < count; i++)
		s[i].key = key_at((struct bytes){s[i].text, s[i].len}, same);
	for (size_t i = 1; i < count; i++) {
		struct sibling moved = s[i];
		size_t to = i;

		for (; to && compare(&moved, &s[to - 1]) < 0; to--)
			s[to] = s[to - 1];
		s[to] = moved;
	}
}

/* Siblings that have `from` bytes in common. */
struct run {
	struct sibling *first;
	size_t count, from;
};

struct sorter {
	VECTOR(struct run) runs;	  /* to be sorted */
	struct sibling *siblings, *spare; /* room for all of the largest group */
};

/* How many bytes they all have in common: where they differ is seen anew in every run, with one
 * look at each. */
static size_t common_start(const struct run *r)
{
	struct bytes first = {r->first->text + r->from, r->first->len - r->from};

	for (size_t i = 1; i < r->count; i++) {
		const struct sibling *s = &r->first[i];

		first.len = scan_common_start(
			first, (struct bytes){s->text + r->from, s->len - r->from});
	}
	return r->from + first.len;
}

/* 0 for a text that has ended; then it is the only one, as no two are the same. */
static size_t digit(const struct sibling *s, size_t at)
{
	return s->len > at ? (size_t)1 + (unsigned char)s->text[at] : 0;
}

/* By the byte at `at`. */
static void sort_many(struct sorter *o, const struct run *r, size_t at)
{
	size_t starts[258] = {0};

	for (size_t i = 0; i < r->count; i++)
		starts[digit(&r->first[i], at) + 1]++;
	for (size_t i = 0; i < 257; i++) {
		if (starts[i + 1] > 1)
			vector_push(&o->runs,
				((struct run){r->first + starts[i], starts[i + 1], at + 1}));
		starts[i + 1] += starts[i];
	}
	memcpy(o->spare, r->first, r->count * sizeof(*r->first));
	for (size_t i = 0; i < r->count; i++)
		r->first[starts[digit(&o->spare[i], at)]++] = o->spare[i];
}

static void sort_siblings(struct sorter *o, size_t count)
{
	vector_push(&o->runs, ((struct run){o->siblings, count, 0}));
	while (o->runs.len) {
		struct run r = o->runs.items[--o->runs.len];
		size_t same = common_start(&r);

		if (r.count <= FEW)
			sort_few(r.first, r.count, same);
		else
			sort_many(o, &r, same);
	}
}

/* What the pieces at `at` and later are sorted by is fetched. */
static void fetch_siblings(const struct line_trie *t, const struct groups *g, size_t at)
{
	if (at + 2 * SOON < t->pieces.len - 1)
		__builtin_prefetch(&t->pieces.items[g->ids[at + 2 * SOON]]);
	if (at + SOON < t->pieces.len - 1)
		fetch_text(&t->pieces.items[g->ids[at + SOON]]);
}

static void sort_groups(const struct line_trie *t, struct groups *g)
{
	struct sorter o = {.siblings = memory_new(g->most, sizeof(*o.siblings)),
		.spare = memory_new(g->most, sizeof(*o.spare))};
	struct sibling *s = o.siblings;

	for (size_t piece = 0; piece < t->pieces.len; piece++) {
		size_t start = g->start[piece], count = g->start[piece + 1] - start;

		if (count < 2)
			continue;
		for (size_t at = start; at < start + count; at++) {
			const struct line_piece *p = &t->pieces.items[g->ids[at]];

			fetch_siblings(t, g, at);
			s[at - start] = (struct sibling){
				.text = p->text, .piece = g->ids[at], .len = p->len};
		}
		sort_siblings(&o, count);
		for (size_t i = 0; i < count; i++)
			g->ids[start + i] = s[i].piece;
	}
	vector_release(&o.runs);
	memory_free(o.siblings);
	memory_free(o.spare);
}

/* Where every piece comes in the order of all: each has as many places as pieces that lie behind
 * it, directly or not, and one. Those have higher ids. */
static uint32_t *places(const struct line_trie *t, const struct groups *g)
{
	size_t count = t->pieces.len;
	uint32_t *size = memory_new(count, sizeof(*size));
	uint32_t *place = memory_new(count, sizeof(*place));

	for (size_t i = count - 1; i; i--)
		size[t->pieces.items[i].before] += ++size[i];
	for (size_t piece = 0; piece < count; piece++) {
		uint32_t next = place[piece] + (piece != 0);

		for (size_t at = g->start[piece]; at < g->start[piece + 1]; at++) {
			if (at + SOON < count - 1) {
				__builtin_prefetch(&size[g->ids[at + SOON]]);
				__builtin_prefetch(&place[g->ids[at + SOON]], 1);
			}
			place[g->ids[at]] = next;
			next += size[g->ids[at]];
		}
	}
	memory_free(size);
	return place;
}

void line_trie_sort(struct line_trie *t)
{
	struct groups g;
	uint32_t *place;

	id_map_release(&t->by_start);
	id_map_release(&t->by_text);
	if (!t->pieces.len)
		return;
	groups_init(&g, t);
	sort_groups(t, &g);
	place = places(t, &g);
	memory_free(g.start);
	for (size_t i = 1; i < t->pieces.len; i++)
		g.ids[place[i]] = (uint32_t)i;
	memory_free(place);
	t->sorted.items = g.ids;
	t->sorted.len = t->pieces.len - 1;
	t->sorted.cap = t->pieces.len;
}

/* ---- Walking ---- */

void line_walk_release(struct line_walk *w)
{
	buffer_release(&w->line);
	*w = (struct line_walk){0};
}

static void fetch_next(const struct line_trie *t, size_t at)
{
	if (at + 2 * SOON < t->sorted.len)
		__builtin_prefetch(&t->pieces.items[t->sorted.items[at + 2 * SOON]]);
	if (at + SOON < t->sorted.len)
		fetch_text(&t->pieces.items[t->sorted.items[at + SOON]]);
}

bool line_walk_next(struct line_walk *w)
{
	const struct line_trie *t = w->trie;

	w->common = w->known;
	while (w->at < w->end) {
		const struct line_piece *p = &t->pieces.items[t->sorted.items[w->at]];

		fetch_next(t, w->at++);
		w->common = p->start < w->common ? p->start : w->common;
		w->line.len = p->start;
		buffer_add(&w->line, p->text, p->len);
		if (p->ends) {
			w->value = p->value;
			w->known = w->line.len;
			return true;
		}
	}
	return false;
}

/* All text up to the end of a piece, from its end to its start. */
static void put_text(const struct line_trie *t, uint32_t piece, struct buffer *out)
{
	const struct line_piece *p = &t->pieces.items[piece];
	size_t len = p->start + p->len;
	char *end = buffer_reserve(out, len) + len;

	out->len += len;
	for (; piece; piece = p->before) {
		p = &t->pieces.items[piece];
		end -= p->len;
		memcpy(end, p->text, p->len);
	}
}

void line_walk_seek(struct line_walk *w, size_t at)
{
	w->at = at;
	w->known = 0;
	w->line.len = 0;
	if (at < w->end)
		put_text(w->trie, w->trie->sorted.items[at], &w->line);
}

void line_trie_text(const struct line_trie *t, size_t at, struct buffer *out)
{
	put_text(t, t->sorted.items[at], out);
}

size_t line_trie_place(const struct line_trie *t, struct bytes text)
{
	size_t low = 0, high = t->sorted.len;
	struct buffer there = {0};

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		there.len = 0;
		line_trie_text(t, middle, &there);
		if (bytes_compare(buffer_bytes(&there), text) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	buffer_release(&there);
	return low;
}

int64_t line_trie_sum(const struct line_trie *t, size_t from, size_t to)
{
	int64_t sum = 0;

	for (size_t at = from; at < to; at++) {
		if (at + SOON < to)
			__builtin_prefetch(&t->pieces.items[t->sorted.items[at + SOON]]);
		sum += t->pieces.items[t->sorted.items[at]].value;
	}
	return sum;
}
