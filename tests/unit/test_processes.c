/* test_processes.c: is the right mapping found at an address after maps, forks, execs and exits? */
#include "base/buffer.h"
#include "process/processes.h"
#include "support/record_builder.h"
#include "support/work_folder.h"
#include "test.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

struct fixture {
	struct profile profile;
	struct binaries binaries;
	struct processes processes;
};

static int setup(void **state)
{
	struct fixture *f = memory_new(1, sizeof(*f));

	profile_init(&f->profile);
	binaries_init(&f->binaries, &f->profile);
	f->binaries.closed = true;
	processes_init(&f->processes, &f->profile, &f->binaries);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	processes_release(&f->processes);
	binaries_release(&f->binaries);
	profile_release(&f->profile);
	free(f);
	return 0;
}

static void map(struct fixture *f, uint32_t pid, uint64_t start, uint64_t end, uint64_t offset,
	const char *path)
{
	struct perf_record r = {.type = PERF_RECORD_MMAP2};

	r.mmap = (struct perf_mmap){.pid = pid,
		.tid = pid,
		.start = start,
		.size = end - start,
		.offset = offset,
		.protection = PROT_READ | PROT_EXEC,
		.inode = hash_bytes(path, strlen(path)),
		.path = bytes_of(path)};
	processes_apply(&f->processes, &r);
}

static void comm(struct fixture *f, uint32_t pid, uint32_t tid, const char *name, bool exec)
{
	struct perf_record r = {.type = PERF_RECORD_COMM};

	r.comm.pid = pid;
	r.comm.tid = tid;
	r.comm.exec = exec;
	r.comm.name = bytes_of(name);
	processes_apply(&f->processes, &r);
}

static void task(struct fixture *f, uint32_t type, uint32_t pid, uint32_t tid, uint32_t parent)
{
	struct perf_record r = {.type = type};

	r.task.pid = pid;
	r.task.tid = tid;
	r.task.parent_pid = r.task.parent_tid = parent;
	processes_apply(&f->processes, &r);
}

/* The file and offset at an address, as "path+offset", or "none". */
static const char *at(struct fixture *f, int32_t pid, uint64_t address)
{
	static char text[256];
	struct process_state *process = processes_get(&f->processes, pid);
	const struct mapped *m = processes_find(&f->processes, process, address, 1);
	struct bytes path;

	if (!m)
		return "none";
	path = profile_text(&f->profile, f->profile.mappings.items[m->mapping].file);
	snprintf(text, sizeof(text), "%.*s+%llx", (int)path.len, path.at,
		(unsigned long long)(address - m->start + m->offset));
	return text;
}

static void overlays(void **state)
{
	struct fixture *f = *state;

	comm(f, 1, 1, "one", false);
	map(f, 1, 0x1000, 0x9000, 0, "/a");
	assert_string_equal(at(f, 1, 0x1000), "/a+0");
	assert_string_equal(at(f, 1, 0x8fff), "/a+7fff");
	assert_string_equal(at(f, 1, 0x9000), "none");
	assert_string_equal(at(f, 1, 0xfff), "none");
	map(f, 1, 0x3000, 0x4000, 0x500, "/b"); /* in the middle: /a is split */
	assert_string_equal(at(f, 1, 0x2fff), "/a+1fff");
	assert_string_equal(at(f, 1, 0x3000), "/b+500");
	assert_string_equal(at(f, 1, 0x4000), "/a+3000");
	map(f, 1, 0x2000, 0x5000, 0, "/c"); /* over both ends */
	assert_string_equal(at(f, 1, 0x1fff), "/a+fff");
	assert_string_equal(at(f, 1, 0x3000), "/c+1000");
	assert_string_equal(at(f, 1, 0x5000), "/a+4000");
	map(f, 1, 0x0, 0x10000, 0, "/d"); /* over all */
	assert_string_equal(at(f, 1, 0x8000), "/d+8000");
	map(f, 1, 0x20000, 0x20000, 0, "/empty");
	assert_string_equal(at(f, 1, 0x20000), "none");
}

/* The same changes on an array of one byte an address. */
static void overlays_at_random(void **state)
{
	struct fixture *f = *state;
	uint8_t model[256] = {0};
	uint32_t seed = 12345;
	char path[8];

	comm(f, 1, 1, "one", false);
	for (int round = 0; round < 2000; round++) {
		uint32_t a, b;

		seed = seed * 1664525 + 1013904223;
		a = seed >> 24;
		seed = seed * 1664525 + 1013904223;
		b = a + (seed >> 27);
		b = b > 255 ? 255 : b;
		snprintf(path, sizeof(path), "/%c", 'a' + round % 26);
		map(f, 1, a, b, 0, path);
		memset(model + a, path[1], b - a);
		seed = seed * 1664525 + 1013904223;
		a = seed >> 24;
		if (model[a])
			assert_int_equal(at(f, 1, a)[1], model[a]);
		else
			assert_string_equal(at(f, 1, a), "none");
	}
}

/* There is no room for the new mapping, but the one that it replaces is removed anyway. */
static void no_address_has_the_mapping_before(void **state)
{
	struct address_space *space = address_space_new(1);
	const struct mapped new = {.start = 0, .end = 8, .binary = 2};

	(void)state;
	for (uint64_t i = 0; i < ADDRESS_SPACE_LIMIT; i++)
		address_space_map(
			space, &(struct mapped){.start = i * 16, .end = i * 16 + 16, .binary = 1});
	assert_int_equal(address_space_find(space, 0)->binary, 1);
	address_space_map(space, &new);
	assert_null(address_space_find(space, 0));
	assert_int_equal(address_space_find(space, 8)->binary, 1);
	address_space_unref(&space);
}

static void forks_and_execs(void **state)
{
	struct fixture *f = *state;

	comm(f, 1, 1, "shell", false);
	map(f, 1, 0x1000, 0x2000, 0, "/bin/sh");
	task(f, PERF_RECORD_FORK, 2, 2, 1);
	assert_string_equal(at(f, 2, 0x1000), "/bin/sh+0");
	map(f, 1, 0x5000, 0x6000, 0, "/parent"); /* only in the parent */
	assert_string_equal(at(f, 2, 0x5000), "none");
	assert_string_equal(at(f, 1, 0x5000), "/parent+0");
	comm(f, 2, 2, "ls",
		true); /* still called from the old program, until something is mapped */
	assert_string_equal(at(f, 2, 0x1000), "/bin/sh+0");
	map(f, 2, 0x4000, 0x5000, 0, "/bin/ls");
	assert_string_equal(at(f, 2, 0x4000), "/bin/ls+0");
	assert_string_equal(at(f, 2, 0x1000), "none");
	assert_string_equal(at(f, 1, 0x1000), "/bin/sh+0");
	assert_true(processes_descends(&f->processes, 2, 1));
	assert_false(processes_descends(&f->processes, 1, 2));
	task(f, PERF_RECORD_EXIT, 2, 2, 1);
	task(f, PERF_RECORD_FORK, 2, 2, 1); /* the pid is used again */
	assert_string_equal(at(f, 2, 0x1000), "/bin/sh+0");
}

static struct bytes thread_name(struct fixture *f, int32_t pid, int32_t tid)
{
	thread_id id = processes_thread(&f->processes, pid, tid);
	const struct thread *t = &f->profile.threads.items[id];

	assert_int_equal(t->tid, tid);
	assert_int_equal(f->profile.processes.items[t->process].pid, pid);
	return profile_text(&f->profile, t->name);
}

static void names(void **state)
{
	struct fixture *f = *state;
	thread_id before;

	comm(f, 1, 1, "main", false);
	task(f, PERF_RECORD_FORK, 1, 5, 1); /* a thread */
	assert_bytes_equal(thread_name(f, 1, 5), "main");
	before = processes_thread(&f->processes, 1, 5);
	assert_int_equal(before, processes_thread(&f->processes, 1, 5));
	comm(f, 1, 5, "worker", false);
	assert_bytes_equal(thread_name(f, 1, 5), "worker");
	assert_int_not_equal(before, processes_thread(&f->processes, 1, 5));
	assert_bytes_equal(thread_name(f, 1, 1), "main");
	assert_bytes_equal(thread_name(f, 0, 0), "swapper");
}

static void maps_text(void **state)
{
	struct fixture *f = *state;
	struct bytes text =
		BYTES("55e0c0a00000-55e0c0a02000 r--p 00000000 08:01 1313    /usr/bin/a b\n"
		      "55e0c0a02000-55e0c0a06000 r-xp 00002000 08:01 1313    /usr/bin/a b\n"
		      "7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n"
		      "this is no mapping\n"
		      "7f0000002000-7f0000003000 r-xp 00000000 08:01 9    /tmp/gone (deleted)\n");

	comm(f, 7, 7, "x", false);
	processes_read_maps(&f->processes, 7, text);
	assert_string_equal(at(f, 7, 0x55e0c0a02010), "/usr/bin/a b+2010");
	assert_string_equal(at(f, 7, 0x55e0c0a00010), "none"); /* not executable */
	assert_string_equal(at(f, 7, 0x7f0000000010), "//anon+10");
	assert_string_equal(at(f, 7, 0x7f0000002000), "/tmp/gone+0");
	processes_read_maps(
		&f->processes, 7, BYTES("")); /* it exits: what was there is still known */
	assert_string_equal(at(f, 7, 0x55e0c0a02010), "/usr/bin/a b+2010");
	assert_false(processes_is_kernel(&f->processes, 7));
	processes_read_maps(&f->processes, 8, BYTES(""));
	assert_true(processes_is_kernel(&f->processes, 8));
}

/* A real process: this one. Its own function is where the linker put it. */
static void from_proc(void **state)
{
	struct fixture *f = *state;
	struct error err = {0};
	uint64_t here = (uint64_t)(uintptr_t)&from_proc;
	char self[256] = "";
	const struct mapped *m;

	f->processes.live = true;
	f->binaries.closed = false;
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	assert_true(processes_read(&f->processes, getpid(), &err));
	m = processes_find(&f->processes, processes_get(&f->processes, getpid()), here, 1);
	assert_non_null(m);
	assert_non_null(f->binaries.rows.items[m->binary].image);
	assert_bytes_equal(f->binaries.rows.items[m->binary].path, self);
	assert_false(processes_read(&f->processes, 0x7ffffff0, &err));
}

/* Memory that was made executable after the process was read is found by reading again. */
static void read_again(void **state)
{
	struct fixture *f = *state;
	struct error err = {0};
	struct process_state *process;
	const struct mapped *m;
	void *code;

	f->processes.live = true;
	assert_true(processes_read(&f->processes, getpid(), &err));
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(code, MAP_FAILED);
	process = processes_get(&f->processes, getpid());
	m = processes_find(&f->processes, process, (uint64_t)(uintptr_t)code, 1000);
	assert_non_null(m);
	assert_int_equal(f->processes.rereads, 1);
	assert_int_equal(f->profile.mappings.items[m->mapping].kind, MAPPING_JIT);
	assert_null(processes_find(&f->processes, process, 16, 2000)); /* too soon to look again */
	assert_int_equal(f->processes.rereads, 1);
	munmap(code, 4096);
}

/* A location in the file that is at `path` now. */
static location_id place_in(struct fixture *f, const char *path)
{
	struct binary_key key = {.path = bytes_of(path), .pid = getpid()};
	struct stat st;
	uint32_t row;

	assert_int_equal(stat(path, &st), 0);
	key.inode = st.st_ino;
	row = binaries_add(&f->binaries, &key);
	assert_non_null(f->binaries.rows.items[row].image);
	return profile_location(&f->profile, f->binaries.rows.items[row].mapping, 0x1000);
}

static struct bytes identity_at(struct fixture *f, location_id place)
{
	const struct mapping *m =
		&f->profile.mappings.items[f->profile.locations.items[place].mapping];

	return profile_text(&f->profile, m->build_id);
}

static void check_identity(struct bytes identity, const char *path)
{
	struct error err = {0};
	struct image *image = image_open(path, &err);
	char text[65];

	assert_non_null(image);
	image_identity_text(image, text);
	assert_memory_equal(text, "xxh3:", 5);
	assert_int_equal(identity.len, strlen(text));
	assert_memory_equal(identity.at, text, identity.len);
	image_release(image);
}

/* One path with three files one after another, the second a copy of the first. */
static void files_without_build_id(void **state)
{
	struct fixture *f = *state;
	location_id places[3];
	const char *path;

	f->binaries.closed = false;
	if (!work_try("echo 'int f(void) { return 1; }' | cc -shared -Wl,--build-id=none -x c - -o "
		      "one.so"))
		skip_without("a compiler");
	work_run("cp one.so two.so && echo >>two.so");
	path = work_path("lib.so");
	for (size_t i = 0; i < 3; i++) {
		work_run("cp %s.so next && mv next lib.so", i < 2 ? "one" : "two");
		places[i] = place_in(f, path);
		assert_int_equal(identity_at(f, places[i]).len, 0);
	}
	assert_true(place_in(f, path) == places[2]);
	binaries_identify(&f->binaries);
	check_identity(identity_at(f, places[0]), work_path("one.so"));
	check_identity(identity_at(f, places[2]), work_path("two.so"));
	assert_int_equal(f->profile.locations.items[places[0]].mapping,
		f->profile.locations.items[places[1]].mapping);
	assert_string_equal(
		binaries_of_mapping(&f->binaries, f->profile.locations.items[places[2]].mapping)
			->path.at,
		path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(overlays),
		TEST(overlays_at_random),
		cmocka_unit_test(no_address_has_the_mapping_before),
		TEST(forks_and_execs),
		TEST(names),
		TEST(maps_text),
		TEST(from_proc),
		TEST(read_again),
		TEST(files_without_build_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
