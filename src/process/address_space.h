/* address_space.h: what is mapped where in a process? */
#ifndef KILN_PROCESS_ADDRESS_SPACE_H
#define KILN_PROCESS_ADDRESS_SPACE_H

#include "model/profile.h"

#define ADDRESS_SPACE_LIMIT ((size_t)1 << 20) /* mappings; further ones are left out */

/* One executable mapping. */
struct mapped {
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* of `start` in the file */
	uint32_t binary;     /* row of the binaries; 0: anonymous memory */
	mapping_id mapping;  /* row of the profile */
};

/* Executable mappings, sorted, without overlaps. Forked processes share one until somebody maps. */
struct address_space {
	unsigned references;
	uint32_t id;   /* a new one after every change, never used again */
	uint32_t last; /* where the last lookup hit */
	VECTOR(struct mapped) maps;
};

/* One without mappings that has one reference. */
struct address_space *address_space_new(uint32_t id);
/* Give a reference back; *space is NULL then, as it may have been before. */
void address_space_drop(struct address_space **space);

/* For changing *space, which may be NULL: it itself when nobody else has it, else a copy in its
 * place. Its id is `id` then. */
struct address_space *address_space_own(struct address_space **space, uint32_t id);
/* Map; what was there before, or in a part of it, goes. Nothing happens when the range is empty. */
void address_space_map(struct address_space *space, const struct mapped *m);

/* Would that make addresses mean something else that meant something before? */
bool address_space_replaces(const struct address_space *space, const struct mapped *m);

/* The mapping at `address`, or NULL. `space` may be NULL. */
const struct mapped *address_space_find(struct address_space *space, uint64_t address);
/* The same for several threads at once; *last is where the caller's last lookup hit. */
const struct mapped *address_space_look(
	const struct address_space *space, uint64_t address, uint32_t *last);

#endif
