/* unnamed.h: in which modules did places stay without names, and what would give them? */
#ifndef KILN_PROCESS_UNNAMED_H
#define KILN_PROCESS_UNNAMED_H

#include "process/recorded_kernel.h"
#include "process/symbolize.h"

/* What was found out while a module's names were looked for. */
struct unnamed_facts {
	bool opened;			      /* the binary, the kernel's symbols or the perf map */
	enum symbols_extent extent;	      /* of a binary that was opened */
	const struct recorded_kernel *kernel; /* of kernel code */
	char error[ERROR_ROOM];		      /* why not opened; "": nothing to say */
};

/* `{0}` is empty. */
struct unnamed_counts {
	VECTOR(location_id) locations;
	VECTOR(struct unnamed_mapping {
		mapping_id mapping;
		struct unnamed_facts facts;
	})
	mappings; /* of all places that were looked up */
};

void unnamed_add(struct unnamed_counts *c, location_id location);
void unnamed_facts(struct unnamed_counts *c, mapping_id mapping, const struct unnamed_facts *facts);

/* Count the samples that end in unnamed places and say what would help, most samples first. */
void unnamed_report(const struct unnamed_counts *c, const struct profile *p,
	struct symbolize_report *ret_report);
void unnamed_release(struct unnamed_counts *c);

#endif
