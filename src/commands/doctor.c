/* doctor.c: `kiln doctor`: what can be recorded here, and what adds what is missing? */
#include "checks/program.h"
#include "commands/commands.h"
#include "commands/confined.h"
#include "commands/terminal.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#define WIDTH	  100u /* columns of the report at most */
#define NAME_ROOM 16u  /* columns of a name */
#define STATE_AT  2u
#define NAME_AT	  11u
#define TEXT_AT	  (NAME_AT + NAME_ROOM + 1u)

#define NO_PID UINT64_MAX

static struct doctor {
	bool json;
	uint64_t pid;
} own = {.pid = NO_PID};

static const struct option own_options[] = {
	{.name = "json",
		.help = "print JSON",
		.set = option_flag,
		.offset = offsetof(struct doctor, json)},
	{.name = "pid",
		.letter = 'p',
		.argument = "PID",
		.help = "check this process and its libraries instead",
		.set = option_u64,
		.offset = offsetof(struct doctor, pid)},
	{0},
};

static const struct option_group *groups(void)
{
	static const struct option_group all[] = {{"Report", own_options, &own}, {0}};

	return all;
}

/* ---- The report ---- */

static void pad(struct buffer *out, size_t written, size_t columns)
{
	for (size_t i = written; i < columns; i++)
		buffer_char(out, ' ');
}

/* Wrapped at WIDTH, with all lines but the first at TEXT_AT. */
static void add_wrapped(struct buffer *out, struct bytes text)
{
	size_t column = TEXT_AT;
	struct bytes word;

	for (bool first = true; text.len; first = false) {
		if (!bytes_cut(&text, ' ', &word)) {
			word = text;
			text.len = 0;
		}
		if (!first && column + 1 + word.len > WIDTH) {
			buffer_char(out, '\n');
			pad(out, 0, TEXT_AT);
			column = TEXT_AT;
		} else if (!first) {
			buffer_char(out, ' ');
			column++;
		}
		buffer_visible(out, word);
		column += word.len;
	}
	buffer_char(out, '\n');
}

static void add_state(struct buffer *out, enum check_state state)
{
	static const char *const colours[CHECK_STATES] = {"\33[32m", "\33[33m", "\33[31m"};
	bool coloured = terminal_colour(STDOUT_FILENO);
	const char *name = check_state_name(state);

	pad(out, 0, STATE_AT);
	buffer_printf(
		out, "%s%s%s", coloured ? colours[state] : "", name, coloured ? "\33[0m" : "");
	pad(out, STATE_AT + strlen(name), NAME_AT);
}

/* Never cut, so that it can be copied: a long one begins further left. */
static void add_command(struct buffer *out, struct bytes command)
{
	size_t room = command.len < WIDTH ? WIDTH - command.len : 0;

	pad(out, 0, room < TEXT_AT ? room : TEXT_AT);
	buffer_visible(out, command);
	buffer_char(out, '\n');
}

static void add_finding(struct buffer *out, const struct finding *f)
{
	add_state(out, f->state);
	buffer_visible(out, bytes_of(f->name));
	pad(out, strlen(f->name), NAME_ROOM);
	buffer_char(out, ' ');
	add_wrapped(out, bytes_of(f->meaning));
	if (verbosity > 0 && f->tested) {
		pad(out, 0, TEXT_AT);
		buffer_printf(out, "tested: %s\n", f->tested);
	}
	if (*f->command)
		add_command(out, bytes_of(f->command));
}

static void add_report(struct buffer *out, const struct machine *m, const struct findings *f)
{
	struct utsname kernel = {0};
	const char *subject = "";

	uname(&kernel);
	buffer_printf(out, "kiln " KILN_VERSION " on Linux %s, %s%suser %u\n", kernel.release,
		m->packages.title, *m->packages.title ? ", " : "", (unsigned)geteuid());
	for (size_t i = 0; i < f->list.len; i++) {
		if (strcmp(subject, f->list.items[i].subject) != 0)
			buffer_printf(out, "\n%s:\n", f->list.items[i].subject);
		subject = f->list.items[i].subject;
		add_finding(out, &f->list.items[i]);
	}
}

static void add_member(struct buffer *out, const char *name, const char *value)
{
	buffer_printf(out, "\"%s\":", name);
	buffer_json(out, bytes_of(value));
}

static void add_json(struct buffer *out, const struct machine *m, const struct findings *f)
{
	struct utsname kernel = {0};

	uname(&kernel);
	buffer_printf(out, "{\"version\":\"" KILN_VERSION "\",\"user\":%u,", (unsigned)geteuid());
	add_member(out, "kernel", kernel.release);
	buffer_char(out, ',');
	add_member(out, "distribution", m->packages.title);
	buffer_printf(out, ",\"records_cpu\":%s,\"checks\":[", f->records_cpu ? "true" : "false");
	for (size_t i = 0; i < f->list.len; i++) {
		const struct finding *finding = &f->list.items[i];

		buffer_text(out, i ? ",\n{" : "\n{");
		add_member(out, "subject", finding->subject);
		buffer_char(out, ',');
		add_member(out, "name", finding->name);
		buffer_char(out, ',');
		add_member(out, "state", check_state_name(finding->state));
		buffer_char(out, ',');
		add_member(out, "meaning", finding->meaning);
		if (*finding->command) {
			buffer_char(out, ',');
			add_member(out, "command", finding->command);
		}
		if (finding->tested) {
			buffer_char(out, ',');
			add_member(out, "tested", finding->tested);
		}
		buffer_char(out, '}');
	}
	buffer_text(out, "\n]}\n");
}

/* ---- Running ---- */

/* Of a program, only its own lines: whoever asks about one has read the others. */
static bool check(const struct machine *m, char **operands, struct findings *out, struct error *err)
{
	if (own.pid != NO_PID && (!own.pid || own.pid > INT32_MAX))
		return error_set(err, ERR_USAGE, "--pid: expected the number of a process");
	if (own.pid != NO_PID && *operands)
		return error_set(err, ERR_USAGE, "expected a command or -p, not both");
	if (own.pid != NO_PID)
		return program_check_process(m, (int32_t)own.pid, out, err);
	if (*operands) {
		confined_start(NULL);
		return program_check_command(m, *operands, out, err);
	}
	checks_run(m, out);
	return true;
}

static int run(char **operands)
{
	struct findings findings = {0};
	struct buffer text = {0};
	struct error err = {0};
	struct machine machine;
	int code;

	machine_look(&machine);
	if (check(&machine, operands, &findings, &err)) {
		(own.json ? add_json : add_report)(&text, &machine, &findings);
		code = print(&text);
		code = code ? code : !findings.records_cpu;
	} else {
		error_prefix(&err, "doctor: ");
		code = fail(&err);
	}
	buffer_release(&text);
	findings_release(&findings);
	return code;
}

const struct command command_doctor = {
	.name = "doctor",
	.about = "tell what can be recorded here, and what adds the rest",
	.usage = "doctor [--json] [COMMAND]\n"
		 "doctor [--json] -p PID",
	.notes = "With a command or a process, tells what a profile of it would lack.\n"
		 "Exit code 0: its CPU time, or that of your own programs, can be recorded; 1: no.",
	.groups = groups,
	.operands = OPERANDS_PROGRAM,
	.stop_at_operand = true,
	.run = run,
};
