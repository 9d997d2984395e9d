/* stacks.c: from a sample's addresses to a stack of the profile.
 *
 * Three caches make the common case cheap; none of them changes the result. A direct-mapped
 * table gives the location of an address in a mapping (struct place). The last stack of each
 * recent thread is kept, because the next one mostly shares its outer frames: addresses are
 * compared with it from the outside in, and only frames behind the first difference are looked
 * up (`same`). And all locations of a stack are looked up before the first stack row is added,
 * so that their cache misses overlap. */
#include "process/stacks.h"

#include "base/buffer.h"
#include "base/units.h"
#include "model/idle.h"
#include "process/call_chain.h"

#include <stdio.h>
#include <stdlib.h>

/* An address and what it belongs to: a mapping, in which it is the same location in every process;
 * a process; or an address space. `of` is a number of one of these, and two bits of it say which.
 * Numbers are below 2^30, because more rows would not fit into memory. */
struct place {
	uint64_t address;     /* as the location has it: an offset if the mapping is of a file */
	uint32_t of;	      /* a mapping_id; or one of the bits below, or'ed with a number: */
	location_id location; /* 0: not looked up yet */
};
#define NO_MAPPING 0x80000000u /* with a process_id: the address is in no known mapping */
#define KERNEL	   0x40000000u /* with address_space.id of the kernel; 0: no records about it */

/* Most addresses recur. Direct-mapped; a new entry replaces an old one in its slot. */
#define PLACES ((size_t)1 << 16)
struct place_cache {
	struct place at[PLACES];
};

/* Kernel addresses, and whether they are the entry of an interrupt of an idle CPU. Direct-mapped.
 */
#define IDLE_PLACES ((size_t)1 << 10)
struct idle_cache {
	struct idle_place {
		uint64_t address; /* 0: empty */
		bool interrupts;
	} at[IDLE_PLACES];
};

/* The last stack of a thread. The next one mostly shares its outer frames, which then need no
 * lookup. */
#define RECENT_STACKS 16u /* threads; a power of two */
struct recent_stack {
	thread_id thread;    /* 0: empty */
	uint32_t space;	     /* address_space.id for its user frames */
	size_t depth, user;  /* frames in all; user frames... */
	size_t first_user;   /* ... which begin here */
	location_id *path;   /* outermost first */
	stack_id *stacks;    /* the stack up to each of them */
	uint64_t *addresses; /* of user frames */
};

/* At least one stack of so many lacks the files of binaries: said, with the names of some. */
#define UNREAD_SHARE 100
#define UNREAD_FILES 4u

/* User frames, the kernel frames of a record, and markers. */
#define PATH_LIMIT (2 * UNWIND_FRAMES_LIMIT)

/* The sample whose stack is being built. */
struct stack_builder {
	struct stacks *s;
	const struct perf_record *record;
	struct process_state *live; /* its mappings may be read again; NULL: the process is gone */
	process_id process;
	struct address_space *space;
	struct recent_stack *stack;
	size_t depth, user; /* so far */
	bool same;	    /* equal to the previous stack so far */
	bool not_reusable;  /* the next stack must not reuse its user frames */
};

void stacks_init(struct stacks *s, struct profile *profile, struct processes *processes,
	const struct kernel *kernel, const struct arch *arch)
{
	*s = (struct stacks){
		.profile = profile, .processes = processes, .kernel = kernel, .arch = arch};
	s->places = memory_new_table(1, sizeof(*s->places));
	s->recent = memory_new(RECENT_STACKS, sizeof(*s->recent));
	s->addresses = memory_resize(NULL, PATH_LIMIT, sizeof(*s->addresses));
	s->lookups = memory_resize(NULL, PATH_LIMIT, sizeof(*s->lookups));
	unwinder_init(&s->unwinder, arch);
}

void stacks_release(struct stacks *s)
{
	for (size_t i = 0; s->recent && i < RECENT_STACKS; i++) {
		memory_free(s->recent[i].path);
		memory_free(s->recent[i].stacks);
		memory_free(s->recent[i].addresses);
	}
	memory_free(s->recent);
	unwinder_release(&s->unwinder);
	memory_free(s->addresses);
	memory_free(s->lookups);
	memory_free(s->places);
	memory_free(s->idle_places);
	*s = (struct stacks){0};
}

static location_id mark_as(
	struct stacks *s, location_id *cached_location, const char *text, enum frame_kind kind)
{
	if (!*cached_location)
		*cached_location = profile_location_named(
			s->profile, profile_frame_named(s->profile, bytes_of(text), kind));
	return *cached_location;
}

static location_id mark(struct stacks *s, location_id *cached_location, const char *text)
{
	return mark_as(s, cached_location, text, FRAME_META);
}

static location_id mark_truncated(
	struct stacks *s, location_id *cached_location, const char *reason)
{
	char text[64];

	snprintf(text, sizeof(text), "[truncated:%s]", reason);
	return mark(s, cached_location, text);
}

/* This machine's kernel. For an earlier recording its build id is left out: nothing proves that it
 * was the same kernel. */
static mapping_id own_kernel_mapping(struct stacks *s)
{
	struct mapping row = {.kind = MAPPING_KERNEL};
	char build_id[65] = "";

	if (s->kernel_mapping)
		return s->kernel_mapping;
	if (!s->processes->binaries->binary_locations)
		kernel_build_id_text(build_id);
	row.base = s->kernel ? kernel_text_start(s->kernel) : 0;
	row.file = profile_string(s->profile, BYTES("[kernel.kallsyms]"));
	row.build_id = profile_string(s->profile, bytes_of(build_id));
	s->kernel_mapping = profile_mapping(s->profile, &row);
	return s->kernel_mapping;
}

/* From records of the kernel's mappings, if there are any; otherwise from its symbols. */
static mapping_id kernel_mapping_of(struct stacks *s, uint64_t address)
{
	const struct mapped *mapped = address_space_find(s->processes->kernel_space, address);
	struct kernel_symbol symbol;
	mapping_id mapping;

	if (mapped)
		return mapped->mapping;
	mapping = own_kernel_mapping(s);
	if (s->kernel && kernel_find(s->kernel, address, &symbol) &&
		!bytes_equal(symbol.module, BYTES("[kernel]"))) {
		struct mapping row = {
			.kind = MAPPING_MODULE, .file = profile_string(s->profile, symbol.module)};

		mapping = profile_mapping(s->profile, &row);
	}
	return mapping;
}

static mapping_id mapping_of(struct stacks *s, const struct place *place)
{
	struct mapping row = {.kind = MAPPING_JIT, .process = place->of & ~NO_MAPPING};

	if (place->of & NO_MAPPING)
		return profile_mapping(
			s->profile, &row); /* the address itself is all that is known */
	return place->of & KERNEL ? kernel_mapping_of(s, place->address) : place->of;
}

static struct place *cached(struct stacks *s, const struct place *place)
{
	return &s->places->at[hash_pair(place->of, place->address) >> 20 & (PLACES - 1)];
}

static location_id location_of(struct stacks *s, const struct place *place)
{
	struct place *known = cached(s, place);

	if (known->location && known->of == place->of && known->address == place->address)
		return known->location;
	*known = *place;
	known->location = profile_location(s->profile, mapping_of(s, place), place->address);
	return known->location;
}

static location_id kernel_location(struct stacks *s, uint64_t address)
{
	const struct address_space *kernel = s->processes->kernel_space;

	return location_of(
		s, &(struct place){.address = address, .of = KERNEL | (kernel ? kernel->id : 0)});
}

static struct place user_place(struct stack_builder *m, uint64_t address)
{
	const struct mapped *mapped;

	if (m->live) {
		mapped =
			processes_find(m->s->processes, m->live, address, m->record->identity.time);
		m->space = m->live->space; /* the lookup may have read the mappings again */
	} else {
		mapped = address_space_find(m->space, address);
	}
	if (!mapped) {
		m->not_reusable |= m->live != NULL; /* next time it may be in a known mapping */
		return (struct place){.address = address, .of = NO_MAPPING | m->process};
	}
	return (struct place){
		.address = mapped->binary ? address - mapped->start + mapped->offset : address,
		.of = mapped->mapping};
}

/* ---- The stack that is being built ---- */

static void push(struct stack_builder *m, location_id location)
{
	struct recent_stack *stack = m->stack;
	size_t at = m->depth++;

	m->same = m->same && at < stack->depth && stack->path[at] == location;
	if (m->same)
		return;
	stack->path[at] = location;
	stack->stacks[at] = profile_stack(m->s->profile, at ? stack->stacks[at - 1] : 0, location);
}

/* Push user frames, outermost first. The same address in the same address space on top of the
 * same frames is the same location. All locations are looked up before the first frame is
 * pushed: the lookups are independent, whereas a frame has to wait for its caller. */
static void push_users(struct stack_builder *m, const uint64_t *addresses, size_t count)
{
	struct recent_stack *stack = m->stack;
	struct place *lookups = m->s->lookups;
	size_t at = m->user, first = 0;

	m->not_reusable |= m->depth != stack->first_user + at;
	while (m->same && first < count && at + first < stack->user &&
		stack->addresses[at + first] == addresses[first])
		first++;
	for (size_t i = first; i < count; i++) {
		stack->addresses[at + i] = addresses[i];
		lookups[i] = user_place(m, addresses[i]);
		__builtin_prefetch(cached(m->s, &lookups[i]));
	}
	for (size_t i = first; i < count; i++)
		lookups[i].location = location_of(m->s, &lookups[i]);
	m->depth += first;
	m->user += count;
	for (size_t i = first; i < count; i++)
		push(m, lookups[i].location);
}

/* User frames follow. */
static void begin_user(struct stack_builder *m)
{
	struct recent_stack *stack = m->stack;
	uint32_t space = m->space ? m->space->id : 0;

	if (!m->same || !space || stack->space != space || stack->first_user != m->depth)
		stack->user = 0;
	stack->space = space;
	stack->first_user = m->depth;
}

/* The outermost frame: the thread's name, with '_' for blanks, as in folded text. */
static location_id comm_location(struct stacks *s, thread_id thread)
{
	struct bytes comm = profile_text(s->profile, s->profile->threads.items[thread].name);
	struct buffer name = {0};
	location_id location = 0;

	buffer_add(&name, comm.at, comm.len);
	for (size_t i = 0; i < name.len; i++)
		if (name.at[i] == ' ')
			name.at[i] = '_';
	if (!name.len)
		buffer_printf(&name, ":%d", s->profile->threads.items[thread].tid);
	mark(s, &location, name.at);
	buffer_release(&name);
	return location;
}

stack_id stacks_root(struct stacks *s, thread_id thread)
{
	return profile_stack(s->profile, 0, comm_location(s, thread));
}

location_id stacks_truncated(struct stacks *s, enum unwind_end end)
{
	return mark_truncated(s, &s->truncated[end], unwind_end_name(end));
}

stack_id stacks_switching(struct stacks *s, stack_id root)
{
	return profile_stack(
		s->profile, root, mark_as(s, &s->switching, "[switching]", FRAME_KERNEL));
}

location_id stacks_truncated_as(struct stacks *s, const char *reason)
{
	location_id location = 0;

	return mark_truncated(s, &location, reason);
}

location_id stacks_user_place(struct stacks *s, int32_t pid, uint64_t address, uint64_t time)
{
	struct process_state *process = processes_get(s->processes, pid);
	const struct perf_record record = {.identity = {.time = time}};
	struct stack_builder m = {.s = s,
		.record = &record,
		.live = process,
		.process = process->process,
		.space = process->space};

	const struct place place = user_place(&m, address);

	return location_of(s, &place);
}

location_id stacks_kernel_place(struct stacks *s, uint64_t address)
{
	return kernel_location(s, address);
}

static void begin(struct stack_builder *m, thread_id thread)
{
	struct recent_stack *stack = &m->s->recent[thread % RECENT_STACKS];

	m->stack = stack;
	m->same = stack->thread == thread && stack->depth;
	if (m->same) {
		m->depth = 1;
		return;
	}
	if (!stack->path) {
		stack->path = memory_resize(NULL, PATH_LIMIT, sizeof(*stack->path));
		stack->stacks = memory_resize(NULL, PATH_LIMIT, sizeof(*stack->stacks));
		stack->addresses = memory_resize(NULL, PATH_LIMIT, sizeof(*stack->addresses));
	}
	stack->thread = thread;
	stack->user = 0;
	push(m, comm_location(m->s, thread));
}

static stack_id finish(struct stack_builder *m)
{
	m->stack->depth = m->depth;
	m->stack->user = m->not_reusable ? 0 : m->user;
	return m->stack->stacks[m->depth - 1];
}

/* ---- Parts of a stack ---- */

static bool in_user_code(const struct perf_record *r)
{
	return (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
}

static void add_frames(struct stack_builder *m, const struct user_frames *frames)
{
	struct stacks *s = m->s;

	if (frames->foreign) {
		s->foreign++;
		push(m, mark_truncated(s, &s->truncated_foreign, "32-bit-code"));
		return;
	}
	s->ends[frames->end]++;
	s->guessed += frames->guessed;
	s->unread += frames->guessed && frames->unread &&
		     s->processes->binaries->rows.items[frames->unread].kind == MAPPING_FILE;
	if (frames->end != UNWIND_COMPLETE)
		push(m, mark_truncated(
				s, &s->truncated[frames->end], unwind_end_name(frames->end)));
	begin_user(m);
	push_users(m, frames->addresses, frames->count);
}

static void add_part(struct stack_builder *m, const struct chain_part *part)
{
	struct stacks *s = m->s;

	switch (part->context) {
	case (uint64_t)PERF_CONTEXT_KERNEL:
		for (size_t i = part->words.count; i-- > 0;)
			push(m, kernel_location(s, chain_address(part->words, i)));
		break;
	case (uint64_t)PERF_CONTEXT_HV:
		push(m, mark(s, &s->hypervisor, "[hypervisor]"));
		break;
	case (uint64_t)PERF_CONTEXT_GUEST:
	case (uint64_t)PERF_CONTEXT_GUEST_KERNEL:
	case (uint64_t)PERF_CONTEXT_GUEST_USER:
		push(m, mark_as(s, &s->guest, "[guest]", FRAME_GUEST));
		break;
	default:
		if (!m->user)
			begin_user(m);
		for (size_t i = 0; i < part->words.count; i++)
			s->addresses[i] = chain_address(part->words, part->words.count - 1 - i);
		push_users(m, s->addresses, part->words.count);
	}
}

/* A call stack in branch records: each entry is a call that has not returned, innermost first.
 * The innermost function is known only by its entry point. */
static void add_branches(struct stack_builder *m, const struct chain_part *user)
{
	const struct perf_words entries = m->record->sample.branches;
	size_t calls = entries.count / 3;
	uint64_t *addresses = m->s->addresses;

	begin_user(m);
	for (size_t i = 0; i < calls; i++)
		addresses[i] = entries.at[3 * (calls - 1 - i)];
	addresses[calls] = user && user->words.count ? user->words.at[0] : entries.at[1];
	push_users(m, addresses, calls + 1);
}

/* The mapping at an address, for a walk at the time of the sample. */
static const struct mapped *find_code(void *self, uint64_t address)
{
	struct stack_builder *m = self;
	const struct mapped *mapped;

	if (!m->live)
		return address_space_find(m->space, address);
	mapped = processes_find(m->s->processes, m->live, address, m->record->identity.time);
	m->space = m->live->space;
	return mapped;
}

static bool find_image(void *self, uint32_t binary, const struct image **ret_image)
{
	struct stack_builder *m = self;

	*ret_image = binaries_image(m->s->processes->binaries, binary);
	return true;
}

void stacks_walk_copy(struct stacks *s, int32_t pid, uint64_t time,
	const struct unwinder_copy *copy, struct user_frames *ret_frames)
{
	struct process_state *process = processes_get(s->processes, pid);
	const struct perf_record record = {.identity = {.time = time}};
	struct stack_builder m = {
		.s = s, .record = &record, .live = process, .space = process->space};
	const struct code_view view = {&m, find_code, find_image};

	unwinder_walk_copy(&s->unwinder, &view, copy, ret_frames);
}

/* The user part: from the stack copy, else from branch records, else from the call chain. `frames`:
 * those of the copy, if it was walked already. */
static void add_user(struct stack_builder *m, const struct chain_part *user,
	const struct user_frames *frames, struct stack_of_sample *ret)
{
	const struct perf_sample *sample = &m->record->sample;
	const struct code_view view = {m, find_code, find_image};
	struct user_frames own;
	size_t before = m->depth;

	if (unwinder_supports(m->s->arch, sample) && (sample->stack_user.len || !user)) {
		ret->has_user = sample->regs_user_abi != PERF_SAMPLE_REGS_ABI_NONE;
		if (!ret->has_user)
			return;
		if (!frames) {
			unwinder_walk(&m->s->unwinder, &view, m->record, &own);
			frames = &own;
		}
		ret->has_user = ret->walked = !frames->absent;
		ret->user_end = frames->end;
		if (!frames->absent)
			add_frames(m, frames);
		return;
	}
	if (sample->branches.count &&
		sample->layout->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
		add_branches(m, user);
	else if (user)
		add_part(m, user);
	ret->has_user = m->depth > before;
}

/* Complete a stack that is empty so far, because the wanted part is not the one that was sampled or
 * because the kernel provided no call chain: add the sampled address, or a frame for the other
 * part. */
static void add_address(struct stack_builder *m, unsigned parts)
{
	const struct perf_record *r = m->record;
	const struct chain_part part = {{&r->sample.ip, 1}, chain_context(r)};
	struct stacks *s = m->s;

	if (r->sample.layout->sample_type & PERF_SAMPLE_IP &&
		parts & (in_user_code(r) ? STACK_USER : STACK_KERNEL))
		add_part(m, &part);
	else
		push(m, in_user_code(r) ? mark(s, &s->user_half, "[user]")
					: mark(s, &s->kernel_half, "[kernel]"));
}

static struct stack_of_sample make_stack(
	struct stack_builder *m, thread_id thread, const struct user_frames *frames, unsigned parts)
{
	struct chain_part chain[CHAIN_PARTS_LIMIT];
	size_t count = chain_parts(m->record, chain);
	const struct chain_part *user = NULL;
	struct stack_of_sample ret = {0};

	if (count && chain[count - 1].context == (uint64_t)PERF_CONTEXT_USER)
		user = &chain[--count];
	begin(m, thread);
	if (parts & STACK_USER)
		add_user(m, user, frames, &ret);
	if (parts & STACK_KERNEL)
		while (count-- > 0)
			add_part(m, &chain[count]);
	if (m->depth == 1)
		add_address(m, parts);
	ret.stack = finish(m);
	return ret;
}

struct stack_of_sample stacks_add(
	struct stacks *s, const struct perf_record *r, thread_id thread, unsigned parts)
{
	struct process_state *process = processes_get(s->processes, (int32_t)r->identity.pid);
	struct stack_builder m = {.s = s,
		.record = r,
		.live = process,
		.process = process->process,
		.space = process->space};

	return make_stack(&m, thread, NULL, parts);
}

struct stack_of_sample stacks_add_deferred(
	struct stacks *s, const struct deferred_sample *moment, unsigned parts)
{
	struct stack_builder m = {.s = s,
		.record = moment->record,
		.process = moment->process,
		.space = moment->space};

	return make_stack(&m, moment->thread, moment->user, parts);
}

bool stacks_interrupts_idle(struct stacks *s, uint64_t address)
{
	struct kernel_symbol symbol;
	struct idle_place *place;

	if (!s->kernel)
		return false;
	if (!s->idle_places)
		s->idle_places = memory_new(1, sizeof(*s->idle_places));
	place = &s->idle_places->at[hash_pair(address, 0) >> 20 & (IDLE_PLACES - 1)];
	if (place->address != address) {
		place->address = address;
		place->interrupts = kernel_find(s->kernel, address, &symbol) &&
				    idle_is_interrupted_by(symbol.name);
	}
	return place->interrupts;
}

bool stacks_idle(struct stacks *s, const struct perf_record *r)
{
	struct chain_part chain[CHAIN_PARTS_LIMIT];
	size_t count;

	if (r->identity.pid || r->identity.tid)
		return false;
	count = s->kernel ? chain_parts(r, chain) : 0;
	for (size_t part = 0; part < count; part++)
		for (size_t i = 0; i < chain[part].words.count; i++)
			if (stacks_interrupts_idle(s, chain_address(chain[part].words, i)))
				return false;
	return true;
}

/* Missing files, of which these stacks are full, make them unreliable: a frame pointer may be any
 * register in code that was compiled without. */
static void note_unread(const struct stacks *s, uint64_t walked)
{
	const struct binaries *b = s->processes->binaries;
	struct buffer text = {0}, files = {0};
	unsigned count = 0;

	if (s->unread * UNREAD_SHARE < walked || !s->unread)
		return;
	for (size_t i = 1; i < b->rows.len; i++) {
		struct bytes name = bytes_base_name(b->rows.items[i].path);

		if (b->rows.items[i].kind != MAPPING_FILE || b->rows.items[i].image ||
			b->rows.items[i].unopened || count++ >= UNREAD_FILES)
			continue;
		buffer_printf(&files, "%s%.*s", files.len ? ", " : "", (int)name.len, name.at);
	}
	units_grouped(&text, (int64_t)s->unread);
	buffer_text(&text, " of ");
	units_grouped(&text, (int64_t)walked);
	profile_note(s->profile,
		"%s stack copies lead through files that are missing or differ from the recorded "
		"ones "
		"(%s%s): frame pointers were used instead of their unwind tables, so frames may be "
		"missing or wrong; use --symfs or --build-id-dir",
		text.at, files.at, count > UNREAD_FILES ? ", ..." : "");
	buffer_release(&files);
	buffer_release(&text);
}

void stacks_add_meta(const struct stacks *s)
{
	struct buffer text = {0};
	uint64_t walked = 0;

	if (!s->guessed)
		return;
	for (size_t i = 0; i < UNWIND_ENDS; i++)
		walked += s->ends[i];
	note_unread(s, walked);
	units_grouped(&text, (int64_t)s->guessed);
	buffer_text(&text, " of ");
	units_grouped(&text, (int64_t)walked);
	buffer_text(&text,
		" user stacks contain code without unwind tables, where frame pointers were used");
	profile_set_meta(s->profile, BYTES("frame pointers"), buffer_bytes(&text));
	buffer_release(&text);
}
