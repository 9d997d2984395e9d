/* by_thread.c: separates stacks by thread. */
#include "transforms/group.h"
#include "transforms/transforms.h"

static bool has_threads(const struct samples *s)
{
	return s->thread.len != 0;
}

static size_t thread_of(const struct profile *p, const struct samples *s, size_t sample)
{
	(void)p;
	return s->thread.items[sample];
}

static struct bytes thread_name(const struct profile *p, size_t thread)
{
	return profile_text(p, p->threads.items[thread].name);
}

/* As in the classic tools: comm-PID/TID. */
static void thread_label(const struct profile *p, size_t thread, struct buffer *ret_label)
{
	const struct thread *t = &p->threads.items[thread];

	group_label(ret_label, thread_name(p, thread), p->processes.items[t->process].pid);
	if (t->tid < 0)
		buffer_text(ret_label, "/?");
	else
		buffer_printf(ret_label, "/%d", t->tid);
}

struct grouping grouping_by_thread(const struct profile *p)
{
	return (struct grouping){p->threads.len, has_threads, thread_of, thread_label, thread_name,
		"the thread of a sample"};
}

static bool by_thread_apply(struct view *v, const char *argument, struct error *err)
{
	const struct grouping by = grouping_by_thread(v->profile);

	(void)argument;
	return group_apply(v, &by, err);
}

const struct transform transform_by_thread = {
	.name = "by-thread",
	.help = "add a root frame for each thread: NAME-PID/TID",
	.applied = "By thread",
	.apply = by_thread_apply,
};
