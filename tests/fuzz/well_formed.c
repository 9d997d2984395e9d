/* well_formed.c: is a text JSON, or XML, as any program would read it? */
#include "well_formed.h"

#include "base/json.h"
#include "base/utf8.h"

#include <ctype.h>
#include <stdlib.h>

bool is_json(struct bytes text)
{
	struct error err = {0};
	struct input in;
	struct json j;
	bool good;

	if (!input_open_bytes(&in, text, "json", &err))
		return false;
	json_open(&j, &in, &err);
	json_skip(&j);
	good = json_finish(&j);
	json_release(&j);
	input_release(&in);
	return good;
}

/* ---- XML ---- */

struct xml {
	struct bytes rest;
	VECTOR(struct bytes) open; /* names of elements */
	unsigned roots;
};

static void skip(struct xml *x, size_t count)
{
	x->rest.at += count;
	x->rest.len -= count;
}

/* Skip to behind the next `end`; false: there is none. */
static bool skip_behind(struct xml *x, struct bytes end)
{
	const char *found = bytes_find(x->rest, end);

	if (found)
		skip(x, (size_t)(found - x->rest.at) + end.len);
	return found;
}

static bool entity(struct xml *x)
{
	static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
	size_t digits = 2;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (bytes_starts_with(x->rest, bytes_of(known[i]))) {
			skip(x, strlen(known[i]));
			return true;
		}
	if (!bytes_starts_with(x->rest, BYTES("&#")))
		return false;
	while (digits < x->rest.len && (isxdigit((unsigned char)x->rest.at[digits]) ||
					       (digits == 2 && x->rest.at[digits] == 'x')))
		digits++;
	if (digits == 2 || digits == x->rest.len || x->rest.at[digits] != ';')
		return false;
	skip(x, digits + 1);
	return true;
}

/* One character of content or of a value. */
static bool character(struct xml *x)
{
	uint32_t code;
	size_t len;

	if (*x->rest.at == '&')
		return entity(x);
	len = utf8_decode(x->rest, &code);
	skip(x, len);
	return len && *(x->rest.at - len) != '<' &&
	       (code >= 0x20 || code == '\t' || code == '\n' || code == '\r') && code != 0xFFFE &&
	       code != 0xFFFF;
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static struct bytes name(struct xml *x)
{
	struct bytes found = {x->rest.at, 0};

	while (found.len < x->rest.len && (isalnum((unsigned char)found.at[found.len]) ||
						  is_one_of(found.at[found.len], "-_:.")))
		found.len++;
	skip(x, found.len);
	return found;
}

static void blanks(struct xml *x)
{
	while (x->rest.len && is_one_of(*x->rest.at, " \t\r\n"))
		skip(x, 1);
}

static bool attribute(struct xml *x)
{
	char quote;

	if (!name(x).len || !bytes_starts_with(x->rest, BYTES("=")) || x->rest.len < 2)
		return false;
	quote = x->rest.at[1];
	skip(x, 2);
	if (quote != '"' && quote != '\'')
		return false;
	while (x->rest.len && *x->rest.at != quote)
		if (!character(x))
			return false;
	if (!x->rest.len)
		return false;
	skip(x, 1);
	return true;
}

static bool start_tag(struct xml *x)
{
	struct bytes element;

	skip(x, 1);
	element = name(x);
	if (!element.len)
		return false;
	for (blanks(x); x->rest.len && *x->rest.at != '>' && *x->rest.at != '/'; blanks(x))
		if (!attribute(x))
			return false;
	x->roots += !x->open.len;
	if (bytes_starts_with(x->rest, BYTES("/>"))) {
		skip(x, 2);
		return true;
	}
	vector_push(&x->open, element);
	return skip_behind(x, BYTES(">"));
}

static bool end_tag(struct xml *x)
{
	struct bytes element;

	skip(x, 2);
	element = name(x);
	if (!x->open.len || !bytes_equal(element, x->open.items[--x->open.len]))
		return false;
	blanks(x);
	return bytes_starts_with(x->rest, BYTES(">")) && skip_behind(x, BYTES(">"));
}

static bool comment(struct xml *x)
{
	skip(x, 4);
	return skip_behind(x, BYTES("--")) && bytes_starts_with(x->rest, BYTES(">")) &&
	       skip_behind(x, BYTES(">"));
}

static bool item(struct xml *x)
{
	if (bytes_starts_with(x->rest, BYTES("<!--")))
		return comment(x);
	if (bytes_starts_with(x->rest, BYTES("<![CDATA[")))
		return skip_behind(x, BYTES("]]>"));
	if (bytes_starts_with(x->rest, BYTES("<?")) || bytes_starts_with(x->rest, BYTES("<!")))
		return skip_behind(x, BYTES(">"));
	if (bytes_starts_with(x->rest, BYTES("</")))
		return end_tag(x);
	if (*x->rest.at == '<')
		return start_tag(x);
	return !bytes_starts_with(x->rest, BYTES("]]>")) && character(x);
}

bool is_xml(struct bytes text)
{
	struct xml x = {.rest = text};
	bool good = true;

	while (good && x.rest.len)
		good = item(&x);
	good = good && !x.open.len && x.roots == 1;
	vector_release(&x.open);
	return good;
}
