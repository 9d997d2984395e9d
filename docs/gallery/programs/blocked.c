/* blocked.c: waits for the disk after each of the lines that it appends to a file.
 *
 * blocked FILE [fixed]: fixed waits once for a hundred lines. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINES 500
#define BATCH 100

__attribute__((noinline)) static void line_append(int fd, unsigned n)
{
	char line[64];
	int len = snprintf(line, sizeof(line), "%u done\n", n);
	if (write(fd, line, (size_t)len) != len)
		perror("write");
}

__attribute__((noinline)) static void log_commit(int fd)
{
	if (fsync(fd) < 0)
		perror("fsync");
}

int main(int argc, char **argv)
{
	bool fixed = argc > 2 && strcmp(argv[2], "fixed") == 0;
	int fd = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;

	if (fd < 0)
		return 1;
	for (unsigned n = 1; n <= LINES; n++) {
		line_append(fd, n);
		if (!fixed || n % BATCH == 0)
			log_commit(fd);
	}
	close(fd);
	return 0;
}
