/* test_demangle.c: are names demangled as demangle.h says, against c++filt where it says the same?
 */
#include "test.h"

#include "names/demangle.h"

static void assert_demangled(const char *mangled, const char *expected)
{
	struct buffer out = {0};

	buffer_text(&out, "before ");
	if (expected) {
		assert_true(demangle(bytes_of(mangled), &out));
		assert_string_equal(out.at + 7, expected);
	} else {
		assert_false(demangle(bytes_of(mangled), &out));
		assert_string_equal(out.at, "before ");
	}
	buffer_release(&out);
}

static void cpp_names_lose_parameters_and_keep_templates(void **state)
{
	(void)state;
	assert_demangled("_ZN1A1fEi", "A::f");
	assert_demangled("_ZNK1A1fEv", "A::f");
	assert_demangled("_Z3fooIPFvvEEvT_", "foo<void (*)()>");
	assert_demangled("_ZNSt3mapIiSt8functionIFviEESaIiEE1fEv",
		"std::map<int, std::function<void (int)>, std::allocator<int> >::f");
	assert_demangled("_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo");
	assert_demangled("_ZN1A1fB5cxx11Ev", "A::f[abi:cxx11]");
	assert_demangled("_ZThn16_N1A1fEv", "non-virtual thunk to A::f");
	assert_demangled("_ZNK3FooIXltcvhLi1ELi2EEE3barEv", "Foo<((unsigned char)(1))<(2)>::bar");
}

static void functions_around_lambdas_lose_parameters_too(void **state)
{
	(void)state;
	assert_demangled("_ZZNK1A1fEiENKUliE0_clEi", "A::f::{lambda(int)#2}::operator()");
	assert_demangled("_ZZN1AclEiENKUlvE_clEv", "A::operator()::{lambda()#1}::operator()");
	assert_demangled("_ZZ1fIiEvT_ENKUlvE_clEv", "f<int>::{lambda()#1}::operator()");
}

static void operators_are_not_template_brackets(void **state)
{
	(void)state;
	assert_demangled("_ZlsRSoRK1A", "operator<<");
	assert_demangled("_ZlsIiERSoRK1A", "operator<< <int>");
	assert_demangled("_ZN1AclEv", "A::operator()");
	assert_demangled("_ZN1AcviEv", "A::operator int");
	assert_demangled("_ZN1AixEi", "A::operator[]");
	assert_demangled("_ZZN1AltEiENKUlvE_clEv", "A::operator<::{lambda()#1}::operator()");
}

static void clones_keep_their_suffix(void **state)
{
	(void)state;
	assert_demangled("_ZN1A1fEi.cold", "A::f.cold");
	assert_demangled("_Z3fooIiEvT_.part.0", "foo<int>.part.0");
	assert_demangled("_Z3foov.constprop.1.isra.0", "foo.constprop.1.isra.0");
	assert_demangled("_ZN3fooD2Ev.llvm.1234.cold", "foo::~foo.cold");
	assert_demangled("_ZN3fooD2Ev.llvm.1234", "foo::~foo");
	assert_demangled("_Z3foov@plt", "foo@plt");
}

static void rust_names_lose_their_hash(void **state)
{
	(void)state;
	assert_demangled("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	assert_demangled("_ZN4core3fmt5write17h0123456789abcdefE.llvm.99", "core::fmt::write");
	assert_demangled("_ZN50_$LT$T$u20$as$u20$core..convert..From$LT$T$GT$$GT$4from"
			 "17h0123456789abcdefE",
		"<T as core::convert::From<T>>::from");
	assert_demangled("_RNvMs_NtCs1234_7mycrate3fooNtB4_3Bar3baz", "<mycrate::foo::Bar>::baz");
	assert_demangled("_RNCNvC3foo3bar0", "foo::bar::{closure#0}");
}

static void d_names_keep_template_arguments(void **state)
{
	(void)state;
	assert_demangled("_D8demangle4testFaZv", "demangle.test");
	assert_demangled("_D3std5stdio__T7writelnTAyaZQnFNfQjZv",
		"std.stdio.writeln!(immutable(char)[]).writeln");
}

static void other_names_are_left_alone(void **state)
{
	static const char *const names[] = {"main", "", "_", "_Z", "_ZN", "_R", "_D", "_Dmain",
		"__libc_start_main", "_Rfoo", "_start", "_ZGARBAGE", "foo.part.0", "[unknown]",
		"_GLOBAL__sub_I_foo.cpp", "._Z3foov"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_demangled(names[i], NULL);
}

static void repeat(struct buffer *b, const char *text, size_t times)
{
	while (times--)
		buffer_text(b, text);
}

/* Deep nesting, and names that double with every back reference: the result is bounded in time and
 * size, whether there is one or not. */
static void hostile_names_are_bounded(void **state)
{
	static const char *const starts[] = {"_Z1f", "_ZN1A1fI", "_ZN", "_RNvC1a", "_RINvC1a1b",
		"_D1a", "_D1a1bFZ", "_Z1fIX", "_Z", "_ZZ"};
	static const char *const parts[] = {"P", "1A", "1AI", "R", "F", "nt", "cl", "L", "GV", "Z",
		"Th0_", "S_", "TB_", "Qb", "AQb", "I", "N", "B_"};

	(void)state;
	for (size_t s = 0; s < sizeof(starts) / sizeof(*starts); s++)
		for (size_t p = 0; p < sizeof(parts) / sizeof(*parts); p++) {
			struct buffer name = {0}, out = {0};

			buffer_text(&name, starts[s]);
			repeat(&name, parts[p], (MANGLED_LIMIT - name.len - 3) / strlen(parts[p]));
			buffer_text(&name, "iEv");
			demangle(buffer_bytes(&name), &out);
			assert_true(out.len <= DEMANGLED_LIMIT);
			buffer_release(&name);
			buffer_release(&out);
		}
}

static void names_that_expand_too_far_are_left_alone(void **state)
{
	struct buffer name = {0}, out = {0};

	(void)state;
	/* A<i,i>, then thirty times A<the one before, the one before>. */
	buffer_text(&name, "_Z1fI1AIiiE");
	for (int i = 1; i <= 30; i++)
		buffer_printf(&name, "S_IS%c_S%c_E", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i - 1],
			"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i - 1]);
	buffer_text(&name, "Evv");
	assert_false(demangle(buffer_bytes(&name), &out));
	assert_int_equal(out.len, 0);
	/* The same in D: int[int], then eleven times X[X], X being the one before. */
	name.len = 0;
	buffer_text(&name, "_D1fFHii");
	for (int i = 0; i < 11; i++)
		buffer_text(&name, i ? "HQfQh" : "HQdQf");
	buffer_text(&name, "Zi");
	assert_false(demangle(buffer_bytes(&name), &out));
	buffer_release(&name);
	buffer_release(&out);
}

/* Names without round brackets in c++filt's short form have to be the same in ours. */
static void library_names_are_those_of_cppfilt(void **state)
{
	FILE *pipe =
		popen("nm -D --defined-only /usr/lib/x86_64-linux-gnu/libstdc++.so.6 | "
		      "sed -n 's/.* [TW] \\(_Z[^@]*\\).*/\\1/p' >/tmp/kiln-names.$$ && "
		      "c++filt -i -p </tmp/kiln-names.$$ | paste -d ' ' /tmp/kiln-names.$$ - ; "
		      "rm /tmp/kiln-names.$$",
			"r");
	char line[16384];
	unsigned compared = 0;

	(void)state;
	while (fgets(line, sizeof(line), pipe)) {
		char *theirs = strchr(line, ' ');

		line[strcspn(line, "\n")] = 0;
		*theirs++ = 0;
		if (strstr(theirs, "thunk to") || strstr(theirs, "clone for") ||
			strstr(theirs, ")::"))
			continue; /* c++filt keeps those parameters */
		assert_demangled(line, theirs);
		compared++;
	}
	pclose(pipe);
	assert_true(compared > 2000);
}

static void assert_whole(const char *mangled, const char *expected)
{
	struct buffer out = {0};

	assert_true(demangle_verbose(bytes_of(mangled), &out));
	assert_string_equal(out.at, expected);
	buffer_release(&out);
}

static void whole_names_are_those_of_binutils(void **state)
{
	struct buffer out = {0};
	(void)state;

	assert_whole("_ZNK1A1fEv", "A::f() const");
	assert_whole("_Z3fooIPFvvEEvT_", "void foo<void (*)()>(void (*)())");
	assert_whole("_ZN1A1fEi.cold", "A::f(int) [clone .cold]");
	assert_whole("_ZN3foo3bar17h0123456789abcdefE", "foo::bar");
	assert_whole("_RNvC7mycrate3foo", "mycrate::foo");
	assert_false(demangle_verbose(bytes_of("main"), &out));
	assert_false(demangle_verbose(bytes_of("_Zxx"), &out));
	assert_int_equal(out.len, 0);
	buffer_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpp_names_lose_parameters_and_keep_templates),
		cmocka_unit_test(functions_around_lambdas_lose_parameters_too),
		cmocka_unit_test(operators_are_not_template_brackets),
		cmocka_unit_test(clones_keep_their_suffix),
		cmocka_unit_test(rust_names_lose_their_hash),
		cmocka_unit_test(d_names_keep_template_arguments),
		cmocka_unit_test(whole_names_are_those_of_binutils),
		cmocka_unit_test(other_names_are_left_alone),
		cmocka_unit_test(hostile_names_are_bounded),
		cmocka_unit_test(names_that_expand_too_far_are_left_alone),
		cmocka_unit_test(library_names_are_those_of_cppfilt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
