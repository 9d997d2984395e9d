/* ring_sizes.c: how much memory do rings of events get, and how much of a stack is copied? */
#include "recorders/perf/ring_sizes.h"

#include "images/arch.h"
#include "recorders/capabilities.h"

#include <linux/capability.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define RING_MAX       ((uint64_t)64 << 20) /* bytes */
#define RING_TIME      400		    /* ms of samples for which a ring should have room */
#define RING_TIME_LESS 150		    /* ... below which smaller stack copies are taken */
#define RECORD_REST    2048 /* bytes of a sample besides its stack copy: registers, kernel frames */

static uint64_t page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t power_of_two(uint64_t at_least)
{
	uint64_t size = page_size();

	while (size < at_least)
		size <<= 1;
	return size;
}

/* Bytes that this user may map of rings of one recording. */
static uint64_t lockable(const struct perf_features *features, size_t cpus)
{
	uint64_t kilobytes = 516, limit = 0;
	struct rlimit locked = {0};
	FILE *f = fopen("/proc/sys/kernel/perf_event_mlock_kb", "re");

	if (f) {
		unsigned long long value;

		if (fscanf(f, "%llu", &value) == 1)
			kilobytes = value;
		fclose(f);
	}
	if (features->paranoid < 0 || capability_held(CAP_IPC_LOCK))
		limit = (uint64_t)sysconf(_SC_PHYS_PAGES) * page_size() / 8;
	else if (!getrlimit(RLIMIT_MEMLOCK, &locked))
		limit = kilobytes * 1024 * cpus +
			(locked.rlim_cur < UINT64_MAX / 2 ? locked.rlim_cur : UINT64_MAX / 2);
	return limit;
}

static uint64_t ring_for(uint64_t frequency, uint64_t stack_bytes, uint64_t ms)
{
	return frequency * (stack_bytes + RECORD_REST) * ms / 1000;
}

struct ring_sizes ring_sizes_choose(const struct perf_features *features,
	const struct record_options *o, bool by_program, uint64_t frequency, size_t cpus)
{
	bool copies = o->stacks == STACKS_TABLES && !o->kernel_only && arch_native() && !by_program;
	uint64_t limit = lockable(features, cpus) / cpus;
	struct ring_sizes s = {0};

	s.regs_mask = copies ? arch_perf_mask(arch_native()) : 0;
	s.stack_bytes = !copies ? 0 : o->stack_bytes ? o->stack_bytes : STACK_BYTES_MAX;
	s.ring_bytes = power_of_two(
		o->ring_bytes ? o->ring_bytes : ring_for(frequency, s.stack_bytes, RING_TIME));
	if (o->ring_bytes)
		return s;
	if (s.ring_bytes > RING_MAX)
		s.ring_bytes = RING_MAX;
	while (s.ring_bytes + RING_TRACKING + 2 * page_size() > limit && s.ring_bytes > RING_MIN)
		s.ring_bytes >>= 1;
	if (copies && !o->stack_bytes && s.ring_bytes != RING_MAX &&
		s.ring_bytes < ring_for(frequency, STACK_BYTES_MAX, RING_TIME_LESS))
		s.stack_bytes = STACK_BYTES_SMALL;
	return s;
}

bool ring_sizes_obstacle(struct obstacle *ret)
{
	obstacle_set(ret, ERR_PERMISSION,
		"locked memory is limited, so that stacks deeper than 16 KB are truncated");
	obstacle_remedy(ret, "for 64 KB run as root, or raise ulimit -l");
	return obstacle_command(ret, "sudo prlimit --memlock=unlimited --pid $$");
}
