/* declaration.c: which function does a printed C++ declaration declare?
 *
 * Brackets decide: a round one at the outermost level begins a parameter list, unless it belongs to
 * a name ("operator()", "(anonymous namespace)"), to a type ("decltype (x)"), to a declarator
 * ("(*pick(int))", whose name is inside) or to a method of Go ("http.(*Client).Do", which has no
 * list). Libraries print names with parameters or without, but cannot shorten what is printed. */
#include "names/declaration.h"

#include "base/memory.h"

#include <string.h>

#define PRINTED_LIMIT	  ((size_t)65536) /* bytes; longer ones stay as they are */
#define DECLARATORS_LIMIT 8u		  /* in one another */

struct shaping {
	const char *text; /* the demangled name, NUL-terminated */
	size_t at, len;
	char *to; /* in the same memory: the name only becomes shorter */
	size_t written;
	bool is_d;
};

static void keep(struct shaping *s, size_t count)
{
	memmove(s->to + s->written, s->text + s->at, count);
	s->written += count;
	s->at += count;
}

static bool text_starts(const struct shaping *s, size_t at, const char *text)
{
	return !strncmp(s->text + at, text, strlen(text));
}

static bool shaping_starts(const struct shaping *s, const char *text)
{
	return text_starts(s, s->at, text);
}

/* The longest operator of C++ at `text`: "<<" of "<< <int>", "==" of "==<int>". */
static size_t punctuation_length(const char *text)
{
	static const char *const operators[] = {"()", "[]", "<=>", "->*", "<<=", ">>=", "->", "++",
		"--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
		"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "+", "-", "*", "/", "%", "&", "|",
		"^", "~", "!", "=", "<", ">", ","};

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (!strncmp(text, operators[i], strlen(operators[i])))
			return strlen(operators[i]);
	return 0;
}

/* The length of "operator" and its punctuation at `at`, or 0; of a conversion operator, whose type
 * may have brackets, all up to the end. */
static size_t operator_length(const struct shaping *s, size_t at)
{
	size_t word = strlen("operator");

	if (!text_starts(s, at, "operator"))
		return 0;
	if (at && s->text[at - 1] != ':' && s->text[at - 1] != ' ')
		return 0;
	if (text_starts(s, at, "operator ") && !text_starts(s, at, "operator new") &&
		!text_starts(s, at, "operator delete"))
		return s->len - at;
	return word + punctuation_length(s->text + at + word);
}

/* Behind the bracket that closes the one at `at`; 0: none. Angle brackets count unless they are
 * arrows, operators, or inside round brackets, where they may compare. */
static size_t bracket_end(const struct shaping *s, size_t at)
{
	size_t round = 0, angle = 0;

	for (size_t i = at; i < s->len; i++) {
		char c = s->text[i];
		size_t skipped = c == 'o' ? operator_length(s, i) : 0;

		if (skipped && skipped < s->len - i)
			i += skipped - 1;
		else if (c == '(' || c == '{' || c == '[')
			round++;
		else if ((c == ')' || c == '}' || c == ']') && round)
			round--;
		else if (c == '<' && !round)
			angle++;
		else if (c == '>' && !round && angle && s->text[i - 1] != '-')
			angle--;
		if (!round && !angle)
			return i + 1;
	}
	return 0;
}

/* Skip what may stand between a parameter list and the next scope. */
static void skip_qualifiers(struct shaping *s)
{
	static const char *const qualifiers[] = {" const", " volatile", " &&", " &"};

	for (size_t i = 0; i < sizeof(qualifiers) / sizeof(*qualifiers); i++)
		if (shaping_starts(s, qualifiers[i]))
			s->at += strlen(qualifiers[i]);
}

/* One step at the outermost level; false when brackets do not match. */
static bool shape_step(struct shaping *s)
{
	char c = s->text[s->at];
	size_t end, punctuated = operator_length(s, s->at);

	if (punctuated) {
		keep(s, punctuated);
	} else if (c == '(' || c == '<' || c == '{' || c == '[') {
		end = bracket_end(s, s->at);
		if (!end)
			return false;
		if (c != '(' || shaping_starts(s, "(anonymous namespace)") ||
			(s->is_d && s->at && s->text[s->at - 1] == '!')) {
			keep(s, end - s->at);
		} else {
			s->at = end;
			skip_qualifiers(s);
		}
	} else {
		keep(s, 1);
	}
	return true;
}

void declaration_shorten(struct buffer *out, size_t start, bool is_d)
{
	struct shaping s = {.len = out->len - start, .is_d = is_d};
	char *copy;

	if (!memchr(out->at + start, '(', s.len))
		return;
	copy = memory_copy_text(out->at + start, s.len);
	s.text = copy;
	s.to = out->at + start;
	while (s.at < s.len && shape_step(&s))
		;
	if (s.at < s.len || !s.written) { /* unknown use of brackets: keep the whole name */
		memcpy(out->at + start, copy, s.len);
		s.written = s.len;
	}
	out->len = start + s.written;
	out->at[out->len] = 0;
	memory_free(copy);
}

/* ---- Printed declarations ---- */

/* A part of a declaration up to a parameter list or a declarator. */
struct declared {
	size_t name, end; /* the name is [name, end) */
	enum { PART_ENDS, PART_LIST, PART_DECLARATOR, PART_UNKNOWN } stop;
};

static bool stands_behind(const struct shaping *s, size_t at, const char *word)
{
	size_t len = strlen(word);

	return at >= len && !memcmp(s->text + at - len, word, len);
}

/* "(*", "(&" or "(A::*" */
static bool is_declarator(const struct shaping *s, size_t at)
{
	static const char identifier[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:";
	size_t inside = strspn(s->text + at + 1, identifier);
	char c = s->text[at + 1 + inside];

	if (at && !strchr(" *&(", s->text[at - 1]))
		return false;
	return inside ? c == '*' && stands_behind(s, at + 1 + inside, "::") : c == '*' || c == '&';
}

/* Does the bracket at `at` belong to what stands before it? */
static bool is_part_of_name(const struct shaping *s, size_t at)
{
	const char *text = s->text + at;

	return *text != '(' || !strncmp(text, "(anonymous namespace)", 21) ||
	       stands_behind(s, at, "decltype") || stands_behind(s, at, "decltype ");
}

/* Is the bracket at s->at, which ends before `end`, the "()" of a conversion operator? */
static bool is_last_list(const struct shaping *s, size_t end)
{
	const char *behind = s->text + end;

	return !strncmp(s->text + s->at, "()", 2) &&
	       (!*behind || *behind == ' ' || !strncmp(behind, "::", 2));
}

/* Where does the type of a template's function end and its name begin? Words, as of "closure #1 in
 * f<T>" and "transaction clone for f<T>", are no type. */
static size_t name_behind_type(const struct shaping *s, size_t from, size_t space)
{
	static const char *const words[] = {" to ", " for ", " in "};
	struct bytes type = {s->text + from, space + 1 - from};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (bytes_find(type, bytes_of(words[i])))
			return from;
	return space + 1;
}

static struct declared find_part(struct shaping *s, size_t from)
{
	struct declared part = {from, s->len, PART_ENDS};
	size_t space = 0;
	bool template = false, converts = false;

	for (s->at = from; s->at < s->len;) {
		char c = s->text[s->at];
		size_t end, punctuated = operator_length(s, s->at);

		if (punctuated == s->len - s->at && shaping_starts(s, "operator ")) {
			converts = true; /* to a type, whose blanks end no other one */
			s->at += strlen("operator ");
		} else if (punctuated) {
			template = false;
			s->at += punctuated;
			s->at += shaping_starts(s, " <"); /* "operator<< <int>" */
		} else if (c == '(' || c == '<' || c == '{' || c == '[') {
			end = bracket_end(s, s->at);
			if (!end || (c == '(' && stands_behind(s, s->at, "."))) {
				part.stop = PART_UNKNOWN;
				return part;
			}
			if (converts)
				part.stop = is_last_list(s, end) ? PART_LIST : PART_ENDS;
			else if (c == '(' && is_declarator(s, s->at))
				part.stop = PART_DECLARATOR;
			else if (!is_part_of_name(s, s->at))
				part.stop = PART_LIST;
			if (part.stop != PART_ENDS) {
				part.end = s->at;
				break;
			}
			template = c == '<';
			s->at = end;
		} else {
			if (c == ' ' && !converts)
				space = s->at;
			template = false;
			s->at++;
		}
	}
	if (part.stop == PART_LIST && template && space > from)
		part.name = name_behind_type(s, from, space);
	return part;
}

/* " [clone .isra.0] [clone .cold]" as ".isra.0.cold". */
static void add_clones(struct shaping *s, struct buffer *out)
{
	const char *clone = " [clone ";

	while (shaping_starts(s, clone)) {
		const char *name = s->text + s->at + strlen(clone), *close = strchr(name, ']');

		if (!close)
			break;
		buffer_add(out, name, (size_t)(close - name));
		s->at = (size_t)(close + 1 - s->text);
	}
}

/* False: the brackets are not those of a declaration. */
static bool add_declared(struct shaping *s, struct buffer *out)
{
	size_t from = shaping_starts(s, "auto ")	     ? strlen("auto ")
		      : shaping_starts(s, "decltype(auto) ") ? strlen("decltype(auto) ")
							     : 0;
	unsigned declarators = DECLARATORS_LIMIT;

	while (from < s->len) {
		struct declared part = find_part(s, from);
		size_t end;

		if (part.stop == PART_UNKNOWN)
			return false;
		if (part.stop == PART_DECLARATOR) { /* the name is inside, and all of it */
			if (!declarators--)
				return false;
			end = bracket_end(s, part.end) - 1;
			from = part.end + 1 + strcspn(s->text + part.end + 1, "*&") + 1;
			if (from >= end)
				return false;
			s->len = end;
			continue;
		}
		while (part.end > part.name && s->text[part.end - 1] == ' ')
			part.end--;
		buffer_add(out, s->text + part.name, part.end - part.name);
		if (part.stop == PART_ENDS)
			break;
		s->at = bracket_end(s, s->at);
		skip_qualifiers(s);
		if (!shaping_starts(s, "::")) {
			add_clones(s, out);
			break;
		}
		from = s->at;
	}
	return true;
}

void declaration_name(struct bytes printed, struct buffer *out)
{
	size_t start = out->len;
	struct shaping s = {.len = printed.len};
	char *copy;

	if (!printed.len || printed.len > PRINTED_LIMIT || !memchr(printed.at, '(', printed.len) ||
		memchr(printed.at, 0, printed.len)) {
		buffer_add(out, printed.at, printed.len);
		return;
	}
	copy = memory_copy_text(printed.at, printed.len);
	s.text = copy;
	if (!add_declared(&s, out) || out->len == start) {
		out->len = start;
		buffer_add(out, printed.at, printed.len);
	}
	memory_free(copy);
}
