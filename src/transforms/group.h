/* group.h: adds a root frame for every thread, process, CPU or control group. */
#ifndef KILN_TRANSFORMS_GROUP_H
#define KILN_TRANSFORMS_GROUP_H

#include "base/buffer.h"
#include "model/view.h"

/* The key that separates the samples. */
struct grouping {
	size_t groups;
	bool (*has)(const struct samples *s);
	/* The group of a sample, below `groups`; 0 for tables without this information. */
	size_t (*group)(const struct profile *p, const struct samples *s, size_t sample);
	/* The text of the group's root frame. */
	void (*label)(const struct profile *p, size_t group, struct buffer *ret_label);
	/* The name that inputs may already have as root frame; the label replaces it. May be
	 * NULL. */
	struct bytes (*name)(const struct profile *p, size_t group);
	const char *what; /* "the thread of a sample" */
};

/* By thread, with the label NAME-PID/TID; and by CPU. */
struct grouping grouping_by_thread(const struct profile *p);
struct grouping grouping_by_cpu(const struct profile *p);

/* Does any sample of the profile have a group? ERR_USAGE: none. */
bool grouping_check(const struct grouping *by, const struct profile *p, struct error *err);
/* The group of a sample of any table. */
static inline size_t grouping_of(
	const struct grouping *by, const struct profile *p, const struct samples *s, size_t sample)
{
	return by->has(s) ? by->group(p, s, sample) : 0;
}

/* Add the group's frame at the root of every stack. ERR_USAGE if no sample has a group. */
bool group_apply(struct view *v, const struct grouping *by, struct error *err);

/* Append "NAME-ID": an unknown name is "[unknown]", an unknown id is "?". */
void group_label(struct buffer *b, struct bytes name, int32_t id);

#endif
