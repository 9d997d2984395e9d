/* version.c: `kiln version`: which Kiln is this, and what can it do on this machine? */
#include "commands/commands.h"
#include "images/arch.h"
#include "images/debuginfod.h"
#include "recorders/recorders.h"
#include "renderers/page_parts.h"
#include "server/server.h"

#include <sys/utsname.h>

/* "BPF         yes", or why not. */
static void add_fact(struct buffer *b, const char *name, const char *missing)
{
	buffer_printf(b, "%-12s%s%s\n", name, missing ? "no: " : "yes", missing ? missing : "");
}

static void add_check(struct buffer *b, const char *name, bool (*check)(struct error *err))
{
	struct error err = {0};

	add_fact(b, name, check(&err) ? NULL : err.text);
}

/* The machine that Kiln was built for, the one that it runs on, and how it finds user stacks that
 * it records. */
static void add_machine(struct buffer *b)
{
	struct utsname own;

	buffer_printf(b, "machine     %s", KILN_MACHINE);
	if (!uname(&own))
		buffer_printf(b, ", on %s %s", own.sysname, own.release);
	buffer_printf(b, "; records user stacks by %s\n",
		arch_native() ? "unwind tables" : "frame pointers only");
}

static void add_abilities(struct buffer *b)
{
	add_machine(b);
	add_check(b, "BPF", recorder_programs_check);
	add_fact(b, "page", page_parts.unavailable);
	add_check(b, "view", server_check);
	add_check(b, "debuginfod", debuginfod_check);
	buffer_printf(b, "built with  %s\n", KILN_LIBRARIES);
}

static int run(char **operands)
{
	struct buffer text = {0};
	int code;

	(void)operands;
	buffer_text(&text, "kiln " KILN_VERSION "\n");
	if (verbosity > 0)
		add_abilities(&text);
	code = print(&text);
	buffer_release(&text);
	return code;
}

const struct command command_version = {
	.name = "version",
	.about = "print the version",
	.usage = "version [-v]",
	.operands = OPERANDS_NONE,
	.run = run,
};
