/* binaries.h: which files do processes run, and can they still be read?
 *
 * Of a running process a binary is opened when it is first seen mapped, because the process, its
 * mount namespace or the file itself may be gone when its symbols are needed. What was recorded
 * earlier, perhaps elsewhere, is looked for when it is needed: it may have to be fetched. Images
 * stay open until release. */
#ifndef KILN_PROCESS_BINARIES_H
#define KILN_PROCESS_BINARIES_H

#include "images/places.h"
#include "model/profile.h"
#include "process/roots.h"

/* What a record or /proc says about a mapped file. */
struct binary_key {
	struct bytes path;     /* as the kernel prints it, " (deleted)" included */
	struct bytes build_id; /* raw, at most 32 bytes, or empty */
	uint32_t major, minor; /* of the device, with inode; all 0: unknown */
	uint64_t inode;
	uint64_t generation; /* of the inode, whose number may be used again; 0: unknown */
	int32_t pid;	     /* a process that has it mapped... */
	uint64_t start, end; /* ... here: where to look when the path no longer leads to it */
};

struct binary {
	struct bytes path;   /* without " (deleted)"; owned by the binaries */
	struct image *image; /* NULL: could not be opened, or it is no ELF file; recorded ones: see
				binaries_image */
	const char *missing; /* why there is no image: a phrase, static; NULL when there is one */
	const char *root;    /* in front of paths, as its process means them; "": ours */
	mapping_id mapping;  /* row in the profile */
	enum mapping_kind kind; /* FILE, VDSO; JIT has no row here */
	bool gone;		/* the file was deleted or replaced while it ran */
	bool unopened;		/* nobody has asked for its image yet */
	bool unidentified; /* it has no build id, and `mapping` not told another identity yet */
};

struct binaries {
	struct profile *profile;
	bool closed; /* never open files: replaying what another machine or time recorded */
	/* Processes are gone, perhaps on another machine: where files are looked for by path and
	 * build id. NULL: they are running. */
	const struct places *places;
	int64_t recorded;  /* with places: when the recording ended, in seconds since 1970; 0:
			      unknown */
	bool other_kernel; /* with places: recorded under another one, so its vdso is not ours */
	VECTOR(struct binary) rows; /* 0 is unused */
	VECTOR(struct binary_alias) aliases;
	VECTOR(struct binary_build_id) build_ids; /* 0 is unused */
	struct id_map by_key, by_path;
	struct roots roots;
	struct arena text;
};

void binaries_init(struct binaries *b, struct profile *profile);
void binaries_release(struct binaries *b);

/* What a recording tells of its files' build ids, apart from its mappings. `path` as in mappings;
 * the first one of a path counts. */
void binaries_know(struct binaries *b, struct bytes path, struct bytes build_id);
/* The raw build id that was told for `path`; empty: none. */
struct bytes binaries_known(const struct binaries *b, struct bytes path);

/* The row of the file that `key` describes, opened now if it is new; 0 when it is no file but
 * anonymous memory, a heap or a stack. */
uint32_t binaries_add(struct binaries *b, const struct binary_key *key);

/* The image of a row (not 0), looked for now if nobody asked before; NULL when there is none, and
 * then the row's `missing` says why. Not for several threads at once. */
const struct image *binaries_image(struct binaries *b, uint32_t row);

/* Tell the profile what the files without a build id are that it has places in: all of their bytes
 * have to be read for that. To be called when it has all of its places, before they are named. */
void binaries_identify(struct binaries *b);

/* The row that stands behind a mapping of the profile; NULL when there is none. */
const struct binary *binaries_of_mapping(const struct binaries *b, mapping_id mapping);

#endif
