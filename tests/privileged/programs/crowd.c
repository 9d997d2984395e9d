/* crowd.c: many at once: crowd threads COUNT MS, crowd processes COUNT MS. So many threads, which
 * are there together, or processes, one after the other, each of which executes this program anew;
 * each burns MS / COUNT ms of CPU time or a little more in `burn`, threads in two parts around a
 * sleep. Prints the CPU time of all of them in ns, and what threads burnt of it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static pthread_barrier_t all;
static uint64_t each;	       /* ns of one of them */
static _Atomic uint64_t burnt; /* ns */

static uint64_t thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

__attribute__((noinline)) static void burn(uint64_t ns)
{
	uint64_t begin = thread_ns(), now;

	while ((now = thread_ns()) < begin + ns)
		;
	burnt += now - begin;
}

static void *work(void *nothing)
{
	pthread_barrier_wait(&all);
	burn(each / 2);
	usleep(100000);
	burn(each / 2);
	return nothing;
}

static int threads(unsigned count)
{
	pthread_t *thread = calloc(count, sizeof(*thread));
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&all, NULL, count);
	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&thread[i], &small, work, NULL))
			return 1;
	for (unsigned i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static int processes(char *self, unsigned count)
{
	char ns[32];
	char *arguments[] = {self, ns, NULL};
	pid_t pid;
	int status;

	snprintf(ns, sizeof(ns), "%llu", (unsigned long long)each);
	for (unsigned i = 0; i < count; i++)
		if (posix_spawn(&pid, self, NULL, NULL, arguments, environ) ||
			waitpid(pid, &status, 0) != pid || status)
			return 1;
	return 0;
}

static uint64_t used(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
}

int main(int count, char **arguments)
{
	unsigned many = count > 3 ? (unsigned)atoi(arguments[2]) : 0;
	int failed;

	if (count == 2) {
		burn(strtoull(arguments[1], NULL, 10));
		return 0;
	}
	if (!many)
		return 2;
	each = strtoull(arguments[3], NULL, 10) * 1000000u / many;
	failed = strcmp(arguments[1], "threads") ? processes(arguments[0], many) : threads(many);
	printf("%llu %llu\n", (unsigned long long)(used(RUSAGE_SELF) + used(RUSAGE_CHILDREN)),
		(unsigned long long)burnt);
	return failed;
}
