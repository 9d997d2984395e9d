/* idle.c: which samples are of idle CPUs, and which streams have their values? */
#include "model/idle.h"

/* Functions that work on an idle CPU; '*' at the end marks a prefix, at the start a suffix. */
static const char *const work_functions[] = {
	/* x86, since 5.8 and before */
	"asm_sysvec_*", "sysvec_*", "asm_common_interrupt", "common_interrupt", "asm_exc_*",
	"exc_*", "*_interrupt", "do_IRQ", "ret_from_intr", "end_repeat_nmi", "do_nmi", "nmi",
	"page_fault", "async_page_fault", "xen_evtchn_do_upcall", "xen_hvm_callback_vector",
	"xen_do_hypervisor_callback", "xen_pv_evtchn_do_upcall", "hyperv_callback_vector",
	/* arm64 */
	"el1_irq", "el1_interrupt", "el1h_64_*", "gic_handle_irq", "call_on_irq_stack",
	/* any machine */
	"irq_enter*", "irq_exit*", "__irq_exit*", "handle_irq*", "generic_handle_*", "do_softirq*",
	"__do_softirq", "__softirqentry_text_start", "handle_softirqs", "call_softirq",
	"flush_smp_call_function_*", "__flush_smp_call_function_*", "generic_smp_call_function_*",
	"sched_ttwu_pending"};

bool idle_is_interrupted_by(struct bytes function)
{
	for (size_t i = 0; i < sizeof(work_functions) / sizeof(*work_functions); i++) {
		struct bytes name = bytes_of(work_functions[i]);

		if (name.at[0] == '*') {
			if (bytes_ends_with(function, (struct bytes){name.at + 1, name.len - 1}))
				return true;
		} else if (name.at[name.len - 1] == '*') {
			if (bytes_starts_with(function, (struct bytes){name.at, name.len - 1}))
				return true;
		} else if (bytes_equal(function, name)) {
			return true;
		}
	}
	return false;
}

bool stack_is_idle(const struct profile *p, stack_id stack)
{
	for (; stack; stack = p->stack_caller.items[stack]) {
		struct span names = p->location_names.items[p->stack_location.items[stack]];

		for (uint32_t i = 0; i < names.count; i++) {
			frame_id frame = p->location_frames.items[names.first + i];

			if (idle_is_interrupted_by(
				    profile_text(p, p->frames.items[frame].function)))
				return false;
		}
	}
	return true;
}

/* ---- Streams ---- */

bool stream_is_idle(const struct profile *p, size_t stream)
{
	return bytes_starts_with(profile_text(p, p->streams.items[stream].row.kind), BYTES("idle"));
}

static bool is_of_one_event(const struct stream_row *a, const struct stream_row *b)
{
	return a->event == b->event && a->unit == b->unit && a->side == b->side;
}

/* How many such streams of the same event, unit and table are before this one. */
static size_t number_in_table(const struct profile *p, size_t stream)
{
	const struct stream_row *row = &p->streams.items[stream].row;
	size_t number = 0;

	for (size_t i = 0; i < stream; i++)
		number += p->streams.items[i].row.samples == row->samples &&
			  stream_is_idle(p, i) == stream_is_idle(p, stream) &&
			  is_of_one_event(&p->streams.items[i].row, row);
	return number;
}

bool stream_is_idle_of(const struct profile *p, size_t idle, size_t busy)
{
	return stream_is_idle(p, idle) && !stream_is_idle(p, busy) &&
	       is_of_one_event(&p->streams.items[idle].row, &p->streams.items[busy].row) &&
	       number_in_table(p, idle) == number_in_table(p, busy);
}
