/* test.h: cmocka with the headers it wants, and where the test data is. */
#ifndef KILN_TEST_H
#define KILN_TEST_H

#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The path of a file in the source tree; a static buffer of which four are in use in turn. */
static inline const char *test_path(const char *below)
{
	static char paths[4][4096];
	static unsigned turn;
	char *path = paths[turn++ % 4];
	const char *root = getenv("KILN_SOURCE");

	snprintf(path, sizeof(paths[0]), "%s/%s", root ? root : ".", below);
	return path;
}

/* The same in the corpus of real inputs (KILN_CORPUS); NULL when that file is not there: then skip.
 */
static inline const char *corpus_path(const char *below)
{
	static char paths[4][4096];
	static unsigned turn;
	char *path = paths[turn++ % 4];
	const char *corpus = getenv("KILN_CORPUS");

	if (corpus)
		snprintf(path, sizeof(paths[0]), "%s/%s", corpus, below);
	else
		snprintf(path, sizeof(paths[0]), "%s/%s", test_path("../shared/corpus"), below);
	return access(path, R_OK) ? NULL : path;
}

/* Skip for want of something that a machine should have ("root", ...); where CI=true it is a
 * failure. */
static inline void skip_without(const char *needed)
{
	const char *ci = getenv("CI");

	if (ci && !strcmp(ci, "true"))
		fail_msg("needs %s", needed);
	print_message("# skipped: needs %s\n", needed);
	skip();
}

/* Bytes equal to a literal, shown as text when they are not. */
#define assert_bytes_equal(given, text)                                                            \
	do {                                                                                       \
		struct bytes checked_ = (given);                                                   \
		char *copy_ = strndup(checked_.len ? checked_.at : "", checked_.len);              \
		assert_string_equal(copy_, (text));                                                \
		free(copy_);                                                                       \
	} while (0)

#endif
