/* confined.c: what does a command give up that reads what others have written, and writes one
 * output? */
#include "commands/confined.h"

#include "base/buffer.h"
#include "base/confine.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/output_folder.h"
#include "base/spool.h"
#include "images/debuginfod.h"
#include "images/kernel_kept.h"
#include "images/symbol_cache.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static VECTOR(char *) written; /* folders, and what is no plain file */

static void add_folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	vector_push(&written, slash ? memory_copy_text(path, (size_t)(slash + 1 - path))
				    : memory_copy_text(".", 1));
}

static bool is_link_of_another(const char *path)
{
	struct stat status;

	return !lstat(path, &status) && S_ISLNK(status.st_mode) && status.st_uid &&
	       status.st_uid != geteuid();
}

/* A link is followed: what it leads to is replaced; one of another user may be replaced itself. */
void confined_output(const char *path)
{
	struct stat status;
	char *target;

	if (!path || !strcmp(path, "-"))
		return;
	if (is_link_of_another(path))
		add_folder_of(path);
	if (!stat(path, &status) && !S_ISREG(status.st_mode)) {
		vector_push(&written, memory_copy_text(path, strlen(path)));
		return;
	}
	add_folder_of(path);
	target = realpath(path, NULL);
	if (target)
		add_folder_of(target);
	free(target);
}

/* Is it a folder whose files are one content (input_folder.h)? */
static bool has_parts(const char *folder)
{
	struct buffer path = {0};
	struct stat status;
	bool found;

	buffer_printf(&path, "%s/data", folder);
	found = !stat(path.at, &status) && S_ISREG(status.st_mode);
	buffer_release(&path);
	return found;
}

/* Can it not be looked at where it lies? */
static bool needs_spool(const char *path)
{
	struct error ignored = {0}; /* the reader meets the error again */
	struct stat status;
	struct input in;
	bool can_map;

	if (!strcmp(path, "-"))
		return !fstat(STDIN_FILENO, &status) &&
		       (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
	if (stat(path, &status))
		return false;
	if (S_ISDIR(status.st_mode))
		return has_parts(path);
	if (!S_ISREG(status.st_mode))
		return S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode);
	if (!input_open(&in, path, &ignored))
		return false;
	can_map = input_can_map(&in);
	input_release(&in);
	return !can_map;
}

void confined_input(const char *path)
{
	if (needs_spool(path))
		spool_prepare();
}

void confined_start(const struct loading *loading)
{
	struct buffer cache = {0};
	unsigned user, group;
	struct confine c;

	confine_init(&c, loading && loading->binary_locations.servers
				 ? CONFINE_ALLOW_READ_ALL | CONFINE_ALLOW_NETWORK
				 : CONFINE_ALLOW_READ_ALL);
	for (size_t i = 0; i < written.len; i++) {
		confine_allow_write(&c, written.items[i]);
		free(written.items[i]);
	}
	vector_release(&written);
	if (loading && !loading->options.naming.no_cache && symbol_cache_folder(&cache)) {
		confine_allow_write(&c, cache.at);
		kernel_kept_prepare();
	}
	if (loading && loading->binary_locations.servers && debuginfod_cache_folder(&cache))
		confine_allow_tree(&c, cache.at);
	buffer_release(&cache);
	if (output_folder_sudo_user(&user, &group))
		confine_allow_chown(&c, user, group);
	confine_start(&c);
}
