/* record_names.h: naming what a recording has sampled, with what the recorder holds open. */
#ifndef KILN_COMMANDS_RECORD_NAMES_H
#define KILN_COMMANDS_RECORD_NAMES_H

#include "process/symbolize.h"
#include "recorders/session.h"

/* Name the locations that have no names yet; `last`: try those again that had none so far. The
 * cache is kept from call to call and released before the session. The report may be NULL. */
void record_name(struct session *s, struct image_cache *cache, bool last,
	struct symbolize_report *ret_report);

#endif
