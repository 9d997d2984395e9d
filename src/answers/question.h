/* question.h: what does a page ask of a profile? docs/view-protocol.md says how.
 *
 * A query is a command line in another dress: the same options in the same order, read by the same
 * tables, so that nothing can be asked of a page that cannot be asked of a command. */
#ifndef KILN_ANSWERS_QUESTION_H
#define KILN_ANSWERS_QUESTION_H

#include "answers/shelf.h"
#include "base/error.h"

#define QUESTION_WORDS_MOST 1000u /* of one query */

/* The words of a query, in their order: "name=value", or "name" alone. They stay the caller's. */
struct question {
	const char *address; /* "top", "profiles" */
	VECTOR(const char *) words;
};

/* What is said to one. */
struct answer {
	const char *type;   /* of its bytes: "application/json"; static */
	const char *policy; /* what a browser has to allow it: struct renderer; NULL: nothing */
	struct buffer body;
};

/* Is there anything at this address? */
bool question_is_known(const char *address);

/* Is it about a profile, and so takes time? */
bool question_needs_profile(const char *address);

/* A number that is another one when the answer may be. False: only the answer tells. */
bool question_version(const struct question *q, struct shelf *shelf, uint64_t *ret_version);

/* Append the answer to ret->body. ERR_USAGE: what was asked is wrong, and the text says how;
 * ERR_MISSING: there is no such profile. Safe
 * to be called by several threads at once. */
bool question_answer(
	const struct question *q, struct shelf *shelf, struct answer *ret, struct error *err);

#endif
