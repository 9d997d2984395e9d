/* test_truncated.c: what happens when a mapped file becomes shorter. */
#include "test.h"

#include "commands/truncated.h"
#include "support/work_folder.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* Two pages of 'x' that have been read; the file has none of them any more. */
static const volatile char *shrunk_file(const char *path, size_t page)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	char *text = malloc(2 * page);
	const volatile char *at;

	memset(text, 'x', 2 * page);
	assert_int_equal(write(fd, text, 2 * page), 2 * page);
	at = mmap(NULL, 2 * page, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	assert_int_equal(at[0] + at[page], 2 * 'x');
	assert_int_equal(ftruncate(fd, 0), 0);
	close(fd);
	free(text);
	return at;
}

/* In a process of its own, whose errors are in `ret_errors`; its exit code. */
static int read_shrunk(bool go_on, char *ret_errors, size_t size)
{
	const char *path = work_path("text"); /* in this process's folder */
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int out[2], status;
	ssize_t got;
	pid_t pid;

	assert_int_equal(pipe(out), 0);
	pid = fork();
	if (!pid) {
		const volatile char *at = shrunk_file(path, page);

		dup2(out[1], STDERR_FILENO);
		truncated_catch(go_on);
		_exit(at[0] || at[page + 1] || at[2 * page - 1]);
	}
	close(out[1]);
	got = read(out[0], ret_errors, size - 1);
	ret_errors[got > 0 ? got : 0] = '\0';
	close(out[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void the_file_is_named(void **state)
{
	char errors[512], expected[512];

	(void)state;
	assert_int_equal(read_shrunk(false, errors, sizeof(errors)), 2);
	snprintf(expected, sizeof(expected),
		"kiln: %s: was truncated, or its disk failed, while it was read\n",
		work_path("text"));
	assert_string_equal(errors, expected);
}

static void recording_goes_on_with_zeroes(void **state)
{
	char errors[512];

	(void)state;
	assert_int_equal(read_shrunk(true, errors, sizeof(errors)), 0);
	assert_non_null(strstr(errors, "was truncated"));
	assert_ptr_equal(strchr(errors, '\n'), errors + strlen(errors) - 1); /* said once */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_is_named),
		cmocka_unit_test(recording_goes_on_with_zeroes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
