/* count.h: hits of places in the kernel and in programs, which --mode count and --mode mem --cheap
 * record. */
#ifndef KILN_RECORDERS_MODES_COUNT_H
#define KILN_RECORDERS_MODES_COUNT_H

#include "recorders/modes/driver.h"

extern const struct mode_events count_events;

#endif
