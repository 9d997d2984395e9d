/* memo.h: is a thread's user stack the one that it was the last time?
 *
 * Who waits in a loop has the same stack each time. A walk is decided by the registers, tables and
 * mappings, and the few words of the stack that it has read: where these are the same so is the
 * stack, and to compare them takes less than half the time. (Not in the kernel: there, each system
 * call has its frames elsewhere, and they are not ours to walk.) */
#ifndef KILN_BPF_MEMO_H
#define KILN_BPF_MEMO_H

#include "bpf/unwind.h"

/* Of a thread; all zeros: nothing is known. */
struct stack_memo {
	__u64 pc, sp, fp;
	__u32 space; /* its mappings: struct unwind_process */
	__u32 told;  /* the number of what it runs */
	__u32 chunk; /* its user half; 0: only pc and sp are known */
	__u32 bytes; /* of the stack, from sp on */
	__u16 count; /* frames */
	__u8 fp_used;
	__u16 at[MEMO_FRAMES]; /* as in struct user_stack */
	__u64 value[MEMO_FRAMES], below[MEMO_FRAMES];
};

#ifdef __TARGET_ARCH_x86

/* The stack of the current thread, into the room for its frames. */
static __always_inline bool memo_read(struct user_stack *s, __u64 sp, __u32 bytes)
{
	s->ip[MEMO_WORDS] = 0;
	return bytes <= MEMO_WORDS * sizeof(__u64) && unwind_read(s->ip, bytes, sp);
}

/* The current thread's registers are where they were the last time; else that is now. */
static __always_inline bool memo_begins(struct stack_memo *memo, const struct pt_regs *regs)
{
	if (memo->pc == regs->ip && memo->sp == regs->sp)
		return true;
	memo->pc = regs->ip;
	memo->sp = regs->sp;
	memo->chunk = 0;
	return false;
}

/* ... and all else is as it was. */
static __always_inline bool memo_holds(
	const struct stack_memo *memo, struct user_stack *s, const struct pt_regs *regs, __u32 pid)
{
	struct unwind_process *process = bpf_map_lookup_elem(&unwind_processes, &pid);
	__u64 differs = 0;

	if (!memo->chunk || !process || process->space != memo->space ||
		(memo->fp_used && memo->fp != regs->bp) || !memo_read(s, memo->sp, memo->bytes))
		return false;
	for (__u32 i = 0; i < MEMO_FRAMES && i < memo->count; i++) {
		__u32 at = memo->at[i];

		/* Without a branch, which the verifier would follow both ways each time. */
		differs |= s->ip[at & MEMO_WORDS] ^ memo->value[i];
		differs |= (s->ip[(at - 1) & MEMO_WORDS] ^ memo->below[i]) &
			   -(__u64)(at / MEMO_BELOW & 1);
	}
	return !differs;
}

/* Remember what has been walked; the frames are gone then. */
static __always_inline void memo_learn(struct stack_memo *memo, struct user_stack *s,
	const struct pt_regs *regs, __u32 told, __u32 chunk)
{
	__u64 bytes = s->sp - s->start;

	memo->chunk = 0;
	if (s->end != USER_STACK_COMPLETE || s->unsure || s->count > MEMO_FRAMES ||
		bytes > MEMO_WORDS * sizeof(__u64) || !memo_read(s, s->start, (__u32)bytes))
		return;
	memo->fp = regs->bp;
	memo->fp_used = s->fp_used;
	memo->space = s->space;
	memo->told = told;
	memo->bytes = (__u32)bytes;
	memo->count = (__u16)s->count;
	for (__u32 i = 0; i < MEMO_FRAMES && i < s->count; i++) {
		__u32 at = s->at[i];

		memo->at[i] = (__u16)at;
		memo->value[i] = s->ip[at & MEMO_WORDS];
		memo->below[i] = s->ip[(at - 1) & MEMO_WORDS];
	}
	memo->chunk = chunk;
}

#endif

#endif
