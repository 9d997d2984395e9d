/* copies.c: reads its whole file again for each record that it looks up.
 *
 * copies FILE [fixed]: fixed reads only the record. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOKUPS 600
#define RECORD	128

static char record[RECORD];

__attribute__((noinline)) static void record_from_all(int fd, char *all, size_t size, size_t at)
{
	if (pread(fd, all, size, 0) == (ssize_t)size)
		memcpy(record, all + at, RECORD);
}

__attribute__((noinline)) static void record_alone(int fd, size_t at)
{
	if (pread(fd, record, RECORD, (off_t)at) != RECORD)
		perror("pread");
}

int main(int argc, char **argv)
{
	bool fixed = argc > 2 && strcmp(argv[2], "fixed") == 0;
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	struct stat st;
	unsigned sum = 0;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < RECORD)
		return 1;
	size_t size = (size_t)st.st_size;
	char *all = malloc(size);
	for (size_t i = 0; all && i < LOOKUPS; i++) {
		size_t at = i * 2654435761u % (size - RECORD);
		if (fixed)
			record_alone(fd, at);
		else
			record_from_all(fd, all, size, at);
		sum += (unsigned char)record[i % RECORD];
	}
	printf("%u\n", sum);
	free(all);
	return 0;
}
