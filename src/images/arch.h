/* arch.h: what differs between machines when stacks are walked.
 *
 * Adding a machine is one more row in arch.c. Column numbers are those of its DWARF register
 * mapping (x86-64: System V ABI AMD64 supplement, figure 3.36). */
#ifndef KILN_IMAGES_ARCH_H
#define KILN_IMAGES_ARCH_H

#include "base/bytes.h"

#define ARCH_COLUMNS_LIMIT 33 /* registers a rule can speak of; aarch64 has x0..x30 and sp */

struct arch {
	const char *name;
	uint16_t machine; /* EM_* */
	uint8_t columns;  /* registers below this number are followed */
	uint8_t stack_pointer, frame_pointer, return_address;
	/* A preserved register that some code finds its frame by, as the dynamic linker does with
	 * rbx; or ARCH_NO_COLUMN. */
	uint8_t base_pointer;
	/* A call stores the return address on the stack, so every frame is at least a word long. */
	bool call_pushes;
	uint64_t preserved; /* mask: what a function hands back as it was, unless told otherwise */
	/* Call frame instructions: at the first instruction of a function; of a lazy PLT; where
	 * there is no caller. */
	struct bytes call_program, plt_program, end_program;
	struct bytes system_call;    /* the instruction */
	struct bytes context_end;    /* begins what functions of makecontext return to */
	int8_t data_align;	     /* of these programs; their code is aligned to 1 */
	const uint8_t *perf_columns; /* bit of PERF_SAMPLE_REGS_USER -> column; ARCH_NO_COLUMN */
	uint8_t perf_registers;	     /* bits in perf_columns */
};

#define ARCH_NO_COLUMN 0xFF

/* NULL when stacks of this machine can be walked by frame pointers at most. */
const struct arch *arch_of_machine(uint16_t machine);
/* By the kernel's name, as uname -m prints it: "x86_64"; NULL as above. */
const struct arch *arch_by_name(struct bytes name);
/* The machine that this program was built for; NULL as above. */
const struct arch *arch_native(void);

/* The registers of one frame, by column. The program counter of a frame is in the column of the
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

static inline bool registers_know(const struct registers *r, unsigned column)
{
	return column < ARCH_COLUMNS_LIMIT && (r->known >> column & 1);
}

/* From the values that follow a sample's PERF_SAMPLE_REGS_USER abi word: one for every bit set in
 * `mask` (the event's sample_regs_user), lowest bit first; `count` of them are there. */
void registers_from_perf(const struct arch *arch, uint64_t mask, const uint64_t *values,
	size_t count, struct registers *ret_registers);

/* The sample_regs_user mask that asks for everything the unwinder can use. */
uint64_t arch_perf_mask(const struct arch *arch);

#endif
