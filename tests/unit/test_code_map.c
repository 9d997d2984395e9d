/* test_code_map.c: which code is at an address at a time? By hand, and compared with an array that
 * is painted; also jitdumps and logs of V8. */
#include "test.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "images/code_map.h"
#include "images/jitdump.h"
#include "images/perf_map.h"
#include "images/v8_log.h"
#include "support/work_folder.h"

#include <fcntl.h>

static void add(
	struct code_map *map, uint64_t from, uint64_t start, uint64_t size, const char *name)
{
	code_map_add(
		map, &(struct code_piece){
			     .start = start, .size = size, .from = from, .name = bytes_of(name)});
}

static void assert_at(struct code_map *map, uint64_t address, uint64_t time, const char *expected)
{
	struct code_piece piece;

	if (!expected) {
		assert_false(code_map_find(map, address, time, &piece));
		return;
	}
	assert_true(code_map_find(map, address, time, &piece));
	assert_bytes_equal(piece.name, expected);
	assert_true(piece.start <= address && address - piece.start < piece.size);
}

static void code_is_found_by_address_and_time(void **state)
{
	struct code_map *map = code_map_new();

	(void)state;
	add(map, 10, 100, 50, "a");
	add(map, 20, 120, 10, "b");
	code_map_remove(map, 120, 30);
	code_map_move(map, 100, 300, 40);
	add(map, 50, 300, 5, "c");
	assert_at(map, 125, 9, "a"); /* before any code was there: the first code */
	assert_at(map, 125, 10, "a");
	assert_at(map, 125, 20, "b");
	assert_at(map, 130, 20, "a");
	assert_at(map, 125, 29, "b");
	assert_at(map, 125, 30, "a");
	assert_at(map, 125, 40, NULL);
	assert_at(map, 325, 40, "a");
	assert_at(map, 301, 49, "a");
	assert_at(map, 301, 50, "c");
	assert_at(map, 350, 50, NULL);
	assert_at(map, 125, CODE_LATEST, "b");
	assert_true(code_map_reused(map, 125));
	assert_false(code_map_reused(map, 140));
	assert_false(code_map_reused(map, 320));
	assert_int_equal(code_map_counts(map).pieces, 4);
	code_map_remove_all(map, 60);
	assert_at(map, 301, 59, "c");
	assert_at(map, 301, 60, NULL);
	code_map_release(map);
}

static void code_at_both_ends_of_memory(void **state)
{
	struct code_map *map = code_map_new();

	(void)state;
	add(map, 0, UINT64_MAX - 5, 100, "last");
	add(map, 0, 0, 1, "first");
	code_map_remove(map, 77, 5); /* no code is there */
	code_map_move(map, 78, 79, 5);
	assert_at(map, UINT64_MAX - 1, 1, "last");
	assert_at(map, 0, 1, "first");
	assert_at(map, 1, 1, NULL);
	code_map_release(map);
}

/* Each time step paints a piece over what was there; every address at every time is as painted. */
static void random_code_agrees_with_painting(void **state)
{
	enum { SPACE = 256, STEPS = 120 };
	static int painted[STEPS + 1][SPACE];
	struct code_map *map = code_map_new();
	unsigned seed = 3;

	(void)state;
	memset(painted, -1, sizeof(painted));
	for (int t = 1; t <= STEPS; t++) {
		unsigned start = (unsigned)rand_r(&seed) % SPACE;
		unsigned size = 1 + (unsigned)rand_r(&seed) % 60;
		char name[16];

		snprintf(name, sizeof(name), "f%d", t);
		add(map, (uint64_t)t, start, size, name);
		memcpy(painted[t], painted[t - 1], sizeof(painted[t]));
		for (unsigned i = start; i < SPACE && i < start + size; i++)
			painted[t][i] = t;
	}
	for (int t = 1; t <= STEPS; t++)
		for (int i = 0; i < SPACE; i++) {
			struct code_piece piece;
			char name[16];

			if (painted[t][i] < 0)
				continue;
			snprintf(name, sizeof(name), "f%d", painted[t][i]);
			assert_true(code_map_find(map, (uint64_t)i, (uint64_t)t, &piece));
			assert_bytes_equal(piece.name, name);
		}
	code_map_release(map);
}

/* ---- Perf maps that grow ---- */

static void lines_date_from_the_last_mark_without_them(void **state)
{
	struct perf_map *map = perf_map_new();
	struct error err = {0};
	int fd = open(work_path("map"), O_RDWR | O_CREAT, 0600);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "10 8 a\n20 8 b\n", 14), 14);
	perf_map_mark(map, 100, 14);
	perf_map_mark(map, 150, 14);
	assert_int_equal(write(fd, "10 8 c\n20 8", 11), 11);
	perf_map_mark(map, 200, 25);
	assert_true(perf_map_read(map, fd, false, &(struct runtime_budget){0}, &err));
	assert_at(perf_map_code(map), 0x10, 149, "a");
	assert_at(perf_map_code(map), 0x10, 150, "c");
	assert_at(perf_map_code(map), 0x20, 300, "b"); /* its line has no end yet */
	assert_int_equal(write(fd, " d\n", 3), 3);
	perf_map_mark(map, 300, 28);
	assert_true(perf_map_read(map, fd, false, &(struct runtime_budget){0}, &err));
	assert_at(perf_map_code(map), 0x20, 199, "b");
	assert_at(perf_map_code(map), 0x20, 200, "d");
	/* Another program in the same process begins the file again. */
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, "10 8 e\n", 7, 0), 7);
	perf_map_mark(map, 400, 7);
	assert_true(perf_map_read(map, fd, true, &(struct runtime_budget){0}, &err));
	assert_at(perf_map_code(map), 0x10, 250, "c");
	assert_at(perf_map_code(map), 0x10, 400, "e");
	assert_at(perf_map_code(map), 0x20, 400, NULL);
	assert_int_equal(perf_map_malformed(map), 0);
	perf_map_release(map);
	close(fd);
}

/* ---- Jitdumps ---- */

static void put(struct buffer *b, uint64_t value, unsigned size, bool big)
{
	for (unsigned i = 0; i < size; i++)
		buffer_char(b, (char)(value >> 8 * (big ? size - 1 - i : i)));
}

static void put_prefix(struct buffer *b, uint32_t id, uint32_t size, uint64_t time, bool big)
{
	put(b, id, 4, big);
	put(b, 16 + size, 4, big);
	put(b, time, 8, big);
}

static void put_load(
	struct buffer *b, uint64_t time, uint64_t start, uint64_t size, const char *name, bool big)
{
	put_prefix(b, 0, (uint32_t)(40 + strlen(name) + 1 + size), time, big);
	put(b, 7, 4, big);
	put(b, 7, 4, big);
	put(b, start, 8, big);
	put(b, start, 8, big);
	put(b, size, 8, big);
	put(b, 1, 8, big);
	buffer_add(b, name, strlen(name) + 1);
	for (uint64_t i = 0; i < size; i++)
		buffer_char(b, '\xcc');
}

static void put_dump(struct buffer *b, bool big)
{
	put(b, 0x4A695444, 4, big);
	put(b, 1, 4, big);
	put(b, 48, 4, big); /* with eight bytes that nobody knows yet */
	put(b, 62, 4, big);
	put(b, 0, 4, big);
	put(b, 7, 4, big);
	put(b, 1, 8, big);
	put(b, 0, 8, big);
	put(b, 0, 8, big);
	put_prefix(b, 4, 8, 5, big); /* tables for unwinding, of no use here */
	put(b, 0, 8, big);
	put_prefix(b, 2, 16 + 3 * 16 + 5 + 2 + 5, 10, big);
	put(b, 0x1000, 8, big);
	put(b, 3, 8, big);
	put(b, 0x1040, 8, big); /* as V8 writes them: behind an ELF header */
	put(b, 3, 4, big);
	put(b, 0, 4, big);
	buffer_add(b, "a.js", 5);
	put(b, 0x1048, 8, big);
	put(b, 4, 4, big);
	put(b, 0, 4, big);
	buffer_add(b, "\xff", 2);
	put(b, 0x104c, 8, big);
	put(b, 9, 4, big);
	put(b, 0, 4, big);
	buffer_add(b, "b.js", 5);
	put_load(b, 10, 0x1000, 0x10, "JS:*f a.js:1:2", big);
	put_load(b, 20, 0x1000, 0x10, "g", big);
	put_prefix(b, 1, 48, 30, big); /* g moves */
	put(b, 7, 4, big);
	put(b, 7, 4, big);
	put(b, 0, 8, big);
	put(b, 0x1000, 8, big);
	put(b, 0x2000, 8, big);
	put(b, 0x10, 8, big);
	put(b, 2, 8, big);
	put_load(b, 40, 0x3000, 8, "h", big);
	put_prefix(b, 3, 0, 50, big);
}

static void check_dump(struct jitdump *dump)
{
	struct code_map *code = jitdump_code(dump);
	struct code_piece piece;

	assert_at(code, 0x1004, 10, "JS:*f a.js:1:2");
	assert_at(code, 0x1004, 20, "g");
	assert_at(code, 0x2004, 30, "g");
	assert_at(code, 0x3007, 50, "h");
	assert_true(code_map_find(code, 0x1008, 15, &piece));
	assert_int_equal(piece.line_count, 3);
	assert_int_equal(code_piece_line(&piece, 0x1000)->line, 3);
	assert_int_equal(code_piece_line(&piece, 0x1007)->line, 3);
	assert_int_equal(code_piece_line(&piece, 0x1008)->line, 4);
	assert_bytes_equal(code_piece_line(&piece, 0x100b)->file, "a.js");
	assert_bytes_equal(code_piece_line(&piece, 0x100c)->file, "b.js");
}

static void jitdumps_are_read(void **state)
{
	struct error err = {0};

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct jitdump *dump = jitdump_new();
		struct buffer b = {0};

		put_dump(&b, big);
		assert_true(jitdump_parse(dump, buffer_bytes(&b), &err));
		check_dump(dump);
		assert_int_equal(jitdump_facts(dump).pid, 7);
		assert_int_equal(jitdump_facts(dump).records, 7);
		assert_int_equal(jitdump_facts(dump).first, 5);
		assert_int_equal(jitdump_facts(dump).last, 50);
		assert_int_equal(jitdump_facts(dump).malformed, 0);
		assert_true(jitdump_facts(dump).timed);
		assert_false(jitdump_facts(dump).damaged);
		jitdump_release(dump);
		buffer_release(&b);
	}
}

/* A dump that is cut at any byte is read up to there; reading continues where it stopped. */
static void jitdumps_grow(void **state)
{
	struct buffer b = {0};
	struct error err = {0};

	(void)state;
	put_dump(&b, false);
	for (size_t cut = 0; cut <= b.len; cut++) {
		struct jitdump *dump = jitdump_new();
		struct bytes rest;
		uint64_t before;
		char *copy = memory_new(cut + !cut, 1); /* sanitizers see a read behind it */

		memcpy(copy, b.at, cut);
		assert_true(jitdump_parse(dump, (struct bytes){copy, cut}, &err));
		before = jitdump_offset(dump);
		assert_true(before <= cut || (before == 48 && cut >= 40));
		rest = (struct bytes){b.at + before, b.len - before};
		assert_true(jitdump_parse(dump, rest, &err));
		check_dump(dump);
		jitdump_release(dump);
		free(copy);
	}
	buffer_release(&b);
}

static void damaged_jitdumps_are_reported(void **state)
{
	struct jitdump *dump = jitdump_new();
	struct error err = {0};
	struct buffer b = {0};

	(void)state;
	assert_false(jitdump_parse(dump,
		BYTES("\x7f"
		      "ELF, and more than forty bytes of it, that is no dump"),
		&err));
	assert_int_equal(err.code, ERR_FORMAT);
	put_dump(&b, false);
	put_prefix(&b, 0, 40, 60, false); /* code of a size that is not there */
	put(&b, 7, 8, false);
	put(&b, 0x5000, 8, false);
	put(&b, 0x5000, 8, false);
	put(&b, 1 << 20, 8, false);
	put(&b, 9, 8, false);
	put(&b, 3, 4, false); /* a record that is shorter than a record's header */
	put(&b, 8, 4, false);
	put(&b, 3, 8, false);
	assert_true(jitdump_parse(dump, buffer_bytes(&b), &err));
	check_dump(dump);
	assert_at(jitdump_code(dump), 0x5000, 70, NULL);
	assert_int_equal(jitdump_facts(dump).malformed, 1);
	assert_true(jitdump_facts(dump).damaged);
	jitdump_release(dump);
	buffer_release(&b);
}

/* ---- Logs of V8 ---- */

static void logs_of_v8_are_read(void **state)
{
	static const char text[] =
		"v8-version,11,3,244,8,-node.38,0\n"
		"code-creation,Builtin,2,3000,0x18c4000,768,DeoptimizationEntry_Eager\n"
		"code-creation,JS,10,4000,0x1000,32,f /srv/a\\x2cb.js:12:20,0x99,~\n"
		"code-creation,JS,13,5000,0x1000,32,\\u00e9t\\xe9 /srv/a.js:1:2,0x99,*\n"
		"code-move,6000,0x1000,0x2000\n"
		"code-delete,7000,0x2000\n"
		"code-creation,RegExp,3,7500,0x3000,16,(\\\\w+)\\n\n"
		"tick,0x1569e6b,9000,0,0x0,6\n"
		/* Node 10 and before: quotes, no times */
		"code-creation,LazyCompile,0,0x4000,16,\"g /srv/a,b.js:3\",0x99,~\n"
		"code-move,0x4000,0x5000\n"
		"code-creation,JS,10,what\n"
		"code-creation,JS,10,9500,0x7000,32,cut";
	struct v8_log *log = v8_log_new();
	struct code_map *code = v8_log_code(log);

	(void)state;
	assert_int_equal(v8_log_parse(log, BYTES(text)),
		strlen(text) - strlen("code-creation,JS,10,9500,0x7000,32,cut"));
	assert_at(code, 0x18c4010, 3000000, "Builtin:DeoptimizationEntry_Eager");
	assert_at(code, 0x1010, 4000000, "JS:~f /srv/a,b.js:12:20");
	assert_at(code, 0x1010, 5000000, "JS:*\xc3\xa9t\xc3\xa9 /srv/a.js:1:2");
	assert_at(code, 0x2010, 6500000, "JS:*\xc3\xa9t\xc3\xa9 /srv/a.js:1:2");
	assert_at(code, 0x2010, 7000000, NULL);
	assert_at(code, 0x3000, 8000000, "RegExp:(\\w+) ");
	assert_at(code, 0x5000, CODE_LATEST, "LazyCompile:~g /srv/a,b.js:3");
	assert_at(code, 0x7000, CODE_LATEST, NULL);
	assert_int_equal(v8_log_facts(log).last, 9000000);
	assert_true(v8_log_facts(log).timed);
	assert_true(v8_log_facts(log).ticks);
	assert_int_equal(v8_log_facts(log).malformed, 1);
	v8_log_release(log);
}

/* The writer of a file chooses its size: holes are skipped, and one budget bounds the rest. */
static void holes_are_skipped_and_the_rest_is_bounded(void **state)
{
	struct runtime_budget budget = {0};
	struct perf_map *map = perf_map_new();
	struct error err = {0};
	int fd = open(work_path("sparse"), O_RDWR | O_CREAT, 0600);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "10 8 a\n", 7, 0), 7);
	assert_int_equal(pwrite(fd, "\n20 8 b\n", 8, (off_t)3 << 30), 8);
	assert_int_equal(ftruncate(fd, (off_t)8 << 30), 0);
	assert_true(perf_map_read(map, fd, true, &budget, &err));
	assert_at(perf_map_code(map), 0x10, 0, "a");
	assert_at(perf_map_code(map), 0x20, 0, "b");
	assert_true(budget.bytes < (1u << 20));
	assert_int_equal(perf_map_left_out(map), 0);
	/* The budget is used up: new bytes are left out and counted. */
	budget.bytes = RUNTIME_BYTES_LIMIT;
	assert_int_equal(pwrite(fd, "30 8 c\n", 7, (off_t)8 << 30), 7);
	assert_true(perf_map_read(map, fd, true, &budget, &err));
	assert_at(perf_map_code(map), 0x30, 0, NULL);
	assert_int_equal(perf_map_left_out(map), 7);
	perf_map_release(map);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_found_by_address_and_time),
		cmocka_unit_test(code_at_both_ends_of_memory),
		cmocka_unit_test(random_code_agrees_with_painting),
		cmocka_unit_test(lines_date_from_the_last_mark_without_them),
		cmocka_unit_test(holes_are_skipped_and_the_rest_is_bounded),
		cmocka_unit_test(jitdumps_are_read),
		cmocka_unit_test(jitdumps_grow),
		cmocka_unit_test(damaged_jitdumps_are_reported),
		cmocka_unit_test(logs_of_v8_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
