/* options.h: tables of options: parsed, explained by --help and exported for shell completion.
 *
 * A command's options are groups of tables, each with the struct that it fills in. Options are
 * applied in the order in which they are written, so that a table of transforms can keep that
 * order. */
#ifndef KILN_BASE_OPTIONS_H
#define KILN_BASE_OPTIONS_H

#include "base/buffer.h"
#include "base/error.h"

struct option {
	const char *name;     /* long name without dashes: "frequency" */
	char letter;	      /* 'F', or 0 */
	const char *argument; /* "HZ"; NULL for a switch; "FILE...": takes all words up to the next
				       option */
	const char *help;     /* a phrase, lower case, no full stop; NULL hides a synonym */

	/* Apply the option; value is NULL for a switch. The error's text says what was expected;
	 * the caller puts the option's name in front. */
	bool (*set)(
		void *target, const struct option *option, const char *value, struct error *err);
	size_t offset;		    /* offset of the member in the target, for the setters below */
	const char *const *choices; /* NULL-terminated: for option_choice and completion; or NULL */
	const char *const *meanings; /* of each choice, listed below `help` by --help; or NULL */
	bool opens_files;	     /* refused over HTTP */
	bool detail; /* rarely needed, or of one mode: --help leaves the explanation out */
};

struct option_group {
	const char *title;	      /* heading in --help */
	const struct option *options; /* ends with a NULL name */
	void *target;
};

/* Setters for plain members at `offset`. */
bool option_flag(void *, const struct option *, const char *, struct error *);	 /* bool = true */
bool option_text(void *, const struct option *, const char *, struct error *);	 /* const char * */
bool option_u64(void *, const struct option *, const char *, struct error *);	 /* uint64_t */
bool option_double(void *, const struct option *, const char *, struct error *); /* double */
bool option_duration(void *, const struct option *, const char *, struct error *); /* uint64_t ns */
/* "64M": uint64_t bytes; B, K, M and G are powers of 1024. */
bool option_size(void *, const struct option *, const char *, struct error *);
bool option_choice(void *, const struct option *, const char *, struct error *); /* int: index */
/* Accepted without effect: other tools need this option for what is always done here. */
bool option_ignored(void *, const struct option *, const char *, struct error *);

/* Parse argv[1..]. Long options take "--name value" and "--name=value"; letters can be joined
 * and take "-F99" and "-F 99". "--" ends the options. With stop_at_operand the first operand
 * ends them, too (`kiln record -g sleep 1`); otherwise operands may stand anywhere.
 * *ret_operands is argv from the first operand on, NULL-terminated (argv is permuted). ERR_USAGE
 * for an unknown option, with the nearest name. `groups` ends with a NULL `options`. */
bool options_parse(const struct option_group *groups, char **argv, bool stop_at_operand,
	char ***ret_operands, struct error *err);

/* The same with the syntax of Perl's Getopt::Long: long names only, behind one dash, two dashes
 * or a plus, in upper or lower case, and abbreviated as far as that is unambiguous; "--name="
 * lacks its argument. */
bool options_parse_perl(
	const struct option_group *groups, char **argv, char ***ret_operands, struct error *err);

/* The same with the syntax of Rust's clap: letters take "-n=4", too. */
bool options_parse_clap(
	const struct option_group *groups, char **argv, char ***ret_operands, struct error *err);

/* The option with this long name, without dashes; NULL: none. */
const struct option *option_find(const struct option_group *groups, struct bytes name);

/* The name that the user most likely meant, or NULL. */
const char *option_nearest(const char *const *names, size_t count, struct bytes name);

/* The options, group by group, as --help shows them, wrapped at `width` columns. Options that are
 * `detail` are left out, and a group of such options is one line with their names; with `all`
 * every option is explained. */
void options_help(const struct option_group *groups, bool all, size_t width, struct buffer *out);

#endif
