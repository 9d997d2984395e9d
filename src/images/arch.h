/* arch.h: what differs between machines when stacks are walked.
 *
 * To add a machine, add a row in arch.c. Column numbers are those of its DWARF register mapping
 * (x86-64: System V ABI AMD64 supplement, figure 3.36). */
#ifndef KILN_IMAGES_ARCH_H
#define KILN_IMAGES_ARCH_H

#include "base/bytes.h"

#define ARCH_COLUMNS_LIMIT 33 /* registers that a rule can refer to; aarch64 has x0..x30 and sp */

struct arch {
	const char *name;
	uint16_t machine; /* EM_* */
	uint8_t columns;  /* registers below this number are tracked */
	uint8_t stack_pointer, frame_pointer, return_address;
	/* A preserved register through which some code finds its frame, as the dynamic linker
	 * does with rbx; or ARCH_NO_COLUMN. */
	uint8_t base_pointer;
	/* A call pushes the return address, so every frame is at least one word long. */
	bool call_pushes;
	uint64_t preserved; /* mask: registers that a function preserves by default */
	/* Call frame instructions: for the first instruction of a function; for a lazy PLT; for
	 * a place without a caller. */
	struct bytes call_program, plt_program, end_program;
	struct bytes system_call; /* the instruction */
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
