/* files.c: sizes of files as folded text, as files.pl prints them. */
#include "commands/classic/classic.h"

#include "base/output.h"
#include "commands/commands.h"

#include <errno.h>
#include <ftw.h>
#include <string.h>

#define OPEN_FOLDERS 64

static struct files {
	bool one_device;
	bool known; /* the device: of the first file */
	dev_t device;
	struct output out;
	struct buffer line;
} own;

static const struct option options[] = {
	{.name = "xdev",
		.help = "stay on one file system",
		.set = option_flag,
		.offset = offsetof(struct files, one_device)},
	{0},
};

/* Characters with a meaning in folded text or in shells become '_'. */
static char shown(char c)
{
	bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);

	if (c == '/')
		return ';';
	return plain || c == ';' || c == '.' || c == '-' ? c : '_';
}

static bool is_elsewhere(const struct stat *st)
{
	if (!own.one_device)
		return false;
	if (!own.known)
		own.device = st->st_dev;
	own.known = true;
	return st->st_dev != own.device;
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)place;
	if (type == FTW_NS || is_elsewhere(st))
		return 0;
	own.line.len = 0;
	for (path += *path == '/'; *path; path++)
		buffer_char(&own.line, shown(*path));
	buffer_printf(&own.line, " %lld\n", (long long)st->st_size);
	output_write(&own.out, buffer_bytes(&own.line));
	return 0;
}

static int run(const struct classic_tool *tool, char **operands)
{
	struct error err = {0};
	int how = FTW_PHYS | (own.one_device ? FTW_MOUNT : 0);
	bool done;

	(void)tool;
	if (!output_open(&own.out, "-", 0666, &err))
		return fail(&err);
	for (; *operands; operands++)
		if (nftw(*operands, visit, OPEN_FOLDERS, how) < 0)
			print_notice("%s: %s", *operands, strerror(errno));
	buffer_release(&own.line);
	done = output_commit(&own.out, &err);
	return done ? 0 : fail(&err);
}

const struct classic_tool classic_files_pl = {
	.name = "files.pl",
	.about = "sizes of files to folded text, by folder",
	.usage = "[--xdev] FOLDER... >FILES.folded",
	.syntax = SYNTAX_PERL,
	.options = options,
	.target = &own,
	.operands = 1,
	.run = run,
};
