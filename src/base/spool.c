/* spool.c: all of an input at once, wherever it comes from, without holding it in memory. */
#include "base/spool.h"

#include "base/broker.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/output_file.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void spool_release(struct spool *s)
{
	if (s->mapped)
		scope_unmap(s->mapped, s->size);
	*s = (struct spool){0};
}

int spool_create(void)
{
	const char *folder = getenv("TMPDIR");

	return open(folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static VECTOR(int) prepared;

void spool_prepare(void)
{
	int fd = spool_create();

	if (fd >= 0)
		vector_push(&prepared, fd);
}

/* Get an unnamed file, in memory if no other can be created. */
static int spool_open(void)
{
	int fd = prepared.len ? prepared.items[--prepared.len] : spool_create();

	if (fd < 0 && errno == EACCES && broker_is_running())
		fd = broker_ask(BROKER_SPOOL, "", NULL);
	return scope_fd(fd >= 0 ? fd : memfd_create("kiln-spool", MFD_CLOEXEC));
}

static bool spool_copy(struct input *in, int fd, struct error *err)
{
	uint64_t size = 0;

	do {
		if (!input_fill(in, 1, err) || !output_write_fd(fd, in->window, err))
			return false;
		size += in->window.len;
		if (size > SPOOL_LIMIT)
			return error_set(err, ERR_LIMIT, "more than %llu GiB through a pipe",
				(unsigned long long)(SPOOL_LIMIT >> 30));
		input_skip(in, in->window.len);
	} while (!in->ended);
	return true;
}

static bool spool_map(int fd, struct spool *s, struct bytes *ret_content, struct error *err)
{
	off_t size = lseek(fd, 0, SEEK_CUR);
	void *at = scope_mapping(
		mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0), (size_t)size);

	if (at == MAP_FAILED && errno == ENOMEM)
		return error_set(err, ERR_MEMORY, "no memory to map %lld bytes from a pipe",
			(long long)size);
	if (at == MAP_FAILED)
		return error_errno(err, "cannot map the data from the pipe");
	*s = (struct spool){at, (size_t)size};
	*ret_content = (struct bytes){at, (size_t)size};
	return true;
}

bool spool_input(struct spool *s, struct input *in, struct bytes *ret_content, struct error *err)
{
	bool done;
	int fd;

	if (input_can_map(in))
		return input_whole(in, INPUT_MAP_LIMIT, ret_content, err);
	fd = spool_open();
	if (fd < 0)
		return error_errno(err, "cannot spool the data from the pipe");
	done = spool_copy(in, fd, err) && spool_map(fd, s, ret_content, err);
	scope_close(fd);
	return done;
}
