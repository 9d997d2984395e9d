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
	const char *none;  /* what to try when nothing came: "the target hardly ..." */
	const char *top;   /* what the ends of stacks are: "hottest functions (self)" */
	const char *what;  /* every ... is recorded: "wait"; NULL: samples are taken */

	/* Options of its own, into struct record_options; NULL: they are listed elsewhere. Their
	 * heading in --help; and for messages the names of those that no other mode knows. */
	const struct option *options;
	const char *title, *own;
	bool (*used)(const struct record_options *options); /* one of those? */
	/* Forget what is asked of other modes in these options, which this one knows as well. NULL:
	 * nothing. */
	void (*shared)(struct record_options *options);
	/* Do the options go together? ERR_USAGE. NULL: always. */
	bool (*check)(const struct record_options *options, struct error *err);
};

#endif
