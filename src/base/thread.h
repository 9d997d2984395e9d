/* thread.h: threads that leave signals to the others. */
#ifndef KILN_BASE_THREAD_H
#define KILN_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Start a thread that gets no signal to the process. Such signals are for the threads of the
 * command, or of the program that uses libkiln, which may wait for them with sigwait(3). Two kinds
 * are not blocked: signals about what the thread itself does (SIGPIPE, SIGSEGV), and real-time
 * signals, because a process uses one to drop the capabilities of all its threads. False: the
 * thread could not be started. */
bool thread_start(pthread_t *ret, void *(*run)(void *context), void *context);

#endif
