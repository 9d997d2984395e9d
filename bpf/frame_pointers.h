/* frame_pointers.h: the user half of a stack, as the kernel walks it by frame pointers. */
#ifndef KILN_BPF_FRAME_POINTERS_H
#define KILN_BPF_FRAME_POINTERS_H

#include "bpf/core.h"
#include "bpf/shared/unwind.h"

/* Turn return addresses into addresses within the calls. It is global so that the verifier checks
 * it once, and not for every path that leads here. */
__noinline int user_stack_name(struct user_stack *s)
{
	if (!s)
		return 0;
	for (__u32 i = 1; i < KERNEL_STACK_MAX && i < s->count; i++)
		s->ip[i]--;
	return 0;
}

/* Frames of the current thread in user space. The kernel does not say how the walk ended. */
static __always_inline void user_stack_follow(struct user_stack *s)
{
	long size = bpf_get_task_stack(
		bpf_get_current_task_btf(), s->ip, sizeof(s->ip), BPF_F_USER_STACK);

	s->end = USER_STACK_COMPLETE;
	s->count = size > 0 ? (__u32)size / sizeof(*s->ip) : 0;
	user_stack_name(s);
}

#endif
