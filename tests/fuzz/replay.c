/* replay.c: does a fuzz target still survive the inputs that were kept? Prints TAP, a case a file.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUT_LIMIT ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned count;

/* The bytes are in a block of exactly their size, so that sanitizers see a read behind them. */
static int replay_file(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *data;
	ssize_t got;

	if (fd < 0 || fstat(fd, &st) || (size_t)st.st_size > INPUT_LIMIT) {
		printf("not ok %u - %s: cannot be read\n", ++count, path);
		return 1;
	}
	data = malloc(st.st_size ? (size_t)st.st_size : 1);
	if (!data)
		abort();
	got = read(fd, data, (size_t)st.st_size);
	close(fd);
	if (got == st.st_size)
		LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
	free(data);
	printf("%s %u - %s\n", got == st.st_size ? "ok" : "not ok", ++count, path);
	fflush(stdout);
	return got != st.st_size;
}

/* A missing folder has no inputs. */
static int replay_folder(const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, NULL, alphasort), failed = 0;

	if (n < 0)
		return errno != ENOENT;
	for (int i = 0; i < n; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			failed |= replay_file(path);
		free(names[i]);
	}
	free(names);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		struct stat st;

		failed |= !stat(argv[i], &st) && S_ISREG(st.st_mode) ? replay_file(argv[i])
								     : replay_folder(argv[i]);
	}
	if (!count) {
		printf("not ok 1 - no inputs in %s\n", argc > 1 ? argv[1] : "(no folder given)");
		return 1;
	}
	printf("1..%u\n", count);
	return failed;
}
