/* input.c: how do bytes arrive, from where, and unpacked how? */
#include "base/input.h"

#include "base/filters/filter.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reading in pieces that stay in the L2 cache beats mapping for content that is read once: no page
 * is faulted in. */
#define INPUT_PIECE ((size_t)256 << 10)
#define PIPE_ROOM   (1 << 20) /* bytes; users may ask for as many, unless told otherwise */

#define UNMAP_ALONE ((size_t)32 << 20) /* bytes */

static const struct filter *const filters[] = {
	&filter_gzip,
#ifdef HAVE_ZSTD
	&filter_zstd,
#endif
#ifdef HAVE_LZMA
	&filter_xz,
#endif
};

struct raw {
	int fd; /* -1: all of it is in `left` */
	bool ended;
	char *const *next; /* files that follow, NULL-terminated; NULL: none */
	char last;	   /* the last byte that was read */
	bool packed;	   /* bytes are no text */
	struct bytes left; /* read, not yet unpacked */
	char *piece;
	struct input_range *range; /* of a file that others read, too; NULL: all */
	uint64_t base;		   /* where ranges count from */
};

struct input_source {
	struct raw raw;
	const struct filter *filter; /* NULL: plain */
	void *filter_state;
	bool filter_done;
	char *buffer; /* the window lies in it, unless the content is in memory */
	size_t start, len, cap;
	void *mapped;
	size_t mapped_size;
	size_t passed; /* of what is mapped: see input_passed */
};

static bool open_path(const char *path, int *ret_fd, struct error *err)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	struct stat status = {0};

	if (fd < 0)
		return error_errno(err, "%s: cannot open", standard ? "<stdin>" : path);
	if (!fstat(fd, &status) && S_ISDIR(status.st_mode)) {
		close(fd);
		return error_set(err, ERR_USAGE, "%s: is a directory; name a file in it", path);
	}
	/* A pipe holds 64 KiB, which a fast reader waits for again and again. */
	if (S_ISFIFO(status.st_mode))
		fcntl(fd, F_SETPIPE_SZ, PIPE_ROOM);
	*ret_fd = fd;
	return true;
}

/* At the end of a file, go on with the next one: on a line of its own. */
static bool raw_next(struct raw *raw, char *to, size_t *ret_len, struct error *err)
{
	int fd;

	if (!open_path(*raw->next, &fd, err))
		return false;
	close(raw->fd);
	raw->fd = fd;
	raw->next++;
	*ret_len = raw->last != '\n' && !raw->packed;
	if (*ret_len)
		*to = raw->last = '\n';
	return true;
}

/* Take up to `room` bytes of the range: nobody else reads them then. */
static size_t range_take(struct input_range *range, size_t room, uint64_t *ret_at)
{
	pthread_mutex_lock(&range->lock);
	if (room > range->end - range->at)
		room = range->end - range->at;
	*ret_at = range->at;
	range->at += room;
	pthread_mutex_unlock(&range->lock);
	return room;
}

/* A file that has become shorter ends there. */
static ssize_t raw_read_range(struct raw *raw, char *to, size_t room)
{
	uint64_t at;
	size_t want = range_take(raw->range, room, &at), len = 0;
	ssize_t got = 1;

	while (len < want && got) {
		got = pread(raw->fd, to + len, want - len, (off_t)(raw->base + at + len));
		if (got < 0 && errno != EINTR)
			return -1;
		len += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)len;
}

static bool raw_read(struct raw *raw, char *to, size_t room, size_t *ret_len, struct error *err)
{
	ssize_t got;

	do
		got = raw->range ? raw_read_range(raw, to, room) : read(raw->fd, to, room);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return error_errno(err, "cannot read");
	*ret_len = (size_t)got;
	if (got)
		raw->last = to[got - 1];
	else if (raw->next && *raw->next)
		return raw_next(raw, to, ret_len, err);
	raw->ended = got == 0;
	return true;
}

/* Until something is there or the end is reached. */
static bool raw_more(struct raw *raw, struct error *err)
{
	size_t len = 0;

	if (raw->left.len || raw->ended)
		return true;
	if (!raw->piece)
		raw->piece = memory_new(INPUT_PIECE, 1);
	if (!raw_read(raw, raw->piece, INPUT_PIECE, &len, err))
		return false;
	raw->left = (struct bytes){raw->piece, len};
	return true;
}

/* Enough raw bytes to see any magic number, if there are that many. */
static bool raw_head(struct raw *raw, struct error *err)
{
	size_t have = 0, len = 0;

	if (raw->fd < 0)
		return true;
	raw->piece = memory_new(INPUT_PIECE, 1);
	while (have < 8 && !raw->ended) {
		if (!raw_read(raw, raw->piece + have, INPUT_PIECE - have, &len, err))
			return false;
		have += len;
	}
	raw->left = (struct bytes){raw->piece, have};
	return true;
}

static const struct filter *filter_for(struct bytes head)
{
	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
		if (bytes_start(head, filters[i]->magic))
			return filters[i];
	return NULL;
}

static bool input_begin(struct input *in, struct error *err)
{
	struct input_source *s = in->source;

	if (!raw_head(&s->raw, err)) {
		error_prefix(err, "%s: ", in->name);
		input_release(in);
		return false;
	}
	s->filter = filter_for(s->raw.left);
	if (s->filter) {
		s->filter_state = s->filter->open();
		s->raw.packed = true;
	}
	return true;
}

bool input_open(struct input *in, const char *path, struct error *err)
{
	int fd = -1;

	*in = (struct input){.name = strcmp(path, "-") ? path : "<stdin>"};
	if (!open_path(path, &fd, err))
		return false;
	in->source = memory_new(1, sizeof(*in->source));
	in->source->raw.fd = fd;
	return input_begin(in, err);
}

bool input_open_files(struct input *in, char *const *paths, struct error *err)
{
	int fd;

	*in = (struct input){.name = strcmp(*paths, "-") ? *paths : "<stdin>"};
	if (!open_path(*paths, &fd, err))
		return false;
	in->source = memory_new(1, sizeof(*in->source));
	in->source->raw = (struct raw){.fd = fd, .next = paths + 1, .last = '\n'};
	return input_begin(in, err);
}

bool input_open_bytes(struct input *in, struct bytes content, const char *name, struct error *err)
{
	*in = (struct input){.name = name};
	in->source = memory_new(1, sizeof(*in->source));
	in->source->raw = (struct raw){.fd = -1, .ended = true, .left = content};
	return input_begin(in, err);
}

struct unmapping {
	void *at;
	size_t size;
};

static void *unmap_now(void *context)
{
	struct unmapping *u = context;

	munmap(u->at, u->size);
	free(u);
	return NULL;
}

/* Taking a large mapping down takes the kernel milliseconds, page by page: nobody waits for it. */
static void unmap(void *at, size_t size)
{
	struct unmapping *u = memory_new(1, sizeof(*u));
	pthread_t thread;

	*u = (struct unmapping){at, size};
	if (size >= UNMAP_ALONE && !pthread_create(&thread, NULL, unmap_now, u))
		pthread_detach(thread);
	else
		unmap_now(u);
}

void input_release(struct input *in)
{
	struct input_source *s = in->source;

	if (!s)
		return;
	if (s->filter)
		s->filter->close(s->filter_state);
	if (s->raw.fd >= 0)
		close(s->raw.fd);
	if (s->mapped)
		unmap(s->mapped, s->mapped_size);
	free(s->raw.piece);
	free(s->buffer);
	free(s);
	*in = (struct input){0};
}

/* Slide what is left to the front of the buffer and make room for `want` bytes and a piece more. */
static void make_room(struct input_source *s, size_t want)
{
	size_t need = (want > s->len ? want : s->len) + INPUT_PIECE;

	if (s->start + need <= s->cap)
		return;
	if (s->start)
		memmove(s->buffer, s->buffer + s->start, s->len);
	s->start = 0;
	if (need > s->cap) {
		s->cap = need + need / 2;
		s->buffer = memory_resize(s->buffer, s->cap, 1);
	}
}

/* Append a piece of unpacked content to the buffer. *ret_ended: there is no more. */
static bool source_step(struct input_source *s, bool *ret_ended, struct error *err)
{
	char *to = s->buffer + s->start + s->len;
	size_t room = s->cap - s->start - s->len, len = 0;

	if (s->filter) {
		if (!raw_more(&s->raw, err))
			return false;
		if (!s->filter->step(s->filter_state, &s->raw.left, s->raw.ended, to, room, &len,
			    &s->filter_done, err))
			return false;
		*ret_ended = s->filter_done;
	} else if (s->raw.left.len) {
		len = s->raw.left.len < room ? s->raw.left.len : room;
		memcpy(to, s->raw.left.at, len);
		s->raw.left.at += len;
		s->raw.left.len -= len;
		*ret_ended = s->raw.ended && !s->raw.left.len;
	} else {
		if (!s->raw.ended &&
			!raw_read(&s->raw, to, room < INPUT_PIECE ? room : INPUT_PIECE, &len, err))
			return false;
		*ret_ended = s->raw.ended;
	}
	s->len += len;
	return true;
}

/* Plain content in memory needs no buffer: the window is all of it. */
static bool window_in_memory(struct input *in)
{
	struct raw *raw = &in->source->raw;

	if (in->source->filter || raw->fd >= 0)
		return false;
	if (raw->left.len) {
		in->window = raw->left;
		raw->left = (struct bytes){0};
	}
	in->ended = true;
	return true;
}

bool input_fill(struct input *in, size_t want, struct error *err)
{
	struct input_source *s = in->source;

	if (in->ended || in->window.len >= want || window_in_memory(in))
		return true;
	if (want > INPUT_WINDOW_LIMIT)
		return error_set(err, ERR_LIMIT,
			"byte %llu: a piece of more than %zu MiB without an end",
			(unsigned long long)in->offset, INPUT_WINDOW_LIMIT >> 20);
	make_room(s, want);
	while (s->len < want && !in->ended)
		if (!source_step(s, &in->ended, err))
			return error_prefix(
				err, "byte %llu: ", (unsigned long long)(in->offset + s->len));
	in->window = (struct bytes){s->buffer + s->start, s->len};
	return true;
}

void input_skip(struct input *in, size_t count)
{
	struct input_source *s = in->source;

	if (!count) /* there may be nothing to move in */
		return;
	in->window.at += count;
	in->window.len -= count;
	in->offset += count;
	if (s->buffer) {
		s->start += count;
		s->len -= count;
	}
}

bool input_line(struct input *in, struct bytes *ret_line, bool *ret_more, struct error *err)
{
	size_t seen = 0;
	const char *newline;
	size_t len;

	for (;;) {
		newline = in->window.len > seen
				  ? memchr(in->window.at + seen, '\n', in->window.len - seen)
				  : NULL;
		if (newline || in->ended)
			break;
		seen = in->window.len;
		if (!input_fill(in, seen + 1, err))
			return false;
	}
	*ret_more = in->window.len > 0;
	len = newline ? (size_t)(newline - in->window.at) : in->window.len;
	*ret_line = (struct bytes){in->window.at, len};
	if (len && ret_line->at[len - 1] == '\r')
		ret_line->len--;
	if (*ret_more)
		input_skip(in, len + (newline != NULL));
	return true;
}

bool input_can_map(const struct input *in)
{
	const struct input_source *s = in->source;
	off_t base = s->raw.fd >= 0 ? lseek(s->raw.fd, 0, SEEK_CUR) : -1;
	struct stat status;

	if (s->filter)
		return false;
	if (s->raw.fd < 0)
		return true;
	if (s->raw.next && *s->raw.next)
		return false;
	return base >= 0 && !fstat(s->raw.fd, &status) && S_ISREG(status.st_mode) &&
	       status.st_size && (uint64_t)base == in->offset + s->len + s->raw.left.len;
}

static bool map_file(struct input *in, uint64_t limit, bool *ret_mapped, struct error *err)
{
	struct input_source *s = in->source;
	struct stat status;
	uint64_t size;
	void *at;

	*ret_mapped = false;
	if (!input_can_map(in) || fstat(s->raw.fd, &status))
		return true;
	size = (uint64_t)status.st_size;
	if (size > limit)
		return error_set(err, ERR_LIMIT, "file of %llu MiB, at most %llu MiB can be read",
			(unsigned long long)(size >> 20), (unsigned long long)(limit >> 20));
	at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, s->raw.fd, 0);
	if (at == MAP_FAILED)
		return true;
	s->mapped = at;
	s->mapped_size = size;
	*ret_mapped = true;
	return true;
}

uint64_t input_size(const struct input *in)
{
	const struct raw *raw = in->source ? &in->source->raw : NULL;
	struct stat status;

	if (!raw || !input_can_map(in))
		return 0;
	if (raw->fd < 0)
		return in->window.len + raw->left.len;
	return fstat(raw->fd, &status) ? 0 : (uint64_t)status.st_size - in->offset;
}

bool input_open_range(
	struct input *part, const struct input *in, struct input_range *range, struct error *err)
{
	const struct raw *whole = &in->source->raw;
	struct bytes memory = in->window.len ? in->window : whole->left;
	uint64_t at;
	int fd;

	if (whole->fd < 0) {
		size_t len = range_take(range, SIZE_MAX, &at);

		return input_open_bytes(part, (struct bytes){memory.at + at, len}, in->name, err);
	}
	fd = fcntl(whole->fd, F_DUPFD_CLOEXEC, 0);
	*part = (struct input){.name = in->name};
	if (fd < 0)
		return error_errno(err, "%s: cannot open", in->name);
	part->source = memory_new(1, sizeof(*part->source));
	part->source->raw = (struct raw){.fd = fd, .range = range, .base = in->offset};
	return true;
}

int64_t input_time(const struct input *in)
{
	struct stat status;

	if (in->source->raw.fd < 0 || fstat(in->source->raw.fd, &status) ||
		!S_ISREG(status.st_mode))
		return 0;
	return (int64_t)status.st_mtime;
}

/* All that is left becomes the window. */
static bool collect(struct input *in, uint64_t limit, struct bytes *ret_content, struct error *err)
{
	struct input_source *s = in->source;

	while (!in->ended && s->len <= limit) {
		make_room(s, s->len + 1);
		if (!source_step(s, &in->ended, err))
			return error_prefix(
				err, "byte %llu: ", (unsigned long long)(in->offset + s->len));
	}
	if (s->len > limit)
		return error_set(
			err, ERR_LIMIT, "more than %llu MiB", (unsigned long long)(limit >> 20));
	in->window = (struct bytes){s->buffer + s->start, s->len};
	*ret_content = in->window;
	return true;
}

bool input_whole(struct input *in, uint64_t limit, struct bytes *ret_content, struct error *err)
{
	struct input_source *s = in->source;
	bool mapped;

	if (window_in_memory(in)) {
		*ret_content = in->window;
		return true;
	}
	if (!map_file(in, limit, &mapped, err))
		return false;
	if (mapped) {
		*ret_content =
			(struct bytes){(char *)s->mapped + in->offset, s->mapped_size - in->offset};
		return true;
	}
	return collect(in, limit, ret_content, err);
}

void input_passed(struct input *in, uint64_t end)
{
	struct input_source *s = in->source;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	end = (end + in->offset) / page * page;
	if (!s->mapped || end <= s->passed || end > s->mapped_size)
		return;
	madvise((char *)s->mapped + s->passed, end - s->passed, MADV_DONTNEED);
	s->passed = end;
}

bool input_prepare(const struct input *in, uint64_t start, uint64_t len)
{
	const struct input_source *s = in->source;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	start = (start + in->offset) / page * page;
	return s->mapped && start < s->mapped_size && len <= s->mapped_size - start &&
	       !madvise((char *)s->mapped + start, len, MADV_POPULATE_READ);
}
