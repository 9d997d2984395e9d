/* debuginfod.h: what do the debuginfod servers have that the user's environment names?
 *
 * Uses elfutils' libdebuginfod, which loads an HTTP client. So it is loaded only on first use. Its
 * environment variables apply (DEBUGINFOD_URLS, DEBUGINFOD_TIMEOUT, DEBUGINFOD_CACHE_PATH, ..., see
 * debuginfod_find_debuginfo(3)), and downloads are kept in its cache. A file may be as large as an
 * image and take half an hour. Thread-safe; downloads run one after another. */
#ifndef KILN_IMAGES_DEBUGINFOD_H
#define KILN_IMAGES_DEBUGINFOD_H

#include "base/buffer.h"
#include "base/error.h"

struct debuginfod;

/* Receives progress and notes while a download runs, which may take long. Never NULL. */
struct debuginfod_listener {
	void *self;
	/* Progress, on a line that is overwritten; "" at the end. */
	void (*progress)(void *self, const char *text);
	/* Something the user should know; called once for each. */
	void (*note)(void *self, const char *text);
};

/* Can servers be asked, if there are any? ERR_UNSUPPORTED says what is missing. */
bool debuginfod_check(struct error *err);

/* NULL when DEBUGINFOD_URLS names no server. Does not contact any. */
struct debuginfod *debuginfod_new(const struct debuginfod_listener *listener);
void debuginfod_release(struct debuginfod *d); /* NULL is allowed */

/* The folder of the client's cache, created if it does not exist. False: there is none. */
bool debuginfod_cache_folder(struct buffer *ret_path);

/* Download the executable, or its debugging information, with this build id (lower-case
 * hexadecimal). Returns its path in the client's cache (free() it), or NULL. `name` is for
 * messages. After a server did not answer, no further request is made: each file would wait for
 * the timeout again. */
char *debuginfod_fetch(
	struct debuginfod *d, bool executable, struct bytes name, struct bytes build_id);
bool debuginfod_gave_up(struct debuginfod *d);

#endif
