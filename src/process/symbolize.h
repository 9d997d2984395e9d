/* symbolize.h: what are the functions at a profile's addresses called?
 *
 * Every location of the profile that has no name gets one, from its image and its offset there, so
 * that only what was sampled is named. A location gets the function that contains its address, and
 * a frame for each function inlined there. If the file exists but has no symbol for the address,
 * the location is named by its module, `[libfoo.so]`, which merges what cannot be told apart. If
 * the file itself is missing, it is `[libfoo.so+0x1a2b]`, with the offset in the file: so a machine
 * that has the file can still name each address. `[unknown]` is in no module. The location keeps
 * its address, and naming can be repeated when files or symbols have become available.
 *
 * A recorder names locations repeatedly while it records, and once more at the end, with the files
 * that it holds open (struct symbolize_hooks). The locations of a file that was not finished or
 * comes from elsewhere are named once, when the file has been read (loading/naming.h), with the
 * files of this machine. A file is used only if its build id is the recorded one. */
#ifndef KILN_PROCESS_SYMBOLIZE_H
#define KILN_PROCESS_SYMBOLIZE_H

#include "images/image_cache.h"
#include "images/kernel.h"
#include "model/profile.h"
#include "process/jit_code.h"
#include "process/unnamed.h"

/* What a recorder provides during or right after a recording. Functions may be NULL or return NULL:
 * then files, /proc and this machine's kernel are used. The recorder owns what they return, which
 * must outlive the call and the cache. */
struct symbolize_hooks {
	void *self;
	struct image_cache *cache; /* kept between calls; NULL: for this call only */
	/* The open image of a mapping (MAPPING_FILE, MAPPING_VDSO). */
	const struct image *(*image)(void *self, mapping_id mapping);
	/* The prefix under which the mapping's path is valid, for separate debug files:
	 * "/proc/PID/root"; "" for our root. */
	const char *(*root)(void *self, mapping_id mapping);
	/* The symbols of the recorded kernel. */
	const struct kernel *(*kernel)(void *self);
};

enum symbolize_which {
	SYMBOLIZE_NEW,	   /* locations without names */
	SYMBOLIZE_UNNAMED, /* ... and those that are named only by their module */
	SYMBOLIZE_AGAIN,   /* ... and all locations in files, which other options may name
			      differently; those that are not found keep their names */
};

/* `{0}` and a NULL pointer: a recording of another time, perhaps of another machine. */
struct symbolize_options {
	/* NULL: not live. Then the running kernel is used only if it is the recorded one. */
	const struct symbolize_hooks *hooks;
	struct jit_code *jit; /* for code generated at run time; NULL: no names */
	const struct binary_locations
		*binary_locations; /* where files lie; NULL: the usual places */
	enum symbolize_which which;
	enum names_depth depth; /* inlined functions and lines */
	bool stored;		/* use the symbol cache on disk */
	/* When to stop reading binaries that other users can change: CLOCK_MONOTONIC, ns; 0:
	 * never. From then on, their locations get the names of the modules. */
	uint64_t others_deadline;
};

struct symbolize_report {
	uint32_t named, unnamed; /* locations */
	uint32_t known;		 /* ... of them answered from the symbol cache */
	uint64_t
		samples; /* in the whole profile, without those of idle CPUs; 0 if all have names */
	uint64_t weight; /* the sum of their values; 0 if all have names */
	uint64_t by_time; /* samples whose stacks were renamed by their time: see jit_names.h */
	uint64_t guessed; /* samples in reused code for which times are unknown */
	struct buffer
		skipped; /* parts of runtimes' files that were not understood: see jit_code.h */
	struct buffer left_out;	   /* parts of runtimes' files beyond the limits: see jit_code.h */
	uint32_t files_over_limit; /* of which something was not read: see image_charge */
	struct unnamed_modules modules;
};
void symbolize_report_release(struct symbolize_report *r);

/* Name all locations without names. Cannot fail: the report says what was missing. Options and
 * report may be NULL. */
void profile_symbolize(struct profile *p, const struct symbolize_options *options,
	struct symbolize_report *ret_report);

/* Are there locations without names? */
bool profile_needs_names(const struct profile *p);

#endif
