/* copies.h: stacks that programs have copied (bpf/copies.h), in the form that the unwinder takes.
 */
#ifndef KILN_RECORDERS_PROGRAMS_COPIES_H
#define KILN_RECORDERS_PROGRAMS_COPIES_H

#include "bpf/shared/events.h"
#include "process/unwinder.h"

/* Which word of x86-64's struct pt_regs each column is (images/arch.h). */
extern const uint8_t pt_regs_words[17];

/* The words of struct pt_regs, by column. */
void copy_registers(const uint64_t *words, struct registers *ret_registers);
/* The bytes are not copied again. */
void copy_open(const struct event_copy *event, struct unwinder_copy *ret_copy);

#endif
