/* pattern.h: regular expressions that users and files bring (PCRE2), matched within limits. */
#ifndef KILN_BASE_PATTERN_H
#define KILN_BASE_PATTERN_H

#include "base/buffer.h"
#include "base/error.h"

#define PATTERN_MATCH_LIMIT 1000000u /* steps of one match, whatever the text */

struct pattern {
	void *code, *match, *context; /* PCRE2's */
	const char *text;	      /* borrowed, for messages */
};

/* ERR_USAGE with PCRE2's words and the place when `text` is no regular expression. */
bool pattern_compile(struct pattern *p, const char *text, struct error *err);
void pattern_release(struct pattern *p);

/* Is there a match anywhere in `subject` (UTF-8)? ERR_LIMIT when finding out takes too long. */
bool pattern_match(
	const struct pattern *p, struct bytes subject, bool *ret_match, struct error *err);

/* Put `with` in place of the first match in *text; $1, ${2} in it stand for what parentheses
 * matched. ERR_USAGE when `with` refers to what is not there. */
bool pattern_replace(
	const struct pattern *p, struct buffer *text, const char *with, struct error *err);

#endif
