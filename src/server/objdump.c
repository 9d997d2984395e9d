/* objdump.c: how is objdump run, and for how long? */
#include "server/objdump.h"

#include "base/broker.h"
#include "base/clock.h"
#include "base/confine.h"
#include "base/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- In the broker ---- */

/* The files themselves are allowed, whatever has their names by the time objdump opens them. */
static void allow_file(struct confine *c, int fd)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	confine_allow_read(c, link);
}

static void allow_debug_file(struct confine *c, const char *binary_path)
{
	struct buffer path = {0};
	int fd;

	buffer_printf(&path, "%s.debug", binary_path);
	fd = plain_file_open(AT_FDCWD, path.at, 0);
	buffer_release(&path);
	if (fd < 0)
		return;
	allow_file(c, fd);
	close(fd);
}

/* objdump may read itself, its libraries, the binary and its .debug file. It parses untrusted
 * binaries, as this process does, so it is confined as strictly. */
static void confine(int binary, const char *path)
{
	static const char *const system[] = {"/usr", "/lib", "/lib32", "/lib64", "/bin", "/opt",
		"/etc/ld.so.cache", "/nix/store", "/gnu/store"};
	const char *folders = getenv("PATH");
	struct bytes rest = bytes_of(folders ? folders : ""), folder;
	struct buffer text = {0};
	struct confine c;

	confine_init(&c, CONFINE_ALLOW_EXECUTE);
	for (size_t i = 0; i < sizeof(system) / sizeof(*system); i++)
		confine_allow_run(&c, system[i]);
	while (bytes_cut(&rest, ':', &folder)) {
		text.len = 0;
		buffer_add(&text, folder.at, folder.len);
		confine_allow_run(&c, text.at);
	}
	allow_file(&c, binary);
	allow_debug_file(&c, path);
	confine_start(&c);
	buffer_release(&text);
}

/* In the child. `failed` closes without data once exec has succeeded. */
static void execute(const char *const *argv, int binary, const char *path, int out, int failed)
{
	int nothing = open("/dev/null", O_RDWR);

	dup2(nothing, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(nothing, STDERR_FILENO);
	alarm(OBJDUMP_SECONDS + 1); /* the request has timed out by then */
	confine(binary, path);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	if (write(failed, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

int objdump_start(int binary, const char *path, uint64_t start, uint64_t end)
{
	char from[48], to[48];
	const char *const argv[] = {
		"objdump", "-d", "-l", "-w", "--no-show-raw-insn", from, to, "--", path, NULL};
	int text[2], failed[2], error = 0;
	pid_t child;

	snprintf(from, sizeof(from), "--start-address=0x%llx", (unsigned long long)start);
	snprintf(to, sizeof(to), "--stop-address=0x%llx", (unsigned long long)end);
	if (pipe2(text, O_CLOEXEC))
		return -1;
	if (pipe2(failed, O_CLOEXEC)) {
		close(text[0]);
		close(text[1]);
		return -1;
	}
	child = broker_fork();
	if (!child)
		execute(argv, binary, path, text[1], failed[1]);
	close(text[1]);
	close(failed[1]);
	if (child < 0 || read(failed[0], &error, sizeof(error)) > 0) {
		close(text[0]);
		text[0] = -1;
		errno = child < 0 ? EAGAIN : error;
	}
	close(failed[0]);
	return text[0];
}

/* ---- In the server ---- */

static int64_t now_ms(void)
{
	return (int64_t)(monotonic_ns() / 1000000);
}

/* Read until end of file, or until the time `end`. */
static bool read_all(int fd, int64_t end, struct buffer *ret_text, struct error *err)
{
	static const char *const too_long = "objdump took too long or printed too much";
	char part[65536];

	for (;;) {
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		int64_t left = end - now_ms();
		ssize_t got;

		if (left <= 0 || ret_text->len > OBJDUMP_TEXT_LIMIT)
			return error_set(err, ERR_LIMIT, "%s", too_long);
		if (poll(&wait, 1, (int)left) <= 0)
			continue;
		got = read(fd, part, sizeof(part));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return true;
		buffer_add(ret_text, part, (size_t)got);
	}
}

bool objdump_run(
	const char *path, uint64_t start, uint64_t end, struct buffer *ret_text, struct error *err)
{
	struct buffer question = {0};
	bool done;
	int fd;

	buffer_printf(&question, "%llx %llx %s", (unsigned long long)start, (unsigned long long)end,
		path);
	fd = broker_ask(BROKER_CODE, question.at, NULL);
	buffer_release(&question);
	if (fd < 0)
		return error_set(
			err, ERR_UNSUPPORTED, "objdump is not installed: install binutils");
	done = read_all(fd, now_ms() + OBJDUMP_SECONDS * 1000, ret_text, err);
	close(fd);
	return done;
}
