/* jitdump.h: what did a just-in-time compiler write into its jitdump?
 *
 * The format is the kernel's tools/perf/Documentation/jitdump-specification.txt: a header and
 * records in the byte order of the machine, with times. The runtime maps the file (jit-PID.dump)
 * executable, so that a recording contains its name. The machine code in it is not needed. */
#ifndef KILN_IMAGES_JITDUMP_H
#define KILN_IMAGES_JITDUMP_H

#include "base/error.h"
#include "images/code_map.h"
#include "images/runtime_file.h"

struct jitdump;

struct jitdump *jitdump_new(void);
void jitdump_release(struct jitdump *dump); /* NULL is fine */

/* Read what the file has gained since the last call. An incomplete record is left for the next
 * call. ERR_FORMAT when it is not a jitdump. */
bool jitdump_read(struct jitdump *dump, int fd, struct runtime_budget *budget, struct error *err);
/* As jitdump_read, from memory: `bytes` are those at jitdump_offset(). */
bool jitdump_parse(struct jitdump *dump, struct bytes bytes, struct error *err);
uint64_t jitdump_offset(const struct jitdump *dump);

struct code_map *jitdump_code(struct jitdump *dump);

struct jitdump_facts {
	uint32_t pid;	      /* as seen by the program itself */
	bool timed;	      /* times are CLOCK_MONOTONIC, in ns; otherwise a CPU counter */
	uint64_t first, last; /* times of records; 0: none */
	uint64_t records;     /* read so far */
	uint64_t malformed;   /* records whose content is not valid */
	bool damaged;	      /* no valid record follows the last one */
	uint64_t left_out;    /* bytes that the budget left out in the last call */
};
struct jitdump_facts jitdump_facts(const struct jitdump *dump);

#endif
