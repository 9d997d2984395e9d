/* no_files.c: functions on files, which fail: a page has none. */
#include "base/input.h"
#include "base/output_file.h"
#include "base/plain_file.h"

#include <errno.h>
#include <unistd.h>

static bool refuse(struct error *err)
{
	return error_set(err, ERR_UNSUPPORTED, "a page cannot open files");
}

int access(const char *path, int mode)
{
	(void)path;
	(void)mode;
	return -1;
}

int plain_file_open_trusted(const char *path)
{
	(void)path;
	errno = ENOENT;
	return -1;
}

bool input_open_fd(struct input *in, int fd, const char *name, struct error *err)
{
	(void)fd;
	return input_open(in, name, err);
}

bool input_open(struct input *in, const char *path, struct error *err)
{
	(void)path;
	*in = (struct input){0};
	return refuse(err);
}

bool input_whole(struct input *in, uint64_t limit, struct bytes *ret_content, struct error *err)
{
	(void)in;
	(void)limit;
	(void)ret_content;
	return refuse(err);
}

void input_release(struct input *in)
{
	*in = (struct input){0};
}

bool output_folder_open(struct output_folder *f, const char *path, bool follow, struct error *err)
{
	(void)f;
	(void)path;
	(void)follow;
	return refuse(err);
}

struct output_file *output_file_create(struct output_folder *folder, unsigned mode)
{
	(void)folder;
	(void)mode;
	return NULL;
}

int output_file_fd(const struct output_file *file)
{
	(void)file;
	return -1;
}

const struct output_folder *output_file_folder(const struct output_file *file)
{
	(void)file;
	return NULL;
}

bool output_write_fd(int fd, struct bytes bytes, struct error *err)
{
	(void)fd;
	(void)bytes;
	return refuse(err);
}

bool output_file_commit(struct output_file *file, struct error *err)
{
	(void)file;
	return refuse(err);
}

void output_file_release(struct output_file *file)
{
	(void)file;
}
