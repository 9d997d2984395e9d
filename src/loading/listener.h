/* listener.h: what is the user told while a profile is loaded, besides errors? */
#ifndef KILN_LOADING_LISTENER_H
#define KILN_LOADING_LISTENER_H

#include <stdbool.h>

/* `{0}`: nothing is told. Functions may be NULL. They are called in the thread that loads. */
struct loading_listener {
	void *self;
	bool details; /* also what only helps to find out why something has no name */
	/* A sentence that the user should read, without a newline. */
	void (*notice)(void *self, const char *text);
	/* Progress, for a line that is overwritten; "" at the end. */
	void (*progress)(void *self, const char *text);
};

/* Format a notice, if there is a listener for it. */
__attribute__((format(printf, 2, 3))) void loading_notice(
	const struct loading_listener *listener, const char *fmt, ...);

#endif
