/* test_pattern.c: does a regular expression match what it matches on the page of `kiln view`? */
#include "test.h"

#include "base/json.h"
#include "base/pattern.h"

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
			ignore = json_flag(j);
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases_of_the_page)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
