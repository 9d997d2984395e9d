/* address_stacks.h: stacks of addresses, of a process whose mappings are listed behind them.
 *
 * Profiles of gperftools and jemalloc end with the text of /proc/PID/maps. So records are kept
 * until the end; then their addresses become places in binaries, and the records samples. The
 * values of a record are those of the streams of its text_stacks. */
#ifndef KILN_READERS_PPROF_ADDRESS_STACKS_H
#define KILN_READERS_PPROF_ADDRESS_STACKS_H

#include "readers/lines/text_stacks.h"

#define ADDRESS_VALUES 4u /* of a record, at most */

struct address_record {
	size_t first; /* of `addresses`, innermost first */
	uint32_t count;
	uint64_t line; /* for messages */
	int64_t values[ADDRESS_VALUES];
};

/* `{0}` is empty. */
struct address_stacks {
	VECTOR(uint64_t) addresses;
	VECTOR(struct address_record) records;
	struct buffer maps; /* as in /proc/PID/maps */
	bool exact_leaf;    /* the innermost address is where the program was, not where it returns
			     */
};
void address_stacks_release(struct address_stacks *a);

/* The addresses, "0x4b517d 0x4b52c5", of the next record. False, and nothing is changed: one of the
 * words is no address. */
bool address_stacks_parse(struct address_stacks *a, struct bytes text);
/* They are a record with these values, `count` of them. */
void address_stacks_add(
	struct address_stacks *a, uint64_t line, const int64_t *values, size_t count);

/* Begins this line the list of mappings? */
bool address_stacks_maps_start(struct bytes line);
/* A line of the list: as in /proc/PID/maps, or "00400000-00fcb000: /bin/server". */
void address_stacks_map(struct address_stacks *a, struct bytes line);

/* All records become samples of `t`. */
bool address_stacks_finish(struct address_stacks *a, struct text_stacks *t,
	const struct read_options *options, struct error *err);

#endif
