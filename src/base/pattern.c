/* pattern.c: does a text match a regular expression? */
#include "base/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

bool pattern_compile(struct pattern *p, const char *text, struct error *err)
{
	size_t at = 0;
	int code = 0;

	*p = (struct pattern){.text = text};
	/* "$" is only the end, as in the browser's dialect, not what is before a last newline. */
	p->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
		PCRE2_UTF | PCRE2_DOLLAR_ENDONLY, &code, &at, NULL);
	if (!p->code) {
		unsigned char why[200] = "";

		pcre2_get_error_message(code, why, sizeof(why));
		return error_set(err, ERR_USAGE,
			"expected a regular expression, got '%s': %s at offset %zu", text, why, at);
	}
	pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE); /* without it matching is only slower */
	p->match = pcre2_match_data_create_from_pattern(p->code, NULL);
	p->context = pcre2_match_context_create(NULL);
	if (!p->match || !p->context)
		abort();
	pcre2_set_match_limit(p->context, PATTERN_MATCH_LIMIT);
	return true;
}

void pattern_release(struct pattern *p)
{
	pcre2_match_context_free(p->context);
	pcre2_match_data_free(p->match);
	pcre2_code_free(p->code);
	*p = (struct pattern){0};
}

bool pattern_match(
	const struct pattern *p, struct bytes subject, bool *ret_match, struct error *err)
{
	int found = pcre2_match(p->code, (PCRE2_SPTR)(subject.len ? subject.at : ""), subject.len,
		0, PCRE2_NO_UTF_CHECK, p->match, p->context);

	if (found < 0 && found != PCRE2_ERROR_NOMATCH)
		return error_set(err, ERR_LIMIT,
			"matching '%s' takes too long on '%.*s'; write it without nested repeats",
			p->text, subject.len < 60 ? (int)subject.len : 60, subject.at);
	*ret_match = found >= 0;
	return true;
}

bool pattern_replace(
	const struct pattern *p, struct buffer *text, const char *with, struct error *err)
{
	PCRE2_SIZE room = text->len + 4 * strlen(with) + 256, size;
	struct buffer replaced = {0};
	int done;

	do { /* when the room is not enough, PCRE2 says how much is */
		size = room;
		buffer_room(&replaced, size);
		done = pcre2_substitute(p->code, (PCRE2_SPTR)text->at, text->len, 0,
			PCRE2_SUBSTITUTE_OVERFLOW_LENGTH | PCRE2_NO_UTF_CHECK, p->match, p->context,
			(PCRE2_SPTR)with, PCRE2_ZERO_TERMINATED, (PCRE2_UCHAR *)replaced.at, &size);
		room = size;
	} while (done == PCRE2_ERROR_NOMEMORY);
	if (done >= 0) {
		text->len = 0;
		buffer_add(text, replaced.at, size);
	}
	buffer_release(&replaced);
	if (done < 0) {
		unsigned char why[200] = "";

		pcre2_get_error_message(done, why, sizeof(why));
		return error_set(err, ERR_USAGE,
			"expected a text that can replace '%s', got '%s': %s", p->text, with, why);
	}
	return true;
}
