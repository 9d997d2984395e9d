/* binary_locations.c: where on this machine may a binary be, or the debugging information that was
 * stripped from it? */
#include "images/binary_locations.h"

#include "base/broker.h"
#include "base/memory.h"
#include "base/scope.h"
#include "images/debuginfod.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The arguments of a search. */
struct search {
	const struct binary_locations *binary_locations;
	const struct binary_query *query;
	bool (*visit)(void *context, const char *path);
	void *context;
};

static const struct binary_locations usual_places;

__attribute__((format(printf, 2, 3))) static bool try_path(struct search *s, const char *fmt, ...)
{
	va_list arguments;
	char text[4096];
	int len;

	va_start(arguments, fmt);
	len = vsnprintf(text, sizeof(text), fmt, arguments);
	va_end(arguments);
	return len > 0 && (size_t)len < sizeof(text) && s->visit(s->context, text);
}

/* ---- By build id ---- */

/* The names under which a cache keeps this kind of file, in a folder for each build. */
static const char *const *names_in_cache(enum binary_query_kind kind)
{
	static const char *const names[][4] = {
		[QUERY_BINARY] = {"/elf", "/vdso", "", NULL},
		[QUERY_DEBUG_FILE] = {"/debug", ".debug", "/elf", NULL},
		[QUERY_VMLINUX] = {"/elf", "/vmlinux", ".debug", NULL},
		[QUERY_KALLSYMS] = {"/kallsyms", NULL},
	};

	return names[kind];
}

static bool try_build_id_dir(struct search *s, const char *dir)
{
	struct bytes id = s->query->build_id;

	for (const char *const *name = names_in_cache(s->query->kind); *name; name++)
		if (try_path(s, "%s/.build-id/%.2s/%.*s%s", dir, id.at, (int)id.len - 2, id.at + 2,
			    *name) ||
			try_path(
				s, "%s/%.2s/%.*s%s", dir, id.at, (int)id.len - 2, id.at + 2, *name))
			return true;
	return false;
}

static bool try_build_id_dirs(struct search *s)
{
	const char *const *dir = s->binary_locations->build_id_dirs, *home = getenv("HOME");
	char own[4096];

	for (; dir && *dir; dir++)
		if (try_build_id_dir(s, *dir))
			return true;
	if (!home || !*home || strlen(home) > sizeof(own) - sizeof("/.debug"))
		return false;
	stpcpy(stpcpy(own, home), "/.debug");
	return try_build_id_dir(s, own);
}

/* /usr/lib/debug/.build-id, where distributions also link the binary itself; and the same in
 * /usr/lib. */
static bool try_debug_directory(struct search *s, const char *root)
{
	struct bytes id = s->query->build_id;
	const char *suffix = s->query->kind == QUERY_BINARY ? "" : ".debug";

	return try_path(s, "%s/usr/lib/debug/.build-id/%.2s/%.*s%s", root, id.at, (int)id.len - 2,
		       id.at + 2, suffix) ||
	       (s->query->kind == QUERY_BINARY && try_path(s, "%s/usr/lib/.build-id/%.2s/%.*s",
							  root, id.at, (int)id.len - 2, id.at + 2));
}

static bool try_debug_directories(struct search *s)
{
	const char *root = s->binary_locations->root, *symfs = s->binary_locations->symfs;

	return (root && *root && try_debug_directory(s, root)) ||
	       (symfs && try_debug_directory(s, symfs)) || try_debug_directory(s, "");
}

/* The cache of debuginfod's clients, see debuginfod_find_debuginfo(3). */
static bool try_fetched(struct search *s)
{
	const char *cache = getenv("DEBUGINFOD_CACHE_PATH"), *home = getenv("HOME");
	const char *xdg = getenv("XDG_CACHE_HOME");
	const char *name = s->query->kind == QUERY_BINARY ? "executable" : "debuginfo";
	struct bytes id = s->query->build_id;
	int len = (int)id.len;

	if (cache && *cache)
		return try_path(s, "%s/%.*s/%s", cache, len, id.at, name);
	if (xdg && *xdg)
		return try_path(s, "%s/debuginfod_client/%.*s/%s", xdg, len, id.at, name);
	return home && *home &&
	       try_path(s, "%s/.cache/debuginfod_client/%.*s/%s", home, len, id.at, name);
}

/* Build ids become parts of paths: only digits are allowed. */
static bool is_build_id(struct bytes id)
{
	for (size_t i = 0; i < id.len; i++)
		if (!is_hex_digit(id.at[i]))
			return false;
	return id.len > 2;
}

static bool try_by_build_id(struct search *s)
{
	if (!is_build_id(s->query->build_id))
		return false;
	return try_build_id_dirs(s) ||
	       (s->query->kind != QUERY_KALLSYMS && (try_debug_directories(s) || try_fetched(s)));
}

/* ---- By path ---- */

/* Where /lib and the like are links to folders in /usr, recorded paths begin with /usr, but the
 * files of unpacked packages may still be in /lib. Return 0, or the length of "/usr". */
static int usr_prefix(struct bytes path)
{
	bool merged = bytes_starts_with(path, BYTES("/usr/lib")) ||
		      bytes_starts_with(path, BYTES("/usr/bin/")) ||
		      bytes_starts_with(path, BYTES("/usr/sbin/"));

	return merged ? 4 : 0;
}

/* Below --symfs, try the path, and then the name alone. */
static bool try_symfs(struct search *s, struct bytes path)
{
	const char *symfs = s->binary_locations->symfs;
	struct bytes name = bytes_base_name(path);
	int len = (int)path.len, usr = usr_prefix(path);

	return try_path(s, "%s%.*s", symfs, len, path.at) ||
	       (usr && try_path(s, "%s%.*s", symfs, len - usr, path.at + usr)) ||
	       try_path(s, "%s/%.*s", symfs, (int)name.len, name.at);
}

static bool try_by_path(struct search *s)
{
	const char *root = s->binary_locations->root, *symfs = s->binary_locations->symfs;
	struct bytes path = s->query->path;
	int len = (int)path.len;

	if (!bytes_starts_with(path, BYTES("/")))
		return false;
	if (root && *root && try_path(s, "%s%.*s", root, len, path.at))
		return true;
	if (symfs && try_symfs(s, path))
		return true;
	/* With --symfs, files of this machine are used only if the build id proves that they are
	 * the same. */
	return (!symfs || s->query->build_id.len) && try_path(s, "%.*s", len, path.at);
}

/* Look for a kernel's file by its release, where distributions and kernel builds put it. */
static bool try_by_release(struct search *s)
{
	static const char *const formats[] = {"/boot/vmlinux-", "", "/usr/lib/debug/boot/vmlinux-",
		"", "/usr/lib/debug/lib/modules/", "/vmlinux", "/lib/modules/", "/vmlinux",
		"/lib/modules/", "/build/vmlinux"};
	const char *symfs = s->binary_locations->symfs ? s->binary_locations->symfs : "";
	struct bytes release = s->query->path;

	if (!release.len || memchr(release.at, '/', release.len))
		return false;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i += 2)
		if (try_path(s, "%s%s%.*s%s", symfs, formats[i], (int)release.len, release.at,
			    formats[i + 1]))
			return true;
	return false;
}

/* ---- All of them ---- */

bool binary_locations_visit(const struct binary_locations *binary_locations,
	const struct binary_query *query, bool (*visit)(void *context, const char *path),
	void *context)
{
	struct search s = {
		binary_locations ? binary_locations : &usual_places, query, visit, context};

	switch (query->kind) {
	case QUERY_BINARY:
		return try_by_path(&s) || try_by_build_id(&s);
	case QUERY_VMLINUX:
		if (s.binary_locations->vmlinux)
			return visit(context, s.binary_locations->vmlinux);
		return try_by_release(&s) || try_by_build_id(&s);
	case QUERY_KALLSYMS:
		if (s.binary_locations->kallsyms)
			return visit(context, s.binary_locations->kallsyms);
		return try_by_build_id(&s);
	default:
		return try_by_build_id(&s);
	}
}

char *binary_locations_fetch(
	const struct binary_locations *binary_locations, const struct binary_query *query)
{
	if (!binary_locations || !binary_locations->servers || query->kind == QUERY_KALLSYMS ||
		!is_build_id(query->build_id))
		return NULL;
	return debuginfod_fetch(binary_locations->servers, query->kind == QUERY_BINARY, query->path,
		query->build_id);
}

/* ---- Binaries ---- */

struct opening {
	char *name;
	struct bytes build_id;
	struct image *image;
	const char *missing;
};

static bool has_identity(const struct image *image, struct bytes build_id)
{
	char found[65];

	image_identity_text(image, found);
	return bytes_equal(bytes_of(found), build_id);
}

static bool open_if_same(void *context, const char *path)
{
	struct opening *o = context;
	struct error why = {0};
	int fd = scope_fd(broker_open(BROKER_BINARY, path));

	if (fd < 0)
		return false;
	o->image = image_open_fd(fd, o->name, &why);
	scope_close(fd);
	if (!o->image) {
		o->missing = image_failure_reason(&why);
	} else if (o->build_id.len && !has_identity(o->image, o->build_id)) {
		o->missing = "the file has another build id";
		image_release(o->image);
		o->image = NULL;
	}
	return o->image;
}

/* The vdso of this kernel. The vdso of another kernel may be in perf's cache. */
static struct image *open_own_vdso(struct bytes build_id)
{
	struct error ignored = {0};
	struct image *image = image_open_vdso(&ignored);

	if (!image || !build_id.len || has_identity(image, build_id))
		return image;
	image_release(image);
	return NULL;
}

struct image *binary_locations_open(const struct binary_locations *binary_locations,
	struct bytes path, struct bytes build_id, const char **ret_missing)
{
	struct binary_query query = {QUERY_BINARY, path, build_id};
	struct opening o = {.build_id = build_id, .missing = "the file cannot be opened"};
	char *fetched;

	if (bytes_equal(path, BYTES("[vdso]")))
		o.image = open_own_vdso(build_id);
	o.name = memory_copy_text(path.at, path.len);
	if (!o.image && !binary_locations_visit(binary_locations, &query, open_if_same, &o)) {
		fetched = binary_locations_fetch(binary_locations, &query);
		if (fetched)
			open_if_same(&o, fetched);
		memory_free(fetched);
	}
	if (!o.image && ret_missing)
		*ret_missing = o.missing;
	memory_free(o.name);
	return o.image;
}
