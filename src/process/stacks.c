/* stacks.c: from a sample's addresses to a stack of the profile. */
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/units.h"
#include "model/idle.h"
#include "process/stacks.h"

/* Which location an address stands for, in an address space: most are asked for again and again.
 * Direct-mapped; an entry is replaced by the next one that falls on it. */
#define PLACES ((size_t)1 << 16)
struct place_cache {
	struct place {
		uint64_t address;
		uint32_t space;	      /* address_space.id; 0 for the kernel */
		location_id location; /* 0: empty */
	} at[PLACES];
};

/* The same for what a kernel address means to an idle CPU. */
#define IDLE_PLACES ((size_t)1 << 10)
struct idle_cache {
	struct idle_place {
		uint64_t address; /* 0: empty */
		bool breaks;
	} at[IDLE_PLACES];
};

/* Runs of one context in a call chain; the kernel's own limit is 8. */
#define CHAIN_PARTS_LIMIT 16u

void stacks_init(struct stacks *s, struct profile *profile, struct processes *processes,
	const struct kernel *kernel, const struct arch *arch)
{
	*s = (struct stacks){
		.profile = profile, .processes = processes, .kernel = kernel, .arch = arch};
	s->places = memory_new(1, sizeof(*s->places));
	s->frames = memory_new(STACK_FRAMES_LIMIT, sizeof(*s->frames));
	/* User frames, as many kernel frames as fit into a record, and marks. */
	s->path = memory_new(2 * STACK_FRAMES_LIMIT, sizeof(*s->path));
	s->last_path = memory_new(2 * STACK_FRAMES_LIMIT, sizeof(*s->last_path));
	s->last_stack = memory_new(2 * STACK_FRAMES_LIMIT, sizeof(*s->last_stack));
}

void stacks_release(struct stacks *s)
{
	for (size_t i = 0; i < s->tables.len; i++)
		cfi_release(s->tables.items[i]);
	vector_release(&s->tables);
	free(s->places);
	free(s->idle_places);
	free(s->frames);
	free(s->path);
	free(s->last_path);
	free(s->last_stack);
	*s = (struct stacks){0};
}

static location_id mark_as(
	struct stacks *s, location_id *kept, const char *text, enum frame_kind kind)
{
	if (!*kept)
		*kept = profile_location_named(
			s->profile, profile_frame_named(s->profile, bytes_of(text), kind));
	return *kept;
}

static location_id mark(struct stacks *s, location_id *kept, const char *text)
{
	return mark_as(s, kept, text, FRAME_META);
}

static location_id mark_truncated(struct stacks *s, location_id *kept, const char *reason)
{
	char text[64];

	snprintf(text, sizeof(text), "[truncated:%s]", reason);
	return mark(s, kept, text);
}

static struct place *place_of(struct stacks *s, uint32_t space, uint64_t address)
{
	return &s->places->at[hash_pair(space, address) >> 20 & (PLACES - 1)];
}

/* Our own kernel, unless the recording is of another time and did not say which one it was. */
static mapping_id own_kernel_mapping(struct stacks *s)
{
	struct mapping row = {.kind = MAPPING_KERNEL};
	char build_id[65] = "";

	if (s->kernel_mapping)
		return s->kernel_mapping;
	if (!s->processes->binaries->places)
		kernel_build_id_text(build_id);
	row.base = s->kernel ? kernel_text_start(s->kernel) : 0;
	row.file = profile_string(s->profile, BYTES("[kernel.kallsyms]"));
	row.build_id = profile_string(s->profile, bytes_of(build_id));
	s->kernel_mapping = profile_mapping(s->profile, &row);
	return s->kernel_mapping;
}

/* Where records tell what the kernel has mapped, they are asked; else its symbols know. */
static mapping_id kernel_mapping_of(struct stacks *s, uint64_t address)
{
	const struct mapped *mapped = address_space_find(s->processes->kernel_space, address);
	mapping_id mapping = own_kernel_mapping(s);
	struct kernel_symbol symbol;

	if (mapped)
		return mapped->mapping;
	if (s->kernel && kernel_find(s->kernel, address, &symbol) &&
		!bytes_equal(symbol.module, BYTES("[kernel]"))) {
		struct mapping row = {
			.kind = MAPPING_MODULE, .file = profile_string(s->profile, symbol.module)};

		mapping = profile_mapping(s->profile, &row);
	}
	return mapping;
}

static location_id kernel_location(struct stacks *s, uint64_t address)
{
	const struct address_space *kernel = s->processes->kernel_space;
	uint32_t space = kernel ? kernel->id : 0;
	struct place *place = place_of(s, space, address);

	if (place->location && place->space == space && place->address == address)
		return place->location;
	*place = (struct place){address, space,
		profile_location(s->profile, kernel_mapping_of(s, address), address)};
	return place->location;
}

/* Nothing is known to be mapped there, which the address itself still tells. */
static location_id unmapped_location(
	struct stacks *s, const struct process_state *process, uint64_t address)
{
	struct mapping row = {.kind = MAPPING_JIT, .process = process->process};

	return profile_location(s->profile, profile_mapping(s->profile, &row), address);
}

static location_id user_location(
	struct stacks *s, struct process_state *process, uint64_t address, uint64_t now)
{
	uint32_t space = process->space ? process->space->id : UINT32_MAX;
	struct place *place = place_of(s, space, address);
	const struct mapped *m;
	location_id location;

	if (place->location && place->space == space && place->address == address)
		return place->location;
	m = processes_find(s->processes, process, address, now);
	if (!m)
		return unmapped_location(s, process, address);
	location = profile_location(
		s->profile, m->mapping, m->binary ? address - m->start + m->offset : address);
	space = process->space->id; /* the lookup may have read the mappings anew */
	place = place_of(s, space, address);
	*place = (struct place){address, space, location};
	return location;
}

/* ---- User frames ---- */

struct lookup {
	struct stacks *stacks;
	struct process_state *process;
	uint64_t now;
};

/* The unwind tables of a binary, opened when they are first needed. */
static struct cfi *tables_of(struct stacks *s, uint32_t binary)
{
	struct binaries *b = s->processes->binaries;
	const struct image *image = binaries_image(b, binary);

	while (s->tables.len < b->rows.len)
		vector_push(&s->tables, NULL);
	if (!s->tables.items[binary] && image)
		s->tables.items[binary] = cfi_open(image);
	return s->tables.items[binary];
}

static bool lookup_code(void *context, uint64_t pc, struct unwind_code *ret_code)
{
	struct lookup *l = context;
	const struct mapped *m = processes_find(l->stacks->processes, l->process, pc, l->now);
	const struct image *image;
	uint64_t address;

	if (!m)
		return false;
	*ret_code = (struct unwind_code){.start = m->start, .end = m->end, .owner = m};
	image = m->binary ? binaries_image(l->stacks->processes->binaries, m->binary) : NULL;
	if (image && image_address(image, pc - m->start + m->offset, &address)) {
		ret_code->bias = pc - address;
		ret_code->cfi = tables_of(l->stacks, m->binary);
	}
	return true;
}

static bool in_user_code(const struct perf_record *r)
{
	return (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
}

static bool any_guessed(const struct unwind_frame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (frames[i].guessed)
			return true;
	return false;
}

/* Walk the stack copy. An address that leads to no code ends the stack and is left out, unless it
 * is where the sample was taken: execve and exit leave such addresses. Locations go to `path`,
 * outermost first; returns how many. */
static size_t walk_tables(struct stacks *s, struct process_state *process,
	const struct perf_record *r, location_id *path, enum unwind_end *ret_end)
{
	const struct perf_sample *sample = &r->sample;
	struct lookup lookup = {s, process, r->identity.time};
	struct unwind_input input = {.arch = s->arch,
		.stack_filled = sample->stack_user.len == sample->stack_user_size,
		.lookup = lookup_code,
		.context = &lookup};
	struct registers registers;
	size_t count = 0, depth = 0;

	if (sample->regs_user_abi != PERF_SAMPLE_REGS_ABI_64) {
		s->foreign++;
		path[0] = mark_truncated(s, &s->truncated_foreign, "32-bit-code");
		*ret_end = UNWIND_NO_REGISTERS;
		return 1;
	}
	registers_from_perf(input.arch, sample->layout->regs_user, sample->regs_user.at,
		sample->regs_user.count, &registers);
	input.registers = &registers;
	input.stack.start = registers.value[input.arch->stack_pointer];
	input.stack.content = sample->stack_user;
	*ret_end = unwind_stack(&input, s->frames, STACK_FRAMES_LIMIT, &count);
	s->ends[*ret_end]++;
	s->guessed += any_guessed(s->frames, count);
	if (*ret_end != UNWIND_COMPLETE)
		path[depth++] =
			mark_truncated(s, &s->truncated[*ret_end], unwind_end_name(*ret_end));
	for (size_t i = count; i-- > 0;)
		if (s->frames[i].owner || (!i && in_user_code(r)))
			path[depth++] =
				user_location(s, process, s->frames[i].address, r->identity.time);
	return depth;
}

/* ---- Call chains ---- */

/* Addresses of one context, innermost first. */
struct chain_part {
	struct perf_words words;
	uint64_t context; /* PERF_CONTEXT_* */
};

/* The context in which the sample was taken: that of addresses without a marker before them. */
static uint64_t context_of(const struct perf_record *r)
{
	switch (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return (uint64_t)PERF_CONTEXT_KERNEL;
	case PERF_RECORD_MISC_HYPERVISOR:
		return (uint64_t)PERF_CONTEXT_HV;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return (uint64_t)PERF_CONTEXT_GUEST_KERNEL;
	case PERF_RECORD_MISC_GUEST_USER:
		return (uint64_t)PERF_CONTEXT_GUEST_USER;
	default:
		return (uint64_t)PERF_CONTEXT_USER;
	}
}

/* Cut a sample's call chain at its markers, innermost part first. More parts than there is room for
 * are left out. */
static size_t chain_parts(const struct perf_record *r, struct chain_part parts[CHAIN_PARTS_LIMIT])
{
	const struct perf_words chain = r->sample.callchain;
	uint64_t context = context_of(r);
	size_t count = 0, end;

	for (size_t i = 0; i < chain.count && count < CHAIN_PARTS_LIMIT; i = end) {
		if (chain.at[i] >= (uint64_t)PERF_CONTEXT_MAX) {
			context = chain.at[i];
			end = i + 1;
			continue;
		}
		for (end = i; end < chain.count && chain.at[end] < (uint64_t)PERF_CONTEXT_MAX;
			end++)
			;
		parts[count++] = (struct chain_part){{chain.at + i, end - i}, context};
	}
	return count;
}

/* The innermost address is exact; the others return behind a call. */
static uint64_t chain_address(struct perf_words words, size_t i)
{
	return i ? words.at[i] - 1 : words.at[i];
}

/* Outermost first; returns how many. */
static size_t walk_part(struct stacks *s, struct process_state *process,
	const struct perf_record *r, const struct chain_part *part, location_id *path)
{
	size_t depth = 0;

	switch (part->context) {
	case (uint64_t)PERF_CONTEXT_KERNEL:
		for (size_t i = part->words.count; i-- > 0;)
			path[depth++] = kernel_location(s, chain_address(part->words, i));
		break;
	case (uint64_t)PERF_CONTEXT_HV:
		path[depth++] = mark(s, &s->hypervisor, "[hypervisor]");
		break;
	case (uint64_t)PERF_CONTEXT_GUEST:
	case (uint64_t)PERF_CONTEXT_GUEST_KERNEL:
	case (uint64_t)PERF_CONTEXT_GUEST_USER:
		path[depth++] = mark_as(s, &s->guest, "[guest]", FRAME_GUEST);
		break;
	default:
		for (size_t i = part->words.count; i-- > 0;)
			path[depth++] = user_location(
				s, process, chain_address(part->words, i), r->identity.time);
	}
	return depth;
}

/* A call stack in branch records: each entry is a call that has not returned, innermost first; the
 * innermost function is known by where it was entered. */
static size_t walk_branches(struct stacks *s, struct process_state *process,
	const struct perf_record *r, const struct chain_part *user, location_id *path)
{
	const struct perf_words entries = r->sample.branches;
	size_t depth = 0;

	for (size_t i = entries.count / 3; i-- > 0;)
		path[depth++] = user_location(s, process, entries.at[3 * i], r->identity.time);
	path[depth++] = user_location(s, process,
		user && user->words.count ? user->words.at[0] : entries.at[1], r->identity.time);
	return depth;
}

static bool copies_stack(const struct stacks *s, const struct perf_sample *sample)
{
	const uint64_t needed = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	return s->arch && (sample->layout->sample_type & needed) == needed;
}

static size_t walk_user(struct stacks *s, struct process_state *process,
	const struct perf_record *r, const struct chain_part *user, location_id *path,
	struct stack_of_sample *ret)
{
	const struct perf_sample *sample = &r->sample;
	size_t depth = 0;

	if (copies_stack(s, sample)) {
		ret->has_user = sample->regs_user_abi != PERF_SAMPLE_REGS_ABI_NONE;
		return ret->has_user ? walk_tables(s, process, r, path, &ret->user_end) : 0;
	}
	if (sample->branches.count &&
		sample->layout->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
		depth = walk_branches(s, process, r, user, path);
	else if (user)
		depth = walk_part(s, process, r, user, path);
	ret->has_user = depth > 0;
	return depth;
}

/* The half that the sample is in was not wanted, or the kernel gave no call chain. */
static size_t walk_address(struct stacks *s, struct process_state *process,
	const struct perf_record *r, unsigned parts, location_id *path)
{
	const struct chain_part part = {{&r->sample.ip, 1}, context_of(r)};

	if (r->sample.layout->sample_type & PERF_SAMPLE_IP &&
		parts & (in_user_code(r) ? STACK_USER : STACK_KERNEL))
		return walk_part(s, process, r, &part, path);
	*path = in_user_code(r) ? mark(s, &s->user_half, "[user]")
				: mark(s, &s->kernel_half, "[kernel]");
	return 1;
}

/* Stacks that follow each other mostly share their outer frames: those need no lookup. */
static stack_id stack_of_path(struct stacks *s, size_t depth)
{
	size_t same = 0;
	stack_id stack = 0;
	location_id *swap;

	while (same < depth && same < s->last_depth && s->path[same] == s->last_path[same])
		same++;
	if (same)
		stack = s->last_stack[same - 1];
	for (size_t i = same; i < depth; i++)
		s->last_stack[i] = stack = profile_stack(s->profile, stack, s->path[i]);
	swap = s->last_path;
	s->last_path = s->path;
	s->path = swap;
	s->last_depth = depth;
	return stack;
}

/* The frame under all others: what the thread calls itself, without blanks, as folded text has it.
 */
static location_id comm_location(struct stacks *s, thread_id thread)
{
	struct bytes comm = profile_text(s->profile, s->profile->threads.items[thread].name);
	struct buffer name = {0};

	if (s->comm && s->comm_thread == thread)
		return s->comm;
	buffer_add(&name, comm.at, comm.len);
	for (size_t i = 0; i < name.len; i++)
		if (name.at[i] == ' ')
			name.at[i] = '_';
	if (!name.len)
		buffer_printf(&name, ":%d", s->profile->threads.items[thread].tid);
	s->comm = 0;
	s->comm_thread = thread;
	mark(s, &s->comm, name.at);
	buffer_release(&name);
	return s->comm;
}

struct stack_of_sample stacks_add(
	struct stacks *s, const struct perf_record *r, thread_id thread, unsigned parts)
{
	struct process_state *process = processes_get(s->processes, (int32_t)r->identity.pid);
	struct chain_part chain[CHAIN_PARTS_LIMIT];
	size_t count = chain_parts(r, chain), depth = 1;
	const struct chain_part *user = NULL;
	struct stack_of_sample ret = {0};

	if (count && chain[count - 1].context == (uint64_t)PERF_CONTEXT_USER)
		user = &chain[--count];
	s->path[0] = comm_location(s, thread);
	if (parts & STACK_USER)
		depth += walk_user(s, process, r, user, s->path + depth, &ret);
	if (parts & STACK_KERNEL)
		while (count-- > 0)
			depth += walk_part(s, process, r, &chain[count], s->path + depth);
	if (depth == 1)
		depth += walk_address(s, process, r, parts, s->path + depth);
	ret.stack = stack_of_path(s, depth);
	return ret;
}

/* Does a frame at this address of the kernel break an idle CPU's waiting? */
static bool breaks_idle(struct stacks *s, uint64_t address)
{
	struct idle_place *place =
		&s->idle_places->at[hash_pair(address, 0) >> 20 & (IDLE_PLACES - 1)];
	struct kernel_symbol symbol;

	if (place->address != address) {
		place->address = address;
		place->breaks =
			kernel_find(s->kernel, address, &symbol) && idle_is_broken_by(symbol.name);
	}
	return place->breaks;
}

bool stacks_idle(struct stacks *s, const struct perf_record *r)
{
	struct chain_part chain[CHAIN_PARTS_LIMIT];
	size_t count;

	if (r->identity.pid || r->identity.tid)
		return false;
	if (!s->idle_places)
		s->idle_places = memory_new(1, sizeof(*s->idle_places));
	count = s->kernel ? chain_parts(r, chain) : 0;
	for (size_t part = 0; part < count; part++)
		for (size_t i = 0; i < chain[part].words.count; i++)
			if (breaks_idle(s, chain_address(chain[part].words, i)))
				return false;
	return true;
}

void stacks_tell(const struct stacks *s)
{
	struct buffer text = {0};
	uint64_t walked = 0;

	if (!s->guessed)
		return;
	for (size_t i = 0; i < UNWIND_ENDS; i++)
		walked += s->ends[i];
	units_grouped(&text, (int64_t)s->guessed);
	buffer_text(&text, " of ");
	units_grouped(&text, (int64_t)walked);
	buffer_text(&text, " user stacks go through code without unwind tables, where frame "
			   "pointers were trusted");
	profile_set_meta(s->profile, BYTES("frame pointers"), buffer_bytes(&text));
	buffer_release(&text);
}
