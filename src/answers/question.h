/* question.h: what does a page ask of a profile? docs/view-protocol.md describes the queries.
 *
 * A query has the same options as a command line, in the same order, parsed by the same tables.
 * So a page cannot ask for anything that a command could not do. */
#ifndef KILN_ANSWERS_QUESTION_H
#define KILN_ANSWERS_QUESTION_H

#include "answers/shelf.h"
#include "base/error.h"

#define QUESTION_WORDS_MOST 1000u /* in one query */

/* The words of a query, in order: "name=value", or "name" alone. Owned by the caller. */
struct question {
	const char *address; /* "top", "profiles" */
	VECTOR(const char *) words;
};

/* The answer to a query. */
struct answer {
	const char *type;   /* its media type: "application/json"; static */
	const char *policy; /* what a browser must allow it: struct renderer; NULL: nothing */
	struct buffer body;
};

/* Does this address exist? */
bool question_is_known(const char *address);

/* Does it need a profile, and so may take time? */
bool question_needs_profile(const char *address);

/* A number that changes whenever the answer may. False: only the answer itself can tell. */
bool question_version(const struct question *q, struct shelf *shelf, uint64_t *ret_version);

/* Append the answer to ret->body. ERR_USAGE: the query is not valid, and the text says why;
 * ERR_MISSING: no such profile. Thread-safe. */
bool question_answer(
	const struct question *q, struct shelf *shelf, struct answer *ret, struct error *err);

#endif
