/* frame_pointers.h: the user half of a stack, as the kernel walks it. */
#ifndef KILN_BPF_FRAME_POINTERS_H
#define KILN_BPF_FRAME_POINTERS_H

#include "bpf/core.h"

#define USER_FRAMES_MOST 128 /* a power of two; kernel.perf_event_max_stack is less */

struct user_stack {
	__u32 count;
	__u32 end;		    /* how it ended: 0, nothing tells */
	__u64 ip[USER_FRAMES_MOST]; /* innermost first; what names the frame: see struct location */
};

/* Frames of the current thread in user space. */
static __always_inline void user_stack_take(struct user_stack *s)
{
	long size = bpf_get_task_stack(
		bpf_get_current_task_btf(), s->ip, sizeof(s->ip), BPF_F_USER_STACK);

	s->end = 0;
	s->count = size > 0 ? (__u32)size / sizeof(*s->ip) : 0;
	for (__u32 i = 1; i < USER_FRAMES_MOST && i < s->count; i++)
		s->ip[i]--;
}

#endif
