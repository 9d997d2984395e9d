/* modes.h: what can be recorded, in words and options, whether this Kiln was built to do it or not.
 */
#ifndef KILN_RECORDERS_MODES_H
#define KILN_RECORDERS_MODES_H

#include "base/options.h"
#include "recorders/session.h"

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

extern const struct mode mode_cpu, mode_off, mode_wall, mode_io, mode_disk, mode_lock, mode_count,
	mode_mem;

/* The frame of a wait (enum wait_kind, WAIT_IN_...), above the stack: "[sleeping: futex]". */
void wait_frame(struct buffer *ret_text, unsigned kind, unsigned in);

/* What a word of --state wants. */
struct wait_state {
	unsigned kinds; /* bits by enum wait_kind */
	unsigned in;	/* WAIT_IN_FAULT, WAIT_IN_IO, WAIT_IN_CALL and a number; 0: anything */
};
bool wait_state_named(struct bytes word, struct wait_state *ret_state);

#endif
