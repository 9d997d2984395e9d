/* test_kernel.c: are kernel functions found where /proc/kallsyms has them? */
#include "test.h"

#include "images/kernel_kept.h"
#include "images/kernel_rows.h"
#include "support/work_folder.h"

#include <pthread.h>

static const char text[] = "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000000 t local_at_start\n"
			   "ffffffff81000040 T do_syscall_64\n"
			   "ffffffff81000100 W weak_one\n"
			   "ffffffff81000100 t strong_one\n"
			   "ffffffff81000200 D some_data\n"
			   "ffffffff81000300 T last_one\n"
			   "ffffffffc0002000 t second\t[loop]\n"
			   "ffffffffc0001000 t first\t[loop]\n"
			   "ffffffffc0800000 t prog_1\t[bpf]\n";

static struct kernel *parse(const char *content)
{
	struct error err = {0};
	struct kernel *k = kernel_parse(bytes_of(content), &err);

	if (!k)
		fail_msg("%s", err.text);
	return k;
}

static void assert_function(
	const struct kernel *k, uint64_t address, const char *name, const char *module)
{
	struct kernel_symbol symbol;

	assert_true(kernel_find(k, address, &symbol));
	assert_bytes_equal(symbol.name, name);
	assert_bytes_equal(symbol.module, module);
	assert_true(symbol.start <= address && address < symbol.end);
}

static void functions_and_modules_are_found(void **state)
{
	struct kernel *k = parse(text);

	(void)state;
	assert_int_equal(kernel_text_start(k), 0xffffffff81000000);
	assert_function(k, 0xffffffff8100003f, "_stext", "[kernel]"); /* longer than _text */
	assert_function(k, 0xffffffff81000040, "do_syscall_64", "[kernel]");
	assert_function(k, 0xffffffff810001ff, "strong_one", "[kernel]");
	assert_function(k, 0xffffffffc0001fff, "first", "[loop]");
	assert_function(k, 0xffffffffc0002010, "second", "[loop]");
	assert_function(k, 0xffffffffc0800000, "prog_1", "[bpf]");
	kernel_release(k);
}

/* The last function of the kernel does not reach to the first module. */
static void gaps_have_no_function(void **state)
{
	struct kernel *k = parse(text);
	struct kernel_symbol symbol;

	(void)state;
	assert_function(k, 0xffffffff81000300, "last_one", "[kernel]");
	assert_false(kernel_find(k, 0xffffffffb0000000, &symbol));
	assert_false(kernel_find(k, 0xffffffff80ffffff, &symbol));
	assert_false(kernel_find(k, 0, &symbol));
	assert_false(kernel_find(k, UINT64_MAX, &symbol));
	kernel_release(k);
}

static void hidden_addresses_name_the_sysctl(void **state)
{
	struct error err = {0};

	(void)state;
	assert_null(kernel_parse(
		BYTES("0000000000000000 T _text\n0000000000000000 t foo\t[bar]\n"), &err));
	assert_int_equal(err.code, ERR_PERMISSION);
	assert_non_null(strstr(err.text, "kernel.kptr_restrict"));
}

static void other_text_is_refused_with_its_line(void **state)
{
	static const char *const bad[] = {"hello\n", "ffffffff81000000 T _text\nx\n",
		"ffffffff81000000 T _text\nffffffff81000000\n", "ffffffff81000000 T _text\n12 T\n",
		"ffffffff81000000 T _text\n11112222333344445 T long\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct error err = {0};

		assert_null(kernel_parse(bytes_of(bad[i]), &err));
		assert_int_equal(err.code, ERR_FORMAT);
		assert_non_null(strstr(err.text, i ? "line 2" : "line 1"));
	}
}

/* Every function in awk's list is found at its address, under a name that the list has there. A
 * copy of kallsyms is used, because BPF programs appear and disappear while others record. */
static void all_functions_are_those_of_awk(void **state)
{
	struct error err = {0};
	struct kernel *k;
	FILE *pipe;
	char line[1024], command[512];
	uint64_t last = 0;
	bool matched = true;
	unsigned checked = 0;

	(void)state;
	work_run("cat /proc/kallsyms >kallsyms");
	k = kernel_open_text(work_path("kallsyms"), &err);
	if (!k && err.code == ERR_PERMISSION)
		skip_without("root, to see the kernel's addresses");
	if (!k)
		fail_msg("%s", err.text);
	snprintf(command, sizeof(command),
		"awk '$2 ~ /[tTwW]/ {print $1, $3, $4}' %s | sort -s -k1,1", work_path("kallsyms"));
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		unsigned long long address;
		char name[512], module[128] = "[kernel]";
		struct kernel_symbol symbol;

		assert_true(sscanf(line, "%llx %511s %127s", &address, name, module) >= 2);
		assert_true(kernel_find(k, address, &symbol));
		assert_int_equal(symbol.start, address);
		if (address != last) {
			assert_true(matched);
			matched = false;
		}
		matched = matched || (bytes_equal(symbol.name, bytes_of(name)) &&
					     bytes_equal(symbol.module, bytes_of(module)));
		last = address;
		checked++;
	}
	assert_true(matched);
	assert_int_equal(pclose(pipe), 0);
	assert_true(checked > 1000);
	assert_true(kernel_symbol_count(k) <= checked);
	kernel_release(k);
}

/* In a folder of this test's own. Kept symbols are those that were read. */
static void kept_symbols_are_those_that_were_read(void **state)
{
	struct error err = {0};
	struct kernel *k, *kept;
	struct kernel_key key, other;

	(void)state;
	work_run("mkdir -m 700 kept && cat /proc/kallsyms >kallsyms");
	setenv("KILN_CACHE", work_path("kept"), 1);
	assert_null(kernel_kept_open());
	assert_true(kernel_key_read(&key));
	k = kernel_open_text("/proc/kallsyms", &err);
	if (!k && err.code == ERR_PERMISSION)
		skip_without("root, to see the kernel's addresses");
	assert_non_null(k);
	other = key;
	other.programs++; /* loaded while the symbols were read */
	kernel_keep(k, &other);
	assert_null(kernel_kept_open());
	kernel_keep(k, &key);
	kept = kernel_kept_open();
	if (!kept) { /* BPF programs come and go while others record */
		kernel_release(k);
		assert_true(kernel_key_read(&key));
		k = kernel_open_text("/proc/kallsyms", &err);
		kernel_keep(k, &key);
		kept = kernel_kept_open();
	}
	if (!kept)
		skip_without(
			"BPF programs that stay the same meanwhile, and the right to list them");
	assert_int_equal(kernel_symbol_count(kept), kernel_symbol_count(k));
	assert_int_equal(kernel_text_start(kept), kernel_text_start(k));
	for (size_t i = 0; i < k->rows.len; i++) {
		struct kernel_symbol a, b;

		assert_true(kernel_find(k, k->rows.items[i].address, &a));
		assert_true(kernel_find(kept, k->rows.items[i].address, &b));
		assert_true(bytes_equal(a.name, b.name) && bytes_equal(a.module, b.module));
		assert_int_equal(a.end, b.end);
	}
	kernel_release(kept);
	work_run("test $(stat -c %%a kept/*.kernel) = 600");
	work_run("mv kept/*.kernel kernel && printf x | dd of=kernel bs=1 "
		 "seek=$(($(stat -c %%s kernel) / 2)) conv=notrunc status=none && "
		 "mv kernel kept/$(od -An -v -tx1 -j16 -N20 /sys/kernel/notes | tr -d ' "
		 "\\n').kernel");
	assert_null(kernel_kept_open());
	work_run("truncate -s 100 kept/*.kernel");
	assert_null(kernel_kept_open());
	kernel_release(k);
	unsetenv("KILN_CACHE");
}

static void the_build_id_is_that_of_the_notes(void **state)
{
	FILE *pipe = popen("od -An -v -tx1 -j16 -N20 /sys/kernel/notes | tr -d ' \\n'", "r");
	char ours[65], theirs[64] = "";

	(void)state;
	assert_non_null(pipe);
	assert_non_null(fgets(theirs, sizeof(theirs), pipe));
	pclose(pipe);
	assert_true(kernel_build_id_text(ours));
	assert_string_equal(ours, theirs); /* it is the first note of every kernel built by gcc */
}

struct opening {
	struct kernel *kernel;
	struct error err;
};

static void *open_own(void *context)
{
	struct opening *o = context;

	o->kernel = kernel_open(&o->err);
	return NULL;
}

/* Every waiting thread gets its own kernel, or the reason why there is none. */
static void threads_that_wait_all_get_an_answer(void **state)
{
	struct opening openings[3] = {{0}};
	pthread_t threads[3];

	(void)state;
	kernel_prefetch();
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, open_own, &openings[i]), 0);
	for (size_t i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		assert_true(openings[i].kernel || openings[i].err.code);
		assert_int_equal(!openings[i].kernel, !openings[0].kernel);
		kernel_release(openings[i].kernel);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_and_modules_are_found),
		cmocka_unit_test(gaps_have_no_function),
		cmocka_unit_test(hidden_addresses_name_the_sysctl),
		cmocka_unit_test(other_text_is_refused_with_its_line),
		cmocka_unit_test(all_functions_are_those_of_awk),
		cmocka_unit_test(kept_symbols_are_those_that_were_read),
		cmocka_unit_test(the_build_id_is_that_of_the_notes),
		cmocka_unit_test(threads_that_wait_all_get_an_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
