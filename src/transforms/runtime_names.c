/* runtime_names.c: which parts of a name does a runtime number anew in every run or build? */
#include "transforms/runtime_names.h"

#include <stdlib.h>

/* What comes behind the word, and is left out. */
enum numbered {
	JAVA_NUMBER, /* "$14/0x0000000800c03000", "/0x00007f01", "14", "$lambda$wrap$2$26300.0x1d"
		      */
	DIGITS,	     /* "12" */
	HASH,	     /* "1a2b3c4d" */
};

static const struct {
	const char *word;
	enum numbered what;
} rules[] = {
	/* github.com/async-profiler/async-profiler/issues/832, brendangregg/FlameGraph/pull/213,
	 * gradle/gradle-profiler/pull/320, grafana/pyroscope/issues/5479 */
	{"$$Lambda", JAVA_NUMBER},
	/* Method handles: the same reports */
	{"LambdaForm$MH", JAVA_NUMBER},
	{"LambdaForm$DMH", JAVA_NUMBER},
	{"LambdaForm$BMH", JAVA_NUMBER},
	{"LambdaForm$VH", JAVA_NUMBER},
	/* Reflection, after 15 calls: hail-is/hail/pull/15596 */
	{"GeneratedMethodAccessor", DIGITS},
	{"GeneratedConstructorAccessor", DIGITS},
	{"GeneratedSerializationConstructorAccessor", DIGITS},
	/* java.lang.reflect.Proxy, and what Spring and CGLIB generate */
	{"$Proxy", DIGITS},
	{"CGLIB$$", HASH},
	/* Expression trees of .NET */
	{"lambda_method", DIGITS},
};

static size_t count(struct bytes text, size_t from, bool (*is)(char))
{
	size_t at = from;

	while (at < text.len && is(text.at[at]))
		at++;
	return at - from;
}

/* "/0x0000000800c03000", ".0x1d", "+0x00007f01" */
static size_t address_at(struct bytes text, size_t at)
{
	size_t digits;

	if (at + 3 >= text.len || !strchr("/.+", text.at[at]) || text.at[at + 1] != '0' ||
		text.at[at + 2] != 'x')
		return 0;
	digits = count(text, at + 3, is_hex_digit);
	return digits ? digits + 3 : 0;
}

static size_t java_number(struct bytes text)
{
	size_t at = text.len && text.at[0] == '$', digits = count(text, at, is_digit), more;

	/* The lambda's method and its numbers, up to an address. */
	if (at && !digits && bytes_starts_with(text, BYTES("$lambda$"))) {
		while (at < text.len && text.at[at] != '.' && text.at[at] != '/')
			at++;
		more = address_at(text, at);
		return more ? at + more : 0;
	}
	if (at && !digits)
		return 0;
	at += digits;
	more = address_at(text, at);
	if (!more && at < text.len && text.at[at] == '/') {
		more = count(text, at + 1, is_digit);
		more += more > 0;
	}
	return at + more;
}

static size_t numbered_length(enum numbered what, struct bytes text)
{
	size_t digits = count(text, 0, is_digit), more;

	switch (what) {
	case JAVA_NUMBER:
		return java_number(text);
	case HASH:
		more = count(text, 0, is_hex_digit);
		return more >= 6 && more <= 8 ? more : 0;
	default:
		return digits;
	}
}

/* "{closure#0}" of Rust's newer mangling is "{{closure}}" in the older one. Returns its length. */
static size_t add_closure(struct bytes text, struct buffer *out)
{
	const struct bytes closure = BYTES("{closure#");
	size_t digits;

	if (!bytes_starts_with(text, closure))
		return 0;
	digits = count(text, closure.len, is_digit);
	if (!digits || closure.len + digits >= text.len || text.at[closure.len + digits] != '}')
		return 0;
	buffer_text(out, "{{closure}}");
	return closure.len + digits + 1;
}

#define BLOCK 32u /* bytes */

/* '$', '#', or a digit behind "or" or "od", as each rule needs one: in `count` bytes from the third
 * one at `at` on. Without branches, so that the compiler takes many bytes at once. */
static inline uint8_t any_mark(const uint8_t *at, size_t count)
{
	uint8_t found = 0;

	for (size_t i = 0; i < count; i++) {
		uint8_t one = at[i], two = at[i + 1], three = at[i + 2];
		uint8_t digit = (uint8_t)(three - '0') < 10;
		uint8_t word = (one == 'o') & ((two == 'r') | (two == 'd'));

		found |= (uint8_t)((three == '$') | (three == '#') | (word & digit));
	}
	return found;
}

/* All folded text that is compared is looked at (bench/diff.sh), in blocks of which the last one
 * overlaps the one before: what is left would take longer than all else. */
bool runtime_name_is_numbered(struct bytes name)
{
	const uint8_t *at = (const uint8_t *)name.at;
	uint8_t found = 0;

	for (size_t i = 0; i < name.len && i < 2; i++)
		found |= (uint8_t)((at[i] == '$') | (at[i] == '#'));
	if (name.len < BLOCK + 2)
		return found | (name.len > 2 ? any_mark(at, name.len - 2) : 0);
	for (size_t i = 0; i + BLOCK + 2 <= name.len; i += BLOCK)
		found |= any_mark(at + i, BLOCK);
	return found | any_mark(at + name.len - BLOCK - 2, BLOCK);
}

/* A word with its number. Returns the length of both; the word is appended. */
static size_t add_numbered(struct bytes text, struct buffer *out)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		struct bytes word = bytes_of(rules[i].word);
		size_t number;

		if (!bytes_starts_with(text, word))
			continue;
		number = numbered_length(
			rules[i].what, (struct bytes){text.at + word.len, text.len - word.len});
		buffer_add(out, word.at, word.len);
		return word.len + number;
	}
	return 0;
}

void runtime_name_add(struct bytes name, struct buffer *out)
{
	while (name.len) {
		size_t used = add_numbered(name, out);

		used = used ? used : add_closure(name, out);
		if (!used) {
			buffer_char(out, *name.at);
			used = 1;
		}
		name.at += used;
		name.len -= used;
	}
}
