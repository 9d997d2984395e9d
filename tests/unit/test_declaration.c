/* test_declaration.c: are printed declarations shortened to the names that demangling gives? */
#include "test.h"

#include "names/declaration.h"
#include "names/demangle.h"
#include "names/tidy.h"

static void assert_name(const char *printed, const char *expected)
{
	struct buffer out = {0};

	buffer_text(&out, "before ");
	declaration_name(bytes_of(printed), &out);
	buffer_char(&out, '\0');
	assert_string_equal(out.at + 7, expected);
	buffer_release(&out);
}

static void assert_tidy(const char *printed, const char *expected)
{
	struct buffer out = {0};

	tidy_name(bytes_of(printed), &out);
	buffer_char(&out, '\0');
	assert_string_equal(out.at, expected);
	buffer_release(&out);
}

static void parameters_and_qualifiers_are_left_out(void **state)
{
	(void)state;
	assert_name("f()", "f");
	assert_name("A::f(int, char const*) const", "A::f");
	assert_name("A::f(std::vector<int, std::allocator<int> > const&) const &", "A::f");
	assert_name("(anonymous namespace)::f(int)", "(anonymous namespace)::f");
	assert_name("A::f[abi:cxx11](int)", "A::f[abi:cxx11]");
	assert_name("f(int) [clone .isra.0] [clone .cold]", "f.isra.0.cold");
	assert_name("A::f(int) const::{lambda(int)#1}::operator()(int) const",
		"A::f::{lambda(int)#1}::operator()");
	assert_name("auto A::f(int)::{lambda(auto:1)#1}::operator()<int>(int) const",
		"A::f::{lambda(auto:1)#1}::operator()<int>");
	assert_name("non-virtual thunk to A::f(int)", "non-virtual thunk to A::f");
}

static void types_that_templates_return_are_left_out(void **state)
{
	(void)state;
	assert_name("void f<int>(int)", "f<int>");
	assert_name("unsigned long ns::f<char [3]>(char const (&) [3])", "ns::f<char [3]>");
	assert_name("std::map<int, void (*)(int)>& ns::f<int>()", "ns::f<int>");
	assert_name("decltype (x+y) f<int>(int)", "f<int>");
	assert_name("decltype(auto) f<int>(int)", "f<int>");
	assert_name("void (*pick(int))(char)", "pick");
	assert_name("void (*ns::pick<int>(int))(char)", "ns::pick<int>");
	assert_name("int (&(*f(int))(char))[3]", "f");
	assert_name("transaction clone for f<int>(int)", "transaction clone for f<int>");
}

static void operators_are_names(void **state)
{
	(void)state;
	assert_name("ns::Op<int>::operator()(int) const", "ns::Op<int>::operator()");
	assert_name("std::ostream& operator<< <int>(std::ostream&, int)", "operator<< <int>");
	assert_name("bool std::operator==<char>(A<char> const&, int)", "std::operator==<char>");
	assert_name("A::operator->() const", "A::operator->");
	assert_name("A::operator bool() const", "A::operator bool");
	assert_name("A::operator void (A::*)()() const", "A::operator void (A::*)()");
	assert_name("operator new(unsigned long)", "operator new");
	assert_name("A::operator[](int)", "A::operator[]");
}

/* A round bracket does not make a declaration. */
static void names_of_other_languages_stay_whole(void **state)
{
	(void)state;
	assert_name("main", "main");
	assert_name("net/http.(*Client).Do", "net/http.(*Client).Do");
	assert_name(
		"main.(*Stack[go.shape.int]).Push.func1", "main.(*Stack[go.shape.int]).Push.func1");
	assert_name("<fn() -> i32 as core::ops::function::FnOnce<()>>::call_once",
		"<fn() -> i32 as core::ops::function::FnOnce<()>>::call_once");
	assert_name("<(A, [u8; 2]) as T>::f", "<(A, [u8; 2]) as T>::f");
	assert_name("closure #1 in Foo.bar<A>(x: A) -> B", "closure #1 in Foo.bar<A>");
	assert_name("java.lang.String.indexOf(Ljava/lang/String;I)I", "java.lang.String.indexOf");
	assert_name("-[NSView draw:(id)]", "-[NSView draw:(id)]");
	assert_name("broken(", "broken(");
	assert_name("a)b(c", "a)b(c");
	assert_name("", "");
	assert_tidy("LazyCompile:*handle /srv/app (x)/b.js:12:3", "handle /srv/app (x)/b.js:12:3");
	assert_tidy("JS:~handle /srv/a.js:1", "handle /srv/a.js:1");
	assert_tidy("py::work:/srv/a (copy).py", "py::work:/srv/a (copy).py");
	assert_tidy("core::f::h0123456789abcdef", "core::f");
}

/* c++filt prints what perf does; the short names have to be those that Kiln demangles itself. */
static void printed_names_of_a_library_are_the_demangled_ones(void **state)
{
	FILE *pipe = popen("nm -D --defined-only /usr/lib/x86_64-linux-gnu/libstdc++.so.6 | "
			   "sed -n 's/.* [TW] \\(_Z[^@]*\\).*/\\1/p' >/tmp/kiln-printed.$$ && "
			   "c++filt -i </tmp/kiln-printed.$$ | paste -d ' ' /tmp/kiln-printed.$$ - ; "
			   "rm /tmp/kiln-printed.$$",
		"r");
	char line[16384];
	unsigned compared = 0;

	(void)state;
	while (fgets(line, sizeof(line), pipe)) {
		char *printed = strchr(line, ' ');
		struct buffer expected = {0};

		line[strcspn(line, "\n")] = 0;
		*printed++ = 0;
		assert_true(demangle(bytes_of(line), &expected));
		buffer_char(&expected, '\0');
		assert_name(printed, expected.at);
		buffer_release(&expected);
		compared++;
	}
	pclose(pipe);
	assert_true(compared > 2000);
}

/* Whatever was printed costs little: brackets in one another are looked at a few times. */
static void brackets_without_end_stay_as_they_are(void **state)
{
	static const char *const parts[] = {"(", "(*", "<", "f(", "operator", " (*f"};

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		struct buffer text = {0}, out = {0};

		while (text.len < 60000)
			buffer_text(&text, parts[i]);
		declaration_name(buffer_bytes(&text), &out);
		assert_true(bytes_equal(buffer_bytes(&out), buffer_bytes(&text)));
		buffer_release(&text);
		buffer_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_and_qualifiers_are_left_out),
		cmocka_unit_test(types_that_templates_return_are_left_out),
		cmocka_unit_test(operators_are_names),
		cmocka_unit_test(names_of_other_languages_stay_whole),
		cmocka_unit_test(printed_names_of_a_library_are_the_demangled_ones),
		cmocka_unit_test(brackets_without_end_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
