/* proc.c: how are files of /proc read? */
#include "base/proc.h"

#include "base/scope.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PIECE ((size_t)1 << 16) /* bytes read at once */

bool proc_text_up_to(struct buffer *text, const char *path, size_t max)
{
	/* Below /proc/PID/root, a FIFO may be in the place of any file. */
	int fd = scope_fd(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
	ssize_t got = 0;

	text->len = 0;
	if (fd < 0)
		return false;
	do {
		got = read(fd, buffer_reserve(text, PIECE), PIECE);
		if (got > 0)
			text->len += (size_t)got;
	} while (got > 0 && text->len < max);
	scope_close(fd);
	return got >= 0;
}

bool proc_text(struct buffer *text, const char *path)
{
	return proc_text_up_to(text, path, PROC_TEXT_LIMIT);
}

void proc_threads(int32_t pid, each_thread *each, void *context)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = scope_directory(opendir(path));
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			each(context, atoi(entry->d_name));
	if (dir)
		scope_closedir(dir);
}
