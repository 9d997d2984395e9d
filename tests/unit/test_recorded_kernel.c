/* test_recorded_kernel.c: is kernel code named on another machine or after a reboot, and never with
 * the names of another kernel? */
#include "test.h"

#include "support/work_folder.h"

#include "base/buffer.h"
#include "process/symbolize.h"

#define BASE	0xffffffff81000000u /* of _text in the symbols below */
#define SHIFT	0x1e600000u	    /* of this start */
#define FOREIGN "00112233445566778899aabbccddeeff00112233"

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000100 T schedule\n"
			       "ffffffff81000200 t idle_loop\n"
			       "ffffffff81000300 T _etext\n"
			       "ffffffffc0001000 t find_entry\t[ext4]\n"
			       "ffffffffc0002000 t last_entry\t[ext4]\n";

static int set_up(void **state)
{
	(void)state;
	work_write("kallsyms", kallsyms);
	/* A file at a kernel's addresses, with names of every kind. */
	work_run("mkdir home && printf '.text\\n.globl _text\\n_text: nop\\n.fill 255\\n"
		 ".globl schedule\\n.type schedule, @function\\nschedule: nop\\n.fill 255\\n"
		 "idle_loop: nop\\n.L1: nop\\n.weak weak_one\\nweak_one: nop\\n.data\\ndata_one: "
		 ".quad "
		 "1\\n"
		 "' >kernel.s && gcc -c kernel.s && ld --build-id=sha1 -Ttext=0xffffffff81000000 "
		 "-Tdata=0xffffffff82000000 -e 0xffffffff81000000 kernel.o -o vmlinux && "
		 "ld --build-id=0x" FOREIGN " -Ttext=0xffffffff81000000 -Tdata=0xffffffff82000000 "
		 "-e 0xffffffff81000000 kernel.o -o vmlinux.foreign");
	setenv("HOME", work_path("home"), 1);
	return 0;
}

/* ---- A recording with two places in the kernel and one in a module ---- */

struct recording {
	struct profile profile;
	location_id schedule, idle_loop, module;
	struct symbolize_report report;
};

static void record(struct recording *r, const char *build_id, uint64_t base, uint64_t shift)
{
	struct mapping kernel = {.kind = MAPPING_KERNEL, .base = base};
	struct mapping module = {.kind = MAPPING_MODULE};
	struct profile *p = &r->profile;

	profile_init(p);
	kernel.file = profile_string(p, BYTES("[kernel.kallsyms]"));
	kernel.build_id = profile_string(p, bytes_of(build_id));
	module.file = profile_string(p, BYTES("[ext4]"));
	profile_set_meta(p, BYTES("kernel"), BYTES("6.1.0-test"));
	r->schedule = profile_location(p, profile_mapping(p, &kernel), BASE + 0x123 + shift);
	r->idle_loop = profile_location(p, profile_mapping(p, &kernel), BASE + 0x200 + shift);
	r->module = profile_location(p, profile_mapping(p, &module), 0xffffffffc0001080);
}

static const char *name_of(const struct recording *r, location_id location)
{
	static char names[4][64];
	static unsigned turn;
	const struct profile *p = &r->profile;
	struct span span = p->location_names.items[location];
	struct bytes name;

	assert_int_equal(span.count, 1);
	name = profile_text(p, p->frames.items[p->location_frames.items[span.first]].function);
	snprintf(names[++turn % 4], sizeof(names[0]), "%.*s", (int)name.len, name.at);
	return names[turn % 4];
}

static void symbolize(struct recording *r, const struct binary_locations *binary_locations)
{
	profile_symbolize(&r->profile,
		&(struct symbolize_options){.binary_locations = binary_locations}, &r->report);
}

static void forget(struct recording *r)
{
	symbolize_report_release(&r->report);
	profile_release(&r->profile);
}

static const char *why_not(const struct recording *r)
{
	assert_true(r->report.modules.len > 0);
	return r->report.modules.items[0].why;
}

static void assert_unnamed(struct recording *r)
{
	assert_string_equal(name_of(r, r->schedule), "[kernel]");
	assert_string_equal(name_of(r, r->idle_loop), "[kernel]");
	assert_string_equal(name_of(r, r->module), "[ext4]");
}

/* ---- Files that the user names ---- */

static void a_copy_without_a_build_id_is_believed(void **state)
{
	struct binary_locations binary_locations = {.kallsyms = work_path("kallsyms")};
	struct recording r;

	(void)state;
	record(&r, "", BASE, 0);
	symbolize(&r, &binary_locations);
	assert_string_equal(name_of(&r, r.schedule), "schedule");
	assert_string_equal(name_of(&r, r.idle_loop), "idle_loop");
	assert_string_equal(name_of(&r, r.module), "find_entry");
	forget(&r);
}

static void symbols_move_with_the_kernel_and_modules_do_not(void **state)
{
	struct binary_locations binary_locations = {.kallsyms = work_path("kallsyms")};
	struct recording r;

	(void)state;
	record(&r, FOREIGN, BASE + SHIFT, SHIFT);
	symbolize(&r, &binary_locations);
	assert_string_equal(name_of(&r, r.schedule), "schedule");
	assert_string_equal(name_of(&r, r.idle_loop), "idle_loop");
	assert_string_equal(name_of(&r, r.module), "[ext4]");
	assert_non_null(strstr(why_not(&r), "rebooted"));
	forget(&r);

	record(&r, FOREIGN, BASE - SHIFT, -(uint64_t)SHIFT);
	symbolize(&r, &binary_locations);
	assert_string_equal(name_of(&r, r.schedule), "schedule");
	forget(&r);
}

static void without_the_load_address_nothing_is_guessed(void **state)
{
	struct binary_locations binary_locations = {.kallsyms = work_path("kallsyms")};
	struct recording r;

	(void)state;
	record(&r, FOREIGN, 0, 0);
	symbolize(&r, &binary_locations);
	assert_unnamed(&r);
	assert_non_null(strstr(why_not(&r), "kptr_restrict"));
	forget(&r);
}

static void the_kernels_file_is_read(void **state)
{
	struct binary_locations binary_locations = {.vmlinux = work_path("vmlinux")};
	struct recording r;

	(void)state;
	record(&r, FOREIGN, BASE + SHIFT, SHIFT);
	symbolize(&r, &binary_locations);
	assert_string_equal(name_of(&r, r.schedule), "schedule");
	assert_string_equal(name_of(&r, r.idle_loop), "idle_loop");
	forget(&r);
}

/* Its functions are those that nm lists as code. */
static void the_functions_of_the_file_are_those_of_nm(void **state)
{
	struct error err = {0};
	struct image *image = image_open(work_path("vmlinux"), &err);
	struct kernel *kernel;
	unsigned long long address;
	char letter, name[64];
	size_t count = 0;
	FILE *nm;

	(void)state;
	assert_non_null(image);
	kernel = kernel_of_image(image, &err);
	if (!kernel)
		fail_msg("%s", err.text);
	image_release(image);
	assert_true(kernel_text_start(kernel) == BASE);
	work_run("nm vmlinux | grep -i ' [tw] ' >functions");
	nm = fopen(work_path("functions"), "r");
	assert_non_null(nm);
	for (; fscanf(nm, "%llx %c %63s", &address, &letter, name) == 3; count++) {
		struct kernel_symbol symbol;

		assert_true(kernel_find(kernel, address, &symbol));
		assert_bytes_equal(symbol.name, name);
	}
	fclose(nm);
	assert_int_equal(count, 4);
	assert_int_equal(kernel_symbol_count(kernel), count);
	kernel_release(kernel);
}

static void a_file_that_is_no_kernel_is_reported(void **state)
{
	struct binary_locations binary_locations = {.vmlinux = work_path("kernel.s")};
	struct recording r;

	(void)state;
	record(&r, FOREIGN, BASE, 0);
	symbolize(&r, &binary_locations);
	assert_unnamed(&r);
	assert_non_null(strstr(why_not(&r), "kernel.s"));
	forget(&r);
	binary_locations = (struct binary_locations){.kallsyms = work_path("kernel.s")};
	record(&r, FOREIGN, BASE, 0);
	symbolize(&r, &binary_locations);
	assert_unnamed(&r);
	assert_non_null(strstr(why_not(&r), "line 1"));
	forget(&r);
}

/* ---- Files that are found by build id ---- */

static void perfs_copy_of_kallsyms_is_found_by_build_id(void **state)
{
	struct recording r;

	(void)state;
	record(&r, FOREIGN, BASE, 0);
	symbolize(&r, NULL);
	assert_unnamed(&r);
	assert_non_null(strstr(why_not(&r), "the symbols of the recorded kernel"));
	forget(&r);

	work_run("mkdir -p home/.debug/.build-id/00/112233445566778899aabbccddeeff00112233 && "
		 "cp kallsyms home/.debug/.build-id/00/112233445566778899aabbccddeeff00112233");
	record(&r, FOREIGN, BASE + SHIFT, SHIFT);
	symbolize(&r, NULL);
	assert_string_equal(name_of(&r, r.schedule), "schedule");
	forget(&r);

	/* An ordinary user's copy has only zeros. */
	work_run("sed -i 's/^[0-9a-f]*/0000000000000000/' home/.debug/.build-id/00/*/kallsyms");
	record(&r, FOREIGN, BASE, 0);
	symbolize(&r, NULL);
	assert_unnamed(&r);
	forget(&r);
	work_run("rm -r home/.debug");
}

static void the_kernels_file_is_found_and_its_build_id_compared(void **state)
{
	struct binary_locations binary_locations = {.symfs = work_path("root")};
	struct recording r;

	(void)state;
	work_run("mkdir -p root/boot && cp vmlinux root/boot/vmlinux-6.1.0-test");
	record(&r, FOREIGN, BASE, 0);
	symbolize(&r, &binary_locations);
	assert_unnamed(&r);
	forget(&r);
	work_run("cp vmlinux.foreign root/boot/vmlinux-6.1.0-test");
	record(&r, FOREIGN, BASE, 0);
	symbolize(&r, &binary_locations);
	assert_string_equal(name_of(&r, r.schedule), "schedule");
	assert_string_equal(name_of(&r, r.module), "[ext4]");
	forget(&r);
}

/* ---- The kernel that runs: its own symbols are the oracle ---- */

static void the_running_kernel_names_what_was_recorded_on_it(void **state)
{
	struct error err = {0};
	struct kernel *own = kernel_open(&err);
	struct kernel_symbol symbol;
	struct recording r = {0};
	struct mapping row = {.kind = MAPPING_KERNEL};
	uint64_t address;
	char id[65];

	(void)state;
	if (!own || !kernel_text_start(own) || !kernel_build_id_text(id))
		skip();
	address = kernel_text_start(own) + 0x100000;
	assert_true(kernel_find(own, address, &symbol));
	/* Here, and in a start that put the kernel elsewhere. */
	for (uint64_t shift = 0; shift <= SHIFT; shift += SHIFT) {
		char expected[128];

		profile_init(&r.profile);
		row.base = kernel_text_start(own) + shift;
		row.file = profile_string(&r.profile, BYTES("[kernel.kallsyms]"));
		row.build_id = profile_string(&r.profile, bytes_of(id));
		r.schedule = profile_location(
			&r.profile, profile_mapping(&r.profile, &row), address + shift);
		symbolize(&r, NULL);
		snprintf(expected, sizeof(expected), "%.*s", (int)symbol.name.len, symbol.name.at);
		assert_string_equal(name_of(&r, r.schedule), expected);
		forget(&r);
	}
	kernel_release(own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_without_a_build_id_is_believed),
		cmocka_unit_test(symbols_move_with_the_kernel_and_modules_do_not),
		cmocka_unit_test(without_the_load_address_nothing_is_guessed),
		cmocka_unit_test(the_kernels_file_is_read),
		cmocka_unit_test(the_functions_of_the_file_are_those_of_nm),
		cmocka_unit_test(a_file_that_is_no_kernel_is_reported),
		cmocka_unit_test(perfs_copy_of_kallsyms_is_found_by_build_id),
		cmocka_unit_test(the_kernels_file_is_found_and_its_build_id_compared),
		cmocka_unit_test(the_running_kernel_names_what_was_recorded_on_it),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
