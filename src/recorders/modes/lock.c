/* lock.c: where do threads wait for locks? Every such wait, from events of the kernel. */
#include "recorders/modes/driver.h"

#include "bpf/shared/lock.h"

#ifdef HAVE_BPF
#include "lock.skel.h"
#include "recorders/programs/support.h"

#include <errno.h>
#include <sys/syscall.h>

#include <bpf/libbpf.h>
#endif

/* ---- What can be asked ---- */

#define KERNEL_KINDS (((1u << LOCK_KINDS) - 1) & ~(1u << LOCK_FUTEX))

/* The name of a reader-writer lock stands for both of its sides. */
static const struct {
	const char *name;
	unsigned kinds;
} names[] = {
	{"futex", 1u << LOCK_FUTEX},
	{"spin", 1u << LOCK_SPIN},
	{"rwlock", 1u << LOCK_RWLOCK_READ | 1u << LOCK_RWLOCK_WRITE},
	{"mutex", 1u << LOCK_MUTEX},
	{"rwsem", 1u << LOCK_RWSEM_READ | 1u << LOCK_RWSEM_WRITE},
	{"rtmutex", 1u << LOCK_RT_MUTEX},
	{"percpu", 1u << LOCK_PERCPU_READ | 1u << LOCK_PERCPU_WRITE},
	{"semaphore", 1u << LOCK_SEMAPHORE},
	{"kernel", KERNEL_KINDS},
};

static unsigned kinds_named(struct bytes name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (bytes_equal(name, bytes_of(names[i].name)))
			return names[i].kinds;
	return 0;
}

static bool set_locks(void *target, const struct option *o, const char *value, struct error *err)
{
	struct record_options *request = target;

	(void)o;
	do {
		size_t len = strcspn(value, ",");
		unsigned kinds = kinds_named((struct bytes){value, len});

		if (!kinds)
			return error_set(err, ERR_USAGE,
				"expected a list of futex, spin, rwlock, mutex, rwsem, rtmutex, "
				"percpu, semaphore, or kernel for all but futex, separated by "
				"commas, not '%.*s'",
				(int)len, value);
		request->lock_kinds |= kinds;
		value += len;
	} while (*value++);
	return true;
}

static const struct option options[] = {
	{.name = "locks",
		.argument = "LIST",
		.set = set_locks,
		.help = "only these locks: futex (in programs); in the kernel spin, rwlock, mutex, "
			"rwsem, rtmutex, percpu, semaphore, or kernel for all of these"},
	{0},
};

static bool used(const struct record_options *o)
{
	return o->lock_kinds;
}

static const struct mode words = {
	.name = "lock",
	.about = "waits for locks: futexes and kernel locks",
	.none = "the target never waited for a lock",
	.top = "longest waits for locks (self)",
	.what = "wait for a lock",
	.options = options,
	.title = "Locks (--mode lock)",
	.own = "--locks",
	.used = used,
};

#ifdef HAVE_BPF
#define SAMPLE_PARTS (SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_DURATION)

struct lock_state {
	struct driver driver;
	struct lock_bpf *programs;
	unsigned enabled_kinds; /* bits by enum lock_kind */
	location_id kinds[LOCK_KINDS];
	struct buffer waiting; /* event_lock of threads that still wait at the end */
};

/* Newer calls than futex(2), of Linux 6.7 and 5.16, which libc's headers may lack. */
#define CALL_FUTEX_WAITV 449
#define CALL_FUTEX_WAIT	 455

static const struct {
	uint8_t kind;
	uint16_t number;
} calls[] = {
	{LOCK_CALL_FUTEX, SYS_futex},
#ifdef SYS_futex_time64
	{LOCK_CALL_FUTEX, SYS_futex_time64},
#endif
	{LOCK_CALL_WAIT, CALL_FUTEX_WAITV},
	{LOCK_CALL_WAIT, CALL_FUTEX_WAIT},
	{LOCK_CALL_RESTART, SYS_restart_syscall},
};

static const char *const kind_frames[LOCK_KINDS] = {
	[LOCK_FUTEX] = "[futex]",
	[LOCK_SPIN] = "[spinlock]",
	[LOCK_RWLOCK_READ] = "[rwlock read]",
	[LOCK_RWLOCK_WRITE] = "[rwlock write]",
	[LOCK_MUTEX] = "[mutex]",
	[LOCK_RWSEM_READ] = "[rwsem read]",
	[LOCK_RWSEM_WRITE] = "[rwsem write]",
	[LOCK_RT_MUTEX] = "[rt mutex]",
	[LOCK_PERCPU_READ] = "[percpu rwsem read]",
	[LOCK_PERCPU_WRITE] = "[percpu rwsem write]",
	[LOCK_SEMAPHORE] = "[semaphore]",
};

/* ---- Setting up ---- */

/* The kernel has tracepoints for its own locks since 5.19. */
static bool check_kernel(struct lock_state *state, struct session *s, struct error *err)
{
	if (!(state->enabled_kinds & KERNEL_KINDS) ||
		libbpf_find_vmlinux_btf_id("contention_begin", BPF_TRACE_RAW_TP) >= 0)
		return true;
	state->enabled_kinds &= ~KERNEL_KINDS;
	if (!state->enabled_kinds)
		return error_set(err, ERR_UNSUPPORTED,
			"--locks: this kernel does not report its own locks: Linux 5.19 and later "
			"do");
	session_notice(s, "this kernel does not report its own locks (Linux 5.19 and later do): "
			  "only futexes are recorded");
	return true;
}

static bool lock_open(void *self, struct error *err)
{
	struct lock_state *state = self;
	struct session *s = state->driver.session;
	struct lock_bpf__rodata *constants;
	struct kernel_symbol caller;
	bool futex, kernel;

	state->enabled_kinds =
		s->options->lock_kinds ? s->options->lock_kinds : (1u << LOCK_KINDS) - 1;
	if (!check_kernel(state, s, err))
		return false;
	state->programs = lock_bpf__open();
	if (!state->programs)
		return bpf_error(err, -errno, "cannot open the BPF programs");
	constants = state->programs->rodata;
	bpf_source_fill_config(&state->driver.source, s, "", &constants->config);
	if (s->kernel && kernel_find_named(s->kernel, BYTES("bpf_trace_run2"), &caller)) {
		constants->probe_start = caller.start;
		constants->probe_size = caller.end - caller.start;
	}
	constants->kinds = state->enabled_kinds;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		constants->calls[calls[i].number] = calls[i].kind;
	futex = state->enabled_kinds & 1u << LOCK_FUTEX;
	kernel = state->enabled_kinds & KERNEL_KINDS;
	bpf_program__set_autoload(state->programs->progs.on_enter, futex);
	bpf_program__set_autoload(state->programs->progs.on_exit, futex);
	bpf_program__set_autoload(state->programs->progs.on_begin, kernel);
	bpf_program__set_autoload(state->programs->progs.on_end, kernel);
	constants->wait_for_pages = bpf_source_waits_for_pages(&state->driver.source, s,
		state->programs->progs.on_end, state->programs->maps.deferred_stacks);
	state->driver.source.programs = state->programs->skeleton;
	return true;
}

static void lock_describe(void *self)
{
	struct lock_state *state = self;

	driver_add_tally(&state->driver, &(struct tally_kinds){.kind = BYTES("lock"),
						 .unit = BYTES("ns"),
						 .count = BYTES("waits"),
						 .event = BYTES("locks")});
	for (unsigned i = 0; i < LOCK_KINDS; i++)
		state->kinds[i] =
			driver_place(&state->driver, bytes_of(kind_frames[i]), FRAME_WAITING);
}

/* ---- Records ---- */

static bool add_wait(void *context, const void *record)
{
	struct lock_state *state = context;
	const struct event_lock *event = record;
	struct sample sample = {.has = SAMPLE_PARTS,
		.time = event->start,
		.cpu = event->cpu,
		.duration = event->duration};

	if (event->kind >= LOCK_KINDS)
		return false;
	driver_locate(&state->driver, event->pid, event->tid, event->chunk, &sample);
	sample.stack = profile_stack(
		&state->driver.session->profile, sample.stack, state->kinds[event->kind]);
	driver_add(&state->driver, 0, &sample, (int64_t)event->duration, 1);
	return true;
}

static size_t record_size(uint8_t type)
{
	return type == EVENT_LOCK ? sizeof(struct event_lock) : 0;
}

static uint64_t record_time(const void *record)
{
	const struct event_lock *event = record;

	return event->start + event->duration;
}

/* ---- Events ---- */

/* List waiting threads while the ends of waits are still recorded: a wait that ends in between, as
 * its thread ends, would be in neither. */
static void lock_ending(void *self)
{
	struct lock_state *state = self;
	struct session *s = state->driver.session;
	struct error failed = {0};

	if (s->started &&
		!bpf_iterate(state->programs->progs.still_waiting, &state->waiting, &failed))
		profile_note(&s->profile,
			"waits that had not ended at the end of the recording are missing: %s",
			failed.text);
}

static struct deferred_event *lock_deferred(void *self)
{
	return ((struct lock_state *)self)->programs->bss->deferred;
}

static void lock_take_rest(void *self)
{
	struct lock_state *state = self;
	struct bytes rest = buffer_bytes(&state->waiting);

	for (; rest.len >= sizeof(struct event_lock);
		rest.at += sizeof(struct event_lock), rest.len -= sizeof(struct event_lock))
		bpf_source_take(
			&state->driver.source, (struct bytes){rest.at, sizeof(struct event_lock)});
	state->waiting.len = 0;
}

static void lock_account(void *self)
{
	struct lock_state *state = self;
	uint64_t nested =
		driver_missed(&state->driver, (const char *const[]){"on_enter", "on_begin", NULL});
	struct lock_counts c;

	bpf_source_counts(&state->driver.source, (uint64_t *)&c, sizeof(c) / sizeof(uint64_t));
	nested += c.nested;
	driver_account(&state->driver, 0, c.waits + c.unseen + c.no_memory + nested,
		(struct bpf_loss[]){{"ring full", c.ring_full}, {"end not seen", c.unseen},
			{"no memory", c.no_memory}, {"BPF recursion", nested}, {0}});
}

static void lock_release(void *self)
{
	struct lock_state *state = self;

	lock_bpf__destroy(state->programs);
	buffer_release(&state->waiting);
}

static const struct mode_events events = {
	.state_size = sizeof(struct lock_state),
	.scratch_areas = SCRATCH_OTHER + 1,
	.attaching = "cannot attach to the kernel's locks",
	.records = {record_size, record_time, add_wait},
	.open = lock_open,
	.describe = lock_describe,
	.ending = lock_ending,
	.deferred = lock_deferred,
	.take_rest = lock_take_rest,
	.account = lock_account,
	.release = lock_release,
};
#endif

extern const struct recorder recorder_lock;
const struct recorder recorder_lock = {.mode = &words, DRIVEN_BY(&events)};
