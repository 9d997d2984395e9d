/* lock.c: four threads format text while they hold the lock that only the counter needs.
 *
 * lock [fixed]: fixed formats first, and holds the lock for the counter alone. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define THREADS 4
#define LINES	600000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t total;
static bool fixed;

__attribute__((noinline)) static size_t line_format(unsigned n)
{
	char line[200];
	return (size_t)snprintf(
		line, sizeof(line), "%u %x %.3f %s", n, n * 2654435761u, n / 7.0, "request done");
}

__attribute__((noinline)) static void request_log(unsigned n)
{
	if (fixed) {
		size_t len = line_format(n);
		pthread_mutex_lock(&lock);
		total += len;
		pthread_mutex_unlock(&lock);
	} else {
		pthread_mutex_lock(&lock);
		total += line_format(n);
		pthread_mutex_unlock(&lock);
	}
}

static void *worker(void *arg)
{
	for (unsigned n = 0; n < LINES; n++)
		request_log(n);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	fixed = argc > 1 && strcmp(argv[1], "fixed") == 0;
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%zu bytes\n", total);
	return 0;
}
