/* arch.h: what differs between machines when stacks are walked.
 *
 * To add a machine, add a row in arch.c. Column numbers are those of its DWARF register mapping
 * (x86-64: System V ABI AMD64 supplement, figure 3.36; AArch64: DWARF for the Arm 64-bit
 * Architecture, "DWARF register names"). */
#ifndef KILN_IMAGES_ARCH_H
#define KILN_IMAGES_ARCH_H

#include "base/bytes.h"

#define ARCH_COLUMNS_LIMIT 33 /* registers that a rule can refer to; aarch64: x0..x30, sp, pc */

/* What the kernel puts on the stack for a signal handler: the interrupted registers of all columns,
 * one word each in the order of the columns, and a word by which the frame is recognised where the
 * code that the handler returns to cannot be read. Offsets are bytes from the stack pointer of that
 * code. */
struct arch_signal_frame {
	uint16_t registers, mark_at;
	uint32_t mark; /* 0: call frame information describes signal frames */
};

struct arch {
	const char *name;
	uint16_t machine; /* EM_* */
	uint8_t columns;  /* registers below this number are tracked */
	uint8_t stack_pointer, frame_pointer;
	uint8_t return_address; /* the pc, of a frame or, in rules, of its caller */
	/* Where a call leaves the return address. If a call pushes it: the column of the return
	 * address itself. */
	uint8_t link_register;
	/* A preserved register through which some code finds its frame, as the dynamic linker
	 * does with rbx; or ARCH_NO_COLUMN. */
	uint8_t base_pointer;
	/* A call pushes the return address, so every frame is at least one word long. */
	bool call_pushes;
	/* The frame pointer points to a pair of words: the caller's frame pointer and the return
	 * address. The pair may lie anywhere in its frame, so it does not tell the CFA. */
	bool frame_records;
	/* Return addresses may be signed: code that signs them saves them with a signature in the
	 * bits that are not in address_mask, and its rules say where (pointer authentication). */
	bool signs_returns;
	uint64_t address_mask; /* bits of an address of code */
	uint64_t preserved;    /* mask: registers that a function preserves by default */
	/* Call frame instructions: for the first instruction of a function; for a lazy PLT; for
	 * a place without a caller. */
	struct bytes call_program, plt_program, end_program;
	struct bytes system_call; /* the instruction */
	/* The first instruction of code to which indirect jumps are allowed, of a PLT too. */
	struct bytes landing_pad;
	/* The instructions of the code to which a signal handler returns, if no call frame
	 * information describes it, and what it finds on the stack. */
	struct bytes signal_return;
	struct arch_signal_frame signal_frame;
	struct bytes context_end; /* first bytes of the code to which functions started by
			       makecontext return */
	int8_t data_align; /* data alignment factor of these programs; the code alignment factor is
	  1 */
	const uint8_t *perf_columns; /* bit of PERF_SAMPLE_REGS_USER -> column; ARCH_NO_COLUMN */
	uint8_t perf_registers;	     /* bits in perf_columns */
};

#define ARCH_NO_COLUMN 0xFF

/* NULL: on this machine stacks are walked by frame pointers only. */
const struct arch *arch_of_machine(uint16_t machine);
/* The machine that uname -m calls `name`, such as "x86_64"; NULL as above. */
const struct arch *arch_by_name(struct bytes name);
/* The machine that this program was built for; NULL as above. */
const struct arch *arch_native(void);

/* The registers of one frame, by column. The frame's program counter is in the column of the
 * return address. */
struct registers {
	uint64_t value[ARCH_COLUMNS_LIMIT];
	uint64_t known; /* mask of columns whose value is known */
};

static inline void registers_set(struct registers *r, unsigned column, uint64_t value)
{
	r->value[column] = value;
	r->known |= (uint64_t)1 << column;
}

static inline bool registers_has(const struct registers *r, unsigned column)
{
	return column < ARCH_COLUMNS_LIMIT && (r->known >> column & 1);
}

/* Take the values that follow the abi word of PERF_SAMPLE_REGS_USER: one for every bit set in
 * `mask` (the event's sample_regs_user), lowest bit first; there are `count`. */
void registers_from_perf(const struct arch *arch, uint64_t mask, const uint64_t *values,
	size_t count, struct registers *ret_registers);

/* The sample_regs_user mask with everything that the unwinder can use. */
uint64_t arch_perf_mask(const struct arch *arch);

#endif
