/* recorders.h: live sources of samples. One file and one line in meson.build each.
 *
 * A recorder opens what it needs for the targets of a session, hands samples to the session's
 * profile whenever it is asked to drain, and accounts for what is missing at the end. */
#ifndef KILN_RECORDERS_RECORDERS_H
#define KILN_RECORDERS_RECORDERS_H

#include "recorders/capabilities.h"
#include "recorders/modes/mode.h"
#include "recorders/session.h"

struct mode_events;

struct recorder {
	const struct mode *mode;	  /* what it records */
	const struct mode_events *events; /* modes/driver.h; NULL: it has no driver */

	/* Open events on the session's targets, not enabled yet; recorder_state is the recorder's.
	 */
	bool (*open)(struct session *s, struct error *err);
	/* Begin: events of a command begin by themselves when it is executed. */
	bool (*enable)(struct session *s, struct error *err);
	/* What it needs while it records, besides looking at processes. NULL: nothing. */
	capabilities (*keeps)(const struct session *s);
	/* Sample so often from now on (Hz); NULL: it has no timer. What is weighed by the time
	 * between samples stays right. */
	bool (*set_frequency)(struct session *s, uint64_t frequency, struct error *err);
	/* CPU time of its programs in the kernel, ns; NULL: it has none. */
	uint64_t (*spent)(const struct session *s);
	/* Take what is there; `last`: all of it, the events have been stopped. */
	bool (*drain)(struct session *s, bool last, struct error *err);
	/* No more samples; and after the last drain, the losses. */
	void (*stop)(struct session *s);
	void (*account)(struct session *s);
	void (*close)(struct session *s);
};

/* Do the options go together, and with the mode? ERR_USAGE. */
bool mode_check(const struct mode *mode, const struct record_options *options, struct error *err);

/* For modes that this Kiln was built without: fail to open, and nothing to close. */
bool recorder_refuse(struct session *s, struct error *err);
void recorder_close_nothing(struct session *s);

extern const struct recorder *const recorders[]; /* NULL-terminated; the first is the default */

#endif
