/* naming_options.h: the options that say where names come from, and how much they say. */
#ifndef KILN_COMMANDS_NAMING_OPTIONS_H
#define KILN_COMMANDS_NAMING_OPTIONS_H

#include "base/options.h"
#include "loading/naming.h"

/* --symfs and the like. */
struct option_group naming_place_options(void);
/* --no-inline and the like; for recordings, too. */
struct option_group naming_detail_options(void);

/* What the user chose. */
const struct naming_options *naming_chosen(void);

#endif
