/* test_pattern.c: does a regular expression match the same texts as on the page of `kiln view`? */
#include "test.h"

#include "base/deadline.h"
#include "base/json.h"
#include "base/pattern.h"

#include <stdio.h>

static size_t compared;

static void compare(const struct pattern *p, struct bytes name, bool expected)
{
	struct error err = {0};
	bool match = !expected;

	assert_true(pattern_match(p, name, &match, &err));
	if (match != expected)
		fail_msg("'%s' %s '%.*s'", p->text, match ? "matches" : "does not match",
			(int)name.len, name.at);
	compared++;
}

static void read_names(struct json *j, const char *text, bool ignore, bool expected)
{
	struct buffer whole = {0};
	struct pattern p;
	struct error err = {0};

	buffer_printf(&whole, "%s%s", ignore ? "(?i)" : "", text);
	assert_true(pattern_compile(&p, whole.at, &err));
	for (json_array(j); json_item(j);)
		compare(&p, json_string(j), expected);
	pattern_release(&p);
	buffer_release(&whole);
}

/* {"pattern": "a", "ignore": true, "matches": ["A"], "fails": ["b"]}, or "refused": on the page
 * only. */
static void read_case(struct json *j)
{
	struct buffer text = {0};
	struct bytes key;
	bool ignore = false;

	for (json_object(j); json_key(j, &key);) {
		if (bytes_equal(key, BYTES("pattern")))
			buffer_set(&text, json_string(j));
		else if (bytes_equal(key, BYTES("ignore")))
			ignore = json_bool(j);
		else if (bytes_equal(key, BYTES("matches")))
			read_names(j, text.at, ignore, true);
		else if (bytes_equal(key, BYTES("fails")))
			read_names(j, text.at, ignore, false);
		else
			json_skip(j);
	}
	buffer_release(&text);
}

static void test_cases_of_the_page(void **state)
{
	struct error err = {0};
	struct input in;
	struct json j;

	(void)state;
	assert_true(input_open(&in, test_path("tests/support/patterns.json"), &err));
	json_open(&j, &in, &err);
	for (json_array(&j); json_item(&j);)
		read_case(&j);
	if (!json_finish(&j))
		fail_msg("%s", err.text);
	json_release(&j);
	input_release(&in);
	assert_true(compared > 100);
}

#define LONG_NAME 1000000u

/* "aaa...a" and what is at its end. */
static struct bytes long_name(size_t len, const char *end)
{
	static char name[LONG_NAME + 8];

	memset(name, 'a', len);
	len += (size_t)snprintf(name + len, sizeof(name) - len, "%s", end);
	return (struct bytes){name, len};
}

/* The time of each would grow at least with the square of the name's length. */
static void test_endless_searches_are_given_up(void **state)
{
	static const char *const patterns[] = {".*.*.*[bd]", "^(a|aa)+[xy]"};

	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		struct error err = {0};
		struct pattern p;
		bool match;

		assert_true(pattern_compile(&p, patterns[i], &err));
		assert_false(pattern_match(&p, long_name(80000, ""), &match, &err));
		assert_int_equal(err.code, ERR_LIMIT);
		assert_non_null(strstr(err.text, "takes too long on 'aaaa"));
		/* The steps are used up, but a short text needs none of them. */
		assert_false(pattern_match(&p, long_name(80000, ""), &match, &err));
		assert_true(pattern_match(&p, BYTES("aab"), &match, &err));
		pattern_release(&p);
	}
}

static void test_long_names_are_searched(void **state)
{
	static const struct {
		const char *pattern, *end;
		bool match;
	} cases[] = {{"(?:a|b)*c$", "c", true}, {"a+b$", "b", true}, {"b", "", false},
		{".*[xy].*z", "xz", true}, {"^(?!x).*[bd]$", "d", true}, {"(?:ab)+$", "b", true},
		{"[bd]", "", false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error err = {0};
		struct pattern p;
		bool match = !cases[i].match;

		assert_true(pattern_compile(&p, cases[i].pattern, &err));
		if (!pattern_match(&p, long_name(20000, cases[i].end), &match, &err))
			fail_msg("'%s': %s", cases[i].pattern, err.text);
		if (match != cases[i].match)
			fail_msg("'%s'", cases[i].pattern);
		pattern_release(&p);
	}
}

static void test_a_deadline_interrupts_a_match(void **state)
{
	struct deadline d = {.limit = 20000000};
	struct error err = {0};
	struct pattern p;
	bool match;

	(void)state;
	assert_true(pattern_compile(&p, "a*[ac]*[bd]", &err));
	deadline_enter(&d);
	assert_false(pattern_match(&p, long_name(LONG_NAME, ""), &match, &err));
	assert_non_null(strstr(err.text, "0.02 s of CPU time"));
	deadline_leave();
	assert_true(d.used < UINT64_C(1000000000)); /* without the deadline it would take longer */
	pattern_release(&p);
}

static void test_replacing_is_limited_as_matching_is(void **state)
{
	struct bytes name = long_name(80000, "");
	struct buffer text = {0};
	struct error err = {0};
	struct pattern p;

	(void)state;
	assert_true(pattern_compile(&p, "a*[ac]*[bd]", &err));
	buffer_add(&text, "aab!", 4);
	assert_true(pattern_replace(&p, &text, "x$0", &err));
	assert_string_equal(text.at, "xaab!");
	buffer_set(&text, name);
	assert_false(pattern_replace(&p, &text, "x", &err));
	assert_int_equal(err.code, ERR_LIMIT);
	buffer_release(&text);
	pattern_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases_of_the_page),
		cmocka_unit_test(test_endless_searches_are_given_up),
		cmocka_unit_test(test_long_names_are_searched),
		cmocka_unit_test(test_a_deadline_interrupts_a_match),
		cmocka_unit_test(test_replacing_is_limited_as_matching_is)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
