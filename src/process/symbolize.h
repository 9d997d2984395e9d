/* symbolize.h: what are the functions at a profile's addresses called?
 *
 * Every location that has no names yet gets them, once: names are looked up by image and offset,
 * after the last sample, so that nothing is named that nobody sampled. A place gets the function
 * around it, and a frame for each function that was inlined there. Where a file is here but has no
 * symbol for an address, the place is named by its module, `[libfoo.so]`, which merges into one box
 * what nobody can tell apart. Where the file itself is missing it is `[libfoo.so+0x1a2b]`, with the
 * offset in the file: nothing is merged that somebody with the file could name. `[unknown]` is in
 * no module. The location keeps its address, and naming can be tried again when files or symbols
 * have come.
 *
 * It works for a recording that has just ended, with what the recorder still holds open, and for a
 * file whose recorder could not finish it, with what this machine has now. A file is used only when
 * its build id is the recorded one. */
#ifndef KILN_PROCESS_SYMBOLIZE_H
#define KILN_PROCESS_SYMBOLIZE_H

#include "images/image_cache.h"
#include "images/kernel.h"
#include "model/profile.h"
#include "process/jit_code.h"
#include "process/unnamed.h"

/* What a recorder holds whose recording has just ended, or is going on. Any function may be NULL or
 * answer NULL: then files, /proc and this machine's kernel are asked. What they return stays the
 * caller's and lives until the end, and longer than the cache. */
struct symbolize_hooks {
	void *self;
	struct image_cache *cache; /* kept between calls; NULL: for this call only */
	/* The open image of a mapping (MAPPING_FILE, MAPPING_VDSO). */
	const struct image *(*image)(void *self, mapping_id mapping);
	/* The directory in which the mapping's path means what it meant to its process, for
	 * separate debug files: "/proc/PID/root"; "" for ours. */
	const char *(*root)(void *self, mapping_id mapping);
	/* The symbols of the kernel that was recorded. */
	const struct kernel *(*kernel)(void *self);
};

enum symbolize_which {
	SYMBOLIZE_NEW,	   /* places that have no names */
	SYMBOLIZE_UNNAMED, /* ... and those that are so far named only by their module */
	SYMBOLIZE_AGAIN,   /* ... and all places in files, which other options may name otherwise;
			      those that are not found keep their names */
};

/* `{0}` and a NULL pointer: an input of another time, perhaps of another machine. */
struct symbolize_options {
	/* NULL: not live. Then the kernel is only asked when it is the recorded one. */
	const struct symbolize_hooks *hooks;
	struct jit_code *jit;	     /* for code that was made while running; NULL: no names */
	const struct places *places; /* where files lie; NULL: the usual places */
	enum symbolize_which which;
	enum names_depth depth; /* how much of what was inlined, and of lines, names say */
	bool stored;		/* the symbol cache on disk is used */
};

struct symbolize_report {
	uint32_t named, unnamed; /* locations */
	uint32_t known;		 /* ... that earlier runs had found out */
	uint64_t samples; /* all of the profile, those of idle CPUs apart; 0 where all have names */
	uint64_t by_time; /* samples whose stacks were named by their time: see jit_names.h */
	uint64_t guessed; /* samples with code at a place used again, nobody knows when */
	struct buffer skipped;	/* what runtimes wrote and nobody understands: see jit_code.h */
	struct buffer left_out; /* what runtimes wrote and there was too much of: jit_code.h */
	struct unnamed_modules modules;
};
void symbolize_report_release(struct symbolize_report *r);

/* Name all locations without names. Cannot fail: what is in the way is in the report. Options and
 * report may be NULL. */
void profile_symbolize(struct profile *p, const struct symbolize_options *options,
	struct symbolize_report *ret_report);

/* Are there locations without names? */
bool profile_needs_names(const struct profile *p);

#endif
