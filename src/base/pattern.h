/* pattern.h: regular expressions from users and files (PCRE2), matched within limits. */
#ifndef KILN_BASE_PATTERN_H
#define KILN_BASE_PATTERN_H

#include "base/buffer.h"
#include "base/error.h"

/* What all matches of a pattern may cost together, in steps of its parts: 100 million, and 64
 * more for each byte that is searched. Searches in time proportional to their texts stay below
 * that. */
#define PATTERN_STEPS	       INT64_C(100000000)
#define PATTERN_STEPS_PER_BYTE INT64_C(64)

struct pattern_steps;

struct pattern {
	void *code, *match, *context; /* PCRE2's */
	struct pattern_steps *steps;  /* for matching that can be interrupted */
	const char *text;	      /* borrowed, for messages */
};

/* ERR_USAGE with PCRE2's message and offset when `text` is not a regular expression. */
bool pattern_compile(struct pattern *p, const char *text, struct error *err);
void pattern_release(struct pattern *p);

/* Is there a match anywhere in `subject` (UTF-8)? ERR_LIMIT when that takes too long, or when
 * the thread's deadline passes. */
bool pattern_match(
	const struct pattern *p, struct bytes subject, bool *ret_match, struct error *err);

/* Replace the first match in *text by `with`, in which $1 and ${2} stand for groups. ERR_USAGE
 * when `with` refers to a group that does not exist. */
bool pattern_replace(
	const struct pattern *p, struct buffer *text, const char *with, struct error *err);

#endif
