/* broker.h: who opens files for a process that may not?
 *
 * A process that is confined (confine.h) still needs files whose names it meets while it reads:
 * binaries of a profile, for instance. A second process, which parses nothing, opens them for it
 * and passes the descriptors: it decides by what a file is, not by what it is asked for. */
#ifndef KILN_BASE_BROKER_H
#define KILN_BASE_BROKER_H

#include "base/buffer.h"

#include <sys/types.h>

/* What is asked for: each kind has rules of its own, which are those of whoever started the broker.
 */
enum broker_kind {
	BROKER_INPUT,	/* a file that the user named */
	BROKER_FOLDER,	/* a folder, for its list of names */
	BROKER_BINARY,	/* an ELF file */
	BROKER_RUNTIME, /* what a runtime has written about its code */
	BROKER_SOURCE,	/* source text */
	BROKER_SPOOL,	/* a new file without a name */
	BROKER_FETCH,	/* a server is asked: "EXECUTABLE BUILD-ID NAME" */
	BROKER_CODE,	/* machine code as text: "START END PATH" */
	BROKER_SHOW,	/* the page is shown on the desktop */
};

#define BROKER_TEXT_MOST 8192u /* bytes of a question or an answer */

/* Answers one question; in the broker's process. fd: what is passed, and closed then; -1: nothing.
 * error: of errno.h; 0: none. */
struct broker_answer {
	int fd;
	int error;
	struct buffer text;
};
typedef void broker_answerer(
	void *context, enum broker_kind kind, const char *text, struct broker_answer *ret);

/* Start the broker, while there is one thread. It ends when this process does. It has none of its
 * files but standard error. False: it could not be started, and nobody opens anything. */
bool broker_start(broker_answerer *answerer, void *context);

/* fork(2) for who answers: the child takes signals as programs expect them. */
pid_t broker_fork(void);

/* Ask. The descriptor (the caller closes it), or -1 with errno: ENOSYS where there is no broker.
 * ret_text, which may be NULL: appended. Safe in several threads at once. */
int broker_ask(enum broker_kind kind, const char *text, struct buffer *ret_text);
bool broker_is_there(void);

/* Open a file for reading, without waiting for a FIFO's writer: here, or where this process may
 * not, by the broker. */
int broker_open(enum broker_kind kind, const char *path);

#endif
