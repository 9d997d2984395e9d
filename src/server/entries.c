/* entries.c: which files, uploads and profiles in folders are served? */
#include "server/entries.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/input.h"
#include "readers/readers.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct source {
	struct folder folder;
	entry_list entries; /* by their paths: profiles and other files */
};

/* ---- One entry ---- */

void entry_release(struct entry *e)
{
	free(e->name);
	free(e);
}

void entry_refresh(struct entry *e)
{
	struct stat status;
	int fd = -1;

	if (e->is_read_once)
		return;
	if (e->folder)
		fd = folder_open_file(e->folder, e->path, true, &status);
	e->is_gone = e->folder ? fd < 0 : stat(e->name, &status) != 0;
	if (fd >= 0)
		close(fd);
	if (!e->is_gone)
		e->mark = file_mark_of(&status);
}

/* ---- All entries ---- */

void entries_each(const struct entries *all, entry_visit *visit, void *context)
{
	for (size_t i = 0; i < all->single.len; i++)
		if (!visit(all->single.items[i], context))
			return;
	for (size_t s = 0; s < all->sources.len; s++)
		for (size_t i = 0; i < all->sources.items[s]->entries.len; i++) {
			struct entry *e = all->sources.items[s]->entries.items[i];

			if (e->is_profile && !visit(e, context))
				return;
		}
}

struct lookup {
	const char *name; /* NULL: the first one */
	struct entry *found;
};

static bool has_name(struct entry *e, void *context)
{
	struct lookup *w = context;

	if (w->name && strcmp(e->name, w->name) != 0)
		return true;
	w->found = e;
	return false;
}

struct entry *entries_find(const struct entries *all, const char *name)
{
	struct lookup w = {.name = name};

	entries_each(all, has_name, &w);
	return w.found;
}

/* ---- Folders ---- */

/* Do its first bytes look like a profile? */
static bool is_readable(const struct folder *folder, const char *path)
{
	struct error ignored = {0}; /* then it is not a profile */
	struct stat status;
	struct input in;
	int fd = folder_open_file(folder, path, false, &status);
	bool well;

	if (fd < 0 || !input_open_fd(&in, fd, path, &ignored))
		return false;
	well = input_fill(&in, READER_HEAD, &ignored) && in.window.len &&
	       reader_for(bytes_head(in.window, READER_HEAD));
	input_release(&in);
	return well;
}

/* Add a profile, unless its file was named itself, too. */
static bool is_listed(const struct entries *all, const struct entry *e)
{
	for (size_t i = 0; i < all->single.len; i++)
		if (!strcmp(all->single.items[i]->name, e->name))
			return false;
	return is_readable(e->folder, e->path);
}

static struct entry *entry_new(
	const struct entries *all, const struct source *s, const struct folder_file *file)
{
	struct entry *e = memory_new(1, sizeof(*e));
	struct buffer name = {0};

	buffer_printf(
		&name, "%s/%s", strcmp(s->folder.path, "/") ? s->folder.path : "", file->path);
	e->name = name.at;
	e->path = name.at + name.len - strlen(file->path);
	e->folder = &s->folder;
	e->mark = file->mark;
	e->is_profile = is_listed(all, e);
	return e;
}

/* Update an entry from the new scan. */
static void entry_update(const struct entries *all, struct entry *e, const struct folder_file *file)
{
	bool same = file_mark_equal(&e->mark, &file->mark);

	e->is_gone = false;
	e->mark = file->mark;
	if (!same && !e->cached)
		e->is_profile = is_listed(all, e);
}

/* Merge two lists that are sorted by path. Deleted files stay while they are in memory. */
static void source_rescan(struct entries *all, struct source *s, bool *ret_more)
{
	entry_list merged = {0};
	struct folder_files now = {0};
	size_t old = 0, new = 0;

	folder_list(&s->folder, &now);
	while (old < s->entries.len || new < now.len) {
		struct entry *e = old < s->entries.len ? s->entries.items[old] : NULL;
		const struct folder_file *file = new < now.len ? &now.items[new] : NULL;
		int order = !e ? 1 : !file ? -1 : strcmp(e->path, file->path);

		if (order > 0)
			vector_push(&merged, entry_new(all, s, file));
		if (order == 0)
			entry_update(all, e, file);
		if (order < 0)
			e->is_gone = true;
		if (order < 0 && !e->cached)
			entry_release(e);
		else if (order <= 0)
			vector_push(&merged, e);
		old += order <= 0;
		new += order >= 0;
	}
	*ret_more = now.more;
	folder_files_release(&now);
	vector_release(&s->entries);
	s->entries = merged;
}

void entries_rescan(struct entries *all, int64_t gap)
{
	int64_t now = (int64_t)monotonic_ns();
	bool ignored;

	if (now - all->scanned < gap)
		return;
	all->scanned = now;
	for (size_t i = 0; i < all->sources.len; i++)
		source_rescan(all, all->sources.items[i], &ignored);
}

/* ---- Adding and removing ---- */

struct entry *entry_of_path(const char *path)
{
	struct entry *e = memory_new(1, sizeof(*e));
	const char *name = strcmp(path, "-") ? path : "<stdin>";
	struct stat status;

	e->name = memory_copy_text(name, strlen(name));
	e->path = name == path ? e->name : "-";
	e->is_profile = true;
	e->is_read_once = name != path || stat(path, &status) || !S_ISREG(status.st_mode);
	return e;
}

/* "a.kiln", "a.kiln (2)", ... */
static char *free_name(const struct entries *all, const char *name)
{
	struct buffer text = {0};

	buffer_text(&text, name);
	for (unsigned i = 2; entries_find(all, text.at); i++) {
		text.len = strlen(name);
		buffer_printf(&text, " (%u)", i);
	}
	return text.at;
}

struct entry *entry_of_upload(const struct entries *all, const char *name)
{
	struct entry *e = memory_new(1, sizeof(*e));

	*e = (struct entry){.is_profile = true, .is_read_once = true, .is_upload = true};
	e->path = e->name = free_name(all, name);
	return e;
}

void entries_add(struct entries *all, struct entry *e)
{
	vector_push(&all->single, e);
}

void entries_remove(struct entries *all, struct entry *e)
{
	size_t at = 0;

	while (all->single.items[at] != e)
		at++;
	all->single.len--;
	memmove(all->single.items + at, all->single.items + at + 1,
		(all->single.len - at) * sizeof(*all->single.items));
	entry_release(e);
}

bool entries_add_folder(struct entries *all, const char *path, bool *ret_more, struct error *err)
{
	struct source *s = memory_new(1, sizeof(*s));
	bool known = false;

	if (!folder_open(&s->folder, path, err)) {
		free(s);
		return false;
	}
	for (size_t i = 0; i < all->sources.len; i++)
		known |= !strcmp(all->sources.items[i]->folder.path, s->folder.path);
	if (known) {
		folder_release(&s->folder);
		free(s);
		return true;
	}
	vector_push(&all->sources, s);
	source_rescan(all, s, ret_more);
	all->scanned = monotonic_ns();
	return true;
}

void entries_release(struct entries *all)
{
	for (size_t i = 0; i < all->single.len; i++)
		entry_release(all->single.items[i]);
	for (size_t s = 0; s < all->sources.len; s++) {
		struct source *source = all->sources.items[s];

		for (size_t i = 0; i < source->entries.len; i++)
			entry_release(source->entries.items[i]);
		vector_release(&source->entries);
		folder_release(&source->folder);
		free(source);
	}
	vector_release(&all->single);
	vector_release(&all->sources);
}
