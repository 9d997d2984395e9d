/* requests.c: asks a block device for what is known: requests DEVICE COUNT [GO].
 *
 * One thread writes, one reads, one flushes, one discards, each in its own part of the device. Says
 * "function bytes requests" of each, and what the device's own counters went up by: "device reads
 * sectors writes sectors discards flushes". Begins when the file GO is there. Or requests DEVICE
 * COUNT merge | mortal GO: writes at once, without waiting for each, that can be merged; or that a
 * thread makes which ends before they do, when GO is there. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PART   (8l << 20) /* of the device, for each thread */
#define BLOCK  4096l
#define AHEAD  120 /* requests that a loop device takes at once are a few more */
#define MOST   16  /* blocks of a request */
#define COLUMN 17

static int fd;
static long count;

struct done {
	const char *name;
	long bytes, requests;
};

static char *blocks(void)
{
	char *at = aligned_alloc(BLOCK, MOST * BLOCK);

	memset(at, 'x', MOST * BLOCK);
	return at;
}

__attribute__((noinline)) static void *writes(void *context)
{
	struct done *done = context;
	unsigned seed = 1;
	char *buffer = blocks();

	for (long i = 0; i < count; i++) {
		long len = (1 + rand_r(&seed) % MOST) * BLOCK;
		long at = rand_r(&seed) % (PART / BLOCK - MOST) * BLOCK;

		if (pwrite(fd, buffer, (size_t)len, at) != len)
			exit(1);
		done->bytes += len;
		done->requests++;
	}
	free(buffer);
	return NULL;
}

__attribute__((noinline)) static void *reads(void *context)
{
	struct done *done = context;
	unsigned seed = 2;
	char *buffer = blocks();

	for (long i = 0; i < count; i++) {
		long len = (1 + rand_r(&seed) % MOST) * BLOCK;
		long at = PART + rand_r(&seed) % (PART / BLOCK - MOST) * BLOCK;

		if (pread(fd, buffer, (size_t)len, at) != len)
			exit(1);
		done->bytes += len;
		done->requests++;
	}
	free(buffer);
	return NULL;
}

__attribute__((noinline)) static void *flushes(void *context)
{
	struct done *done = context;

	for (long i = 0; i < count / 10; i++, done->requests++)
		if (fsync(fd))
			exit(1);
	return NULL;
}

__attribute__((noinline)) static void *discards(void *context)
{
	struct done *done = context;
	uint64_t range[2] = {2 * PART, 16 * BLOCK};

	for (long i = 0; i < count / 10; i++, done->requests++)
		if (ioctl(fd, BLKDISCARD, range)) {
			if (i || (errno != EOPNOTSUPP && errno != ENOTTY))
				exit(1);
			break;
		}
	return NULL;
}

/* ---- Many at once ---- */

static aio_context_t aio;

/* Blocks 0, 2, 1; 4, 6, 5; ...: the third is put in front of the second, both then behind the
 * first. Or apart: 0, 2, 4, ... */
__attribute__((noinline)) static void submit(bool apart)
{
	static struct iocb each[AHEAD];
	struct iocb *all[AHEAD];
	char *buffer = blocks();

	for (long i = 0; i < AHEAD; i++) {
		each[i] = (struct iocb){.aio_lio_opcode = IOCB_CMD_PWRITE,
			.aio_fildes = (uint32_t)fd,
			.aio_buf = (uintptr_t)buffer,
			.aio_nbytes = BLOCK,
			.aio_offset = (apart ? i * 2 : i / 3 * 4 + (3 - i % 3) % 3) * BLOCK};
		all[i] = &each[i];
	}
	if (syscall(SYS_io_submit, aio, AHEAD, all) != AHEAD)
		exit(1);
}

static void reap(void)
{
	struct io_event events[AHEAD];

	if (syscall(SYS_io_getevents, aio, AHEAD, AHEAD, events, NULL) != AHEAD)
		exit(1);
}

static void *mortal(void *context)
{
	prctl(PR_SET_NAME, "mortal");
	submit(true);
	return context;
}

static int at_once(bool merge, const char *go)
{
	pthread_t thread;

	if (syscall(SYS_io_setup, AHEAD, &aio))
		return 1;
	for (long i = 0; merge && i < count; i++) {
		submit(false);
		reap();
	}
	if (merge)
		return 0;
	pthread_create(&thread, NULL, mortal, NULL);
	pthread_join(thread, NULL);
	close(creat(go, 0600));
	reap();
	return 0;
}

/* ---- The device's own counters ---- */

static void counters(const char *device, long *ret_columns)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/block/%s/stat", strrchr(device, '/') + 1);
	file = fopen(path, "r");
	for (int i = 0; file && i < COLUMN; i++)
		if (fscanf(file, "%ld", &ret_columns[i]) != 1)
			ret_columns[i] = 0;
	if (file)
		fclose(file);
}

int main(int argc, char **argv)
{
	static void *(*const functions[])(void *) = {writes, reads, flushes, discards};
	struct done done[] = {
		{"writes", 0, 0}, {"reads", 0, 0}, {"flushes", 0, 0}, {"discards", 0, 0}};
	static const int columns[] = {0, 2, 4, 6, 11, 15};
	long before[COLUMN] = {0}, after[COLUMN] = {0};
	pthread_t threads[4];

	if (argc < 3)
		return 2;
	fd = open(argv[1], O_RDWR | O_DIRECT);
	count = atol(argv[2]);
	if (fd < 0)
		return 1;
	if (argc > 4)
		return at_once(!strcmp(argv[3], "merge"), argv[4]);
	while (argc > 3 && access(argv[3], F_OK))
		usleep(1000);
	counters(argv[1], before);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, functions[i], &done[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	counters(argv[1], after);
	for (int i = 0; i < 4; i++)
		printf("%s %ld %ld\n", done[i].name, done[i].bytes, done[i].requests);
	printf("device");
	for (int i = 0; i < 6; i++)
		printf(" %ld", after[columns[i]] - before[columns[i]]);
	printf("\n");
	return 0;
}
