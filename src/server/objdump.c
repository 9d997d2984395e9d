/* objdump.c: how is objdump run, and for how long? */
#include "server/objdump.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/program.h"

/* With nothing of ours open. */
static bool spawn(const char *const *argv, int out, pid_t *ret_child)
{
	posix_spawn_file_actions_t files;
	bool done;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, 1);
	posix_spawn_file_actions_addclosefrom_np(&files, 3);
	done = program_start(argv, &files, ret_child);
	posix_spawn_file_actions_destroy(&files);
	return done;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* All that comes, until `end`. */
static bool read_all(int fd, int64_t end, struct buffer *ret_text, struct error *err)
{
	static const char *const too_long = "objdump takes too long, or says too much";
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
	char from[48], to[48];
	const char *const argv[] = {
		"objdump", "-d", "-l", "-w", "--no-show-raw-insn", from, to, "--", path, NULL};
	int pipes[2], status;
	pid_t child;
	bool done;

	snprintf(from, sizeof(from), "--start-address=0x%llx", (unsigned long long)start);
	snprintf(to, sizeof(to), "--stop-address=0x%llx", (unsigned long long)end);
	if (pipe2(pipes, O_CLOEXEC))
		return error_errno(err, "making a pipe");
	done = spawn(argv, pipes[1], &child);
	close(pipes[1]);
	if (!done) {
		close(pipes[0]);
		return error_set(
			err, ERR_UNSUPPORTED, "there is no objdump here: install binutils");
	}
	done = read_all(pipes[0], now_ms() + OBJDUMP_SECONDS * 1000, ret_text, err);
	if (!done)
		kill(child, SIGKILL);
	close(pipes[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return done;
}
