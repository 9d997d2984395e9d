/* pattern.h: regular expressions that users write (PCRE2), matched within limits. */
#ifndef KILN_TRANSFORMS_PATTERN_H
#define KILN_TRANSFORMS_PATTERN_H

#include "base/buffer.h"
#include "model/view.h"

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

/* Does the function of a frame match? An array over all frame ids of the view, to be freed; only
 * frames in the tree are looked at, each once. */
bool pattern_frames(const char *text, const struct view *v, bool **ret_matches, struct error *err);

/* Rows 1.. of a table whose id is `which` (when that is a number), else whose name matches it:
 * ret_matches[row], which the caller has filled with false. */
struct pattern_table {
	size_t rows;
	int32_t (*id)(const struct profile *p, size_t row); /* -1: unknown */
	string_id (*name)(const struct profile *p, size_t row);
};
bool pattern_rows(const struct pattern_table *table, const struct profile *p, const char *which,
	bool *ret_matches, struct error *err);

#endif
