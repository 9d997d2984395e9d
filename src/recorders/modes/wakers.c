/* wakers.c: stacks of waits with the stack of the waker appended. */
#include "recorders/modes/wakers.h"

#include <stdlib.h>

/* Functions at which an interrupt enters the kernel. "*": any ending. */
static const char *const entries[] = {"asm_sysvec_*", "asm_common_interrupt",
	"asm_exc_nmi*",					/* of x86 */
	"el0t_64_irq*", "el1h_64_irq*", "el0t_32_irq*", /* of ARM */
	"handle_riscv_irq", "ext_int_handler", "io_int_handler", "do_IRQ", "timer_interrupt"};

struct joined_stack {
	stack_id stack, waker, both;
};

static location_id named(struct profile *p, struct bytes name)
{
	return profile_location_named(p, profile_frame_named(p, name, FRAME_META));
}

void wakers_init(
	struct wakers *w, struct profile *profile, const struct kernel *kernel, bool user_only)
{
	*w = (struct wakers){.profile = profile, .kernel = kernel, .user_only = user_only};
	w->separator = named(profile, BYTES("--"));
	w->interrupt = named(profile, BYTES("[interrupt]"));
	vector_push(&w->joined, ((struct joined_stack){0}));
}

void wakers_release(struct wakers *w)
{
	vector_release(&w->entries);
	vector_release(&w->joined);
	id_map_release(&w->by_stacks);
}

static bool is_kernel(const struct profile *p, location_id location)
{
	mapping_id mapping = p->locations.items[location].mapping;
	uint32_t kind = p->mappings.items[mapping].kind;

	return mapping && (kind == MAPPING_KERNEL || kind == MAPPING_MODULE);
}

static bool enters(const struct wakers *w, uint64_t address)
{
	struct kernel_symbol symbol;

	if (!w->kernel || !kernel_find(w->kernel, address, &symbol))
		return false;
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		struct bytes name = bytes_of(entries[i]);

		if (bytes_equal(symbol.name, name))
			return true;
		name.len--;
		if (name.at[name.len] == '*' && bytes_starts_with(symbol.name, name))
			return true;
	}
	return false;
}

enum { UNKNOWN, NO_ENTRY, ENTRY };

static bool is_entry(struct wakers *w, location_id location)
{
	uint8_t *known;

	while (w->entries.len <= location)
		vector_push(&w->entries, UNKNOWN);
	known = &w->entries.items[location];
	if (*known == UNKNOWN)
		*known =
			enters(w, w->profile->locations.items[location].address) ? ENTRY : NO_ENTRY;
	return *known == ENTRY;
}

static stack_id append_inverted(struct wakers *w, stack_id stack, stack_id waker)
{
	struct profile *p = w->profile;

	for (; waker; waker = p->stack_caller.items[waker]) {
		location_id place = p->stack_location.items[waker];
		bool kernel = is_kernel(p, place);

		if (!kernel || !w->user_only)
			stack = profile_stack(p, stack, profile_location_inverted(p, place));
		if (kernel && is_entry(w, place))
			return profile_stack(p, stack, w->interrupt);
	}
	return stack;
}

stack_id wakers_join(struct wakers *w, stack_id stack, stack_id waker)
{
	uint64_t hash = hash_pair(stack, waker);
	size_t at = id_map_first(&w->by_stacks, hash);
	struct joined_stack joined = {stack, waker, 0};
	uint32_t row;

	while ((row = id_map_candidate(&w->by_stacks, hash, &at)))
		if (w->joined.items[row].stack == stack && w->joined.items[row].waker == waker)
			return w->joined.items[row].both;
	joined.both = append_inverted(w, profile_stack(w->profile, stack, w->separator), waker);
	id_map_insert_at(&w->by_stacks, hash, at, (uint32_t)w->joined.len);
	vector_push(&w->joined, joined);
	return joined.both;
}
