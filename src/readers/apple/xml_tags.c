/* xml_tags.c: the tags of an XML document, one after the other, without building a tree. */
#include "readers/apple/xml_tags.h"

/* The result of reading a tag. */
enum taken { TAKEN, PASSED_OVER, CUT, TOO_MANY };

/* A blank, '/', '=' or '>': one bit each, all of them below 64. */
static bool ends_name(char c)
{
	static const uint64_t ends = 1ull << ' ' | 1ull << '\n' | 1ull << '\t' | 1ull << '\r' |
				     1ull << '/' | 1ull << '=' | 1ull << '>';

	return (unsigned char)c < 64 && ends >> c & 1;
}

/* A cursor in the rest of the window. */
struct at {
	const char *at, *end;
};

static void skip_blanks(struct at *a)
{
	while (a->at < a->end && is_space(*a->at))
		a->at++;
}

static struct bytes take_name(struct at *a)
{
	const char *start = a->at;

	while (a->at < a->end && !ends_name(*a->at))
		a->at++;
	return (struct bytes){start, (size_t)(a->at - start)};
}

/* Read `name="value"`; false: it is incomplete. Other text is skipped. */
static bool take_attribute(struct at *a, struct xml_tag *tag)
{
	struct xml_attribute attribute = {.name = take_name(a)};
	struct bytes rest;
	size_t len;

	if (a->at == a->end)
		return false;
	if (*a->at != '=') {
		a->at += !attribute.name.len;
		return true;
	}
	if (a->end - a->at < 2)
		return false;
	a->at++;
	if (*a->at != '"' && *a->at != '\'')
		return true;
	rest = (struct bytes){a->at + 1, (size_t)(a->end - a->at) - 1};
	len = bytes_until(rest, *a->at);
	if (len == rest.len)
		return false;
	attribute.value = bytes_head(rest, len);
	a->at = rest.at + len + 1;
	tag->attributes[tag->count++] = attribute;
	return true;
}

/* Skip to behind `end`, which closes a comment or declaration. */
static enum taken pass_over(struct at *a, struct bytes end)
{
	const char *found = bytes_find((struct bytes){a->at, (size_t)(a->end - a->at)}, end);

	if (!found)
		return CUT;
	a->at = found + end.len;
	return PASSED_OVER;
}

/* From behind the '<'. */
static enum taken take_tag(struct at *a, struct xml_tag *tag)
{
	if (a->end - a->at < 3)
		return CUT;
	if (*a->at == '!')
		return pass_over(a, a->at[1] == '-' ? BYTES("-->") : BYTES(">"));
	if (*a->at == '?')
		return pass_over(a, BYTES("?>"));
	tag->count = 0;
	tag->opens = *a->at != '/';
	tag->closes = !tag->opens;
	a->at += tag->closes;
	tag->name = take_name(a);
	for (;;) {
		skip_blanks(a);
		if (a->at == a->end)
			return CUT;
		if (*a->at == '>')
			break;
		if (*a->at == '/') {
			tag->closes = true;
			a->at++;
		} else if (tag->count == XML_ATTRIBUTES_LIMIT) {
			return TOO_MANY;
		} else if (!take_attribute(a, tag)) {
			return CUT;
		}
	}
	a->at++;
	return TAKEN;
}

static uint64_t count_lines(struct bytes text)
{
	uint64_t lines = 0;

	for (size_t i = 0; i < text.len; i++)
		lines += text.at[i] == '\n';
	return lines;
}

/* Drop the consumed bytes and extend the window. */
static bool fill(struct xml_reader *x, struct error *err)
{
	input_skip(x->in, x->used);
	x->used = 0;
	return input_fill(x->in, x->in->window.len * 2 + 1, err);
}

/* `read`: the bytes of the window before the mistake. */
static bool refuse(
	const struct xml_reader *x, struct bytes read, enum taken taken, struct error *err)
{
	unsigned long long line = (unsigned long long)(x->lines + count_lines(read)) + 1;

	if (taken == CUT)
		return error_set(err, ERR_FORMAT, "line %llu: unexpected end inside a tag", line);
	return error_set(err, ERR_LIMIT, "line %llu: a tag with more than %u attributes", line,
		XML_ATTRIBUTES_LIMIT);
}

bool xml_next(struct xml_reader *x, struct xml_tag *ret_tag, bool *ret_more, struct error *err)
{
	for (;;) {
		struct bytes rest = {x->in->window.at + x->used, x->in->window.len - x->used};
		size_t before = bytes_until(rest, '<');
		const char *open = before < rest.len ? rest.at + before : NULL;
		struct at a = {open ? open + 1 : NULL, rest.at + rest.len};
		enum taken taken = open ? take_tag(&a, ret_tag) : CUT;

		if (taken == CUT && !x->in->ended) {
			if (!fill(x, err))
				return false;
			continue;
		}
		*ret_more = open != NULL;
		if (!open)
			return true;
		if (taken == CUT || taken == TOO_MANY)
			return refuse(
				x, (struct bytes){rest.at, (size_t)(a.at - rest.at)}, taken, err);
		ret_tag->text = (struct bytes){rest.at, (size_t)(open - rest.at)};
		x->lines += count_lines(
			taken == TAKEN ? ret_tag->text
				       : (struct bytes){rest.at, (size_t)(a.at - rest.at)});
		x->used = (size_t)(a.at - x->in->window.at);
		if (taken == TAKEN)
			return true;
	}
}

struct bytes xml_attribute(const struct xml_tag *tag, struct bytes name)
{
	for (size_t i = 0; i < tag->count; i++)
		if (bytes_equal(tag->attributes[i].name, name))
			return tag->attributes[i].value;
	return (struct bytes){0};
}

/* ---- Text ---- */

static void add_utf8(struct buffer *out, uint64_t code)
{
	if (code < 0x80) {
		buffer_char(out, (char)code);
	} else if (code < 0x800) {
		buffer_char(out, (char)(0xC0 | code >> 6));
		buffer_char(out, (char)(0x80 | (code & 0x3F)));
	} else if (code < 0x10000) {
		buffer_char(out, (char)(0xE0 | code >> 12));
		buffer_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
		buffer_char(out, (char)(0x80 | (code & 0x3F)));
	} else {
		buffer_char(out, (char)(0xF0 | code >> 18));
		buffer_char(out, (char)(0x80 | (code >> 12 & 0x3F)));
		buffer_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
		buffer_char(out, (char)(0x80 | (code & 0x3F)));
	}
}

/* The character of the entity between '&' and ';'; false: unknown. */
static bool add_entity(struct buffer *out, struct bytes name)
{
	static const struct {
		const char *name;
		char c;
	} known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
	uint64_t code;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (bytes_equal(name, bytes_of(known[i].name))) {
			buffer_char(out, known[i].c);
			return true;
		}
	}
	if (name.len < 2 || *name.at != '#')
		return false;
	name = (struct bytes){name.at + 1, name.len - 1};
	if (*name.at == 'x' ? !bytes_hex((struct bytes){name.at + 1, name.len - 1}, &code)
			    : !bytes_u64(name, &code))
		return false;
	if (!code || code > 0x10FFFF)
		return false;
	add_utf8(out, code);
	return true;
}

void xml_text(struct bytes written, struct buffer *out)
{
	struct bytes plain, name;

	while (bytes_cut(&written, '&', &plain)) {
		struct bytes rest = written;

		buffer_add(out, plain.at, plain.len);
		if (bytes_cut(&rest, ';', &name) && add_entity(out, name))
			written = rest;
		else
			buffer_char(out, '&');
	}
	buffer_add(out, written.at, written.len);
}
