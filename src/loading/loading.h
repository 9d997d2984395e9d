/* loading.h: the one way from an input to a profile with names.
 *
 * The library, the commands, the server and the classic names all load by it, so that the same file
 * is the same profile everywhere:
 *
 *	struct loading l;
 *	struct profile p;
 *
 *	loading_init(&l, &(struct loading_options){0});
 *	if (input_open(&in, "perf.data", &err) &&
 *		loading_read(&l, &in, &(struct loading_request){.want = WANT_ALL}, &p, &err))
 *		...
 *	profile_release(&p);
 *	loading_release(&l);
 *
 * Several threads may load with one struct loading at once, or each with its own. */
#ifndef KILN_LOADING_LOADING_H
#define KILN_LOADING_LOADING_H

#include "base/input.h"
#include "loading/naming.h"
#include "readers/readers.h"

/* How inputs are read and named. `{0}`: by content, with all names that this machine has,
 * without a listener. */
struct loading_options {
	const char *format; /* a reader's name, or NULL: by content */
	struct naming_options naming;
	struct loading_listener listener;
};

struct loading {
	struct loading_options options;
	struct binary_locations binary_locations; /* where files are, from the options; with
						     servers, if there are any */
};

/* The options are copied; what they point to is borrowed. *l must not move until it is released. */
void loading_init(struct loading *l, const struct loading_options *options);
void loading_release(struct loading *l);

/* What is wanted of one input. */
struct loading_request {
	unsigned want;	 /* enum read_want, or'ed */
	bool as_written; /* keep names as they are in the input, look none up */
	const struct reading_style
		*style;	   /* as another tool reads the format; NULL: as Kiln does */
	const char *event; /* as another tool: only this one; NULL: the first in the input */
	const struct read_observer *observer; /* NULL: none */
};

/* Does an input begin like a profile? Reads its beginning. */
bool loading_recognise(const struct loading *l, struct input *in, struct error *err);

/* Read all of `in`, which is released, and name what has no name. Errors start with the input's
 * name. *ret_profile is to be released in any case: after a failure it contains what was read
 * until then. */
bool loading_read(const struct loading *l, struct input *in, const struct loading_request *request,
	struct profile *ret_profile, struct error *err);

/* The same for several files ("-": standard input) as if they were one. */
bool loading_read_files(const struct loading *l, char *const *paths,
	const struct loading_request *request, struct profile *ret_profile, struct error *err);

#endif
