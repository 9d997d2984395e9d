/* diff_renames.h: functions that are gone and new ones that may be the same by another name. */
#ifndef KILN_COMMANDS_DIFF_RENAMES_H
#define KILN_COMMANDS_DIFF_RENAMES_H

#include "model/view.h"

/* Say which functions of before may have another name in after: both called by the same function,
 * calling mostly the same ones, and costing at most twice as much as the other. It is a suggestion:
 * nothing is merged. */
void diff_renames_print(const struct view *v);

#endif
