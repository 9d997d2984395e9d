/* by_process.c: separates stacks by process. */
#include "transforms/group.h"
#include "transforms/transforms.h"

static bool has_threads(const struct samples *s)
{
	return s->thread.len != 0;
}

static size_t process_of(const struct profile *p, const struct samples *s, size_t sample)
{
	return p->threads.items[s->thread.items[sample]].process;
}

static struct bytes process_name(const struct profile *p, size_t process)
{
	return profile_text(p, p->processes.items[process].name);
}

static void process_label(const struct profile *p, size_t process, struct buffer *ret_label)
{
	group_label(ret_label, process_name(p, process), p->processes.items[process].pid);
}

static bool by_process_apply(struct view *v, const char *argument, struct error *err)
{
	const struct grouping by = {v->profile->processes.len, has_threads, process_of,
		process_label, process_name, "the process of a sample"};

	(void)argument;
	return group_apply(v, &by, err);
}

const struct transform transform_by_process = {
	.name = "by-process",
	.help = "add a root frame for each process: NAME-PID",
	.applied = "By process",
	.apply = by_process_apply,
};
