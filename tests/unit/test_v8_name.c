/* test_v8_name.c: are names of V8 understood, as Node 10 to 22 spell them? */
#include "test.h"

#include "names/v8_name.h"

static const struct {
	const char *text, *shown, *file;
	uint32_t line;
	enum v8_what what;
	enum v8_tier tier;
} names[] = {
	/* Node 20 and 22 */
	{"JS:~main /srv/app.js:12:20", "main /srv/app.js:12:20", "/srv/app.js", 12, V8_FUNCTION,
		V8_INTERPRETED},
	{"JS:^main /srv/app.js:12:20", "main /srv/app.js:12:20", "/srv/app.js", 12, V8_FUNCTION,
		V8_BASELINE},
	{"JS:+main /srv/app.js:12:20", "main /srv/app.js:12:20", "/srv/app.js", 12, V8_FUNCTION,
		V8_OPTIMISED},
	{"JS:*main /srv/app.js:12:20", "main /srv/app.js:12:20", "/srv/app.js", 12, V8_FUNCTION,
		V8_OPTIMISED},
	{"JS:*'main /srv/app.js:12:20", "main /srv/app.js:12:20", "/srv/app.js", 12, V8_FUNCTION,
		V8_OPTIMISED},
	{"JS:~ node:internal/util:801:18", "(anonymous) node:internal/util:801:18",
		"node:internal/util", 801, V8_FUNCTION, V8_INTERPRETED},
	{"JS:^get size /my files/a b.js:3:9", "get size /my files/a b.js:3:9", "/my files/a b.js",
		3, V8_FUNCTION, V8_BASELINE},
	{"JS:*f file:///srv/app.mjs:7:80", "f file:///srv/app.mjs:7:80", "file:///srv/app.mjs", 7,
		V8_FUNCTION, V8_OPTIMISED},
	{"JS:~f C:\\my files\\a.js:7:80", "f C:\\my files\\a.js:7:80", "C:\\my files\\a.js", 7,
		V8_FUNCTION, V8_INTERPRETED},
	{"JS:~f [eval]:1:9", "f [eval]:1:9", "[eval]", 1, V8_FUNCTION, V8_INTERPRETED},
	{"Eval:~ node:internal/main/run_main_module:1:1",
		"(script) node:internal/main/run_main_module:1:1",
		"node:internal/main/run_main_module", 1, V8_FUNCTION, V8_INTERPRETED},
	{"Script:~ /srv/a.js:1:1", "(script) /srv/a.js:1:1", "/srv/a.js", 1, V8_FUNCTION,
		V8_INTERPRETED},
	{"Builtin:ArrayMap", "Builtin:ArrayMap", "", 0, V8_BUILTIN, V8_UNMARKED},
	{"BytecodeHandler:LdaNamed.Wide", "BytecodeHandler:LdaNamed.Wide", "", 0, V8_HANDLER,
		V8_UNMARKED},
	{"RegExp:(a b)*/c:1", "RegExp:(a b)*/c:1", "", 0, V8_REGEXP, V8_UNMARKED},
	/* Node 12 to 18 */
	{"LazyCompile:*main /srv/app.js:12:20", "main /srv/app.js:12:20", "/srv/app.js", 12,
		V8_FUNCTION, V8_OPTIMISED},
	{"Function:~main /srv/app.js:12:20", "main /srv/app.js:12:20", "/srv/app.js", 12,
		V8_FUNCTION, V8_INTERPRETED},
	{"Function:^main /srv/app.js:12:20", "main /srv/app.js:12:20", "/srv/app.js", 12,
		V8_FUNCTION, V8_BASELINE},
	{"Stub:CEntryStub", "Stub:CEntryStub", "", 0, V8_STUB, V8_UNMARKED},
	/* Node 10: lines only, relative names of its own modules, marks sometimes missing */
	{"LazyCompile:~startup internal/bootstrap/node.js:38",
		"startup internal/bootstrap/node.js:38", "internal/bootstrap/node.js", 38,
		V8_FUNCTION, V8_INTERPRETED},
	{"InterpretedFunction:main /srv/app.js:12", "main /srv/app.js:12", "/srv/app.js", 12,
		V8_FUNCTION, V8_INTERPRETED},
	{"LazyCompile:main /srv/app.js:12", "main /srv/app.js:12", "/srv/app.js", 12, V8_FUNCTION,
		V8_UNMARKED},
	{"LoadIC:A load IC from the snapshot", "LoadIC:A load IC from the snapshot", "", 0, V8_STUB,
		V8_UNMARKED},
	{"InterpretedFunction:<instance_members_initializer> internal/vm/module.js:245",
		"<instance_members_initializer> internal/vm/module.js:245", "internal/vm/module.js",
		245, V8_FUNCTION, V8_INTERPRETED},
	{"LazyCompile: :1", "(anonymous) :1", "", 1, V8_FUNCTION, V8_UNMARKED},
	{"JS:*work3 :1:16", "work3 :1:16", "", 1, V8_FUNCTION, V8_OPTIMISED}, /* from an eval */
	/* Hostile ones */
	{"JS:", "(anonymous)", "", 0, V8_FUNCTION, V8_UNMARKED},
	{"JS:*", "(anonymous)", "", 0, V8_FUNCTION, V8_OPTIMISED},
	{"JS:~f a:99999999999:1", "f a:99999999999:1", "a:99999999999", 1, V8_FUNCTION,
		V8_INTERPRETED},
};

static void names_are_understood(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct bytes text = bytes_of(names[i].text);
		struct buffer shown = {0};
		struct v8_name n;

		assert_true(v8_name_parse(text, &n));
		v8_name_format(&n, text, &shown);
		assert_string_equal(shown.at, names[i].shown);
		assert_bytes_equal(n.file, names[i].file);
		assert_int_equal(n.line, names[i].line);
		assert_int_equal(n.what, names[i].what);
		assert_int_equal(n.tier, names[i].tier);
		buffer_release(&shown);
	}
}

static void others_are_left_alone(void **state)
{
	static const char *const others[] = {"", "main", "std::string", "JS", "js:f",
		"Lorg/foo;::bar", "py::f:/srv/a.py", "Interpreter", "Functional:x"};
	struct v8_name n;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(v8_name_parse(bytes_of(others[i]), &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_understood),
		cmocka_unit_test(others_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
