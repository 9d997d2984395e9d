/* reading_style.h: what do other tools want differently from a reader?
 *
 * Kiln does the work of other tools under their names (src/commands/classic/), where its output has
 * to be the same as theirs, byte by byte. Most differences are in names of frames, which only the
 * reader sees as they are printed. So such a command fills in this struct, which readers are handed
 * with their options; each looks only at the members for its own format. All zero is Kiln's own
 * way. */
#ifndef KILN_READERS_READING_STYLE_H
#define KILN_READERS_READING_STYLE_H

#include "readers/readers.h"

/* Whose habits a reader follows where no other member decides: which lines count, and how names
 * are cut from them. */
enum reading_tool {
	TOOL_KILN,
	TOOL_SCRIPTS, /* Brendan Gregg's stackcollapse-* and flamegraph.pl: mostly names as printed
		       */
	TOOL_INFERNO, /* the inferno-* programs */
};

struct reading_style {
	enum reading_tool tool;

	/* Root frames. */
	bool process_ids;     /* tell the process ... */
	bool thread_ids;      /* ... or the process and the thread */
	bool no_thread_names; /* java: do not name the thread */

	/* perf script: what is added to names of functions. */
	bool mark_kernel;    /* "_[k]" */
	bool mark_jit;	     /* "_[j]" */
	bool addresses;	     /* the address, where there is no name */
	bool source_lines;   /* the source line printed below the frame */
	bool inlined;	     /* name functions by the debugging information of their binary, ... */
	bool inlined_places; /* ... with files and lines */

	/* perf sched: below the thread that waits is the one that woke it up, ... */
	bool wakers;
	bool waker_chains; /* ... and what that one had waited for */

	bool offsets;	     /* dtrace: frames keep "+0x12", except the innermost */
	bool no_modules;     /* vtune, sample: no "module`" before a function */
	bool short_packages; /* java: "j.u.HashMap.get" */
	bool no_packages;    /* java: "HashMap.get" */
};

/* The style that the options name; never NULL. */
static inline const struct reading_style *reading_style(const struct read_options *options)
{
	static const struct reading_style own = {.tool = TOOL_KILN};

	return options->style ? options->style : &own;
}

#endif
