/* code_map.h: which code lay where, and when?
 *
 * A runtime uses code memory again and again, so what is at an address depends on the time. What a
 * runtime said (perf map, jitdump, log of V8) is kept as pieces of code in the order in which they
 * were written, each valid from one time to another; an address is looked up in those around it. */
#ifndef KILN_IMAGES_CODE_MAP_H
#define KILN_IMAGES_CODE_MAP_H

#include "base/bytes.h"

#define CODE_LATEST	  UINT64_MAX	    /* as a time: whatever was written last */
#define CODE_PIECES_LIMIT ((size_t)1 << 23) /* more are counted and left out */

/* The line in whose code an address lies, until the next one. */
struct code_line {
	uint64_t address;
	struct bytes file;
	uint32_t line;
};

struct code_piece {
	uint64_t start, size;
	uint64_t from; /* ns; 0: it was always there */
	struct bytes name;
	const struct code_line *lines; /* by ascending address */
	size_t line_count;
};

struct code_map_counts {
	uint64_t pieces, overlapping; /* ..., in the place of others */
	uint64_t dropped;	      /* above CODE_PIECES_LIMIT */
};

struct code_map;

struct code_map *code_map_new(void);
void code_map_release(struct code_map *map); /* NULL is fine */

/* Written after all others. Texts are copied; what lies behind the end of memory is cut. */
void code_map_add(struct code_map *map, const struct code_piece *piece);
/* The piece that was written last at exactly `start` is gone from `time` on, or goes on at `to`. */
void code_map_remove(struct code_map *map, uint64_t start, uint64_t time);
void code_map_move(struct code_map *map, uint64_t start, uint64_t to, uint64_t time);
/* All that was written so far is gone from `time` on. */
void code_map_remove_all(struct code_map *map, uint64_t time);

/* The piece around `address` at `time`: of those that were there the one written last; when there
 * was none, the first that came later, because some are written after they have begun to run. What
 * it points to lives until the map changes. */
bool code_map_find(struct code_map *map, uint64_t address, uint64_t time, struct code_piece *ret);
/* Does the answer depend on the time? */
bool code_map_reused(struct code_map *map, uint64_t address);
/* The line of a piece at an address in it, or NULL. */
const struct code_line *code_piece_line(const struct code_piece *piece, uint64_t address);

struct code_map_counts code_map_counts(struct code_map *map);

#endif
