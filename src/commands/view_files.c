/* view_files.c: which files may the server of a page get, even if it is taken over?
 *
 * A malicious file may take over the server that reads it. So the broker decides by what a file is,
 * by names that the user gave, and by kinds of names that secrets do not have. */
#include "commands/view_files.h"

#include "base/broker.h"
#include "base/confine.h"
#include "base/plain_file.h"
#include "base/spool.h"
#include "commands/desktop.h"
#include "images/debuginfod.h"
#include "images/kernel_kept.h"
#include "images/symbol_cache.h"
#include "server/objdump.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files of the kernel about itself: names of its functions, which boot they are of, mappings of
 * this process, the number of processors. */
static const char *const system_files[] = {"/proc/kallsyms", "/proc/modules",
	"/proc/sys/kernel/random/boot_id", "/proc/stat", "/proc/self/maps", "/sys/kernel/notes",
	"/sys/devices/system/cpu/online"};

/* Whoever writes programs keeps no secrets in files that end so. What has no such ending is shown
 * where systems have their headers, if everybody may read it. */
static const char *const source_endings[] = {"C", "H", "S", "adb", "ads", "asm", "bash", "c", "c++",
	"cc", "cjs", "clj", "cpp", "cr", "cs", "cts", "cu", "cuh", "cxx", "d", "dart", "def", "el",
	"erl", "ex", "exs", "f", "f03", "f08", "f90", "f95", "for", "fs", "go", "groovy", "h",
	"h++", "hh", "hpp", "hrl", "hs", "hxx", "i", "ii", "inc", "inl", "ipp", "java", "jl", "js",
	"jsx", "kt", "kts", "l", "lisp", "ll", "lua", "m", "mjs", "ml", "mli", "mm", "mts", "nim",
	"pas", "php", "pl", "pm", "proto", "pxd", "py", "pyi", "pyx", "r", "rb", "rkt", "rs", "s",
	"scala", "scm", "sh", "sv", "svelte", "swift", "tcc", "tcl", "td", "tpp", "ts", "tsx", "v",
	"vala", "vb", "vue", "y", "yy", "zig"};
static const char *const source_folders[] = {"/usr/", "/lib/", "/lib32/", "/lib64/", "/opt/"};

/* ---- What is opened for whom ---- */

/* A plain file. */
static int open_plain(const char *path, int flags)
{
	int fd = plain_file_open(AT_FDCWD, path, flags);

	if (fd < 0 && errno == ENXIO)
		errno = EACCES;
	return fd;
}

/* Close the file unless it may be passed on. */
static int given_if(bool given, int fd)
{
	if (given || fd < 0)
		return fd;
	close(fd);
	errno = EACCES;
	return -1;
}

static int open_input(const struct view_files *f, const char *path)
{
	for (char *const *operand = f->operands; *operand; operand++)
		if (!strcmp(*operand, path))
			return open_plain(path, 0);
	errno = EACCES;
	return -1;
}

/* As names.c calls the folder of an input. */
static bool is_folder_of(const char *folder, const char *input)
{
	const char *slash = strrchr(input, '/');
	size_t len = slash ? (size_t)(slash + 1 - input) : 0;

	return slash ? strlen(folder) == len && !memcmp(folder, input, len) : !strcmp(folder, ".");
}

static int open_folder(const struct view_files *f, const char *path)
{
	for (char *const *operand = f->operands; *operand; operand++)
		if (is_folder_of(path, *operand))
			return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	errno = EACCES;
	return -1;
}

/* But no core file: that is the memory of a process. */
static bool is_binary(int fd)
{
	Elf64_Ehdr head; /* the type is at the same place in both classes */
	bool is_big;

	if (pread(fd, &head, sizeof(head), 0) < (ssize_t)sizeof(Elf32_Ehdr) ||
		memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	is_big = head.e_ident[EI_DATA] == ELFDATA2MSB;
	return (is_big ? __builtin_bswap16(head.e_type) : head.e_type) != ET_CORE;
}

static int open_binary(const char *path)
{
	int fd = open_plain(path, 0);

	return given_if(fd >= 0 && is_binary(fd), fd);
}

static int open_runtime(const struct view_files *f, const char *path)
{
	struct bytes name = bytes_base_name(bytes_of(path));
	bool is_named = f->v8_logs && !fnmatch(f->v8_logs, path, FNM_PATHNAME);
	bool is_usual =
		(bytes_starts_with(name, BYTES("perf-")) && bytes_ends_with(name, BYTES(".map"))) ||
		(bytes_starts_with(name, BYTES("jit-")) && bytes_ends_with(name, BYTES("dump"))) ||
		bytes_ends_with(name, BYTES("-v8.log"));

	if (!is_named && !is_usual) {
		errno = EACCES;
		return -1;
	}
	return open_plain(path, is_named ? 0 : O_NOFOLLOW);
}

static bool ends_as_source(struct bytes path)
{
	const char *dot = bytes_find_last(bytes_base_name(path), '.');
	struct bytes ending = {dot ? dot + 1 : path.at, 0};

	if (!dot)
		return false;
	ending.len = (size_t)(path.at + path.len - ending.at);
	for (size_t i = 0; i < sizeof(source_endings) / sizeof(*source_endings); i++)
		if (bytes_equal(ending, bytes_of(source_endings[i])))
			return true;
	return false;
}

/* The file itself is what counts, wherever links to it are. */
static bool is_source(int fd)
{
	char link[64], room[PATH_MAX];
	struct bytes path = {room, 0};
	struct stat status;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, room, sizeof(room));
	if (len <= 0 || (size_t)len == sizeof(room))
		return false;
	path.len = (size_t)len;
	if (ends_as_source(path))
		return true;
	for (size_t i = 0; i < sizeof(source_folders) / sizeof(*source_folders); i++)
		if (bytes_starts_with(path, bytes_of(source_folders[i])))
			return !fstat(fd, &status) && (status.st_mode & S_IROTH);
	return false;
}

static int open_source(const struct view_files *f, const char *path)
{
	int fd = f->shows_sources ? open_plain(path, 0) : -1;

	return given_if(fd >= 0 && is_source(fd), fd);
}

/* "START END PATH" */
static int start_code(const struct view_files *f, const char *text)
{
	struct bytes rest = bytes_of(text), start, end;
	uint64_t from, to;
	int fd, output;

	errno = EACCES;
	if (!f->shows_sources || !bytes_cut(&rest, ' ', &start) || !bytes_cut(&rest, ' ', &end) ||
		!bytes_hex(start, &from) || !bytes_hex(end, &to))
		return -1;
	fd = open_binary(rest.at);
	if (fd < 0)
		return -1;
	output = objdump_start(fd, rest.at, from, to);
	close(fd);
	return output;
}

/* "EXECUTABLE BUILD-ID NAME"; what has come is opened as any binary is. */
static void fetch(const struct view_files *f, const char *text, struct broker_answer *ret)
{
	struct bytes rest = bytes_of(text), executable, build_id;
	struct debuginfod *servers = f->binary_locations->servers;
	char *path;

	if (!servers || !bytes_cut(&rest, ' ', &executable) || !bytes_cut(&rest, ' ', &build_id))
		return;
	for (size_t i = 0; i < build_id.len; i++)
		if (!is_hex_digit(build_id.at[i]))
			return;
	path = debuginfod_fetch(servers, bytes_equal(executable, BYTES("1")), rest, build_id);
	if (path)
		buffer_text(&ret->text, path);
	ret->error = debuginfod_gave_up(servers) ? ECANCELED : 0;
	free(path);
}

static void answer(
	void *context, enum broker_kind kind, const char *text, struct broker_answer *ret)
{
	struct view_files *f = context;

	errno = EACCES;
	switch (kind) {
	case BROKER_INPUT:
		ret->fd = open_input(f, text);
		break;
	case BROKER_FOLDER:
		ret->fd = open_folder(f, text);
		break;
	case BROKER_BINARY:
		ret->fd = open_binary(text);
		break;
	case BROKER_RUNTIME:
		ret->fd = open_runtime(f, text);
		break;
	case BROKER_SOURCE:
		ret->fd = open_source(f, text);
		break;
	case BROKER_SPOOL:
		ret->fd = spool_create();
		break;
	case BROKER_CODE:
		ret->fd = start_code(f, text);
		break;
	case BROKER_FETCH:
		fetch(f, text, ret);
		return;
	case BROKER_SHOW:
		if (f->url)
			desktop_show(f->url);
		return;
	}
	ret->error = ret->fd < 0 ? errno : 0;
}

/* ---- What needs no broker ---- */

/* The folders in which a pattern can find something are below what is in front of its first sign.
 */
static void allow_pattern(struct confine *c, const char *pattern)
{
	struct bytes fixed = {pattern, strcspn(pattern, "*?[{~")};
	const char *slash = bytes_find_last(fixed, '/');
	struct buffer folder = {0};

	if (slash)
		buffer_add(&folder, pattern, (size_t)(slash + 1 - pattern));
	else
		buffer_char(&folder, '.');
	confine_allow_list(c, folder.at);
	buffer_release(&folder);
}

/* perf's copies of kernel symbols are texts, which no rule of the broker knows. */
static void allow_places(struct confine *c, const struct binary_locations *binary_locations)
{
	const char *const *dir = binary_locations->build_id_dirs, *home = getenv("HOME");
	struct buffer own = {0};

	for (; dir && *dir; dir++)
		confine_allow_read(c, *dir);
	if (home && *home == '/') {
		buffer_printf(&own, "%s/.debug", home);
		confine_allow_read(c, own.at);
		buffer_release(&own);
	}
	if (binary_locations->kallsyms)
		confine_allow_read(c, binary_locations->kallsyms);
	if (binary_locations->vmlinux)
		confine_allow_read(c, binary_locations->vmlinux);
}

static unsigned confine(const struct view_files *f)
{
	struct buffer cache = {0};
	struct confine c;

	confine_init(&c, CONFINE_ALLOW_NONE);
	for (size_t i = 0; i < sizeof(system_files) / sizeof(*system_files); i++)
		confine_allow_read(&c, system_files[i]);
	for (char *const *operand = f->operands; *operand; operand++)
		if (strcmp(*operand, "-") != 0)
			confine_allow_read(&c, *operand);
	allow_places(&c, f->binary_locations);
	if (f->v8_logs)
		allow_pattern(&c, f->v8_logs);
	if (f->stores_names && symbol_cache_folder(&cache)) {
		confine_allow_write(&c, cache.at);
		kernel_kept_prepare();
	}
	buffer_release(&cache);
	return confine_start(&c);
}

bool view_files_confine(const struct view_files *files, unsigned *ret_confined, struct error *err)
{
	if (!broker_start(answer, (void *)(uintptr_t)files))
		return error_errno(err, "cannot start the process that opens files");
	*ret_confined = confine(files);
	return true;
}
