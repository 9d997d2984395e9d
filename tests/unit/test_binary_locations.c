/* test_binary_locations.c: is a binary found in every possible place, and never a different one? */
#include "test.h"

#include "support/work_folder.h"

#include "base/buffer.h"
#include "images/debug_file.h"
#include "images/symbols.h"

#include <sys/stat.h>

static char app_id[65];

static int set_up(void **state)
{
	struct error err = {0};
	struct image *image;
	char at[80];

	(void)state;
	work_run("mkdir home sys dir debugs && "
		 "printf 'int hidden(int x) { return x + 1; } int main(int c, char **v) { (void)v; "
		 "return hidden(c); }' >app.c && "
		 "cc -g -O0 -Wl,--build-id=sha1 app.c -o app && "
		 "cc -g -O1 -Wl,--build-id=sha1 app.c -o other");
	image = image_open(work_path("app"), &err);
	assert_non_null(image);
	image_build_id_text(image, app_id);
	image_release(image);
	assert_int_equal(strlen(app_id), 40);
	/* For commands: the program's build id, and its place in directories of build ids. */
	setenv("ID", app_id, 1);
	snprintf(at, sizeof(at), "%.2s/%s", app_id, app_id + 2);
	setenv("AT", at, 1);
	setenv("HOME", work_path("home"), 1);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("DEBUGINFOD_CACHE_PATH");
	return 0;
}

/* ---- Binaries ---- */

static struct image *look_for(
	const struct binary_locations *binary_locations, const char **ret_missing)
{
	*ret_missing = NULL;
	return binary_locations_open(
		binary_locations, BYTES("/nowhere/at/all/app"), bytes_of(app_id), ret_missing);
}

static void binaries_are_found_by_build_id(void **state)
{
	static const struct {
		const char *folder, *file;
		const char *symfs, *dir; /* options, below the work directory */
	} cases[] = {
		{"home/.debug/.build-id/$AT", "elf", NULL, NULL},
		{"home/.debug/.build-id/${AT%/*}", "${AT#*/}", NULL, NULL},
		{"home/.cache/debuginfod_client/$ID", "executable", NULL, NULL},
		{"dir/.build-id/$AT", "elf", NULL, "dir"},
		{"dir/.build-id/${AT%/*}", "${AT#*/}", NULL, "dir"},
		{"dir/${AT%/*}", "${AT#*/}", NULL, "dir"},
		{"sys/nowhere/at/all", "app", "sys", NULL},
		{"sys", "app", "sys", NULL},
		{"sys/usr/lib/debug/.build-id/${AT%/*}", "${AT#*/}", "sys", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *dirs[] = {cases[i].dir ? work_path(cases[i].dir) : NULL, NULL};
		struct binary_locations binary_locations = {
			.build_id_dirs = cases[i].dir ? dirs : NULL,
			.symfs = cases[i].symfs ? work_path(cases[i].symfs) : NULL};
		const char *missing;
		struct image *image;

		assert_null(look_for(&binary_locations, &missing));
		assert_string_equal(missing, "the file cannot be opened");

		work_run("mkdir -p \"%s\" && cp other \"%s/%s\"", cases[i].folder, cases[i].folder,
			cases[i].file);
		assert_null(look_for(&binary_locations, &missing));
		assert_string_equal(missing, "the file has another build id");

		work_run("cp app \"%s/%s\"", cases[i].folder, cases[i].file);
		image = look_for(&binary_locations, &missing);
		if (!image)
			fail_msg("not found in %s", cases[i].folder);
		assert_string_equal(image_name(image), "/nowhere/at/all/app");
		image_release(image);
		work_run("rm -r \"%s\"", cases[i].folder);
	}
}

/* The build id cache, filled by perf itself. */
static void binaries_in_perfs_cache_are_found(void **state)
{
	const char *missing;
	struct image *image;

	(void)state;
	if (system("command -v perf >/dev/null"))
		skip();
	work_run("perf buildid-cache --add \"$PWD/app\" 2>perf.log || { cat perf.log; false; }");
	image = look_for(NULL, &missing);
	assert_non_null(image);
	image_release(image);
	work_run("rm -r home/.debug");
}

/* With --symfs, a path without a build id is looked up only below that folder. */
static void symfs_replaces_the_root(void **state)
{
	struct binary_locations binary_locations = {.symfs = work_path("sys")};
	struct bytes path;
	struct image *image;

	(void)state;
	path = bytes_of(work_path("app"));
	image = binary_locations_open(NULL, path, (struct bytes){0}, NULL);
	assert_non_null(image);
	image_release(image);
	assert_null(binary_locations_open(&binary_locations, path, (struct bytes){0}, NULL));
	work_run("mkdir -p sys$PWD && cp other sys$PWD/app");
	image = binary_locations_open(&binary_locations, path, (struct bytes){0}, NULL);
	assert_non_null(image);
	image_release(image);
	work_run("rm -r sys/*");
}

/* Packages may have in /lib what processes map from /usr/lib. */
static void symfs_may_be_unpacked_packages(void **state)
{
	static const struct {
		const char *path, *file;
	} cases[] = {
		{"/usr/lib/x86_64-linux-gnu/libapp.so", "lib/x86_64-linux-gnu/libapp.so"},
		{"/usr/lib64/libapp.so", "lib64/libapp.so"},
		{"/usr/bin/app", "bin/app"},
		{"/usr/sbin/app", "sbin/app"},
	};
	struct binary_locations binary_locations = {.symfs = work_path("sys")};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes path = bytes_of(cases[i].path);
		struct image *image;

		assert_null(binary_locations_open(&binary_locations, path, bytes_of(app_id), NULL));
		work_run("mkdir -p $(dirname sys/%s) && cp app sys/%s", cases[i].file,
			cases[i].file);
		image = binary_locations_open(&binary_locations, path, bytes_of(app_id), NULL);
		assert_non_null(image);
		image_release(image);
		work_run("rm -r sys/*");
	}
	work_run("mkdir -p sys/local/bin && cp other sys/local/bin/other");
	assert_null(binary_locations_open(
		&binary_locations, BYTES("/usr/local/bin/other"), (struct bytes){0}, NULL));
	work_run("rm -r sys/*");
}

static void the_vdso_is_this_kernels_own_or_none(void **state)
{
	struct error err = {0};
	struct image *own = image_open_vdso(&err), *found;
	char id[65];

	(void)state;
	assert_non_null(own);
	image_build_id_text(own, id);
	found = binary_locations_open(NULL, BYTES("[vdso]"), bytes_of(id), NULL);
	assert_non_null(found);
	image_release(found);
	assert_null(binary_locations_open(NULL, BYTES("[vdso]"), bytes_of(app_id), NULL));
	image_release(own);
}

/* A build id becomes part of paths: with an invalid one, no path is visited. */
static bool never(void *context, const char *path)
{
	(void)context;
	fail_msg("looked at %s", path);
	return true;
}

static void invalid_build_ids_open_no_file(void **state)
{
	static const char *const odd[] = {"", "ab", "../../etc", "ABCD", "12345/", "12 4"};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		struct binary_query wanted = {.kind = QUERY_BINARY, .build_id = bytes_of(odd[i])};

		assert_false(binary_locations_visit(NULL, &wanted, never, NULL));
	}
}

/* ---- Debug files ---- */

static bool has_hidden(const struct binary_locations *binary_locations)
{
	struct error err = {0};
	struct image *image = image_open(work_path("stripped"), &err);
	struct image *debug_file = debug_file_open(image, binary_locations);
	struct symbols *symbols = symbols_load(image, debug_file);
	bool full = symbols_extent(symbols) == SYMBOLS_FULL;

	symbols_release(symbols);
	image_release(debug_file);
	image_release(image);
	return full;
}

static void debug_files_are_found_by_build_id(void **state)
{
	static const struct {
		const char *folder, *file;
	} cases[] = {
		{"dir/.build-id/$AT", "debug"},
		{"dir/.build-id/${AT%/*}", "${AT#*/}.debug"},
		{"home/.debug/.build-id/$AT", "debug"},
		{"home/.debug/.build-id/$AT", "elf"},
		{"home/.cache/debuginfod_client/$ID", "debuginfo"},
		{"sys/usr/lib/debug/.build-id/${AT%/*}", "${AT#*/}.debug"},
	};
	char dir[256], symfs[256]; /* longer in use than what work_path() lends */
	const char *dirs[] = {dir, NULL};
	struct binary_locations binary_locations = {.symfs = symfs, .build_id_dirs = dirs};

	(void)state;
	snprintf(dir, sizeof(dir), "%s", work_path("dir"));
	snprintf(symfs, sizeof(symfs), "%s", work_path("sys"));
	work_run("strip app -o stripped && objcopy --only-keep-debug app app.debug && "
		 "objcopy --only-keep-debug other other.debug");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		work_run("mkdir -p \"%s\" && cp other.debug \"%s/%s\"", cases[i].folder,
			cases[i].folder, cases[i].file);
		assert_false(has_hidden(&binary_locations));
		work_run("cp app.debug \"%s/%s\"", cases[i].folder, cases[i].file);
		if (!has_hidden(&binary_locations))
			fail_msg("not found in %s/%s", cases[i].folder, cases[i].file);
		work_run("rm -r \"%s\"", cases[i].folder);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(binaries_are_found_by_build_id),
		cmocka_unit_test(binaries_in_perfs_cache_are_found),
		cmocka_unit_test(symfs_replaces_the_root),
		cmocka_unit_test(symfs_may_be_unpacked_packages),
		cmocka_unit_test(the_vdso_is_this_kernels_own_or_none),
		cmocka_unit_test(invalid_build_ids_open_no_file),
		cmocka_unit_test(debug_files_are_found_by_build_id),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
