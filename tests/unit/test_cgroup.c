/* test_cgroup.c: where is the control group of a process (/proc/PID/cgroup), and which group is
 * that of a container? */
#include "names/cgroup_names.h"
#include "recorders/cgroups/cgroup.h"
#include "recorders/cgroups/leftovers.h"
#include "recorders/cgroups/search.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
	/* The hierarchy with perf_event is used, even if version 2 is mounted first. */
	find("4:net_cls,perf_event:/jobs/a\n0::/c\n",
		UNIFIED "30 24 0:27 / /cg/perf rw shared:1 master:2 - cgroup cgroup "
			"rw,net_cls,perf_event\n",
		"/cg/perf/jobs/a");
	find("0::/c\n", UNIFIED "30 24 0:27 / /cg/perf rw - cgroup cgroup rw,perf_event\n", NULL);
	/* A controller whose name only contains perf_event is a different one. */
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

static void incomplete_files_have_no_group(void **state)
{
	(void)state;
	find("", "", NULL);
	find("0::/a\n", ROOT_MOUNT, NULL);
	find("", UNIFIED, NULL);
	find("0:", UNIFIED, NULL);
	find("0::/a", "35 24 0:30 / /sys/fs/cgroup rw", NULL);
	find("0::/a", "- - - - -", NULL);
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void of_container(const char *group, const char *container, bool start, bool expected)
{
	assert_int_equal(
		cgroup_is_of_container(bytes_of(group), bytes_of(container), start), expected);
}

static void by_id(void **state)
{
	static const char *const groups[] = {ID, "docker-" ID ".scope", "libpod-" ID,
		"crio-" ID ".scope", "libpod-" ID ".scope", "cri-containerd-" ID ".scope",
		"kubelet:cri-containerd:" ID};

	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		struct bytes shown = cgroup_container(bytes_of(groups[i]));

		of_container(groups[i], ID, false, true);
		of_container(groups[i], "0123456789ab", true, true);
		of_container(groups[i], "0123456789ab", false, false);
		of_container(groups[i], "123456789abc", true, false);
		assert_true(bytes_equal(shown, BYTES("0123456789ab")));
	}
	/* These groups are not containers, but monitors of one. */
	of_container("libpod-conmon-" ID ".scope", ID, false, false);
	of_container("crio-conmon-" ID ".scope", "0123", true, false);
	of_container("x" ID, ID, false, false);
}

static void by_name(void **state)
{
	(void)state;
	of_container("lxc.payload.web-1", "web-1", false, true);
	of_container("lxc.monitor.web-1", "web-1", false, false);
	of_container("machine-web\\x2d1.scope", "web-1", false, true);
	of_container("machine-web.scope", "web-1", false, false);
	of_container("machine-web\\x2d1.scope", "web", false, false);
	of_container("systemd-nspawn@web.service", "web", false, true);
	of_container("web", "web", false, true);
	of_container("web.slice", "web", false, false);
	assert_int_equal(cgroup_container(BYTES("system.slice")).len, 0);
}

static void shown(const char *path, const char *container, const char *expected)
{
	struct buffer name = {0};

	cgroup_short_name(bytes_of(path), bytes_of(container), &name);
	assert_true(bytes_equal(buffer_bytes(&name), bytes_of(expected)));
	buffer_release(&name);
}

static void short_names(void **state)
{
	(void)state;
	shown("/", "", "/");
	shown("", "", "/");
	shown("/system.slice/nginx.service", "", "nginx.service");
	shown("/user.slice/user-1.slice/user@1.service/app.slice/a.scope", "",
		"user@1.service/a.scope");
	shown("/system.slice", "", "system.slice");
	shown("/jobs/a", "", "jobs/a");
	shown("/system.slice/docker-" ID ".scope", "", "0123456789ab");
	shown("/system.slice/docker-" ID ".scope", "web", "web");
	shown("/kubepods/burstable/pod1/" ID "/inside/deeper", "", "0123456789ab/inside/deeper");
	/* The inner one of two. */
	shown("/docker/" ID "/machine.slice/machine-db.scope", "", "db");
}

static void own_groups(void **state)
{
	struct error err = {0};
	struct cgroup made;
	struct buffer path = {0}, outside = {0};
	struct bytes name;

	(void)state;
	if (!cgroup_create(&made, getpid(), &err))
		skip();
	name = bytes_base_name(bytes_of(made.folder));
	assert_true(cgroup_is_of_recorder(name));
	buffer_printf(&path, "/a/%.*s/b", (int)name.len, name.at);
	cgroup_outside_of_own(buffer_bytes(&path), &outside);
	assert_true(bytes_equal(buffer_bytes(&outside), BYTES("/a/b")));
	path.len = 0;
	buffer_printf(&path, "/%.*s", (int)name.len, name.at);
	cgroup_outside_of_own(buffer_bytes(&path), &outside);
	assert_true(bytes_equal(buffer_bytes(&outside), BYTES("/")));
	/* Another recorder's is a group like others. */
	path.at[path.len - 1] ^= 1;
	cgroup_outside_of_own(buffer_bytes(&path), &outside);
	assert_true(bytes_equal(buffer_bytes(&outside), buffer_bytes(&path)));
	assert_true(cgroup_remove(&made, &err));
	buffer_release(&path);
	buffer_release(&outside);
}

static void names_of_groups(void **state)
{
	(void)state;
	assert_true(cgroup_is_of_recorder(BYTES("kiln-1-0123456789abcdef")));
	assert_false(cgroup_is_of_recorder(BYTES("kiln-1")));
	assert_false(cgroup_is_of_recorder(BYTES("kiln-1-")));
	assert_false(cgroup_is_of_recorder(BYTES("kiln--0123456789abcdef")));
	assert_false(cgroup_is_of_recorder(BYTES("kiln-1-0123456789abcde")));
	assert_false(cgroup_is_of_recorder(BYTES("kiln-1-0123456789abcdef0")));
	assert_false(cgroup_is_of_recorder(BYTES("kiln-1-0123456789abcdeg")));
	assert_false(cgroup_is_of_recorder(BYTES("kiln-1-0123456789abcdef.scope")));
}

/* A recorder holds the lock of its group while it runs. Here closing the descriptor releases it, as
 * the end of a recorder does. */
static void groups_of_ended_recorders_are_removed(void **state)
{
	struct error err = {0};
	struct cgroup alive, dead;

	(void)state;
	if (!cgroup_create(&alive, getpid(), &err))
		skip();
	assert_true(cgroup_create(&dead, getpid(), &err));
	cgroups_remove_left();
	assert_int_equal(access(alive.folder, F_OK), 0);
	assert_int_equal(access(dead.folder, F_OK), 0);
	close(dead.fd);
	dead.fd = -1;
	cgroups_remove_left();
	assert_int_equal(access(alive.folder, F_OK), 0);
	assert_int_equal(access(dead.folder, F_OK), -1);
	assert_true(cgroup_remove(&dead, &err));
	assert_true(cgroup_remove(&alive, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_2),
		cmocka_unit_test(version_1),
		cmocka_unit_test(containers),
		cmocka_unit_test(incomplete_files_have_no_group),
		cmocka_unit_test(by_id),
		cmocka_unit_test(by_name),
		cmocka_unit_test(short_names),
		cmocka_unit_test(own_groups),
		cmocka_unit_test(names_of_groups),
		cmocka_unit_test(groups_of_ended_recorders_are_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
