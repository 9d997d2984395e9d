/* perf_map.c: what did a just-in-time compiler say about its code?
 *
 * Code memory is used again and again: in a busy runtime most entries overlap others. One sweep
 * over the entries by address, with those that are open in a heap by their place in the file,
 * leaves ranges that do not overlap, each with the entry that was written last. */
#include "images/perf_map.h"

#include "base/buffer.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/search.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct entry {
	uint64_t start, end;
	uint32_t name, name_len; /* in the text */
	uint32_t order;		 /* in the file */
};

struct range {
	uint64_t start, end;
	uint32_t entry;
};

struct perf_map {
	char *text;
	VECTOR(struct entry) entries; /* by ascending start */
	VECTOR(struct range) ranges;  /* by ascending start, without overlaps */
	struct perf_map_counts counts;
};

/* ---- Lines ---- */

static bool word_read(struct bytes *line, uint64_t *ret_value)
{
	const char *blank = memchr(line->at, ' ', line->len);
	struct bytes word = {line->at, blank ? (size_t)(blank - line->at) : 0};

	if (bytes_start(word, BYTES("0x")))
		word = (struct bytes){word.at + 2, word.len - 2};
	if (!word.len || !bytes_hex(word, ret_value))
		return false;
	line->len -= (size_t)(blank + 1 - line->at);
	line->at = blank + 1;
	return true;
}

static bool entry_read(struct bytes line, struct entry *ret)
{
	uint64_t size;

	if (!word_read(&line, &ret->start) || !word_read(&line, &size))
		return false;
	line = bytes_trim(line);
	if (!line.len || !size || ret->start + size < ret->start)
		return false;
	ret->end = ret->start + size;
	ret->name_len = (uint32_t)line.len;
	return true;
}

static void read_entries(struct perf_map *map, struct bytes text)
{
	struct bytes rest = text, line;

	while (bytes_line(&rest, &line)) {
		struct entry entry = {.order = (uint32_t)map->entries.len};

		if (!line.len)
			continue;
		if (!entry_read(line, &entry)) {
			map->counts.malformed++;
			continue;
		}
		line = bytes_trim(line);
		entry.name = (uint32_t)(line.at + line.len - text.at) - entry.name_len;
		vector_push(&map->entries, entry);
	}
	map->counts.entries = map->entries.len;
}

/* ---- The sweep ---- */

static int entry_compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Entries that have begun, the one written last on top. */
struct heap {
	const struct entry *entries;
	uint32_t *items;
	size_t len;
};

static bool heap_above(const struct heap *h, size_t a, size_t b)
{
	return h->entries[h->items[a]].order > h->entries[h->items[b]].order;
}

static void heap_swap(struct heap *h, size_t a, size_t b)
{
	uint32_t item = h->items[a];

	h->items[a] = h->items[b];
	h->items[b] = item;
}

static void heap_push(struct heap *h, uint32_t entry)
{
	size_t at = h->len++;

	h->items[at] = entry;
	for (; at && heap_above(h, at, (at - 1) / 2); at = (at - 1) / 2)
		heap_swap(h, at, (at - 1) / 2);
}

static void heap_pop(struct heap *h)
{
	size_t at = 0;

	h->items[0] = h->items[--h->len];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= h->len)
			return;
		if (child + 1 < h->len && heap_above(h, child + 1, child))
			child++;
		if (!heap_above(h, child, at))
			return;
		heap_swap(h, at, child);
		at = child;
	}
}

static void range_add(struct perf_map *map, uint64_t start, uint64_t end, uint32_t entry)
{
	struct range *last = map->ranges.len ? &map->ranges.items[map->ranges.len - 1] : NULL;

	if (last && last->entry == entry && last->end == start)
		last->end = end;
	else
		vector_push(&map->ranges, ((struct range){start, end, entry}));
}

/* What holds from `*at` until `next` begins. */
static void sweep_until(struct perf_map *map, struct heap *h, uint64_t *at, uint64_t next)
{
	while (h->len && *at < next) {
		uint64_t end = h->entries[h->items[0]].end;

		if (end <= *at) {
			heap_pop(h);
			continue;
		}
		end = end < next ? end : next;
		range_add(map, *at, end, h->items[0]);
		*at = end;
	}
	while (h->len && h->entries[h->items[0]].end <= next)
		heap_pop(h);
	*at = next;
}

static void resolve_overlaps(struct perf_map *map)
{
	struct heap h = {.entries = map->entries.items};
	uint64_t at = 0, furthest = 0;

	h.items = memory_new(map->entries.len + 1, sizeof *h.items);
	for (uint32_t i = 0; i < map->entries.len; i++) {
		const struct entry *entry = &map->entries.items[i];

		sweep_until(map, &h, &at, entry->start);
		map->counts.overlapping += entry->start < furthest;
		furthest = entry->end > furthest ? entry->end : furthest;
		heap_push(&h, i);
	}
	sweep_until(map, &h, &at, UINT64_MAX);
	free(h.items);
}

struct perf_map *perf_map_parse(struct bytes text)
{
	struct perf_map *map = memory_new(1, sizeof *map);

	if (text.len > PERF_MAP_SIZE_LIMIT)
		text.len = PERF_MAP_SIZE_LIMIT;
	map->text = memory_copy_text(text.at, text.len);
	read_entries(map, (struct bytes){map->text, text.len});
	if (map->entries.len > 1)
		qsort(map->entries.items, map->entries.len, sizeof(struct entry), entry_compare);
	resolve_overlaps(map);
	return map;
}

void perf_map_release(struct perf_map *map)
{
	if (!map)
		return;
	vector_release(&map->entries);
	vector_release(&map->ranges);
	free(map->text);
	free(map);
}

bool perf_map_find(
	const struct perf_map *map, uint64_t address, struct bytes *ret_name, uint64_t *ret_start)
{
	size_t low = search_up_to(&map->ranges, start, address);
	const struct entry *entry;

	if (!low || address >= map->ranges.items[low - 1].end)
		return false;
	entry = &map->entries.items[map->ranges.items[low - 1].entry];
	*ret_name = (struct bytes){map->text + entry->name, entry->name_len};
	*ret_start = entry->start;
	return true;
}

struct perf_map_counts perf_map_counts(const struct perf_map *map)
{
	return map->counts;
}

/* ---- Opening what a process wrote ---- */

struct writer {
	int32_t pid; /* in its innermost pid namespace */
	int64_t uid; /* effective, as we see it; -1: the process is gone */
};

/* The number at the end of a line of /proc/PID/status; of Uid the second: the effective one. */
static void status_line(struct bytes line, struct writer *ret)
{
	uint64_t value = 0, words = 0;
	char *rest, *copy = memory_copy_text(line.at, line.len);

	rest = copy + strcspn(copy, "\t");
	for (char *word; (word = strsep(&rest, "\t"));) {
		if (!*word)
			continue;
		value = strtoull(word, NULL, 10);
		if (++words == 2 && bytes_start(line, BYTES("Uid:")))
			ret->uid = (int64_t)value;
	}
	if (bytes_start(line, BYTES("NSpid:")) && value)
		ret->pid = (int32_t)value;
	free(copy);
}

static struct writer writer_of(int32_t pid)
{
	struct writer writer = {pid, -1};
	struct error ignored = {0};
	struct buffer path = {0};
	struct bytes line;
	struct input in;
	bool more = true;

	buffer_printf(&path, "/proc/%d/status", pid);
	if (input_open(&in, path.at, &ignored)) {
		while (input_line(&in, &line, &more, &ignored) && more)
			if (bytes_start(line, BYTES("Uid:")) || bytes_start(line, BYTES("NSpid:")))
				status_line(line, &writer);
		input_release(&in);
	}
	buffer_release(&path);
	return writer;
}

/* The container's own links may not lead out of it: everything is resolved inside `root`. */
static int open_inside(const char *root, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (directory < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
	if (fd < 0 && errno == ENOSYS) /* before Linux 5.6 */
		fd = openat(directory, path, (int)how.flags);
	close(directory);
	return fd;
}

static bool may_be_trusted(int fd, const char *path, int64_t uid, struct error *err)
{
	const char *sudo = getenv("SUDO_UID");
	int64_t caller = sudo ? strtoll(sudo, NULL, 10) : (int64_t)geteuid();
	struct stat status;

	if (fstat(fd, &status))
		return error_errno(err, "%s", path);
	if (!S_ISREG(status.st_mode))
		return error_set(err, ERR_FORMAT, "%s: not a regular file", path);
	if (status.st_uid && status.st_uid != geteuid() &&
		(int64_t)status.st_uid != (uid >= 0 ? uid : caller))
		return error_set(err, ERR_PERMISSION,
			"%s: belongs to user %u, who is neither the process's nor root", path,
			status.st_uid);
	return true;
}

/* Read, not mapped: whoever writes the file can also cut it. */
struct perf_map *perf_map_read(int fd, struct error *err)
{
	struct buffer text = {0};
	struct perf_map *map;
	struct stat status;
	uint64_t size;
	ssize_t got;

	if (fstat(fd, &status)) {
		error_errno(err, "a perf map");
		return NULL;
	}
	size = (uint64_t)status.st_size;
	if (size > PERF_MAP_SIZE_LIMIT) {
		error_set(err, ERR_LIMIT, "larger than %llu MB",
			(unsigned long long)(PERF_MAP_SIZE_LIMIT >> 20));
		return NULL;
	}
	while (text.len < size && (got = pread(fd, buffer_room(&text, size - text.len),
					   size - text.len, (off_t)text.len)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			error_errno(err, "a perf map");
			buffer_release(&text);
			return NULL;
		}
		text.len += (size_t)got;
	}
	map = perf_map_parse(buffer_bytes(&text));
	buffer_release(&text);
	return map;
}

int perf_map_open_file(int32_t pid, struct error *err)
{
	struct writer writer = writer_of(pid);
	struct buffer root = {0}, path = {0};
	int fd;

	buffer_printf(&root, "/proc/%d/root", pid);
	buffer_printf(&path, "/tmp/perf-%d.map", writer.pid);
	fd = open_inside(root.at, path.at);
	if (fd < 0 && writer.uid < 0) /* gone: its file may still be in our own /tmp */
		fd = open_inside("/", path.at);
	if (fd < 0) {
		error_errno(err, "%s of process %d", path.at, pid);
	} else if (!may_be_trusted(fd, path.at, writer.uid, err)) {
		close(fd);
		fd = -1;
	}
	buffer_release(&root);
	buffer_release(&path);
	return fd;
}

struct perf_map *perf_map_open(int32_t pid, struct error *err)
{
	int fd = perf_map_open_file(pid, err);
	struct perf_map *map;

	if (fd < 0)
		return NULL;
	map = perf_map_read(fd, err);
	if (!map)
		error_prefix(err, "perf map of process %d: ", pid);
	close(fd);
	return map;
}
