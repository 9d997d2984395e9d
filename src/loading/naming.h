/* naming.h: how do the addresses of a loaded profile get names?
 *
 * process/symbolize.h looks names up. This file decides for each input where to look and how
 * detailed names are, and tells the listener what has no name and what would help:
 *
 * - A profile with addresses that never got a name (perf.data, an interrupted recording) is named
 *   from the files that it mentions, wherever they are now, from what runtimes wrote beside the
 *   input and in /tmp, and by debuginfod's servers.
 * - In a finished profile only those addresses are tried again that are named by their module.
 *   It may be opened many times, so no server is asked, unless `thorough` is set. */
#ifndef KILN_LOADING_NAMING_H
#define KILN_LOADING_NAMING_H

#include "images/binary_locations.h"
#include "loading/listener.h"
#include "model/view.h"
#include "process/symbolize.h"

/* `{0}`: the usual places of this machine, all names, no servers. Everything is borrowed. */
struct naming_options {
	/* Where files are: see struct binary_locations. */
	const char *symfs, *vmlinux, *kallsyms;
	const char *const *build_id_dirs; /* NULL-terminated, or NULL */
	bool ask_servers;		  /* the servers in DEBUGINFOD_URLS */
	bool thorough; /* also ask servers about finished profiles, and report the result */

	/* How detailed names are. */
	bool no_inline;	     /* leave out inlined functions */
	bool lines;	     /* add lines to names: "function (file.c:42)" */
	bool keep_lines;     /* keep lines, but not in names: for outputs with files and lines */
	bool no_cache;	     /* do not use the symbol cache on disk */
	const char *v8_logs; /* a glob(7) of V8's logs; NULL: those beside the input */
};

enum names_depth naming_depth(const struct naming_options *options);

/* The projection that a view needs for these names. */
enum projection naming_projection(const struct naming_options *options);

/* Does a file beside the input name code by the time of samples? `input` is the input's name. */
bool naming_needs_times(const struct naming_options *options, const char *input);

/* Name what has no name in `p`, as read from the input called `input`. `binary_locations` are those
 * of the options, with servers. */
void naming_add(const struct naming_options *options,
	const struct binary_locations *binary_locations, const struct loading_listener *listener,
	struct profile *p, const char *input);

/* Add a note to the profile about names that are guesses, and about files that were not read. */
void naming_add_notes(struct profile *p, const struct symbolize_report *report);

/* With details: report how many names came from earlier runs. */
void naming_report_cached(const struct symbolize_report *report,
	const struct loading_listener *listener, const char *input);

#endif
