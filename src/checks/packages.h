/* packages.h: which package would add the debugging symbols of a file?
 *
 * Distributions put what was stripped from a package's binaries into packages of their own. On
 * Debian and its descendants these are named after the package that has the file, which the lists
 * of dpkg tell. Elsewhere the package manager finds it by the file, or debuginfod servers have it.
 */
#ifndef KILN_CHECKS_PACKAGES_H
#define KILN_CHECKS_PACKAGES_H

#include "base/buffer.h"

enum package_manager { PACKAGES_NONE, PACKAGES_APT, PACKAGES_DNF, PACKAGES_PACMAN, PACKAGES_APK };

struct packages {
	enum package_manager manager;
	char title[96];	     /* "Debian GNU/Linux 12 (bookworm)"; "": unknown */
	const char *servers; /* debuginfod servers of this distribution, for DEBUGINFOD_URLS */
	const char *root;    /* where the file system begins, for tests: "" */
};

/* What does os-release say? `root` is borrowed. */
void packages_find(struct packages *ret, const char *root);

/* Append the package with the debugging symbols of the file at this path: "libc6-dbg". False: not
 * known by name. */
bool packages_with_symbols(const struct packages *p, const char *path, struct buffer *ret_name);

/* Append the command that gives names to the functions of this file: it installs that package, or
 * lets servers be asked. */
void packages_advise(const struct packages *p, const char *path, struct buffer *ret_command);

/* Append the command that installs a package of this name, which is the same everywhere. */
void packages_install(const struct packages *p, const char *name, struct buffer *ret_command);

#endif
