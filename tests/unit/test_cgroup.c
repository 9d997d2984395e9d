/* test_cgroup.c: where is the control group of a process, as /proc tells it? */
#include <stdlib.h>

#include "recorders/cgroup.h"
#include "test.h"

#define UNIFIED	   "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define ROOT_MOUNT "24 1 8:1 / / rw,relatime - ext4 /dev/root rw\n"

static void find(const char *groups, const char *mounts, const char *expected)
{
	char *folder = cgroup_find(bytes_of(groups), bytes_of(mounts));

	if (!expected)
		assert_null(folder);
	else
		assert_string_equal(folder, expected);
	free(folder);
}

static void version_2(void **state)
{
	(void)state;
	find("0::/user.slice/session-1.scope\n", ROOT_MOUNT UNIFIED,
		"/sys/fs/cgroup/user.slice/session-1.scope");
	find("0::/\n", ROOT_MOUNT UNIFIED, "/sys/fs/cgroup");
	/* Other hierarchies of version 1 beside it. */
	find("2:cpu,cpuacct:/a\n1:name=systemd:/b\n0::/c\n",
		"30 24 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
		"31 24 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
		"/sys/fs/cgroup/unified/c");
}

static void version_1(void **state)
{
	(void)state;
	/* Perf events are there, even when version 2 is mounted before. */
	find("4:net_cls,perf_event:/jobs/a\n0::/c\n",
		UNIFIED "30 24 0:27 / /cg/perf rw shared:1 master:2 - cgroup cgroup "
			"rw,net_cls,perf_event\n",
		"/cg/perf/jobs/a");
	find("0::/c\n", UNIFIED "30 24 0:27 / /cg/perf rw - cgroup cgroup rw,perf_event\n", NULL);
	/* A name that only contains it is another one. */
	find("4:perf_events:/a\n0::/c\n",
		UNIFIED "30 24 0:27 / /cg/perf rw - cgroup cgroup rw,perf_events\n",
		"/sys/fs/cgroup/c");
}

static void containers(void **state)
{
	static const char part[] = "35 24 0:30 /docker/1f /sys/fs/cgroup ro - cgroup2 cgroup rw\n";

	(void)state;
	find("0::/docker/1f/a\n", part, "/sys/fs/cgroup/a");
	find("0::/docker/1f\n", part, "/sys/fs/cgroup");
	find("0::/docker/1f0\n", part, NULL); /* the name goes on: another group */
	find("0::/elsewhere\n", part, NULL);
	find("0::/../other\n", UNIFIED, NULL); /* outside of the namespace */
}

static void nothing(void **state)
{
	(void)state;
	find("", "", NULL);
	find("0::/a\n", ROOT_MOUNT, NULL);
	find("", UNIFIED, NULL);
	find("0:", UNIFIED, NULL);
	find("0::/a", "35 24 0:30 / /sys/fs/cgroup rw", NULL);
	find("0::/a", "- - - - -", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_2),
		cmocka_unit_test(version_1),
		cmocka_unit_test(containers),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
