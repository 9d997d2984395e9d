/* code_map.h: which code was at an address, and when?
 *
 * A runtime such as V8 or the JVM reuses code memory, so which function is at an address depends
 * on the time of the sample. What the runtime wrote (a perf map, a jitdump, V8's log) becomes
 * pieces of code in the order of writing. A piece is a range of addresses with a name, valid
 * from one time to another. A lookup by address and time finds the piece that was written last
 * among those that were valid; see code_map.c for how. */
#ifndef KILN_IMAGES_CODE_MAP_H
#define KILN_IMAGES_CODE_MAP_H

#include "base/bytes.h"

#define CODE_LATEST	  UINT64_MAX	    /* as a time: what was written last */
#define CODE_PIECES_LIMIT ((size_t)1 << 23) /* further pieces are counted and left out */

/* The line of the code from this address to the next one's. */
struct code_line {
	uint64_t address;
	struct bytes file;
	uint32_t line;
};

struct code_piece {
	uint64_t start, size;
	uint64_t from; /* ns; 0: since the start */
	struct bytes name;
	const struct code_line *lines; /* by ascending address */
	size_t line_count;
};

struct code_map_counts {
	uint64_t pieces, overlapping; /* overlapping: pieces that reuse the addresses of others */
	uint64_t dropped;	      /* beyond CODE_PIECES_LIMIT */
};

struct code_map;

struct code_map *code_map_new(void);
void code_map_release(struct code_map *map); /* NULL is allowed */

/* Add a piece, written after all others. Texts are copied; what lies beyond the end of the
 * address space is cut. */
void code_map_add(struct code_map *map, const struct code_piece *piece);
/* The piece written last at exactly `start` ends at `time`; code_map_move: it continues at `to`. */
void code_map_remove(struct code_map *map, uint64_t start, uint64_t time);
void code_map_move(struct code_map *map, uint64_t start, uint64_t to, uint64_t time);
/* All pieces so far end at `time`. */
void code_map_remove_all(struct code_map *map, uint64_t time);

/* A hostile program can write a million pieces that contain the same address, and every lookup
 * there would visit all of them. So a lookup counts the pieces that it visits, except for the first
 * few, in *steps, which several maps may share. Once *steps has reached CODE_STEPS_LIMIT, a lookup
 * that would have to count more finds nothing. */
#define CODE_STEPS_LIMIT ((uint64_t)1 << 27)
void code_map_count_steps(struct code_map *map, uint64_t *steps);

/* The piece at `address` and `time`: of those valid then, the one written last. If there was
 * none, the first one that is valid later, because runtimes write some pieces after the code has
 * begun to run. Valid until the map changes. */
bool code_map_find(struct code_map *map, uint64_t address, uint64_t time, struct code_piece *ret);
/* Does the answer for this address depend on the time? */
bool code_map_reused(struct code_map *map, uint64_t address);
/* The line of an address in a piece, or NULL. */
const struct code_line *code_piece_line(const struct code_piece *piece, uint64_t address);

struct code_map_counts code_map_counts(struct code_map *map);

#endif
