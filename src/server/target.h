/* target.h: the target of an HTTP request: /TOKEN/ADDRESS?WORD&WORD, percent-encoded. */
#ifndef KILN_SERVER_TARGET_H
#define KILN_SERVER_TARGET_H

#include "server/question.h"

struct target {
	struct question question; /* its texts lie in `text` */
	struct buffer text;
};

/* Take apart what came behind the method. False: it is malformed, or the token is another one: then
 * nobody is told which. In a query `+` is a plus. */
bool target_parse(struct target *ret, const char *uri, const char *token);
void target_release(struct target *t);

#endif
