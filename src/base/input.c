/* input.c: how do the bytes of an input become a window of its content: mapped, copied or unpacked?
 */
#include "base/input.h"

#include "base/expansion.h"
#include "base/filters/filter.h"
#include "base/input_range.h"
#include "base/input_raw.h"
#include "base/libc.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/stable_file.h"
#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A plain file is mapped as a whole (stable_file.h). The kernel maps 16 pages per fault, which is
 * faster than a copy, and faster than populating each megabyte in advance (MADV_POPULATE_READ).
 * Pages before the window are released, so that memory stays bounded. */
#define MAP_AHEAD  ((size_t)1 << 20)
#define MAP_BEHIND ((size_t)2 << 20)

/* A plain file that has to be copied and is larger is read piece by piece, like a pipe. */
#define COPIED_WHOLE ((uint64_t)256 << 20) /* bytes */

#define RELEASED_ASIDE ((size_t)32 << 20) /* bytes */

static const struct filter *const filters[] = {
	&filter_gzip,
	&filter_utf16_little,
	&filter_utf16_big,
#ifdef HAVE_ZSTD
	&filter_zstd,
#endif
#ifdef HAVE_LZMA
	&filter_xz,
#endif
};

struct input_source {
	struct input_raw raw;
	const struct filter *filter; /* NULL: plain */
	void *filter_state;
	bool filter_done;
	uint64_t packed, unpacked; /* bytes that the filter has read and written */
	bool begun;   /* decompressed content: the byte order mark, if any, has been cut off */
	char *buffer; /* the window lies in it, unless the content is in memory */
	size_t start, len, cap;
	struct stable_file file;	/* a plain file; empty: it is something else */
	const struct stable_file *from; /* this input's file or another input's; NULL: none */
	size_t base;			/* offset in it where the content begins, behind a mark */
	size_t passed;			/* offset in it before which pages have been released */
	struct input_range *range;	/* the part of the content still to be read... */
	struct input_range all; /* ... which is everything, unless other inputs read ranges of it */
};

static const struct filter *filter_for(struct bytes head)
{
	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
		if (bytes_starts_with(head, filters[i]->magic))
			return filters[i];
	return NULL;
}

/* ---- Mapped files ---- */

/* Claim up to `room` bytes of the range, for this thread alone. */
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

/* Is this a single, uncompressed file that can be mapped? Its content starts at *ret_base. */
static bool is_plain(const struct input_raw *raw, off_t *ret_base)
{
	char head[8];
	ssize_t len;

	if (raw->fd < 0 || (raw->next && *raw->next) || raw->parts)
		return false;
	*ret_base = lseek(raw->fd, 0, SEEK_CUR);
	len = *ret_base >= 0 ? pread(raw->fd, head, sizeof(head), *ret_base) : -1;
	return len > 0 && !filter_for((struct bytes){head, (size_t)len});
}

/* Map a plain, uncompressed file. If the file changes later, the content stays as it is now.
 * Errors are ignored here; reading meets them again. */
static bool map_file(struct input_source *s)
{
	struct error ignored = {0};
	struct bytes content;
	off_t base;

	if (!is_plain(&s->raw, &base) ||
		!stable_file_open(&s->file, s->raw.fd, COPIED_WHOLE, &ignored))
		return false;
	if (s->file.content.len <= (size_t)base) {
		stable_file_release(&s->file);
		return false;
	}
	content = (struct bytes){s->file.content.at + base, s->file.content.len - (size_t)base};
	s->from = &s->file;
	s->base = s->passed = (size_t)base + raw_mark_length(content);
	s->all = (struct input_range){
		.lock = PTHREAD_MUTEX_INITIALIZER, .end = s->file.content.len - s->base};
	s->range = &s->all;
	return true;
}

static size_t page_start(size_t at)
{
	return at / (size_t)sysconf(_SC_PAGESIZE) * (size_t)sysconf(_SC_PAGESIZE);
}

/* Release the pages of the mapping before `end`. */
static void pass(struct input_source *s, size_t end)
{
	end = page_start(end);
	if (end <= s->passed || end > s->from->content.len)
		return;
	stable_file_drop_pages(s->from, page_start(s->passed), end);
	s->passed = end;
}

/* Extend the window; release what has been skipped. */
static void map_more(struct input *in, size_t want)
{
	struct input_source *s = in->source;
	uint64_t at = 0;

	while (in->window.len < want && !in->ended) {
		size_t got = range_take(s->range, MAP_AHEAD, &at);

		in->window.len += got;
		in->ended = !got;
	}
	if (in->window.at - s->from->content.at > (ptrdiff_t)(s->passed + MAP_BEHIND))
		pass(s, (size_t)(in->window.at - s->from->content.at));
}

/* ---- Opening ---- */

static bool input_begin(struct input *in, struct error *err)
{
	struct input_source *s = in->source;

	if (map_file(s)) {
		in->window.at = s->from->content.at + s->base;
		return true;
	}
	if (!raw_head(&s->raw, err)) {
		error_prefix(err, "%s: ", in->name);
		input_release(in);
		return false;
	}
	s->filter = s->raw.parts ? NULL : filter_for(s->raw.left);
	if (s->filter) {
		s->filter_state = s->filter->open();
		s->raw.packed = true;
	} else {
		size_t cut = raw_mark_length(s->raw.left);

		s->raw.left = (struct bytes){s->raw.left.at + cut, s->raw.left.len - cut};
	}
	return true;
}

/* A file of the folder whose descriptor is at `context`. A device may have no end. */
static int open_in(void *context, const char *name)
{
	int fd = openat(*(int *)context, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (fd < 0 || (!fstat(fd, &status) && S_ISREG(status.st_mode)))
		return scope_fd(fd);
	close(fd);
	errno = EINVAL;
	return -1;
}

/* Open the parts in the folder `fd`. */
static bool open_folder(struct input *in, int fd, const char *name, struct error *err)
{
	struct input_part_fds fds = {0};
	bool opened = input_folder_open(open_in, &fd, &fds);
	int error = errno;

	scope_close(fd);
	if (opened)
		return input_open_parts(in, &fds, name, err);
	if (!fds.len && error == ENOENT)
		raw_refuse_folder(name, err);
	errno = error;
	if (!err->code)
		error_errno(err, "%s: cannot open file %zu of those that belong to it", name,
			fds.len + 1);
	input_folder_close(&fds);
	return false;
}

bool input_open(struct input *in, const char *path, struct error *err)
{
	const char *name = strcmp(path, "-") ? path : "<stdin>";
	int fd = -1;
	bool folder;

	*in = (struct input){.name = name};
	if (!raw_open(path, &fd, &folder, err))
		return false;
	return (folder ? open_folder : input_open_fd)(in, fd, name, err);
}

bool input_open_fd(struct input *in, int fd, const char *name, struct error *err)
{
	*in = (struct input){.name = name};
	in->source = memory_new(1, sizeof(*in->source));
	in->source->raw.fd = fd;
	return input_begin(in, err);
}

bool input_open_files(struct input *in, char *const *paths, struct error *err)
{
	int fd;

	if (!paths[1])
		return input_open(in, *paths, err);
	*in = (struct input){.name = strcmp(*paths, "-") ? *paths : "<stdin>"};
	if (!raw_open_file(*paths, &fd, err))
		return false;
	in->source = memory_new(1, sizeof(*in->source));
	in->source->raw = (struct input_raw){.fd = fd, .next = paths + 1, .last = '\n'};
	return input_begin(in, err);
}

bool input_open_parts(
	struct input *in, struct input_part_fds *fds, const char *name, struct error *err)
{
	struct input_source *s;

	*in = (struct input){.name = name};
	in->source = s = memory_new(1, sizeof(*in->source));
	raw_begin_parts(&s->raw, fds);
	return input_begin(in, err);
}

const struct input_part *input_parts(const struct input *in, size_t *ret_count)
{
	const struct raw_parts *parts = in->source->raw.parts;

	*ret_count = parts ? parts->begun.len : 0;
	return parts ? parts->begun.items : NULL;
}

bool input_open_bytes(struct input *in, struct bytes content, const char *name, struct error *err)
{
	*in = (struct input){.name = name};
	in->source = memory_new(1, sizeof(*in->source));
	in->source->raw = (struct input_raw){.fd = -1, .ended = true, .left = content};
	return input_begin(in, err);
}

static void *release_file(void *source)
{
	struct input_source *s = source;

	stable_file_release(&s->file);
	memory_free(s);
	return NULL;
}

/* Unmapping a large file takes the kernel milliseconds, so a detached thread does it. Nothing is
 * allocated, because memory may have run out. */
static void release_aside(struct input_source *s)
{
	pthread_t thread;

	stable_file_keep(&s->file);
	memory_keep(s);
	if (s->file.content.len >= RELEASED_ASIDE && thread_start(&thread, release_file, s))
		pthread_detach(thread);
	else
		release_file(s);
}

void input_release(struct input *in)
{
	struct input_source *s = in->source;

	if (!s)
		return;
	if (s->filter)
		s->filter->close(s->filter_state);
	raw_release(&s->raw);
	memory_free(s->buffer);
	release_aside(s);
	*in = (struct input){0};
}

/* Move what is left to the front of the buffer and make room for `want` bytes and one piece
 * more. */
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

/* Cut the byte order mark off what a filter has produced, once there is enough to recognise it. */
static void begin(struct input_source *s, bool ended)
{
	size_t cut;

	if (s->len < RAW_MARK.len && !ended)
		return;
	cut = raw_mark_length((struct bytes){s->buffer + s->start, s->len});
	s->start += cut;
	s->len -= cut;
	s->begun = true;
}

/* Run the filter once. Repetitive content can unpack to a thousand times its size and more. */
static bool unpack(
	struct input_source *s, char *to, size_t room, size_t *ret_len, struct error *err)
{
	uint64_t max;
	size_t before;

	if (!raw_more(&s->raw, err))
		return false;
	before = s->raw.left.len;
	if (!s->filter->step(s->filter_state, &s->raw.left, s->raw.ended, to, room, ret_len,
		    &s->filter_done, err))
		return false;
	s->packed += before - s->raw.left.len;
	s->unpacked += *ret_len;
	max = expansion_output_limit(expansion_limit(s->packed));
	return s->unpacked <= max || expansion_error("unpacked", max, err);
}

/* Append a piece of decompressed content to the buffer. *ret_ended: it was the last one. */
static bool source_step(struct input_source *s, bool *ret_ended, struct error *err)
{
	char *to = s->buffer + s->start + s->len;
	size_t room = s->cap - s->start - s->len, len = 0;

	if (s->filter) {
		if (!unpack(s, to, room, &len, err))
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
	if (s->filter && !s->begun)
		begin(s, *ret_ended);
	return true;
}

/* Plain content in memory needs no buffer: the window is all of it. */
static bool window_in_memory(struct input *in)
{
	struct input_raw *raw = &in->source->raw;

	if (in->source->filter || in->source->from || raw->fd >= 0)
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
			"byte %llu: an element of more than %zu MiB without an end",
			(unsigned long long)in->offset, INPUT_WINDOW_LIMIT >> 20);
	if (s->from) {
		map_more(in, want);
		return true;
	}
	make_room(s, want);
	while ((s->len < want || (s->filter && !s->begun)) && !in->ended)
		if (!source_step(s, &in->ended, err))
			return error_prefix(
				err, "byte %llu: ", (unsigned long long)(in->offset + s->len));
	in->window = (struct bytes){s->buffer + s->start, s->len};
	return true;
}

void input_skip(struct input *in, size_t count)
{
	struct input_source *s = in->source;

	if (!count) /* the window may be NULL */
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

	return s->from || (s->raw.fd < 0 && !s->filter);
}

uint64_t input_size(const struct input *in)
{
	const struct input_source *s = in->source;

	if (!s || !input_can_map(in))
		return 0;
	return s->from ? s->from->content.len - s->base - in->offset
		       : in->window.len + s->raw.left.len;
}

uint64_t input_stored_size(const struct input *in)
{
	const struct input_source *s = in->source;
	struct stat status;

	if (s->from)
		return s->from->content.len;
	if (s->raw.fd < 0)
		return in->window.len + s->raw.left.len + s->packed;
	return !fstat(s->raw.fd, &status) && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
}

bool input_is_compressed(const struct input *in)
{
	return in->source->filter != NULL;
}

/* Make `part` an input over a part of the same mapping. */
static void borrow(struct input_source *part, const struct input_source *s, uint64_t offset,
	struct input_range *range)
{
	part->raw.fd = -1;
	part->from = s->from;
	part->base = s->base + offset;
	part->passed = part->base + range->at;
	part->range = range;
}

bool input_open_range(
	struct input *part, const struct input *in, struct input_range *range, struct error *err)
{
	const struct input_source *s = in->source;
	struct bytes memory = in->window.len ? in->window : s->raw.left;
	uint64_t at;
	size_t len;

	if (s->from) {
		*part = (struct input){.name = in->name};
		part->source = memory_new(1, sizeof(*part->source));
		borrow(part->source, s, in->offset, range);
		part->window.at = s->from->content.at + part->source->passed;
		return true;
	}
	len = range_take(range, SIZE_MAX, &at);
	return input_open_bytes(part, (struct bytes){memory.at + at, len}, in->name, err);
}

int64_t input_time(const struct input *in)
{
	struct stat status;

	if (in->source->raw.fd < 0 || fstat(in->source->raw.fd, &status) ||
		!S_ISREG(status.st_mode))
		return 0;
	return (int64_t)status.st_mtime;
}

/* Read everything that is left into the window. */
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
	size_t start = s->base + in->offset, left;

	if (window_in_memory(in)) {
		*ret_content = in->window;
		return true;
	}
	if (!s->from)
		return collect(in, limit, ret_content, err);
	left = s->from->content.len - start;
	if (left > limit)
		return error_set(err, ERR_LIMIT, "file of %llu MiB; expected at most %llu MiB",
			(unsigned long long)(left >> 20), (unsigned long long)(limit >> 20));
	*ret_content = (struct bytes){s->from->content.at + start, left};
	return true;
}

void input_drop_pages(struct input *in, uint64_t end)
{
	struct input_source *s = in->source;

	if (s->from)
		pass(s, s->base + in->offset + end);
}

bool input_prefault(const struct input *in, uint64_t start, uint64_t len)
{
	const struct input_source *s = in->source;
	size_t at = s->from ? page_start(s->base + in->offset + start) : 0;

	return s->from && at < s->from->content.len && len <= s->from->content.len - at &&
	       !madvise((char *)(uintptr_t)s->from->content.at + at, len, MADV_POPULATE_READ);
}
