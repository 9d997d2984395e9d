/* thread.h: threads that leave signals to the others. */
#ifndef KILN_BASE_THREAD_H
#define KILN_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Start a thread that no signal to the process is delivered to: those are for the threads of the
 * command, or of the program that uses libkiln, which may wait for them with sigwait(3). Not
 * blocked are signals about what the thread itself does (SIGPIPE, SIGSEGV), and real-time signals,
 * with one of which a process drops the capabilities of all its threads. False: it could not be
 * started. */
bool thread_start(pthread_t *ret, void *(*run)(void *context), void *context);

#endif
