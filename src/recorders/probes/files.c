/* files.c: finding the files that a name stands for, among those that the targets run. */
#include "recorders/probes/files.h"

#include "base/buffer.h"
#include "base/plain_file.h"
#include "recorders/unwind/prepare.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define PROBE_FILES_MAX 512u

struct search {
	struct probe_files *files;
	struct session *session;
	struct bytes name; /* empty: all */
};

/* A file with a library's name may be a linker script, and one with a program's name a shell
 * script. */
static bool is_binary(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
}

/* A file is added once, whatever its path. named: the user has chosen this file. False: it does not
 * exist. */
static bool add(struct probe_files *files, const char *path, struct bytes name, bool named)
{
	struct probe_file file = {.fd = plain_file_open(AT_FDCWD, path, 0)};
	struct stat status;
	bool known = false;

	if (file.fd < 0 || fstat(file.fd, &status) || !(named || is_binary(file.fd))) {
		if (file.fd >= 0)
			close(file.fd);
		return false;
	}
	for (size_t i = 0; i < files->list.len; i++)
		known |= files->list.items[i].device == status.st_dev &&
			 files->list.items[i].inode == status.st_ino;
	if (known || files->list.len == PROBE_FILES_MAX) {
		close(file.fd);
		return true;
	}
	file.device = status.st_dev;
	file.inode = status.st_ino;
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	file.name = memory_copy_text(name.at, name.len);
	vector_push(&files->list, file);
	return true;
}

/* "libc" and "c" mean "libc.so.6" and "libc-2.31.so"; "node" means "node". */
static bool is_called(struct bytes file, struct bytes name)
{
	struct bytes rest = file;

	if (!name.len || bytes_equal(file, name))
		return true;
	if (!bytes_starts_with(rest, name) && bytes_starts_with(rest, BYTES("lib")))
		rest = (struct bytes){rest.at + 3, rest.len - 3};
	if (!bytes_starts_with(rest, name))
		return false;
	rest = (struct bytes){rest.at + name.len, rest.len - name.len};
	return bytes_starts_with(rest, BYTES(".so")) ||
	       (rest.len > 1 && *rest.at == '-' && is_digit(rest.at[1]) &&
		       memmem(rest.at, rest.len, ".so", 3));
}

/* ---- Running targets ---- */

static bool is_target(const struct session *s, int32_t pid)
{
	const struct record_options *o = s->options;

	if (session_watches_all(s))
		return true;
	for (size_t i = 0; i < o->pids.list.len; i++)
		if (o->pids.list.items[i] == pid)
			return true;
	return false;
}

/* /proc/PID/map_files leads to the mapped file, even if it was renamed or deleted. */
static void add_mapped(struct search *search, int32_t pid, const struct mapped *m)
{
	const struct binaries *b = &search->session->binaries;
	const struct binary *binary = &b->rows.items[m->binary];
	char path[96];
	struct buffer other = {0};

	if (!m->binary || !binary->image || binary->kind != MAPPING_FILE ||
		!is_called(bytes_base_name(binary->path), search->name))
		return;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", pid,
		(unsigned long long)m->start, (unsigned long long)m->end);
	if (add(search->files, path, binary->path, false))
		return;
	buffer_printf(&other, "/proc/%d/root%.*s", pid, (int)binary->path.len, binary->path.at);
	add(search->files, other.at, binary->path, false);
	buffer_release(&other);
}

static void add_of_targets(struct search *search)
{
	const struct processes *p = &search->session->processes;

	for (size_t i = 1; i < p->rows.len; i++) {
		const struct process_state *process = &p->rows.items[i];

		if (!process->space || !is_target(search->session, process->pid))
			continue;
		for (size_t j = 0; j < process->space->maps.len; j++)
			add_mapped(search, process->pid, &process->space->maps.items[j]);
	}
}

/* ---- What a command will map, and the usual places ---- */

/* If "/usr/bin/python3" is a link to it, "python3.11" is found, too. */
static void add_prepared(void *context, const struct image *image)
{
	struct search *search = context;
	const char *path = image_name(image);
	char whole[PATH_MAX];

	if (!strchr(path, '/'))
		return;
	if (is_called(bytes_base_name(bytes_of(path)), search->name) ||
		(realpath(path, whole) &&
			is_called(bytes_base_name(bytes_of(whole)), search->name)))
		add(search->files, path, bytes_of(path), false);
}

static void add_folder(struct search *search, const char *folder)
{
	struct buffer path = {0};
	struct dirent *entry;
	DIR *dir = opendir(folder);

	while (dir && (entry = readdir(dir))) {
		if (!is_called(bytes_of(entry->d_name), search->name))
			continue;
		path.len = 0;
		buffer_printf(&path, "%s/%s", folder, entry->d_name);
		add(search->files, path.at, bytes_of(path.at), false);
	}
	if (dir)
		closedir(dir);
	buffer_release(&path);
}

static void add_usual(struct search *search)
{
	static const char *const folders[] = {"/lib/%s-linux-gnu", "/usr/lib/%s-linux-gnu",
		"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"};
	struct bytes rest = bytes_of(getenv("PATH") ? getenv("PATH") : "/bin:/usr/bin"), folder;
	struct utsname machine;
	char path[512];

	for (bool more = true; more && !search->files->list.len;) {
		more = bytes_cut(&rest, ':', &folder);
		if (!more)
			folder = rest;
		snprintf(path, sizeof(path), "%.*s/%.*s", (int)folder.len, folder.at,
			(int)search->name.len, search->name.at);
		add(search->files, path, bytes_of(path), false);
	}
	uname(&machine);
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders) && !search->files->list.len;
		i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(path, sizeof(path), folders[i], machine.machine);
#pragma GCC diagnostic pop
		add_folder(search, path);
	}
}

/* ---- Answers ---- */

/* Search as each target sees it: containers have files of their own. */
static void add_path(struct search *search)
{
	const struct number_list *pids = &search->session->options->pids;
	struct buffer path = {0};

	buffer_add(&path, search->name.at, search->name.len);
	buffer_char(&path, '\0');
	if (!pids->list.len)
		add(search->files, path.at, search->name, true);
	for (size_t i = 0; i < pids->list.len; i++) {
		path.len = 0;
		if (*search->name.at == '/')
			buffer_printf(&path, "/proc/%d/root", pids->list.items[i]);
		buffer_add(&path, search->name.at, search->name.len);
		buffer_char(&path, '\0');
		add(search->files, path.at, search->name, true);
	}
	buffer_release(&path);
}

void probe_files_mapped(struct probe_files *files, struct session *s)
{
	struct search search = {files, s, {0}};

	add_of_targets(&search);
	if (s->options->command)
		unwind_prepare(s->options->command[0], add_prepared, &search);
}

void probe_files_find(struct probe_files *files, struct session *s, struct bytes name)
{
	struct search search = {files, s, name};

	if (memchr(name.at, '/', name.len)) {
		add_path(&search);
		return;
	}
	add_of_targets(&search);
	if (s->options->command)
		unwind_prepare(s->options->command[0], add_prepared, &search);
	if (!files->list.len)
		add_usual(&search);
}

void probe_files_add(struct probe_files *files, const char *root, struct bytes path)
{
	struct buffer whole = {0};

	buffer_printf(&whole, "%s%.*s", root ? root : "", (int)path.len, path.at);
	add(files, whole.at, path, true);
	buffer_release(&whole);
}

void probe_files_release(struct probe_files *files)
{
	for (size_t i = 0; i < files->list.len; i++) {
		close(files->list.items[i].fd);
		free(files->list.items[i].name);
	}
	vector_release(&files->list);
}
