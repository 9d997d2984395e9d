/* memo.h: memoised walks: has a thread the same user stack as the last time?
 *
 * A thread that waits in a loop has the same stack each time. The result of a walk depends only on
 * the registers, the tables, the mappings, and the few words of the stack that the walk has read:
 * for each frame its return address, and sometimes the saved frame pointer below it. A walk notes
 * where these words are (user_stack.at). After it, the memo keeps their values, with the registers
 * and the number of the chunk that the stack got. The next time, the whole stack up to the last
 * such word is read at once and these words are compared: where all are equal, the stack is the
 * same, and has the same chunk. This takes less than half the time of a walk.
 *
 * A walk that depended on more than such words (`unsure`), that was cut off, or that is too long
 * is not kept. Kernel frames are not memoised: each system call has them elsewhere. */
#ifndef KILN_BPF_MEMO_H
#define KILN_BPF_MEMO_H

#include "bpf/unwind.h"

/* Of a thread; all zeroes: empty. */
struct stack_memo {
	__u64 pc, sp, fp;
	__u32 mappings; /* struct unwind_process: space */
	__u32 space;	/* id of its event_space */
	__u32 chunk;	/* its user half; 0: only pc and sp are known */
	__u32 bytes;	/* of the stack, from sp on, that the words are in */
	__u16 count;	/* frames */
	__u8 fp_used;
	__u16 at[MEMO_FRAMES]; /* as in struct user_stack */
	__u64 value[MEMO_FRAMES], below[MEMO_FRAMES];
};

#ifdef __TARGET_ARCH_x86

/* Read the stack of the current thread into the array for its frames. */
static __always_inline bool memo_read(struct user_stack *s, __u64 sp, __u32 bytes)
{
	s->ip[MEMO_WORDS] = 0;
	return bytes <= MEMO_WORDS * sizeof(__u64) && unwind_read(s->ip, bytes, sp);
}

/* Are the current thread's registers those of the last time? Else remember them. */
static __always_inline bool memo_begin(struct stack_memo *memo, const struct pt_regs *regs)
{
	if (memo->pc == regs->ip && memo->sp == regs->sp)
		return true;
	memo->pc = regs->ip;
	memo->sp = regs->sp;
	memo->chunk = 0;
	return false;
}

/* After memo_begin: is all else that the walk depends on as it was? */
static __always_inline bool memo_holds(
	const struct stack_memo *memo, struct user_stack *s, const struct pt_regs *regs, __u32 pid)
{
	struct unwind_process *process = bpf_map_lookup_elem(&unwind_processes, &pid);
	__u64 differs = 0;

	if (!memo->chunk || !process || process->space != memo->mappings ||
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

/* Remember a walk that has just been done; the frames in `s` are overwritten. */
static __always_inline void memo_learn(struct stack_memo *memo, struct user_stack *s,
	const struct pt_regs *regs, __u32 space, __u32 chunk)
{
	__u64 bytes = s->sp - s->start;

	memo->chunk = 0;
	if (s->end != USER_STACK_COMPLETE || s->unsure || s->count > MEMO_FRAMES ||
		bytes > MEMO_WORDS * sizeof(__u64) || !memo_read(s, s->start, (__u32)bytes))
		return;
	memo->fp = regs->bp;
	memo->fp_used = s->fp_used;
	memo->mappings = s->space;
	memo->space = space;
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
