/* unwind.h: walking a user stack with unwind tables.
 *
 * It does on the stack itself what images/unwind.c does on a copy of the stack. From frame to
 * frame:
 *
 *	1. Find the mapping that the frame's address is in: a binary search in the page of mappings
 *	   of the process (`unwind_spaces`, in two levels where there are more than 124 mappings).
 *	2. Find the rule for that address in the binary's table (`unwind_tables`, whose layout is
 *	   explained in bpf/shared/unwind.h): a word of the index, then a binary search in the rows
 *	   of 256 bytes of code. A cache of each CPU has the rules that were found lately.
 *	3. By the rule, compute the CFA (the caller's stack pointer) from the stack pointer or the
 *	   frame pointer, and read the return address and the saved frame pointer below it.
 *
 * Code without a table is walked by its frame pointer, if what that points to makes sense; such a
 * frame is a guess, and counted as one.
 *
 * Limits: of the registers, only the stack pointer, the frame pointer and the pc are followed (in
 * the frame where the thread entered the kernel, all registers are known), and where a frame needs
 * it, the base pointer (rbx). DWARF expressions are left to the recorder: the walk ends with
 * USER_STACK_BAD_RULE, and the stack is copied. An absent page ends the walk, as programs may not
 * wait for it (but see bpf/pages.h).
 *
 * The searches have no branches that depend on what is found: the verifier follows one path through
 * them instead of one for each answer. bpf_loop goes from frame to frame, and its callback is
 * verified once; the verifier takes minutes for a plain loop of so many iterations. */
#ifndef KILN_BPF_UNWIND_H
#define KILN_BPF_UNWIND_H

#include "bpf/core.h"
#include "bpf/shared/unwind.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_TABLES_MAX);
	__type(key, __u32);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_ARRAY);
			__uint(max_entries, 1);
			__uint(map_flags, BPF_F_INNER_MAP | BPF_F_MMAPABLE);
			__uint(key_size, sizeof(__u32));
			__uint(value_size, sizeof(union unwind_page));
		});
} unwind_tables SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct unwind_requests);
} unwind_requests SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UNWIND_SPACE_PAGES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct unwind_space_key);
	__type(value, struct unwind_space);
} unwind_spaces SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UNWIND_PROCESSES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32); /* pid, in the recorder's namespace */
	__type(value, struct unwind_process);
} unwind_processes SEC(".maps");

/* Rules that were found lately, on each CPU. A frame whose rule is cached takes one cache line of
 * memory instead of four; in programs that use much memory themselves none of the four is in the
 * CPU's cache. This halves the time of a walk through a compiler's stack. */
struct unwind_cache {
	struct unwind_cached_rule slots[UNWIND_CACHE_RULES];
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCH_MAX); /* the recorder sets it */
	__type(key, __u32);
	__type(value, struct unwind_cache);
} unwind_cache SEC(".maps");

static __always_inline bool unwind_read(void *to, __u32 size, __u64 address)
{
	return !bpf_probe_read_user(to, size, (const void *)address);
}

/* Read a word of the stack, and with it the block around it: the next words are mostly in the same
 * block, and each read is a call. A block lies in one page. */
static __always_inline bool unwind_word(struct user_stack *w, __u64 *to, __u64 address)
{
	__u64 at = address & -(__u64)sizeof(w->block);

	if (address % sizeof(*to))
		return unwind_read(to, sizeof(*to), address);
	if (at != w->block_at) {
		w->block_at = NO_BLOCK;
		if (!unwind_read(w->block, sizeof(w->block), at))
			return false;
		w->block_at = at;
	}
	*to = w->block[address / sizeof(*to) % STACK_BLOCK];
	return true;
}

#ifdef __TARGET_ARCH_x86

/* enum cfi_how, of images/cfi.h */
enum unwind_how {
	HOW_SAME,
	HOW_UNDEFINED,
	HOW_AT_CFA,
	HOW_CFA,
	HOW_REGISTER,
	HOW_AT_REGISTER,
	HOW_PLT,
};
#define COLUMN_BASE 3 /* rbx */
#define COLUMN_FP   6
#define COLUMN_SP   7

/* user_stack.base_at, when it is no address: */
#define BASE_LOST 0
#define BASE_LEAF 1 /* it is still in its register */

/* ---- Mappings ---- */

/* One step of a binary search without branches. The steps of a search add up to the last index, and
 * no step is larger than the sum of those after it by more than one, so that every index can be
 * reached. */
#define UNWIND_SEARCH(at, step, start)                                                             \
	do {                                                                                       \
		at += (step)&mask_below(start(at + (step)), address + 1);                          \
	} while (0)

/* Find the mapping of `address`, and set w->map to it. Unused entries start at ~0, which is above
 * all user addresses: these are below 2^62. (The test of the top bit is enough. To test for 2^62
 * would tell verifiers both values of each mask: they follow four times as many paths then.) */
static __noinline bool unwind_find_map(struct user_stack *w, __u64 address)
{
	struct unwind_space_key key = {.space = w->space};
	const struct unwind_space *space = bpf_map_lookup_elem(&unwind_spaces, &key);
	__u64 at = 0;

	if (!space || address >> 63)
		return false;
	if (space->leaves) {
#define START(i) (space->starts[i] & ~0ull >> 2)
		UNWIND_SEARCH(at, 240, START);
		UNWIND_SEARCH(at, 120, START);
		UNWIND_SEARCH(at, 60, START);
		UNWIND_SEARCH(at, 30, START);
		UNWIND_SEARCH(at, 15, START);
		UNWIND_SEARCH(at, 7, START);
		UNWIND_SEARCH(at, 4, START);
		UNWIND_SEARCH(at, 2, START);
		UNWIND_SEARCH(at, 1, START);
#undef START
		key.page = at + 1;
		space = bpf_map_lookup_elem(&unwind_spaces, &key);
		if (!space)
			return false;
		at = 0;
	}
#define START(i) (space->maps[i].start & ~0ull >> 2)
	UNWIND_SEARCH(at, 62, START);
	UNWIND_SEARCH(at, 31, START);
	UNWIND_SEARCH(at, 15, START);
	UNWIND_SEARCH(at, 8, START);
	UNWIND_SEARCH(at, 4, START);
	UNWIND_SEARCH(at, 2, START);
	UNWIND_SEARCH(at, 1, START);
#undef START
	w->map = space->maps[at];
	return address >= w->map.start && address < w->map.end;
}

/* ---- Rules ---- */

/* How many of the `count` rows from rows[first] on are at or below `row`? */
static __always_inline __u64 unwind_count_rows(
	const union unwind_page *page, __u32 first, __u64 count, __u64 row)
{
	__u64 at = 0;

#define STEP(step)                                                                                 \
	at += (step)&mask_below(at + (step)-1, count) &                                            \
	      mask_below(page->rows[(first + at + (step)-1) & (UNWIND_PAGE_ROWS - 1)], row + 1)
	if (count > 15) {
		STEP(256);
		STEP(128);
		STEP(64);
		STEP(32);
		STEP(16);
	}
	STEP(8);
	STEP(4);
	STEP(2);
	STEP(1);
#undef STEP
	return at;
}

/* Request a table from the recorder, which has not made it yet. */
static __always_inline void unwind_request(struct user_stack *w, __u32 table)
{
	__u32 zero = 0;
	struct unwind_requests *requests = bpf_map_lookup_elem(&unwind_requests, &zero);

	table &= UNWIND_TABLES_MAX - 1;
	w->needs_table = 1;
	if (!requests || requests->tables[table])
		return;
	requests->tables[table] = UNWIND_REQUESTED;
	w->new_request = 1;
}

/* The rule for `address`, which is in w->map; NULL: there is none. */
static __always_inline const struct unwind_rule *unwind_find_rule(
	struct user_stack *w, __u64 address)
{
	__u64 offset = address - w->map.base, part;
	__u32 table = w->map.table, page = 0, number;
	const union unwind_page *p;
	struct unwind_part found;
	void *pages;

	if (table == UNWIND_TABLE_NONE || table == UNWIND_TABLE_ABSENT)
		return NULL;
	pages = bpf_map_lookup_elem(&unwind_tables, &table);
	if (!pages) {
		unwind_request(w, table);
		return NULL;
	}
	p = bpf_map_lookup_elem(pages, &page);
	if (!p)
		return NULL;
	offset -= p->head.start;
	part = offset >> UNWIND_PART_BITS;
	if (part >= p->head.parts)
		return NULL;
	page = p->head.index + part / UNWIND_PAGE_PARTS;
	p = bpf_map_lookup_elem(pages, &page);
	if (!p)
		return NULL;
	found = p->parts[part % UNWIND_PAGE_PARTS];
	number = found.rule;
	if (found.count) {
		__u64 at;

		page = found.row / UNWIND_PAGE_ROWS;
		p = bpf_map_lookup_elem(pages, &page);
		if (!p)
			return NULL;
		at = unwind_count_rows(p, found.row, found.count, (offset & 0xffff) << 16 | 0xffff);
		if (at)
			number = p->rows[(found.row + at - 1) % UNWIND_PAGE_ROWS] & 0xffff;
	}
	if (!number)
		return NULL;
	page = number / UNWIND_PAGE_RULES;
	p = bpf_map_lookup_elem(pages, &page);
	return p ? &p->rules[number % UNWIND_PAGE_RULES] : NULL;
}

/* ---- From a frame to its caller: true if there is one, else w->end is set ---- */

static __always_inline bool end_walk(struct user_stack *w, enum user_stack_end end)
{
	w->end = end;
	return false;
}

/* End the walk, as the word at `address` could not be read: within the usual size of a stack its
 * page is absent, else the address is wrong. */
static __always_inline bool unwind_unreadable(struct user_stack *w, __u64 address)
{
	w->absent = address;
	return end_walk(w, address - w->sp < 1ull << 30 ? USER_STACK_PAGE : USER_STACK_BAD_FRAME);
}

/* For memo.h: the walk depends on the value of the frame pointer. */
static __always_inline void unwind_note_pointer(struct user_stack *w)
{
	if (w->fp_from < MEMO_FRAMES)
		w->at[w->fp_from & (MEMO_FRAMES - 1)] |= MEMO_BELOW;
	else if (w->fp_from == FP_REGISTER)
		w->fp_used = 1;
	else
		w->unsure = 1;
}

/* For memo.h: the return address of frame `i` is where most have it, just below the CFA. */
static __always_inline void unwind_note_frame(struct user_stack *w, __u32 i, __u64 cfa)
{
	__u64 at = (cfa - w->start) / sizeof(__u64) - 1;

	if (i >= MEMO_FRAMES || at >= MEMO_WORDS)
		w->unsure = 1;
	else
		w->at[i] = (__u16)at;
}

/* A register of the thread when it entered the kernel. struct pt_regs has r15 r14 r13 r12 rbp rbx
 * r11 r10 r9 r8 rax rcx rdx rsi rdi, one word each; columns are rax rdx rcx rbx rsi rdi rbp rsp r8
 * to r15. */
static __noinline bool unwind_leaf_register(__u64 column, __u64 *ret_value)
{
	const __u64 places = 0x0123678904ed5bcaull; /* of each column, 4 bits */
	const char *regs = (const char *)bpf_task_pt_regs(bpf_get_current_task_btf());

	return column < 16 && column != COLUMN_SP &&
	       !bpf_probe_read_kernel(ret_value, sizeof(*ret_value),
		       regs + (places >> column * 4 & 15) * sizeof(__u64));
}

static __always_inline bool unwind_register(
	const struct user_stack *w, __u8 column, __u64 *ret_value)
{
	if (column == COLUMN_SP)
		*ret_value = w->sp;
	else if (column == COLUMN_FP && w->fp_known)
		*ret_value = w->fp;
	else if (column == COLUMN_BASE && w->base_at > BASE_LEAF)
		return unwind_read(ret_value, sizeof(*ret_value), w->base_at);
	else
		return (w->leaf || (column == COLUMN_BASE && w->base_at == BASE_LEAF)) &&
		       unwind_leaf_register(column, ret_value);
	return true;
}

static __always_inline bool unwind_cfa(
	struct user_stack *w, const struct unwind_rule *rule, __u64 *ret_cfa)
{
	__u64 cfa;

	if ((rule->cfa_how != HOW_REGISTER && rule->cfa_how != HOW_AT_REGISTER &&
		    rule->cfa_how != HOW_PLT) ||
		!unwind_register(w, rule->cfa_base, &cfa))
		return end_walk(w, USER_STACK_BAD_RULE);
	if (rule->cfa_base == COLUMN_FP)
		unwind_note_pointer(w);
	else
		w->unsure |= rule->cfa_base != COLUMN_SP;
	cfa += rule->cfa_offset;
	if (rule->cfa_how == HOW_AT_REGISTER) {
		w->unsure = 1;
		__u64 at = cfa;

		if (!unwind_read(&cfa, sizeof(cfa), at))
			return unwind_unreadable(w, at);
		cfa += rule->cfa_after;
	} else if (rule->cfa_how == HOW_PLT && (w->pc & 15) >= (__u64)rule->cfa_after) {
		cfa += sizeof(cfa);
	}
	*ret_cfa = cfa;
	return true;
}

/* The caller's pc, by a rule that is not `usual`. */
static __always_inline bool unwind_return(
	struct user_stack *w, const struct unwind_rule *rule, __u64 cfa, __u64 *ret_pc)
{
	__u64 at = cfa;

	if (rule->ra_how == HOW_UNDEFINED)
		return end_walk(w, USER_STACK_COMPLETE);
	if (rule->ra_how == HOW_REGISTER || rule->ra_how == HOW_AT_REGISTER) {
		if (!unwind_register(w, rule->ra_base, &at))
			return end_walk(w, USER_STACK_BAD_RULE);
	} else if (rule->ra_how != HOW_AT_CFA) {
		return end_walk(w, USER_STACK_BAD_RULE);
	}
	at += rule->ra_offset;
	*ret_pc = at;
	return rule->ra_how == HOW_REGISTER || unwind_word(w, ret_pc, at) ||
	       unwind_unreadable(w, at);
}

/* The caller's frame pointer. A slot below the stack pointer has been popped already, which
 * compilers do not describe for each instruction of an epilogue: the register has the caller's
 * value again. The same holds for the slot of a realigned frame, "at the frame pointer, less 8",
 * when that is in the caller's frame: see images/unwind.c. */
static __always_inline void unwind_frame_pointer(
	struct user_stack *w, const struct unwind_rule *rule, __u64 cfa)
{
	__u64 at = cfa;

	if (rule->fp_how == HOW_SAME)
		return;
	w->fp_from = FP_ELSEWHERE;
	if (rule->fp_how == HOW_REGISTER || rule->fp_how == HOW_AT_REGISTER) {
		w->fp_known = unwind_register(w, rule->fp_base, &at);
		if (!w->fp_known)
			return;
	} else if (rule->fp_how != HOW_AT_CFA && rule->fp_how != HOW_CFA) {
		w->fp_known = 0;
		return;
	}
	at += rule->fp_offset;
	if (rule->fp_how == HOW_REGISTER || rule->fp_how == HOW_CFA) {
		w->fp = at;
		w->fp_known = 1;
		return;
	}
	if (w->fp_known && !rule->signal &&
		(at < w->sp || (rule->fp_how == HOW_AT_REGISTER && at >= cfa)))
		return;
	w->fp_known = unwind_word(w, &w->fp, at);
}

/* The base pointer: only note where it was saved. It is read when a frame is found by it, which is
 * rare. */
static __always_inline void unwind_base_pointer(
	struct user_stack *w, const struct unwind_rule *rule, __u64 cfa)
{
	if (rule->base_how == HOW_UNDEFINED)
		w->base_at = BASE_LOST;
	else if (rule->base_how == HOW_AT_CFA &&
		 (cfa + rule->base_offset >= w->sp || w->base_at == BASE_LOST))
		w->base_at = cfa + rule->base_offset;
}

/* To the caller, by a rule. Most functions save the frame pointer just below the return address. */
static __always_inline bool unwind_by_rule(
	struct user_stack *w, const struct unwind_rule *rule, __u32 i)
{
	__u64 cfa, saved[2];

	if (!unwind_cfa(w, rule, &cfa))
		return false;
	unwind_note_frame(w, i, cfa);
	if (rule->usual && cfa - sizeof(saved) >= w->sp) {
		if (!unwind_word(w, &saved[0], cfa - 16) || !unwind_word(w, &saved[1], cfa - 8))
			return unwind_unreadable(w, cfa - sizeof(saved));
		w->fp = saved[0];
		w->fp_known = 1;
		w->fp_from = (__u16)i;
	} else {
		w->unsure |=
			rule->signal | (rule->ra_how != HOW_UNDEFINED &&
					       (rule->ra_how != HOW_AT_CFA ||
						       rule->ra_offset != -(int)sizeof(__u64)));
		if (!unwind_return(w, rule, cfa, &saved[1]))
			return false;
		unwind_frame_pointer(w, rule, cfa);
	}
	/* Callers are at higher addresses, but not the frame that a signal interrupted. */
	if (!rule->signal && (cfa < w->sp || (cfa == w->sp && saved[1] == w->pc)))
		return end_walk(w, USER_STACK_BAD_FRAME);
	unwind_base_pointer(w, rule, cfa);
	w->sp = cfa;
	w->pc = saved[1];
	return w->pc || end_walk(w, USER_STACK_COMPLETE);
}

/* To the caller of code without a table: the frame pointer points to the saved frame pointer, and
 * the return address is above that. Whether that is code shows when its mapping is searched. */
static __always_inline bool unwind_by_pointer(struct user_stack *w, __u32 i)
{
	__u64 saved[2];

	if (!w->fp_known)
		return end_walk(w, USER_STACK_NO_TABLE);
	unwind_note_pointer(w);
	if (!w->fp)
		return end_walk(w, USER_STACK_COMPLETE);
	if (w->fp < w->sp || w->fp % sizeof(*saved) || !unwind_read(saved, sizeof(saved), w->fp))
		return end_walk(w, USER_STACK_NO_TABLE);
	if (!saved[1])
		return end_walk(w, USER_STACK_COMPLETE);
	unwind_note_frame(w, i, w->fp + sizeof(saved));
	w->fp_from = (__u16)i;
	unwind_note_pointer(w);
	w->fp_not_rising = saved[0] && saved[0] <= w->fp;
	w->base_at = BASE_LOST;
	w->sp = w->fp + sizeof(saved);
	w->fp = saved[0];
	w->pc = saved[1];
	return true;
}

struct unwind_walk {
	struct user_stack *stack;
	struct unwind_cache *cache;
};

/* The rule of a frame whose rule is not cached; NULL: it has none. False: the walk ends here, as
 * the frame was a wrong guess, or its code or table is not known. */
static __always_inline bool unwind_rule_of(struct user_stack *w, struct unwind_cached_rule *cached,
	__u64 address, const struct unwind_rule **ret_rule)
{
	bool mapped =
		address - w->map.start < w->map.end - w->map.start || unwind_find_map(w, address);

	/* A caller with tables may use the register for anything: only for code without tables does
	 * a saved frame pointer have to be above the last. */
	if (w->guessed && (!mapped || (w->fp_not_rising && w->map.table == UNWIND_TABLE_NONE))) {
		w->count--;
		return end_walk(w, USER_STACK_NO_TABLE);
	}
	if (!mapped)
		return end_walk(w, USER_STACK_NO_MAPPING);
	*ret_rule = unwind_find_rule(w, address);
	if (w->needs_table)
		return end_walk(w, USER_STACK_NO_TABLE);
	if (!*ret_rule)
		return true;
	cached->rule = **ret_rule;
	cached->space = w->space;
	cached->address = address;
	return true;
}

/* One frame: its address, and on to its caller. */
static long unwind_step(__u32 i, void *context)
{
	const struct unwind_walk *walk = context;
	struct user_stack *w = walk->stack;
	__u64 address = w->pc - !w->exact;
	struct unwind_cached_rule *cached =
		&walk->cache->slots[(address ^ w->space) * 0x9E3779B97F4A7C15ull >> 56];
	const struct unwind_rule *rule = &cached->rule;

	i &= USER_FRAMES_MAX - 1;
	w->ip[i] = address;
	w->count = i + 1;
	w->at[i & (MEMO_FRAMES - 1)] = MEMO_WORDS;
	if ((cached->address != address || cached->space != w->space) &&
		!unwind_rule_of(w, cached, address, &rule))
		return 1;
	w->guesses += w->guessed;
	w->guessed = !rule;
	if (!rule) {
		w->exact = 0;
		w->leaf = 0;
		return !unwind_by_pointer(w, i);
	}
	/* A signal's trampoline is not called: the handler returns to its first instruction, so
	 * that the address is exact. */
	w->ip[i] += rule->signal && !w->exact;
	if (!unwind_by_rule(w, rule, i))
		return 1;
	w->exact = rule->signal;
	w->leaf = 0;
	return 0;
}

/* ---- The current thread ---- */

#define CODE_64_BIT 0x33 /* __USER_CS */

/* The frames of the current thread in user space. `scratch`: the number of a scratch area, whose
 * cache nobody else uses on this CPU until this returns; `pid`: the key of its process in
 * unwind_processes. */
static __always_inline void user_stack_take(struct user_stack *s, __u32 scratch, __u32 pid)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct unwind_walk walk = {
		.stack = s, .cache = bpf_map_lookup_elem(&unwind_cache, &scratch)};
	struct unwind_process *process;

	s->count = 0;
	s->space = 0;
	s->guesses = 0;
	s->needs_table = s->new_request = 0;
	s->end = USER_STACK_NO_REGISTERS;
	if (task->flags & TASK_KERNEL_THREAD || !task->mm || !walk.cache)
		return;
	s->end = USER_STACK_FOREIGN;
	if (regs->cs != CODE_64_BIT)
		return;
	s->pc = regs->ip;
	s->sp = s->start = regs->sp;
	s->fp = regs->bp;
	process = bpf_map_lookup_elem(&unwind_processes, &pid);
	if (process)
		s->space = process->space;
	if (!s->space) {
		s->ip[0] = s->pc;
		s->count = 1;
		s->end = USER_STACK_NO_TABLE;
		return;
	}
	s->map.start = s->map.end = 0;
	s->block_at = NO_BLOCK;
	s->exact = s->leaf = s->fp_known = 1;
	s->guessed = s->fp_not_rising = 0;
	s->unsure = s->fp_used = 0;
	s->fp_from = FP_REGISTER;
	s->base_at = BASE_LEAF;
	s->end = USER_STACK_DEPTH;
	bpf_loop(USER_FRAMES_MAX, unwind_step, &walk, 0);
}

#endif

/* ---- New processes and programs, until the recorder has read of them in its rings ---- */

/* A child begins with its parent's mappings. */
static __always_inline void unwind_forked(__u32 parent, __u32 child)
{
	struct unwind_process *known = bpf_map_lookup_elem(&unwind_processes, &parent);
	struct unwind_process process;

	if (!known || parent == child)
		return;
	process = *known;
	bpf_map_update_elem(&unwind_processes, &child, &process, BPF_ANY);
}

/* Reset what is known of a process at exec: mappings of the old program, which the recorder may
 * still add, are older than `since`. */
static __always_inline void unwind_executed(__u32 pid)
{
	struct unwind_process process = {.since = bpf_ktime_get_ns()};

	if (bpf_map_lookup_elem(&unwind_processes, &pid))
		bpf_map_update_elem(&unwind_processes, &pid, &process, BPF_ANY);
}

#endif
