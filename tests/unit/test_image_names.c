/* test_image_names.c: are functions and the functions inlined into them named, and are the names
 * from the disk cache the same? */
#include "test.h"

#include "support/work_folder.h"

#include "images/binary_locations.h"
#include "images/image_names.h"
#include "images/symbol_cache.h"
#include "names/demangle.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- Lookups ---- */

struct asked {
	struct image *image;
	struct binary_locations binary_locations;
	uint64_t *addresses; /* every one of .text */
	uint32_t *chains;
	size_t count;
};

static void ask(struct asked *a, const char *name)
{
	const struct image_section *code;
	struct error err = {0};

	*a = (struct asked){.image = image_open(work_path(name), &err)};
	if (!a->image)
		fail_msg("%s", err.text);
	code = image_section(a->image, ".text");
	assert_non_null(code);
	a->count = code->size;
	a->addresses = memory_new(a->count, sizeof(*a->addresses));
	a->chains = memory_new(a->count, sizeof(*a->chains));
	for (size_t i = 0; i < a->count; i++)
		a->addresses[i] = code->address + i;
}

static void asked_release(struct asked *a)
{
	image_release(a->image);
	free(a->addresses);
	free(a->chains);
}

/* "function file:line", innermost first, as addr2line -i prints them. */
static void chain_text(const struct chains *c, uint32_t chain, bool lines, struct buffer *out)
{
	for (; chain; chain = c->rows.items[chain].caller) {
		const struct chain *row = &c->rows.items[chain];
		struct bytes function = chains_text_at(c, row->function);
		struct bytes file = chains_text_at(c, row->file);
		const char *slash = file.len ? memrchr(file.at, '/', file.len) : NULL;

		if (slash)
			file = (struct bytes){slash + 1, file.len - (size_t)(slash + 1 - file.at)};
		buffer_add(out, function.at, function.len);
		if (lines && row->line)
			buffer_printf(out, " %.*s:%u", (int)file.len, file.at, row->line);
		else if (lines)
			buffer_text(out, " ?");
		buffer_char(out, '\n');
	}
}

/* All answers as text, and how many came from the disk. */
static struct buffer all_answers(
	struct asked *a, enum names_depth depth, bool stored, size_t *ret_known)
{
	struct image_names *names = image_names_open(a->image, &a->binary_locations);
	struct names_answer answer =
		image_names_find(names, depth, stored, a->addresses, a->count, a->chains);
	struct buffer text = {0};

	for (size_t i = 0; i < a->count; i++) {
		buffer_printf(&text, "%#llx\n", (unsigned long long)a->addresses[i]);
		chain_text(answer.chains, a->chains[i], depth == NAMES_LINES, &text);
	}
	if (ret_known)
		*ret_known = answer.known;
	image_names_save(names);
	image_names_release(names);
	return text;
}

static void assert_same(const struct buffer *a, const struct buffer *b)
{
	assert_int_equal(a->len, b->len);
	assert_memory_equal(a->at, b->at, a->len);
}

/* ---- Against addr2line ---- */

/* The oracle's next frame, in Kiln's form: the demangled linker's name, and the base name of the
 * file without a column. False at the next address or the end. */
static bool oracle_next(FILE *pipe, char line[4096], struct buffer *name, struct buffer *place)
{
	char where[4096], *slash, *colon;

	name->len = place->len = 0;
	if (!fgets(line, 4096, pipe) || !strncmp(line, "0x", 2) || !fgets(where, 4096, pipe))
		return false;
	line[strcspn(line, " \n")] = 0; /* "f inlined at ..." */
	where[strcspn(where, "\n")] = 0;
	colon = strrchr(where, ':');
	if (colon && strchr(where, ':') != colon)
		*colon = 0;
	slash = strrchr(where, '/');
	if (!demangle(bytes_of(line), name))
		buffer_text(name, line);
	buffer_text(place, where[0] == '?' ? "?" : slash ? slash + 1 : where);
	return true;
}

/* For functions without a linker's name, the oracle leaves out the scope. */
static bool is_same_frame(struct bytes ours, const struct buffer *name, const struct buffer *place)
{
	struct buffer whole = {0}, inside = {0};
	bool same;

	buffer_printf(&whole, "%s %s", name->at, place->at);
	buffer_printf(&inside, "::%s", whole.at);
	same = bytes_equal(ours, buffer_bytes(&whole)) ||
	       bytes_ends_with(ours, buffer_bytes(&inside));
	buffer_release(&whole);
	buffer_release(&inside);
	return same;
}

/* Compare one chain; returns how many frames it has. */
static size_t compare_chain(uint64_t address, struct bytes ours, FILE *pipe, char line[4096])
{
	struct buffer name = {0}, place = {0};
	struct bytes frame;
	size_t frames = 0;

	while (oracle_next(pipe, line, &name, &place)) {
		if (!strcmp(name.at, "??"))
			continue;
		if (!bytes_line(&ours, &frame) || !is_same_frame(frame, &name, &place))
			fail_msg("%#llx: '%.*s', eu-addr2line says '%s %s'",
				(unsigned long long)address, (int)frame.len, frame.at, name.at,
				place.at);
		frames++;
	}
	assert_int_equal(ours.len, 0);
	buffer_release(&name);
	buffer_release(&place);
	return frames;
}

static void chains_are_those_of_addr2line(void **state)
{
	struct buffer command = {0};
	struct image_names *names;
	struct names_answer answer;
	size_t inlined = 0;
	char line[4096];
	struct asked a;
	FILE *pipe;

	(void)state;
	ask(&a, "program");
	names = image_names_open(a.image, NULL);
	answer = image_names_find(names, NAMES_LINES, false, a.addresses, a.count, a.chains);
	buffer_printf(&command,
		"cd %s && eu-addr2line -a -f -i -e program $(seq %llu %llu | xargs printf '%%x ')",
		work_path("."), (unsigned long long)a.addresses[0],
		(unsigned long long)a.addresses[a.count - 1]);
	pipe = popen(command.at, "r");
	assert_non_null(pipe);
	assert_non_null(fgets(line, sizeof(line), pipe));
	for (size_t i = 0; i < a.count; i++) {
		struct buffer ours = {0};

		assert_int_equal(strtoull(line, NULL, 16), a.addresses[i]);
		chain_text(answer.chains, a.chains[i], true, &ours);
		inlined += compare_chain(a.addresses[i], buffer_bytes(&ours), pipe, line) > 2;
		buffer_release(&ours);
	}
	assert_int_equal(pclose(pipe), 0);
	assert_true(inlined > 20); /* innermost in turn in work */
	image_names_save(names);
	image_names_release(names);
	buffer_release(&command);
	asked_release(&a);
}

/* ---- Depths ---- */

static void answers_have_the_requested_detail(void **state)
{
	struct buffer lines, inlined, functions;
	struct asked a;

	(void)state;
	ask(&a, "program");
	lines = all_answers(&a, NAMES_LINES, false, NULL);
	inlined = all_answers(&a, NAMES_INLINED, false, NULL);
	functions = all_answers(&a, NAMES_FUNCTIONS, false, NULL);
	assert_non_null(strstr(lines.at, "deep::Box<double>::turn program.cc:"));
	assert_non_null(strstr(inlined.at, "deep::Box<double>::turn\nwork\n"));
	assert_null(strstr(inlined.at, "program.cc"));
	assert_null(strstr(functions.at, "deep::Box<double>::turn"));
	assert_non_null(strstr(functions.at, "work\n"));
	buffer_release(&lines);
	buffer_release(&inlined);
	buffer_release(&functions);
	asked_release(&a);
}

/* ---- On disk ---- */

/* An empty cache folder. */
static void fresh_cache(void)
{
	work_run("rm -rf cache");
	setenv("KILN_CACHE", work_path("cache"), 1);
	unsetenv("KILN_CACHE_SIZE");
}

/* The only file there. */
static const char *cache_file(void)
{
	static char path[600];
	DIR *directory = opendir(work_path("cache"));
	struct dirent *entry;
	size_t files = 0;

	assert_non_null(directory);
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.' && ++files)
			snprintf(path, sizeof(path), "%s/%s", work_path("cache"), entry->d_name);
	closedir(directory);
	assert_int_equal(files, 1);
	return path;
}

static void the_second_run_answers_from_the_disk(void **state)
{
	struct buffer first, second;
	struct stat status;
	struct asked a;
	size_t known;

	(void)state;
	fresh_cache();
	ask(&a, "program");
	first = all_answers(&a, NAMES_LINES, true, &known);
	assert_int_equal(known, 0);
	assert_int_equal(stat(cache_file(), &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(stat(work_path("cache"), &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	second = all_answers(&a, NAMES_LINES, true, &known);
	assert_int_equal(known, a.count);
	assert_same(&first, &second);
	buffer_release(&second);
	second = all_answers(&a, NAMES_LINES, false, &known);
	assert_int_equal(known, 0);
	assert_same(&first, &second);
	buffer_release(&first);
	buffer_release(&second);
	asked_release(&a);
}

static void runs_add_to_each_other(void **state)
{
	struct buffer first, all, second;
	size_t known, half;
	struct asked a;

	(void)state;
	fresh_cache();
	ask(&a, "program");
	all = all_answers(&a, NAMES_INLINED, false, NULL);
	half = a.count / 2;
	a.count = half;
	first = all_answers(&a, NAMES_INLINED, true, NULL);
	asked_release(&a);
	ask(&a, "program");
	second = all_answers(&a, NAMES_INLINED, true, &known);
	assert_int_equal(known, half);
	assert_same(&all, &second);
	buffer_release(&second);
	second = all_answers(&a, NAMES_INLINED, true, &known);
	assert_int_equal(known, a.count);
	assert_same(&all, &second);
	buffer_release(&first);
	buffer_release(&second);
	buffer_release(&all);
	asked_release(&a);
}

static void a_damaged_file_is_ignored_and_written_again(void **state)
{
	struct buffer first, second;
	struct asked a;
	size_t known;

	(void)state;
	fresh_cache();
	ask(&a, "program");
	first = all_answers(&a, NAMES_INLINED, true, NULL);
	work_run("printf x | dd of=%s bs=1 seek=100 conv=notrunc status=none", cache_file());
	second = all_answers(&a, NAMES_INLINED, true, &known);
	assert_int_equal(known, 0);
	assert_same(&first, &second);
	buffer_release(&second);
	second = all_answers(&a, NAMES_INLINED, true, &known);
	assert_int_equal(known, a.count);
	assert_same(&first, &second);
	work_run(": >%s", cache_file());
	buffer_release(&second);
	second = all_answers(&a, NAMES_INLINED, true, &known);
	assert_int_equal(known, 0);
	buffer_release(&first);
	buffer_release(&second);
	asked_release(&a);
}

/* Each process looks up its own half repeatedly, while the other one writes the same file. */
static void two_processes_share_a_file(void **state)
{
	struct buffer all, mine;
	struct asked a;
	pid_t children[2];
	size_t known;

	(void)state;
	fresh_cache();
	ask(&a, "program");
	all = all_answers(&a, NAMES_INLINED, false, NULL);
	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (children[i])
			continue;
		for (int turn = 0; turn < 40; turn++) {
			size_t from = i ? a.count / 2 : 0, len = a.count / 2;
			struct asked part = a;
			struct buffer text;

			part.addresses += from;
			part.count = len - (size_t)turn % 7;
			text = all_answers(&part, NAMES_INLINED, true, NULL);
			if (!bytes_find(buffer_bytes(&all), buffer_bytes(&text)))
				_exit(1);
			buffer_release(&text);
			if (turn % 8 == 0)
				work_run("rm -f cache/*");
		}
		_exit(0);
	}
	for (int i = 0; i < 2; i++) {
		int status;

		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	mine = all_answers(&a, NAMES_INLINED, true, NULL);
	assert_same(&all, &mine);
	buffer_release(&mine);
	mine = all_answers(&a, NAMES_INLINED, true, &known);
	assert_int_equal(known, a.count);
	assert_same(&all, &mine);
	buffer_release(&mine);
	buffer_release(&all);
	asked_release(&a);
}

struct sharing {
	struct asked whole, own;
	const struct buffer *all;
	bool wrong;
};

static void *share(void *context)
{
	struct sharing *s = context;

	for (size_t turn = 0; turn < 8; turn++) {
		struct buffer text;

		s->own.count = s->whole.count - turn;
		text = all_answers(&s->own, NAMES_INLINED, true, NULL);
		s->wrong |= !bytes_starts_with(buffer_bytes(s->all), buffer_bytes(&text));
		buffer_release(&text);
	}
	return NULL;
}

/* Programs that use libkiln may load several profiles at once. */
static void threads_share_a_file(void **state)
{
	struct sharing sharing[4];
	pthread_t threads[4];
	struct buffer all, after;
	size_t known;

	(void)state;
	fresh_cache();
	for (size_t i = 0; i < 4; i++) {
		ask(&sharing[i].whole, "program");
		sharing[i].own = sharing[i].whole;
		sharing[i].wrong = false;
		sharing[i].all = &all;
	}
	all = all_answers(&sharing[0].whole, NAMES_INLINED, false, NULL);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, share, &sharing[i]), 0);
	for (size_t i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_false(sharing[i].wrong);
	}
	cache_file();
	after = all_answers(&sharing[0].whole, NAMES_INLINED, true, NULL);
	buffer_release(&after);
	after = all_answers(&sharing[0].whole, NAMES_INLINED, true, &known);
	assert_int_equal(known, sharing[0].whole.count);
	assert_same(&all, &after);
	buffer_release(&all);
	buffer_release(&after);
	for (size_t i = 0; i < 4; i++)
		asked_release(&sharing[i].whole);
}

/* A debug file is installed later: names that were cached without it are not used any more, and
 * names that were found with it remain in use after it is removed. */
static void an_installed_debug_file_is_noticed(void **state)
{
	struct buffer with, without, text;
	struct asked a;
	char dir[256];
	const char *dirs[] = {dir, NULL};
	size_t known;

	(void)state;
	fresh_cache();
	snprintf(dir, sizeof(dir), "%s", work_path("debug"));
	work_run("rm -rf debug; mkdir debug");
	ask(&a, "program");
	with = all_answers(&a, NAMES_INLINED, false, NULL);
	asked_release(&a);
	ask(&a, "stripped");
	a.binary_locations.build_id_dirs = dirs;
	without = all_answers(&a, NAMES_INLINED, true, NULL);
	assert_null(strstr(without.at, "deep::"));
	work_run("id=$(readelf -n program | sed -n 's/.*Build ID: //p') && "
		 "mkdir -p debug/.build-id/${id%%${id#??}} && "
		 "cp program.debug debug/.build-id/${id%%${id#??}}/${id#??}.debug");
	text = all_answers(&a, NAMES_INLINED, true, &known);
	assert_int_equal(known, 0);
	assert_same(&with, &text);
	work_run("rm -rf debug");
	buffer_release(&text);
	text = all_answers(&a, NAMES_INLINED, true, &known);
	assert_int_equal(known, a.count);
	assert_same(&with, &text);
	buffer_release(&text);
	buffer_release(&with);
	buffer_release(&without);
	asked_release(&a);
}

/* ---- The folder ---- */

static bool write_one(const char *name, size_t size)
{
	char *content = memory_new(1, size);
	struct output out;
	bool created = symbol_cache_create(name, size, &out);

	if (created) {
		output_write(&out, (struct bytes){content, size});
		symbol_cache_commit(&out);
	}
	free(content);
	return created;
}

static bool is_kept(const char *name)
{
	struct stable_file file;
	bool found = symbol_cache_open(name, &file);

	if (found)
		stable_file_release(&file);
	return found;
}

static void the_least_recently_used_file_is_removed_first(void **state)
{
	(void)state;
	fresh_cache();
	setenv("KILN_CACHE_SIZE", "100K", 1);
	assert_true(write_one("01.lines", 30000));
	assert_true(write_one("02.lines", 30000));
	assert_true(write_one("03.lines", 30000));
	work_run("mkdir -p cache; head -c 90000 /dev/zero >cache/of-others; touch -d '9 days ago' "
		 "cache/of-others");
	work_run("touch -d '3 days ago' cache/01.lines cache/02.lines; touch -d '2 days ago' "
		 "cache/03.lines");
	assert_true(is_kept("02.lines")); /* and is marked as used */
	assert_true(write_one("04.lines", 30000));
	assert_false(is_kept("01.lines"));
	assert_false(is_kept("03.lines"));
	assert_true(is_kept("02.lines"));
	assert_true(is_kept("04.lines"));
	assert_false(write_one("05.lines", 60000)); /* more than half of all */
	work_run("test -f cache/of-others");
	unsetenv("KILN_CACHE_SIZE");
}

static void folders_that_others_may_write_to_are_not_used(void **state)
{
	(void)state;
	fresh_cache();
	work_run("mkdir -m 0700 cache");
	assert_true(write_one("name", 10));
	assert_true(is_kept("name"));
	work_run("chmod 0777 cache");
	assert_false(is_kept("name"));
	assert_false(write_one("other", 10));
	work_run("chmod 0700 cache");
	assert_true(is_kept("name"));
	setenv("KILN_CACHE", "", 1);
	assert_false(is_kept("name"));
	if (!geteuid()) {
		fresh_cache();
		work_run("mkdir -m 0700 cache; chown 12345 cache");
		assert_false(write_one("name", 10));
		/* A link that another user made to this user's folder, and a folder inside a folder
		 * of another user. */
		work_run("rm -rf cache theirs; mkdir -m 0700 ours theirs; ln -s $PWD/ours cache; "
			 "chown -h 12345 cache; mkdir -m 0700 theirs/cache; chown 12345 theirs");
		assert_false(write_one("name", 10));
		setenv("KILN_CACHE", work_path("theirs/cache"), 1);
		assert_false(write_one("name", 10));
		work_run("rm -rf cache ours theirs");
	}
	fresh_cache();
}

static void the_folder_is_the_users_cache(void **state)
{
	(void)state;
	work_run("rm -rf home xdg; mkdir home");
	unsetenv("KILN_CACHE");
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", work_path("home"), 1);
	assert_true(write_one("name", 10));
	assert_int_equal(access(work_path("home/.cache/kiln/name"), R_OK), 0);
	setenv("XDG_CACHE_HOME", work_path("xdg"), 1);
	assert_false(is_kept("name"));
	assert_true(write_one("name", 10));
	assert_int_equal(access(work_path("xdg/kiln/name"), R_OK), 0);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	assert_false(is_kept("name"));
	assert_false(write_one("name", 10));
}

/* ---- glibc's names for its own calls ---- */

static void internal_names_of_a_library_are_not_shown(void **state)
{
	static const char program[] =
		"__attribute__((always_inline)) int helper(int x) __asm__(\"__GI___helper\");\n"
		"__attribute__((always_inline)) inline int helper(int x)\n"
		"{ volatile int y = x; return y * y; }\n"
		"int main(int count, char **words) { (void)words; return helper(count); }\n";
	struct buffer text;
	struct asked a;

	(void)state;
	work_write("inside.c", program);
	work_run("gcc -O2 -g -Wl,--build-id -o inside inside.c");
	ask(&a, "inside");
	text = all_answers(&a, NAMES_INLINED, false, NULL);
	assert_non_null(strstr(text.at, "\n__helper\nmain\n"));
	assert_null(strstr(text.at, "__GI___helper\nmain\n"));
	buffer_release(&text);
	asked_release(&a);
}

/* With glibc's debug package: the second half of write() is in the first one, which is write(). */
static void halves_of_a_function_are_one(void **state)
{
	static const char libc[] = "/lib/x86_64-linux-gnu/libc.so.6";
	char *range = work_output("nm -D -S %s | sed -n 's/ [TW] write@@.*//p'", libc);
	char *end;
	uint64_t start = strtoull(range, &end, 16);
	struct error err = {0};
	struct asked a = {.image = image_open(libc, &err), .count = strtoull(end, NULL, 16)};
	struct buffer text;

	(void)state;
	assert_non_null(a.image);
	assert_true(a.count > 20);
	a.addresses = memory_new(a.count, sizeof(*a.addresses));
	a.chains = memory_new(a.count, sizeof(*a.chains));
	for (size_t i = 0; i < a.count; i++)
		a.addresses[i] = start + i;
	text = all_answers(&a, NAMES_INLINED, false, NULL);
	assert_non_null(strstr(text.at, "\nwrite\n"));
	assert_null(strstr(text.at, "libc_write"));
	buffer_release(&text);
	asked_release(&a);
	free(range);
}

static int prepare(void **state)
{
	static const char program[] =
		"namespace deep {\n"
		"static inline __attribute__((always_inline)) double innermost(double x)\n"
		"{\n"
		"	for (int i = 0; i < 50; i++)\n"
		"		x = x * 1.0000001 + 0.5 / (x + 1);\n"
		"	return x;\n"
		"}\n"
		"template <typename T> struct Box {\n"
		"	T value;\n"
		"	inline __attribute__((always_inline)) T turn(T x)\n"
		"	{\n"
		"		return innermost(x) + value;\n"
		"	}\n"
		"};\n"
		"}\n"
		"extern \"C\" __attribute__((noinline)) double work(double x)\n"
		"{\n"
		"	deep::Box<double> box{1.0};\n"
		"	return box.turn(x);\n"
		"}\n"
		"int main()\n"
		"{\n"
		"	volatile double x = 1;\n"
		"	x = work(x);\n"
		"	return x > 2;\n"
		"}\n";
	(void)state;
	work_write("program.cc", program);
	work_run("g++ -O2 -g -Wl,--build-id -o program program.cc && "
		 "objcopy --only-keep-debug program program.debug && strip -o stripped program");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_are_those_of_addr2line),
		cmocka_unit_test(answers_have_the_requested_detail),
		cmocka_unit_test(internal_names_of_a_library_are_not_shown),
		cmocka_unit_test(halves_of_a_function_are_one),
		cmocka_unit_test(the_second_run_answers_from_the_disk),
		cmocka_unit_test(runs_add_to_each_other),
		cmocka_unit_test(a_damaged_file_is_ignored_and_written_again),
		cmocka_unit_test(two_processes_share_a_file),
		cmocka_unit_test(threads_share_a_file),
		cmocka_unit_test(an_installed_debug_file_is_noticed),
		cmocka_unit_test(the_least_recently_used_file_is_removed_first),
		cmocka_unit_test(folders_that_others_may_write_to_are_not_used),
		cmocka_unit_test(the_folder_is_the_users_cache),
	};

	return cmocka_run_group_tests_name("image_names", tests, prepare, NULL);
}
