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
	ERR_PERMISSION,	 /* a sysctl or a capability is missing; the text names it */
	ERR_IO,		 /* a system call failed: open, read, write, map */
	ERR_MEMORY,  /* memory ran out; a command ends instead when an ordinary allocation fails */
	ERR_MISSING, /* the requested thing does not exist */
};

#define ERROR_ROOM 1024u

/* A failure, owned by the caller. `{0}` means none. The text is one line without a newline,
 * starts in lower case and ends without a full stop; the code that prints it puts "kiln: " in
 * front. A text that is too long, because of a very long name, loses its middle ("..."): its
 * beginning says what failed where, and its end says what to do. */
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

/* Put context in front of the text: "trace.txt: line 12: ...". Returns false. */
__attribute__((format(printf, 2, 3))) bool error_prefix(struct error *err, const char *fmt, ...);

/* The exit code of a command that failed with `err`: 2 for usage and bad input, else 1. */
int error_exit_code(const struct error *err);

#endif
