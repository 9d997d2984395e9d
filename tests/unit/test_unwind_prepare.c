/* test_unwind_prepare.c: are the binaries found that a command will load when it runs? */
#include "test.h"

#include "base/buffer.h"
#include "recorders/unwind/prepare.h"
#include "support/work_folder.h"

#include <stdio.h>
#include <stdlib.h>

static void list(void *context, const struct image *image)
{
	buffer_printf(context, "%s\n", image_name(image));
}

static char *prepared(const char *command)
{
	struct buffer names = {0};

	unwind_prepare(command, list, &names);
	return names.at;
}

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* What the dynamic linker says. */
static void test_libraries(void **state)
{
	char line[4096], *names;
	FILE *f = popen("ldd /usr/bin/python3", "r");
	unsigned libraries = 0;

	(void)state;
	setenv("PATH", "/no/such:/usr/bin:/bin", 1);
	names = prepared("python3");
	assert_non_null(f);
	assert_int_equal(count(names, "[vdso]\n"), 1);
	assert_int_equal(count(names, "/python3\n"), 1);
	while (fgets(line, sizeof(line), f)) {
		char *path = strchr(line, '/'), *end = path ? strchr(path, ' ') : NULL;

		if (!end)
			continue;
		*end = '\0';
		if (count(names, path) != 1)
			fail_msg("%s: %u times in\n%s", path, count(names, path), names);
		libraries++;
	}
	assert_true(libraries >= 2);
	pclose(f);
	free(names);
}

static void test_scripts(void **state)
{
	char path[512], own[600], *names;

	(void)state;
	snprintf(path, sizeof(path), "%s", work_path("script"));
	work_write("script", "#! /bin/sh -e\ntrue\n");
	names = prepared(path);
	assert_int_equal(count(names, "/bin/sh\n"), 1);
	assert_int_equal(count(names, "libc.so.6\n"), 1);
	free(names);
	/* A script that runs itself. */
	snprintf(own, sizeof(own), "#!%s\n", path);
	work_write("script", own);
	names = prepared(path);
	assert_string_equal(names, "[vdso]\n");
	free(names);
}

static void test_nothing(void **state)
{
	static const char *const commands[] = {"", "no-such-command", "/no/such/command"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		char *names = prepared(commands[i]);

		assert_string_equal(names, "[vdso]\n");
		free(names);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_scripts),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
