/* debuginfod.h: what do the servers have that the user's environment names?
 *
 * Through elfutils' libdebuginfod, loaded when it is first needed: it brings a HTTP client that
 * nobody else should have to start with. Its environment variables apply (DEBUGINFOD_URLS,
 * DEBUGINFOD_TIMEOUT, DEBUGINFOD_CACHE_PATH, ..., see debuginfod_find_debuginfo(3)); what came is
 * kept in its cache. A file may have as many bytes as an image, and take half an hour. Several
 * threads may ask at once; one is answered after the other. */
#ifndef KILN_IMAGES_DEBUGINFOD_H
#define KILN_IMAGES_DEBUGINFOD_H

#include "base/buffer.h"

struct debuginfod;

/* What it tells about the waiting, which may take long. Never NULL. */
struct debuginfod_listener {
	void *self;
	/* What is going on: for a line that is written over; "" when it is over. */
	void (*progress)(void *self, const char *text);
	/* What the user should know in any case: once. */
	void (*note)(void *self, const char *text);
};

/* NULL when DEBUGINFOD_URLS names no server. Nobody is asked yet. */
struct debuginfod *debuginfod_new(const struct debuginfod_listener *listener);
void debuginfod_release(struct debuginfod *d); /* NULL is fine */

/* The folder in which the client keeps what came, made if it is not there yet. False: there is
 * none. */
bool debuginfod_cache_folder(struct buffer *ret_path);

/* The executable, or else the debugging information, with this build id (lower-case hexadecimal):
 * its path in the client's cache (free() it), or NULL. `name` is for messages. After a server that
 * did not answer nobody is asked any more: a dead one would be waited for once a file. */
char *debuginfod_fetch(
	struct debuginfod *d, bool executable, struct bytes name, struct bytes build_id);
bool debuginfod_gave_up(struct debuginfod *d);

#endif
