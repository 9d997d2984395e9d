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

/* All that is left of the input: mapped where it is a plain file, else copied into a file without a
 * name in $TMPDIR (or memory, where that cannot be written) that is mapped. Valid until both spool
 * and input are released. ERR_LIMIT above INPUT_MAP_LIMIT, for a pipe above SPOOL_LIMIT. */
#define INPUT_MAP_LIMIT ((uint64_t)1 << 40)  /* bytes */
#define SPOOL_LIMIT	((uint64_t)64 << 30) /* bytes */
bool spool_input(struct spool *s, struct input *in, struct bytes *ret_content, struct error *err);

/* Make the file for the next pipe that is spooled now: later this process may not (confine.h). */
void spool_prepare(void);

/* Such a file in $TMPDIR, for whoever may not make it (broker.h); -1, with errno: it cannot be
 * made. */
int spool_create(void);

#endif
