/* test_perf_map.c: are entries found, overlaps resolved, and hostile maps refused? */
#include "test.h"

#include "base/buffer.h"
#include "images/perf_map.h"
#include "images/runtime_file.h"

#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void assert_entry(struct perf_map *map, uint64_t address, const char *expected)
{
	struct code_piece piece;

	if (!expected) {
		assert_false(code_map_find(perf_map_code(map), address, CODE_LATEST, &piece));
		return;
	}
	assert_true(code_map_find(perf_map_code(map), address, CODE_LATEST, &piece));
	assert_bytes_equal(piece.name, expected);
	assert_true(piece.start <= address && address - piece.start < piece.size);
}

/* The map of a process, as a recorder opens and reads it. */
static struct perf_map *perf_map_open(int32_t pid, struct error *err)
{
	struct perf_map *map = perf_map_new();
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", runtime_file_pid(pid));
	fd = runtime_file_open(pid, name, err);
	if (fd >= 0 && perf_map_read(map, fd, true, &(struct runtime_budget){0}, err)) {
		close(fd);
		return map;
	}
	if (fd >= 0)
		close(fd);
	perf_map_release(map);
	return NULL;
}

static void entries_are_found(void **state)
{
	struct perf_map *map = perf_map_parse(
		BYTES("1000 10 JS:*fast /a b.js:1\n0x2000 0x20 other\r\n3000 8 last"));

	(void)state;
	assert_entry(map, 0x0fff, NULL);
	assert_entry(map, 0x1000, "JS:*fast /a b.js:1");
	assert_entry(map, 0x100f, "JS:*fast /a b.js:1");
	assert_entry(map, 0x1010, NULL);
	assert_entry(map, 0x201f, "other");
	assert_entry(map, 0x3007, "last");
	assert_int_equal(code_map_counts(perf_map_code(map)).pieces, 3);
	assert_int_equal(code_map_counts(perf_map_code(map)).overlapping, 0);
	perf_map_release(map);
}

static void the_last_writer_wins(void **state)
{
	struct perf_map *map = perf_map_parse(BYTES("1000 100 old\n1040 20 inside\n0ff0 20 start\n"
						    "10f0 20 end\n1040 10 newest\n"));

	(void)state;
	assert_entry(map, 0x1008, "start");
	assert_entry(map, 0x1010, "old");
	assert_entry(map, 0x1048, "newest");
	assert_entry(map, 0x1050, "inside");
	assert_entry(map, 0x1060, "old");
	assert_entry(map, 0x10f0, "end");
	assert_entry(map, 0x110f, "end");
	assert_int_equal(code_map_counts(perf_map_code(map)).overlapping, 4);
	perf_map_release(map);
}

/* Compared with painting every address in the order of the lines. */
static void random_overlaps_agree_with_painting(void **state)
{
	enum { SPACE = 4096, ENTRIES = 300 };
	static int painted[SPACE];
	struct buffer text = {0};
	struct perf_map *map;
	unsigned seed = 7;

	(void)state;
	memset(painted, -1, sizeof(painted));
	for (int i = 0; i < ENTRIES; i++) {
		unsigned start = (unsigned)rand_r(&seed) % SPACE;
		unsigned size = 1 + (unsigned)rand_r(&seed) % (i % 10 ? 40 : 600);

		buffer_printf(&text, "%x %x f%d\n", start + 0x10000, size, i);
		for (unsigned at = start; at < start + size && at < SPACE; at++)
			painted[at] = i;
	}
	map = perf_map_parse(buffer_bytes(&text));
	for (unsigned at = 0; at < SPACE; at++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", painted[at]);
		assert_entry(map, at + 0x10000, painted[at] < 0 ? NULL : name);
	}
	perf_map_release(map);
	buffer_release(&text);
}

static void bad_lines_are_counted(void **state)
{
	struct perf_map *map = perf_map_parse(
		BYTES("hello\n\n1000\n1000 10\n1000 10 \n1000 0 empty\nffffffffffffffff 10 wraps\n"
		      "zz 10 x\n2000 10 good\n"));

	(void)state;
	assert_int_equal(code_map_counts(perf_map_code(map)).pieces, 1);
	assert_int_equal(perf_map_malformed(map), 7);
	assert_entry(map, 0x2001, "good");
	perf_map_release(map);
}

/* ---- Files of processes ---- */

static char path[64];

static int remove_file(void **state)
{
	(void)state;
	if (*path)
		unlink(path);
	*path = 0;
	return 0;
}

static void write_map(const char *content)
{
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(content, file);
	fclose(file);
}

static void our_own_map_is_read(void **state)
{
	struct error err = {0};
	struct perf_map *map;

	(void)state;
	write_map("4000 10 jitted\n");
	map = perf_map_open(getpid(), &err);
	if (!map)
		fail_msg("%s", err.text);
	assert_entry(map, 0x4004, "jitted");
	perf_map_release(map);
}

static void links_fifos_and_directories_are_refused(void **state)
{
	struct error err = {0};

	(void)state;
	write_map("");
	assert_int_equal(unlink(path), 0);
	assert_null(perf_map_open(getpid(), &err));
	assert_int_equal(err.code, ERR_IO);

	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_null(perf_map_open(getpid(), &err));
	assert_int_equal(unlink(path), 0);

	assert_int_equal(mkfifo(path, 0600), 0);
	err = (struct error){0};
	assert_null(perf_map_open(getpid(), &err)); /* and does not wait for a writer */
	assert_int_equal(err.code, ERR_FORMAT);
	assert_int_equal(unlink(path), 0);

	assert_int_equal(mkdir(path, 0700), 0);
	assert_null(perf_map_open(getpid(), &err));
	assert_int_equal(rmdir(path), 0);
}

static void maps_of_strangers_are_refused(void **state)
{
	struct error err = {0};

	(void)state;
	if (geteuid())
		skip_without("root, to give files away");
	write_map("4000 10 jitted\n");
	assert_int_equal(chown(path, 12345, 12345), 0);
	assert_null(perf_map_open(getpid(), &err));
	assert_int_equal(err.code, ERR_PERMISSION);
	assert_non_null(strstr(err.text, "12345"));
}

/* A process in pid and mount namespaces of its own names its map by its pid in that namespace, in
 * its own /tmp. */
static void maps_in_namespaces_are_found(void **state)
{
	int ready[2], done[2];
	char byte;
	pid_t outer, inner = 0;

	(void)state;
	if (geteuid())
		skip_without("root, for namespaces");
	assert_int_equal(pipe(ready) | pipe(done), 0);
	outer = fork();
	if (!outer) {
		if (unshare(CLONE_NEWPID | CLONE_NEWNS))
			_exit(1);
		inner = fork();
		if (!inner) {
			const char *script =
				"mount --make-rprivate / && mount -t tmpfs none /tmp && "
				"printf '5000 10 inside\\n' >/tmp/perf-1.map";

			if (system(script) || write(ready[1], "x", 1) != 1)
				_exit(1);
			_exit(read(done[0], &byte, 1) != 1);
		}
		if (write(ready[1], &inner, sizeof(inner)) != sizeof(inner))
			_exit(1);
		_exit(waitpid(inner, NULL, 0) != inner);
	}
	/* The number and the byte come in either order. */
	{
		char got[sizeof(inner) + 1];
		size_t len = 0;
		struct error err = {0};
		struct perf_map *map;

		close(ready[1]);
		while (len < sizeof(got)) {
			ssize_t n = read(ready[0], got + len, sizeof(got) - len);

			if (n <= 0)
				skip_without("root that may make namespaces and mount in them");
			len += (size_t)n;
		}
		memcpy(&inner, got[0] == 'x' && got[sizeof(inner)] != 'x' ? got + 1 : got,
			sizeof(inner));
		map = perf_map_open(inner, &err);
		assert_int_equal(write(done[1], "x", 1), 1);
		waitpid(outer, NULL, 0);
		if (!map)
			fail_msg("%s", err.text);
		assert_entry(map, 0x5001, "inside");
		perf_map_release(map);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_found),
		cmocka_unit_test(the_last_writer_wins),
		cmocka_unit_test(random_overlaps_agree_with_painting),
		cmocka_unit_test(bad_lines_are_counted),
		cmocka_unit_test_teardown(our_own_map_is_read, remove_file),
		cmocka_unit_test_teardown(links_fifos_and_directories_are_refused, remove_file),
		cmocka_unit_test_teardown(maps_of_strangers_are_refused, remove_file),
		cmocka_unit_test(maps_in_namespaces_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
