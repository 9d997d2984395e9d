/* v8_profile.h: a CPU profile as V8 writes it: alone in a .cpuprofile, in pieces in Chrome's
 * traces.
 *
 * It is a tree of nodes (a function as called by another), the node that each sample was in, and
 * the microseconds between one sample and the one before. Documented as Profiler.Profile of the
 * DevTools protocol. A sample lasts until the next one; the last one until the profile ends.
 *
 * Functions are called as V8 calls them; those without a name "(anonymous) PLACE", as in Kiln's
 * other sources of V8's names (names/v8_name.h). "(root)" is no function and not kept; samples of
 * "(idle)" are a stream of the kind "idle" of their own. */
#ifndef KILN_READERS_BROWSERS_V8_PROFILE_H
#define KILN_READERS_BROWSERS_V8_PROFILE_H

#include "readers/browsers/v8_data.h"

void v8_profile_clear(struct v8_profile *v);
void v8_profile_release(struct v8_profile *v);

/* Read the value of the next key of a profile, or of Chrome's wrapper ("cpuProfile"); false: the
 * key has no meaning here, and the value is not read. */
bool v8_profile_key(struct v8_profile *v, struct bytes key, struct json *j, struct text_stacks *t);

/* Append the pieces of `more` to those of `v`. */
void v8_profile_append(struct v8_profile *v, const struct v8_profile *more);

/* The destination of samples: two tables; the second is opened for idle samples. Release both. */
struct v8_sink {
	struct text_stacks *main, idle;
	bool any_idle;
	bool timed; /* the streams are time and samples, else samples only */
	uint64_t no_node, too_deep;
	VECTOR(struct v8_node *) chain; /* from a node to its outermost caller */
};

/* Is there a sample with a time? If not, functions only have hit counts. */
bool v8_profile_timed(const struct v8_profile *v);

/* Open the streams of the main table: {"cpu","ns"} if the profile is timed, and
 * {"samples","count"}. */
void v8_sink_open(struct v8_sink *s, struct text_stacks *main, bool timed);
/* Add all samples, below the stack `base`, with the columns of `sample`. */
bool v8_profile_add(struct v8_profile *v, struct v8_sink *s, stack_id base, struct sample sample,
	struct error *err);
/* The same for the bytes of a heap profile's nodes. */
bool v8_profile_add_bytes(struct v8_profile *v, struct v8_sink *s, struct error *err);
bool v8_sink_finish(struct v8_sink *s, const struct json *j, struct error *err);
void v8_sink_release(struct v8_sink *s); /* not the main table */

/* For reader.read: a file that is one profile, whose JSON `take` reads and adds to `t`. */
typedef bool v8_profile_take(
	struct v8_profile *v, struct text_stacks *t, struct json *j, struct error *err);
bool v8_profile_read(v8_profile_take *take, struct input *in, const struct read_options *options,
	struct profile *out, struct error *err);

#endif
