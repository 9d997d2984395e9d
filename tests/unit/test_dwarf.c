/* test_dwarf.c: do Kiln and libdw agree about functions, inlined functions and lines at every
 * address? */
#include "dwarf_oracle.h"

#include "support/work_folder.h"

#include "images/debug_file.h"
#include "images/dwarf_lookup.h"

static bool have(const char *program)
{
	return work_try("command -v %s", program);
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

/* The program to look up, and the file with the expected answers; texts are paths. */
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
	const char *slash = strrchr(s->program, '/');
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
		slash ? slash + 1 : s->program, compared.addresses, compared.frames,
		compared.inlined, compared.different);
	return compared;
}

static void agree_with(const char *name, const char *debug, const char *oracle, uint64_t step)
{
	struct compared c = compare(&(struct subject){.program = work_path(name),
		.debug = debug ? work_path(debug) : NULL,
		.oracle = oracle ? work_path(oracle) : NULL,
		.step = step,
		.threads = 2});

	assert_true(c.inlined > 100);
	assert_int_equal(c.different, 0);
}

static void agree(const char *name, uint64_t step)
{
	agree_with(name, NULL, NULL, step);
}

/* ---- The programs ---- */

struct recipe {
	const char *name, *compiler, *options;
};

static const struct recipe in_c[] = {
	{"c_gcc_2", "gcc", "-gdwarf-2"},
	{"c_gcc_3", "gcc", "-gdwarf-3"},
	{"c_gcc_4", "gcc", "-gdwarf-4"},
	{"c_gcc_5", "gcc", "-gdwarf-5"},
	{"c_gcc_5_64", "gcc", "-gdwarf-5 -gdwarf64"},
	{"c_gcc_zlib", "gcc", "-g -gz=zlib"},
	{"c_gcc_zlib_gnu", "gcc", "-g -gz=zlib-gnu"},
	{"c_gcc_split", "gcc", "-g -gsplit-dwarf"},
	{"c_clang_4", "clang", "-gdwarf-4"},
	{"c_clang_5", "clang", "-gdwarf-5"},
	{"c_clang_lines", "clang", "-gline-tables-only"},
};

static const struct recipe in_cc[] = {
	{"cc_gcc_4", "g++", "-gdwarf-4"},
	{"cc_gcc_5", "g++", "-gdwarf-5"},
	{"cc_gcc_types_4", "g++", "-gdwarf-4 -fdebug-types-section"},
	{"cc_gcc_types_5", "g++", "-gdwarf-5 -fdebug-types-section"},
	{"cc_gcc_sections", "g++", "-g -ffunction-sections -Wl,--gc-sections"},
	{"cc_gcc_lto", "g++", "-g -flto"},
	{"cc_gcc_split_4", "g++", "-gdwarf-4 -gsplit-dwarf"},
	{"cc_gcc_split_5", "g++", "-gdwarf-5 -gsplit-dwarf"},
	{"cc_clang_4", "clang++", "-gdwarf-4"},
	{"cc_clang_5", "clang++", "-gdwarf-5"},
	{"cc_clang_sections", "clang++", "-g -ffunction-sections -Wl,--gc-sections"},
	{"cc_clang_split_4", "clang++", "-gdwarf-4 -gsplit-dwarf"},
	{"cc_clang_split_5", "clang++", "-gdwarf-5 -gsplit-dwarf"},
};

static const struct recipe in_rust[] = {
	{"rust", "rustc", "-g"},
	{"rust_units", "rustc", "-g -C codegen-units=4 -C dwarf-version=5"},
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool built(const char *name)
{
	return work_try("test -e %s", name);
}

/* A compiler that is not installed builds nothing, and its programs are left out. Split files are
 * put beside the program, or by clang in the folder where it runs. */
static void build(const struct recipe *r, const char *sources)
{
	/* With rustup, there may be a rustc without a toolchain. */
	if (!work_try("PATH=$PATH:$HOME/.cargo/bin; %s --version", r->compiler))
		print_message("%s: no %s\n", r->name, r->compiler);
	else if (!work_try("PATH=$PATH:$HOME/.cargo/bin; mkdir %s.parts && cd %s.parts && "
			   "%s -O %s -o ../%s %s",
			 r->name, r->name, r->compiler, r->options, r->name, sources))
		fail_msg("%s cannot be built", r->name);
}

static int build_all(void **state)
{
	struct buffer c = {0};

	(void)state;
	buffer_printf(&c, "-O2 %s %s", test_path("tests/targets/inlined.c"),
		test_path("tests/targets/inlined_elsewhere.c"));
	for (size_t i = 0; i < COUNT(in_c); i++)
		build(&in_c[i], c.at);
	buffer_release(&c);
	buffer_printf(&c, "-O2 -std=c++17 %s", test_path("tests/targets/inlined.cc"));
	for (size_t i = 0; i < COUNT(in_cc); i++)
		build(&in_cc[i], c.at);
	buffer_release(&c);
	for (size_t i = 0; i < COUNT(in_rust); i++)
		build(&in_rust[i], test_path("tests/targets/inlined.rs"));
	return 0;
}

/* ---- Every compiler, version and place ---- */

static void all_agree(const struct recipe *recipes, size_t count, uint64_t step)
{
	for (size_t i = 0; i < count; i++)
		if (built(recipes[i].name))
			agree(recipes[i].name, step);
}

static void c_agrees(void **state)
{
	(void)state;
	all_agree(in_c, COUNT(in_c), 1);
}

static void cc_agrees(void **state)
{
	(void)state;
	all_agree(in_cc, COUNT(in_cc), 1);
}

static void rust_agrees(void **state)
{
	(void)state;
	all_agree(in_rust, COUNT(in_rust), 11);
}

static void in_a_separate_file(void **state)
{
	(void)state;
	work_run("objcopy --only-keep-debug cc_gcc_5 stripped.debug");
	work_run("strip -g -o stripped cc_gcc_5");
	agree_with("stripped", "stripped.debug", NULL, 1);
}

/* One file for all units. libdw 0.188 does not read packages: it reads the same program unsplit. */
static void in_packages(void **state)
{
	(void)state;
	if (!have("dwp") || !have("llvm-dwp"))
		skip();
	work_run("cd cc_gcc_split_4.parts && dwp -e ../cc_gcc_split_4 -o ../packed_4.dwp && "
		 "rm ../cc_gcc_split_4-*.dwo");
	work_run("cp cc_gcc_split_4 packed_4");
	agree_with("packed_4", NULL, "cc_gcc_4", 1);
	if (!built("cc_clang_split_5"))
		return;
	work_run("cd cc_clang_split_5.parts && "
		 "llvm-dwp -e ../cc_clang_split_5 -o ../packed_5.dwp && rm *.dwo");
	work_run("cp cc_clang_split_5 packed_5");
	agree_with("packed_5", NULL, "cc_clang_5", 1);
}

/* dwz moves what two programs share to a third file. */
static void in_a_shared_file(void **state)
{
	(void)state;
	if (!have("dwz"))
		skip();
	work_run("for v in 4 5; do for n in shares one two; do cp cc_gcc_$v ${n}_$v; done; "
		 "dwz -m common_$v one_$v two_$v; dwz shares_$v; "
		 "readelf -S one_$v | grep gnu_debugaltlink || exit 1; done");
	agree("shares_4", 1);
	agree("shares_5", 1);
	agree("one_4", 1);
	agree("two_5", 1);
}

/* ---- Ways to ask ---- */

/* Our answers about a program in the work directory, as one text. */
static struct buffer whole_answer(
	const char *name, unsigned threads, bool no_lines, struct dwarf_stats *ret_stats)
{
	struct subject s = {
		.program = work_path(name), .step = 1, .threads = threads, .no_lines = no_lines};
	struct asked a = ask_about(&s);
	struct ours ours = answers_of(&s, &a, ret_stats);
	struct buffer all = {0};

	for (size_t i = 0; i < a.count; i++) {
		buffer_printf(&all, "%llx\n", (unsigned long long)a.addresses[i]);
		buffer_add(&all, ours.texts[i].at, ours.texts[i].len);
	}
	ours_release(&ours, a.count);
	asked_release(&a);
	return all;
}

static void threads_change_nothing(void **state)
{
	struct dwarf_stats stats;
	struct buffer one, three;

	(void)state;
	one = whole_answer("c_gcc_5", 1, false, &stats);
	assert_int_equal(stats.decoded, 2);
	three = whole_answer("c_gcc_5", 3, false, &stats);
	assert_int_equal(stats.decoded, 2);
	assert_true(bytes_equal(buffer_bytes(&one), buffer_bytes(&three)));
	buffer_release(&one);
	buffer_release(&three);
}

static void lines_are_left_out(void **state)
{
	struct dwarf_stats stats;
	struct buffer with, without, cut = {0};

	(void)state;
	with = whole_answer("c_gcc_5", 1, false, &stats);
	without = whole_answer("c_gcc_5", 1, true, &stats);
	/* "N name file:line" becomes "N name :0". */
	for (struct bytes rest = buffer_bytes(&with), line; bytes_line(&rest, &line);) {
		const char *file = memrchr(line.at, ' ', line.len);

		buffer_add(&cut, line.at, file ? (size_t)(file - line.at) : line.len);
		buffer_text(&cut, file ? " :0\n" : "\n");
	}
	assert_string_equal(without.at, cut.at);
	buffer_release(&cut);
	buffer_release(&with);
	buffer_release(&without);
}

/* addr2line reads with BFD: functions, innermost first, and lines. */
static void addr2line_agrees(void **state)
{
	struct dwarf_stats stats;
	struct buffer ours, plain = {0};

	(void)state;
	ours = whole_answer("c_gcc_5", 2, false, &stats);
	/* Only addresses with functions, since for others addr2line asks the symbol table, and
	 * names without the kind. */
	for (struct bytes rest = buffer_bytes(&ours), line, address = {0};
		bytes_line(&rest, &line);) {
		if (line.at[1] != ' ' || line.len < 3) {
			address = line;
			continue;
		}
		if (address.len)
			buffer_printf(&plain, "0x%016llx\n", strtoull(address.at, NULL, 16));
		address.len = 0;
		buffer_add(&plain, line.at + 2, line.len - 2);
		buffer_char(&plain, '\n');
	}
	work_write("bfd.txt", plain.at);
	work_run("grep ^0x bfd.txt | addr2line -e c_gcc_5 -afi | sed 's/ (discriminator .*//' | "
		 "awk '/^0x/ { print; next } !name { name = $0; next } "
		 "{ sub(/:[?]$/, \":0\"); print name \" \" $0; name = \"\" }' > bfd.theirs");
	work_run("diff bfd.txt bfd.theirs");
	assert_true(plain.len > 50000);
	buffer_release(&plain);
	buffer_release(&ours);
}

/* ---- Missing and damaged parts ---- */

static void missing_parts_are_counted(void **state)
{
	struct dwarf_stats stats;
	struct buffer text;

	(void)state;
	work_run("rm c_gcc_split-*.dwo");
	text = whole_answer("c_gcc_split", 1, false, &stats);
	assert_int_equal(stats.split_missing, 2);
	buffer_release(&text);
	if (!have("dwz"))
		return;
	work_run("cp cc_gcc_5 shareless && cp cc_gcc_5 other && dwz -m gone shareless other "
		 "&& rm gone");
	text = whole_answer("shareless", 1, false, &stats);
	assert_true(stats.shared_missing);
	buffer_release(&text);
}

static void ignore(void *context, size_t index, const struct dwarf_frame *frames, size_t count)
{
	(void)index;
	(void)frames;
	*(size_t *)context += count > 0;
}

/* Damage in each byte of a section in turn: every lookup returns, without a crash. Returns how many
 * times the damage was noticed. */
static size_t survive(struct image *image, char *content, const char *section_name)
{
	const struct image_section *section = image_section(image, section_name);
	const struct image_section *code = image_section(image, ".text");
	char *at = content + (section->content.at - image_content(image).at);
	size_t damaged = 0;

	for (size_t i = 0; i < section->content.len; i++) {
		struct dwarf *dwarf = dwarf_open(image, NULL, NULL);
		uint64_t addresses[] = {code->address, code->address + code->size / 2};
		size_t found = 0;

		at[i] = (char)~at[i];
		dwarf_lookup(dwarf, addresses, 2, true, 1, ignore, &found);
		at[i] = (char)~at[i];
		damaged += dwarf_stats(dwarf).damaged > 0;
		dwarf_release(dwarf);
	}
	return damaged;
}

static void damage_is_survived(void **state)
{
	static const char *const sections[] = {
		".debug_info", ".debug_abbrev", ".debug_line", ".debug_rnglists", ".debug_aranges"};
	struct error err = {0};
	char *content;
	struct image *whole, *copy;

	(void)state;
	work_run("gcc -O2 -g -gdwarf-5 -nostdlib -shared -fPIC -o damaged.o %s",
		test_path("tests/targets/inlined.c"));
	whole = image_open(work_path("damaged.o"), &err);
	assert_non_null(whole);
	content = memory_copy_text(image_content(whole).at, image_content(whole).len);
	copy = image_open_bytes(
		(struct bytes){content, image_content(whole).len}, "damaged.o", &err);
	assert_non_null(copy);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		size_t damaged = survive(copy, content, sections[i]);

		print_message("%s: damage noticed %zu times\n", sections[i], damaged);
		/* Damage in lists of addresses only changes addresses, so it is not always
		 * noticed. */
		if (i < 3)
			assert_true(damaged > 0);
	}
	image_release(copy);
	image_release(whole);
	free(content);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c_agrees),
		cmocka_unit_test(cc_agrees),
		cmocka_unit_test(rust_agrees),
		cmocka_unit_test(in_a_separate_file),
		cmocka_unit_test(in_packages),
		cmocka_unit_test(in_a_shared_file),
		cmocka_unit_test(threads_change_nothing),
		cmocka_unit_test(lines_are_left_out),
		cmocka_unit_test(addr2line_agrees),
		cmocka_unit_test(missing_parts_are_counted),
		cmocka_unit_test(damage_is_survived),
	};

	/* test_dwarf PROGRAM [STEP [DEBUG-FILE]]: compare any other program by hand. */
	if (argc > 1)
		return compare(&(struct subject){.program = argv[1],
				       .step = argc > 2 ? strtoull(argv[2], NULL, 10) : 1,
				       .debug = argc > 3 ? argv[3] : NULL,
				       .threads = 2})
			       .different > 0;
	return cmocka_run_group_tests(tests, build_all, NULL);
}
