/* pprof_drop.h: functions that a pprof file itself asks to leave out, with what they called. */
#ifndef KILN_READERS_PPROF_PPROF_DROP_H
#define KILN_READERS_PPROF_PPROF_DROP_H

#include "base/pattern.h"

/* drop_frames and keep_frames: names that match the first as a whole, but not the second. */
struct pprof_drop {
	struct pattern drop, keep;
	char *drop_text, *keep_text;
	bool has_drop, has_keep;
};

/* False, with the reason, when one is no regular expression. `{0}` drops nothing. */
bool pprof_drop_init(struct pprof_drop *d, struct bytes drop, struct bytes keep, struct error *err);
void pprof_drop_release(struct pprof_drop *d);
bool pprof_drop_matches(const struct pprof_drop *d, struct bytes function);

#endif
