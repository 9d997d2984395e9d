/* churn.c: two threads map a page of a file for each record that they read, and unmap it again.
 *
 * churn FILE [fixed]: fixed maps the file once. */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define THREADS 2
#define LOOKUPS 100000
#define PAGE	4096

static int fd;
static size_t pages;
static const char *whole; /* fixed: the file */

__attribute__((noinline)) static char record_map(size_t page)
{
	char *p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, (off_t)(page * PAGE));
	if (p == MAP_FAILED)
		return 0;
	char c = p[page % PAGE];
	munmap(p, PAGE);
	return c;
}

static void *worker(void *arg)
{
	size_t *sum = arg;
	for (size_t i = 0; i < LOOKUPS; i++) {
		size_t page = i * 2654435761u % pages;
		*sum += (unsigned char)(whole ? whole[page * PAGE + page % PAGE]
					      : record_map(page));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	bool fixed = argc > 2 && strcmp(argv[2], "fixed") == 0;
	pthread_t threads[THREADS];
	size_t sums[THREADS] = {0};
	struct stat st;

	fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < PAGE)
		return 1;
	pages = (size_t)st.st_size / PAGE;
	if (fixed)
		whole = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (whole == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, &sums[i]);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%zu\n", sums[0] + sums[1]);
	return 0;
}
