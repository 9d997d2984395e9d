/* runtimes.h: which setting makes a runtime tell the names of the code that it generates? */
#ifndef KILN_NAMES_RUNTIMES_H
#define KILN_NAMES_RUNTIMES_H

#include "base/bytes.h"

struct runtime {
	const char *program;  /* its name, without a version: "python" */
	const char *title;    /* "Python" */
	const char *variable; /* of the environment, that has the setting: "PYTHONPERFSUPPORT" */
	const char *option;   /* what it has to contain: "1" */
	const char *setting;  /* for a shell, in front of a command: "PYTHONPERFSUPPORT=1" */
	const char *advice;   /* "start python with PYTHONPERFSUPPORT=1" */
	const char *limits;   /* which versions: "from Python 3.12 on"; "": all */
	unsigned minor;	      /* the first minor version of Python 3 that has it; 0: all */
};

/* The runtime of a process or program with this name: "node", "python3.12"; NULL: none is known. */
const struct runtime *runtime_of(struct bytes name);
/* All of them; the last has no program. */
extern const struct runtime runtimes[];

/* Is its version, in the name of the program ("python3.11"), too old for the setting? */
bool runtime_is_too_old(const struct runtime *r, struct bytes name);

#endif
