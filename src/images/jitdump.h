/* jitdump.h: what did a just-in-time compiler write into its jitdump?
 *
 * The format is the kernel's tools/perf/Documentation/jitdump-specification.txt: a header and
 * records in the byte order of the machine, with times. The runtime maps the file executable, so
 * that a recording knows of it: jit-PID.dump. Code itself, which it also holds, is not needed. */
#ifndef KILN_IMAGES_JITDUMP_H
#define KILN_IMAGES_JITDUMP_H

#include "base/error.h"
#include "images/code_map.h"
#include "images/runtime_file.h"

struct jitdump;

struct jitdump *jitdump_new(void);
void jitdump_release(struct jitdump *dump); /* NULL is fine */

/* Take in what the file has by now beyond what was read. A record that is not complete is left for
 * the next time. ERR_FORMAT when it is no jitdump. */
bool jitdump_read(struct jitdump *dump, int fd, struct runtime_budget *budget, struct error *err);
/* The same from memory: `bytes` is what lies at jitdump_offset(). */
bool jitdump_take(struct jitdump *dump, struct bytes bytes, struct error *err);
uint64_t jitdump_offset(const struct jitdump *dump);

struct code_map *jitdump_code(struct jitdump *dump);

struct jitdump_facts {
	uint32_t pid;	      /* as the program knows itself */
	bool timed;	      /* times are CLOCK_MONOTONIC, in ns; else a counter of the CPU's */
	uint64_t first, last; /* times of records; 0: there are none */
	uint64_t records;     /* that were read */
	uint64_t malformed;   /* that were not what they say */
	bool damaged;	      /* behind the last record is no other one */
	uint64_t left_out;    /* bytes that the budget left out when it was read last */
};
struct jitdump_facts jitdump_facts(const struct jitdump *dump);

#endif
