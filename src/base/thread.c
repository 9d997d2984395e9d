/* thread.c: how does a thread leave signals to the others? */
#include "base/thread.h"

#include <signal.h>

bool thread_start(pthread_t *ret, void *(*run)(void *context), void *context)
{
	/* Signals about what the thread itself does, such as writing to a closed pipe. */
	static const int own[] = {
		SIGPIPE, SIGXFSZ, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
	sigset_t blocked, before;
	bool started;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		sigdelset(&blocked, own[i]);
	for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++)
		sigdelset(&blocked, signal);
	pthread_sigmask(SIG_BLOCK, &blocked, &before); /* a thread begins with its creator's mask */
	started = !pthread_create(ret, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}
