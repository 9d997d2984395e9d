/* test_symbols.c: do images and their symbols agree with binutils? */
#include "test.h"

#include "support/work_folder.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "images/debug_file.h"
#include "images/symbols.h"

#include <elf.h>

static const char *const binaries[] = {
	"/bin/bash",
	"/bin/ls",
	"/usr/bin/perl",
	"/usr/bin/python3",
	"/usr/bin/gcc",
	"/usr/bin/make",
	"/usr/bin/git",
	"/usr/bin/openssl",
	"/usr/bin/xz",
	"/usr/bin/tar",
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/lib/x86_64-linux-gnu/libm.so.6",
	"/lib/x86_64-linux-gnu/libcrypto.so.3",
	"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/usr/lib/x86_64-linux-gnu/libelf.so.1",
};
#define BINARIES (sizeof(binaries) / sizeof(*binaries))

/* The functions of one image, and an oracle's list of them. */
struct loaded {
	struct image *image, *debug_file;
	struct symbols *symbols;
};

static struct loaded load(const char *path, const char *root)
{
	struct error err = {0};
	struct loaded l = {.image = image_open(path, &err)};
	struct binary_locations binary_locations = {.root = root};

	if (!l.image)
		fail_msg("%s", err.text);
	l.debug_file = debug_file_open(l.image, &binary_locations);
	l.symbols = symbols_load(l.image, l.debug_file);
	return l;
}

static struct loaded load_made(const char *name, const char *root)
{
	return load(work_path(name), root);
}

static void unload(struct loaded *l)
{
	symbols_release(l->symbols);
	image_release(l->debug_file);
	image_release(l->image);
}

/* ---- Images ---- */

static void build_ids_are_those_of_readelf(void **state)
{
	(void)state;
	for (size_t i = 0; i < BINARIES; i++) {
		struct loaded l;
		char ours[65], *theirs;

		if (access(binaries[i], R_OK))
			continue;
		theirs = work_output(
			"readelf -n %s | sed -n 's/.*Build ID: //p' | tr -d '\\n'", binaries[i]);
		l = load(binaries[i], NULL);
		image_build_id_text(l.image, ours);
		assert_string_equal(ours, theirs);
		assert_int_equal(strlen(ours), 40);
		unload(&l);
		free(theirs);
	}
}

static void a_build_id_is_found_without_section_headers(void **state)
{
	struct loaded with, without;
	char a[65], b[65];

	(void)state;
	/* e_shoff, e_shnum and e_shstrndx become zero: what sstrip leaves. */
	work_run("cp plain bare && printf '\\0\\0\\0\\0\\0\\0\\0\\0' | dd of=bare bs=1 seek=40 "
		 "conv=notrunc "
		 "status=none && printf '\\0\\0\\0\\0' | dd of=bare bs=1 seek=60 conv=notrunc "
		 "status=none");
	with = load_made("plain", NULL);
	without = load_made("bare", NULL);
	image_build_id_text(with.image, a);
	image_build_id_text(without.image, b);
	assert_string_equal(a, b);
	assert_int_equal(strlen(a), 40);
	assert_int_equal(symbols_count(without.symbols), 0);
	unload(&with);
	unload(&without);
}

static void damaged_files_are_refused(void **state)
{
	static const char *const names[] = {
		"cut", "text", "empty", "header", "directory", "absent"};

	(void)state;
	work_run("head -c 9000 plain > cut; echo hello, this is text > text; : > empty; "
		 "head -c 40 plain > header; mkdir -p directory");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct error err = {0};

		assert_null(image_open(work_path(names[i]), &err));
		assert_int_equal(err.code, !strcmp(names[i], "absent") ? ERR_IO : ERR_FORMAT);
		assert_non_null(strstr(err.text, names[i]));
	}
}

static void compressed_sections_are_what_they_were(void **state)
{
	static const char *const ways[] = {"zlib", "zlib-gnu"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct loaded plain = load_made("plain", NULL), packed;
		const struct image_section *a, *b;

		work_run("objcopy --compress-debug-sections=%s plain packed", ways[i]);
		packed = load_made("packed", NULL);
		a = image_section(plain.image, ".debug_info");
		b = image_section(packed.image, ".debug_info");
		assert_non_null(a);
		assert_non_null(b);
		assert_true(a->content.len > 500);
		assert_true(bytes_equal(a->content, b->content));
		unload(&plain);
		unload(&packed);
	}
}

static void addresses_and_offsets_are_those_of_readelf(void **state)
{
	char *text = work_output("readelf -lW /bin/bash | awk '$1 == \"LOAD\" {print $2, $3, $5}'");
	struct loaded l = load("/bin/bash", NULL);
	struct bytes lines = bytes_of(text), line;
	unsigned checked = 0;

	(void)state;
	while (bytes_line(&lines, &line)) {
		unsigned long long offset, address, size;
		uint64_t there = 0;

		assert_int_equal(sscanf(line.at, "%llx %llx %llx", &offset, &address, &size), 3);
		assert_true(image_address(l.image, offset + size / 2, &there));
		assert_int_equal(there, address + size / 2);
		assert_true(image_offset(l.image, address + size - 1, &there));
		assert_int_equal(there, offset + size - 1);
		assert_int_equal(image_at(l.image, address).len, size);
		checked++;
	}
	assert_true(checked >= 2);
	assert_false(image_address(l.image, UINT64_MAX, &(uint64_t){0}));
	assert_false(image_offset(l.image, UINT64_MAX, &(uint64_t){0}));
	unload(&l);
	free(text);
}

/* ---- Functions against nm ---- */

/* nm gives weak functions and weak symbols without a type the same letter; of the latter the one in
 * every program's data is no function. */
static bool is_function(char letter, const char *name)
{
	return letter && strchr("TtWwi", letter) && strcmp(name, "data_start") != 0;
}

static struct bytes without_version(char *name)
{
	char *at = strchr(name + 1, '@');

	return (struct bytes){name, at ? (size_t)(at - name) : strlen(name)};
}

/* Every function in nm's list has to be found at its address, under its own name or under that of
 * another function in the list with the same address. */
static unsigned compare_with_nm(const struct loaded *l, char *list, const char *what)
{
	struct entry {
		uint64_t address;
		struct bytes name;
	};
	VECTOR(struct entry) entries = {0};
	unsigned own = 0;
	char *line, *rest = list;

	while ((line = strsep(&rest, "\n")) && *line) {
		unsigned long long address;
		char letter, *name = memory_copy_text(line, strlen(line));

		if (sscanf(line, "%llx %c %s", &address, &letter, name) == 3 &&
			is_function(letter, name)) {
			memcpy(line, name, strlen(name) + 1); /* a part of it */
			vector_push(&entries, ((struct entry){address, without_version(line)}));
		}
		free(name);
	}
	for (size_t i = 0; i < entries.len; i++) {
		const struct entry *e = &entries.items[i];
		struct symbol symbol;
		bool known = false;

		if (!symbols_find(l->symbols, e->address, &symbol) || symbol.start != e->address)
			fail_msg("%s: nothing starts at %llx, where nm has %.*s", what,
				(unsigned long long)e->address, (int)e->name.len, e->name.at);
		for (size_t k = 0; k < entries.len && !known; k++)
			known = entries.items[k].address == e->address &&
				bytes_equal(entries.items[k].name, symbol.name);
		if (!known && symbols_extent(l->symbols) == SYMBOLS_EXPORTED)
			fail_msg("%s: %.*s at %llx is not in nm's list", what, (int)symbol.name.len,
				symbol.name.at, (unsigned long long)e->address);
		own += bytes_equal(symbol.name, e->name);
	}
	vector_release(&entries);
	return own;
}

static void exported_functions_are_those_of_nm(void **state)
{
	unsigned compared = 0, functions = 0;

	(void)state;
	for (size_t i = 0; i < BINARIES; i++) {
		struct loaded l;
		char *list;

		if (access(binaries[i], R_OK))
			continue;
		list = work_output("nm -D --defined-only %s", binaries[i]);
		l = load(binaries[i], NULL);
		functions += compare_with_nm(&l, list, binaries[i]);
		compared++;
		unload(&l);
		free(list);
	}
	assert_true(compared >= 10);
	assert_true(functions > 5000);
}

/* ---- Programs made for the test ---- */

static const char source_text[] =
	"#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n"
	"__attribute__((noinline)) static int hidden(int x) { return x * 3 + rand(); }\n"
	"__attribute__((noinline)) int visible(int x) { return hidden(x) + (int)sqrt(x); }\n"
	"int main(int count, char **words) {\n"
	"  void *p = malloc(count); free(p);\n"
	"  return visible(count) + (int)strlen(words[0]); }\n";

static const char assembly_text[] =
	".text\n"
	".globl b_long_global, a_short\n.weak weak_name\n"
	".type b_long_global,@function\n.type a_short,@function\n.type local_name,@function\n"
	".type weak_name,@function\n.type __under,@function\n.globl __under\n"
	"a_short: b_long_global: local_name: weak_name: __under: label_here: nop; inner: nop; ret\n"
	".size a_short,.-a_short\n.size b_long_global,.-b_long_global\n"
	".size local_name,.-local_name\n.size weak_name,.-weak_name\n.size __under,.-__under\n"
	".balign 16\n"
	".type unsized,@function\nunsized: nop; nop; ret\n"
	".balign 16\n"
	"bare_label: nop; nop; ret\n"
	".balign 16\n"
	".type outer,@function\n.type nested,@function\n"
	"outer: nop; nested: nop; nop\n.size nested,.-nested\nnop; ret\n.size outer,.-outer\n"
	".balign 16\n"
	".type __GI___libc_call,@function\n.type __libc_call,@function\n.type _call,@function\n"
	".weak _call\n"
	"__GI___libc_call: __libc_call: _call: nop; ret\n.size "
	"__GI___libc_call,.-__GI___libc_call\n"
	".size __libc_call,.-__libc_call\n.size _call,.-_call\n"
	".balign 16\n"
	".type __GI___inner,@function\n.type __libc_inner,@function\n"
	"__GI___inner: __libc_inner: nop; ret\n.size __GI___inner,.-__GI___inner\n"
	".size __libc_inner,.-__libc_inner\n"
	".balign 16\n"
	".globl __vdso_time\n.weak time\n.type __vdso_time,@function\n.type time,@function\n"
	"__vdso_time: time: nop; ret\n.size __vdso_time,.-__vdso_time\n.size time,.-time\n"
	".balign 16\n"
	".globl seek, seek64\n.type seek,@function\n.type seek64,@function\n"
	"seek: seek64: nop; ret\n.size seek,.-seek\n.size seek64,.-seek64\n"
	".balign 16\n"
	".type last,@function\nlast: nop; ret\n"
	".section .note.GNU-stack,\"\",@progbits\n";

static int make_programs(void **state)
{
	(void)state;
	work_write("program.c", source_text);
	work_write("names.s", assembly_text);
	work_run("cc -g -O1 -fno-builtin -Wl,--build-id=sha1 program.c -lm -o plain");
	work_run("cc -g -O1 -fno-builtin -Wl,--build-id=none program.c -lm -o anonymous");
	work_run("cc -shared -nostdlib -Wl,--build-id=none names.s -o names.so");
	return 0;
}

static uint64_t nm_address(const char *file, const char *name)
{
	char *text = work_output("nm %s | awk '$3 == \"%s\" {print $1}'", file, name);
	uint64_t address = strtoull(text, NULL, 16);

	assert_true(address);
	free(text);
	return address;
}

static void assert_at(const struct loaded *l, uint64_t address, const char *name)
{
	struct symbol symbol = {0};
	struct buffer text = {0};

	if (name)
		assert_true(symbols_find(l->symbols, address, &symbol));
	else
		assert_false(symbols_find(l->symbols, address, &symbol));
	if (name) {
		symbol_text(&symbol, &text);
		assert_string_equal(text.at, name);
	}
	buffer_release(&text);
}

static void static_functions_are_those_of_nm(void **state)
{
	char *list = work_output("nm --defined-only plain");
	struct loaded l = load_made("plain", NULL);

	(void)state;
	assert_int_equal(symbols_extent(l.symbols), SYMBOLS_FULL);
	assert_string_equal(symbols_source(l.symbols), ".symtab");
	assert_true(compare_with_nm(&l, list, "plain") > 5);
	assert_at(&l, nm_address("plain", "hidden"), "hidden");
	unload(&l);
	free(list);
}

/* addr2line prints the name of the function around each address. */
static void inner_addresses_are_those_of_addr2line(void **state)
{
	struct loaded l = load_made("plain", NULL);
	uint64_t start = nm_address("plain", "hidden"), end = nm_address("plain", "_fini");
	unsigned checked = 0;

	(void)state;
	for (uint64_t address = start; address < end; address += 3) {
		struct symbol symbol;
		char *theirs;

		if (!symbols_find(l.symbols, address, &symbol))
			continue;
		theirs = work_output("addr2line -f -e plain %llx | head -1 | tr -d '\\n'",
			(unsigned long long)address);
		assert_bytes_equal(symbol.name, theirs);
		free(theirs);
		checked++;
	}
	assert_true(checked >= 10);
	unload(&l);
}

static void aliases_are_chosen_as_documented(void **state)
{
	struct loaded l = load_made("names.so", NULL);
	uint64_t first = nm_address("names.so", "a_short");

	(void)state;
	assert_at(&l, first, "b_long_global");
	assert_at(&l, first + 1, "b_long_global"); /* not "inner", a label */
	assert_at(&l, first + 3, NULL);		   /* padding behind a sized function */
	assert_at(&l, nm_address("names.so", "unsized") + 15, "unsized");
	assert_at(&l, nm_address("names.so", "bare_label") + 2, "bare_label");
	assert_at(&l, nm_address("names.so", "outer"), "outer");
	assert_at(&l, nm_address("names.so", "nested") + 1, "nested");
	assert_at(&l, nm_address("names.so", "nested") + 2, "outer");
	assert_at(&l, nm_address("names.so", "_call"), "_call");
	assert_at(&l, nm_address("names.so", "__libc_inner"), "__libc_inner");
	assert_at(&l, nm_address("names.so", "seek64"), "seek");
	assert_at(&l, nm_address("names.so", "time"), "__vdso_time");
	assert_at(&l, nm_address("names.so", "last") + 1, "last");
	assert_at(&l, nm_address("names.so", "last") + 2, NULL); /* the section ends */
	unload(&l);
}

/* glibc keeps cfree, an old name of free, at the same address. */
static void names_kept_for_old_programs_come_last(void **state)
{
	static const char libc[] = "/lib/x86_64-linux-gnu/libc.so.6";
	char *text = work_output("nm -D %s | sed -n 's/ T free@@.*//p'", libc);
	struct loaded l = load(libc, NULL);

	(void)state;
	assert_true(*text);
	assert_at(&l, strtoull(text, NULL, 16), "free");
	unload(&l);
	free(text);
}

/* If nm -D lists a current name without a leading underscore for a function, such a name is shown,
 * although the library also has symbols such as `__GI___libc_write` for it. */
static void functions_of_glibc_have_their_public_names(void **state)
{
	static const char libc[] = "/lib/x86_64-linux-gnu/libc.so.6";
	char *list = work_output("nm -D --defined-only %s | grep ' [TWi] [a-z].*@@' | "
				 "sed 's/@@.*//; s/ [TWi] / /' | sort",
		libc);
	struct loaded l = load(libc, NULL);
	struct bytes lines = bytes_of(list), line;
	unsigned functions = 0;

	(void)state;
	for (; bytes_line(&lines, &line); functions++) {
		struct symbol symbol;
		char pair[512];

		assert_true(symbols_find(l.symbols, strtoull(line.at, NULL, 16), &symbol));
		snprintf(pair, sizeof(pair), "%016llx %.*s\n", (unsigned long long)symbol.start,
			(int)symbol.name.len, symbol.name.at);
		if (!strstr(list, pair))
			fail_msg("%.*s is shown as %.*s", (int)line.len, line.at,
				(int)symbol.name.len, symbol.name.at);
	}
	assert_true(functions > 1500);
	for (const char *const *name =
			(const char *const[]){"write", "open", "mmap", "malloc", NULL};
		*name; name++) {
		char *address = work_output("nm -D %s | sed -n 's/ [TW] %s@@.*//p'", libc, *name);

		assert_at(&l, strtoull(address, NULL, 16), *name);
		free(address);
	}
	unload(&l);
	free(list);
}

/* `objdump`: a command that shows the code of a file's stubs. */
static void compare_stubs(const char *objdump, const char *file)
{
	char *list = work_output("%s %s 2>/dev/null | "
				 "sed -n 's/^\\([0-9a-f]*\\) <\\(.*\\)@plt>:/\\1 \\2/p'",
		objdump, file);
	struct loaded l = file[0] == '/' ? load(file, NULL) : load_made(file, NULL);
	struct bytes lines = bytes_of(list), line;
	unsigned checked = 0;

	while (bytes_line(&lines, &line)) {
		unsigned long long address;
		char name[256];
		struct symbol symbol;

		assert_int_equal(sscanf(line.at, "%llx %255s", &address, name), 2);
		assert_true(symbols_find(l.symbols, address + 4, &symbol));
		assert_true(symbol.plt);
		assert_bytes_equal(
			symbol.name, without_version(name).len == strlen(name)
					     ? name
					     : strndupa(name, without_version(name).len));
		checked++;
	}
	assert_true(checked >= 1);
	unload(&l);
	free(list);
}

static void stubs_are_those_of_objdump(void **state)
{
	static const char *const files[] = {"plain", "/bin/bash", "/usr/bin/perl", "lazy"};

	(void)state;
	work_run("cc -O1 -fno-builtin -Wl,-z,lazy -fcf-protection=full -Wl,-z,ibtplt program.c -lm "
		 "-o lazy");
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		compare_stubs("objdump -d -j .plt -j .plt.sec -j .plt.got", files[i]);
}

/* Debian's objdump reads no code of AArch64, but LLVM's does. GNU ld made the first file; lld makes
 * the others, with and without landing pads. */
static void stubs_of_aarch64_are_those_of_llvm_objdump(void **state)
{
	static const char *const files[] = {"spin-pac", "pads", "plain-arm"};

	(void)state;
	if (system("command -v llvm-objdump clang ld.lld >/dev/null"))
		skip();
	work_run("xz -dc '%s' >spin-pac", test_path("tests/golden/perf-arm64/spin-pac.xz"));
	work_run("echo 'void a(void), b(void), c(void); void d(void) { a(); b(); c(); }' >calls.c");
	work_run("clang --target=aarch64-linux-gnu -fPIC -nostdlib -shared -fuse-ld=lld "
		 "-mbranch-protection=standard -Wl,-z,force-bti calls.c -o pads");
	work_run("clang --target=aarch64-linux-gnu -fPIC -nostdlib -shared -fuse-ld=lld calls.c -o "
		 "plain-arm");
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		compare_stubs("llvm-objdump -d -j .plt", files[i]);
}

/* ---- Symbols that were stripped ---- */

static void a_stripped_copy_has_no_static_functions(void **state)
{
	uint64_t hidden = nm_address("plain", "hidden");
	struct loaded l;

	(void)state;
	work_run("strip plain -o stripped");
	l = load_made("stripped", NULL);
	assert_int_not_equal(symbols_extent(l.symbols), SYMBOLS_FULL);
	assert_at(&l, hidden, NULL);
	unload(&l);
}

static void debug_files_are_found_by_build_id(void **state)
{
	uint64_t hidden = nm_address("plain", "hidden");
	struct loaded l;
	char id[65];

	(void)state;
	work_run("strip plain -o stripped && objcopy --only-keep-debug plain plain.debug");
	l = load_made("stripped", NULL);
	image_build_id_text(l.image, id);
	unload(&l);
	work_run("mkdir -p root/usr/lib/debug/.build-id/%.2s && cp plain.debug "
		 "root/usr/lib/debug/.build-id/%.2s/%s.debug",
		id, id, id + 2);
	l = load_made("stripped", work_path("root"));
	assert_int_equal(symbols_extent(l.symbols), SYMBOLS_FULL);
	assert_at(&l, hidden + 1, "hidden");
	unload(&l);

	/* A file of that name with another build id is not its debug file. */
	work_run("cc -g -O2 -Wl,--build-id=sha1 program.c -lm -o other && "
		 "cp other root/usr/lib/debug/.build-id/%.2s/%s.debug",
		id, id + 2);
	l = load_made("stripped", work_path("root"));
	assert_at(&l, hidden + 1, NULL);
	unload(&l);
	work_run("rm -rf root");
}

static void debug_files_are_found_by_link_and_checksum(void **state)
{
	static const char *const binary_locations[] = {".", ".debug"};
	uint64_t hidden = nm_address("anonymous", "hidden");

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct loaded l;

		work_run("objcopy --only-keep-debug anonymous linked.debug && strip anonymous -o "
			 "linked && "
			 "objcopy --add-gnu-debuglink=linked.debug linked && mkdir -p %s && "
			 "{ mv linked.debug %s/ 2>/dev/null || true; }",
			binary_locations[i], binary_locations[i]);
		l = load_made("linked", NULL);
		assert_int_equal(symbols_extent(l.symbols), SYMBOLS_FULL);
		assert_at(&l, hidden, "hidden");
		unload(&l);

		work_run("printf x >> %s/linked.debug",
			binary_locations[i]); /* now the checksum is wrong */
		l = load_made("linked", NULL);
		assert_at(&l, hidden, NULL);
		unload(&l);
		work_run("rm %s/linked.debug", binary_locations[i]);
	}
}

static void mini_debug_info_is_read(void **state)
{
	uint64_t hidden = nm_address("plain", "hidden");
	struct loaded l;

	(void)state;
	work_run("objcopy -S --remove-section .gnu_debugdata --remove-section .comment "
		 "--keep-symbol=hidden plain mini && xz -f -k mini && strip plain -o with_mini && "
		 "objcopy --add-section .gnu_debugdata=mini.xz with_mini");
	l = load_made("with_mini", NULL);
	assert_string_equal(symbols_source(l.symbols), ".gnu_debugdata");
	assert_at(&l, hidden, "hidden");
	unload(&l);

	work_run("head -c 100 mini.xz > cut.xz && strip plain -o with_cut && "
		 "objcopy --add-section .gnu_debugdata=cut.xz with_cut");
	l = load_made("with_cut", NULL);
	assert_at(&l, hidden, NULL);
	unload(&l);

	/* 20 MB in 4 KB: a program of another user could cost its recorder any memory. */
	work_run("head -c 20000000 /dev/zero | cat mini - | xz > large.xz && strip plain -o "
		 "with_large && "
		 "objcopy --add-section .gnu_debugdata=large.xz with_large");
	l = load_made("with_large", NULL);
	assert_at(&l, hidden, NULL);
	unload(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_ids_are_those_of_readelf),
		cmocka_unit_test(a_build_id_is_found_without_section_headers),
		cmocka_unit_test(damaged_files_are_refused),
		cmocka_unit_test(compressed_sections_are_what_they_were),
		cmocka_unit_test(addresses_and_offsets_are_those_of_readelf),
		cmocka_unit_test(exported_functions_are_those_of_nm),
		cmocka_unit_test(static_functions_are_those_of_nm),
		cmocka_unit_test(inner_addresses_are_those_of_addr2line),
		cmocka_unit_test(aliases_are_chosen_as_documented),
		cmocka_unit_test(names_kept_for_old_programs_come_last),
		cmocka_unit_test(functions_of_glibc_have_their_public_names),
		cmocka_unit_test(stubs_are_those_of_objdump),
		cmocka_unit_test(stubs_of_aarch64_are_those_of_llvm_objdump),
		cmocka_unit_test(a_stripped_copy_has_no_static_functions),
		cmocka_unit_test(debug_files_are_found_by_build_id),
		cmocka_unit_test(debug_files_are_found_by_link_and_checksum),
		cmocka_unit_test(mini_debug_info_is_read),
	};

	return cmocka_run_group_tests(tests, make_programs, NULL);
}
