/* driver.h: the life of a mode whose programs in the kernel tell of events.
 *
 * A mode (one file here, one bpf/NAME.bpf.c and one line in meson.build) says what its programs are
 * asked for, which sample a record of theirs is, and what was lost. The driver does what is alike
 * in all of them: it loads the programs and begins, takes records after what happened before them
 * to processes, adds up, takes at the end what still waited for its stack, and releases it all. */
#ifndef KILN_RECORDERS_MODES_DRIVER_H
#define KILN_RECORDERS_MODES_DRIVER_H

#include "recorders/modes/tally.h"
#include "recorders/programs/source.h"
#include "recorders/recorders.h"

/* The first member of each mode's state. */
struct driver {
	const struct mode_events *events;
	struct session *session;
	struct bpf_source source;
	VECTOR(struct tally) tallies;
	uint64_t lost; /* samples, once it is accounted for */
};

/* What a mode adds to the driver. `state` is the mode's, zeroed before `open`, and begins with its
 * driver. The driver calls the functions in this order; it skips those that may be NULL. */
struct mode_events {
	size_t state_size;
	const char *attaching; /* "attaching to the scheduler" */
	struct bpf_records records;
	/* Where other options ask for other events: those; NULL: these. May be NULL. */
	const struct mode_events *(*instead)(const struct record_options *options);

	/* Open the skeleton of the programs, set their constants and source.programs. */
	bool (*open)(void *state, struct error *err);
	/* Add the tallies (driver_add_tally), and frames that do not come from the programs. */
	void (*describe)(void *state);
	/* The programs run: attach what the kernel does not attach by itself. May be NULL. */
	bool (*attach)(void *state, struct error *err);
	/* What capabilities it needs while it records; NULL: those of programs. */
	capabilities (*keeps)(const void *state);
	/* Records were drained; `last`: all of them. May be NULL. */
	bool (*drained)(void *state, bool last, struct error *err);
	/* The recording ends, and events still come. May be NULL. */
	void (*ending)(void *state);
	/* Where events wait for their stack (bpf/later.h). NULL: nowhere. */
	struct later_slot *(*later)(void *state);
	/* No more events come. May be NULL. */
	void (*ended)(void *state);
	/* The last drain: take what came another way than by the ring. May be NULL. */
	void (*take_rest)(void *state);
	/* Call driver_account for each tally, and note what else there is to say. */
	void (*account)(void *state);
	void (*release)(void *state);
};

/* The functions of a `struct recorder` whose events these are. Without programs for the kernel in
 * this build there are none, and opening it says so. */
#ifdef HAVE_BPF
#define DRIVEN_BY(mode_events)                                                                     \
	.events = (mode_events), .open = driver_open, .enable = driver_enable,                     \
	.keeps = driver_keeps, .drain = driver_drain, .stop = driver_stop,                         \
	.account = driver_account_all, .close = driver_close
#else
#define DRIVEN_BY(mode_events) .open = recorder_refuse, .close = recorder_close_nothing
#endif

bool driver_open(struct session *s, struct error *err);
bool driver_enable(struct session *s, struct error *err);
capabilities driver_keeps(const struct session *s);
bool driver_drain(struct session *s, bool last, struct error *err);
void driver_stop(struct session *s);
void driver_account_all(struct session *s);
void driver_close(struct session *s);

/* ---- For modes ---- */

/* Add a table of samples; its number counts from 0. */
size_t driver_add_tally(struct driver *d, const struct tally_kinds *kinds);
/* A place with a name of its own, "[read]", for the end of stacks. */
location_id driver_place(struct driver *d, struct bytes name, enum frame_kind kind);
/* Set a sample's thread and stack from what a record says of them. */
void driver_locate(
	struct driver *d, uint32_t pid, uint32_t tid, uint32_t chunk, struct sample *sample);
/* Add a sample, which counts as `count` samples, to a tally. */
void driver_add(
	struct driver *d, size_t tally, const struct sample *sample, int64_t value, unsigned count);
/* How often these programs (NULL behind the last) did not run because one of them was already
 * running on the CPU. */
uint64_t driver_missed(const struct driver *d, const char *const *programs);
/* Store how many samples of a tally were expected, and the losses by reason; `losses` ends with a
 * NULL reason. */
void driver_account(
	struct driver *d, size_t tally, uint64_t expected, const struct bpf_loss *losses);

#endif
