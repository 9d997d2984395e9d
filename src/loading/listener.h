/* listener.h: what does the user hear while a profile is loaded, beside errors? */
#ifndef KILN_LOADING_LISTENER_H
#define KILN_LOADING_LISTENER_H

#include <stdbool.h>

/* `{0}`: nobody listens. Functions may be NULL. They are called by the thread that loads. */
struct loading_listener {
	void *self;
	bool details; /* also what helps only to find out why something has no name */
	/* A sentence that the user should read, without a newline. */
	void (*notice)(void *self, const char *text);
	/* What is going on, for a line that is written over; "" when it is over. */
	void (*progress)(void *self, const char *text);
};

/* Format a notice, if somebody listens. */
__attribute__((format(printf, 2, 3))) void loading_notice(
	const struct loading_listener *listener, const char *fmt, ...);

#endif
