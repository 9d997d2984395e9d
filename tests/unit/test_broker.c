/* test_broker.c: does each request to the broker get its own reply, with many requests at once? */
#include "test.h"

#include "base/broker.h"
#include "base/plain_file.h"
#include "images/runtime_file.h"
#include "support/work_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define THREADS 8
#define ASKED	200 /* times, by each */

/* A request is a file's name; the reply is the open file and the name. */
static void answer(
	void *context, enum broker_kind kind, const char *text, struct broker_answer *ret)
{
	(void)context;
	if (kind == BROKER_FETCH) /* a FIFO, which waits for its writer */
		close(open(text, O_RDONLY | O_CLOEXEC));
	if (kind == BROKER_SPOOL)
		for (int i = 0; i <= (int)BROKER_TEXT_LIMIT; i++)
			buffer_char(&ret->text, 'x');
	if (kind == BROKER_BINARY) {
		ret->fd = open(text, O_RDONLY | O_CLOEXEC);
		ret->error = ret->fd < 0 ? errno : 0;
	}
	buffer_text(&ret->text, text);
}

static void requests_without_a_broker_fail(void **state)
{
	(void)state;
	assert_false(broker_is_running());
	assert_int_equal(broker_ask(BROKER_BINARY, "/dev/null", NULL), -1);
	assert_int_equal(errno, ENOSYS);
	assert_int_equal(broker_open(BROKER_BINARY, "/nowhere"), -1);
	assert_int_equal(errno, ENOENT);
}

static void *ask_often(void *context)
{
	const char *path = context;
	struct stat expected, got;

	assert_int_equal(stat(path, &expected), 0);
	for (int i = 0; i < ASKED; i++) {
		struct buffer text = {0};
		int fd = broker_ask(BROKER_BINARY, path, &text);

		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &got), 0);
		assert_int_equal(got.st_ino, expected.st_ino);
		assert_string_equal(text.at, path);
		close(fd);
		buffer_release(&text);
	}
	return NULL;
}

static void *ask_slowly(void *fifo)
{
	struct buffer text = {0};

	broker_ask(BROKER_FETCH, fifo, &text);
	assert_string_equal(text.at, fifo);
	buffer_release(&text);
	return NULL;
}

/* A slow request does not delay the others. */
static void every_thread_gets_its_own_reply(void **state)
{
	static const char *const paths[] = {"/", "/proc/self/exe", "/dev/null", "/dev/zero"};
	const char *fifo = work_path("fifo");
	pthread_t threads[THREADS], slow;

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_true(broker_start(answer, NULL));
	assert_true(broker_is_running());
	assert_int_equal(pthread_create(&slow, NULL, ask_slowly, (void *)(uintptr_t)fifo), 0);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_often,
					 (void *)(uintptr_t)paths[i % 4]),
			0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	close(open(fifo, O_WRONLY | O_CLOEXEC));
	pthread_join(slow, NULL);
	unlink(fifo);
}

static void refusals_are_reported(void **state)
{
	static char too_long[BROKER_TEXT_LIMIT + 2];

	(void)state;
	assert_int_equal(broker_ask(BROKER_BINARY, "/nowhere", NULL), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(broker_ask(BROKER_SPOOL, "", NULL), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	memset(too_long, '/', BROKER_TEXT_LIMIT + 1);
	assert_int_equal(broker_ask(BROKER_BINARY, too_long, NULL), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	too_long[BROKER_TEXT_LIMIT] = '\0';
	assert_int_equal(broker_ask(BROKER_BINARY, too_long, NULL), -1);
	assert_int_equal(errno, ENAMETOOLONG); /* the kernel's limit for paths is lower */
}

/* Opening a device can arm a watchdog or rewind a tape. Here a FIFO stands for a device: inotify
 * reports each time that it is opened. */
static void only_regular_files_are_opened(void **state)
{
	const char *fifo = work_path("device"), *link = work_path("link");
	struct error err = {0};
	char told[4096];
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), fd;

	(void)state;
	unlink(link);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink(fifo, link), 0);
	assert_true(inotify_add_watch(watch, fifo, IN_OPEN) >= 0);
	assert_int_equal(broker_open(BROKER_BINARY, link), -1);
	assert_int_equal(errno, ENXIO);
	assert_int_equal(runtime_file_open(getpid(), fifo, &err), -1);
	assert_int_equal(err.code, ERR_FORMAT);
	assert_int_equal(plain_file_open(AT_FDCWD, link, O_NOFOLLOW), -1);
	assert_int_equal(errno, ELOOP);
	assert_int_equal(read(watch, told, sizeof(told)), -1);
	assert_int_equal(errno, EAGAIN);
	fd = broker_open(BROKER_INPUT, fifo); /* the user named this one */
	assert_true(fd >= 0);
	assert_true(read(watch, told, sizeof(told)) > 0);
	close(fd);
	fd = broker_open(BROKER_BINARY, "/proc/self/exe");
	assert_int_equal(read(fd, told, 4), 4);
	assert_memory_equal(told, "\177ELF", 4);
	close(fd);
	close(watch);
	unlink(link);
	unlink(fifo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_without_a_broker_fail),
		cmocka_unit_test(only_regular_files_are_opened),
		cmocka_unit_test(every_thread_gets_its_own_reply),
		cmocka_unit_test(refusals_are_reported),
	};

	return cmocka_run_group_tests_name("broker", tests, NULL, NULL);
}
