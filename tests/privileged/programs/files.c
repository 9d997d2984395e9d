/* files.c: threads that read and write files, and know how much: files FOLDER ROUNDS [GO]. Prints
 * lines "FUNCTION FILE BYTES CALLS" of regular files; pipes and sockets are used besides. With GO,
 * it waits for that file. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define CALLED __attribute__((noinline, noipa))

static int rounds;
static char shared[4096]; /* the path of a file that all threads read and write */

struct tally {
	const char *function, *file;
	long bytes, calls;
};

/* One that all functions of a kind count in. */
CALLED static void took(struct tally *t, long got)
{
	t->bytes += got > 0 ? got : 0;
	t->calls++;
}

CALLED static void print(const struct tally *t)
{
	flockfile(stdout);
	fprintf(stderr, "%s %s %ld %ld\n", t->function, t->file, t->bytes, t->calls);
	funlockfile(stdout);
}

static int opened(const char *path, int flags)
{
	int fd = open(path, flags | O_CREAT, 0600);

	if (fd < 0)
		exit(1);
	return fd;
}

CALLED static void writes(int fd, struct tally *t, int by)
{
	char bytes[70000];

	memset(bytes, 'x', sizeof(bytes));
	for (int i = 0; i < rounds; i++) {
		size_t len = (size_t)(i * by % (int)sizeof(bytes));
		struct iovec parts[] = {{bytes, len / 3}, {bytes, len - len / 3}};

		took(t, i % 5 == 0   ? write(fd, bytes, len)
			: i % 5 == 1 ? pwrite(fd, bytes, len, 0)
			: i % 5 == 2 ? writev(fd, parts, 2)
			: i % 5 == 3 ? pwritev(fd, parts, 2, 7)
				     : pwritev2(fd, parts, 2, 9, 0));
	}
}

CALLED static void reads(int fd, struct tally *t, int by)
{
	char bytes[70000];

	for (int i = 0; i < rounds; i++) {
		size_t len = (size_t)(i * by % (int)sizeof(bytes));
		struct iovec parts[] = {{bytes, len / 3}, {bytes, len - len / 3}};

		took(t, i % 5 == 0   ? read(fd, bytes, len)
			: i % 5 == 1 ? pread(fd, bytes, len, 3)
			: i % 5 == 2 ? readv(fd, parts, 2)
			: i % 5 == 3 ? preadv(fd, parts, 2, 7)
				     : preadv2(fd, parts, 2, 9, 0));
	}
}

CALLED static void syncs(int fd, struct tally *t)
{
	for (int i = 0; i < 4; i++)
		took(t, i % 2 ? fsync(fd) : fdatasync(fd));
}

/* None of it is a regular file; and what fails is. */
CALLED static void others(int fd, struct tally *t)
{
	int ends[2], sockets[2], null = open("/dev/null", O_RDWR);
	char bytes[1000] = {0};

	if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		exit(1);
	for (int i = 0; i < rounds; i++) {
		if (write(ends[1], bytes, 1000) != 1000 || read(ends[0], bytes, 1000) != 1000 ||
			write(sockets[1], bytes, 999) != 999 ||
			read(sockets[0], bytes, 1000) != 999 || write(null, bytes, 9) != 9 ||
			read(-1, bytes, 9) != -1)
			exit(1);
	}
	took(t, write(fd, bytes, 1000)); /* opened for reading */
	close(ends[0]);
	close(ends[1]);
	close(sockets[0]);
	close(sockets[1]);
	close(null);
}

static void *thread(void *number)
{
	int own = (int)(long)number;
	char path[5000];
	const char *name;
	int fd, rd, both;

	snprintf(path, sizeof(path), "%.4000s.%d", shared, own);
	name = strrchr(path, '/') + 1;
	fd = opened(path, O_WRONLY);
	rd = opened(path, O_RDONLY);
	both = opened(shared, O_RDWR);
	struct tally w = {"writes", name, 0, 0}, r = {"reads", name, 0, 0},
		     s = {"syncs", name, 0, 0}, o = {"others", name, 0, 0};
	struct tally ws = {"writes", strrchr(shared, '/') + 1, 0, 0};
	struct tally rs = {"reads", strrchr(shared, '/') + 1, 0, 0};

	writes(fd, &w, 1009 + own);
	reads(rd, &r, 907 + own);
	writes(both, &ws, 61 + own);
	reads(both, &rs, 71 + own);
	syncs(fd, &s);
	others(rd, &o);
	print(&w);
	print(&r);
	print(&ws);
	print(&rs);
	print(&s);
	print(&o);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];

	if (argc < 3)
		return 2;
	usleep(300000); /* until the kernel knows unwind tables of a program that has just begun */
	while (argc > 3 && access(argv[3], F_OK))
		usleep(10000);
	snprintf(shared, sizeof(shared), "%s/all", argv[1]);
	rounds = atoi(argv[2]);
	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
