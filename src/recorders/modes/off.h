/* off.h: events of the scheduler, which --mode off and --mode wall record. */
#ifndef KILN_RECORDERS_MODES_OFF_H
#define KILN_RECORDERS_MODES_OFF_H

#include "recorders/modes/driver.h"

extern const struct mode_events off_events;
extern const struct recorder recorder_wall; /* runs between waits are recorded, too */

/* Of --mode wall: see struct recorder. */
bool off_set_frequency(struct session *s, uint64_t frequency, struct error *err);
uint64_t off_spent(const struct session *s);

#endif
