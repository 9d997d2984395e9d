/* binaries.c: which files do processes run, and can they still be read? */
#include "process/binaries.h"

#include "base/broker.h"
#include "base/buffer.h"
#include "base/parallel.h"
#include "base/plain_file.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define RELEASE_THREADS_LIMIT 16u /* threads */

/* Several keys lead to one row: with and without a build id, on several devices. */
struct binary_alias {
	struct bytes key;
	uint32_t row;
};

struct binary_build_id {
	struct bytes path, build_id;
};

static const struct bytes deleted = {" (deleted)", 10};

void binaries_init(struct binaries *b, struct profile *profile)
{
	*b = (struct binaries){.profile = profile};
	vector_push(&b->rows, ((struct binary){0}));
	vector_push(&b->aliases, ((struct binary_alias){0}));
	vector_push(&b->build_ids, ((struct binary_build_id){0}));
}

static void row_release(void *context, size_t i)
{
	image_release(((struct binaries *)context)->rows.items[i].image);
}

/* Closing the last descriptor of a deleted file frees its blocks, which may be slow. Several
 * threads close files in parallel. */
static unsigned release_threads(const struct binaries *b)
{
	if (b->binary_locations)
		return 1;
	return b->rows.len < RELEASE_THREADS_LIMIT ? (unsigned)b->rows.len : RELEASE_THREADS_LIMIT;
}

void binaries_release(struct binaries *b)
{
	parallel_run(release_threads(b), 1, b->rows.len, row_release, b);
	vector_release(&b->rows);
	vector_release(&b->aliases);
	vector_release(&b->build_ids);
	id_map_release(&b->by_key);
	id_map_release(&b->by_path);
	roots_release(&b->roots);
	arena_release(&b->text);
	*b = (struct binaries){0};
}

static struct bytes owned(struct binaries *b, struct bytes text)
{
	return (struct bytes){arena_copy(&b->text, text.at, text.len), text.len};
}

struct bytes binaries_build_id(const struct binaries *b, struct bytes path)
{
	uint64_t hash = hash_bytes(path.at, path.len);
	size_t at = id_map_start(&b->by_path, hash);

	if (b->by_path.slots)
		for (uint32_t id; (id = id_map_candidate(&b->by_path, hash, &at));)
			if (bytes_equal(b->build_ids.items[id].path, path))
				return b->build_ids.items[id].build_id;
	return (struct bytes){0};
}

void binaries_add_build_id(struct binaries *b, struct bytes path, struct bytes build_id)
{
	struct binary_build_id row = {owned(b, path), owned(b, build_id)};

	if (binaries_build_id(b, path).len)
		return;
	id_map_insert(&b->by_path, hash_bytes(path.at, path.len), (uint32_t)b->build_ids.len);
	vector_push(&b->build_ids, row);
}

/* A file has an absolute path. Anonymous memory, "[heap]", "//anon" and the kernel's names for
 * shared memory do not, or cannot be opened. */
static bool is_file(struct bytes path)
{
	return path.len > 1 && path.at[0] == '/' && path.at[1] != '/' &&
	       !bytes_starts_with(path, BYTES("/SYSV")) &&
	       !bytes_starts_with(path, BYTES("/dev/zero")) &&
	       !bytes_starts_with(path, BYTES("/anon_hugepage"));
}

static uint32_t alias_find(struct binaries *b, struct bytes key)
{
	uint64_t hash = hash_bytes(key.at, key.len);
	size_t at = id_map_first(&b->by_key, hash);

	for (uint32_t id; (id = id_map_candidate(&b->by_key, hash, &at));)
		if (bytes_equal(b->aliases.items[id].key, key))
			return b->aliases.items[id].row;
	return 0;
}

static void alias_add(struct binaries *b, struct bytes key, uint32_t row)
{
	uint64_t hash = hash_bytes(key.at, key.len);
	size_t at;

	if (alias_find(b, key))
		return;
	at = id_map_first(&b->by_key, hash);
	while (id_map_candidate(&b->by_key, hash, &at))
		;
	id_map_insert_at(&b->by_key, hash, at, (uint32_t)b->aliases.len);
	vector_push(&b->aliases, ((struct binary_alias){owned(b, key), row}));
}

static void build_id_key(struct buffer *key, struct bytes path, struct bytes build_id)
{
	buffer_set(key, path);
	buffer_add(key, "", 1);
	buffer_add(key, build_id.at, build_id.len);
}

/* The identity in the record: a build id, or device and inode. */
static void given_key(struct buffer *key, struct bytes path, const struct binary_key *given)
{
	build_id_key(key, path, given->build_id);
	if (!given->build_id.len)
		buffer_printf(key, "\1%u:%u:%llu", given->major, given->minor,
			(unsigned long long)given->inode);
}

/* Is the open file the one that was mapped? */
static bool same_file(int fd, const struct binary_key *key, const struct image *image)
{
	struct stat st;

	if (key->build_id.len)
		return image && bytes_equal(image_build_id(image), key->build_id);
	if (!key->inode)
		return true;
	/* On overlayfs, stat and maps show different device numbers: compare only the inode. */
	return !fstat(fd, &st) && st.st_ino == key->inode;
}

static struct image *open_at(const char *at, const char *name, const struct binary_key *key,
	bool trusted, const char **ret_missing)
{
	int fd = scope_fd(plain_file_open(AT_FDCWD, at, 0));
	struct error why = {0};
	struct image *image;

	if (fd < 0) {
		if (errno == ENXIO)
			*ret_missing = "it is not a regular file";
		return NULL;
	}
	image = image_open_fd(fd, name, &why);
	if (!image)
		*ret_missing = image_failure_reason(&why);
	if (!trusted && !same_file(fd, key, image)) {
		*ret_missing = "the file was replaced after it was mapped";
		image_release(image);
		image = NULL;
	}
	scope_close(fd);
	return image;
}

/* While the process lives and if we have permission, /proc/PID/map_files leads to the mapped file
 * itself, even if it was deleted or is in another namespace. Then try the path as the process sees
 * it, then as we see it. */
static struct image *open_mapped(struct patience *patience, const char *name,
	const struct binary_key *key, const char **ret_missing)
{
	struct buffer path = {0};
	struct image *image;

	*ret_missing = "the file cannot be opened";
	if (!patience_enter(patience)) {
		*ret_missing = "opening files took too long";
		return NULL;
	}
	buffer_printf(&path, "/proc/%d/map_files/%llx-%llx", key->pid,
		(unsigned long long)key->start, (unsigned long long)key->end);
	image = open_at(path.at, name, key, !key->build_id.len, ret_missing);
	if (!image) {
		path.len = 0;
		buffer_printf(&path, "/proc/%d/root%s", key->pid, name);
		image = open_at(path.at, name, key, false, ret_missing);
	}
	if (!image)
		image = open_at(name, name, key, false, ret_missing);
	buffer_release(&path);
	patience_leave(patience);
	return image;
}

/* ---- Of a recording ---- */

/* Is it the recorded inode, and not another file that reused its number? Some file systems have no
 * generation numbers; then the inode number decides. */
static bool is_inode(const char *path, const struct stat *st, const struct binary_key *key)
{
	int fd = key->generation ? broker_open(BROKER_BINARY, path) : -1;
	const unsigned request = FS_IOC_GETVERSION; /* musl takes an int, glibc a long */
	int generation = 0;
	bool has_generation = fd >= 0 && !ioctl(fd, request, &generation);

	if (fd >= 0)
		close(fd);
	return st->st_ino == key->inode &&
	       (!has_generation || (uint32_t)generation == key->generation);
}

/* Without a build id, a file of this machine is used if it has not been modified since the
 * recording and has the recorded inode, if any. */
static bool is_unmodified(const struct binaries *b, struct bytes path, const struct binary_key *key)
{
	struct stat st;

	if (stat(path.at, &st) || (b->recorded && (int64_t)st.st_mtime > b->recorded))
		return false;
	return key->inode ? is_inode(path.at, &st, key) : !b->binary_locations->symfs;
}

/* A file with a build id is searched for when it is needed. A file without one is checked now.
 * If --symfs does not have the file, ours is used if its inode was recorded. */
static void row_recorded(struct binaries *b, struct binary *row, const struct binary_key *key)
{
	struct binary_locations here = *b->binary_locations;

	row->unopened = key->build_id.len;
	if (row->unopened)
		return;
	row->missing = row->kind == MAPPING_VDSO ? "it belongs to another kernel"
						 : "the file was replaced after it was mapped";
	if (row->kind == MAPPING_VDSO && b->other_kernel)
		return;
	if (b->binary_locations->symfs)
		row->image = binary_locations_open(
			b->binary_locations, row->path, (struct bytes){0}, &row->missing);
	here.symfs = NULL;
	if (!row->image && (row->kind == MAPPING_VDSO || is_unmodified(b, row->path, key)))
		row->image =
			binary_locations_open(&here, row->path, (struct bytes){0}, &row->missing);
}

const struct image *binaries_image(struct binaries *b, uint32_t id)
{
	struct binary *row = &b->rows.items[id];
	string_id build_id;

	if (!row->unopened)
		return row->image;
	row->unopened = false;
	build_id = b->profile->mappings.items[row->mapping].build_id;
	row->image = binary_locations_open(
		b->binary_locations, row->path, profile_text(b->profile, build_id), &row->missing);
	return row->image;
}

/* ---- Rows ---- */

static mapping_id profile_row(struct binaries *b, const struct binary *row, struct bytes build_id)
{
	struct mapping mapping = {.kind = row->kind, .file = profile_string(b->profile, row->path)};
	char hex[65] = "";

	if (row->unidentified)
		return profile_mapping_unidentified(b->profile, &mapping);
	build_id_text(row->image ? image_build_id(row->image) : build_id, hex);
	mapping.build_id = profile_string(b->profile, bytes_of(hex));
	return profile_mapping(b->profile, &mapping);
}

static uint32_t row_new(
	struct binaries *b, struct bytes path, bool was_deleted, const struct binary_key *key)
{
	struct binary row = {
		.path = owned(b, path), .kind = MAPPING_FILE, .root = "", .deleted = was_deleted};
	struct buffer by_build_id = {0};
	struct error ignored = {0};
	uint32_t id;

	if (bytes_equal(path, BYTES("[vdso]"))) {
		row.kind = MAPPING_VDSO;
		if (b->binary_locations)
			row_recorded(b, &row, key);
		else /* the same for all 64-bit processes */
			row.image = image_open_vdso(&ignored);
	} else if (b->binary_locations) {
		row_recorded(b, &row, key);
	} else if (b->closed) {
		row.missing = "files are not opened in a replay";
	} else {
		row.image = open_mapped(&b->patience, row.path.at, key, &row.missing);
		row.root = roots_of(&b->roots, key->pid);
	}
	if (row.image) {
		row.missing = NULL;
		build_id_key(&by_build_id, path, image_build_id(row.image));
		id = image_build_id(row.image).len ? alias_find(b, buffer_bytes(&by_build_id)) : 0;
		if (id) { /* known by its build id, now seen with a device and inode */
			if (!*b->rows.items[id].root) /* our own root is tried in any case */
				b->rows.items[id].root = row.root;
			image_release(row.image);
			buffer_release(&by_build_id);
			return id;
		}
	}
	row.unidentified = row.image && !image_build_id(row.image).len;
	row.mapping = profile_row(b, &row, key->build_id);
	id = (uint32_t)b->rows.len;
	vector_push(&b->rows, row);
	if (by_build_id.len && image_build_id(row.image).len)
		alias_add(b, buffer_bytes(&by_build_id), id);
	buffer_release(&by_build_id);
	return id;
}

uint32_t binaries_add(struct binaries *b, const struct binary_key *given)
{
	struct binary_key key = *given;
	struct bytes path = key.path;
	bool was_deleted = bytes_ends_with(path, deleted);
	struct buffer text = {0};
	uint32_t id;

	if (!is_file(path) && !bytes_equal(path, BYTES("[vdso]")))
		return 0;
	if (!key.build_id.len)
		key.build_id = binaries_build_id(b, path);
	if (was_deleted)
		path.len -= deleted.len;
	given_key(&text, path, &key);
	id = alias_find(b, buffer_bytes(&text));
	if (!id) {
		id = row_new(b, path, was_deleted, &key);
		alias_add(b, buffer_bytes(&text), id);
	}
	buffer_release(&text);
	return id;
}

/* ---- The identity of files without a build id ---- */

/* A file whose bytes have to be read. */
struct anonymous {
	uint32_t row;
	const struct image *image;
	char identity[65];
};

static void identify(void *context, size_t i)
{
	struct anonymous *file = (struct anonymous *)context + i;

	image_identity_text(file->image, file->identity);
}

void binaries_identify(struct binaries *b)
{
	struct profile *p = b->profile;
	VECTOR(struct anonymous) files = {0};
	bool *used = memory_new(p->mappings.len, sizeof(*used));

	for (size_t i = 0; i < p->locations.len; i++)
		used[p->locations.items[i].mapping] = true;
	for (uint32_t i = 1; i < b->rows.len; i++)
		if (b->rows.items[i].unidentified && used[b->rows.items[i].mapping])
			vector_push(&files, ((struct anonymous){i, b->rows.items[i].image, ""}));
	parallel_run(parallel_thread_count(files.len), 1, files.len, identify, files.items);
	for (size_t i = 0; i < files.len; i++) {
		struct binary *row = &b->rows.items[files.items[i].row];

		row->mapping = profile_identify_mapping(
			p, row->mapping, profile_string(p, bytes_of(files.items[i].identity)));
		row->unidentified = false;
	}
	vector_release(&files);
	memory_free(used);
}

const struct binary *binaries_of_mapping(const struct binaries *b, mapping_id mapping)
{
	for (size_t i = 1; i < b->rows.len; i++)
		if (b->rows.items[i].mapping == mapping)
			return &b->rows.items[i];
	return NULL;
}
