/* sources.h: source files and machine code of what is served: docs/view-protocol.md, "Source".
 *
 * Nobody reads any other file by these: a binary is one that the profile names, with its build id;
 * a source file is one that frames of the profile name, or the debug information of such a binary.
 */
#ifndef KILN_SERVER_SOURCES_H
#define KILN_SERVER_SOURCES_H

#include "answers/question.h"
#include "images/binary_locations.h"

struct sources;

/* Where binaries lie; NULL: nothing is shown. Safe to be asked by several threads at once. */
struct sources *sources_new(const struct binary_locations *binary_locations);
void sources_release(struct sources *s); /* NULL is fine */

/* Is it "text" or "code"? */
bool sources_is_known(const char *address);
/* As question_answer. ERR_MISSING: it is no file of the profile, or is not there any more;
 * ERR_UNSUPPORTED: there is no objdump. */
bool sources_answer(struct sources *s, const struct question *q, struct shelf *shelf,
	struct answer *ret, struct error *err);

#endif
