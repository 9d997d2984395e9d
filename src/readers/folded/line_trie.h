/* line_trie.h: lines in any order, each with a number, to be told in the order of their bytes.
 *
 * Lines of folded text share long starts. They are cut into pieces of some frames, and a piece is
 * kept once for all lines that are the same up to its end; of a new line mostly the last piece
 * alone is new, and its text has often been seen behind others. What all that takes is a tenth of
 * the lines. */
#ifndef KILN_READERS_FOLDED_LINE_TRIE_H
#define KILN_READERS_FOLDED_LINE_TRIE_H

#include "base/buffer.h"
#include "base/hash.h"
#include "base/memory.h"

/* A piece ends behind the first ';' from here on, or here. */
#define LINE_PIECE_MIN	 128u /* bytes */
#define LINE_PIECE_LIMIT 255u

#define LINE_TRIE_LIMIT (1u << 22) /* bytes of a line */

/* `{0}` is empty. */
struct line_trie {
	VECTOR(struct line_piece) pieces; /* row 0 is where all lines begin */
	struct arena texts;
	struct id_map by_start;	 /* of all text up to a piece's end */
	struct id_map by_text;	 /* of the piece: the first that has it */
	VECTOR(uint32_t) sorted; /* once it is: all pieces but row 0, each behind its caller */
};

struct line_piece {
	const char *text;
	int64_t value;
	uint32_t before;
	uint32_t start : 22; /* bytes of the line before it */
	uint32_t len : 8;
	uint32_t ends : 1;   /* a line does */
	uint32_t marked : 1; /* see line_trie_seek */
};

void line_trie_release(struct line_trie *t);

/* A line on its way into a trie. `{0}` may be used again and again. */
struct line_search {
	struct bytes line; /* not empty; where it is until it has been added */
	size_t found;	   /* steps that there are pieces for */
	VECTOR(struct line_step) steps;
};
struct line_step {
	uint64_t start_hash, text_hash;
	uint32_t start, len;
	uint32_t piece;
	uint32_t twin; /* of the same text, perhaps: 0 where there is a piece, perhaps */
};

void line_search_release(struct line_search *s);

/* Begin to look for lines: what that needs is fetched into the cache for all of them at once. */
void line_trie_fetch(const struct line_trie *t, struct line_search *searches, size_t count);
/* Look for a line that has been fetched; returns how many bytes at its start are those of lines
 * that were added with a mark. */
size_t line_trie_seek(const struct line_trie *t, struct line_search *s);
/* Add what was sought; a line that is there gains `value`. The caller sees to it that the sum of
 * all values fits. False: there is no room for so many pieces. */
bool line_trie_add(struct line_trie *t, struct line_search *s, int64_t value, bool mark);

/* Behind the last line: put all in order. */
void line_trie_sort(struct line_trie *t);

/* A walk over sorted lines, or some of them: `{.trie = t, .end = t->sorted.len}` is all. */
struct line_walk {
	const struct line_trie *trie;
	size_t at, end; /* in its order */
	struct buffer line;
	int64_t value;
	size_t known;  /* bytes of the line before; 0: there is none */
	size_t common; /* bytes at the start of `line` that it has in common with the line before,
			  at least */
};

void line_walk_release(struct line_walk *w);
/* Move to the first or next line; false behind the last. */
bool line_walk_next(struct line_walk *w);
/* From here on begin at `at`. */
void line_walk_seek(struct line_walk *w, size_t at);

/* The text that all lines at and behind a place of the order are behind or the same as, appended to
 * *out; and the first place whose text is so. */
void line_trie_text(const struct line_trie *t, size_t at, struct buffer *out);
size_t line_trie_place(const struct line_trie *t, struct bytes text);
/* The sum of the values of all lines from a place to another. */
int64_t line_trie_sum(const struct line_trie *t, size_t from, size_t to);

#endif
