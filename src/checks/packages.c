/* packages.c: which package would add the debugging symbols of a file? */
#include "checks/packages.h"

#include "base/memory.h"
#include "base/proc.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define LISTS	    "/var/lib/dpkg/info"
#define SOURCES	    "/etc/apt/sources.list"
#define LISTS_LIMIT ((size_t)256 << 20) /* bytes of all lists together */
#define LIST_LIMIT  ((size_t)16 << 20)	/* bytes of one */
#define NAMES_LIMIT 6u			/* of a file */

/* ---- The distribution ---- */

/* The value of a line `NAME="value"`. */
static struct bytes release_value(struct bytes text, struct bytes name)
{
	struct bytes line, key;

	while (bytes_line(&text, &line)) {
		if (!bytes_cut(&line, '=', &key) || !bytes_equal(key, name))
			continue;
		if (line.len >= 2 && *line.at == '"')
			line = (struct bytes){line.at + 1, line.len - 2};
		return line;
	}
	return (struct bytes){0};
}

static bool has_word(struct bytes words, const char *word)
{
	struct bytes one;

	while (words.len) {
		if (!bytes_cut(&words, ' ', &one)) {
			one = words;
			words.len = 0;
		}
		if (bytes_equal(one, bytes_of(word)))
			return true;
	}
	return false;
}

/* The first row wins of which a word is the distribution, or what it descends from. */
static void set_manager(struct packages *ret, struct bytes id, struct bytes like)
{
	static const struct {
		const char *id;
		enum package_manager manager;
		const char *servers;
	} known[] = {{"ubuntu", PACKAGES_APT, "https://debuginfod.ubuntu.com"},
		{"debian", PACKAGES_APT, "https://debuginfod.debian.net"},
		{"fedora", PACKAGES_DNF, "https://debuginfod.fedoraproject.org"},
		{"rhel", PACKAGES_DNF, "https://debuginfod.centos.org"},
		{"arch", PACKAGES_PACMAN, "https://debuginfod.archlinux.org"},
		{"alpine", PACKAGES_APK, "https://debuginfod.elfutils.org"}};

	ret->servers = "https://debuginfod.elfutils.org";
	for (int inherited = 0; inherited < 2 && !ret->manager; inherited++)
		for (size_t i = 0; i < sizeof(known) / sizeof(*known) && !ret->manager; i++)
			if (has_word(inherited ? like : id, known[i].id)) {
				ret->manager = known[i].manager;
				ret->servers = known[i].servers;
			}
}

void packages_find(struct packages *ret, const char *root)
{
	static const char *const places[] = {"/etc/os-release", "/usr/lib/os-release"};
	struct buffer path = {0}, text = {0};
	struct bytes all, title;

	*ret = (struct packages){.root = root};
	for (size_t i = 0; i < 2 && !text.len; i++) {
		path.len = 0;
		buffer_printf(&path, "%s%s", root, places[i]);
		proc_text_up_to(&text, path.at, LIST_LIMIT);
	}
	all = buffer_bytes(&text);
	title = release_value(all, BYTES("PRETTY_NAME"));
	snprintf(ret->title, sizeof(ret->title), "%.*s", (int)title.len, title.at);
	set_manager(ret, release_value(all, BYTES("ID")), release_value(all, BYTES("ID_LIKE")));
	buffer_release(&path);
	buffer_release(&text);
}

/* ---- Debian's packages ---- */

/* The names under which dpkg may know a file. A folder of the path may be a link, as /lib is to
 * /usr/lib today: lists have the name that the package gave it. */
struct file_names {
	char *items[NAMES_LIMIT];
	size_t len;
};

static void add_name(struct file_names *names, const char *start, const char *path)
{
	struct buffer line = {0};

	if (names->len == NAMES_LIMIT)
		return;
	buffer_printf(&line, "\n%s%s\n", start, path);
	names->items[names->len++] = line.at;
}

static void add_names(struct file_names *names, const char *path)
{
	add_name(names, "", path);
	if (bytes_starts_with(bytes_of(path), BYTES("/usr/")))
		add_name(names, "", path + 4);
	else
		add_name(names, "/usr", path);
}

static bool lists_file(struct bytes list, const struct file_names *names)
{
	for (size_t i = 0; i < names->len; i++)
		if (bytes_find(list, bytes_of(names->items[i])))
			return true;
	return false;
}

/* Commands are made to be copied into a shell, and a container can give its files any name. */
static bool is_plain(struct bytes text)
{
	static const char others[] = "+-./:@_~";

	for (size_t i = 0; i < text.len; i++) {
		char small = (char)(text.at[i] | 0x20);

		if (!is_digit(text.at[i]) && (small < 'a' || small > 'z') &&
			!memchr(others, text.at[i], sizeof(others) - 1))
			return false;
	}
	return text.len && *text.at != '-';
}

/* Look into all lists, as dpkg-query(1) does, which need not be there. */
static bool search_lists(
	DIR *folder, const char *path, const struct file_names *names, struct buffer *ret_package)
{
	struct buffer file = {0}, list = {0};
	struct dirent *entry;
	size_t read = 0;
	bool found = false;

	while (!found && read < LISTS_LIMIT && (entry = readdir(folder))) {
		struct bytes name = bytes_of(entry->d_name);

		if (!bytes_ends_with(name, BYTES(".list")) || !is_plain(name))
			continue;
		file.len = 0;
		buffer_printf(&file, "%s/%s", path, entry->d_name);
		if (!proc_text_up_to(&list, file.at, LIST_LIMIT))
			continue;
		read += list.len;
		found = lists_file(buffer_bytes(&list), names);
		name.len -= strlen(".list");
		if (found)
			buffer_add(ret_package, name.at, bytes_until(name, ':'));
	}
	buffer_release(&file);
	buffer_release(&list);
	return found;
}

static bool find_owner(const struct packages *p, const char *path, struct buffer *ret_package)
{
	struct buffer lists = {0}, inside = {0};
	struct file_names names = {0};
	bool found = false;
	char *real;
	DIR *folder;

	buffer_printf(&lists, "%s" LISTS, p->root);
	buffer_printf(&inside, "%s%s", p->root, path);
	add_names(&names, path);
	real = realpath(inside.at, NULL);
	if (real && bytes_starts_with(bytes_of(real), bytes_of(p->root)))
		add_names(&names, real + strlen(p->root));
	folder = opendir(lists.at);
	if (folder) {
		found = search_lists(folder, lists.at, &names, ret_package);
		closedir(folder);
	}
	free(real);
	for (size_t i = 0; i < names.len; i++)
		memory_free(names.items[i]);
	buffer_release(&lists);
	buffer_release(&inside);
	return found;
}

bool packages_with_symbols(const struct packages *p, const char *path, struct buffer *ret_name)
{
	size_t start = ret_name->len;

	if (p->manager != PACKAGES_APT || *path != '/' || !find_owner(p, path, ret_name))
		return false;
	/* The C library's are older than the names of the others. */
	buffer_text(ret_name, strncmp(ret_name->at + start, "libc6", 5) ? "-dbgsym" : "-dbg");
	return true;
}

/* ---- Commands ---- */

static bool file_names_archive(const char *folder, const char *name)
{
	struct buffer path = {0}, text = {0};
	struct bytes rest, line;
	bool found = false;

	buffer_printf(&path, "%s%s%s", folder, *name ? "/" : "", name);
	if (!proc_text_up_to(&text, path.at, LIST_LIMIT))
		text.len = 0;
	rest = buffer_bytes(&text);
	while (!found && bytes_line(&rest, &line))
		found = line.len && *line.at != '#' &&
			(bytes_find(line, BYTES("debian-debug")) ||
				bytes_find(line, BYTES("ddebs.")));
	buffer_release(&path);
	buffer_release(&text);
	return found;
}

/* Does apt know the archive of -dbgsym packages, which is not the usual one? */
static bool has_debug_archive(const struct packages *p)
{
	struct buffer place = {0};
	struct dirent *entry;
	bool found;
	DIR *folder;

	buffer_printf(&place, "%s" SOURCES, p->root);
	found = file_names_archive(place.at, "");
	buffer_text(&place, ".d");
	folder = opendir(place.at);
	while (folder && !found && (entry = readdir(folder)))
		found = entry->d_name[0] != '.' && file_names_archive(place.at, entry->d_name);
	if (folder)
		closedir(folder);
	buffer_release(&place);
	return found;
}

void packages_install(const struct packages *p, const char *name, struct buffer *ret_command)
{
	static const char *const commands[] = {[PACKAGES_APT] = "sudo apt install ",
		[PACKAGES_DNF] = "sudo dnf install ",
		[PACKAGES_PACMAN] = "sudo pacman -S ",
		[PACKAGES_APK] = "sudo apk add "};

	if (p->manager != PACKAGES_NONE)
		buffer_printf(ret_command, "%s%s", commands[p->manager], name);
}

void packages_advise(const struct packages *p, const char *path, struct buffer *ret_command)
{
	struct buffer name = {0};
	bool known = packages_with_symbols(p, path, &name);

	if (known && (bytes_ends_with(buffer_bytes(&name), BYTES("-dbg")) || has_debug_archive(p)))
		packages_install(p, name.at, ret_command);
	else if (p->manager == PACKAGES_DNF && is_plain(bytes_of(path)))
		buffer_printf(ret_command, "sudo dnf debuginfo-install \"$(rpm -qf %s)\"", path);
	else
		buffer_printf(ret_command, "export DEBUGINFOD_URLS=%s", p->servers);
	buffer_release(&name);
}
