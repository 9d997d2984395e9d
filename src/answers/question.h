/* question.h: answers a request about a profile: docs/view-protocol.md.
 *
 * A request is a command line in another form: the same options in the same order, parsed with the
 * same tables. So a page can ask nothing that a command cannot.
 *
 * The floor in short: question.c parses the words of a request, takes the profile from a store
 * (profile_store.h), which the server or the module of a page implements, makes a view of it
 * (model/view.h, transforms/) and has it written by the renderer that the address names. compared.h
 * makes one profile of two for a comparison; capabilities.h says what a page may offer. */
#ifndef KILN_ANSWERS_QUESTION_H
#define KILN_ANSWERS_QUESTION_H

#include "answers/profile_store.h"
#include "base/error.h"

#define QUESTION_WORDS_MAX 1000u /* in one request */

/* The parameters of a request, in order: "name=value" or "name". Borrowed. */
struct question {
	const char *address; /* "top", "profiles" */
	VECTOR(const char *) words;
};

/* Its answer. */
struct answer {
	const char *type;   /* media type, "application/json"; static */
	const char *policy; /* Content Security Policy, as in struct renderer; NULL: none */
	struct buffer body;
};

/* Is there an answer at this address? */
bool question_is_known(const char *address);

/* Does the answer need a profile? Then it may take long. */
bool question_needs_profile(const char *address);

/* A number that differs when the answer may have changed. False: not known before it is computed.
 */
bool question_version(const struct question *q, struct profile_store *store, uint64_t *ret_version);

/* Append the answer to ret->body. ERR_USAGE: the request is wrong, and the text says how;
 * ERR_MISSING: no such profile. Thread-safe. */
bool question_answer(const struct question *q, struct profile_store *store, struct answer *ret,
	struct error *err);

#endif
