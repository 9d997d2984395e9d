/* recorder.h: what does a session call of the recorder of its mode? recorders.h tells when. */
#ifndef KILN_RECORDERS_RECORDER_H
#define KILN_RECORDERS_RECORDER_H

#include "base/error.h"
#include "recorders/capabilities.h"
#include "recorders/modes/mode.h"

struct session;
struct mode_events;

struct recorder {
	const struct mode *mode;	  /* what it records */
	const struct mode_events *events; /* modes/driver.h; NULL: it does not use the driver */

	/* Open events on the session's targets, not enabled yet. s->recorder_state is for the
	 * recorder. */
	bool (*open)(struct session *s, struct error *err);
	/* Start. (Events of a command start by themselves at its exec.) */
	bool (*enable)(struct session *s, struct error *err);
	/* The capabilities that it needs while it records, besides those to read /proc. NULL: none.
	 */
	capabilities (*keeps)(const struct session *s);
	/* Set the frequency of its timer (Hz); NULL: it has none. Samples that are weighed by the
	 * time between them stay right. */
	bool (*set_frequency)(struct session *s, uint64_t frequency, struct error *err);
	/* CPU time that its programs took, ns; NULL: it has none. */
	uint64_t (*spent)(const struct session *s);
	/* Take the events that have come; `last`: all of them, they have been stopped. */
	bool (*drain)(struct session *s, bool last, struct error *err);
	/* No more samples. */
	void (*stop)(struct session *s);
	/* After the last drain: store what was expected and lost. */
	void (*account)(struct session *s);
	void (*close)(struct session *s);
};

#endif
