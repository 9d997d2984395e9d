/* naming_options.c: the options that say where names come from, and how much they say. */
#include "commands/naming_options.h"

#include "images/symbol_cache.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct chosen {
	struct naming_options naming;
	VECTOR(const char *) build_id_dirs; /* NULL-terminated */
	bool no_servers;
} own;

/* ---- Where files lie ---- */

static bool set_directory(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct stat st;

	if (stat(value, &st))
		return error_set(err, ERR_USAGE, "%s: %s", value, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return error_set(err, ERR_USAGE, "expected a directory, %s is not one", value);
	return option_text(target, option, value, err);
}

static bool add_build_id_dir(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct chosen *c = target;
	const char *dir = NULL;
	struct option one = {.name = option->name};

	if (!set_directory(&dir, &one, value, err))
		return false;
	if (c->build_id_dirs.len)
		c->build_id_dirs.len--;
	vector_push(&c->build_id_dirs, dir);
	vector_push(&c->build_id_dirs, NULL);
	return true;
}

static bool set_file(
	void *target, const struct option *option, const char *value, struct error *err)
{
	if (access(value, R_OK))
		return error_set(err, ERR_USAGE, "%s: %s", value, strerror(errno));
	return option_text(target, option, value, err);
}

#define AT(member) offsetof(struct chosen, member)
static const struct option place_options[] = {
	{.name = "symfs",
		.argument = "DIR",
		.help = "look up recorded paths below DIR, a copy of the other machine's files",
		.set = set_directory,
		.offset = AT(naming.symfs)},
	{.name = "build-id-dir",
		.argument = "DIR",
		.help = "a cache of files by build id, searched before ~/.debug; can be repeated",
		.set = add_build_id_dir},
	{.name = "vmlinux",
		.argument = "FILE",
		.help = "the recorded kernel, with symbols",
		.set = set_file,
		.offset = AT(naming.vmlinux)},
	{.name = "kallsyms",
		.argument = "FILE",
		.help = "a copy of /proc/kallsyms of the recorded machine",
		.set = set_file,
		.offset = AT(naming.kallsyms)},
	{.name = "no-debuginfod",
		.help = "do not use the servers in DEBUGINFOD_URLS",
		.set = option_flag,
		.offset = AT(no_servers)},
	{0},
};

struct option_group naming_place_options(void)
{
	return (struct option_group){"Where to find symbols", place_options, &own};
}

/* ---- How much names say ---- */

/* The kernel's symbols are kept whatever command needs them, so the whole process is told. */
static bool set_no_cache(
	void *target, const struct option *option, const char *value, struct error *err)
{
	symbol_cache_switch_off();
	return option_flag(target, option, value, err);
}

static const struct option detail_options[] = {
	{.name = "no-inline",
		.help = "leave out inlined functions: their samples count for the function that "
			"contains them",
		.set = option_flag,
		.offset = AT(naming.no_inline)},
	{.name = "lines",
		.help = "separate frames by source line: function (file.c:42)",
		.set = option_flag,
		.offset = AT(naming.lines)},
	{.name = "no-cache",
		.help = "do not read or write the symbol cache on disk",
		.set = set_no_cache,
		.offset = AT(naming.no_cache)},
	{.name = "v8-log",
		.argument = "GLOB",
		.help = "logs of V8 (node --log-code, --prof) with names of its code (default: "
			"those beside the input)",
		.set = option_text,
		.offset = AT(naming.v8_logs)},
	{0},
};

struct option_group naming_detail_options(void)
{
	return (struct option_group){"Detail of names", detail_options, &own};
}

const struct naming_options *naming_chosen(void)
{
	own.naming.build_id_dirs = own.build_id_dirs.items;
	own.naming.ask_servers = !own.no_servers;
	return &own.naming;
}
