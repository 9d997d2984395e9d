/* allocators.h: finding malloc and the other functions of allocators in the files that targets run.
 */
#ifndef KILN_RECORDERS_PROBES_ALLOCATORS_H
#define KILN_RECORDERS_PROBES_ALLOCATORS_H

#include "bpf/shared/mem.h"
#include "recorders/probes/files.h"

/* A function of an allocator. */
struct allocator_function {
	const char *path; /* that leads us to its file */
	uint64_t offset;  /* in the file */
	enum alloc_kind kind;
	/* How far into its library's code, and how much that is; 0: a program's own allocator. */
	uint32_t into, code;
};

/* Call `each` with every function of the allocators in files from `first` on: those that define
 * malloc. A file that cannot be read has none. False: `each` said so. */
bool allocators_find(const struct probe_files *files, size_t first,
	bool (*each)(void *context, const struct allocator_function *function), void *context);

#endif
