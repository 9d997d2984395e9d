/* places.h: where may a binary, or what was stripped from it, lie?
 *
 * Everything that looks for files of a recorded program asks here: by its path, below --symfs, and
 * by its build id in the caches of perf (~/.debug, see perf-buildid-cache(1)), of GDB's debug
 * directory (GDB's manual, "Separate Debug Files") and of debuginfod's clients. Servers are asked
 * last, and only when the caller has them (debuginfod.h). */
#ifndef KILN_IMAGES_PLACES_H
#define KILN_IMAGES_PLACES_H

#include "images/image.h"

struct debuginfod;

/* Where the user, or who recorded, says that files are. `{0}` and a NULL pointer: the usual places
 * of this machine. Everything is borrowed. */
struct places {
	const char *root;  /* in front of paths, as their process meant them: "/proc/PID/root" */
	const char *symfs; /* recorded paths mean files below it; or NULL */
	const char *const *build_id_dirs; /* NULL-terminated, before ~/.debug; or NULL */
	const char *vmlinux, *kallsyms;	  /* the kernel's file, or its symbols as text; or NULL */
	struct debuginfod *servers;	  /* NULL: ask none */
};

enum place_kind {
	PLACE_BINARY,	  /* what was executed */
	PLACE_DEBUG_FILE, /* what was stripped from it */
	PLACE_VMLINUX,	  /* the kernel, with symbols */
	PLACE_KALLSYMS,	  /* a copy of /proc/kallsyms */
};

struct place_wanted {
	enum place_kind kind;
	struct bytes path;     /* as recorded ("" or "[vdso]": none); of a kernel its release */
	struct bytes build_id; /* lower-case hexadecimal, or empty */
};

/* Call `visit` with each path at which the file may lie on this machine, likeliest first, until it
 * returns true; what it last returned. Files need not exist, and may be others than is wanted. */
bool places_visit(const struct places *places, const struct place_wanted *wanted,
	bool (*visit)(void *context, const char *path), void *context);

/* Ask the servers, if there are any: the path of the file that came (free() it), or NULL. */
char *places_fetch(const struct places *places, const struct place_wanted *wanted);

/* The binary that was at `path` (absolute, or "[vdso]") and has this build id, wherever it is now;
 * a file with another build id is no answer. The identity of a file that has none
 * (image_identity_text) does as well, at its path. With neither, whatever is at its path, which
 * the caller has reasons to believe in. NULL when there is none: *ret_missing (may be NULL) is then
 * why, a static phrase. The image's name is the recorded path. */
struct image *places_open_binary(const struct places *places, struct bytes path,
	struct bytes build_id, const char **ret_missing);

#endif
