/* test_packages.c: which package or server has the symbols of a file, and which setting has names
 * of compiled code? */
#include "test.h"

#include "checks/packages.h"
#include "names/runtimes.h"
#include "support/work_folder.h"

/* A file system in the work folder, new for each test. */
static char root[256];

static void put(const char *path, const char *text)
{
	char name[256];

	snprintf(name, sizeof(name), "root%s", path);
	work_run("mkdir -p \"$(dirname '%s')\"", name);
	work_write(name, text);
}

static int begin(void **state)
{
	(void)state;
	work_run("rm -rf root && mkdir root");
	snprintf(root, sizeof(root), "%s", work_path("root"));
	return 0;
}

static void advises(const char *path, const char *command)
{
	struct buffer text = {0};
	struct packages p;

	packages_find(&p, root);
	packages_advise(&p, path, &text);
	assert_string_equal(text.at, command);
	buffer_release(&text);
}

static void installs(const char *release, const char *command)
{
	struct buffer text = {0};
	struct packages p;

	put("/etc/os-release", release);
	packages_find(&p, root);
	packages_install(&p, "xdg-utils", &text);
	assert_string_equal(text.len ? text.at : "", command);
	buffer_release(&text);
}

static void put_debian(void)
{
	put("/etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n");
	put("/var/lib/dpkg/info/libc6:amd64.list",
		"/.\n/lib\n/lib/x86_64-linux-gnu\n/lib/x86_64-linux-gnu/libc.so.6\n");
	put("/var/lib/dpkg/info/zlib1g:amd64.list", "/.\n/lib/x86_64-linux-gnu/libz.so.1.2.13\n");
	put("/var/lib/dpkg/info/coreutils.list", "/.\n/bin\n/bin/ls\n/usr/bin/sort\n");
	put("/var/lib/dpkg/info/coreutils.md5sums", "/usr/bin/other\n");
}

static void debian_by_its_lists(void **state)
{
	const char *servers = "export DEBUGINFOD_URLS=https://debuginfod.debian.net";

	(void)state;
	put_debian();
	/* The C library's symbols are in the usual archive, others are not. */
	advises("/usr/lib/x86_64-linux-gnu/libc.so.6", "sudo apt install libc6-dbg");
	advises("/lib/x86_64-linux-gnu/libc.so.6", "sudo apt install libc6-dbg");
	advises("/usr/bin/ls", servers);
	put("/etc/apt/sources.list", "# deb http://deb.debian.org/debian-debug\n");
	advises("/usr/bin/ls", servers);
	put("/etc/apt/sources.list.d/debug.list",
		"deb http://deb.debian.org/debian-debug bookworm-debug main\n");
	advises("/usr/bin/ls", "sudo apt install coreutils-dbgsym");
	advises("/bin/sort", "sudo apt install coreutils-dbgsym");
	/* No file of a package, and only a part of a name. */
	advises("/usr/bin/other", servers);
	advises("/usr/bin/so", servers);
	advises("/bin/l", servers);
	advises("/usr/lib/x86_64-linux-gnu/libz.so.1", servers);
}

/* The link is not in the list; the file that it leads to is. */
static void links_of_libraries(void **state)
{
	(void)state;
	put_debian();
	put("/etc/apt/sources.list",
		"deb http://deb.debian.org/debian-debug bookworm-debug main\n");
	put("/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", "");
	work_run("ln -s libz.so.1.2.13 root/usr/lib/x86_64-linux-gnu/libz.so.1");
	advises("/usr/lib/x86_64-linux-gnu/libz.so.1", "sudo apt install zlib1g-dbgsym");
}

static void other_distributions(void **state)
{
	(void)state;
	installs("ID=fedora\n", "sudo dnf install xdg-utils");
	advises("/usr/bin/ls", "sudo dnf debuginfo-install \"$(rpm -qf /usr/bin/ls)\"");
	installs("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "sudo dnf install xdg-utils");
	installs("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "sudo apt install xdg-utils");
	advises("/usr/bin/ls", "export DEBUGINFOD_URLS=https://debuginfod.ubuntu.com");
	installs("NAME=Arch\nID=arch\n", "sudo pacman -S xdg-utils");
	advises("/usr/bin/ls", "export DEBUGINFOD_URLS=https://debuginfod.archlinux.org");
	installs("ID=alpine\n", "sudo apk add xdg-utils");
	installs("ID=plan9\n", "");
	advises("/usr/bin/ls", "export DEBUGINFOD_URLS=https://debuginfod.elfutils.org");
	installs("ID=\nID_LIKE\n=\nID=\"", "");
	installs("", "");
}

static void runtimes_by_their_programs(void **state)
{
	(void)state;
	assert_string_equal(runtime_of(BYTES("node"))->title, "Node.js");
	assert_string_equal(runtime_of(BYTES("python3"))->title, "Python");
	assert_string_equal(runtime_of(BYTES("python3.12"))->title, "Python");
	assert_null(runtime_of(BYTES("nodejs-exporter")));
	assert_null(runtime_of(BYTES("javac")));
	assert_null(runtime_of(BYTES("")));
	assert_true(runtime_is_too_old(runtime_of(BYTES("python3.11")), BYTES("python3.11")));
	assert_false(runtime_is_too_old(runtime_of(BYTES("python3.12")), BYTES("python3.12")));
	assert_false(runtime_is_too_old(runtime_of(BYTES("python3")), BYTES("python3")));
	assert_false(runtime_is_too_old(runtime_of(BYTES("java")), BYTES("java")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(debian_by_its_lists, begin),
		cmocka_unit_test_setup(links_of_libraries, begin),
		cmocka_unit_test_setup(other_distributions, begin),
		cmocka_unit_test(runtimes_by_their_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
