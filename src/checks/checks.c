/* checks.c: the registry of checks, and what they have found. */
#include "checks/checks.h"

#include "base/buffer.h"
#include "recorders/recorders.h"
#include "recorders/refusal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENTRY(name) extern const struct check_subject check_subject_##name;
#include "checks.list"
#undef ENTRY

static const struct check_subject *const subjects[] = {
#define ENTRY(name) &check_subject_##name,
#include "checks.list"
#undef ENTRY
	NULL,
};

const char *check_state_name(enum check_state state)
{
	static const char *const names[CHECK_STATES] = {"ok", "limited", "missing"};

	return names[state];
}

void findings_release(struct findings *f)
{
	vector_release(&f->list);
	arena_release(&f->texts);
}

/* Not the root of a container without rights. */
static bool is_root(void)
{
	return !geteuid() && !refusal_known();
}

void finding_add(struct findings *f, const char *name, enum check_state state, const char *command,
	const char *fmt, ...)
{
	struct finding finding = {.subject = f->subject, .state = state, .tested = f->tested};
	struct buffer text = {0};
	va_list arguments;

	va_start(arguments, fmt);
	buffer_format(&text, fmt, arguments);
	va_end(arguments);
	command = command ? command : "";
	if (is_root() && !strncmp(command, "sudo ", 5)) /* it may not be installed */
		command += 5;
	finding.name = arena_copy(&f->texts, name, strlen(name));
	finding.meaning = arena_copy(&f->texts, text.at, text.len);
	finding.command = arena_copy(&f->texts, command, strlen(command));
	vector_push(&f->list, finding);
	buffer_release(&text);
}

/* A remedy is shown where no command does it. */
void finding_add_obstacle(struct findings *f, const char *name, enum check_state state,
	const char *effect, const struct obstacle *o)
{
	bool remedy = *o->remedy && !*o->command;

	finding_add(f, name, state, o->command, "%s%s%s%s%s", effect ? effect : "",
		effect ? ": " : "", o->reason, remedy ? ": " : "", remedy ? o->remedy : "");
}

void machine_look(struct machine *ret)
{
	*ret = (struct machine){0};
	perf_features_probe(&ret->perf);
	ret->programs = recorder_programs_work(&ret->without_programs);
	packages_find(&ret->packages, "");
}

void checks_run(const struct machine *m, struct findings *out)
{
	for (size_t i = 0; subjects[i]; i++) {
		out->subject = subjects[i]->title;
		for (const struct check *c = subjects[i]->checks; c->name; c++) {
			out->tested = c->about;
			c->run(m, out);
		}
	}
}

static bool is_program(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

bool check_find_program(const char *name, struct buffer *ret_path)
{
	struct bytes rest = bytes_of(getenv("PATH") ? getenv("PATH") : ""), folder;

	if (strchr(name, '/')) {
		buffer_set(ret_path, bytes_of(name));
		return is_program(name);
	}
	while (rest.len) {
		if (!bytes_cut(&rest, ':', &folder)) {
			folder = rest;
			rest.len = 0;
		}
		ret_path->len = 0;
		buffer_printf(ret_path, "%.*s/%s", folder.len ? (int)folder.len : 1,
			folder.len ? folder.at : ".", name);
		if (*name && is_program(ret_path->at))
			return true;
	}
	return false;
}
