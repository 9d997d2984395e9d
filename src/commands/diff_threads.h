/* diff_threads.h: a difference of every thread, each by itself. */
#ifndef KILN_COMMANDS_DIFF_THREADS_H
#define KILN_COMMANDS_DIFF_THREADS_H

#include "commands/pipeline.h"

struct diff_threads {
	const struct renderer *renderer;
	const void *settings;
	const char **title; /* of the settings, or NULL: gets the thread's name behind it */
	const char *output; /* "x.svg": files are called x.NAME.svg; NULL: standard output */
	unsigned mode;	    /* of the files */
	enum projection projection;
};

/* Render the difference that `v` shows of every thread that is not below the threshold. */
bool diff_threads(const struct view *v, const struct diff_threads *how, struct error *err);

#endif
