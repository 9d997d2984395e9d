/* jit_files.h: where did a runtime write what it says about its code? */
#ifndef KILN_PROCESS_JIT_FILES_H
#define KILN_PROCESS_JIT_FILES_H

#include "process/jit_code.h"

/* In the order in which they are asked. */
enum jit_file { JIT_DUMP, JIT_LOG, JIT_MAP, JIT_FILES };

/* Is it the path of a jitdump: "/tmp/jit-123.dump", of process 123 as it sees itself? */
bool jit_file_is_dump(struct bytes path, uint64_t *ret_pid);

/* Open the file of a process `pid`, which sees itself as `own_pid`, where it belongs: a descriptor
 * to be closed, or -1, with the reason when there is one that may not be read (else ERR_IO or
 * none). */
int jit_file_open(const struct jit_code *code, const struct profile *p, enum jit_file which,
	int32_t pid, int32_t own_pid, struct error *err);
/* The same in code->beside. */
int jit_file_beside(const struct jit_code *code, enum jit_file which, int32_t own_pid);

#endif
