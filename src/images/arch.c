/* arch.c: what differs between machines when stacks are walked. */
#include "images/arch.h"

#include <elf.h>

#define NONE ARCH_NO_COLUMN

/* asm/perf_regs.h: ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8..r15. */
static const uint8_t x86_64_perf_columns[] = {0, 3, 2, 1, 4, 5, 6, 7, 16, NONE, NONE, NONE, NONE,
	NONE, NONE, NONE, 8, 9, 10, 11, 12, 13, 14, 15};

static const char x86_64_call_program[] = {
	0x0c, 7, 8,    /* DW_CFA_def_cfa rsp + 8 */
	(char)0x90, 1, /* DW_CFA_offset rip at CFA - 8 */
};

/* Call frame rules for .plt as GNU ld emits them, used where a linker emitted none. In the first
 * entry, the index of the relocation has been pushed before the entry; the entry's first
 * instruction, 6 bytes long, pushes the link map. In the others, the CFA is rsp + 8 + ((rip & 15)
 * >= 11 ? 8 : 0): the second instruction, at offset 6 and 5 bytes long, pushes the index. */
static const char x86_64_plt_program[] = {
	0x0e, 16,      /* DW_CFA_def_cfa_offset */
	0x46,	       /* DW_CFA_advance_loc 6 */
	0x0e, 24,      /* DW_CFA_def_cfa_offset */
	0x4a,	       /* DW_CFA_advance_loc 10 */
	0x0f, 11,      /* DW_CFA_def_cfa_expression */
	0x77, 8,       /* DW_OP_breg7 (rsp) + 8 */
	(char)0x80, 0, /* DW_OP_breg16 (rip) + 0 */
	0x3f, 0x1a,    /* DW_OP_lit15, and */
	0x3b, 0x2a,    /* DW_OP_lit11, ge */
	0x33, 0x24,    /* DW_OP_lit3, shl */
	0x22,	       /* DW_OP_plus */
};

static const char x86_64_end_program[] = {
	0x07, 16, /* DW_CFA_undefined rip */
};

/* mov %rbx,%rsp: in glibc's makecontext, rbx points to the next context. */
static const char x86_64_context_end[] = {0x48, (char)0x89, (char)0xdc};

static const char x86_64_system_call[] = {0x0f, 0x05};

static const struct arch archs[] = {
	{.name = "x86-64",
		.machine = EM_X86_64,
		.columns = 17,
		.stack_pointer = 7,
		.frame_pointer = 6,
		.return_address = 16,
		.base_pointer = 3,
		.call_pushes = true,
		.preserved = 1u << 3 | 1u << 6 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 15,
		.call_program = {x86_64_call_program, sizeof(x86_64_call_program)},
		.data_align = -8,
		.plt_program = {x86_64_plt_program, sizeof(x86_64_plt_program)},
		.end_program = {x86_64_end_program, sizeof(x86_64_end_program)},
		.context_end = {x86_64_context_end, sizeof(x86_64_context_end)},
		.system_call = {x86_64_system_call, sizeof(x86_64_system_call)},
		.perf_columns = x86_64_perf_columns,
		.perf_registers = sizeof(x86_64_perf_columns)},
};

const struct arch *arch_of_machine(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(archs) / sizeof(*archs); i++) {
		if (archs[i].machine == machine)
			return &archs[i];
	}
	return NULL;
}

const struct arch *arch_by_name(struct bytes name)
{
	return bytes_equal(name, BYTES("x86_64")) ? arch_of_machine(EM_X86_64) : NULL;
}

const struct arch *arch_native(void)
{
#if defined(__x86_64__)
	return arch_of_machine(EM_X86_64);
#else
	return NULL;
#endif
}

void registers_from_perf(const struct arch *arch, uint64_t mask, const uint64_t *values,
	size_t count, struct registers *ret_registers)
{
	size_t used = 0;

	ret_registers->known = 0;
	for (unsigned bit = 0; bit < arch->perf_registers && used < count; bit++) {
		if (!(mask >> bit & 1))
			continue;
		if (arch->perf_columns[bit] != NONE)
			registers_set(ret_registers, arch->perf_columns[bit], values[used]);
		used++;
	}
}

uint64_t arch_perf_mask(const struct arch *arch)
{
	uint64_t mask = 0;

	for (unsigned bit = 0; bit < arch->perf_registers; bit++) {
		if (arch->perf_columns[bit] != NONE)
			mask |= (uint64_t)1 << bit;
	}
	return mask;
}
