/* pattern.c: base/pattern.h by the browser's regular expressions, which spares the module PCRE2. */
#include "base/pattern.h"

#include "page/browser.h"

/* `code` is the browser's number plus 1. */
static int number_of(const struct pattern *p)
{
	return (int)(uintptr_t)p->code - 1;
}

bool pattern_compile(struct pattern *p, const char *text, struct error *err)
{
	char why[200] = "";
	int number = browser_pattern(text, strlen(text), why, sizeof(why) - 1);

	*p = (struct pattern){.text = text};
	if (number < 0)
		return error_set(
			err, ERR_USAGE, "expected a regular expression, got '%s': %s", text, why);
	p->code = (void *)(uintptr_t)(number + 1);
	return true;
}

void pattern_release(struct pattern *p)
{
	if (p->code)
		browser_pattern_free(number_of(p));
	*p = (struct pattern){0};
}

bool pattern_match(
	const struct pattern *p, struct bytes subject, bool *ret_match, struct error *err)
{
	(void)err;
	*ret_match = browser_pattern_match(number_of(p), subject.at, subject.len);
	return true;
}

/* Only rules in files replace, and a page cannot open files. */
bool pattern_replace(
	const struct pattern *p, struct buffer *text, const char *with, struct error *err)
{
	(void)text;
	(void)with;
	return error_set(err, ERR_UNSUPPORTED, "a page cannot replace names: '%s'", p->text);
}
