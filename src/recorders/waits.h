/* waits.h: what is common to recorders of waiting, built with programs for the kernel or not. */
#ifndef KILN_RECORDERS_WAITS_H
#define KILN_RECORDERS_WAITS_H

#include "base/options.h"
#include "recorders/session.h"

#define OFF_ABOUT "where threads wait: asleep, for input and output, for a CPU"
#define OFF_NONE  "the target never left the CPU, or not for as long as --min and --max want it"
#define OFF_TOP	  "what threads waited for"
#define OFF_TITLE "Waits (--mode off)"

extern const struct option off_options[];
bool off_check(const struct record_options *options, struct error *err);

/* The frame of a kind of waiting, above the stack: "[sleeping]". */
const char *wait_kind_frame(unsigned kind);

#endif
