/* input_raw.c: where do the bytes of an input come from, as they are stored? */
#include "base/input_raw.h"

#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIPE_ROOM (1 << 20) /* bytes; by default the most that users may ask for */

void raw_release(struct input_raw *raw)
{
	struct raw_parts *parts = raw->parts;

	if (raw->fd >= 0)
		scope_close(raw->fd);
	for (size_t i = parts ? parts->next : 0; parts && i < parts->fds.len; i++)
		scope_close(parts->fds.items[i]);
	if (parts) {
		vector_release(&parts->fds);
		vector_release(&parts->begun);
	}
	memory_free(parts);
	memory_free(raw->piece);
}

bool raw_open(const char *path, int *ret_fd, bool *ret_folder, struct error *err)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	struct stat status = {0};

	if (scope_fd(fd) < 0)
		return error_errno(err, "%s: cannot open", standard ? "<stdin>" : path);
	*ret_folder = !fstat(fd, &status) && S_ISDIR(status.st_mode);
	/* A pipe holds 64 KiB by default, and a fast reader would wait for it again and again. */
	if (S_ISFIFO(status.st_mode))
		fcntl(fd, F_SETPIPE_SZ, PIPE_ROOM);
	*ret_fd = fd;
	return true;
}

bool raw_refuse_folder(const char *path, struct error *err)
{
	return error_set(err, ERR_USAGE, "%s: is a directory; name a file in it", path);
}

bool raw_open_file(const char *path, int *ret_fd, struct error *err)
{
	bool folder = false;

	if (!raw_open(path, ret_fd, &folder, err))
		return false;
	if (!folder)
		return true;
	scope_close(*ret_fd);
	return raw_refuse_folder(path, err);
}

/* Read the start of a text without its byte order mark. Returns the number of bytes; `to` has
 * room for them and the mark. Errors are ignored here; the next read meets them again. */
static size_t read_behind_mark(int fd, char *to)
{
	size_t len = 0;
	ssize_t got;

	do {
		got = read(fd, to + len, RAW_MARK.len - len);
		len += got > 0 ? (size_t)got : 0;
	} while (len < RAW_MARK.len && (got > 0 || (got < 0 && errno == EINTR)));
	return len - raw_mark_length((struct bytes){to, len});
}

/* At the end of a file, continue with the next one. Text continues on a new line; `to` has room for
 * a newline and a mark. */
static bool raw_next(struct input_raw *raw, char *to, size_t *ret_len, struct error *err)
{
	size_t len = 0;
	int fd;

	if (!raw_open_file(*raw->next, &fd, err))
		return false;
	scope_close(raw->fd);
	raw->fd = fd;
	raw->next++;
	if (!raw->packed) {
		if (raw->last != '\n')
			to[len++] = '\n';
		len += read_behind_mark(fd, to + len);
	}
	if (len)
		raw->last = to[len - 1];
	*ret_len = len;
	return true;
}

/* The bytes in front of the next part; `to` has room for 7 bytes. */
static size_t part_next(struct input_raw *raw, char *to)
{
	struct raw_parts *parts = raw->parts;
	uint64_t end = parts->begun.items[parts->begun.len - 1].end,
		 start = (end + 7) & ~(uint64_t)7;

	memset(to, 0, 8 - 1);
	scope_close(raw->fd);
	raw->fd = parts->fds.items[parts->next];
	parts->fds.items[parts->next++] = -1;
	vector_push(&parts->begun, ((struct input_part){start, start}));
	return (size_t)(start - end);
}

bool raw_read(struct input_raw *raw, char *to, size_t room, size_t *ret_len, struct error *err)
{
	ssize_t got;

	do
		got = read(raw->fd, to, room);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return error_errno(err, "cannot read");
	*ret_len = (size_t)got;
	if (got)
		raw->last = to[got - 1];
	else if (raw->next && *raw->next)
		return raw_next(raw, to, ret_len, err);
	if (raw->parts)
		raw->parts->begun.items[raw->parts->begun.len - 1].end += (uint64_t)got;
	if (!got && raw->parts && raw->parts->next < raw->parts->fds.len)
		*ret_len = part_next(raw, to);
	else
		raw->ended = got == 0;
	return true;
}

bool raw_more(struct input_raw *raw, struct error *err)
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

bool raw_head(struct input_raw *raw, struct error *err)
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

void raw_begin_parts(struct input_raw *raw, struct input_part_fds *fds)
{
	raw->fd = fds->items[0];
	raw->parts = memory_new(1, sizeof(*raw->parts));
	raw->parts->fds = *fds;
	raw->parts->next = 1;
	vector_push(&raw->parts->begun, ((struct input_part){0}));
	*fds = (struct input_part_fds){0};
}
