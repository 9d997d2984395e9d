/* firefox_samples.h: the samples of the threads of a profile of the Firefox Profiler. */
#ifndef KILN_READERS_BROWSERS_FIREFOX_SAMPLES_H
#define KILN_READERS_BROWSERS_FIREFOX_SAMPLES_H

#include "readers/browsers/firefox_stacks.h"

struct firefox_samples {
	struct firefox_file *file;
	struct profile *profile;
	unsigned want; /* enum read_want, or'ed */
	struct firefox_stacks stacks;
	struct json_groups groups;
};

/* `file` has its tables by the time when samples are added. */
void firefox_samples_open(struct firefox_samples *s, struct firefox_file *file, struct input *in,
	const struct read_options *options, struct profile *out);
void firefox_samples_release(struct firefox_samples *s);

/* Add all samples of the next thread of the file. `any_cpu`: some thread of the file has the CPU
 * time of its samples. */
bool firefox_samples_add(
	struct firefox_samples *s, struct firefox_thread *t, bool any_cpu, struct error *err);
/* All threads were added; `j` was read to the end. */
bool firefox_samples_finish(struct firefox_samples *s, const struct json *j, struct error *err);

#endif
