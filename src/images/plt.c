/* plt.c: which function do the stubs of a procedure linkage table call?
 *
 * First the slots: every relocation in .rela.plt says which address of the global offset table
 * gets which symbol. Then the stubs of each section are decoded: a jump through a slot, or a
 * push of the slot's index in front of the dynamic linker's code. No layout has to be known but
 * the size of a stub on x86-64; on AArch64, a stub ends with its jump. */
#include "images/plt.h"

#include "base/search.h"

#include <elf.h>
#include <stdlib.h>

/* A slot of the global offset table that has a relocation. */
struct slot {
	uint64_t address;
	uint32_t symbol;
	uint64_t resolver;
};

struct slots {
	VECTOR(struct slot) by_address;
	VECTOR(struct slot) by_index; /* in the order of .rela.plt: lazy stubs push this index */
};

static int slot_compare(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

#ifndef R_AARCH64_IRELATIVE /* musl's elf.h */
#define R_AARCH64_IRELATIVE 1032
#endif

/* The relocations that fill slots. */
struct slot_types {
	uint32_t jump, data, resolver;
};

static struct slot_types slot_types_of(uint16_t machine)
{
	return machine == EM_AARCH64 ? (struct slot_types){R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT,
					       R_AARCH64_IRELATIVE}
				     : (struct slot_types){R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT,
					       R_X86_64_IRELATIVE};
}

static void slots_add(struct slots *slots, const struct slot_types *types,
	const struct image_section *section, bool indexed)
{
	size_t count = section ? section->content.len / sizeof(Elf64_Rela) : 0;

	for (size_t i = 0; i < count; i++) {
		Elf64_Rela relocation;
		struct slot slot;
		uint32_t type;

		memcpy(&relocation, section->content.at + i * sizeof(relocation),
			sizeof(relocation));
		type = ELF64_R_TYPE(relocation.r_info);
		slot = (struct slot){
			relocation.r_offset, (uint32_t)ELF64_R_SYM(relocation.r_info), 0};
		if (type == types->resolver)
			slot = (struct slot){relocation.r_offset, 0, (uint64_t)relocation.r_addend};
		else if (type != types->jump && type != types->data)
			slot.symbol = 0;
		if (indexed)
			vector_push(&slots->by_index, slot);
		if (slot.symbol || slot.resolver)
			vector_push(&slots->by_address, slot);
	}
}

static const struct slot *slots_find(const struct slots *slots, uint64_t address)
{
	struct slot key = {.address = address};

	return slots->by_address.len ? bsearch(&key, slots->by_address.items, slots->by_address.len,
					       sizeof(key), slot_compare)
				     : NULL;
}

/* jmp *displacement(%rip), possibly behind endbr64 and a bnd prefix; or push $index, by which
 * the dynamic linker finds the slot. */
static const struct slot *slot_of_stub(
	const struct slots *slots, struct bytes code, uint64_t address)
{
	for (size_t i = 0; i + 6 <= code.len; i++) {
		int32_t displacement;

		if (memcmp(code.at + i, "\xff\x25", 2) != 0)
			continue;
		memcpy(&displacement, code.at + i + 2, sizeof(displacement));
		return slots_find(slots, address + i + 6 + (uint64_t)(int64_t)displacement);
	}
	for (size_t i = 0; i + 5 <= code.len && i <= 4; i += 4) {
		uint32_t index;

		if (code.at[i] != 0x68)
			continue;
		memcpy(&index, code.at + i + 1, sizeof(index));
		return index < slots->by_index.len ? &slots->by_index.items[index] : NULL;
	}
	return NULL;
}

/* ---- AArch64 ---- */

#define INSTRUCTION 4u	       /* bytes */
#define STUB_LIMIT  4u	       /* instructions from the address of a slot to the jump */
#define BRANCH	    0xd61f0220 /* br x17 */
#define LANDING_PAD 0xd503245f /* bti c */

static uint32_t instruction_at(struct bytes code, size_t at)
{
	uint32_t instruction = 0;

	if (at + INSTRUCTION <= code.len)
		memcpy(&instruction, code.at + at, INSTRUCTION);
	return instruction;
}

/* adrp x16, page; ldr x17, [x16, #offset]: the address of the slot that is loaded. */
static bool slot_address(struct bytes code, size_t at, uint64_t address, uint64_t *ret_slot)
{
	uint32_t page = instruction_at(code, at), load = instruction_at(code, at + INSTRUCTION);
	uint64_t pages;

	if ((page & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211)
		return false;
	pages = (uint64_t)(page >> 5 & 0x7ffff) << 2 | (page >> 29 & 3);
	pages = (pages ^ 0x100000) - 0x100000; /* a signed number of 21 bits */
	*ret_slot = ((address + at) & ~(uint64_t)0xfff) + (pages << 12) +
		    (uint64_t)(load >> 10 & 0xfff) * 8;
	return true;
}

/* A stub begins where the slot's address is computed, or with a landing pad before that, and ends
 * with its jump. */
static void add_stubs_aarch64(
	struct plt *plt, const struct slots *slots, const struct image_section *section)
{
	struct bytes code = section ? section->content : (struct bytes){0};

	for (size_t at = 0; at + INSTRUCTION <= code.len; at += INSTRUCTION) {
		const struct slot *slot;
		uint64_t address, start, end = at;

		if (!slot_address(code, at, section->address, &address))
			continue;
		slot = slots_find(slots, address);
		while (end < at + STUB_LIMIT * INSTRUCTION && instruction_at(code, end) != BRANCH)
			end += INSTRUCTION;
		start = at >= INSTRUCTION && instruction_at(code, at - INSTRUCTION) == LANDING_PAD
				? at - INSTRUCTION
				: at;
		if (slot)
			vector_push(&plt->entries, ((struct plt_entry){section->address + start,
							   section->address + end + INSTRUCTION,
							   slot->symbol, slot->resolver}));
	}
}

/* ---- All stubs of a binary ---- */

static void add_stubs(
	struct plt *plt, const struct slots *slots, const struct image_section *section)
{
	size_t size = section ? section->entry_size : 0;

	if (!section || !section->content.len)
		return;
	if (size != 8 && size != 16 && size != 32)
		size = 16;
	for (size_t at = 0; at + size <= section->content.len; at += size) {
		uint64_t address = section->address + at;
		const struct slot *slot = slot_of_stub(
			slots, (struct bytes){section->content.at + at, size}, address);

		if (slot && (slot->symbol || slot->resolver))
			vector_push(&plt->entries, ((struct plt_entry){address, address + size,
							   slot->symbol, slot->resolver}));
	}
}

static int entry_compare(const void *a, const void *b)
{
	const struct plt_entry *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

void plt_load(struct plt *plt, const struct image *image)
{
	static const char *const sections[] = {".plt", ".plt.sec", ".plt.bnd", ".plt.got", ".iplt"};
	struct slot_types types = slot_types_of(image_machine(image));
	struct slots slots = {0};

	*plt = (struct plt){0};
	if (image_machine(image) != EM_X86_64 && image_machine(image) != EM_AARCH64)
		return;
	slots_add(&slots, &types, image_section(image, ".rela.plt"), true);
	/* The relocations of slots that are filled at startup are among all others in .rela.dyn,
	 * which are a million in large programs. They are read only if there are stubs for such
	 * slots. */
	if (image_section(image, ".plt.got") || !slots.by_index.len)
		slots_add(&slots, &types, image_section(image, ".rela.dyn"), false);
	if (slots.by_address.len > 1)
		qsort(slots.by_address.items, slots.by_address.len, sizeof(struct slot),
			slot_compare);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		if (image_machine(image) == EM_AARCH64)
			add_stubs_aarch64(plt, &slots, image_section(image, sections[i]));
		else
			add_stubs(plt, &slots, image_section(image, sections[i]));
	if (plt->entries.len > 1)
		qsort(plt->entries.items, plt->entries.len, sizeof(struct plt_entry),
			entry_compare);
	vector_release(&slots.by_address);
	vector_release(&slots.by_index);
}

void plt_release(struct plt *plt)
{
	vector_release(&plt->entries);
}

const struct plt_entry *plt_find(const struct plt *plt, uint64_t address)
{
	size_t low = search_up_to(&plt->entries, start, address);

	return low && address < plt->entries.items[low - 1].end ? &plt->entries.items[low - 1]
								: NULL;
}
