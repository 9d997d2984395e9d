/* broker.h: which process opens files for a process that may not open them?
 *
 * A confined process (confine.h) still needs files whose names it meets while it reads, for
 * instance the binaries of a profile. A second process, the broker, opens them and passes the
 * descriptors. The broker parses nothing; it decides by what a file is, not by what the request
 * says. */
#ifndef KILN_BASE_BROKER_H
#define KILN_BASE_BROKER_H

#include "base/buffer.h"

#include <sys/types.h>

/* What is requested. Each kind has rules of its own; the program that started the broker sets
 * them. */
enum broker_kind {
	BROKER_INPUT,	/* a file named by the user */
	BROKER_FOLDER,	/* a folder, to list it */
	BROKER_BINARY,	/* an ELF file */
	BROKER_RUNTIME, /* a file that a runtime wrote about its code */
	BROKER_SOURCE,	/* source text */
	BROKER_SPOOL,	/* a new file without a name */
	BROKER_FETCH,	/* download from a server: "EXECUTABLE BUILD-ID NAME" */
	BROKER_CODE,	/* a disassembly: "START END PATH" */
	BROKER_SHOW,	/* open the page on the desktop */
};

#define BROKER_TEXT_LIMIT 8192u /* bytes of a request or a reply */

/* Handles one request, in the broker's process. fd: passed to the client, then closed; -1: none.
 * error: an errno, 0: none. */
struct broker_answer {
	int fd;
	int error;
	struct buffer text;
};
typedef void broker_handler(
	void *context, enum broker_kind kind, const char *text, struct broker_answer *ret);

/* Start the broker, while this process has one thread. It ends when this process does. It inherits
 * no open file but standard error. False: it could not be started; broker_ask then fails with
 * ENOSYS. */
bool broker_start(broker_handler *handler, void *context);

/* fork(2) for a handler: the child has the default signal actions. */
pid_t broker_fork(void);

/* Send a request. Returns the descriptor, which the caller closes, or -1 with errno: 0 if the reply
 * has no descriptor, ENOSYS if there is no broker. ret_text (may be NULL): the reply's text is
 * appended. Thread-safe. */
int broker_ask(enum broker_kind kind, const char *text, struct buffer *ret_text);
bool broker_is_running(void);

/* Open a file for reading, without waiting for the writer of a FIFO: here, or through the broker if
 * this process may not. Only BROKER_INPUT may open something other than a regular file
 * (plain_file.h). */
int broker_open(enum broker_kind kind, const char *path);

#endif
