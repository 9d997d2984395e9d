/* sources.h: source files and machine code: docs/view-protocol.md, "Source".
 *
 * Only these files can be read: binaries that the profile names, with the same build ID, and source
 * files that frames of the profile or the debug information of such a binary name. */
#ifndef KILN_SERVER_SOURCES_H
#define KILN_SERVER_SOURCES_H

#include "answers/question.h"
#include "images/binary_locations.h"

struct sources;

/* `binary_locations`: where to look for binaries; NULL: show nothing. Thread-safe. */
struct sources *sources_new(const struct binary_locations *binary_locations);
void sources_release(struct sources *s); /* NULL is fine */

/* Is it "text" or "code"? */
bool sources_is_known(const char *address);
/* As question_answer. ERR_MISSING: not a file of the profile, or it does not exist any more;
 * ERR_UNSUPPORTED: objdump is not installed. */
bool sources_answer(struct sources *s, const struct question *q, struct profile_store *store,
	struct answer *ret, struct error *err);

#endif
