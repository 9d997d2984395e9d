/* trial.c: does recording in a mode work? A child process tries it on itself. */
#include "checks/trial.h"

#include "base/memory.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIAL_DURATION 1000000		    /* ns for which the child records */
#define TRIAL_PATIENCE 30000		    /* ms without a word until it is ended */
#define ANY_EVENT      "sched:sched_switch" /* of modes that want to be told an event */

/* ---- In the child ---- */

static int out = -1; /* notices have no context */

/* A line that cannot be written is missed by nobody: the parent has gone. */
static void print_line(char kind, const char *text)
{
	struct buffer line = {0};

	buffer_char(&line, kind);
	buffer_text(&line, text);
	buffer_char(&line, '\n');
	if (write(out, line.at, line.len) < 0)
		_exit(1);
	buffer_release(&line);
}

static void notice(const char *text)
{
	print_line('+', text);
}

static bool no_tick(void *context, struct session *s, struct error *err)
{
	(void)context, (void)s, (void)err;
	return true;
}

static _Noreturn void record_itself(const struct recorder *recorder, enum record_way way)
{
	struct record_options options = {.duration = TRIAL_DURATION, .way = (int)way};
	struct session s = {.tick = no_tick, .notice = notice};
	struct error err = {0}, ignored = {0};

	vector_push(&options.pids.list, getpid());
	if (!mode_check(recorder->mode, &options, &ignored))
		options.events = ANY_EVENT;
	session_hold_signals();
	if (!session_run(&s, recorder, &options, &err))
		print_line('-', err.text);
	/* What it holds ends with the process, as if it was killed: which is what must work. */
	_exit(err.code ? 1 : 0);
}

/* ---- In the parent ---- */

bool trial_start(struct trial *ret, const struct recorder *recorder, enum record_way way)
{
	int pair[2];

	if (pipe(pair))
		return false;
	fflush(NULL);
	*ret = (struct trial){.child = fork(), .result = pair[0]};
	if (!ret->child) {
		close(pair[0]);
		out = pair[1];
		record_itself(recorder, way);
	}
	close(pair[1]);
	if (ret->child > 0)
		return true;
	close(pair[0]);
	return false;
}

static void read_lines(struct trial *t, struct buffer *text)
{
	struct pollfd ready = {.fd = t->result, .events = POLLIN};
	char part[4096];
	ssize_t got = 1;

	while (got > 0) {
		if (poll(&ready, 1, TRIAL_PATIENCE) < 1) {
			kill(t->child, SIGKILL);
			return;
		}
		got = read(t->result, part, sizeof(part));
		buffer_add(text, part, got > 0 ? (size_t)got : 0);
	}
}

bool trial_end(struct trial *t, struct buffer *ret_notices, struct error *err)
{
	struct buffer text = {0};
	struct bytes rest, line;
	int status = 0;

	read_lines(t, &text);
	close(t->result);
	while (waitpid(t->child, &status, 0) < 0 && errno == EINTR) {
	}
	rest = buffer_bytes(&text);
	while (bytes_line(&rest, &line)) {
		if (line.len && *line.at == '+')
			buffer_printf(ret_notices, "%.*s\n", (int)line.len - 1, line.at + 1);
		else if (line.len && *line.at == '-')
			error_set(err, ERR_IO, "%.*s", (int)line.len - 1, line.at + 1);
	}
	buffer_release(&text);
	if (status && !err->code && WIFSIGNALED(status))
		return error_set(
			err, ERR_IO, "a trial recording was ended by signal %d", WTERMSIG(status));
	return !err->code &&
	       (!status || error_set(err, ERR_IO, "a trial recording failed without a reason"));
}
