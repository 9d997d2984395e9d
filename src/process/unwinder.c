/* unwinder.c: which addresses led to a sample, according to its registers and its stack copy? */
#include "process/unwinder.h"

#include <stdlib.h>

#define CACHE_LINE	 64u /* bytes */
#define PREFETCHED_LINES 24u /* more prefetches take longer than they save */

void unwinder_init(struct unwinder *u, const struct arch *arch)
{
	*u = (struct unwinder){.arch = arch};
	u->frames = memory_new(UNWIND_FRAMES_LIMIT, sizeof(*u->frames));
	u->addresses = memory_new(UNWIND_FRAMES_LIMIT, sizeof(*u->addresses));
}

void unwinder_release(struct unwinder *u)
{
	for (size_t i = 0; i < u->tables.len; i++)
		cfi_release(u->tables.items[i]);
	vector_release(&u->tables);
	memory_free(u->frames);
	memory_free(u->addresses);
	*u = (struct unwinder){0};
}

bool unwinder_supports(const struct arch *arch, const struct perf_sample *sample)
{
	const uint64_t needed = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	return arch && (sample->layout->sample_type & needed) == needed;
}

struct lookup {
	struct unwinder *unwinder;
	const struct code_view *view;
	uint32_t missing_image, unread;
};

/* The unwind tables of a binary, opened on first use. */
static struct cfi *tables_of(struct unwinder *u, uint32_t binary, const struct image *image)
{
	while (u->tables.len <= binary)
		vector_push(&u->tables, NULL);
	if (!u->tables.items[binary])
		u->tables.items[binary] = cfi_open(image);
	return u->tables.items[binary];
}

static bool lookup_code(void *context, uint64_t pc, struct unwind_code *ret_code)
{
	struct lookup *l = context;
	const struct mapped *m = l->missing_image ? NULL : l->view->find(l->view->self, pc);
	const struct image *image = NULL;
	uint64_t address;

	if (!m)
		return false;
	if (m->binary && !l->view->image(l->view->self, m->binary, &image)) {
		l->missing_image = m->binary;
		return false;
	}
	if (m->binary && !image)
		l->unread = m->binary;
	*ret_code = (struct unwind_code){.start = m->start, .end = m->end, .owner = m};
	if (image && image_address(image, pc - m->start + m->offset, &address)) {
		ret_code->bias = pc - address;
		ret_code->cfi = tables_of(l->unwinder, m->binary, image);
	}
	return true;
}

static bool in_user_code(const struct perf_record *r)
{
	return (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
}

void unwinder_prefetch(const struct perf_record *r)
{
	const char *at = (const char *)r->sample.regs_user.at;

	for (unsigned i = 0; at && i < PREFETCHED_LINES; i++)
		__builtin_prefetch(at + (size_t)i * CACHE_LINE);
}

void unwinder_walk_copy(struct unwinder *u, const struct code_view *view,
	const struct unwinder_copy *copy, struct user_frames *ret)
{
	struct lookup lookup = {.unwinder = u, .view = view};
	struct unwind_input input = {.arch = u->arch,
		.registers = &copy->registers,
		.stack = copy->stack,
		.stack_filled = copy->filled,
		.lookup = lookup_code,
		.context = &lookup};
	size_t count = 0;

	*ret = (struct user_frames){.addresses = u->addresses};
	ret->end = unwind_stack(&input, u->frames, UNWIND_FRAMES_LIMIT, &count);
	ret->missing_image = lookup.missing_image;
	ret->unread = lookup.unread;
	for (size_t i = count; i-- > 0;) {
		ret->guessed |= u->frames[i].guessed;
		if (u->frames[i].owner || (!i && copy->in_user_code))
			u->addresses[ret->count++] = u->frames[i].address;
	}
}

void unwinder_walk(struct unwinder *u, const struct code_view *view, const struct perf_record *r,
	struct user_frames *ret)
{
	const struct perf_sample *sample = &r->sample;
	struct unwinder_copy copy = {.stack.content = sample->stack_user,
		.filled = sample->stack_user.len == sample->stack_user_size,
		.in_user_code = in_user_code(r)};

	if (sample->regs_user_abi != PERF_SAMPLE_REGS_ABI_64) {
		*ret = (struct user_frames){
			.addresses = u->addresses, .foreign = true, .end = UNWIND_NO_REGISTERS};
		return;
	}
	registers_from_perf(u->arch, sample->layout->regs_user, sample->regs_user.at,
		sample->regs_user.count, &copy.registers);
	copy.stack.start = copy.registers.value[u->arch->stack_pointer];
	unwinder_walk_copy(u, view, &copy, ret);
	ret->absent = ret->end == UNWIND_NO_MAPPING && !ret->count && !ret->missing_image &&
		      !sample->stack_user.len;
}
