/* pattern.c: regular expressions in a page: the browser's own, which it has compiled anyway. */
#include "base/pattern.h"

#include "page/browser.h"

/* `code` is the number that the browser gave it, plus one. */
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
		browser_pattern_forget(number_of(p));
	*p = (struct pattern){0};
}

bool pattern_match(
	const struct pattern *p, struct bytes subject, bool *ret_match, struct error *err)
{
	(void)err;
	*ret_match = browser_pattern_match(number_of(p), subject.at, subject.len);
	return true;
}

/* Only rules in files replace, and a page opens none. */
bool pattern_replace(
	const struct pattern *p, struct buffer *text, const char *with, struct error *err)
{
	(void)text;
	(void)with;
	return error_set(
		err, ERR_UNSUPPORTED, "'%s': a page does not support replacements", p->text);
}
