/* test_dwarf.c: do we and libdw agree about functions, inlined ones and lines at every address? */
#include "dwarf_oracle.h"

#include "images/debug_file.h"
#include "images/dwarf_lookup.h"

static char work[] = "/tmp/kiln-dwarf-XXXXXX";

/* Run a shell command in the work directory. */
__attribute__((format(printf, 1, 2))) static bool run(const char *fmt, ...)
{
	struct buffer command = {0};
	va_list args;
	char text[4096];
	int status;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	buffer_printf(&command, "cd %s && { %s; } >log 2>&1", work, text);
	status = system(command.at);
	buffer_release(&command);
	return !status;
}

static bool have(const char *program)
{
	return run("command -v %s", program);
}

/* ---- Ours, as text like the oracle's ---- */

struct ours {
	struct buffer *texts; /* by index, innermost first */
	size_t answers;
};

static void frame_text(const struct dwarf_frame *f, struct buffer *out)
{
	if (f->name.len)
		buffer_text(out, f->linkage ? "L " : "N ");
	buffer_add(out, f->name.at, f->name.len);
	buffer_char(out, ' ');
	buffer_add(out, f->file.at, f->file.len);
	buffer_printf(out, ":%u\n", f->line);
}

static void collect(void *context, size_t index, const struct dwarf_frame *frames, size_t count)
{
	struct ours *ours = context;

	ours->answers++;
	assert_int_equal(ours->texts[index].len, 0);
	/* Only a line: the oracle knows no function there. */
	if (count == 1 && !frames[0].name.len)
		return;
	while (count--)
		frame_text(&frames[count], &ours->texts[index]);
}

/* ---- Comparing ---- */

struct compared {
	size_t addresses, frames, inlined, different;
};

static size_t lines_in(const struct buffer *text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text->len; i++)
		lines += text->at[i] == '\n';
	return lines;
}

static void compare_one(
	struct oracle *oracle, uint64_t address, const struct buffer *ours, struct compared *c)
{
	struct buffer theirs = {0};
	size_t frames;

	oracle_frames(oracle, address, &theirs);
	frames = lines_in(&theirs);
	c->addresses++;
	c->frames += frames;
	c->inlined += frames > 1 ? frames - 1 : 0;
	if (!bytes_equal(buffer_bytes(ours), buffer_bytes(&theirs))) {
		if (!c->different++)
			fprintf(stderr, "at %#llx:\n%s--- libdw:\n%s", (unsigned long long)address,
				ours->at ? ours->at : "", theirs.at ? theirs.at : "");
	}
	buffer_release(&theirs);
}

/* Every `step`th address of .text. `debug` has the debugging information; NULL: the image itself.
 */
static struct compared compare(const char *path, const char *debug, uint64_t step, unsigned threads)
{
	struct error err = {0};
	struct image *image = image_open(path, &err);
	struct image *debug_image = debug ? image_open(debug, &err) : NULL;
	const struct image_section *code = image ? image_section(image, ".text") : NULL;
	size_t count = code ? (size_t)((code->size + step - 1) / step) : 0;
	uint64_t *addresses = memory_new(count, sizeof(*addresses));
	struct ours ours = {.texts = memory_new(count, sizeof(*ours.texts))};
	struct compared compared = {0};
	struct oracle oracle;
	struct dwarf *dwarf;

	if (!code)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < count; i++)
		addresses[i] = code->address + i * step;
	dwarf = dwarf_open(image, debug_image, NULL);
	assert_false(dwarf_empty(dwarf));
	dwarf_lookup(dwarf, addresses, count, true, threads, collect, &ours);
	assert_int_equal(ours.answers, count);
	assert_int_equal(dwarf_stats(dwarf).damaged, 0);
	oracle = oracle_open(debug ? debug : path, code->address, code->address + code->size);
	for (size_t i = 0; i < count; i++) {
		compare_one(&oracle, addresses[i], &ours.texts[i], &compared);
		buffer_release(&ours.texts[i]);
	}
	oracle_close(&oracle);
	dwarf_release(dwarf);
	image_release(debug_image);
	image_release(image);
	free(ours.texts);
	free(addresses);
	return compared;
}

static void report(const char *what, struct compared c)
{
	print_message("%-24s %8zu addresses, %8zu frames, %8zu inlined, %zu different\n", what,
		c.addresses, c.frames, c.inlined, c.different);
}

static void agree(const char *what, const char *debug, uint64_t step)
{
	struct buffer path = {0}, debug_path = {0};
	struct compared c;

	buffer_printf(&path, "%s/%s", work, what);
	buffer_printf(&debug_path, "%s/%s", work, debug ? debug : "");
	c = compare(path.at, debug ? debug_path.at : NULL, step, 2);
	report(what, c);
	assert_true(c.inlined > 100);
	assert_int_equal(c.different, 0);
	buffer_release(&debug_path);
	buffer_release(&path);
}

/* ---- C ---- */

static void c_agrees(const char *name, const char *compiler, const char *options)
{
	if (!have(compiler)) {
		print_message("%s: no %s\n", name, compiler);
		return;
	}
	if (!run("%s %s -o %s %s %s", compiler, options, name, test_path("tests/targets/inlined.c"),
		    test_path("tests/targets/inlined_elsewhere.c")))
		fail_msg("%s cannot be built", name);
	agree(name, NULL, 1);
}

static void c_of_every_version(void **state)
{
	(void)state;
	c_agrees("c_gcc_2", "gcc", "-O2 -gdwarf-2 -gno-strict-dwarf");
	c_agrees("c_gcc_3", "gcc", "-O2 -gdwarf-3");
	c_agrees("c_gcc_4", "gcc", "-O2 -gdwarf-4");
	c_agrees("c_gcc_5", "gcc", "-O2 -gdwarf-5");
	c_agrees("c_gcc_5_64", "gcc", "-O2 -gdwarf-5 -gdwarf64");
	c_agrees("c_clang_4", "clang", "-O2 -gdwarf-4");
	c_agrees("c_clang_5", "clang", "-O2 -gdwarf-5");
	c_agrees("c_clang_lines", "clang", "-O2 -gdwarf-5 -gline-tables-only");
}

/* ---- C++ and Rust ---- */

static void cc_agrees(const char *name, const char *compiler, const char *options)
{
	if (!have(compiler)) {
		print_message("%s: no %s\n", name, compiler);
		return;
	}
	if (!run("%s -std=c++17 %s -o %s %s", compiler, options, name,
		    test_path("tests/targets/inlined.cc")))
		fail_msg("%s cannot be built", name);
	agree(name, NULL, 1);
}

static void cc_with_templates(void **state)
{
	(void)state;
	cc_agrees("cc_gcc_4", "g++", "-O2 -gdwarf-4");
	cc_agrees("cc_gcc_5", "g++", "-O2 -gdwarf-5");
	cc_agrees("cc_gcc_types", "g++", "-O2 -gdwarf-4 -fdebug-types-section");
	cc_agrees("cc_gcc_types_5", "g++", "-O2 -gdwarf-5 -fdebug-types-section");
	cc_agrees("cc_gcc_sections", "g++",
		"-O2 -g -ffunction-sections -fdata-sections -Wl,--gc-sections");
	cc_agrees("cc_gcc_lto", "g++", "-O2 -g -flto");
	cc_agrees("cc_clang_4", "clang++", "-O2 -gdwarf-4");
	cc_agrees("cc_clang_5", "clang++", "-O2 -gdwarf-5");
	cc_agrees("cc_clang_sections", "clang++", "-O2 -g -ffunction-sections -Wl,--gc-sections");
}

static void rust_agrees(const char *name, const char *options)
{
	/* A shim of rustup's answers, but compiles nothing, where no toolchain is chosen. */
	if (!run("PATH=$PATH:$HOME/.cargo/bin; rustc --version")) {
		print_message("%s: no rustc\n", name);
		return;
	}
	if (!run("PATH=$PATH:$HOME/.cargo/bin; rustc %s -o %s %s", options, name,
		    test_path("tests/targets/inlined.rs")))
		fail_msg("%s cannot be built", name);
	agree(name, NULL, 11);
}

static void rust(void **state)
{
	(void)state;
	rust_agrees("rust", "-g -O");
	rust_agrees("rust_units", "-g -O -C codegen-units=4");
}

/* ---- Where it lies ---- */

static void compressed(void **state)
{
	(void)state;
	cc_agrees("cc_zlib", "g++", "-O2 -g -gz=zlib");
	cc_agrees("cc_zlib_gnu", "g++", "-O2 -g -gz=zlib-gnu");
}

static void in_a_separate_file(void **state)
{
	(void)state;
	cc_agrees("whole", "g++", "-O2 -g");
	assert_true(run("objcopy --only-keep-debug whole whole.debug"));
	assert_true(run("strip -g -o stripped whole"));
	agree("stripped", "whole.debug", 1);
}

/* Split files lie beside the objects that they are of; g++ names them after the program. */
static void in_split_files(void **state)
{
	(void)state;
	cc_agrees("split_gcc_4", "g++", "-O2 -gdwarf-4 -gsplit-dwarf");
	cc_agrees("split_gcc_5", "g++", "-O2 -gdwarf-5 -gsplit-dwarf");
	cc_agrees("split_clang_4", "clang++", "-O2 -gdwarf-4 -gsplit-dwarf");
	cc_agrees("split_clang_5", "clang++", "-O2 -gdwarf-5 -gsplit-dwarf");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c_of_every_version),
		cmocka_unit_test(cc_with_templates),
		cmocka_unit_test(rust),
		cmocka_unit_test(compressed),
		cmocka_unit_test(in_a_separate_file),
		cmocka_unit_test(in_split_files),
	};
	int failed;

	/* test_dwarf BINARY [STEP [DEBUG-FILE]]: any other program, by hand. */
	if (argc > 1) {
		report(argv[1], compare(argv[1], argc > 3 ? argv[3] : NULL,
					argc > 2 ? strtoull(argv[2], NULL, 10) : 1, 2));
		return 0;
	}
	if (!mkdtemp(work))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (!getenv("KILN_KEEP"))
		run("rm -rf %s", work);
	return failed;
}
