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

/* What is asked, and who knows better; all are paths. */
struct subject {
	const char *program;
	const char *debug;  /* a separate debug file, or NULL */
	const char *oracle; /* what libdw reads; NULL: the debug file, or the program */
	uint64_t step;	    /* between addresses */
	unsigned threads;
	bool no_lines;
};

/* An image and addresses in its code. */
struct asked {
	struct image *image, *debug;
	uint64_t start, end;
	uint64_t *addresses;
	size_t count;
};

static struct asked ask_about(const struct subject *s)
{
	struct error err = {0};
	struct asked a = {.image = image_open(s->program, &err)};
	const struct image_section *code = a.image ? image_section(a.image, ".text") : NULL;

	if (!code)
		fail_msg("%s: %s", s->program, err.text);
	if (s->debug)
		a.debug = image_open(s->debug, &err);
	a.start = code->address;
	a.end = code->address + code->size;
	a.count = (size_t)((code->size + s->step - 1) / s->step);
	a.addresses = memory_new(a.count, sizeof(*a.addresses));
	for (size_t i = 0; i < a.count; i++)
		a.addresses[i] = a.start + i * s->step;
	return a;
}

static void asked_release(struct asked *a)
{
	image_release(a->debug);
	image_release(a->image);
	free(a->addresses);
}

/* Our answers, by address. */
static struct ours answers_of(
	const struct subject *s, const struct asked *a, struct dwarf_stats *ret_stats)
{
	struct ours ours = {.texts = memory_new(a->count, sizeof(*ours.texts))};
	struct dwarf *dwarf = dwarf_open(a->image, a->debug, NULL);

	assert_false(dwarf_empty(dwarf));
	dwarf_lookup(dwarf, a->addresses, a->count, !s->no_lines, s->threads, collect, &ours);
	assert_int_equal(ours.answers, a->count);
	*ret_stats = dwarf_stats(dwarf);
	assert_int_equal(ret_stats->damaged, 0);
	dwarf_release(dwarf);
	return ours;
}

static void ours_release(struct ours *ours, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buffer_release(&ours->texts[i]);
	free(ours->texts);
}

static struct compared compare(const struct subject *s)
{
	struct asked a = ask_about(s);
	struct dwarf_stats stats;
	struct ours ours = answers_of(s, &a, &stats);
	struct compared compared = {0};
	struct oracle oracle = oracle_open(s->oracle  ? s->oracle
					   : s->debug ? s->debug
						      : s->program,
		a.start, a.end);

	for (size_t i = 0; i < a.count; i++)
		compare_one(&oracle, a.addresses[i], &ours.texts[i], &compared);
	assert_int_equal(stats.split_missing, 0);
	assert_false(stats.shared_missing);
	oracle_close(&oracle);
	ours_release(&ours, a.count);
	asked_release(&a);
	print_message("%-20s %8zu addresses, %8zu frames, %8zu inlined, %zu different\n",
		s->program + (strncmp(s->program, work, sizeof work - 1) ? 0 : sizeof work),
		compared.addresses, compared.frames, compared.inlined, compared.different);
	return compared;
}

/* The path of a file in the work directory, or NULL; free() it. */
static char *made(const char *name)
{
	struct buffer path = {0};

	if (name)
		buffer_printf(&path, "%s/%s", work, name);
	return path.at;
}

static void agree_with(const char *name, const char *debug, const char *oracle, uint64_t step)
{
	char *program = made(name), *debug_path = made(debug), *oracle_path = made(oracle);
	struct compared c = compare(&(struct subject){.program = program,
		.debug = debug_path,
		.oracle = oracle_path,
		.step = step,
		.threads = 2});

	assert_true(c.inlined > 100);
	assert_int_equal(c.different, 0);
	free(oracle_path);
	free(debug_path);
	free(program);
}

static void agree(const char *name, uint64_t step)
{
	agree_with(name, NULL, NULL, step);
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
	agree(name, 1);
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
	agree(name, 1);
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
	agree(name, 11);
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
	agree_with("stripped", "whole.debug", NULL, 1);
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

/* One file for all units. libdw 0.188 does not read packages: it reads the same program unsplit. */
static void in_packages(void **state)
{
	(void)state;
	if (!have("dwp") || !have("llvm-dwp"))
		skip();
	cc_agrees("unsplit_4", "g++", "-O2 -gdwarf-4");
	cc_agrees("packed_4", "g++", "-O2 -gdwarf-4 -gsplit-dwarf");
	assert_true(run("dwp -e packed_4 -o packed_4.dwp && rm packed_4-*.dwo"));
	agree_with("packed_4", NULL, "unsplit_4", 1);
	cc_agrees("unsplit_5", "clang++", "-O2 -gdwarf-5");
	cc_agrees("packed_5", "clang++", "-O2 -gdwarf-5 -gsplit-dwarf");
	assert_true(run("llvm-dwp -e packed_5 -o packed_5.dwp && rm -f packed_5-*.dwo"));
	agree_with("packed_5", NULL, "unsplit_5", 1);
}

/* dwz moves what two programs share to a third file. */
static void in_a_shared_file(void **state)
{
	(void)state;
	if (!have("dwz"))
		skip();
	cc_agrees("shares_4", "g++", "-O2 -gdwarf-4");
	cc_agrees("shares_5", "g++", "-O2 -gdwarf-5");
	assert_true(run("for v in 4 5; do cp shares_$v one_$v; cp shares_$v two_$v; "
			"dwz -m common_$v one_$v two_$v; dwz shares_$v; "
			"readelf -S one_$v | grep gnu_debugaltlink || exit 1; done"));
	agree("shares_4", 1);
	agree("shares_5", 1);
	agree("one_4", 1);
	agree("two_5", 1);
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
		cmocka_unit_test(in_packages),
		cmocka_unit_test(in_a_shared_file),
	};
	int failed;

	/* test_dwarf PROGRAM [STEP [DEBUG-FILE]]: any other one, by hand. */
	if (argc > 1)
		return compare(&(struct subject){.program = argv[1],
				       .step = argc > 2 ? strtoull(argv[2], NULL, 10) : 1,
				       .debug = argc > 3 ? argv[3] : NULL,
				       .threads = 2})
			       .different > 0;
	if (!mkdtemp(work))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (!getenv("KILN_KEEP"))
		run("rm -rf %s", work);
	return failed;
}
