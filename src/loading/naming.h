/* naming.h: how do the addresses of a profile that was read get names?
 *
 * process/symbolize.h looks names up. Here is decided for each input where it looks and how much a
 * name says, and the listener hears what has no name and what would help:
 *
 * - A profile with addresses that never got a name (perf.data, a recording that was cut off) is
 *   named from the files that it names, wherever they lie now, from what runtimes wrote beside the
 *   input and in /tmp, and by debuginfod's servers.
 * - In a finished profile only those addresses are tried again that are named by their module.
 *   Somebody may look at it many times, so no server is asked, unless `thorough` says so. */
#ifndef KILN_LOADING_NAMING_H
#define KILN_LOADING_NAMING_H

#include "images/places.h"
#include "loading/listener.h"
#include "model/view.h"
#include "process/symbolize.h"

/* `{0}`: the usual places of this machine, all names, no servers. Everything is borrowed. */
struct naming_options {
	/* Where files lie: see struct places. */
	const char *symfs, *vmlinux, *kallsyms;
	const char *const *build_id_dirs; /* NULL-terminated, or NULL */
	bool ask_servers;		  /* those of DEBUGINFOD_URLS */
	bool thorough; /* ask servers about finished profiles, too, and tell what came of it */

	/* How much names say. */
	bool no_inline;	 /* inlined functions are left out */
	bool lines;	 /* lines are told apart in names: "function (file.c:42)" */
	bool keep_lines; /* lines are kept, but not in names: for outputs with files and lines */
	bool no_cache;	 /* neither use nor fill the symbol cache on disk */
	const char *v8_logs; /* a glob(7) of V8's logs; NULL: those beside the input */
};

enum names_depth naming_depth(const struct naming_options *options);

/* How a view has to show frames for these names. */
enum projection naming_projection(const struct naming_options *options);

/* Is there something beside the input that names code by the time of samples? `input` is the
 * input's name. */
bool naming_needs_times(const struct naming_options *options, const char *input);

/* Name what has no name in `p`, as read from the input called `input`. `places` are those of the
 * options, with servers. */
void naming_add(const struct naming_options *options, const struct places *places,
	const struct loading_listener *listener, struct profile *p, const char *input);

/* Leave a note in the profile about names that are guesses, and files that were not read. */
void naming_note_doubts(struct profile *p, const struct symbolize_report *report);

/* Tell who wants details how many names were known from earlier runs. */
void naming_tell_known(const struct symbolize_report *report,
	const struct loading_listener *listener, const char *input);

#endif
