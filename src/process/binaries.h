/* binaries.h: which files do processes run, and can they still be read?
 *
 * While recording, a binary is opened when it is first seen mapped, because the process, its
 * mount namespace or the file may be gone when symbols are needed. A binary of an earlier
 * recording, perhaps from another machine, is looked for when it is needed, because it may have
 * to be downloaded. Images stay open until release. */
#ifndef KILN_PROCESS_BINARIES_H
#define KILN_PROCESS_BINARIES_H

#include "base/patience.h"
#include "images/binary_locations.h"
#include "model/profile.h"
#include "process/roots.h"

/* What a record or /proc says about a mapped file. */
struct binary_key {
	struct bytes path;     /* as the kernel prints it, " (deleted)" included */
	struct bytes build_id; /* raw, at most 32 bytes, or empty */
	uint32_t major, minor; /* of the device, with inode; all 0: unknown */
	uint64_t inode;
	uint64_t generation; /* of the inode, whose number may be reused; 0: unknown */
	int32_t pid;	     /* a process that has mapped it... */
	uint64_t start, end; /* ... here: used when the path does not lead to the file any more */
};

struct binary {
	struct bytes path;	/* without " (deleted)"; owned by the binaries */
	struct image *image;	/* NULL: could not be opened, or not an ELF file; for recorded files
					 see binaries_image */
	const char *missing;	/* why there is no image: a static phrase; NULL if there is one */
	const char *root;	/* prefix of paths as the process sees them; "": none */
	mapping_id mapping;	/* row in the profile */
	enum mapping_kind kind; /* FILE, VDSO; JIT code has no row here */
	bool deleted;		/* the file was deleted or replaced while it was in use */
	bool unopened;		/* its image has not been requested yet */
	bool unidentified; /* no build id, and the identity of `mapping` has not been set yet */
};

struct binaries {
	struct profile *profile;
	bool closed; /* never open files: a recording of another machine or time is replayed */
	/* The processes are gone, perhaps on another machine: where to look for files by path
	 * and build id. NULL: the processes are running. */
	const struct binary_locations *binary_locations;
	/* With binary_locations: */
	int64_t recorded;  /* when the recording ended, in seconds since 1970; 0: unknown */
	bool other_kernel; /* recorded under another kernel, whose vdso differs from ours */
	VECTOR(struct binary) rows; /* 0 is unused */
	VECTOR(struct binary_alias) aliases;
	VECTOR(struct binary_build_id) build_ids; /* 0 is unused */
	struct id_map by_key, by_path;
	struct roots roots;
	struct patience patience; /* limits the time for opening files of running processes */
	struct arena text;
};

void binaries_init(struct binaries *b, struct profile *profile);
void binaries_release(struct binaries *b);

/* Remember the build id of a path, which a recording lists apart from its mappings. `path` as in
 * mappings; the first entry for a path counts. */
void binaries_add_build_id(struct binaries *b, struct bytes path, struct bytes build_id);
/* The raw build id that was remembered for `path`; empty: none. */
struct bytes binaries_build_id(const struct binaries *b, struct bytes path);

/* The row of the file that `key` describes, which is opened now if it is new; 0 for anonymous
 * memory, a heap or a stack. */
uint32_t binaries_add(struct binaries *b, const struct binary_key *key);

/* The image of a row (not 0), looked for now if this is the first request. NULL: none; the row's
 * `missing` says why. Not thread-safe. */
const struct image *binaries_image(struct binaries *b, uint32_t row);

/* Set the identities of those files without a build id in which the profile has locations; all
 * bytes of these files have to be read. Call after the last location was added and before
 * naming. */
void binaries_identify(struct binaries *b);

/* The row for a mapping of the profile; NULL: none. */
const struct binary *binaries_of_mapping(const struct binaries *b, mapping_id mapping);

#endif
