/* test_options.c: are command lines read as people type them? */
#include "test.h"

#include "base/options.h"

struct settings {
	bool user;
	const char *output;
	uint64_t hertz;
	int order;
};

static const char *const orders[] = {"name", "weight", NULL};
static const struct option table[] = {
	{.name = "user",
		.letter = 'u',
		.help = "user stacks only",
		.set = option_flag,
		.offset = offsetof(struct settings, user)},
	{.name = "output",
		.letter = 'o',
		.argument = "FILE",
		.help = "where to",
		.set = option_text,
		.offset = offsetof(struct settings, output)},
	{.name = "frequency",
		.letter = 'F',
		.argument = "HZ",
		.help = "samples a second",
		.set = option_u64,
		.offset = offsetof(struct settings, hertz)},
	{.name = "order",
		.argument = "ORDER",
		.help = "of siblings",
		.set = option_choice,
		.offset = offsetof(struct settings, order),
		.choices = orders},
	{0},
};

static bool parse(
	struct settings *s, bool stop, char **argv, char ***ret_operands, struct error *err)
{
	struct option_group groups[] = {{"Options", table, s}, {0}};

	*s = (struct settings){0};
	return options_parse(groups, argv, stop, ret_operands, err);
}

#define ARGV(...) ((char *[]){(char[]){"kiln"}, __VA_ARGS__, NULL})
#define A(text)	  ((char[]){text})

static void every_spelling_means_the_same(void **state)
{
	struct error err = {0};
	struct settings s;
	char **rest;
	(void)state;

	assert_true(parse(&s, false,
		ARGV(A("-uF99"), A("in"), A("-o"), A("x"), A("--order=weight")), &rest, &err));
	assert_true(s.user);
	assert_int_equal(s.hertz, 99);
	assert_string_equal(s.output, "x");
	assert_int_equal(s.order, 1);
	assert_string_equal(rest[0], "in");
	assert_null(rest[1]);
	assert_true(
		parse(&s, false, ARGV(A("--user"), A("--frequency"), A("7"), A("-")), &rest, &err));
	assert_int_equal(s.hertz, 7);
	assert_string_equal(rest[0], "-");
}

static void a_command_keeps_its_own_options(void **state)
{
	struct error err = {0};
	struct settings s;
	char **rest;
	(void)state;

	assert_true(parse(&s, true, ARGV(A("-u"), A("--"), A("ls"), A("-o")), &rest, &err));
	assert_string_equal(rest[0], "ls");
	assert_string_equal(rest[1], "-o");
	assert_true(parse(&s, true, ARGV(A("-u"), A("ls"), A("-o"), A("--"), A("x")), &rest, &err));
	assert_string_equal(rest[0], "ls");
	assert_string_equal(rest[2], "--");
	assert_null(s.output);
}

static void check_error(char **argv, const char *want)
{
	struct error err = {0};
	struct settings s;
	char **rest;

	assert_false(parse(&s, false, argv, &rest, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.text, want);
}

static void mistakes_are_explained(void **state)
{
	(void)state;
	check_error(
		ARGV(A("--frequensy=9")), "unknown option --frequensy; did you mean --frequency?");
	check_error(ARGV(A("--out")), "unknown option --out; did you mean --output?");
	check_error(ARGV(A("--zzzzzz")), "unknown option --zzzzzz; --help lists them");
	check_error(ARGV(A("-x")), "unknown option -x; --help lists them");
	check_error(ARGV(A("-F"), A("fast")), "--frequency: expected a whole number, got 'fast'");
	check_error(ARGV(A("-F")), "-F needs an argument: HZ");
	check_error(ARGV(A("--user=1")), "--user takes no argument");
	check_error(ARGV(A("--order=size")), "--order: expected one of name, weight, got 'size'");
}

static void perl_takes_any_start_of_a_name(void **state)
{
	struct error err = {0};
	struct settings s = {0};
	struct option_group groups[] = {{"Options", table, &s}, {0}};
	char **rest;
	(void)state;

	assert_true(options_parse_perl(groups,
		ARGV(A("-U"), A("in"), A("--Out"), A("-x"), A("-f=7"), A("-"), A("--"), A("-q")),
		&rest, &err));
	assert_true(s.user);
	assert_string_equal(s.output, "-x");
	assert_int_equal(s.hertz, 7);
	assert_string_equal(rest[0], "in");
	assert_string_equal(rest[1], "-");
	assert_string_equal(rest[2], "-q");
	assert_null(rest[3]);
	assert_false(options_parse_perl(groups, ARGV(A("-o=x")), &rest, &err));
	assert_string_equal(err.text, "option o is ambiguous (output, order)");
	assert_false(options_parse_perl(groups, ARGV(A("-usr")), &rest, &err));
	assert_string_equal(err.text, "unknown option --usr; did you mean --user?");
	s = (struct settings){0};
	assert_true(options_parse_perl(groups, ARGV(A("+user"), A("+"), A("+out=y")), &rest, &err));
	assert_true(s.user);
	assert_string_equal(s.output, "y");
	assert_string_equal(rest[0], "+");
	assert_null(rest[1]);
	assert_false(options_parse_perl(groups, ARGV(A("--output=")), &rest, &err));
	assert_string_equal(err.text, "--output needs an argument: FILE");
	assert_true(options_parse_perl(groups, ARGV(A("--output"), A("")), &rest, &err));
	assert_string_equal(s.output, "");
}

static void clap_takes_letters_with_equals(void **state)
{
	struct error err = {0};
	struct settings s = {0};
	struct option_group groups[] = {{"Options", table, &s}, {0}};
	char **rest;
	(void)state;

	assert_true(options_parse_clap(
		groups, ARGV(A("-uF=7"), A("-o=x"), A("in"), A("--output=")), &rest, &err));
	assert_int_equal(s.hertz, 7);
	assert_string_equal(s.output, "");
	assert_string_equal(rest[0], "in");
	assert_true(options_parse_clap(groups, ARGV(A("-ox")), &rest, &err));
	assert_string_equal(s.output, "x");
}

static void help_is_wrapped_at_the_width(void **state)
{
	struct option_group groups[] = {{"Options", table, NULL}, {0}};
	struct buffer out = {0};
	(void)state;

	options_help(groups, false, 80, &out);
	assert_string_equal(out.at, "\nOptions:\n"
				    "  -u, --user                user stacks only\n"
				    "  -o, --output FILE         where to\n"
				    "  -F, --frequency HZ        samples a second\n"
				    "      --order ORDER         of siblings\n");
	buffer_release(&out);
}

static void help_leaves_details_out_unless_asked(void **state)
{
	static const char *const meanings[] = {"by name", "the heaviest first"};
	static const struct option mixed[] =
		{
			{.name = "order",
				.argument = "ORDER",
				.help = "of siblings:",
				.set = option_choice,
				.choices = orders,
				.meanings = meanings},
			{.name = "rare",
				.help = "rarely needed",
				.set = option_ignored,
				.detail = true},
			{0},
		},
				   rare[] = {
					   {.name = "rare",
						   .help = "rarely needed",
						   .set = option_ignored,
						   .detail = true},
					   {.name = "size",
						   .argument = "SIZE",
						   .help = "of it",
						   .set = option_ignored,
						   .detail = true},
					   {0},
				   };
	struct option_group groups[] = {{"Mixed", mixed, NULL}, {"Rare", rare, NULL}, {0}};
	struct buffer out = {0};
	(void)state;

	options_help(groups, false, 80, &out);
	assert_string_equal(out.at, "\nMixed:\n"
				    "      --order ORDER         of siblings:\n"
				    "                            name   by name\n"
				    "                            weight the heaviest first\n"
				    "\nRare: --rare, --size SIZE\n");
	out.len = 0;
	options_help(groups + 1, true, 80, &out);
	assert_string_equal(out.at, "\nRare:\n"
				    "      --rare                rarely needed\n"
				    "      --size SIZE           of it\n");
	buffer_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_spelling_means_the_same),
		cmocka_unit_test(a_command_keeps_its_own_options),
		cmocka_unit_test(mistakes_are_explained),
		cmocka_unit_test(perl_takes_any_start_of_a_name),
		cmocka_unit_test(clap_takes_letters_with_equals),
		cmocka_unit_test(help_is_wrapped_at_the_width),
		cmocka_unit_test(help_leaves_details_out_unless_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
