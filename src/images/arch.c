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

/* asm/perf_regs.h of arm64: x0..x29, lr, sp, pc: the columns themselves. The vector length, bit 46,
 * follows them. */
static const uint8_t aarch64_perf_columns[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};

/* The return address stays in its register. */
static const char aarch64_call_program[] = {
	0x0c, 31, 0, /* DW_CFA_def_cfa sp + 0 */
};

/* Only the first entry of a lazy PLT, 32 bytes long, uses the stack: its first instruction pushes
 * x16 and x30. Its last instruction only fills it up, if there is no landing pad before the
 * first. */
static const char aarch64_plt_program[] = {
	0x44,	       /* DW_CFA_advance_loc 4 */
	0x0e, 16,      /* DW_CFA_def_cfa_offset */
	(char)0x9e, 1, /* DW_CFA_offset x30 at CFA - 8 */
	0x58,	       /* DW_CFA_advance_loc 24 */
	0x0e, 0,       /* DW_CFA_def_cfa_offset */
	(char)0xde,    /* DW_CFA_restore x30 */
};

static const char aarch64_end_program[] = {
	0x07, 30, /* DW_CFA_undefined x30 */
};

/* nop; mov x0, x19: in glibc's makecontext, x19 points to the next context. */
static const char aarch64_context_end[] = {
	0x1f, 0x20, 0x03, (char)0xd5, (char)0xe0, 0x03, 0x13, (char)0xaa};

static const char aarch64_system_call[] = {0x01, 0x00, 0x00, (char)0xd4}; /* svc #0 */

static const char aarch64_landing_pad[] = {0x5f, 0x24, 0x03, (char)0xd5}; /* bti c */

/* mov x8, #139 (rt_sigreturn); svc #0: in the vdso, in musl and in bionic. */
static const char aarch64_signal_return[] = {
	0x68, 0x11, (char)0x80, (char)0xd2, 0x01, 0x00, 0x00, (char)0xd4};

static const struct arch archs[] = {
	{.name = "x86-64",
		.machine = EM_X86_64,
		.columns = 17,
		.stack_pointer = 7,
		.frame_pointer = 6,
		.return_address = 16,
		.link_register = 16,
		.base_pointer = 3,
		.call_pushes = true,
		.address_mask = UINT64_MAX,
		.preserved = 1u << 3 | 1u << 6 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 15,
		.call_program = {x86_64_call_program, sizeof(x86_64_call_program)},
		.data_align = -8,
		.plt_program = {x86_64_plt_program, sizeof(x86_64_plt_program)},
		.end_program = {x86_64_end_program, sizeof(x86_64_end_program)},
		.context_end = {x86_64_context_end, sizeof(x86_64_context_end)},
		.system_call = {x86_64_system_call, sizeof(x86_64_system_call)},
		.perf_columns = x86_64_perf_columns,
		.perf_registers = sizeof(x86_64_perf_columns)},
	/* Addresses of code have 48 bits: a process gets higher ones, on machines that have them,
	 * only if it asks mmap for them. A signal frame is struct rt_sigframe: siginfo (128 bytes),
	 * ucontext with its sigcontext at 176, in which the registers begin at 8 and the first of
	 * further records at 288; that is always FPSIMD_MAGIC's (asm/sigcontext.h). */
	{.name = "AArch64",
		.machine = EM_AARCH64,
		.columns = 33,
		.stack_pointer = 31,
		.frame_pointer = 29,
		.return_address = 32,
		.link_register = 30,
		.base_pointer = NONE,
		.frame_records = true,
		.signs_returns = true,
		.address_mask = ((uint64_t)1 << 48) - 1,
		.preserved = (uint64_t)0xfff << 19, /* x19..x30 */
		.call_program = {aarch64_call_program, sizeof(aarch64_call_program)},
		.data_align = -8,
		.plt_program = {aarch64_plt_program, sizeof(aarch64_plt_program)},
		.end_program = {aarch64_end_program, sizeof(aarch64_end_program)},
		.context_end = {aarch64_context_end, sizeof(aarch64_context_end)},
		.system_call = {aarch64_system_call, sizeof(aarch64_system_call)},
		.landing_pad = {aarch64_landing_pad, sizeof(aarch64_landing_pad)},
		.signal_return = {aarch64_signal_return, sizeof(aarch64_signal_return)},
		.signal_frame = {.registers = 312, .mark_at = 592, .mark = 0x46508001},
		.perf_columns = aarch64_perf_columns,
		.perf_registers = sizeof(aarch64_perf_columns)},
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
	if (bytes_equal(name, BYTES("x86_64")))
		return arch_of_machine(EM_X86_64);
	return bytes_equal(name, BYTES("aarch64")) ? arch_of_machine(EM_AARCH64) : NULL;
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
