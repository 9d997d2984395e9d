/* test_listen_address.c: by which names may a server be asked? */
#include "test.h"

#include "server/listen_address.h"

static void test_host_of_this_machine(void **state)
{
	static const char *const own[] = {"127.0.0.1", "127.0.0.1:8000", "localhost", "localhost:1",
		"localhost:65535", "[::1]", "[::1]:80"};
	static const char *const others[] = {"localhost:evil.com", "localhost:", "localhost:80a",
		"localhost:-1", "localhost:+80", "localhost: 80", "localhost:65536",
		"localhost:99999999999999999999", "localhost:80:80", "localhost:80@evil.com",
		"evil.com@localhost", "localhost.evil.com", "localhost/", ":80", "", "[::1", "::1",
		"[::1]80", "[::1]:evil.com", "[::1]:80]", "[::2]", "192.0.2.1", "evil.com",
		"evil.com:127.0.0.1", "127.0.0.1.", "127.1"};
	const struct listen_address p = listen_address_local(0);

	(void)state;
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!listen_address_has_name(&p, own[i]))
			fail_msg("'%s' is refused", own[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (listen_address_has_name(&p, others[i]))
			fail_msg("'%s' is accepted", others[i]);
	assert_false(listen_address_has_name(&p, NULL));
}

static void test_host_of_a_shared_server(void **state)
{
	static const char *const numbers[] = {
		"192.0.2.1", "192.0.2.1:8000", "[2001:db8::1]:8000", "localhost:8000"};
	static const char *const others[] = {"evil.com", "evil.com:8000", "192.0.2.1:evil.com",
		"192.0.2.1:", "192.0.2.1:8000:8000", "192.0.2", "[192.0.2.1]:80", "[2001:db8::1]:x",
		"2001:db8::1", "[]", "[]:80"};
	struct error err = {0};
	struct listen_address p;

	(void)state;
	assert_true(listen_address_parse("0.0.0.0:8000", &p, &err));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!listen_address_has_name(&p, numbers[i]))
			fail_msg("'%s' is refused", numbers[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (listen_address_has_name(&p, others[i]))
			fail_msg("'%s' is accepted", others[i]);
}

static void test_places_to_listen(void **state)
{
	static const char *const wrong[] = {"127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", ":80",
		"[::1]", "::1:80", "localhost:80", "127.0.0.1:80x", "127.0.0.1:80:80"};
	struct error err = {0};
	struct listen_address p;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (listen_address_parse(wrong[i], &p, &err))
			fail_msg("'%s' is accepted", wrong[i]);
	assert_true(listen_address_parse("[::1]:8000", &p, &err));
	assert_int_equal(listen_address_port(&p), 8000);
	assert_false(p.is_shared);
	assert_true(listen_address_parse("192.0.2.1:0", &p, &err));
	assert_true(p.is_shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_host_of_this_machine),
		cmocka_unit_test(test_host_of_a_shared_server),
		cmocka_unit_test(test_places_to_listen)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
