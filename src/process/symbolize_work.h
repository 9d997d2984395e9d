/* symbolize_work.h: in which order are locations looked up?
 *
 * Module by module, and in each by ascending address: symbols, debugging information and the
 * symbol cache are all read forwards. */
#ifndef KILN_PROCESS_SYMBOLIZE_WORK_H
#define KILN_PROCESS_SYMBOLIZE_WORK_H

#include "model/profile.h"

/* A location that is to be named. */
struct work {
	uint64_t address;
	mapping_id mapping;
	location_id location;
};

void work_sort_by_mapping(struct work *work, size_t count);
void work_sort_by_address(struct work *work, size_t count); /* all of one mapping */

#endif
