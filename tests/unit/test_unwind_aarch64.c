/* test_unwind_aarch64.c: stacks of AArch64 that no test machine has, word by word. */
#include "test.h"

#include "base/memory.h"
#include "images/unwind.h"
#include "support/small_elf.h"

#include <elf.h>
#include <stddef.h>

enum { FP = 29, LR = 30, SP = 31, PC = 32 };

#define STACK	   ((uint64_t)0x7f0000000000) /* address of the copy */
#define STACK_SIZE 8192			      /* bytes */
#define CODE	   ((uint64_t)0x400000)	      /* code without tables... */
#define VDSO	   ((uint64_t)0x500000)	      /* ... as here... */
#define RULES	   SMALL_ELF_CODE	      /* ... and code with them */
#define MAPPED	   ((uint64_t)0x10000)	      /* bytes of each */
#define SIGNATURE  ((uint64_t)0x2a5 << 48)

/* What the code with rules is: a CIE whose CFA is sp, and an entry with the CFA sp + 32, x29 and
 * x30 at its lowest two words; behind the end of the tables, mov x8, #139; svc #0. */
static const uint8_t tables[] = {
	0x10,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	1,
	'z',
	'R',
	0,
	1,
	0x78,
	30,
	1,
	0x00,
	0x0c,
	31,
	0, /* CIE */
	0x20,
	0,
	0,
	0,
	0x18,
	0,
	0,
	0, /* entry */
	0,
	0,
	1,
	0,
	0,
	0,
	0,
	0,
	0,
	1,
	0,
	0,
	0,
	0,
	0,
	0, /* 0x10000, 0x100 bytes */
	0,
	0x0e,
	32,
	0x9d,
	4,
	0x9e,
	3,
	0,
	0,
	0,
	0,
	0, /* x29 at CFA - 32, x30 at CFA - 24 */
	0,
	0,
	0,
	0, /* the end */
	0x68,
	0x11,
	0x80,
	0xd2,
	0x01,
	0x00,
	0x00,
	0xd4,
};
#define SIGNAL_RETURN (SMALL_ELF_TABLES + sizeof(tables) - 8)

struct thread {
	struct registers registers;
	uint64_t words[STACK_SIZE / 8];
	struct cfi *cfi;
	struct image *image;
	struct buffer file;
	struct unwind_frame frames[16];
	size_t count;
};

static bool look_up(void *context, uint64_t pc, struct unwind_code *ret_code)
{
	struct thread *t = context;

	*ret_code = (struct unwind_code){.start = pc & -MAPPED, .owner = t};
	ret_code->end = ret_code->start + MAPPED;
	if (ret_code->start == RULES || ret_code->start == SMALL_ELF_TABLES)
		ret_code->cfi = t->cfi;
	return ret_code->cfi || ret_code->start == CODE || ret_code->start == VDSO;
}

static struct thread *thread_new(void)
{
	struct thread *t = memory_new(1, sizeof(*t));
	const uint16_t machine = EM_AARCH64;
	struct error err = {0};

	small_elf(&t->file, (struct bytes){(const char *)tables, sizeof(tables)}, false,
		(struct bytes){0});
	memcpy(t->file.at + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof(machine));
	t->image = image_open_bytes(buffer_bytes(&t->file), "aarch64", &err);
	assert_non_null(t->image);
	t->cfi = cfi_open(t->image);
	for (unsigned column = 0; column <= PC; column++)
		registers_set(&t->registers, column, 0);
	registers_set(&t->registers, SP, STACK);
	return t;
}

static void thread_release(struct thread *t)
{
	cfi_release(t->cfi);
	image_release(t->image);
	buffer_release(&t->file);
	memory_free(t);
}

/* The word at an offset from the stack pointer. */
static void put(struct thread *t, size_t offset, uint64_t word)
{
	t->words[offset / 8] = word;
}

static enum unwind_end walk(struct thread *t)
{
	struct unwind_input in = {.arch = arch_of_machine(EM_AARCH64),
		.registers = &t->registers,
		.stack = {STACK, {(const char *)t->words, sizeof(t->words)}},
		.lookup = look_up,
		.context = t};

	return unwind_stack(&in, t->frames, 16, &t->count);
}

static void expect(const struct thread *t, const uint64_t *addresses, size_t count)
{
	assert_int_equal(t->count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(t->frames[i].address, addresses[i]);
}

#define EXPECT(t, ...)                                                                             \
	expect((t), (const uint64_t[]){__VA_ARGS__},                                               \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* x29 leads from pair to pair, wherever these lie in their frames; return addresses are signed. */
static void frame_records_are_followed(void **state)
{
	struct thread *t = thread_new();

	(void)state;
	t->registers.value[PC] = CODE + 0x10;
	t->registers.value[LR] = CODE + 0x14; /* back from a call: of no use */
	t->registers.value[FP] = STACK + 48;
	put(t, 48, STACK + 96);
	put(t, 56, SIGNATURE | (CODE + 0x204));
	put(t, 96, 0);
	put(t, 104, CODE + 0x304);
	assert_int_equal(walk(t), UNWIND_COMPLETE);
	EXPECT(t, CODE + 0x10, CODE + 0x203, CODE + 0x303);
	thread_release(t);
}

/* A leaf in code without tables: its caller is in x30, unless it has saved that already. */
static void leaves_have_their_caller_in_the_link_register(void **state)
{
	struct thread *t = thread_new();

	(void)state;
	t->registers.value[PC] = VDSO + 0x10;
	t->registers.value[LR] = SIGNATURE | (CODE + 0x104);
	t->registers.value[FP] = STACK + 48;
	put(t, 48, 0);
	put(t, 56, CODE + 0x204);
	assert_int_equal(walk(t), UNWIND_COMPLETE);
	EXPECT(t, VDSO + 0x10, CODE + 0x103, CODE + 0x203);

	put(t, 56, CODE + 0x104);
	assert_int_equal(walk(t), UNWIND_COMPLETE);
	EXPECT(t, VDSO + 0x10, CODE + 0x103);
	thread_release(t);
}

/* Code with rules, called by code without, has an unknown stack pointer: its CFA is found by its
 * pair of words. */
static void the_cfa_is_found_by_the_frame_record(void **state)
{
	struct thread *t = thread_new();

	(void)state;
	t->registers.value[PC] = CODE + 0x10;
	t->registers.value[LR] = CODE + 0x14;
	t->registers.value[FP] = STACK + 48;
	put(t, 48, STACK + 128); /* the record of the code with rules: its CFA is 32 bytes on */
	put(t, 56, RULES + 0x24);
	put(t, 128, STACK + 256);
	put(t, 136, SIGNATURE | (RULES + 0x44));
	put(t, 160, STACK + 256); /* the frame of another call of that code begins at that CFA */
	put(t, 168, CODE + 0x404);
	put(t, 256, 0);
	put(t, 264, CODE + 0x504);
	assert_int_equal(walk(t), UNWIND_COMPLETE);
	EXPECT(t, CODE + 0x10, RULES + 0x23, RULES + 0x43, CODE + 0x403, CODE + 0x503);
	thread_release(t);
}

/* The kernel's frame for a handler at the stack pointer: the interrupted registers, by column. */
static void put_signal_frame(struct thread *t, uint64_t pc, uint64_t lr, uint64_t sp, uint64_t fp)
{
	put(t, 312 + FP * 8, fp);
	put(t, 312 + LR * 8, lr);
	put(t, 312 + SP * 8, sp);
	put(t, 312 + PC * 8, pc);
}

/* A signal interrupts a function before its first instruction: its caller is in x30, and the pc of
 * neither is a return address. */
static void signal_frames_are_known_by_their_layout(void **state)
{
	static const struct {
		uint64_t pc, found;
		bool marked;
	} cases[] = {
		{SIGNAL_RETURN, SIGNAL_RETURN, false},
		{SIGNAL_RETURN + 4, SIGNAL_RETURN + 4, false},
		{VDSO + 0x7bc, VDSO + 0x7bc, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct thread *t = thread_new();

		t->registers.value[PC] = cases[i].pc;
		put_signal_frame(t, VDSO + 0x40, CODE + 0x104, STACK + 1024, STACK + 2048);
		if (cases[i].marked)
			put(t, 592, (uint64_t)528 << 32 | 0x46508001);
		put(t, 2048, 0);
		put(t, 2056, CODE + 0x204);
		assert_int_equal(walk(t), UNWIND_COMPLETE);
		EXPECT(t, cases[i].found, VDSO + 0x40, CODE + 0x103, CODE + 0x203);
		assert_true(t->frames[1].exact);
		thread_release(t);
	}
}

/* A handler that has returned to the code of a signal's end: the byte before that is looked up. */
static void handlers_return_to_the_signal_frame(void **state)
{
	struct thread *t = thread_new();

	(void)state;
	t->registers.value[PC] = VDSO + 0x10;
	t->registers.value[LR] = SIGNAL_RETURN;
	t->registers.value[FP] = STACK + 4096;
	put_signal_frame(t, CODE + 0x40, 0, STACK + 1024, 0);
	assert_int_equal(walk(t), UNWIND_COMPLETE);
	EXPECT(t, VDSO + 0x10, SIGNAL_RETURN, CODE + 0x40);
	assert_true(t->frames[1].exact && t->frames[2].exact);
	thread_release(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frame_records_are_followed),
		cmocka_unit_test(leaves_have_their_caller_in_the_link_register),
		cmocka_unit_test(the_cfa_is_found_by_the_frame_record),
		cmocka_unit_test(signal_frames_are_known_by_their_layout),
		cmocka_unit_test(handlers_return_to_the_signal_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
