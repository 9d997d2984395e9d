/* program.h: what would a profile of this program lack? */
#ifndef KILN_CHECKS_PROGRAM_H
#define KILN_CHECKS_PROGRAM_H

#include "checks/checks.h"

/* Check the program that a shell would run for `name`. ERR_MISSING: there is none. */
bool program_check_command(
	const struct machine *m, const char *name, struct findings *out, struct error *err);

/* Check a running process, with the libraries that it has mapped. ERR_USAGE: it does not exist. */
bool program_check_process(
	const struct machine *m, int32_t pid, struct findings *out, struct error *err);

#endif
