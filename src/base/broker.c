/* broker.c: which process opens files for a process that may not open them? */
#include "base/broker.h"

#include "base/libc.h"
#include "base/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int broker = -1; /* the socket for requests */

/* ---- Messages: text, and at most one descriptor ---- */

union passed {
	struct cmsghdr header; /* only for its alignment */
	char room[CMSG_SPACE(sizeof(int))];
};

/* number: the kind of a request, or the errno of a reply. */
static bool send_message(int to, int number, struct bytes text, int fd)
{
	struct iovec parts[] = {{&number, sizeof(number)}, {(void *)(uintptr_t)text.at, text.len}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
	union passed passed = {0};

	if (fd >= 0) {
		message.msg_control = passed.room;
		message.msg_controllen = sizeof(passed.room);
		passed.header.cmsg_level = SOL_SOCKET;
		passed.header.cmsg_type = SCM_RIGHTS;
		passed.header.cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(&passed.header), &fd, sizeof(fd));
	}
	return sendmsg(to, &message, MSG_NOSIGNAL) >= 0;
}

/* Fill `room` with the text and a NUL. False: the peer has closed the socket. */
static bool receive_message(
	int from, int *ret_number, char room[BROKER_TEXT_LIMIT + 1], size_t *ret_len, int *ret_fd)
{
	struct iovec parts[] = {{ret_number, sizeof(*ret_number)}, {room, BROKER_TEXT_LIMIT}};
	union passed passed = {0};
	struct msghdr message = {.msg_iov = parts,
		.msg_iovlen = 2,
		.msg_control = passed.room,
		.msg_controllen = sizeof(passed.room)};
	ssize_t got;

	do
		got = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	*ret_fd = -1;
	if (got < (ssize_t)sizeof(*ret_number))
		return false;
	if (message.msg_controllen >= CMSG_LEN(sizeof(int)) &&
		passed.header.cmsg_type == SCM_RIGHTS)
		memcpy(ret_fd, CMSG_DATA(&passed.header), sizeof(*ret_fd));
	*ret_len = (size_t)got - sizeof(*ret_number);
	room[*ret_len] = '\0';
	return true;
}

/* ---- The broker ---- */

static void set_signals(void (*how)(int))
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], how);
}

struct handler {
	broker_handler *function;
	void *context;
};

static void answer(const struct handler *a, int reply, enum broker_kind kind, const char *text)
{
	struct broker_answer answer = {.fd = -1};

	a->function(a->context, kind, text, &answer);
	if (answer.text.len > BROKER_TEXT_LIMIT)
		answer = (struct broker_answer){.fd = answer.fd, .error = ENAMETOOLONG};
	send_message(reply, answer.error, buffer_bytes(&answer.text), answer.fd);
	if (answer.fd >= 0)
		close(answer.fd);
	buffer_release(&answer.text);
}

pid_t broker_fork(void)
{
	pid_t child = fork();

	if (!child)
		set_signals(SIG_DFL);
	return child;
}

/* Slow requests get a process of their own, so that others do not wait for them. */
static bool is_slow(enum broker_kind kind)
{
	return kind == BROKER_FETCH || kind == BROKER_SHOW;
}

static void answer_in_child(
	const struct handler *a, int reply, enum broker_kind kind, const char *text)
{
	if (broker_fork())
		return; /* if fork fails, the client sees a closed socket, which is its reply */
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* no use in going on when the client has ended */
	answer(a, reply, kind, text);
	_exit(0);
}

static void serve(const struct handler *a, int questions)
{
	char text[BROKER_TEXT_LIMIT + 1];
	int kind, reply;
	size_t len;

	while (receive_message(questions, &kind, text, &len, &reply)) {
		if (reply < 0)
			continue;
		if (is_slow((enum broker_kind)kind))
			answer_in_child(a, reply, (enum broker_kind)kind, text);
		else
			answer(a, reply, (enum broker_kind)kind, text);
		close(reply);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

/* Close inherited files. While this process has a pipe open, the pipe's other end does not see that
 * the parent has closed it. */
static void close_inherited_files(int questions)
{
	int nothing = open("/dev/null", O_RDWR);

	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	dup2(questions, STDERR_FILENO + 1);
	close_range(STDERR_FILENO + 2, ~0u, 0);
	fcntl(STDERR_FILENO + 1, F_SETFD, FD_CLOEXEC);
}

bool broker_start(broker_handler *handler, void *context)
{
	const struct handler a = {handler, context};
	int ends[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	child = fork();
	if (!child) {
		set_signals(SIG_IGN); /* Ctrl-C is handled by the parent; the broker ends with it */
		close(ends[0]);
		close_inherited_files(ends[1]);
		serve(&a, STDERR_FILENO + 1);
		_exit(0);
	}
	close(ends[1]);
	if (child < 0)
		close(ends[0]);
	else
		broker = ends[0];
	return child >= 0;
}

/* ---- The client ---- */

bool broker_is_running(void)
{
	return broker >= 0;
}

/* Each request carries the socket for its reply, so that threads do not wait for one another. */
int broker_ask(enum broker_kind kind, const char *text, struct buffer *ret_text)
{
	char room[BROKER_TEXT_LIMIT + 1];
	int ends[2], error = EIO, fd = -1;
	size_t len = strlen(text);

	if (broker < 0 || len > BROKER_TEXT_LIMIT) {
		errno = broker < 0 ? ENOSYS : ENAMETOOLONG;
		return -1;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -1;
	if (!send_message(broker, (int)kind, (struct bytes){text, len}, ends[1]))
		error = EPIPE;
	close(ends[1]);
	if (error != EPIPE && receive_message(ends[0], &error, room, &len, &fd) && ret_text)
		buffer_add(ret_text, room, len);
	close(ends[0]);
	errno = error;
	return fd;
}

int broker_open(enum broker_kind kind, const char *path)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd = kind == BROKER_INPUT ? open(path, flags) : plain_file_open(AT_FDCWD, path, 0);

	if (fd >= 0 || errno != EACCES || broker < 0)
		return fd;
	return broker_ask(kind, path, NULL);
}
