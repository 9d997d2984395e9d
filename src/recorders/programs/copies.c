/* copies.c: stacks that programs have copied, in the form that the unwinder takes. */
#include "recorders/programs/copies.h"

const uint8_t pt_regs_words[17] = {10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16};

void copy_registers(const uint64_t *words, struct registers *ret)
{
	*ret = (struct registers){0};
	for (unsigned i = 0; i < 17; i++)
		registers_set(ret, i, words[pt_regs_words[i]]);
}

void copy_open(const struct event_copy *event, struct unwinder_copy *ret)
{
	*ret = (struct unwinder_copy){.filled = event->copied == event->size, .in_user_code = true};
	copy_registers((const uint64_t *)event->regs, &ret->registers);
	ret->stack.start = ret->registers.value[arch_native()->stack_pointer] & -COPY_PAGE;
	ret->stack.content = (struct bytes){event->bytes, event->copied};
}
