/* mode.h: what can be recorded, in words and options, whether this Kiln was built to do it or not.
 */
#ifndef KILN_RECORDERS_MODES_MODE_H
#define KILN_RECORDERS_MODES_MODE_H

#include "base/options.h"
#include "recorders/request.h"

struct mode {
	const char *name;  /* "off" */
	const char *about; /* "where threads wait" */
	bool busy;	   /* samples are time on the CPU */
	bool timed;	   /* a timer takes samples, so that -F makes sense */
	const char *none;  /* why there may be no samples: "the target hardly ..." */
	const char *top;   /* what the ends of stacks are: "hottest functions (self)" */
	const char *what;  /* every ... is recorded: "wait"; NULL: samples are taken */

	/* Its own options, for struct record_options (NULL: none, or they are listed elsewhere);
	 * their heading in --help; and in messages the names of those that no other mode has. */
	const struct option *options;
	const char *title, *own;
	/* Is one of its options set? NULL: it has none. */
	bool (*used)(const struct record_options *options);
	/* Clear options of other modes that this mode has, too. NULL: there are none. */
	void (*shared)(struct record_options *options);
	/* Do the options make sense together? ERR_USAGE. NULL: always. */
	bool (*check)(const struct record_options *options, struct error *err);
};

#endif
