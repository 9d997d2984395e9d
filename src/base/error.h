/* error.h: what failed, where, and what to do about it. */
#ifndef KILN_BASE_ERROR_H
#define KILN_BASE_ERROR_H

#include <stdbool.h>

enum error_code {
	ERR_NONE,
	ERR_USAGE,	 /* the command line is wrong */
	ERR_FORMAT,	 /* the input is malformed, truncated or of no known format */
	ERR_LIMIT,	 /* the input exceeds a named limit */
	ERR_UNSUPPORTED, /* understood, but this build or this kernel cannot do it */
	ERR_PERMISSION,	 /* a sysctl or a capability is in the way; the text names it */
	ERR_IO,		 /* the system refused: open, read, write, map */
	ERR_MEMORY,	 /* memory ran out; where it is for small things, a command ends */
	ERR_MISSING,	 /* of all that is served, nothing has that name */
};

#define ERROR_ROOM 1024u

/* A caller-owned failure. `{0}` means none. The text is one line without a newline, starts in
 * lower case and ends without a full stop; whoever prints it puts "kiln: " in front. A text that
 * does not fit, because of a very long name, lacks its middle ("..."): its beginning says where
 * something failed, and its end says what to do. */
struct error {
	enum error_code code;
	char text[ERROR_ROOM];
};

/* Record a failure. Returns false, so that a caller can `return error_set(...)`. */
__attribute__((format(printf, 3, 4))) bool error_set(
	struct error *err, enum error_code code, const char *fmt, ...);

/* As error_set, with ": " and the text of errno appended. errno decides between ERR_IO and
 * ERR_PERMISSION. */
__attribute__((format(printf, 2, 3))) bool error_errno(struct error *err, const char *fmt, ...);

/* Put context in front of the text while it travels up: "trace.txt: line 12: ...". Returns false.
 */
__attribute__((format(printf, 2, 3))) bool error_prefix(struct error *err, const char *fmt, ...);

/* The exit code of a command that failed with `err`: 2 for usage and bad input, else 1. */
int error_exit_code(const struct error *err);

#endif
