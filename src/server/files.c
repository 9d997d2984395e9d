/* files.c: which profile does a request get, and who reads it?
 *
 * One thread reads a file (`reading`); others that ask for the same file wait for it. `lock` guards
 * the lists and the cache, and is never held while a file is read. */
#include "server/files.h"

#include "base/broker.h"
#include "base/hash.h"
#include "loading/notices.h"
#include "model/shrink.h"
#include "server/answer_slots.h"
#include "server/entries.h"
#include "server/partial_profile.h"
#include "server/profile_cache.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define RESCAN_INTERVAL INT64_C(1000000000) /* ns between scans of folders for a list */

struct files {
	struct profile_store store; /* the first member: requests have a pointer to it */
	struct files_settings settings;
	uint64_t seed;	   /* so that versions differ between servers */
	uint64_t readings; /* how many times files have been read: numbers stored_profile.reading */
	pthread_mutex_t reading;
	pthread_cond_t made;  /* with `lock`: a made profile is ready, or failed */
	pthread_mutex_t lock; /* of what follows; locked after `reading` */
	struct entries entries;
	struct profile_cache cache;
	struct partial_profile partial;
};

static struct files *files_of(struct profile_store *store)
{
	return (struct files *)(void *)store;
}

static void trim(struct files *f)
{
	struct cache_entry *oldest;

	while ((oldest = profile_cache_oldest(&f->cache))) {
		struct entry *entry = oldest->entry;

		profile_cache_drop(&f->cache, oldest);
		if (entry && entry->is_upload)
			entries_remove(&f->entries, entry);
	}
}

static bool is_current(const struct entry *e)
{
	return e->cached && (e->is_gone || file_mark_equal(&e->mark, &e->cached->mark));
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- Reading ---- */

/* Which file is to be read: a copy of what is needed of its entry while `lock` is not held. Members
 * are as in struct entry. */
struct unread_file {
	char *name;
	const struct folder *folder;
	const char *path;
};

static struct unread_file unread_file_of(const struct entry *e)
{
	char *name = memory_copy_text(e->name, strlen(e->name));

	return (struct unread_file){
		name, e->folder, strcmp(e->path, "-") ? name + (e->path - e->name) : "-"};
}

/* ---- Recordings that are several files of a folder (input_folder.h) ---- */

struct part_places {
	const struct folder *folder;
	struct bytes beside; /* the path of the first part up to its name */
};

static int open_part(void *context, const char *name)
{
	const struct part_places *places = context;
	struct buffer path = {0};
	struct stat status;
	int fd;

	buffer_printf(&path, "%.*s%s", (int)places->beside.len, places->beside.at, name);
	fd = folder_open_file(places->folder, path.at, false, &status);
	buffer_release(&path);
	return fd;
}

/* Is the file the first part of several? Then *ret_fds are all of them. */
static bool open_parts(const struct unread_file *unread, struct input_part_fds *ret_fds)
{
	const char *slash = strrchr(unread->path, '/');
	struct part_places places = {
		unread->folder, {unread->path, slash ? (size_t)(slash + 1 - unread->path) : 0}};

	if (strcmp(unread->path + places.beside.len, "data") != 0)
		return false;
	if (input_folder_open(open_part, &places, ret_fds) && ret_fds->len > 1)
		return true;
	input_folder_close(ret_fds);
	return false;
}

static bool open_unread(const struct unread_file *unread, struct input *in,
	struct file_mark *ret_mark, struct error *err)
{
	struct input_part_fds parts = {0};
	struct stat status = {0};
	int fd;

	if (!unread->folder && (stat(unread->path, &status) || !S_ISREG(status.st_mode))) {
		*ret_mark = (struct file_mark){0};
		return input_open(in, unread->path, err);
	}
	if (!unread->folder) { /* may be another file than when the server started */
		*ret_mark = file_mark_of(&status);
		fd = broker_open(BROKER_INPUT, unread->path);
		return fd >= 0 ? input_open_fd(in, fd, unread->path, err)
			       : error_errno(err, "%s: cannot open", unread->path);
	}
	fd = folder_open_file(unread->folder, unread->path, false, &status);
	if (fd < 0 && (errno == ENOENT || errno == EXDEV || errno == ELOOP))
		return error_set(err, ERR_MISSING, "%s: was deleted", unread->name);
	if (fd < 0)
		return error_errno(err, "%s: cannot open", unread->name);
	*ret_mark = file_mark_of(&status);
	if (!open_parts(unread, &parts))
		return input_open_fd(in, fd, unread->name, err);
	close(fd);
	return input_open_parts(in, &parts, unread->name, err);
}

static void publish_partial(void *context, const struct profile *so_far)
{
	struct files *f = context;

	pthread_mutex_lock(&f->lock);
	partial_profile_publish(&f->partial, so_far);
	pthread_mutex_unlock(&f->lock);
}

/* With all values: requests may ask for any of them. */
static bool read_all(struct files *f, struct input *in, const struct read_observer *observer,
	struct profile *ret_profile, struct error *err)
{
	const struct loading_request request = {.want = WANT_ALL, .observer = observer};
	const struct loading *loading = f->settings.loading;
	const char *name = in->name;
	struct view v;

	if (!loading_read(loading, in, &request, ret_profile, err)) {
		profile_release(ret_profile);
		return false;
	}
	view_init(&v, ret_profile, BY_ROOT);
	notices_report(&v, &loading->options.listener, name);
	view_release(&v);
	return true;
}

/* Read a profile that requests may use meanwhile (partial_profile.h). */
static bool read_seen(struct files *f, struct input *in, struct cache_entry *h, struct error *err)
{
	const struct read_observer observer = {publish_partial, f};
	bool done;

	pthread_mutex_lock(&f->lock);
	partial_profile_begin(&f->partial, &h->stored, &h->mark);
	pthread_mutex_unlock(&f->lock);
	done = read_all(f, in, &observer, &h->profile, err);
	pthread_mutex_lock(&f->lock);
	partial_profile_end(&f->partial);
	pthread_mutex_unlock(&f->lock);
	return done;
}

static enum projection projection_of(const struct files *f)
{
	return naming_projection(&f->settings.loading->options.naming);
}

/* Read a profile; NULL: error. `reading` is locked, `lock` is not. fd: an upload; -1: a file. */
static struct cache_entry *read_profile(
	struct files *f, const struct unread_file *unread, int fd, struct error *err)
{
	struct cache_entry *h = memory_new(1, sizeof(*h));
	struct input in = {0};

	/* The input borrows its name, and the profile's mapping may have it for messages. */
	h->name = memory_copy_text(unread->name, strlen(unread->name));
	h->stored = (struct stored_profile){h->name, &h->profile, projection_of(f), ++f->readings};
	if (!(fd < 0 ? open_unread(unread, &in, &h->mark, err)
		     : input_open_fd(&in, fd, h->name, err)) ||
		!read_seen(f, &in, h, err)) {
		free(h->name);
		free(h);
		return NULL;
	}
	profile_shrink(&h->profile);
	h->size = profile_size(&h->profile);
	return h;
}

/* Add a profile to the cache, with `lock` held. If its entry was removed meanwhile, only this
 * request has the profile. */
static void cache_add(struct files *f, struct cache_entry *h)
{
	struct entry *e = entries_find(&f->entries, h->name);

	profile_cache_use(&f->cache, h);
	if (!e)
		return;
	profile_cache_add(&f->cache, h, e);
	e->mark = h->mark;
	trim(f);
}

/* The profile in memory, if the file has not changed; else NULL, and in *ret_unread what to read.
 */
static struct cache_entry *find_cached(
	struct files *f, const char *name, struct unread_file *ret_unread, struct error *err)
{
	struct entry *e = entries_find(&f->entries, name);

	if (!e) {
		entries_rescan(&f->entries, 0); /* it may be new */
		e = entries_find(&f->entries, name);
	}
	if (!e) {
		error_set(err, ERR_MISSING,
			name ? PROFILE_NOT_FOUND : "There are no profiles yet%s", name ? name : "");
		return NULL;
	}
	entry_refresh(e);
	if (is_current(e)) {
		profile_cache_use(&f->cache, e->cached);
		return e->cached;
	}
	*ret_unread = unread_file_of(e);
	return NULL;
}

static struct cache_entry *read_unread(
	struct files *f, struct unread_file *unread, struct error *err)
{
	struct deadline *paused = answer_slots_pause();
	struct unread_file again = {0};
	struct cache_entry *h;

	pthread_mutex_lock(&f->reading);
	pthread_mutex_lock(&f->lock);
	h = find_cached(f, unread->name, &again, err); /* another thread may just have read it */
	pthread_mutex_unlock(&f->lock);
	if (!h && again.name) {
		h = read_profile(f, &again, -1, err);
		pthread_mutex_lock(&f->lock);
		if (h)
			cache_add(f, h);
		pthread_mutex_unlock(&f->lock);
	}
	pthread_mutex_unlock(&f->reading);
	answer_slots_resume(paused);
	free(again.name);
	free(unread->name);
	return h;
}

/* ---- The store ---- */

static const struct stored_profile *acquire(
	struct profile_store *store, const char *name, struct error *err)
{
	struct files *f = files_of(store);
	struct unread_file unread = {0};
	struct cache_entry *h;

	pthread_mutex_lock(&f->lock);
	h = find_cached(f, name, &unread, err);
	pthread_mutex_unlock(&f->lock);
	if (!h && unread.name)
		h = read_unread(f, &unread, err);
	return h ? &h->stored : NULL;
}

/* A profile that is being read can be used early; else wait for it. */
static const struct stored_profile *acquire_samples(
	struct profile_store *store, const char *name, struct error *err)
{
	struct files *f = files_of(store);
	const struct stored_profile *first = NULL;
	struct entry *e;

	pthread_mutex_lock(&f->lock);
	e = entries_find(&f->entries, name);
	if (e) {
		entry_refresh(e);
		if (!is_current(e))
			first = partial_profile_get(&f->partial, e->name, &e->mark);
	}
	pthread_mutex_unlock(&f->lock);
	return first ? first : acquire(store, name, err);
}

static void release_cached(struct files *f, struct cache_entry *h)
{
	bool last;

	pthread_mutex_lock(&f->lock);
	last = !--h->users && !h->is_cached;
	trim(f);
	pthread_mutex_unlock(&f->lock);
	if (last)
		cache_entry_release(h);
}

static void release(struct profile_store *store, const struct stored_profile *taken)
{
	struct files *f = files_of(store);

	if (taken != &f->partial.stored) {
		release_cached(f, (struct cache_entry *)(uintptr_t)taken);
		return;
	}
	pthread_mutex_lock(&f->lock);
	partial_profile_put(&f->partial);
	pthread_mutex_unlock(&f->lock);
}

/* Wait for what another thread is making; if that fails, try again, to have the error. */
static struct cache_entry *find_made(struct files *f, struct bytes key, bool *ret_there)
{
	struct cache_entry *h;

	while ((h = profile_cache_find_made(&f->cache, key)) && h->is_being_made)
		pthread_cond_wait(&f->made, &f->lock);
	*ret_there = h != NULL;
	if (!h) {
		h = memory_new(1, sizeof(*h));
		h->stored = (struct stored_profile){"", &h->profile, projection_of(f), 0};
		h->is_being_made = true;
		buffer_add(&h->key, key.at, key.len);
		profile_cache_add(&f->cache, h, NULL);
	}
	profile_cache_use(&f->cache, h);
	return h;
}

static const struct stored_profile *acquire_made(struct profile_store *store, struct bytes key,
	profile_maker *make, void *context, struct error *err)
{
	struct files *f = files_of(store);
	bool done;
	struct cache_entry *h;

	pthread_mutex_lock(&f->lock);
	h = find_made(f, key, &done);
	pthread_mutex_unlock(&f->lock);
	if (done)
		return &h->stored;
	done = make(context, &h->profile, err);
	if (done)
		profile_shrink(&h->profile);
	pthread_mutex_lock(&f->lock);
	h->is_being_made = false;
	h->size = done ? profile_size(&h->profile) : 0;
	if (!done) {
		h->users--;
		profile_cache_drop(&f->cache, h);
	}
	trim(f);
	pthread_cond_broadcast(&f->made);
	pthread_mutex_unlock(&f->lock);
	return done ? &h->stored : NULL;
}

static uint64_t entry_version(const struct files *f, const struct entry *e)
{
	const struct file_mark *mark = e->cached && e->is_gone ? &e->cached->mark : &e->mark;

	return hash_bytes(mark, sizeof(*mark)) ^ hash_bytes(e->name, strlen(e->name)) ^ f->seed;
}

static uint64_t version(struct profile_store *store, const char *name)
{
	struct files *f = files_of(store);
	uint64_t number = f->seed;
	struct entry *e;

	pthread_mutex_lock(&f->lock);
	e = entries_find(&f->entries, name);
	if (e) {
		entry_refresh(e);
		number = entry_version(f, e);
	}
	pthread_mutex_unlock(&f->lock);
	return number;
}

struct listing {
	const struct files *files;
	struct buffer *json;
};

static bool list_one(struct entry *e, void *context)
{
	const struct listing *l = context;
	struct buffer *b = l->json;

	if (!e->folder)
		entry_refresh(e);
	buffer_text(b, b->at[b->len - 1] == '[' ? "{\"name\":" : ",\n{\"name\":");
	buffer_json(b, bytes_of(e->name));
	buffer_printf(b, ",\"version\":\"%016llx\",\"bytes\":%llu,\"modified\":%lld,\"folder\":",
		(unsigned long long)entry_version(l->files, e), (unsigned long long)e->mark.size,
		(long long)(e->mark.modified / 1000000));
	buffer_json(b, bytes_of(e->folder ? e->folder->path : ""));
	buffer_printf(b, ",\"gone\":%s,\"sent\":%s,\"options\":[%s]", e->is_gone ? "true" : "false",
		e->is_upload ? "true" : "false", l->files->settings.options);
	buffer_text(b, e->path == e->name || e->folder ? "}" : ",\"stdin\":true}");
	return true;
}

static void list(struct profile_store *store, struct buffer *ret_json)
{
	struct files *f = files_of(store);

	pthread_mutex_lock(&f->lock);
	entries_rescan(&f->entries, RESCAN_INTERVAL);
	buffer_char(ret_json, '[');
	entries_each(&f->entries, list_one, &(struct listing){f, ret_json});
	buffer_text(ret_json, "]\n");
	pthread_mutex_unlock(&f->lock);
}

/* ---- What is served ---- */

struct files *files_new(const struct files_settings *settings)
{
	struct files *f = memory_new(1, sizeof(*f));

	f->store = (struct profile_store){.list = list,
		.acquire = acquire,
		.acquire_samples = acquire_samples,
		.release = release,
		.acquire_made = acquire_made,
		.version = version};
	f->settings = *settings;
	f->cache.most = settings->cache;
	f->seed = hash_bytes(&(int64_t[]){now_ns(), getpid()}, 2 * sizeof(int64_t));
	pthread_mutex_init(&f->reading, NULL);
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->made, NULL);
	partial_profile_init(&f->partial, &f->lock);
	return f;
}

void files_release(struct files *f)
{
	profile_cache_release(&f->cache);
	entries_release(&f->entries);
	pthread_mutex_destroy(&f->reading);
	pthread_mutex_destroy(&f->lock);
	pthread_cond_destroy(&f->made);
	partial_profile_release(&f->partial);
	free(f);
}

struct profile_store *files_store(struct files *f)
{
	return &f->store;
}

static bool begins(struct files *f, const struct unread_file *unread, struct error *err)
{
	struct file_mark ignored;
	struct input in;
	bool well = open_unread(unread, &in, &ignored, err);

	if (well) {
		well = loading_recognise(f->settings.loading, &in, err);
		input_release(&in);
	}
	return well;
}

/* Read all of an input that can be read only once. */
static bool read_first(
	struct files *f, struct entry *e, const struct unread_file *unread, struct error *err)
{
	struct cache_entry *h = e->is_read_once ? read_profile(f, unread, -1, err) : NULL;

	if (!h && (e->is_read_once || !begins(f, unread, err)))
		return false;
	entries_add(&f->entries, e);
	if (h) {
		cache_add(f, h);
		h->users--;
	}
	return true;
}

bool files_add(struct files *f, const char *path, struct error *err)
{
	struct entry *e = entry_of_path(path);
	struct unread_file unread = unread_file_of(e);
	bool known = entries_find(&f->entries, e->name) != NULL;
	bool added = !known && read_first(f, e, &unread, err);

	if (!added)
		entry_release(e);
	free(unread.name);
	return added || known;
}

static bool was_read(struct files *f, const char *path)
{
	const struct entry *e;
	bool read;

	pthread_mutex_lock(&f->lock);
	e = entries_find(&f->entries, path);
	read = e && e->cached;
	pthread_mutex_unlock(&f->lock);
	return read;
}

/* If a request has read it already and the file has changed since, later requests get the error. */
bool files_read(struct files *f, const char *path, struct error *err)
{
	struct error failed = {0};
	const struct stored_profile *read = acquire(&f->store, path, &failed);

	if (read)
		release(&f->store, read);
	if (read || was_read(f, path))
		return true;
	*err = failed;
	return false;
}

bool files_add_upload(
	struct files *f, const char *name, int fd, struct buffer *ret_name, struct error *err)
{
	struct unread_file unread = {0};
	struct entry *e;
	struct cache_entry *h;

	pthread_mutex_lock(&f->reading); /* reserves the name */
	pthread_mutex_lock(&f->lock);
	e = entry_of_upload(&f->entries, name);
	pthread_mutex_unlock(&f->lock);
	unread.name = e->name;
	h = read_profile(f, &unread, fd, err);
	pthread_mutex_lock(&f->lock);
	if (h) {
		h->mark = (struct file_mark){.size = h->size, .modified = now_ns()};
		entries_add(&f->entries, e);
		buffer_text(ret_name, e->name);
		cache_add(f, h);
		h->users--;
	} else {
		entry_release(e);
	}
	pthread_mutex_unlock(&f->lock);
	pthread_mutex_unlock(&f->reading);
	return h != NULL;
}

bool files_add_folder(struct files *f, const char *path, bool *ret_more, struct error *err)
{
	return entries_add_folder(&f->entries, path, ret_more, err);
}
