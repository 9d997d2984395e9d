/* test_stable_file.c: does the content of a file stay as it was when others change the file? */
#include "test.h"

#include "base/input.h"
#include "base/leases.h"
#include "base/stable_file.h"
#include "support/work_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define SIZE   ((size_t)8 << 20) /* bytes; large enough to be mapped */
#define COPIED ((uint64_t)64 << 20)

static char byte_at(size_t i)
{
	return (char)(i * 2654435761u >> 13);
}

static const char *make_file(const char *name, size_t size)
{
	const char *path = work_path(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	char *content = malloc(size + 1);

	for (size_t i = 0; i < size; i++)
		content[i] = byte_at(i);
	assert_int_equal(write(fd, content, size), size);
	close(fd);
	free(content);
	return path;
}

static void open_file(const char *path, uint64_t copied, struct stable_file *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct error err = {0};

	if (!stable_file_open(ret, fd, copied, &err))
		fail_msg("%s", err.text);
	close(fd);
}

static void check_content(const struct stable_file *file, size_t size)
{
	assert_int_equal(file->content.len, size);
	for (size_t i = 0; i < size; i++)
		if (file->content.at[i] != byte_at(i))
			fail_msg("byte %zu has changed", i);
}

/* A change that another process makes to the file; its exit code is 0 after success. */
static void in_another_process(const char *path, bool (*change)(const char *path))
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(!change(path));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static bool is_truncated(const char *path)
{
	return !truncate(path, 0);
}

static bool is_overwritten(const char *path)
{
	int fd = open(path, O_WRONLY);
	char *zeroes = calloc(1, SIZE);

	return fd >= 0 && pwrite(fd, zeroes, SIZE, 0) == (ssize_t)SIZE;
}

static void a_leased_file_is_copied_before_it_is_truncated(void **state)
{
	const char *path = make_file("leased", SIZE);
	struct stable_file file;

	(void)state;
	open_file(path, 0, &file);
	assert_true(file.lease > 0); /* otherwise this test proves nothing */
	in_another_process(path, is_truncated);
	check_content(&file, SIZE);
	stable_file_drop_pages(&file, 0, SIZE);
	check_content(&file, SIZE);
	stable_file_release(&file);
}

static void a_leased_file_is_copied_before_it_is_overwritten(void **state)
{
	const char *path = make_file("leased", SIZE);
	struct stable_file file;

	(void)state;
	open_file(path, 0, &file);
	stable_file_drop_pages(&file, 0, SIZE / 2);
	check_content(&file, SIZE);
	in_another_process(path, is_overwritten);
	check_content(&file, SIZE);
	stable_file_release(&file);
}

/* Many leases, each broken while others are read. */
static void several_files_can_change_at_once(void **state)
{
	const char *path[8];
	struct stable_file file[8];
	char name[16];

	(void)state;
	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "leased%d", i);
		path[i] = strdup(make_file(name, SIZE / 8));
		open_file(path[i], 0, &file[i]);
	}
	for (int i = 0; i < 8; i += 2)
		in_another_process(path[i], is_truncated);
	for (int i = 0; i < 8; i++) {
		check_content(&file[i], SIZE / 8);
		stable_file_release(&file[i]);
		free((void *)(uintptr_t)path[i]);
	}
}

static void *rewrite(void *context)
{
	int fd = open(work_path("shared"), O_RDWR);
	char *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	atomic_bool *end = context;

	for (char c = 0; !*end; c++)
		memset(at, c, SIZE);
	munmap(at, SIZE);
	close(fd);
	return NULL;
}

static void a_file_that_is_open_for_writing_is_copied(void **state)
{
	const char *path = make_file("shared", SIZE);
	int writer = open(path, O_RDWR);
	atomic_bool end = false;
	struct stable_file file;
	pthread_t thread;
	char *first;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, rewrite, &end), 0);
	open_file(path, COPIED, &file);
	assert_int_equal(file.lease, 0);
	first = malloc(SIZE);
	memcpy(first, file.content.at, SIZE);
	for (int i = 0; i < 20; i++)
		assert_memory_equal(first, file.content.at, SIZE);
	end = true;
	pthread_join(thread, NULL);
	free(first);
	stable_file_release(&file);
	close(writer);
}

static void what_cannot_be_leased_and_is_too_large_is_refused(void **state)
{
	const char *path = make_file("shared", SIZE);
	int writer = open(path, O_RDWR), fd = open(path, O_RDONLY);
	struct error err = {0};
	struct stable_file file;

	(void)state;
	assert_false(stable_file_open(&file, fd, SIZE / 2, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_non_null(strstr(err.text, "8 MiB, at most 4"));
	close(fd);
	close(writer);
}

/* The writer waits for the lease only while somebody holds it. */
static void a_released_lease_is_gone(void **state)
{
	const char *path = make_file("leased", SIZE);
	struct stable_file file;
	int fd;

	(void)state;
	open_file(path, 0, &file);
	fd = open(path, O_WRONLY | O_NONBLOCK);
	assert_true(fd < 0 && errno == EWOULDBLOCK); /* this asks for the copy, too */
	stable_file_release(&file);
	fd = open(path, O_WRONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	close(fd);
}

static void sealed_memory_is_mapped(void **state)
{
	int fd = memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct error err = {0};
	struct stable_file file;

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)SIZE), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK), 0);
	assert_true(stable_file_open(&file, fd, 0, &err)); /* without a copy */
	assert_int_equal(file.content.len, SIZE);
	stable_file_release(&file);
	close(fd);
}

static void empty_and_small_files_are_read(void **state)
{
	static const size_t sizes[] = {0, 1, 4095, 4096, 100000};
	struct stable_file file;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		open_file(make_file("small", sizes[i]), COPIED, &file);
		check_content(&file, sizes[i]);
		stable_file_release(&file);
	}
}

/* Read an input whose second half is truncated before it has been read. */
static void an_input_is_read_as_it_was(void **state)
{
	const char *path = make_file("input", SIZE);
	struct error err = {0};
	struct input in;
	size_t len = 0;

	(void)state;
	assert_true(input_open(&in, path, &err));
	for (bool cut = false; !in.ended || in.window.len; cut = true) {
		assert_true(input_fill(&in, in.window.len + 1, &err));
		for (size_t i = 0; i < in.window.len; i++)
			assert_int_equal(in.window.at[i], byte_at(len + i));
		len += in.window.len;
		input_skip(&in, in.window.len);
		if (!cut)
			in_another_process(path, is_truncated);
	}
	assert_int_equal(len, SIZE);
	input_release(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_and_small_files_are_read),
		cmocka_unit_test(a_leased_file_is_copied_before_it_is_truncated),
		cmocka_unit_test(a_leased_file_is_copied_before_it_is_overwritten),
		cmocka_unit_test(several_files_can_change_at_once),
		cmocka_unit_test(a_file_that_is_open_for_writing_is_copied),
		cmocka_unit_test(what_cannot_be_leased_and_is_too_large_is_refused),
		cmocka_unit_test(a_released_lease_is_gone),
		cmocka_unit_test(sealed_memory_is_mapped),
		cmocka_unit_test(an_input_is_read_as_it_was),
	};

	leases_allow();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
