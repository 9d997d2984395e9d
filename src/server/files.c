/* files.c: a shelf of files: which are there, and which of them are in memory? */
#include "server/files.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "model/settle.h"
#include "readers/readers.h"
#include "server/folder.h"

#define LOOK_EVERY INT64_C(1000000000) /* ns between looks for lists */

/* A profile in memory. */
struct held {
	struct shelf_profile given; /* the first member: what takers have is this */
	struct profile profile;
	struct file_mark mark;
	char *name;
	size_t size;	 /* bytes */
	unsigned users;	 /* who have it now */
	uint64_t used;	 /* a larger number was used later */
	bool is_dropped; /* nobody else gets it: the last user releases it */
};

/* Something that can be asked for. */
struct entry {
	char *name;
	const struct folder *folder; /* NULL: the name is a path */
	const char *path;	     /* below the folder; in `name`; or "-" */
	bool only_here;		     /* its content can be read once only */
	bool was_sent;		     /* ... and it is gone when it is let go */
	bool is_gone;
	struct file_mark mark;
	bool is_profile; /* by the first bytes of a file with this mark */
	struct held *held;
};

typedef VECTOR(struct entry *) entry_list;

struct source {
	struct folder folder;
	entry_list entries; /* by their paths: profiles and other files */
};

struct files {
	struct shelf shelf; /* the first member: what askers have is this */
	struct files_settings settings;
	uint64_t seed; /* versions of another server are other ones */
	pthread_mutex_t reading;
	pthread_mutex_t lock; /* of all that follows; taken behind `reading` */
	entry_list single;
	VECTOR(struct source *) sources;
	VECTOR(struct held *) held;
	int64_t looked; /* when, ns */
	uint64_t uses;
};

static struct files *files_of(struct shelf *shelf)
{
	return (struct files *)(void *)shelf;
}

/* ---- Profiles in memory ---- */

static void held_release(struct held *h)
{
	profile_release(&h->profile);
	free(h->name);
	free(h);
}

static void drop(struct files *f, struct entry *e)
{
	struct held *h = e->held;

	e->held = NULL;
	for (size_t i = 0; h && i < f->held.len; i++)
		if (f->held.items[i] == h)
			f->held.items[i] = f->held.items[--f->held.len];
	if (h && h->users)
		h->is_dropped = true;
	else if (h)
		held_release(h);
}

/* ---- Entries ---- */

static void entry_release(struct files *f, struct entry *e)
{
	drop(f, e);
	free(e->name);
	free(e);
}

typedef bool entry_visit(struct files *f, struct entry *e, void *context); /* false: enough */

/* All that can be asked for, in the order of the list. */
static void each_entry(struct files *f, entry_visit *visit, void *context)
{
	for (size_t i = 0; i < f->single.len; i++)
		if (!visit(f, f->single.items[i], context))
			return;
	for (size_t s = 0; s < f->sources.len; s++)
		for (size_t i = 0; i < f->sources.items[s]->entries.len; i++) {
			struct entry *e = f->sources.items[s]->entries.items[i];

			if (e->is_profile && !visit(f, e, context))
				return;
		}
}

struct wanted {
	const char *name; /* NULL: the first one */
	struct entry *found;
};

static bool is_wanted(struct files *f, struct entry *e, void *context)
{
	struct wanted *w = context;

	(void)f;
	if (w->name && strcmp(e->name, w->name) != 0)
		return true;
	w->found = e;
	return false;
}

static struct entry *entry_find(struct files *f, const char *name)
{
	struct wanted w = {.name = name};

	each_entry(f, is_wanted, &w);
	return w.found;
}

/* Look what the file is now. */
static void entry_look(struct entry *e)
{
	struct stat status;
	int fd = -1;

	if (e->only_here)
		return;
	if (e->folder)
		fd = folder_open_file(e->folder, e->path, true, &status);
	e->is_gone = e->folder ? fd < 0 : stat(e->name, &status) != 0;
	if (fd >= 0)
		close(fd);
	if (!e->is_gone)
		e->mark = file_mark_of(&status);
}

static bool is_current(const struct entry *e)
{
	return e->held && (e->is_gone || file_mark_equal(&e->mark, &e->held->mark));
}

/* ---- Folders ---- */

/* Does it begin as a profile? */
static bool begins_well(const struct folder *folder, const char *path)
{
	struct error ignored = {0}; /* then it is none */
	struct stat status;
	struct input in;
	int fd = folder_open_file(folder, path, false, &status);
	bool well;

	if (fd < 0 || !input_open_fd(&in, fd, path, &ignored))
		return false;
	well = input_fill(&in, READER_HEAD, &ignored) && in.window.len &&
	       reader_for((struct bytes){
		       in.window.at, in.window.len < READER_HEAD ? in.window.len : READER_HEAD});
	input_release(&in);
	return well;
}

/* As a profile, unless it has been named by itself, too. */
static bool is_listed(const struct files *f, const struct entry *e)
{
	for (size_t i = 0; i < f->single.len; i++)
		if (!strcmp(f->single.items[i]->name, e->name))
			return false;
	return begins_well(e->folder, e->path);
}

static struct entry *entry_new(
	const struct files *f, const struct source *s, const struct folder_file *file)
{
	struct entry *e = memory_new(1, sizeof(*e));
	struct buffer name = {0};

	buffer_printf(
		&name, "%s/%s", strcmp(s->folder.path, "/") ? s->folder.path : "", file->path);
	e->name = name.at;
	e->path = name.at + name.len - strlen(file->path);
	e->folder = &s->folder;
	e->mark = file->mark;
	e->is_profile = is_listed(f, e);
	return e;
}

/* What the list says now of a file that was there. */
static void entry_update(const struct files *f, struct entry *e, const struct folder_file *file)
{
	bool same = file_mark_equal(&e->mark, &file->mark);

	e->is_gone = false;
	e->mark = file->mark;
	if (!same && !e->held)
		e->is_profile = is_listed(f, e);
}

/* Both lists are in the order of paths. What is gone stays while it is in memory. */
static void source_look(struct files *f, struct source *s, bool *ret_more)
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
			vector_push(&merged, entry_new(f, s, file));
		if (order == 0)
			entry_update(f, e, file);
		if (order < 0)
			e->is_gone = true;
		if (order < 0 && !e->held)
			entry_release(f, e);
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

static int64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* At all folders, unless that was done less than `gap` ns ago. */
static void look(struct files *f, int64_t gap)
{
	int64_t now = now_ns(CLOCK_MONOTONIC);
	bool ignored;

	if (now - f->looked < gap)
		return;
	f->looked = now;
	for (size_t i = 0; i < f->sources.len; i++)
		source_look(f, f->sources.items[i], &ignored);
}

/* ---- Letting go ---- */

static bool is_older(struct files *f, struct entry *e, void *oldest)
{
	struct entry **best = oldest;

	if (e->held && !e->held->users && (!e->only_here || e->was_sent) &&
		e->held->used != f->uses && (!*best || e->held->used < (*best)->held->used))
		*best = e;
	return true;
}

static void forget(struct files *f, struct entry *e)
{
	size_t at = 0;

	while (f->single.items[at] != e)
		at++;
	f->single.len--;
	memmove(f->single.items + at, f->single.items + at + 1,
		(f->single.len - at) * sizeof(*f->single.items));
	entry_release(f, e);
}

/* But what was used last: it will be asked for again. */
static void trim(struct files *f)
{
	for (;;) {
		struct entry *oldest = NULL;
		uint64_t size = 0;

		for (size_t i = 0; i < f->held.len; i++)
			size += f->held.items[i]->size;
		if (size > f->settings.cache)
			each_entry(f, is_older, &oldest);
		if (!oldest)
			return;
		if (oldest->was_sent)
			forget(f, oldest);
		else
			drop(f, oldest);
	}
}

/* ---- Reading ---- */

/* All that is needed of an entry while the lock is not held: as there. */
struct order {
	char *name;
	const struct folder *folder;
	const char *path;
};

static struct order order_of(const struct entry *e)
{
	char *name = memory_copy_text(e->name, strlen(e->name));

	return (struct order){
		name, e->folder, strcmp(e->path, "-") ? name + (e->path - e->name) : "-"};
}

static bool open_ordered(
	const struct order *order, struct input *in, struct file_mark *ret_mark, struct error *err)
{
	struct stat status = {0};
	int fd;

	if (!order->folder) {
		*ret_mark = (struct file_mark){0};
		if (!stat(order->path, &status) && S_ISREG(status.st_mode))
			*ret_mark = file_mark_of(&status);
		return input_open(in, order->path, err);
	}
	fd = folder_open_file(order->folder, order->path, false, &status);
	if (fd < 0 && (errno == ENOENT || errno == EXDEV || errno == ELOOP))
		return error_set(err, ERR_MISSING, "%s: is gone", order->name);
	if (fd < 0)
		return error_errno(err, "%s: cannot open", order->name);
	*ret_mark = file_mark_of(&status);
	return input_open_fd(in, fd, order->name, err);
}

/* NULL: it could not be read. `reading` is locked, `lock` is not. fd: what was sent; -1: it is a
 * file. */
static struct held *read_held(struct files *f, const struct order *order, int fd, struct error *err)
{
	struct held *h = memory_new(1, sizeof(*h));
	struct input in;

	/* The input borrows its name, and the profile's mapping may have it for messages. */
	h->name = memory_copy_text(order->name, strlen(order->name));
	if (!(fd < 0 ? open_ordered(order, &in, &h->mark, err)
		     : input_open_fd(&in, fd, h->name, err)) ||
		!f->settings.read(&in, f->settings.cache, &h->profile, err)) {
		free(h->name);
		free(h);
		return NULL;
	}
	profile_settle(&h->profile);
	h->size = profile_size(&h->profile);
	h->given = (struct shelf_profile){h->name, &h->profile, f->settings.projection};
	return h;
}

static void use(struct files *f, struct held *h)
{
	h->users++;
	h->used = ++f->uses;
}

/* `lock` is locked. The entry may have gone meanwhile: then it is this user's alone. */
static void keep(struct files *f, struct held *h)
{
	struct entry *e = entry_find(f, h->name);

	use(f, h);
	h->is_dropped = !e;
	if (!e)
		return;
	drop(f, e);
	e->held = h;
	e->mark = h->mark;
	vector_push(&f->held, h);
	trim(f);
}

/* What is in memory and still as it is on disk, or what is to be read. */
static struct held *find_held(
	struct files *f, const char *name, struct order *ret_order, struct error *err)
{
	struct entry *e = entry_find(f, name);

	if (!e) {
		look(f, 0); /* it may have come just now */
		e = entry_find(f, name);
	}
	if (!e) {
		error_set(err, ERR_MISSING, name ? SHELF_HAS_NONE : "there is no profile%s yet",
			name ? name : "");
		return NULL;
	}
	entry_look(e);
	if (is_current(e)) {
		use(f, e->held);
		return e->held;
	}
	*ret_order = order_of(e);
	return NULL;
}

static struct held *read_ordered(struct files *f, struct order *order, struct error *err)
{
	struct order again = {0};
	struct held *h;

	pthread_mutex_lock(&f->reading);
	pthread_mutex_lock(&f->lock);
	h = find_held(f, order->name, &again, err); /* somebody may just have read it */
	pthread_mutex_unlock(&f->lock);
	if (!h && again.name) {
		h = read_held(f, &again, -1, err);
		pthread_mutex_lock(&f->lock);
		if (h)
			keep(f, h);
		pthread_mutex_unlock(&f->lock);
	}
	pthread_mutex_unlock(&f->reading);
	free(again.name);
	free(order->name);
	return h;
}

/* ---- The shelf ---- */

static const struct shelf_profile *take(struct shelf *shelf, const char *name, struct error *err)
{
	struct files *f = files_of(shelf);
	struct order order = {0};
	struct held *h;

	pthread_mutex_lock(&f->lock);
	h = find_held(f, name, &order, err);
	pthread_mutex_unlock(&f->lock);
	if (!h && order.name)
		h = read_ordered(f, &order, err);
	return h ? &h->given : NULL;
}

static void give(struct shelf *shelf, const struct shelf_profile *taken)
{
	struct held *h = (struct held *)(uintptr_t)taken;
	struct files *f = files_of(shelf);
	bool last;

	pthread_mutex_lock(&f->lock);
	last = !--h->users && h->is_dropped;
	trim(f);
	pthread_mutex_unlock(&f->lock);
	if (last)
		held_release(h);
}

static uint64_t entry_version(const struct files *f, const struct entry *e)
{
	const struct file_mark *mark = e->held && e->is_gone ? &e->held->mark : &e->mark;

	return hash_bytes(mark, sizeof(*mark)) ^ hash_bytes(e->name, strlen(e->name)) ^ f->seed;
}

static uint64_t version(struct shelf *shelf, const char *name)
{
	struct files *f = files_of(shelf);
	uint64_t number = f->seed;
	struct entry *e;

	pthread_mutex_lock(&f->lock);
	e = entry_find(f, name);
	if (e) {
		entry_look(e);
		number = entry_version(f, e);
	}
	pthread_mutex_unlock(&f->lock);
	return number;
}

static bool list_one(struct files *f, struct entry *e, void *json)
{
	struct buffer *b = json;

	if (!e->folder)
		entry_look(e);
	buffer_text(b, b->at[b->len - 1] == '[' ? "{\"name\":" : ",\n{\"name\":");
	buffer_json(b, bytes_of(e->name));
	buffer_printf(b, ",\"version\":\"%016llx\",\"bytes\":%llu,\"modified\":%lld,\"folder\":",
		(unsigned long long)entry_version(f, e), (unsigned long long)e->mark.size,
		(long long)(e->mark.modified / 1000000));
	buffer_json(b, bytes_of(e->folder ? e->folder->path : ""));
	buffer_printf(b, ",\"gone\":%s,\"sent\":%s}", e->is_gone ? "true" : "false",
		e->was_sent ? "true" : "false");
	return true;
}

static void list(struct shelf *shelf, struct buffer *ret_json)
{
	struct files *f = files_of(shelf);

	pthread_mutex_lock(&f->lock);
	look(f, LOOK_EVERY);
	buffer_char(ret_json, '[');
	each_entry(f, list_one, ret_json);
	buffer_text(ret_json, "]\n");
	pthread_mutex_unlock(&f->lock);
}

/* ---- What is served ---- */

struct files *files_new(const struct files_settings *settings)
{
	struct files *f = memory_new(1, sizeof(*f));

	f->shelf = (struct shelf){list, take, give, version};
	f->settings = *settings;
	f->seed = hash_bytes(&(int64_t[]){now_ns(CLOCK_REALTIME), getpid()}, 2 * sizeof(int64_t));
	pthread_mutex_init(&f->reading, NULL);
	pthread_mutex_init(&f->lock, NULL);
	return f;
}

void files_release(struct files *f)
{
	for (size_t i = 0; i < f->single.len; i++)
		entry_release(f, f->single.items[i]);
	for (size_t s = 0; s < f->sources.len; s++) {
		struct source *source = f->sources.items[s];

		for (size_t i = 0; i < source->entries.len; i++)
			entry_release(f, source->entries.items[i]);
		vector_release(&source->entries);
		folder_release(&source->folder);
		free(source);
	}
	vector_release(&f->single);
	vector_release(&f->sources);
	vector_release(&f->held);
	pthread_mutex_destroy(&f->reading);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

struct shelf *files_shelf(struct files *f)
{
	return &f->shelf;
}

/* What is no plain file is read once, and kept. */
static struct entry *single_new(const char *path)
{
	struct entry *e = memory_new(1, sizeof(*e));
	const char *name = strcmp(path, "-") ? path : "<stdin>";
	struct stat status;

	e->name = memory_copy_text(name, strlen(name));
	e->path = name == path ? e->name : "-";
	e->is_profile = true;
	e->only_here = name != path || stat(path, &status) || !S_ISREG(status.st_mode);
	return e;
}

bool files_add(struct files *f, const char *path, struct error *err)
{
	struct entry *e = single_new(path);
	struct order order = order_of(e);
	bool known = entry_find(f, e->name) != NULL;
	struct held *h = known ? NULL : read_held(f, &order, -1, err);

	if (h) {
		vector_push(&f->single, e);
		keep(f, h);
		h->users--;
	} else {
		entry_release(f, e);
	}
	free(order.name);
	return h || known;
}

/* "a.kiln", "a.kiln (2)", ... */
static char *free_name(struct files *f, const char *name)
{
	struct buffer text = {0};

	buffer_text(&text, name);
	for (unsigned i = 2; entry_find(f, text.at); i++) {
		text.len = strlen(name);
		buffer_printf(&text, " (%u)", i);
	}
	return text.at;
}

bool files_add_sent(
	struct files *f, const char *name, int fd, struct buffer *ret_name, struct error *err)
{
	struct entry *e = memory_new(1, sizeof(*e));
	struct order order = {0};
	struct held *h;

	*e = (struct entry){.is_profile = true, .only_here = true, .was_sent = true};
	pthread_mutex_lock(&f->reading); /* nobody else takes the name meanwhile */
	pthread_mutex_lock(&f->lock);
	e->path = e->name = free_name(f, name);
	pthread_mutex_unlock(&f->lock);
	order.name = e->name;
	h = read_held(f, &order, fd, err);
	pthread_mutex_lock(&f->lock);
	if (h) {
		h->mark = (struct file_mark){.size = h->size, .modified = now_ns(CLOCK_REALTIME)};
		vector_push(&f->single, e);
		buffer_text(ret_name, e->name);
		keep(f, h);
		h->users--;
	} else {
		entry_release(f, e);
	}
	pthread_mutex_unlock(&f->lock);
	pthread_mutex_unlock(&f->reading);
	return h != NULL;
}

bool files_add_folder(struct files *f, const char *path, bool *ret_more, struct error *err)
{
	struct source *s = memory_new(1, sizeof(*s));
	bool known = false;

	if (!folder_open(&s->folder, path, err)) {
		free(s);
		return false;
	}
	for (size_t i = 0; i < f->sources.len; i++)
		known |= !strcmp(f->sources.items[i]->folder.path, s->folder.path);
	if (known) {
		folder_release(&s->folder);
		free(s);
		return true;
	}
	vector_push(&f->sources, s);
	source_look(f, s, ret_more);
	f->looked = now_ns(CLOCK_MONOTONIC);
	return true;
}
