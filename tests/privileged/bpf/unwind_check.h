/* unwind_check.h: what unwind_check.bpf.c tells. */
#ifndef KILN_TESTS_UNWIND_CHECK_H
#define KILN_TESTS_UNWIND_CHECK_H

#include "bpf/shared/unwind.h"

#define TAKEN_PAGE  4096ull
#define TAKEN_PAGES 24
#define TAKEN_WORDS 21 /* of struct pt_regs */
#define TAKEN_SP    19
#define TAKEN_IP    16

#define WALK_STEP  100	/* ns */
#define WALK_STEPS 1024 /* a power of two */

struct taken {
	__u64 ns, pid_tgid, copied;
	__u64 regs[TAKEN_WORDS];
	struct user_stack stack;
	char bytes[TAKEN_PAGES * TAKEN_PAGE];
};

#endif
