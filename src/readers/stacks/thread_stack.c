/* thread_stack.c: which frames is every stack of a thread above? */
#include "readers/stacks/thread_stack.h"

#include "base/buffer.h"

static stack_id label_stack(
	struct profile *p, stack_id below, const char *what, string_id name, int32_t id)
{
	struct bytes known = profile_text(p, name);
	struct buffer label = {0};
	frame_id frame;

	if (known.len)
		buffer_add(&label, known.at, known.len);
	else
		buffer_text(&label, what);
	if (id >= 0)
		buffer_printf(&label, "-%d", id);
	frame = profile_frame_named(p, buffer_bytes(&label), FRAME_META);
	buffer_release(&label);
	return profile_stack(p, below, profile_location_named(p, frame));
}

stack_id thread_stack(struct profile *p, thread_id thread)
{
	const struct thread t = p->threads.items[thread];
	const struct process of = p->processes.items[t.process];

	return label_stack(
		p, label_stack(p, 0, "process", of.name, of.pid), "thread", t.name, t.tid);
}
