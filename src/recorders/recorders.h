/* recorders.h: live sources of samples, one for each mode of `kiln record`.
 *
 * `kiln record` fills in a request (request.h) and calls session_run (session.h). The session finds
 * or starts the targets (target.h, cgroups/), and calls the recorder of the mode:
 *
 *	open	open kernel events and load programs, not enabled yet
 *	enable	start them, on all targets at once where the kernel can
 *	drain	again and again: take what is in the rings, and add samples to the profile
 *	stop	no more events; then drain once more
 *	account	store how many samples were expected, and why some are lost
 *	close
 *
 * Events reach the recorder in two ways. A kernel event (perf/) writes records to a ring of each
 * CPU: samples with registers and a copy of the stack, and what happens to processes: fork, exec,
 * mmap, exit. A BPF program (bpf/, loaded by programs/) writes its own small events to one ring,
 * with stacks that it has walked in the kernel. Either way, records of all rings are put into the
 * order of their times: when a sample is taken, all that happened to its process before is known,
 * so that its addresses are found in what was mapped at that time (process/). Stacks become rows of
 * the profile at once. `kiln record` names their addresses (process/symbolize.h): the new ones each
 * time that it writes to its output, and all of them, with inlined functions, at the end.
 *
 * Programs walk user stacks with unwind tables, which the recorder writes into maps of the kernel
 * as processes map binaries (unwind/). What a program cannot walk yet, it copies, and the recorder
 * walks it (programs/chunks.h).
 *
 * --mode cpu uses perf or a program (modes/cpu.c, modes/cpu_bpf.c). All other modes have programs
 * of their own; what these modes have in common is in modes/driver.h: CONTRIBUTING.md shows how to
 * add one. Probes in functions and static probes are found and attached by probes/. */
#ifndef KILN_RECORDERS_RECORDERS_H
#define KILN_RECORDERS_RECORDERS_H

#include "recorders/modes/mode.h"
#include "recorders/obstacle.h"
#include "recorders/recorder.h"
#include "recorders/session.h"

/* Do the options go together, and with the mode? ERR_USAGE. */
bool mode_check(const struct mode *mode, const struct record_options *options, struct error *err);

/* The heading of the leaves of stacks that were recorded with these options. */
const char *mode_heading(const struct mode *mode, const struct record_options *options);

/* For modes that need programs, where this Kiln was built without: opening fails, and there is
 * nothing to close. */
bool recorder_refuse(struct session *s, struct error *err);
/* Was this Kiln built with programs? ERR_UNSUPPORTED says what was missing. */
bool recorder_programs_check(struct error *err);
/* Was it, and can this user load them into this kernel? False: *ret is what is in the way. */
bool recorder_programs_work(struct obstacle *ret);
/* Can their events wait for pages of stacks that are not in memory? After the call above. */
bool recorder_programs_wait_for_pages(void);
void recorder_close_nothing(struct session *s);

extern const struct recorder *const recorders[]; /* NULL-terminated; the first is the default */

#endif
