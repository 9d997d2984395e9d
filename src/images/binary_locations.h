/* binary_locations.h: where on this machine may a binary be, or the debugging information that was
 * stripped from it?
 *
 * Every search for files of a recorded program comes here: by path, below --symfs, and by build id
 * in the caches of perf (~/.debug, see perf-buildid-cache(1)), in GDB's debug directory (GDB's
 * manual, "Separate Debug Files") and in the cache of debuginfod's clients. Servers are asked last,
 * and only if the caller has some (debuginfod.h). */
#ifndef KILN_IMAGES_BINARY_LOCATIONS_H
#define KILN_IMAGES_BINARY_LOCATIONS_H

#include "images/image.h"

struct debuginfod;

/* Where the user, or the recorder, says that files are. `{0}` and a NULL pointer: the usual
 * places of this machine. Everything is borrowed. */
struct binary_locations {
	const char *root;  /* prefix of paths as their process sees them: "/proc/PID/root" */
	const char *symfs; /* recorded paths are below it; or NULL */
	const char *const *build_id_dirs; /* NULL-terminated, before ~/.debug; or NULL */
	const char *vmlinux, *kallsyms;	  /* the kernel's file, or its symbols as text; or NULL */
	struct debuginfod *servers;	  /* NULL: no servers */
};

enum binary_query_kind {
	QUERY_BINARY,	  /* the executed file */
	QUERY_DEBUG_FILE, /* its debugging information, in a separate file */
	QUERY_VMLINUX,	  /* the kernel, with symbols */
	QUERY_KALLSYMS,	  /* a copy of /proc/kallsyms */
};

struct binary_query {
	enum binary_query_kind kind;
	struct bytes path;     /* as recorded ("" or "[vdso]": none); for a kernel, its release */
	struct bytes build_id; /* lower-case hexadecimal, or empty */
};

/* Call `visit` with each path at which the file may be on this machine, most likely first, until
 * it returns true. Returns its last result. The files need not exist, and may be different ones. */
bool binary_locations_visit(const struct binary_locations *binary_locations,
	const struct binary_query *query, bool (*visit)(void *context, const char *path),
	void *context);

/* Ask the servers, if there are any: the path of the downloaded file (free() it), or NULL. */
char *binary_locations_fetch(
	const struct binary_locations *binary_locations, const struct binary_query *query);

/* Open the binary that was at `path` (absolute, or "[vdso]") and has this build id, wherever it is
 * now; a file with another build id is not used. For a file without a build id, `build_id` may be
 * its identity (image_identity_text); only its path is searched then. With an empty `build_id`, any
 * file at the path is used, so the caller must have a reason to trust it. NULL: not found;
 * *ret_missing then says why, in a static phrase (`ret_missing` may be NULL). The image's name is
 * the recorded path. */
struct image *binary_locations_open(const struct binary_locations *binary_locations,
	struct bytes path, struct bytes build_id, const char **ret_missing);

#endif
