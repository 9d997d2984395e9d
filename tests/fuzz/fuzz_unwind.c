/* fuzz_unwind.c: any registers, any stack, any rules: a walk ends, within the copy and the limits.
 *
 * 17 registers of 8 bytes, two bytes for the size of the stack copy, the copy, then .eh_frame. They
 * are walked as x86-64's, and as AArch64's, where several columns have the same value. */
#include "base/memory.h"
#include "images/unwind.h"
#include "support/small_elf.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>

#define REGISTERS 17		      /* those of x86-64 */
#define JIT_START ((uint64_t)0x30000) /* code without tables */
#define JIT_END	  ((uint64_t)0x40000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool look_up(void *context, uint64_t pc, struct unwind_code *ret_code)
{
	if (pc >= SMALL_ELF_CODE && pc < SMALL_ELF_CODE_END)
		*ret_code = (struct unwind_code){.start = SMALL_ELF_CODE,
			.end = SMALL_ELF_CODE_END,
			.cfi = context,
			.owner = context};
	else if (pc >= JIT_START && pc < JIT_END)
		*ret_code = (struct unwind_code){.start = JIT_START, .end = JIT_END};
	else
		return false;
	return true;
}

static void walk(
	struct cfi *cfi, const struct registers *registers, struct bytes stack, bool filled)
{
	static struct unwind_frame frames[UNWIND_FRAMES_LIMIT];
	struct unwind_input in = {.arch = cfi_arch(cfi),
		.registers = registers,
		.stack = {registers->value[cfi_arch(cfi)->stack_pointer], stack},
		.stack_filled = filled,
		.lookup = look_up,
		.context = cfi};
	size_t count;
	enum unwind_end end = unwind_stack(&in, frames, UNWIND_FRAMES_LIMIT, &count);

	if (end >= UNWIND_ENDS || !count || count > UNWIND_FRAMES_LIMIT)
		abort();
	/* The owner gets the addresses with a mapping, and no others. */
	for (size_t i = 0; i < count; i++) {
		struct unwind_code code;
		bool mapped = look_up(cfi, frames[i].address, &code);

		if (frames[i].owner != (mapped ? code.owner : NULL) || (!mapped && i + 1 < count))
			abort();
	}
}

/* Give each column of a machine one of the values: the columns with a meaning get those that mean
 * the same on x86-64. */
static struct registers registers_of(const struct arch *arch, const uint64_t *values)
{
	const struct arch *own = arch_of_machine(EM_X86_64);
	struct registers registers = {0};

	for (unsigned column = 0; column < arch->columns; column++)
		registers_set(&registers, column, values[column % REGISTERS]);
	registers_set(&registers, arch->stack_pointer, values[own->stack_pointer]);
	registers_set(&registers, arch->frame_pointer, values[own->frame_pointer]);
	registers_set(&registers, arch->return_address, values[own->return_address]);
	return registers;
}

static void walk_as(uint16_t machine, const uint64_t *values, struct bytes stack,
	struct bytes tables, bool filled)
{
	struct registers registers = registers_of(arch_of_machine(machine), values);
	struct buffer file = {0};
	struct error err = {0};
	struct image *image;
	struct cfi *cfi;

	small_elf(&file, tables, false, (struct bytes){0});
	memcpy(file.at + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof(machine));
	image = image_open_bytes(buffer_bytes(&file), "fuzz", &err);
	if (!image)
		abort();
	cfi = cfi_open(image);
	walk(cfi, &registers, stack, filled);
	cfi_release(cfi);
	image_release(image);
	buffer_release(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t values[REGISTERS];
	struct bytes stack, tables;
	size_t fixed = sizeof(values) + 2;

	if (size < fixed)
		return 0;
	memcpy(values, data, sizeof(values));
	stack.at = (const char *)data + fixed;
	stack.len = (size_t)data[fixed - 2] << 8 | data[fixed - 1];
	stack.len = stack.len < size - fixed ? stack.len : size - fixed;
	tables = (struct bytes){stack.at + stack.len, size - fixed - stack.len};
	walk_as(EM_X86_64, values, stack, tables, size & 1);
	walk_as(EM_AARCH64, values, stack, tables, size & 1);
	return 0;
}
