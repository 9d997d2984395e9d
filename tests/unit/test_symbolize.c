/* test_symbolize.c: are the places of a profile named, once, and is what is missing reported? */
#include "test.h"

#include "support/work_folder.h"

#include "base/buffer.h"
#include "images/symbols.h"
#include "process/symbolize.h"

static struct bytes function_at(const struct profile *p, location_id location)
{
	struct span names = p->location_names.items[location];

	assert_true(names.count); /* what was inlined depends on whether a debug file is there */
	return profile_text(p, p->frames.items[p->location_frames.items[names.first]].function);
}

static const struct frame *frame_at(const struct profile *p, location_id location)
{
	return &p->frames.items[p->location_frames.items[p->location_names.items[location].first]];
}

/* A mapping of a file with its own build id, or with another. */
static mapping_id map_file(struct profile *p, const char *file, const char *build_id)
{
	struct mapping mapping = {.kind = MAPPING_FILE};
	struct error err = {0};
	struct image *image = image_open(file, &err);
	char own[65];

	if (!image)
		fail_msg("%s", err.text);
	image_build_id_text(image, own);
	mapping.file = profile_string(p, bytes_of(file));
	mapping.build_id = profile_string(p, bytes_of(build_id ? build_id : own));
	image_release(image);
	return profile_mapping(p, &mapping);
}

/* Where an exported function is in its file, by nm. */
static uint64_t offset_of(const char *file, const char *name)
{
	char command[512], line[64] = "";
	struct error err = {0};
	struct image *image = image_open(file, &err);
	uint64_t offset = 0;
	FILE *pipe;

	snprintf(command, sizeof(command),
		"nm -D %s | awk '{sub(/@.*/, \"\", $3)} $3 == \"%s\" {print $1}'", file, name);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_non_null(fgets(line, sizeof(line), pipe));
	pclose(pipe);
	assert_true(image_offset(image, strtoull(line, NULL, 16), &offset));
	image_release(image);
	return offset;
}

static const char libm[] = "/lib/x86_64-linux-gnu/libm.so.6";
static const char libcpp[] = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6";

static void files_are_named_by_build_id(void **state)
{
	struct symbolize_report report;
	struct profile p;
	location_id sine, plus, other, replaced;
	mapping_id m, wrong;
	char missing[64];

	(void)state;
	profile_init(&p);
	m = map_file(&p, libcpp, NULL);
	wrong = map_file(&p, libcpp, "0123456789abcdef0123456789abcdef01234567");
	sine = profile_location(&p, m, offset_of(libcpp, "_ZNSi6ignoreEv"));
	plus = profile_location(&p, m, offset_of(libcpp, "_ZNSi6ignoreEv") + 1);
	other = profile_location(&p, m, 1);
	replaced = profile_location(&p, wrong, offset_of(libcpp, "_ZNSi6ignoreEv"));
	assert_true(profile_needs_names(&p));
	profile_symbolize(&p, NULL, &report);
	assert_false(profile_needs_names(&p));

	assert_bytes_equal(function_at(&p, sine), "std::istream::ignore");
	assert_ptr_equal(frame_at(&p, sine), frame_at(&p, plus));
	assert_bytes_equal(profile_text(&p, frame_at(&p, sine)->module), "libstdc++.so.6");
	assert_int_equal(frame_at(&p, sine)->kind, FRAME_NATIVE);
	assert_bytes_equal(function_at(&p, other), "[libstdc++.so.6]");
	/* The recorded file is not here: the name has the offset, so that it can be looked up
	 * elsewhere. */
	snprintf(missing, sizeof(missing), "[libstdc++.so.6+0x%llx]",
		(unsigned long long)p.locations.items[replaced].address);
	assert_bytes_equal(function_at(&p, replaced), missing);
	assert_int_equal(report.named, 2);
	assert_int_equal(report.unnamed, 2);
	assert_int_equal(report.modules.len, 2);
	symbolize_report_release(&report);
	profile_release(&p);
}

/* The samples that end in unnamed places are counted, by module; the most come first. */
static void the_report_counts_samples(void **state)
{
	struct symbolize_report report;
	struct profile p;
	location_id in_m, in_cpp;
	uint32_t table, idle;

	(void)state;
	profile_init(&p);
	table = profile_add_samples(&p);
	idle = profile_add_samples(&p);
	profile_add_stream(&p, table, BYTES("samples"), BYTES("count"), BYTES("cpu-clock"));
	profile_add_stream(&p, idle, BYTES("idle"), BYTES("count"), BYTES("cpu-clock"));
	in_m = profile_location(&p, map_file(&p, libm, NULL), 1);
	in_cpp = profile_location(&p, map_file(&p, libcpp, NULL), 1);
	for (int i = 0; i < 7; i++) {
		stack_id below = profile_stack(&p, 0, in_m);
		struct sample sample = {.stack = i < 5 ? profile_stack(&p, below, in_cpp) : below};

		profile_add_sample(&p, table, &sample);
		profile_add_sample(&p, idle, &sample); /* not counted */
	}
	profile_symbolize(&p, NULL, &report);
	assert_int_equal(report.samples, 7);
	assert_int_equal(report.modules.len, 2);
	assert_bytes_equal(report.modules.items[0].file, libcpp);
	assert_int_equal(report.modules.items[0].samples, 5);
	assert_bytes_equal(report.modules.items[1].file, libm);
	assert_int_equal(report.modules.items[1].samples, 2);
	assert_true(*report.modules.items[0].why);
	symbolize_report_release(&report);
	profile_release(&p);
}

/* A location that has only the name of its module is looked up again on request. */
static void placeholders_can_be_named_again(void **state)
{
	struct profile p;
	struct frame frame = {0};
	frame_id id;
	location_id place, named;
	uint64_t offset = offset_of(libm, "sin");

	(void)state;
	profile_init(&p);
	place = profile_location(&p, map_file(&p, libm, NULL), offset);
	named = profile_location(&p, map_file(&p, libm, NULL), offset + 1);
	frame.module = profile_string(&p, BYTES("libm.so.6"));
	frame.function = profile_string(&p, BYTES("[libm.so.6]"));
	id = profile_frame(&p, &frame);
	profile_name_location(&p, place, &id, 1);
	frame.function = profile_string(&p, BYTES("somebody knew better"));
	id = profile_frame(&p, &frame);
	profile_name_location(&p, named, &id, 1);

	profile_symbolize(&p, NULL, NULL);
	assert_bytes_equal(function_at(&p, place), "[libm.so.6]");
	profile_symbolize(&p, &(struct symbolize_options){.which = SYMBOLIZE_UNNAMED}, NULL);
	assert_bytes_equal(function_at(&p, named), "somebody knew better");
	assert_true(function_at(&p, place).at[0] != '[');
	profile_release(&p);
}

/* ---- Inlined functions and lines ---- */

static const char inlined_c[] = "static inline __attribute__((always_inline)) int inner(int x)\n"
				"{\n"
				"	return x * x / 7;\n"
				"}\n"
				"__attribute__((noinline)) int outer(int x)\n"
				"{\n"
				"	return inner(x) + inner(x + 3);\n"
				"}\n"
				"int main(int c, char **v)\n"
				"{\n"
				"	return outer(c) + !v;\n"
				"}\n";

static const struct frame *frame_of_span(const struct profile *p, location_id location, uint32_t at)
{
	struct span names = p->location_names.items[location];

	assert_true(at < names.count);
	return &p->frames.items[p->location_frames.items[names.first + at]];
}

/* Without lines, the locations of a function have one frame. Symbolized again with lines, they get
 * their lines; a location that cannot be found any more keeps its name. */
static void lines_are_found_on_request(void **state)
{
	struct symbolize_options options = {.which = SYMBOLIZE_AGAIN};
	const char *program;
	location_id binary_locations[24];
	struct profile p;
	mapping_id mapping;
	uint64_t outer;
	unsigned inlined = 0, lined = 0;

	(void)state;
	work_write("inlined.c", inlined_c);
	work_run("gcc -O2 -g -Wl,--build-id,--export-dynamic inlined.c -o inlined");
	program = work_path("inlined");
	profile_init(&p);
	mapping = map_file(&p, program, NULL);
	outer = offset_of(program, "outer");
	for (unsigned i = 0; i < 24; i++)
		binary_locations[i] = profile_location(&p, mapping, outer + i);
	profile_symbolize(&p, NULL, NULL);
	assert_int_equal(p.frames.len, 3); /* none, outer, inner */
	for (unsigned i = 0; i < 24; i++) {
		assert_bytes_equal(function_at(&p, binary_locations[i]), "outer");
		assert_int_equal(frame_at(&p, binary_locations[i])->kind, FRAME_NATIVE);
		assert_int_equal(frame_at(&p, binary_locations[i])->line, 0);
		if (p.location_names.items[binary_locations[i]].count < 2)
			continue;
		inlined++;
		assert_int_equal(frame_of_span(&p, binary_locations[i], 1)->kind, FRAME_INLINED);
		assert_bytes_equal(
			profile_text(&p, frame_of_span(&p, binary_locations[i], 1)->function),
			"inner");
	}
	assert_in_range(inlined, 4, 24);

	options.depth = NAMES_LINES;
	profile_symbolize(&p, &options, NULL);
	work_run("rm inlined inlined.c");
	profile_symbolize(&p, &(struct symbolize_options){.which = SYMBOLIZE_AGAIN}, NULL);
	for (unsigned i = 0; i < 24; i++) {
		assert_bytes_equal(function_at(&p, binary_locations[i]), "outer");
		assert_true(
			bytes_ends_with(profile_text(&p, frame_at(&p, binary_locations[i])->file),
				BYTES("/inlined.c")));
		assert_in_range(frame_at(&p, binary_locations[i])->line, 6, 8);
		if (p.location_names.items[binary_locations[i]].count < 2)
			continue;
		lined++;
		assert_int_equal(frame_at(&p, binary_locations[i])->line, 7); /* of the call */
		assert_in_range(frame_of_span(&p, binary_locations[i], 1)->line, 1, 3);
	}
	assert_int_equal(lined, inlined);
	profile_release(&p);
}

static void the_vdso_is_named(void **state)
{
	struct error err = {0};
	struct image *vdso = image_open_vdso(&err);
	struct symbols *symbols;
	struct mapping mapping = {.kind = MAPPING_VDSO};
	struct symbol symbol;
	struct profile p;
	location_id place;
	uint64_t offset;
	char id[65];

	(void)state;
	if (!vdso)
		fail_msg("%s", err.text);
	symbols = symbols_load(vdso, NULL);
	assert_true(symbols_count(symbols) >= 3);
	symbol = symbols_at(symbols, 0);
	assert_true(image_offset(vdso, symbol.start, &offset));
	image_build_id_text(vdso, id);
	profile_init(&p);
	mapping.file = profile_string(&p, BYTES("[vdso]"));
	mapping.build_id = profile_string(&p, bytes_of(id));
	place = profile_location(&p, profile_mapping(&p, &mapping), offset);
	profile_symbolize(&p, NULL, NULL);
	assert_true(bytes_equal(function_at(&p, place), symbol.name));
	assert_bytes_equal(profile_text(&p, frame_at(&p, place)->module), "[vdso]");
	profile_release(&p);
	symbols_release(symbols);
	image_release(vdso);
}

/* ---- With a recorder's state ---- */

static const struct kernel *kernel_of(void *self)
{
	return self;
}

static void the_kernel_of_the_hooks_is_used(void **state)
{
	struct error err = {0};
	struct kernel *kernel =
		kernel_parse(BYTES("ffffffff81000000 T _text\nffffffff81000100 T schedule\n"
				   "ffffffff81000200 T next\nffffffffc0000000 t ext4_find\t[ext4]\n"
				   "ffffffffc0000100 t ext4_last\t[ext4]\n"),
			&err);
	struct symbolize_hooks hooks = {.self = kernel, .kernel = kernel_of};
	struct mapping text = {.kind = MAPPING_KERNEL}, module = {.kind = MAPPING_MODULE};
	struct profile p;
	location_id a, b, c;

	(void)state;
	assert_non_null(kernel);
	profile_init(&p);
	text.file = profile_string(&p, BYTES("[kernel.kallsyms]"));
	module.file = profile_string(&p, BYTES("[ext4]"));
	a = profile_location(&p, profile_mapping(&p, &text), 0xffffffff81000123);
	b = profile_location(&p, profile_mapping(&p, &module), 0xffffffffc0000001);
	c = profile_location(&p, profile_mapping(&p, &text), 0x1000);
	profile_symbolize(&p, &(struct symbolize_options){.hooks = &hooks}, NULL);
	assert_bytes_equal(function_at(&p, a), "schedule");
	assert_bytes_equal(profile_text(&p, frame_at(&p, a)->module), "[kernel]");
	assert_int_equal(frame_at(&p, a)->kind, FRAME_KERNEL);
	assert_bytes_equal(function_at(&p, b), "ext4_find");
	assert_bytes_equal(profile_text(&p, frame_at(&p, b)->module), "[ext4]");
	assert_bytes_equal(function_at(&p, c), "[kernel]");
	profile_release(&p);
	kernel_release(kernel);
}

/* A file of another boot or machine does not get this kernel's names. */
static void another_kernel_is_not_guessed(void **state)
{
	struct symbolize_report report;
	struct mapping text = {.kind = MAPPING_KERNEL, .base = 0xffffffff81000000};
	struct profile p;
	location_id a;

	(void)state;
	profile_init(&p);
	text.file = profile_string(&p, BYTES("[kernel.kallsyms]"));
	text.build_id = profile_string(&p, BYTES("00112233445566778899"));
	a = profile_location(&p, profile_mapping(&p, &text), 0xffffffff81000123);
	profile_symbolize(&p, NULL, &report);
	assert_bytes_equal(function_at(&p, a), "[kernel]");
	assert_int_equal(report.unnamed, 1);
	symbolize_report_release(&report);
	profile_release(&p);
}

/* A perf map as this process itself would write one. */
static void write_map(const char *content)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	if (!content)
		return;
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(content, file);
	fclose(file);
}

static FILE *append_map(void)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "a");
	assert_non_null(file);
	return file;
}

static void code_made_while_running_is_named_by_its_map(void **state)
{
	struct jit_code jit = {0};
	struct mapping code = {.kind = MAPPING_JIT};
	struct symbolize_report report;
	char skipped[64];
	struct profile p;
	location_id a, b, c;

	(void)state;
	write_map("7000 100 JS:*fast /a.js:1:2\nno code\n7080 10 newer\n7090\n");
	profile_init(&p);
	code.process = profile_process(&p, getpid(), profile_string(&p, BYTES("node")));
	a = profile_location(&p, profile_mapping(&p, &code), 0x7001);
	b = profile_location(&p, profile_mapping(&p, &code), 0x7081);
	c = profile_location(&p, profile_mapping(&p, &code), 0x9000);
	profile_symbolize(&p, &(struct symbolize_options){.jit = &jit}, &report);
	assert_bytes_equal(function_at(&p, a), "fast /a.js:1:2");
	assert_int_equal(frame_at(&p, a)->kind, FRAME_JIT);
	assert_bytes_equal(function_at(&p, b), "newer");
	assert_bytes_equal(function_at(&p, c), "[unknown]");
	assert_int_equal(report.modules.len, 1);
	assert_bytes_equal(report.modules.items[0].file, "node");
	snprintf(skipped, sizeof(skipped), "2 lines of perf-%d.map", getpid());
	assert_bytes_equal(buffer_bytes(&report.skipped), skipped);
	symbolize_report_release(&report);
	jit_code_release(&jit);
	write_map(NULL);

	/* Without a map, the report has advice. */
	profile_name_location(&p, a, NULL, 0);
	profile_symbolize(&p, NULL, &report);
	assert_int_equal(report.modules.len, 1);
	assert_non_null(strstr(report.modules.items[0].remedy, "--perf-basic-prof"));
	symbolize_report_release(&report);
	profile_release(&p);
}

/* The function of a sample's innermost frame. */
static struct bytes function_of_sample(const struct profile *p, size_t sample)
{
	stack_id stack = p->samples.items[0].stack.items[sample];

	return function_at(p, p->stack_location.items[stack]);
}

static void code_at_a_reused_address_is_named_by_time(void **state)
{
	static const uint64_t times[] = {150, 250, 350, 450};
	struct jit_code jit = {0}, later = {.recorded = true, .search_tmp = true};
	struct mapping code = {.kind = MAPPING_JIT};
	struct symbolize_report report;
	location_id caller, place;
	struct profile p;
	stack_id stack;
	FILE *file;

	(void)state;
	profile_init(&p);
	profile_add_samples(&p);
	code.process = profile_process(&p, getpid(), profile_string(&p, BYTES("node")));
	caller = profile_location(&p, profile_mapping(&p, &code), 0x6001);
	place = profile_location(&p, profile_mapping(&p, &code), 0x7001);
	stack = profile_stack(&p, profile_stack(&p, 0, caller), place);
	for (size_t i = 0; i < 4; i++)
		profile_add_sample(&p, 0,
			&(struct sample){.has = SAMPLE_TIME, .stack = stack, .time = times[i]});

	/* Written between two looks: as old as the first of them. */
	write_map("6000 100 caller\n7000 100 first\n");
	jit_code_poll(&jit, &p, 100);
	jit_code_poll(&jit, &p, 200);
	file = append_map();
	fputs("7000 80 second\n", file);
	fflush(file);
	jit_code_poll(&jit, &p, 300);
	fputs("7000 40 third\n", file);
	fclose(file);
	jit_code_poll(&jit, &p, 400);
	profile_symbolize(&p, &(struct symbolize_options){.jit = &jit}, &report);
	assert_bytes_equal(function_of_sample(&p, 0), "first");
	assert_bytes_equal(function_of_sample(&p, 1), "second");
	assert_bytes_equal(function_of_sample(&p, 2), "third");
	assert_bytes_equal(function_of_sample(&p, 3), "third");
	assert_int_equal(report.by_time, 2);
	assert_int_equal(report.guessed, 0);
	for (size_t i = 0; i < 4; i++)
		assert_bytes_equal(
			function_at(&p,
				p.stack_location.items
					[p.stack_caller.items[p.samples.items[0].stack.items[i]]]),
			"caller");
	symbolize_report_release(&report);
	jit_code_release(&jit);

	/* The file was not polled: the last name is used, and guesses are counted. */
	for (size_t i = 0; i < 4; i++)
		p.samples.items[0].stack.items[i] = stack;
	profile_name_location(&p, caller, NULL, 0);
	profile_name_location(&p, place, NULL, 0);
	profile_symbolize(&p, &(struct symbolize_options){.jit = &later}, &report);
	assert_bytes_equal(function_of_sample(&p, 0), "third");
	assert_int_equal(report.by_time, 0);
	assert_int_equal(report.guessed, 4);
	symbolize_report_release(&report);
	jit_code_release(&later);
	write_map(NULL);
	profile_release(&p);
}

/* Each process has a row. */
static void processes_beyond_the_limit_are_reported(void **state)
{
	struct jit_code jit = {.recorded = true};
	struct buffer left_out = {0};
	struct error err = {0};
	struct profile p;

	(void)state;
	profile_init(&p);
	for (int32_t pid = 1; pid <= 4097; pid++) {
		process_id process = profile_process(&p, pid, 0);

		left_out.len = 0;
		jit_code_left_out(&jit, &left_out);
		assert_int_equal(left_out.len, 0);
		assert_false(jit_code_read(&jit, &p, process, &err));
	}
	jit_code_left_out(&jit, &left_out);
	assert_bytes_equal(buffer_bytes(&left_out), "files of more than 4,096 processes");
	buffer_release(&left_out);
	jit_code_release(&jit);
	profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_named_by_build_id),
		cmocka_unit_test(the_report_counts_samples),
		cmocka_unit_test(placeholders_can_be_named_again),
		cmocka_unit_test(lines_are_found_on_request),
		cmocka_unit_test(the_vdso_is_named),
		cmocka_unit_test(the_kernel_of_the_hooks_is_used),
		cmocka_unit_test(another_kernel_is_not_guessed),
		cmocka_unit_test(code_made_while_running_is_named_by_its_map),
		cmocka_unit_test(code_at_a_reused_address_is_named_by_time),
		cmocka_unit_test(processes_beyond_the_limit_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
