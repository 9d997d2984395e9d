/* spool.h: all of an input at once, wherever it comes from, without holding it in memory. */
#ifndef KILN_BASE_SPOOL_H
#define KILN_BASE_SPOOL_H

#include "base/input.h"

/* `{0}` holds nothing. */
struct spool {
	void *mapped;
	size_t size;
};
void spool_release(struct spool *s);

/* Everything that is left of the input: mapped if it is a plain file, else copied to an unnamed
 * file in $TMPDIR (or to memory, if that is not writable) and mapped from there. Valid until
 * both spool and input are released. ERR_LIMIT above INPUT_MAP_LIMIT, for a pipe above
 * SPOOL_LIMIT. */
#define INPUT_MAP_LIMIT ((uint64_t)1 << 40)  /* bytes */
#define SPOOL_LIMIT	((uint64_t)64 << 30) /* bytes */
bool spool_input(struct spool *s, struct input *in, struct bytes *ret_content, struct error *err);

/* Create the file for the next spooled pipe now: this process will not be allowed to later
 * (confine.h). */
void spool_prepare(void);

/* Create such a file in $TMPDIR, on behalf of a process that may not (broker.h); -1 and errno on
 * failure. */
int spool_create(void);

#endif
