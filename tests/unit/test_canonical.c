/* test_canonical.c: which parts of a name are removed, and which stay? */
#include "test.h"

#include "support/small_profile.h"
#include "transforms/canonical.h"
#include "transforms/matching.h"

static const struct canonical names = {.names = true};

static void becomes(
	const struct canonical *c, const char *name, const char *module, const char *expected)
{
	struct buffer out = {0};
	bool part;
	bool changed = canonical_function(c, bytes_of(name), bytes_of(module), &out, &part);

	if (strcmp(out.at ? out.at : "", expected) != 0)
		fail_msg("%s: got %s, expected %s", name, out.at, expected);
	assert_int_equal(changed, strcmp(name, expected) != 0);
	if (changed)
		assert_false(canonical_is_unchanged(c, bytes_of(name)));
	buffer_release(&out);
}

static void stays(const char *name)
{
	becomes(&names, name, "", name);
}

static void suffixes_are_removed(void **state)
{
	static const char *const ends[] = {".isra.0", ".constprop.12", ".part.0", ".cold",
		".cold.3", ".lto_priv.0", ".lto_priv.0.lto_priv.1", ".llvm.1234567890123456789",
		"+0x1f", "+0xABC", " [clone .isra.0]", " [clone .constprop.0] [clone .cold]",
		".isra.0.constprop.1.cold", "::h0123456789abcdef", ".part.0+0x12"};

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		char name[128];

		snprintf(name, sizeof(name), "some::work%s", ends[i]);
		becomes(&names, name, "", "some::work");
		snprintf(name, sizeof(name), "some::work%s_[k]", ends[i]);
		becomes(&names, name, "", "some::work_[k]");
	}
}

/* As Java 8 to 21, async-profiler, .NET and both manglings of Rust write them. */
static void numbers_of_runtimes_are_removed(void **state)
{
	static const char *const cases[][2] = {
		{"com.x.Main$$Lambda$14/1234567.run", "com.x.Main$$Lambda.run"},
		{"com.x.Main$$Lambda$469/0x00007fb8a5acdd00.call", "com.x.Main$$Lambda.call"},
		{"com/x/Main$$Lambda/0x0000000800c03000.run_[j]", "com/x/Main$$Lambda.run_[j]"},
		{"com/x/Main$$Lambda.0x0000000800c03000.run", "com/x/Main$$Lambda.run"},
		{"io/x/Context$$Lambda$lambda$wrap$2$2630016632.0x00000000000100dd.call",
			"io/x/Context$$Lambda.call"},
		{"java.lang.invoke.LambdaForm$MH/0x0000000800c0c400.invoke",
			"java.lang.invoke.LambdaForm$MH.invoke"},
		{"java.lang.invoke.LambdaForm$DMH.0x00007f0.newInvokeSpecial",
			"java.lang.invoke.LambdaForm$DMH.newInvokeSpecial"},
		{"sun.reflect.GeneratedMethodAccessor12.invoke",
			"sun.reflect.GeneratedMethodAccessor.invoke"},
		{"com.sun.proxy.$Proxy7.call", "com.sun.proxy.$Proxy.call"},
		{"com.x.Service$$EnhancerBySpringCGLIB$$1a2b3c4d.get",
			"com.x.Service$$EnhancerBySpringCGLIB$$.get"},
		{"(dynamicClass)!lambda_method12", "(dynamicClass)!lambda_method"},
		{"app::run::{closure#0}", "app::run::{{closure}}"},
		{"app::run::{closure#1}::{closure#12}", "app::run::{{closure}}::{{closure}}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		becomes(&names, cases[i][0], "", cases[i][1]);
	stays("app::run::{{closure}}");
	stays("com.x.Main$Inner$1.run");
	stays("com.x.Main$$Lambda.run");
	stays("scala.Iterator$$anon$11.hasNext");
	stays("a/0x12.b");
	stays("Accessor.get");
	stays("{closure#}");
	stays("$");
}

static void other_names_stay(void **state)
{
	(void)state;
	stays("main");
	stays("");
	stays(".cold");
	stays("cold");
	stays("isra.0");
	stays("a.part.b");
	stays("version.2");
	stays("f(int)");
	stays("operator[]");
	stays("x [clone]");
	stays("std::h123");
	stays("a::h0123456789abcdeg");
	stays("1+0x");
	stays("[unknown]");
	stays("[libc.so.6]");
	stays("deadbeef"); /* a word of letters only */
	stays("/rustc/abc/library/core.rs");
	stays("_[k]");
	stays("main()::{lambda(int)#2}::operator()");
}

static void addresses_become_modules(void **state)
{
	(void)state;
	becomes(&names, "0x7f12", "", "[unknown]");
	becomes(&names, "0x7f12", "libz.so", "[libz.so]");
	becomes(&names, "ffffffff81000000", "[kernel]", "[kernel]");
	becomes(&names, "[libz.so.1+0x12f]", "", "[libz.so.1]");
	becomes(&names, "0x7f12_[k]", "", "[unknown]_[k]");
}

static void build_dirs_and_hex_numbers_are_replaced(void **state)
{
	struct canonical c = {.names = true};

	(void)state;
	vector_push(&c.build_dirs, "/home/me/one/");
	vector_push(&c.build_dirs, "/home/me");
	becomes(&c, "/home/me/one/x.py:f", "", "$SRC/x.py:f");
	becomes(&c, "/home/me/two.py:f", "", "$SRC/two.py:f");
	becomes(&c, "/home/meridian/x", "", "/home/meridian/x");
	becomes(&names, "/rustc/0123456789012345678901234567890123456789/library/core.rs", "",
		"$SRC/library/core.rs");
	c.strip_hex = true;
	becomes(&c, "<obj at 0x7f3a>.f(0xFF, 0x, 10x1)", "", "<obj at 0x...>.f(0x..., 0x, 10x...)");
	vector_release(&c.build_dirs);
	becomes(&(struct canonical){0}, "work.isra.0", "", "work.isra.0");
}

static void root_is(const char *name, const char *expected)
{
	struct buffer out = {0};
	bool changed = canonical_root(&names, bytes_of(name), &out);

	assert_int_equal(changed, expected != NULL);
	if (expected)
		assert_string_equal(out.at, expected);
	buffer_release(&out);
}

static void thread_ids_are_removed(void **state)
{
	(void)state;
	root_is("java-12/13", "java");
	root_is("worker-3-12/13", "worker-*");
	root_is("worker3-?/13", "worker*");
	root_is("worker-3", "worker-*");
	root_is("Thread #2", "Thread #*");
	root_is("kworker/0", "kworker/*");
	root_is("python3", NULL);
	root_is("python3.11", NULL);
	root_is("main", NULL);
	root_is("", NULL);
	root_is("12", NULL);
}

/* The self values of a view's nodes as "a;b 2,...". */
static void shows(const char *profile, const char *expected)
{
	struct buffer got = {0};
	struct profile p;
	struct view v;
	int64_t *self;

	small_profile(&p, profile, false);
	view_init(&v, &p, BY_FUNCTION);
	canonical_apply(&names, &v);
	self = memory_new(v.tree.caller.len, sizeof(*self));
	view_self(&v, self);
	for (node_id i = 1; i < v.tree.caller.len; i++) {
		struct buffer path = {0}, longer = {0};

		for (node_id at = i; at; at = v.tree.caller.items[at]) {
			struct bytes name = view_function(&v, v.tree.frame.items[at]);

			longer.len = 0;
			buffer_printf(&longer, "%.*s%s%s", (int)name.len, name.at,
				path.len ? ";" : "", path.len ? path.at : "");
			path.len = 0;
			buffer_add(&path, longer.at, longer.len);
		}
		if (self[i])
			buffer_printf(
				&got, "%s%s %lld", got.len ? "," : "", path.at, (long long)self[i]);
		buffer_release(&path);
		buffer_release(&longer);
	}
	assert_string_equal(got.at, expected);
	free(self);
	buffer_release(&got);
	view_release(&v);
	profile_release(&p);
}

static void split_parts_merge_into_their_function(void **state)
{
	(void)state;
	shows("m;f.isra.0 1,m;f;f.part.0 2,m;f.cold 4,m;f;f.part.0;g 8", "m;f 7,m;f;g 8");
	/* Real recursion is not a part that a compiler split off. */
	shows("m;f;f.isra.0 1,m;f 2", "m;f 2,m;f;f 1");
	/* Inlined or not, a function is the same. */
	shows("m;f_[i] 1,m;f 2", "m;f 3");
}

static void threads_are_matched_by_name_and_rank(void **state)
{
	struct profile p, to;
	struct view v;
	thread_id *map;

	(void)state;
	small_profile(&p, "@1a 5,@2a 9,@3a 1", true);
	p.threads.items[1].name = profile_string(&p, BYTES("job-1"));
	p.threads.items[2].name = profile_string(&p, BYTES("job-2"));
	p.threads.items[3].name = profile_string(&p, BYTES("other"));
	view_init(&v, &p, BY_FUNCTION);
	profile_init(&to);
	map = match_threads(&v, false, &to);
	assert_non_null(map);
	assert_bytes_equal(profile_text(&to, to.threads.items[map[2]].name), "job-*");
	assert_bytes_equal(profile_text(&to, to.threads.items[map[1]].name), "job-* 2");
	assert_bytes_equal(profile_text(&to, to.threads.items[map[3]].name), "other");
	assert_int_equal(to.threads.items[map[1]].tid, -1);
	free(map);
	view_release(&v);
	profile_release(&p);
	profile_release(&to);
}

static void stack_becomes(const char *stack, const char *expected)
{
	struct canonical_text t = {0};
	struct buffer spare = {0};

	assert_true(canonical_stack(&names, bytes_of(stack), &t));
	if (!bytes_equal(buffer_bytes(&t.stack), bytes_of(expected)))
		fail_msg("%s: got %s, expected %s", stack, t.stack.at, expected);
	assert_int_equal(canonical_stack_is_unchanged(&names, bytes_of(stack), 0, &spare),
		!strcmp(stack, expected));
	buffer_release(&spare);
	canonical_text_release(&t);
}

static void folded_stacks_are_renamed(void **state)
{
	struct canonical_text t = {0};

	(void)state;
	stack_becomes("a;b;;c", "a;b;;c");
	stack_becomes("java-12/13;a.isra.0;b", "java;a;b");
	stack_becomes("worker-3;worker-3", "worker-*;worker-3");
	/* A part that was split off merges with its function; a function that calls itself does
	 * not. */
	stack_becomes("a;f;f.cold;g", "a;f;g");
	stack_becomes("a;f.isra.0;f.part.0.cold;f.part.1;f", "a;f;f");
	stack_becomes("f.cold;f.cold", "f");
	stack_becomes("f;f.isra.0", "f;f");
	/* The text alone does not determine the result if a mark changes, or if a root changes
	 * twice. */
	assert_false(canonical_stack(&names, BYTES("a;f_[k].isra.0"), &t));
	assert_false(canonical_stack(&names, BYTES("a-?/?-1/2;b"), &t));
	canonical_text_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suffixes_are_removed),
		cmocka_unit_test(numbers_of_runtimes_are_removed),
		cmocka_unit_test(other_names_stay),
		cmocka_unit_test(addresses_become_modules),
		cmocka_unit_test(build_dirs_and_hex_numbers_are_replaced),
		cmocka_unit_test(thread_ids_are_removed),
		cmocka_unit_test(split_parts_merge_into_their_function),
		cmocka_unit_test(threads_are_matched_by_name_and_rank),
		cmocka_unit_test(folded_stacks_are_renamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
