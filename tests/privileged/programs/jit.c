/* jit.c: a just-in-time compiler: jit SECONDS. Makes made_early and runs it so long, then made_late
 * and runs it for 0.15 s. Says so in /tmp/perf-PID.map, with the pid of its own namespace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* push %rbp; mov %rsp,%rbp; mov $1000000,%ecx; loop: dec %ecx; jnz loop; pop %rbp; ret */
static const unsigned char code[] = {
	0x55, 0x48, 0x89, 0xe5, 0xb9, 0x40, 0x42, 0x0f, 0x00, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef void (*function)(void);

/* Compile it to `at`, and tell of it. */
static function make(unsigned char *at, const char *name, FILE *map)
{
	function made;

	memcpy(at, code, sizeof(code));
	memcpy(&made, &at, sizeof(at));
	fprintf(map, "%lx %zx %s\n", (unsigned long)at, sizeof(code), name);
	fflush(map);
	return made;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	unsigned char *at = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	function made;
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (at == MAP_FAILED || !map)
		return 1;
	made = make(at, "made_early", map);
	while (cpu_seconds() < seconds)
		made();
	made = make(at + 1024, "made_late", map);
	while (cpu_seconds() < seconds + 0.15)
		made();
	return 0;
}
