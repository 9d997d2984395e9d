/* options.c: how are command lines read and explained? */
#include "base/options.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <strings.h>

/* ---- Setters ---- */

static void *member(void *target, const struct option *option)
{
	return (char *)target + option->offset;
}

bool option_flag(void *target, const struct option *option, const char *value, struct error *err)
{
	(void)value;
	(void)err;
	*(bool *)member(target, option) = true;
	return true;
}

bool option_text(void *target, const struct option *option, const char *value, struct error *err)
{
	(void)err;
	*(const char **)member(target, option) = value;
	return true;
}

bool option_u64(void *target, const struct option *option, const char *value, struct error *err)
{
	if (!bytes_u64(bytes_of(value), member(target, option)))
		return error_set(err, ERR_USAGE, "expected a whole number, got '%s'", value);
	return true;
}

bool option_double(void *target, const struct option *option, const char *value, struct error *err)
{
	if (!bytes_double(bytes_of(value), member(target, option)))
		return error_set(err, ERR_USAGE, "expected a number, got '%s'", value);
	return true;
}

bool option_duration(
	void *target, const struct option *option, const char *value, struct error *err)
{
	if (!bytes_duration(bytes_of(value), member(target, option)))
		return error_set(err, ERR_USAGE,
			"expected a time such as 30s, 500ms or 2m, got '%s'", value);
	return true;
}

bool option_size(void *target, const struct option *option, const char *value, struct error *err)
{
	static const char letters[] = "BKMG";
	size_t digits = strspn(value, "0123456789");
	const char *letter = value[digits] ? strchr(letters, value[digits] & ~0x20) : letters;
	uint64_t number;

	if (!digits || !bytes_u64((struct bytes){value, digits}, &number) ||
		number > (uint64_t)1 << 32 || !letter || (value[digits] && value[digits + 1]))
		return error_set(
			err, ERR_USAGE, "expected a size such as 512K, 64M or 2G, got '%s'", value);
	*(uint64_t *)member(target, option) = number << 10 * (letter - letters);
	return true;
}

bool option_choice(void *target, const struct option *option, const char *value, struct error *err)
{
	struct buffer known = {0};

	for (int i = 0; option->choices[i]; i++) {
		if (!strcmp(option->choices[i], value)) {
			*(int *)member(target, option) = i;
			return true;
		}
	}
	for (int i = 0; option->choices[i]; i++)
		buffer_printf(&known, "%s%s", i ? ", " : "", option->choices[i]);
	error_set(err, ERR_USAGE, "expected one of %s, got '%s'", known.at, value);
	buffer_release(&known);
	return false;
}

bool option_ignored(void *target, const struct option *option, const char *value, struct error *err)
{
	(void)target;
	(void)option;
	(void)value;
	(void)err;
	return true;
}

/* ---- Finding ---- */

struct found {
	const struct option *option;
	void *target;
};

static struct found find_name(const struct option_group *groups, struct bytes name)
{
	for (; groups->options; groups++)
		for (const struct option *o = groups->options; o->name; o++)
			if (bytes_equal(bytes_of(o->name), name))
				return (struct found){o, groups->target};
	return (struct found){0};
}

const struct option *option_find(const struct option_group *groups, struct bytes name)
{
	return find_name(groups, name).option;
}

static struct found find_letter(const struct option_group *groups, char letter)
{
	for (; groups->options; groups++)
		for (const struct option *o = groups->options; o->name; o++)
			if (o->letter == letter)
				return (struct found){o, groups->target};
	return (struct found){0};
}

static bool starts_alike(const char *name, struct bytes start)
{
	return strlen(name) >= start.len && !strncasecmp(name, start.at, start.len);
}

/* Match any unambiguous beginning of a name; a whole name always counts. */
static bool find_start(const struct option_group *groups, struct bytes start,
	struct found *ret_found, struct error *err)
{
	struct buffer names = {0};
	struct found found = {0};
	size_t count = 0;

	for (; groups->options; groups++)
		for (const struct option *o = groups->options; o->name; o++) {
			if (!starts_alike(o->name, start))
				continue;
			*ret_found = (struct found){o, groups->target};
			if (strlen(o->name) == start.len) {
				buffer_release(&names);
				return true;
			}
			buffer_printf(&names, "%s%s", count++ ? ", " : "", o->name);
			found = *ret_found;
		}
	*ret_found = found;
	if (count > 1)
		error_set(err, ERR_USAGE, "option %.*s is ambiguous (%s)", (int)start.len, start.at,
			names.at);
	buffer_release(&names);
	return count <= 1;
}

/* Levenshtein distance; names are short. */
static size_t distance(struct bytes a, struct bytes b)
{
	size_t row[65];

	if (a.len > 64 || b.len > 64)
		return 64;
	for (size_t j = 0; j <= b.len; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b.len; j++) {
			size_t change = diagonal + (a.at[i - 1] != b.at[j - 1]);
			size_t min = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;

			diagonal = row[j];
			row[j] = min < change ? min : change;
		}
	}
	return row[b.len];
}

const char *option_nearest(const char *const *names, size_t count, struct bytes name)
{
	const char *best = NULL;
	size_t min = name.len / 3 + 2;

	for (size_t i = 0; i < count; i++) {
		struct bytes candidate = bytes_of(names[i]);
		size_t apart = bytes_starts_with(candidate, name) && name.len >= 2
				       ? 0
				       : distance(name, candidate);

		if (apart < min) {
			min = apart;
			best = names[i];
		}
	}
	return best;
}

static bool unknown_option(const struct option_group *groups, struct bytes name, struct error *err)
{
	VECTOR(const char *) names = {0};
	const char *nearest;

	for (; groups->options; groups++)
		for (const struct option *o = groups->options; o->name; o++)
			if (o->help)
				vector_push(&names, o->name);
	nearest = option_nearest(names.items, names.len, name);
	error_set(err, ERR_USAGE, "unknown option --%.*s%s%s%s", (int)name.len, name.at,
		nearest ? "; did you mean --" : "; --help lists them", nearest ? nearest : "",
		nearest ? "?" : "");
	vector_release(&names);
	return false;
}

/* ---- Parsing ---- */

struct parser {
	const struct option_group *groups;
	char **next; /* the argument to look at */
	bool perl;   /* options_parse_perl */
	bool clap;   /* options_parse_clap */
};

static bool apply(struct found f, const char *value, struct error *err)
{
	if (f.option->set(f.target, f.option, value, err))
		return true;
	error_prefix(err, "--%s: ", f.option->name);
	return false;
}

/* Take the next word as the argument, and all words up to the next option if the option takes
 * many. Operands can then only stand in front of it or behind "--". */
static bool apply_words(struct parser *p, struct found f, struct error *err)
{
	bool many = bytes_ends_with(bytes_of(f.option->argument), BYTES("..."));

	do
		if (!apply(f, *p->next++, err))
			return false;
	while (many && *p->next && ((*p->next)[0] != '-' || !(*p->next)[1]));
	return true;
}

static bool parse_long(struct parser *p, const char *text, struct error *err)
{
	const char *equals = strchr(text, '=');
	struct bytes name = {text, equals ? (size_t)(equals - text) : strlen(text)};
	struct found f = {0};

	if (!p->perl)
		f = find_name(p->groups, name);
	else if (!find_start(p->groups, name, &f, err))
		return false;
	if (!f.option)
		return unknown_option(p->groups, name, err);
	if (!f.option->argument && equals)
		return error_set(err, ERR_USAGE, "--%s takes no argument", f.option->name);
	if (!f.option->argument)
		return apply(f, NULL, err);
	if (equals && (equals[1] || !p->perl))
		return apply(f, equals + 1, err);
	if (equals || !*p->next)
		return error_set(err, ERR_USAGE, "--%s needs an argument: %s", f.option->name,
			f.option->argument);
	return apply_words(p, f, err);
}

static bool parse_letters(struct parser *p, const char *letters, struct error *err)
{
	for (; *letters; letters++) {
		struct found f = find_letter(p->groups, *letters);

		if (!f.option)
			return error_set(
				err, ERR_USAGE, "unknown option -%c; --help lists them", *letters);
		if (!f.option->argument) {
			if (!apply(f, NULL, err))
				return false;
			continue;
		}
		if (letters[1])
			return apply(f, letters + (p->clap && letters[1] == '=' ? 2 : 1), err);
		if (!*p->next)
			return error_set(err, ERR_USAGE, "-%c needs an argument: %s", *letters,
				f.option->argument);
		return apply_words(p, f, err);
	}
	return true;
}

static bool parse_option(struct parser *p, const char *text, struct error *err)
{
	if (text[1] == '-')
		return parse_long(p, text + 2, err);
	return p->perl ? parse_long(p, text + 1, err) : parse_letters(p, text + 1, err);
}

static bool is_option(const struct parser *p, const char *text)
{
	return (*text == '-' || (*text == '+' && p->perl)) && text[1];
}

/* Options and their arguments are removed from argv; operands move to its front. */
static bool parse(
	struct parser p, char **argv, bool stop_at_operand, char ***ret_operands, struct error *err)
{
	char **operand = argv + 1;

	p.next = argv + 1;
	while (*p.next) {
		char *text = *p.next++;

		if (!strcmp(text, "--"))
			break;
		if (!is_option(&p, text)) {
			if (stop_at_operand) {
				p.next--;
				break;
			}
			*operand++ = text;
		} else if (!parse_option(&p, text, err)) {
			return false;
		}
	}
	while (*p.next)
		*operand++ = *p.next++;
	*operand = NULL;
	*ret_operands = argv + 1;
	return true;
}

bool options_parse(const struct option_group *groups, char **argv, bool stop_at_operand,
	char ***ret_operands, struct error *err)
{
	return parse((struct parser){.groups = groups}, argv, stop_at_operand, ret_operands, err);
}

bool options_parse_perl(
	const struct option_group *groups, char **argv, char ***ret_operands, struct error *err)
{
	return parse(
		(struct parser){.groups = groups, .perl = true}, argv, false, ret_operands, err);
}

bool options_parse_clap(
	const struct option_group *groups, char **argv, char ***ret_operands, struct error *err)
{
	return parse(
		(struct parser){.groups = groups, .clap = true}, argv, false, ret_operands, err);
}

/* ---- Explaining ---- */

#define HELP_COLUMN    28
#define MEANING_COLUMN (HELP_COLUMN + 7)
#define NAMES_INDENT   4

/* Write `text` from `column` on, wrapped, with further lines indented by `indent`. */
static void wrap(struct buffer *out, const char *text, size_t column, size_t indent, size_t width)
{
	while (*text) {
		size_t word = strcspn(text, " ");
		size_t shown = utf8_count((struct bytes){text, word});

		if (column > indent && column + 1 + shown > width) {
			buffer_printf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			buffer_char(out, ' ');
			column++;
		}
		buffer_add(out, text, word);
		column += shown;
		text += word;
		text += strspn(text, " ");
	}
	buffer_char(out, '\n');
}

static void option_help(const struct option *o, size_t width, struct buffer *out)
{
	size_t start = out->len, column;

	if (o->letter)
		buffer_printf(out, "  -%c, ", o->letter);
	else
		buffer_text(out, "      ");
	buffer_printf(
		out, "--%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
	column = out->len - start;
	if (column + 2 > HELP_COLUMN) {
		buffer_printf(out, "\n%*s", HELP_COLUMN, "");
	} else {
		buffer_printf(out, "%*s", (int)(HELP_COLUMN - column), "");
	}
	wrap(out, o->help, HELP_COLUMN, HELP_COLUMN, width);
	for (size_t i = 0; o->meanings && o->choices[i]; i++) {
		buffer_printf(out, "%*s%-6s ", HELP_COLUMN, "", o->choices[i]);
		wrap(out, o->meanings[i], MEANING_COLUMN, MEANING_COLUMN, width);
	}
}

static bool is_explained(const struct option *o, bool all)
{
	return o->help && (all || !o->detail);
}

static bool explains_any(const struct option_group *group, bool all)
{
	for (const struct option *o = group->options; o->name; o++)
		if (is_explained(o, all))
			return true;
	return false;
}

/* "Waits (--mode off): --min TIME, --max TIME" */
static void group_names(const struct option_group *group, size_t width, struct buffer *out)
{
	struct buffer names = {0};

	for (const struct option *o = group->options; o->name; o++)
		if (o->help)
			buffer_printf(&names, "%s--%s%s%s", names.len ? ", " : "", o->name,
				o->argument ? " " : "", o->argument ? o->argument : "");
	buffer_printf(out, "%s:", group->title);
	wrap(out, names.at, strlen(group->title) + 1, NAMES_INDENT, width);
	buffer_release(&names);
}

void options_help(const struct option_group *groups, bool all, size_t width, struct buffer *out)
{
	bool after_names = false; /* lines of names follow one another without an empty line */

	width = width < 60 ? 60 : width;
	for (; groups->options; groups++) {
		bool names = !explains_any(groups, all);

		if (!names || !after_names)
			buffer_char(out, '\n');
		after_names = names;
		if (names) {
			group_names(groups, width, out);
			continue;
		}
		buffer_printf(out, "%s:\n", groups->title);
		for (const struct option *o = groups->options; o->name; o++)
			if (is_explained(o, all))
				option_help(o, width, out);
	}
}
