/* name_attributes.c: which attributes does the user give to which functions? */
#include "renderers/name_attributes.h"

#include <stdlib.h>

static struct bytes cut_at(struct bytes *text, char separator)
{
	const char *found = text->len ? memchr(text->at, separator, text->len) : NULL;
	struct bytes head = {text->at, found ? (size_t)(found - text->at) : text->len};

	text->at += head.len + (found != NULL);
	text->len -= head.len + (found != NULL);
	return head;
}

/* Take NAME="VALUE" from the front of `extra`. Malformed text becomes a value without a name. */
static void cut_extra(struct bytes *extra, struct bytes *ret_key, struct bytes *ret_value)
{
	struct bytes rest = bytes_trim(*extra), key = bytes_trim(cut_at(&rest, '='));

	rest = bytes_trim(rest);
	if (rest.len < 2 || (rest.at[0] != '"' && rest.at[0] != '\'') ||
		!memchr(rest.at + 1, rest.at[0], rest.len - 1)) {
		*ret_key = (struct bytes){"", 0};
		*ret_value = *extra;
		*extra = (struct bytes){"", 0};
		return;
	}
	*extra = (struct bytes){rest.at + 1, rest.len - 1};
	*ret_key = key;
	*ret_value = cut_at(extra, rest.at[0]);
	*extra = bytes_trim(*extra);
}

bool attribute_next(struct attribute_walk *walk, struct bytes *ret_key, struct bytes *ret_value)
{
	while (!walk->extra.len) {
		struct bytes value, key;

		if (!walk->fields.len)
			return false;
		value = cut_at(&walk->fields, '\t');
		if (!value.len)
			continue;
		key = cut_at(&value, '=');
		if (!bytes_equal(key, BYTES("g_extra")) && !bytes_equal(key, BYTES("a_extra"))) {
			*ret_key = key;
			*ret_value = value;
			return true;
		}
		walk->extra = bytes_trim(value);
	}
	cut_extra(&walk->extra, ret_key, ret_value);
	return true;
}

/* Why an attribute is not allowed: it would make the file invalid or run a script. */
static const char *attribute_problem(struct bytes key, struct bytes value)
{
	if (!key.len)
		return "an attribute without a name";
	for (size_t i = 0; i < key.len; i++) {
		char c = key.at[i];
		bool letter = (c | 32) >= 'a' && (c | 32) <= 'z';

		if (!letter && c != '_' &&
			(!i || !(c == '-' || c == '.' || c == ':' || is_digit(c))))
			return "a name that XML does not allow";
	}
	if (key.len > 2 && (key.at[0] | 32) == 'o' && (key.at[1] | 32) == 'n')
		return "a script";
	if (bytes_equal(key, BYTES("href"))) {
		const char *colon = value.len ? memchr(value.at, ':', value.len) : NULL;
		size_t scheme = colon ? (size_t)(colon - value.at) : 0;

		if (scheme && !bytes_starts_with(value, BYTES("http:")) &&
			!bytes_starts_with(value, BYTES("https:")) &&
			!bytes_starts_with(value, BYTES("mailto:")) &&
			!bytes_starts_with(value, BYTES("file:")) && !memchr(value.at, '/', scheme))
			return "a link that is not http, https, mailto or file";
	}
	return NULL;
}

static bool check_line(struct bytes attributes, size_t line, struct error *err)
{
	struct attribute_walk walk = {attributes, {"", 0}};
	struct bytes key, value;

	while (attribute_next(&walk, &key, &value)) {
		const char *why = attribute_problem(key, value);

		if (why)
			return error_set(err, ERR_FORMAT, "line %zu: '%.*s' is %s", line,
				(int)(key.len > 60 ? 60 : key.len), key.at, why);
	}
	return true;
}

/* The first line for a name wins. */
static void add(struct name_attributes *a, struct bytes name, struct bytes attributes)
{
	uint64_t hash = hash_bytes(name.at, name.len);
	size_t at = id_map_first(&a->by_name, hash);
	uint32_t id;

	while ((id = id_map_candidate(&a->by_name, hash, &at)))
		if (bytes_equal(a->names.items[id - 1].name, name))
			return;
	vector_push(&a->names, ((struct attributed_name){name, attributes}));
	id_map_insert_at(&a->by_name, hash, at, (uint32_t)a->names.len);
}

static bool read_lines(struct name_attributes *a, struct error *err)
{
	struct bytes content, line;

	if (!input_whole(&a->in, NAME_ATTRIBUTES_LIMIT, &content, err))
		return false;
	for (size_t n = 1; bytes_line(&content, &line); n++) {
		struct bytes attributes = line;
		struct bytes name = cut_at(&attributes, '\t');

		if (!line.len)
			continue;
		if (name.len == line.len)
			return error_set(err, ERR_FORMAT,
				"line %zu: expected a name, a tab and attributes such as href=URL",
				n);
		if (!check_line(attributes, n, err))
			return false;
		add(a, name, attributes);
	}
	return true;
}

bool name_attributes_read(struct name_attributes *a, const char *path, struct error *err)
{
	*a = (struct name_attributes){0};
	if (!input_open(&a->in, path, err))
		return false;
	if (read_lines(a, err))
		return true;
	error_prefix(err, "%s: ", path);
	name_attributes_release(a);
	return false;
}

void name_attributes_release(struct name_attributes *a)
{
	input_release(&a->in);
	vector_release(&a->names);
	id_map_release(&a->by_name);
	*a = (struct name_attributes){0};
}

struct attribute_walk name_attributes_find(struct name_attributes *a, struct bytes name)
{
	const struct attribute_walk none = {{"", 0}, {"", 0}};
	uint64_t hash = hash_bytes(name.at, name.len);
	size_t at;
	uint32_t id;

	if (!a->names.len)
		return none;
	at = id_map_first(&a->by_name, hash);
	while ((id = id_map_candidate(&a->by_name, hash, &at)))
		if (bytes_equal(a->names.items[id - 1].name, name))
			return (struct attribute_walk){a->names.items[id - 1].attributes, {"", 0}};
	return none;
}
