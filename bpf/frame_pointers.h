/* frame_pointers.h: the user half of a stack, as the kernel walks it. */
#ifndef KILN_BPF_FRAME_POINTERS_H
#define KILN_BPF_FRAME_POINTERS_H

#include "bpf/core.h"
#include "bpf/unwind_shared.h"

/* Frames of the current thread in user space. Nothing tells how the walk ended. */
static __always_inline void user_stack_follow(struct user_stack *s)
{
	long size = bpf_get_task_stack(
		bpf_get_current_task_btf(), s->ip, sizeof(s->ip), BPF_F_USER_STACK);

	s->end = USER_STACK_COMPLETE;
	s->count = size > 0 ? (__u32)size / sizeof(*s->ip) : 0;
	for (__u32 i = 1; i < KERNEL_STACK_MOST && i < s->count; i++)
		s->ip[i]--;
}

#endif
