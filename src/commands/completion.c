/* completion.c: `kiln completion`: what a shell needs to know to complete Kiln's commands.
 *
 * The scripts are written from the option tables, so that they cannot fall behind. */
#include "commands/commands.h"

struct shell {
	const char *name;
	void (*print)(struct buffer *out);
};

/* An option that is shown in --help, with its command. */
typedef void each_option(struct buffer *out, const struct command *command, const struct option *o);

static void for_each_option(struct buffer *out, const struct command *command, each_option *each)
{
	struct option_group groups[COMMAND_GROUPS];

	command_all_groups(command, groups);
	for (const struct option_group *g = groups; g->options; g++)
		for (const struct option *o = g->options; o->name; o++)
			if (o->help)
				each(out, command, o);
}

static void command_names(struct buffer *out)
{
	for (size_t i = 0; commands[i]; i++)
		buffer_printf(out, "%s%s", i ? " " : "", commands[i]->name);
}

static void choices(struct buffer *out, const struct option *o)
{
	for (size_t i = 0; o->choices[i]; i++)
		buffer_printf(out, "%s%s", i ? " " : "", o->choices[i]);
}

/* `text` inside single quotes of a POSIX shell. */
static void quoted(struct buffer *out, const char *text)
{
	buffer_char(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			buffer_text(out, "'\\''");
		else
			buffer_char(out, *text);
	}
	buffer_char(out, '\'');
}

/* Does the option's argument name files, or folders? */
static bool takes_file(const struct option *o)
{
	return !strcmp(o->argument, "FILE") || !strcmp(o->argument, "FILE...") ||
	       !strcmp(o->argument, "DIR");
}

/* ---- bash ---- */

static void bash_word(struct buffer *out, const struct command *command, const struct option *o)
{
	(void)command;
	if (o->letter)
		buffer_printf(out, " -%c", o->letter);
	buffer_printf(out, " --%s", o->name);
}

/* What follows the option: a choice, a file, or something that only the user knows. */
static void bash_argument(struct buffer *out, const struct command *command, const struct option *o)
{
	if (!o->argument)
		return;
	buffer_printf(out, "\t%s:--%s", command->name, o->name);
	if (o->letter)
		buffer_printf(out, "|%s:-%c", command->name, o->letter);
	buffer_text(out, ")\n");
	if (o->choices) {
		buffer_text(out, "\t\tCOMPREPLY=($(compgen -W '");
		choices(out, o);
		buffer_text(out, "' -- \"$word\"))\n");
	} else if (takes_file(o)) {
		buffer_text(out, "\t\tcompopt -o filenames\n"
				 "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n");
	}
	buffer_text(out, "\t\treturn ;;\n");
}

static void bash_operand(struct buffer *out, const struct command *command)
{
	buffer_printf(out, "\t%s)\n", command->name);
	switch (command->operands) {
	case OPERANDS_FILES:
		buffer_text(out, "\t\tcompopt -o filenames\n"
				 "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n");
		return;
	case OPERANDS_PROGRAM:
		buffer_text(out, "\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$word\") ;;\n");
		return;
	case OPERANDS_COMMANDS:
		buffer_text(out, "\t\tCOMPREPLY=($(compgen -W \"$commands\" -- \"$word\")) ;;\n");
		return;
	case OPERANDS_SHELLS:
		buffer_text(out, "\t\tCOMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\")) ;;\n");
		return;
	case OPERANDS_NONE:
		buffer_text(out, "\t\t;;\n");
	}
}

static void bash(struct buffer *out)
{
	buffer_text(out,
		"# bash completion for kiln. Load it with: source <(kiln completion bash)\n"
		"_kiln()\n{\n"
		"\tlocal word=$2 before=$3 command=${COMP_WORDS[1]} commands='");
	command_names(out);
	buffer_text(out, "'\n\tCOMPREPLY=()\n"
			 "\tif ((COMP_CWORD == 1)); then\n"
			 "\t\tCOMPREPLY=($(compgen -W \"$commands\" -- \"$word\"))\n"
			 "\t\treturn\n"
			 "\tfi\n"
			 "\t# --name=value arrives as three words\n"
			 "\tif [[ $word == = ]]; then\n\t\tword=\n"
			 "\telif [[ $before == = ]]; then\n"
			 "\t\tbefore=${COMP_WORDS[COMP_CWORD-2]}\n"
			 "\tfi\n"
			 "\tcase $command:$before in\n");
	for (size_t i = 0; commands[i]; i++)
		for_each_option(out, commands[i], bash_argument);
	buffer_text(out, "\tesac\n\tif [[ $word == -* ]]; then\n\t\tcase $command in\n");
	for (size_t i = 0; commands[i]; i++) {
		buffer_printf(out, "\t\t%s)\n\t\t\tCOMPREPLY=($(compgen -W '", commands[i]->name);
		for_each_option(out, commands[i], bash_word);
		buffer_text(out, "' -- \"$word\")) ;;\n");
	}
	buffer_text(out, "\t\tesac\n\t\treturn\n\tfi\n\tcase $command in\n");
	for (size_t i = 0; commands[i]; i++)
		bash_operand(out, commands[i]);
	buffer_text(out, "\tesac\n}\ncomplete -F _kiln kiln\n"
			 "# The link of that name is a command of its own.\n"
			 "_kiln_flamegraph()\n{\n"
			 "\tCOMP_WORDS=(kiln flamegraph \"${COMP_WORDS[@]:1}\")\n"
			 "\t((COMP_CWORD++))\n"
			 "\t_kiln kiln \"$2\" \"$3\"\n"
			 "}\ncomplete -F _kiln_flamegraph flamegraph\n");
}

/* ---- zsh ---- */

/* `text` as _arguments wants it between brackets or behind a colon. */
static void zsh_text(struct buffer *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			buffer_text(out, "'\\''");
		else if (strchr("[]:\\", *text))
			buffer_printf(out, "\\%c", *text);
		else
			buffer_char(out, *text);
	}
}

static void zsh_spec(struct buffer *out, const struct option *o, const char *spelling)
{
	buffer_printf(out, "\t\t\t'*%s%s[", spelling,
		!o->argument	     ? ""
		: spelling[1] == '-' ? "="
				     : "+");
	zsh_text(out, o->help);
	buffer_char(out, ']');
	if (o->argument) {
		buffer_char(out, ':');
		zsh_text(out, o->argument);
		buffer_char(out, ':');
		if (o->choices) {
			buffer_char(out, '(');
			choices(out, o);
			buffer_char(out, ')');
		} else if (takes_file(o)) {
			buffer_text(out, "_files");
		}
	}
	buffer_text(out, "' \\\n");
}

static void zsh_option(struct buffer *out, const struct command *command, const struct option *o)
{
	char letter[3] = {'-', o->letter, 0};
	struct buffer name = {0};

	(void)command;
	buffer_printf(&name, "--%s", o->name);
	if (o->letter)
		zsh_spec(out, o, letter);
	zsh_spec(out, o, name.at);
	buffer_release(&name);
}

static const char *zsh_operand(const struct command *command)
{
	static const char *const operands[] = {
		[OPERANDS_FILES] = "'*:file:_files'",
		[OPERANDS_NONE] = "",
		[OPERANDS_PROGRAM] = "'*::program: _normal'",
		[OPERANDS_COMMANDS] = "'1:command:($names)'",
		[OPERANDS_SHELLS] = "'1:shell:(bash zsh fish)'",
	};

	return operands[command->operands];
}

static void zsh(struct buffer *out)
{
	buffer_text(out,
		"#compdef kiln flamegraph\n# zsh completion for kiln. Save it as _kiln in a folder "
		"of $fpath.\n"
		"_kiln()\n{\n\tlocal -a commands names\n\tcommands=(\n");
	for (size_t i = 0; commands[i]; i++) {
		buffer_printf(out, "\t\t'%s:", commands[i]->name);
		zsh_text(out, commands[i]->about);
		buffer_text(out, "'\n");
	}
	buffer_text(out, "\t)\n\tnames=(${commands%%:*})\n"
			 "\tif [[ $service == flamegraph ]]; then\n"
			 "\t\twords=(kiln $words) words[2]=flamegraph\n"
			 "\t\t((CURRENT++))\n\tfi\n"
			 "\tif ((CURRENT == 2)); then\n"
			 "\t\t_describe -t commands command commands\n"
			 "\t\treturn\n\tfi\n"
			 "\tlocal command=${words[2]}\n"
			 "\tshift words\n\t((CURRENT--))\n"
			 "\tcase $command in\n");
	for (size_t i = 0; commands[i]; i++) {
		buffer_printf(out, "\t%s)\n\t\t_arguments -s \\\n", commands[i]->name);
		for_each_option(out, commands[i], zsh_option);
		buffer_printf(out, "\t\t\t%s\n\t\t;;\n", zsh_operand(commands[i]));
	}
	buffer_text(out, "\tesac\n}\n"
			 "if [[ $funcstack[1] == _kiln ]]; then\n\t_kiln \"$@\"\nelse\n"
			 "\tcompdef _kiln kiln flamegraph\nfi\n");
}

/* ---- fish ---- */

static void fish_option(struct buffer *out, const struct command *command, const struct option *o)
{
	buffer_printf(out, "complete -c kiln -n '__fish_seen_subcommand_from %s' -l %s",
		command->name, o->name);
	if (o->letter)
		buffer_printf(out, " -s %c", o->letter);
	buffer_text(out, " -d ");
	quoted(out, o->help);
	if (o->argument)
		buffer_text(out, takes_file(o) ? " -r -F" : " -x");
	if (o->choices) {
		buffer_text(out, " -a '");
		choices(out, o);
		buffer_char(out, '\'');
	}
	buffer_char(out, '\n');
}

static void fish_operand(struct buffer *out, const struct command *command)
{
	static const char *const operands[] = {
		[OPERANDS_FILES] = "-F",
		[OPERANDS_NONE] = NULL,
		[OPERANDS_PROGRAM] = "-a '(__fish_complete_subcommand)'",
		[OPERANDS_COMMANDS] = "-a \"$__kiln_commands\"",
		[OPERANDS_SHELLS] = "-a 'bash zsh fish'",
	};

	if (operands[command->operands])
		buffer_printf(out, "complete -c kiln -n '__fish_seen_subcommand_from %s' %s\n",
			command->name, operands[command->operands]);
}

static void fish(struct buffer *out)
{
	buffer_text(out, "# fish completion for kiln. Load it with: kiln completion fish | source\n"
			 "set -g __kiln_commands ");
	command_names(out);
	buffer_text(out, "\ncomplete -c kiln -f\n");
	for (size_t i = 0; commands[i]; i++) {
		buffer_printf(out,
			"complete -c kiln -n \"not __fish_seen_subcommand_from $__kiln_commands\" "
			"-a %s -d ",
			commands[i]->name);
		quoted(out, commands[i]->about);
		buffer_char(out, '\n');
	}
	for (size_t i = 0; commands[i]; i++) {
		for_each_option(out, commands[i], fish_option);
		fish_operand(out, commands[i]);
	}
	buffer_text(out, "complete -c flamegraph -w 'kiln flamegraph'\n");
}

/* ---- The command ---- */

static const struct shell shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

static int run(char **operands)
{
	const char *name = operands[0] ? operands[0] : "";
	struct buffer text = {0};
	struct error err = {0};
	int code;

	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++) {
		if (strcmp(shells[i].name, name))
			continue;
		shells[i].print(&text);
		code = print(&text);
		buffer_release(&text);
		return code;
	}
	error_set(&err, ERR_USAGE, "completion: expected one of bash, zsh, fish, got %s%s%s",
		*name ? "'" : "", *name ? name : "nothing", *name ? "'" : "");
	return fail(&err);
}

const struct command command_completion = {
	.name = "completion",
	.about = "print a completion script for a shell",
	.usage = "completion bash|zsh|fish",
	.notes = "  bash: put  source <(kiln completion bash)  into ~/.bashrc\n"
		 "  zsh:  kiln completion zsh >~/.zfunc/_kiln  with ~/.zfunc in $fpath\n"
		 "  fish: kiln completion fish >~/.config/fish/completions/kiln.fish",
	.operands = OPERANDS_SHELLS,
	.run = run,
};
