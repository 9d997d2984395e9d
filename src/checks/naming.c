/* naming.c: will addresses have names? */
#include "checks/checks.h"

#include "base/units.h"
#include "images/debug_file.h"
#include "images/debuginfod.h"
#include "images/kernel.h"
#include "images/symbol_cache.h"
#include "images/symbols.h"

#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_kernel_names(const struct machine *m, struct findings *out)
{
	struct error err = {0};
	struct kernel *kernel = kernel_open(&err);

	(void)m;
	if (kernel)
		finding_add(out, "kernel", CHECK_OK, NULL,
			"functions of the kernel have names (/proc/kallsyms)");
	else
		finding_add(out, "kernel", CHECK_LIMITED,
			err.code == ERR_PERMISSION ? "sudo " KERNEL_SHOW_ADDRESSES : "",
			"functions of the kernel have no names: %s",
			err.code == ERR_PERMISSION ? "it hides their addresses from this user"
						   : err.text);
	kernel_release(kernel);
}

/* The path of the C library that this process uses, a library as others do. */
static int find_c_library(struct dl_phdr_info *info, size_t size, void *context)
{
	struct bytes name = bytes_base_name(bytes_of(info->dlpi_name));

	(void)size;
	if (!bytes_starts_with(name, BYTES("libc.")) && !bytes_starts_with(name, BYTES("ld-musl")))
		return 0;
	buffer_set(context, bytes_of(info->dlpi_name));
	return 1;
}

static bool has_all_names(const char *path, bool *ret_debug_file)
{
	struct error ignored = {0};
	struct image *image = image_open(path, &ignored);
	struct image *debug = image ? debug_file_open(image, NULL) : NULL;
	struct symbols *symbols = image ? symbols_load(image, debug) : NULL;
	bool full = symbols && symbols_extent(symbols) == SYMBOLS_FULL;

	*ret_debug_file = debug != NULL;
	symbols_release(symbols);
	image_release(debug);
	image_release(image);
	return full;
}

static void check_c_library(const struct machine *m, struct findings *out)
{
	struct buffer path = {0}, command = {0};
	bool debug;

	dl_iterate_phdr(find_c_library, &path);
	if (!path.len) { /* Kiln itself is static */
		buffer_release(&path);
		return;
	}
	if (has_all_names(path.at, &debug)) {
		finding_add(out, "C library", CHECK_OK, NULL, "its functions have names%s",
			debug ? " and lines" : "");
	} else {
		packages_advise(&m->packages, path.at, &command);
		finding_add(out, "C library", CHECK_LIMITED, command.at,
			"%s is stripped: only functions that it exports have names", path.at);
	}
	buffer_release(&path);
	buffer_release(&command);
}

static void check_servers(const struct machine *m, struct findings *out)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct buffer command = {0};
	struct error err = {0};

	if (!debuginfod_check(&err)) {
		finding_add(out, "debuginfod", CHECK_LIMITED, NULL,
			"symbols of stripped binaries cannot be downloaded: %s", err.text);
	} else if (!urls || !urls[strspn(urls, " ")]) {
		buffer_printf(&command, "export DEBUGINFOD_URLS=%s", m->packages.servers);
		finding_add(out, "debuginfod", CHECK_LIMITED, command.at,
			"symbols of stripped binaries are not downloaded: no server is set");
	} else {
		finding_add(out, "debuginfod", CHECK_OK, NULL,
			"symbols of stripped binaries are asked of %s", urls);
	}
	buffer_release(&command);
}

/* Bytes of all files in a folder. */
static int64_t folder_size(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	struct stat status;
	int64_t size = 0;

	while (folder && (entry = readdir(folder)))
		if (!fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) &&
			S_ISREG(status.st_mode))
			size += status.st_size;
	if (folder)
		closedir(folder);
	return size;
}

static void check_cache(const struct machine *m, struct findings *out)
{
	struct buffer path = {0}, size = {0};

	(void)m;
	if (!symbol_cache_folder(&path) || access(path.at, W_OK)) {
		finding_add(out, "symbol cache", CHECK_LIMITED, "export KILN_CACHE=\"$HOME/.kiln\"",
			"names are looked up anew in each run: this user has no folder to keep "
			"them in");
	} else {
		units_human(&size, folder_size(path.at), BYTES("bytes"));
		finding_add(out, "symbol cache", CHECK_OK, NULL, "%s, %s", path.at, size.at);
	}
	buffer_release(&path);
	buffer_release(&size);
}

static const struct check checks[] = {
	{"kernel", "reads addresses in /proc/kallsyms", check_kernel_names},
	{"C library", "reads the symbols of libc and its separate debug file", check_c_library},
	{"debuginfod", "loads the client, and looks for servers in DEBUGINFOD_URLS", check_servers},
	{"symbol cache", "looks for its folder, and creates it", check_cache},
	{0},
};

extern const struct check_subject check_subject_naming;
const struct check_subject check_subject_naming = {"Names", checks};
