/* address_space.h: what is mapped where in a process? */
#ifndef KILN_PROCESS_ADDRESS_SPACE_H
#define KILN_PROCESS_ADDRESS_SPACE_H

#include "model/profile.h"

#define ADDRESS_SPACE_LIMIT ((size_t)1 << 20) /* mappings; further ones are left out */

/* An executable mapping. */
struct mapped {
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* of `start` in the file */
	uint32_t binary;     /* row of the binaries; 0: anonymous memory */
	mapping_id mapping;  /* row of the profile */
};

/* Executable mappings, sorted, without overlaps. A forked process shares its parent's until one
 * of them changes its mappings. */
struct address_space {
	unsigned references;
	uint32_t id;   /* new after every change, never reused */
	uint32_t last; /* index of the last lookup's hit */
	VECTOR(struct mapped) maps;
};

/* A space without mappings, with one reference. */
struct address_space *address_space_new(uint32_t id);
/* Release a reference and set *space to NULL. *space may be NULL. */
void address_space_unref(struct address_space **space);

/* Make *space, which may be NULL, safe to change: itself if nobody else refers to it, otherwise
 * a copy. Its id becomes `id`. */
struct address_space *address_space_make_private(struct address_space **space, uint32_t id);
/* Add a mapping; it replaces earlier mappings or parts of them in its range. An empty range has
 * no effect. */
void address_space_map(struct address_space *space, const struct mapped *m);

/* Would adding `m` change what addresses refer to that are mapped now? */
bool address_space_replaces(const struct address_space *space, const struct mapped *m);

/* The mapping at `address`, or NULL. `space` may be NULL. */
const struct mapped *address_space_find(struct address_space *space, uint64_t address);
/* Thread-safe; *last is the index of the caller's last hit. */
const struct mapped *address_space_find_shared(
	const struct address_space *space, uint64_t address, uint32_t *last);

#endif
