/* classic.c: `kiln classic`: where are the names of other tools under which scripts know Kiln? */
#include "commands/classic/classic.h"
#include "commands/commands.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER KILN_LIBEXEC "/kiln/classic" /* below the prefix */

static struct classic {
	bool list;
	const char *link;
} own;

static const struct option options[] = {
	{.name = "list",
		.help = "list the names and what each does",
		.set = option_flag,
		.offset = offsetof(struct classic, list)},
	{.name = "link",
		.argument = "DIR",
		.help = "create the links in this folder",
		.set = option_text,
		.offset = offsetof(struct classic, link)},
	{0},
};

static const struct option_group *groups(void)
{
	static const struct option_group all[] = {{"Names", options, &own}, {0}};

	return all;
}

static int list(void)
{
	struct buffer text = {0};
	int code;

	for (size_t i = 0; classic_tools[i]; i++)
		buffer_printf(&text, "%-32s %s\n", classic_tools[i]->name, classic_tools[i]->about);
	code = print(&text);
	buffer_release(&text);
	return code;
}

/* The path of this program. */
static bool program_path(char path[PATH_MAX], struct error *err)
{
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);

	if (len < 0)
		return error_errno(err, "classic: /proc/self/exe");
	path[len] = '\0';
	return true;
}

/* Put a new link in the place of an old one, so that the name is never missing. */
static bool replace_link(const char *program, int folder, const char *name)
{
	char temporary[NAME_MAX + 1];
	int code;

	snprintf(temporary, sizeof(temporary), "%s.%ld~", name, (long)getpid());
	if (symlinkat(program, folder, temporary))
		return false;
	if (!renameat(folder, temporary, folder, name))
		return true;
	code = errno;
	unlinkat(folder, temporary, 0);
	errno = code;
	return false;
}

/* An old link is replaced, anything else is left alone. */
static bool make_link(const char *program, int folder, const char *name)
{
	struct stat st;

	if (!symlinkat(program, folder, name))
		return true;
	if (errno != EEXIST)
		return false;
	if (!fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISLNK(st.st_mode))
		return replace_link(program, folder, name);
	errno = EEXIST;
	return false;
}

static int link_all(const char *path)
{
	char program[PATH_MAX];
	struct error err = {0};
	bool done = true;
	int folder;

	if (!program_path(program, &err))
		return fail(&err);
	if (mkdir(path, 0777) && errno != EEXIST) {
		error_errno(&err, "classic: %s: cannot make the folder", path);
		return fail(&err);
	}
	folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0) {
		error_errno(&err, "classic: %s: cannot open the folder", path);
		return fail(&err);
	}
	for (size_t i = 0; done && classic_tools[i]; i++)
		done = make_link(program, folder, classic_tools[i]->name) ||
		       error_errno(&err, "classic: %s/%s: cannot make the link", path,
			       classic_tools[i]->name);
	close(folder);
	return done ? 0 : fail(&err);
}

/* The folder lies beside that of the program, wherever both were moved. */
static int print_folder(void)
{
	char program[PATH_MAX];
	struct buffer path = {0};
	struct error err = {0};
	struct stat st;
	char *slash;
	int code;

	if (!program_path(program, &err))
		return fail(&err);
	for (int up = 0; up < 2; up++) {
		slash = strrchr(program, '/');
		if (slash)
			*slash = '\0';
	}
	buffer_printf(&path, "%s/" FOLDER, program);
	if (stat(path.at, &st)) {
		error_set(&err, ERR_IO,
			"classic: %s does not exist: kiln is not installed there; create a folder "
			"of links with: kiln classic --link DIR",
			path.at);
		code = fail(&err);
	} else {
		buffer_char(&path, '\n');
		code = print(&path);
	}
	buffer_release(&path);
	return code;
}

static int run(char **operands)
{
	struct error err = {0};

	if (*operands) {
		error_set(&err, ERR_USAGE,
			"classic: unexpected operand '%s'; to run a tool, put the folder of links "
			"first in PATH: PATH=$(kiln classic):$PATH",
			*operands);
		return fail(&err);
	}
	if (own.list)
		return list();
	return own.link ? link_all(own.link) : print_folder();
}

const struct command command_classic = {
	.name = "classic",
	.about = "print a folder of links with other tools' names, for scripts",
	.usage = "classic [OPTIONS]\nclassic --link DIR",
	.notes =
		"After PATH=$(kiln classic):$PATH, scripts that call stackcollapse-perf.pl,\n"
		"flamegraph.pl, inferno-flamegraph and so on call Kiln, which takes their options\n"
		"and prints what they print.",
	.operands = OPERANDS_NONE,
	.groups = groups,
	.run = run,
};
