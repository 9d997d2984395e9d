/* no_files.c: what stands in a page for the files that it does not have. */
#include "base/input.h"
#include "base/output_file.h"

#include <unistd.h>

static bool refuse(struct error *err)
{
	return error_set(err, ERR_UNSUPPORTED, "a page opens no files");
}

int access(const char *path, int mode)
{
	(void)path;
	(void)mode;
	return -1;
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

bool output_open(struct output *o, const char *path, unsigned mode, struct error *err)
{
	(void)path;
	(void)mode;
	*o = (struct output){.fd = -1};
	return refuse(err);
}

bool output_write_fd(int fd, struct bytes bytes, struct error *err)
{
	(void)fd;
	(void)bytes;
	return refuse(err);
}

bool output_file_name(struct output *o)
{
	return refuse(&o->failed);
}

void output_file_drop(struct output *o)
{
	(void)o;
}
