/* v8_name.c: what does a name mean that V8 gives to generated code? */
#include "names/v8_name.h"

static const struct {
	const char *text;
	enum v8_what what;
	bool top_level;
	enum v8_tier tier; /* the tier that the category implies */
} categories[] = {
	{"JS:", V8_FUNCTION, false, V8_UNMARKED},
	{"LazyCompile:", V8_FUNCTION, false, V8_UNMARKED},
	{"Function:", V8_FUNCTION, false, V8_UNMARKED},
	{"InterpretedFunction:", V8_FUNCTION, false, V8_INTERPRETED},
	{"Script:", V8_FUNCTION, true, V8_UNMARKED},
	{"Eval:", V8_FUNCTION, true, V8_UNMARKED},
	{"Builtin:", V8_BUILTIN, false, V8_UNMARKED},
	{"BytecodeHandler:", V8_HANDLER, false, V8_UNMARKED},
	{"Handler:", V8_HANDLER, false, V8_UNMARKED},
	{"RegExp:", V8_REGEXP, false, V8_UNMARKED},
	{"Stub:", V8_STUB, false, V8_UNMARKED},
	{"LoadIC:", V8_STUB, false, V8_UNMARKED},
	{"LoadGlobalIC:", V8_STUB, false, V8_UNMARKED},
	{"LoadPolymorphicIC:", V8_STUB, false, V8_UNMARKED},
	{"KeyedLoadIC:", V8_STUB, false, V8_UNMARKED},
	{"KeyedLoadPolymorphicIC:", V8_STUB, false, V8_UNMARKED},
	{"StoreIC:", V8_STUB, false, V8_UNMARKED},
	{"KeyedStoreIC:", V8_STUB, false, V8_UNMARKED},
};

static struct bytes from(struct bytes text, size_t start)
{
	return (struct bytes){text.at + start, text.len - start};
}

static enum v8_tier take_mark(struct bytes *rest)
{
	enum v8_tier tier = V8_UNMARKED;

	if (!rest->len)
		return tier;
	switch (*rest->at) {
	case '~':
		tier = V8_INTERPRETED;
		break;
	case '^':
		tier = V8_BASELINE;
		break;
	case '+':
	case '*':
		tier = V8_OPTIMISED;
		break;
	default:
		return tier;
	}
	*rest = from(*rest, 1);
	if (tier == V8_OPTIMISED && rest->len && *rest->at == '\'')
		*rest = from(*rest, 1);
	return tier;
}

/* Cut ":NUMBER" off the end. */
static bool take_number(struct bytes *place, uint32_t *ret_number)
{
	const char *colon = bytes_find_last(*place, ':');
	uint64_t number;

	if (!colon || !bytes_u64(from(*place, (size_t)(colon + 1 - place->at)), &number) ||
		number > UINT32_MAX)
		return false;
	place->len = (size_t)(colon - place->at);
	*ret_number = (uint32_t)number;
	return true;
}

/* Names and paths may contain blanks: "get size", "/my files/app.js". A position starts at what
 * looks like an absolute path or a URL, otherwise behind the last blank. */
static size_t place_start(struct bytes text)
{
	size_t last = text.len;

	for (size_t i = 0; i + 1 < text.len; i++) {
		struct bytes rest = from(text, i + 1);

		if (text.at[i] != ' ')
			continue;
		last = i;
		if (bytes_starts_with(rest, BYTES("/")) ||
			bytes_starts_with(rest, BYTES("node:")) ||
			bytes_starts_with(rest, BYTES("file:")) ||
			(rest.len > 2 && rest.at[1] == ':' && rest.at[2] == '\\'))
			return i;
	}
	return last;
}

static void split(struct bytes rest, struct v8_name *n)
{
	size_t start = place_start(rest);
	uint32_t column;

	n->name = (struct bytes){rest.at, start};
	n->place = start < rest.len ? from(rest, start + 1) : (struct bytes){"", 0};
	n->file = n->place;
	if (take_number(&n->file, &n->line) && take_number(&n->file, &column))
		n->line = column; /* LINE:COLUMN: the number taken first is the column */
}

bool v8_name_parse(struct bytes text, struct v8_name *ret)
{
	for (size_t i = 0; i < sizeof(categories) / sizeof(*categories); i++) {
		struct bytes category = bytes_of(categories[i].text);
		struct v8_name n = {.what = categories[i].what,
			.tier = categories[i].tier,
			.top_level = categories[i].top_level};
		enum v8_tier mark;
		struct bytes rest;

		if (!bytes_starts_with(text, category))
			continue;
		rest = from(text, category.len);
		if (n.what == V8_FUNCTION) {
			mark = take_mark(&rest);
			n.tier = mark ? mark : n.tier;
			split(rest, &n);
		} else {
			n.name = rest;
		}
		*ret = n;
		return true;
	}
	return false;
}

void v8_name_format(const struct v8_name *n, struct bytes text, struct buffer *out)
{
	if (n->what != V8_FUNCTION) {
		buffer_add(out, text.at, text.len);
		return;
	}
	if (n->name.len)
		buffer_add(out, n->name.at, n->name.len);
	else
		buffer_text(out, n->top_level ? "(script)" : "(anonymous)");
	if (n->place.len) {
		buffer_char(out, ' ');
		buffer_add(out, n->place.at, n->place.len);
	}
}

enum frame_kind v8_name_kind(const struct v8_name *n)
{
	switch (n->tier) {
	case V8_INTERPRETED:
		return FRAME_INTERPRETED;
	case V8_BASELINE:
		return FRAME_BASELINE;
	default:
		return FRAME_JIT;
	}
}
