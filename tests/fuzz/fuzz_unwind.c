/* fuzz_unwind.c: any registers, any stack, any rules: a walk ends, within the copy and the limits.
 *
 * 17 registers of 8 bytes, two bytes for the size of the stack copy, the copy, then .eh_frame. */
#include "base/memory.h"
#include "images/unwind.h"
#include "support/small_elf.h"

#include <stdlib.h>

#define REGISTERS 17
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct registers registers = {0};
	struct buffer file = {0};
	struct error err = {0};
	struct bytes stack, tables;
	struct image *image;
	struct cfi *cfi;
	size_t fixed = REGISTERS * 8 + 2;

	if (size < fixed)
		return 0;
	for (unsigned i = 0; i < REGISTERS; i++) {
		uint64_t value;

		memcpy(&value, data + i * 8, 8);
		registers_set(&registers, i, value);
	}
	stack.at = (const char *)data + fixed;
	stack.len = (size_t)data[fixed - 2] << 8 | data[fixed - 1];
	stack.len = stack.len < size - fixed ? stack.len : size - fixed;
	tables = (struct bytes){stack.at + stack.len, size - fixed - stack.len};
	small_elf(&file, tables, false, (struct bytes){0});
	image = image_open_bytes(buffer_bytes(&file), "fuzz", &err);
	if (!image)
		abort();
	cfi = cfi_open(image);
	walk(cfi, &registers, stack, size & 1);
	cfi_release(cfi);
	image_release(image);
	buffer_release(&file);
	return 0;
}
