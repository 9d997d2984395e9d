/* driver.h: what all modes with BPF programs have in common: the course of a recording.
 *
 * A mode is one file here, one file bpf/NAME.bpf.c, and one line in meson.build (CONTRIBUTING.md
 * has a recipe). It says how its programs are configured, which sample an event becomes, and what
 * was lost. The driver does the rest: it loads and attaches the programs, takes their events in the
 * order of time with what happens to processes, adds up samples, takes deferred events at the end,
 * stores the losses, and releases it all. */
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
	uint64_t lost; /* samples, after `account` */
};

/* What a mode adds to the driver. `state` is the mode's, zeroed before `open`, and begins with its
 * driver. The driver calls the functions in this order; it skips those that may be NULL. */
struct mode_events {
	size_t state_size;
	const char *attaching;	/* "attaching to the scheduler" */
	unsigned scratch_areas; /* enum scratch_area: how many the programs use; 0: two */
	struct bpf_records records;
	/* With some options a mode records the events of another one: those; else NULL. May be
	 * NULL. */
	const struct mode_events *(*instead)(const struct record_options *options);

	/* Open the skeleton of the programs; set their constants and source.programs. */
	bool (*open)(void *state, struct error *err);
	/* Add the tallies (driver_add_tally), and prepare frames that the mode adds to stacks. */
	void (*describe)(void *state);
	/* The programs run: attach those that libbpf does not attach itself. May be NULL. */
	bool (*attach)(void *state, struct error *err);
	/* The capabilities that it needs while it records; NULL: those of programs. */
	capabilities (*keeps)(const void *state);
	/* Events were drained; `last`: all of them. May be NULL. */
	bool (*drained)(void *state, bool last, struct error *err);
	/* The recording is about to end: events still come. May be NULL. */
	void (*ending)(void *state);
	/* The deferred events (bpf/deferred.h) of the programs. NULL: there are none. */
	struct deferred_event *(*deferred)(void *state);
	/* No more events come. May be NULL. */
	void (*ended)(void *state);
	/* The last drain: take events that came another way than by the ring. May be NULL. */
	void (*take_rest)(void *state);
	/* Call driver_account for each tally, and add notes to the profile. */
	void (*account)(void *state);
	void (*release)(void *state);
};

/* The functions of a `struct recorder` with these events. In a build without BPF, opening fails
 * with a message that says so. */
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
/* A location that is only a name, "[read]", to be added to stacks. */
location_id driver_place(struct driver *d, struct bytes name, enum frame_kind kind);
/* Set a sample's thread and stack from those of an event. */
void driver_locate(
	struct driver *d, uint32_t pid, uint32_t tid, uint32_t chunk, struct sample *sample);
/* Add a sample, which counts as `count` samples, to a tally. */
void driver_add(
	struct driver *d, size_t tally, const struct sample *sample, int64_t value, unsigned count);
/* struct bpf_records, of modes whose events are struct event_hit. */
size_t driver_hit_size(uint8_t type);
uint64_t driver_hit_time(const void *event);
/* How often the kernel skipped these programs (a NULL ends the list) because one of them was
 * already running on that CPU. */
uint64_t driver_missed(const struct driver *d, const char *const *programs);
/* Store how many samples of a tally were expected, and the losses by reason; `losses` ends with a
 * NULL reason. */
void driver_account(
	struct driver *d, size_t tally, uint64_t expected, const struct bpf_loss *losses);

#endif
