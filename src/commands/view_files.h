/* view_files.h: which files may the server of a page have, whatever it is made to ask for? */
#ifndef KILN_COMMANDS_VIEW_FILES_H
#define KILN_COMMANDS_VIEW_FILES_H

#include "base/error.h"
#include "images/binary_locations.h"

/* Everything is borrowed. */
struct view_files {
	char *const *operands; /* NULL-terminated: files and folders to be served */
	const struct binary_locations *binary_locations; /* where the user says that binaries are */
	const char *v8_logs;				 /* a pattern of the user's, or NULL */
	const char *url;    /* the only one that is shown on the desktop; NULL: none */
	bool shows_sources; /* and machine code */
	bool stores_names;  /* the symbol cache is used */
};

/* Start the broker (broker.h), and confine this process: it opens the files that were named, and
 * what is below folders that were named; writes the symbol cache alone; executes nothing; makes no
 * socket. The broker opens for it what is named again (files are replaced), binaries wherever they
 * are, what runtimes have written about their code, and source files. To be called before anything
 * is read, and before threads are started. False: there is no broker. Returns in *ret_confined what
 * the kernel does: enum confined, or'ed. */
bool view_files_confine(const struct view_files *files, unsigned *ret_confined, struct error *err);

#endif
