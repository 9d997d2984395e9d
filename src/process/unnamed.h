/* unnamed.h: in which modules are there locations without names, and what would give them names? */
#ifndef KILN_PROCESS_UNNAMED_H
#define KILN_PROCESS_UNNAMED_H

#include "base/error.h"
#include "images/symbols.h"
#include "model/profile.h"
#include "process/recorded_kernel.h"

/* A module in which locations are still without names. */
struct unnamed_module {
	struct bytes file; /* owned by the profile; valid until it grows */
	string_id file_id;
	uint32_t kind;	    /* enum mapping_kind */
	process_id process; /* MAPPING_JIT */
	uint32_t locations;
	uint64_t samples; /* samples that end in it, without those of idle CPUs */
	uint64_t weight;  /* of stacks with unnamed locations in it: unnamed_weights.h */
	bool packaged;	  /* a stripped file of the system: its package's symbols would name it */
	bool missing;	  /* the file is missing, or differs from the recorded one */
	char why[ERROR_ROOM]; /* a phrase: "stripped; no separate debug file" */
	/* What would give names: a phrase with a command, or ""; static, and the same pointer
	 * for all modules with the same remedy. */
	const char *remedy;
};

/* Most samples first. */
struct unnamed_modules {
	struct unnamed_module *items;
	size_t len, cap;
};

/* What was learned while a module's names were looked up. */
struct unnamed_facts {
	bool opened; /* the binary, the kernel's symbols or the perf map could be opened */
	enum symbols_extent extent;	      /* of a binary that was opened */
	const struct recorded_kernel *kernel; /* of kernel code */
	char error[ERROR_ROOM];		      /* why not opened; "": no reason */
};

/* `{0}` is empty. */
struct unnamed_counts {
	VECTOR(location_id) locations;
	VECTOR(struct unnamed_mapping {
		mapping_id mapping;
		struct unnamed_facts facts;
	})
	mappings; /* of all locations that were looked up */
};

void unnamed_add(struct unnamed_counts *c, location_id location);
void unnamed_facts(struct unnamed_counts *c, mapping_id mapping, const struct unnamed_facts *facts);

/* Find the modules with unnamed locations, count the samples that end in these, and say what would
 * help. *ret_samples: all of the profile without those of idle CPUs; 0 if all locations have names.
 * `ret_weight` may be NULL; otherwise the modules are weighed, and it is set to the sum of all
 * values, if there are unnamed locations. */
void unnamed_report(const struct unnamed_counts *c, const struct profile *p,
	struct unnamed_modules *ret_modules, uint64_t *ret_samples, uint64_t *ret_weight);
void unnamed_release(struct unnamed_counts *c);

#endif
