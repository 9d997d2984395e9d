/* test_input.c: does every kind of input arrive whole, in order and within bounds? */
#include "test.h"

#include "base/buffer.h"
#include "base/input.h"
#include "base/leases.h"
#include "base/memory.h"
#include "support/work_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define LINES 200000

/* Numbered lines, more than any buffer holds at once. */
static char *numbered(size_t *ret_len)
{
	struct buffer text = {0};

	for (int i = 0; i < LINES; i++)
		buffer_printf(&text, "line %d\n", i);
	*ret_len = text.len;
	return text.at;
}

/* The file "lines": the numbered ones, after `command` ("gzip -c", ...) has read them. */
static void make_file(const char *command)
{
	char shell[256];
	size_t len;
	char *text = numbered(&len);
	FILE *pipe;

	snprintf(shell, sizeof(shell), "%s > %s", command, work_path("lines"));
	pipe = popen(shell, "w");
	assert_non_null(pipe);
	assert_int_equal(fwrite(text, 1, len, pipe), len);
	assert_int_equal(pclose(pipe), 0);
	free(text);
}

static void check_lines(struct input *in)
{
	struct error err = {0};
	struct bytes line;
	bool more;
	char want[32];

	for (int i = 0;; i++) {
		assert_true(input_line(in, &line, &more, &err));
		if (!more) {
			assert_int_equal(i, LINES);
			return;
		}
		snprintf(want, sizeof(want), "line %d", i);
		assert_true(bytes_equal(line, bytes_of(want)));
	}
}

static void compressed_and_plain_files_read_alike(void **state)
{
	static const char *const commands[] = {"cat", "gzip -c", "zstd -q -c", "xz -0 -c",
		"(head -c 700000 | gzip -c; gzip -c)",
		/* A byte order mark is not content, even if the filter produces it in pieces. */
		"(printf '\\357\\273\\277'; cat)", "(printf '\\357\\273\\277'; cat) | gzip -c",
		"(printf '\\357' | gzip -c; (printf '\\273\\277'; cat) | gzip -c)"};
	(void)state;

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		struct error err = {0};
		struct bytes content;
		struct input in;
		size_t len;
		char *text = numbered(&len);

		make_file(commands[i]);
		assert_true(input_open(&in, work_path("lines"), &err));
		check_lines(&in);
		input_release(&in);

		assert_true(input_open(&in, work_path("lines"), &err));
		assert_true(input_fill(&in, 100, &err));
		assert_true(input_whole(&in, 1 << 30, &content, &err));
		assert_int_equal(content.len, len);
		assert_memory_equal(content.at, text, len);
		input_release(&in);
		free(text);
	}
}

static void pipes_read_like_files(void **state)
{
	struct error err = {0};
	struct input in;
	size_t len;
	char *text = numbered(&len);
	int ends[2];
	int saved = dup(STDIN_FILENO);
	(void)state;

	assert_int_equal(pipe(ends), 0);
	if (!fork()) {
		for (size_t at = 0; at < len; at += 7777)
			if (write(ends[1], text + at, len - at < 7777 ? len - at : 7777) < 0)
				_exit(1);
		_exit(0);
	}
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	assert_true(input_open(&in, "-", &err));
	assert_string_equal(in.name, "<stdin>");
	check_lines(&in);
	input_release(&in);
	dup2(saved, STDIN_FILENO);
	close(saved);
	wait(NULL);
	free(text);
}

static void a_cut_file_is_an_error_that_names_the_place(void **state)
{
	static const char *const commands[] = {"{ gzip -c | head -c 5000; cat >/dev/null; }",
		"{ zstd -q -c | head -c 5000; cat >/dev/null; }",
		"{ xz -0 -c | head -c 5000; cat >/dev/null; }"};
	(void)state;

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		struct error err = {0};
		struct bytes content;
		struct input in;

		make_file(commands[i]);
		assert_true(input_open(&in, work_path("lines"), &err));
		assert_false(input_whole(&in, 1 << 30, &content, &err));
		assert_int_equal(err.code, ERR_FORMAT);
		assert_non_null(strstr(err.text, "byte "));
		assert_non_null(strstr(err.text, "truncated"));
		input_release(&in);
	}
}

static void limits_and_missing_files_are_reported(void **state)
{
	struct error err = {0};
	struct bytes content;
	struct input in;
	(void)state;

	assert_false(input_open(&in, "/nonexistent/file", &err));
	assert_string_equal(err.text, "/nonexistent/file: cannot open: No such file or directory");
	assert_false(input_open(&in, "/tmp", &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_true(input_open(&in, "/proc/self/exe", &err));
	assert_false(input_whole(&in, 100, &content, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	input_release(&in);
}

static void memory_is_read_in_place(void **state)
{
	struct error err = {0};
	struct bytes line;
	struct input in;
	bool more;
	(void)state;

	assert_true(input_open_bytes(&in, BYTES("a\r\n\nlast"), "test", &err));
	assert_true(input_line(&in, &line, &more, &err) && more);
	assert_true(bytes_equal(line, BYTES("a")));
	assert_true(input_line(&in, &line, &more, &err) && more);
	assert_int_equal(line.len, 0);
	assert_true(input_line(&in, &line, &more, &err) && more);
	assert_true(bytes_equal(line, BYTES("last")));
	assert_int_equal(in.offset, 8);
	assert_true(input_line(&in, &line, &more, &err));
	assert_false(more);
	input_release(&in);
}

/* Pages of files that are mapped, in KiB, as the kernel counts them. */
static long resident_file_pages(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long kib = -1;

	assert_non_null(status);
	while (fgets(line, sizeof(line), status))
		if (sscanf(line, "RssFile: %ld", &kib) == 1)
			break;
	fclose(status);
	assert_true(kib >= 0);
	return kib;
}

static void pages_of_a_large_file_are_released_while_reading(void **state)
{
	struct error err = {0};
	struct bytes line;
	struct input in;
	long before, most = 0;
	size_t lines = 0;
	bool more = true;
	(void)state;

	make_file("{ one=$(mktemp) && cat >$one && cat $one $one $one $one $one $one $one $one; rm "
		  "$one; }");
	before = resident_file_pages();
	assert_true(input_open(&in, work_path("lines"), &err));
	for (; more; lines++) {
		assert_true(input_line(&in, &line, &more, &err));
		if (lines % 50000 == 0 && resident_file_pages() - before > most)
			most = resident_file_pages() - before;
	}
	input_release(&in);
	assert_int_equal(lines - 1, 8 * LINES); /* 19 MB */
	assert_in_range(most, 1, 6 * 1024);
}

/* The bytes before the file's current offset are not part of the input. */
static void standard_input_is_read_from_its_offset(void **state)
{
	struct error err = {0};
	struct bytes line, rest;
	struct input in;
	bool more;
	int saved = dup(STDIN_FILENO), fd;
	size_t len;
	char *text = numbered(&len);
	(void)state;

	make_file("cat");
	fd = open(work_path("lines"), O_RDONLY);
	assert_int_equal(lseek(fd, 7, SEEK_SET), 7);
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	assert_true(input_open(&in, "-", &err));
	assert_int_equal(input_size(&in), len - 7);
	assert_true(input_line(&in, &line, &more, &err) && more);
	assert_true(bytes_equal(line, BYTES("line 1")));
	assert_int_equal(in.offset, 7);
	assert_true(input_whole(&in, 1 << 30, &rest, &err));
	assert_int_equal(rest.len, len - 14);
	assert_memory_equal(rest.at, text + 14, rest.len);
	input_release(&in);
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(fd);
	free(text);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

static void several_files_are_one_text(void **state)
{
	char *paths[] = {(char[]){"files-1"}, (char[]){"files-2"}, (char[]){"files-3"}, NULL};
	struct error err = {0};
	struct input in;
	struct bytes all;

	(void)state;
	write_file(paths[0], "\xEF\xBB\xBF"
			     "a\nb");
	write_file(paths[1], "");
	write_file(paths[2], "\xEF\xBB\xBF"
			     "c\n");
	assert_true(input_open_files(&in, paths, &err));
	assert_false(input_can_map(&in));
	assert_true(input_whole(&in, 1000, &all, &err));
	assert_true(bytes_equal(all, BYTES("a\nb\nc\n")));
	input_release(&in);
	unlink(paths[1]);
	assert_false(input_open_files(&in, paths, &err));
	assert_non_null(strstr(err.text, "files-2: cannot open"));
	unlink(paths[0]);
	unlink(paths[2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compressed_and_plain_files_read_alike),
		cmocka_unit_test(pipes_read_like_files),
		cmocka_unit_test(a_cut_file_is_an_error_that_names_the_place),
		cmocka_unit_test(limits_and_missing_files_are_reported),
		cmocka_unit_test(memory_is_read_in_place),
		cmocka_unit_test(pages_of_a_large_file_are_released_while_reading),
		cmocka_unit_test(standard_input_is_read_from_its_offset),
		cmocka_unit_test(several_files_are_one_text),
	};

	leases_allow();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
