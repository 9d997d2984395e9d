/* work_folder.h: a folder of the test's own, and shell commands that run in it. */
#ifndef KILN_TEST_WORK_FOLDER_H
#define KILN_TEST_WORK_FOLDER_H

#include <stdbool.h>

/* One for the whole program, from the first call of these until the program exits; what cannot be
 * done fails the test. Where KILN_KEEP is set it stays, to be looked at. */

/* The path of a file in it; a static buffer of which four are in use in turn. */
const char *work_path(const char *name);

void work_write(const char *name, const char *text);

/* Run a command in it, which must succeed. What it says goes to the file `log`, and is shown when
 * it fails. */
__attribute__((format(printf, 1, 2))) void work_run(const char *fmt, ...);

/* The same, and whether it succeeds is the answer. */
__attribute__((format(printf, 1, 2))) bool work_try(const char *fmt, ...);

/* The output of a command that must succeed; free() it. */
__attribute__((format(printf, 1, 2))) char *work_output(const char *fmt, ...);

#endif
