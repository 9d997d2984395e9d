/* allocators.h: finding malloc and the other functions of allocators in the files that targets run.
 */
#ifndef KILN_RECORDERS_PROBES_ALLOCATORS_H
#define KILN_RECORDERS_PROBES_ALLOCATORS_H

#include "bpf/shared/mem.h"
#include "recorders/probes/files.h"

/* A function of an allocator. */
struct allocator_function {
	const char *path; /* of its file, as the recorder sees it */
	uint64_t offset;  /* in the file */
	enum alloc_kind kind;
	/* Its offset in its library's code, and the size of that code; 0: an allocator of the
	 * program itself. */
	uint32_t into, code;
};

/* Call `each` with every function of the allocators (files that define malloc) in `files` from
 * `first` on. Unreadable files are skipped. False: `each` returned false. */
bool allocators_find(const struct probe_files *files, size_t first,
	bool (*each)(void *context, const struct allocator_function *function), void *context);

#endif
