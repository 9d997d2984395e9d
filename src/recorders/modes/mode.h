/* mode.h: descriptions and options of the modes, also for builds that cannot record them. */
#ifndef KILN_RECORDERS_MODES_MODE_H
#define KILN_RECORDERS_MODES_MODE_H

#include "base/options.h"
#include "recorders/request.h"

struct mode {
	const char *name;  /* "off" */
	const char *about; /* "where threads wait" */
	bool busy;	   /* samples are time on the CPU */
	bool timed;	   /* a timer takes samples: -F has an effect */
	const char *none;  /* why there may be no samples: "the target hardly ..." */
	const char *top;   /* heading of the leaves of stacks: "hottest functions (self)" */
	/* The heading where these options change what is measured; NULL: `top`. May be NULL. */
	const char *(*heading)(const struct record_options *options);
	const char *what; /* what is recorded every time: "wait"; NULL: samples are taken */

	/* Its own options, for struct record_options (NULL: none, or they are listed elsewhere);
	 * their heading in --help; and in messages the names of those that no other mode has. */
	const struct option *options;
	const char *title, *own;
	/* Is one of its options set? NULL: it has none. */
	bool (*used)(const struct record_options *options);
	/* Clear options that this mode shares with other modes. NULL: there are none. */
	void (*shared)(struct record_options *options);
	/* Can the options be combined? ERR_USAGE. NULL: always. */
	bool (*check)(const struct record_options *options, struct error *err);
};

#endif
