/* unwind_check.c: are the stacks that bpf/unwind.h finds those of images/unwind.h, and whole?
 *
 *     unwind_check HZ COPY_EVERY COMMAND [ARGUMENT...]
 *
 * Runs a command and samples it and its children. Of every so-manyth sample the program in the
 * kernel also hands over the registers and a copy of the stack that it walked on; the walker of
 * user space goes over these, and both results are compared frame by frame. Stacks that the kernel
 * cannot walk yet are copied and walked as recordings do it. Prints figures, one a line: "name
 * value". */
#include "tests/privileged/bpf/unwind_check.h"
#include "base/clock.h"
#include "images/unwind.h"
#include "recorders/perf/event.h"
#include "recorders/perf/ring.h"
#include "recorders/programs/copies.h"
#include "recorders/programs/ring.h"
#include "recorders/session.h"
#include "recorders/unwind/tables.h"
#include "unwind_check.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RING_BYTES   ((uint64_t)1 << 20) /* of what happens to processes, for each CPU */
#define COPIES_BYTES ((uint64_t)64 << 20)
#define POLL_MS	     1
#define SHOWN	     5
#define FRAMES_LIMIT 4096

struct check {
	struct unwind_check_bpf *bpf;
	struct profile profile;
	struct binaries binaries;
	struct processes processes;
	struct unwind_tables tables;
	struct perf_layout layout;
	struct perf_merge merge;
	VECTOR(struct cfi *) cfis; /* by binary */
	struct bpf_ring copies;
	uint64_t ends[UNWIND_ENDS]; /* of copies */
	uint64_t late;		    /* so many copies come before anything is told to the kernel */
	uint64_t walked;
	uint64_t compared, equal, shorter, unable, differ, skipped, shown;
	uint64_t update_ns, updates, slowest_ns;
};

static _Noreturn void fail(const char *what, const struct error *err)
{
	fprintf(stderr, "unwind_check: %s: %s\n", what, err ? err->text : strerror(errno));
	exit(1);
}

/* ---- What happens to processes ---- */

static void open_tracking(struct check *c, int cpus, pid_t pid)
{
	struct perf_features features;
	struct perf_event_attr attr;

	perf_features_probe(&features);
	perf_attr_init(&attr, &features);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.sample_period = 1;
	attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = 1;
	attr.inherit = 1;
	attr.disabled = 0;
	c->layout = perf_layout_of(&attr);
	for (int cpu = 0; cpu < cpus; cpu++) {
		struct perf_ring ring;
		int fd = perf_event_open(&attr, pid, cpu, 0);

		if (fd < 0 || !perf_ring_map(&ring, fd, (uint32_t)cpu, RING_BYTES, &c->layout))
			fail("tracking", NULL);
		vector_push(&c->merge.rings, ring);
	}
}

static void open_clock(struct check *c, int cpus, uint64_t frequency)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = frequency};

	for (int cpu = 0; cpu < cpus; cpu++) {
		int fd = perf_event_open(&attr, -1, cpu, 0);

		if (fd < 0 || !bpf_program__attach_perf_event(c->bpf->progs.on_clock, fd))
			fail("cpu-clock", NULL);
	}
}

static void apply(struct check *c, uint64_t until)
{
	struct perf_record record;
	struct error err = {0};
	struct perf_ring *ring;
	struct bytes bytes;

	while (perf_merge_next(&c->merge, until, &bytes, &ring)) {
		if (perf_record_decode(bytes, ring->layout, &record, &err))
			processes_apply(&c->processes, &record);
		perf_merge_done(ring);
	}
}

/* ---- Stacks, walked in user space ---- */

struct lookup {
	struct check *check;
	struct process_state *process;
};

static bool look_up(void *context, uint64_t pc, struct unwind_code *ret)
{
	struct lookup *l = context;
	struct check *c = l->check;
	const struct mapped *m = address_space_find(l->process->space, pc);
	const struct image *image;
	uint64_t address;

	if (!m)
		return false;
	*ret = (struct unwind_code){.start = m->start, .end = m->end, .owner = m};
	image = m->binary ? binaries_image(&c->binaries, m->binary) : NULL;
	if (!image || !image_address(image, pc - m->start + m->offset, &address))
		return true;
	while (c->cfis.len <= m->binary)
		vector_push(&c->cfis, NULL);
	if (!c->cfis.items[m->binary])
		c->cfis.items[m->binary] = cfi_open(image);
	ret->bias = pc - address;
	ret->cfi = c->cfis.items[m->binary];
	return true;
}

static enum unwind_end walk(struct check *c, struct process_state *process,
	const struct unwinder_copy *copy, struct unwind_frame *frames, size_t *ret_count)
{
	struct lookup lookup = {c, process};
	struct unwind_input input = {.arch = arch_native(),
		.registers = &copy->registers,
		.stack = copy->stack,
		.stack_filled = copy->filled,
		.lookup = look_up,
		.context = &lookup};

	return unwind_stack(&input, frames, FRAMES_LIMIT, ret_count);
}

/* One that the kernel could not walk. */
static void walk_copy(struct check *c, const struct event_copy *told)
{
	static struct unwind_frame frames[FRAMES_LIMIT];
	struct unwinder_copy copy;
	size_t count;

	apply(c, told->time);
	copy_open(told, &copy);
	c->walked++;
	c->ends[walk(
		c, processes_get(&c->processes, (int32_t)told->space), &copy, frames, &count)]++;
}

/* Copies are older than `began`, as is what they need to be known. */
static void update(struct check *c)
{
	uint64_t began = monotonic_ns(), took;
	struct bytes copy;

	bpf_ring_update(&c->copies);
	perf_merge_update(&c->merge);
	while (bpf_ring_next(&c->copies, &copy)) {
		walk_copy(c, (const void *)copy.at);
		bpf_ring_done(&c->copies);
	}
	apply(c, began);
	if (c->walked >= c->late)
		unwind_tables_update(&c->tables, &c->processes, began);
	took = monotonic_ns() - began;
	c->update_ns += took;
	c->updates++;
	if (took > c->slowest_ns)
		c->slowest_ns = took;
}

/* ---- The same stack, walked in both ---- */

static const char *module_at(
	struct check *c, struct process_state *process, uint64_t address, uint64_t *ret_offset)
{
	const struct mapped *m = address_space_find(process->space, address);

	*ret_offset = m ? address - m->start + m->offset : address;
	return m && m->binary ? c->binaries.rows.items[m->binary].path.at : "?";
}

static void show(struct check *c, struct process_state *process, const struct taken *t,
	const struct unwind_frame *frames, size_t count, enum unwind_end end)
{
	size_t most = count > t->stack.count ? count : t->stack.count;
	bool differ = false;

	fprintf(stderr, "pid %d: in the kernel %u frames, end %s; in user space %zu, end %s\n",
		process->pid, t->stack.count, unwind_end_name((enum unwind_end)t->stack.end), count,
		unwind_end_name(end));
	for (size_t i = 0; i < most && !differ; i++) {
		uint64_t ours = i < t->stack.count ? t->stack.ip[i] : 0, offset;
		uint64_t theirs = i < count ? frames[i].address : 0;
		const char *path = module_at(c, process, theirs ? theirs : ours, &offset);

		differ = ours != theirs;
		if (differ || i + 3 > t->stack.count)
			fprintf(stderr, "  %zu: %" PRIx64 " %" PRIx64 " %s+%" PRIx64 "\n", i, ours,
				theirs, path, offset);
	}
}

static void compare(struct check *c, const struct taken *t)
{
	static struct unwind_frame frames[FRAMES_LIMIT];
	struct process_state *process = processes_get(&c->processes, (int32_t)(t->pid_tgid >> 32));
	struct unwinder_copy copy = {.stack = {.start = t->regs[TAKEN_SP] & -TAKEN_PAGE,
					     .content = {t->bytes, t->copied}},
		.filled = t->copied == sizeof(t->bytes)};
	size_t count, i;
	enum unwind_end end;

	/* It is copied, or something was mapped meanwhile that the program did not see. */
	if (t->stack.needs_table || !t->stack.space || !process->space ||
		process->space->id != t->stack.space) {
		c->skipped++;
		return;
	}
	copy_registers((const uint64_t *)t->regs, &copy.registers);
	end = walk(c, process, &copy, frames, &count);
	c->compared++;
	for (i = 0; i < count && i < t->stack.count && frames[i].address == t->stack.ip[i]; i++)
		;
	if (i == count && i == t->stack.count &&
		(end == UNWIND_COMPLETE) == (t->stack.end == USER_STACK_COMPLETE)) {
		c->equal++;
		return;
	}
	/* As far as the copy went, they agree. */
	if ((i == count && (end == UNWIND_STACK_COPY || end == UNWIND_STACK_MISSING)) ||
		(i == t->stack.count && t->stack.end == USER_STACK_DEPTH)) {
		c->shorter++;
		return;
	}
	/* Expressions are for user space. */
	if (i == t->stack.count && t->stack.end == USER_STACK_BAD_RULE) {
		c->unable++;
		return;
	}
	c->differ++;
	if (c->shown++ < SHOWN)
		show(c, process, t, frames, count, end);
}

static int on_taken(void *context, void *data, size_t size)
{
	(void)size;
	compare(context, data);
	return 0;
}

/* ---- The command ---- */

/* It waits for a byte in *ret_go. */
static pid_t prepare(struct check *c, char **command, int *ret_go)
{
	uint8_t yes = 1;
	int go[2];
	pid_t pid;
	char byte;

	if (pipe(go))
		fail("pipe", NULL);
	pid = fork();
	if (!pid) {
		close(go[1]);
		if (read(go[0], &byte, 1) == 1)
			execvp(command[0], command);
		_exit(127);
	}
	close(go[0]);
	bpf_map_update_elem(bpf_map__fd(c->bpf->maps.targets), &pid, &yes, BPF_ANY);
	*ret_go = go[1];
	return pid;
}

/* The time in ns that a share of the walks did not exceed. */
static uint64_t walk_quantile(const struct check *c, double share)
{
	double left = share * (double)c->bpf->bss->samples;
	unsigned i;

	for (i = 0; i + 1 < WALK_STEPS && left > 0; i++)
		left -= (double)c->bpf->bss->walks[i];
	return (uint64_t)i * WALK_STEP;
}

static void tell(const struct check *c)
{
	static const char *const names[USER_STACK_ENDS] = {
		[USER_STACK_COMPLETE] = "complete", [USER_STACK_FOREIGN] = "foreign"};
	const struct unwind_tables *t = &c->tables;
	double samples = (double)c->bpf->bss->samples, frames = (double)c->bpf->bss->frames;
	double here = samples - (double)c->bpf->bss->handed_over;
	uint64_t ends[USER_STACK_ENDS];

	printf("samples %.0f\n", samples);
	for (int i = 0; i < USER_STACK_ENDS; i++) {
		ends[i] = c->bpf->bss->ends[i] + (i < UNWIND_ENDS ? c->ends[i] : 0);
		if (ends[i])
			printf("end_%s %" PRIu64 "\n",
				names[i] ? names[i] : unwind_end_name((enum unwind_end)i), ends[i]);
	}
	printf("complete_percent %.3f\n", 100 * (double)ends[USER_STACK_COMPLETE] /
						  (samples - (double)ends[UNWIND_NO_MAPPING]));
	printf("copies %llu\nwalked %" PRIu64 "\n", c->bpf->bss->handed_over, c->walked);
	printf("frames_per_sample %.1f\n", frames / here);
	printf("ns_per_sample %.0f\n", (double)c->bpf->bss->walk_ns / samples);
	printf("ns_median %" PRIu64 "\nns_90 %" PRIu64 "\nns_99 %" PRIu64 "\n",
		walk_quantile(c, 0.5), walk_quantile(c, 0.9), walk_quantile(c, 0.99));
	printf("ns_per_frame %.1f\n", (double)c->bpf->bss->walk_ns / frames);
	printf("compared %" PRIu64 "\nequal %" PRIu64 "\nunable %" PRIu64 "\nshorter %" PRIu64
	       "\ndiffer %" PRIu64 "\nskipped %" PRIu64 "\n",
		c->compared, c->equal, c->unable, c->shorter, c->differ, c->skipped);
	printf("kept_tables %" PRIu64 "\n", t->from_disk);
	printf("tables %" PRIu64 "\ntable_ms %.1f\ntable_kb %" PRIu64 "\n", t->built,
		(double)t->build_ns / 1e6, t->bytes / 1024);
	printf("updates %" PRIu64 "\nupdate_us %.1f\nslowest_update_ms %.1f\n", c->updates,
		(double)c->update_ns / 1e3 / (double)c->updates, (double)c->slowest_ns / 1e6);
	printf("lost %llu\nno_room %" PRIu64 "\n", c->bpf->bss->lost, t->no_room);
}

int main(int argc, char **argv)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), status, go;
	struct ring_buffer *ring;
	struct check c = {0};
	struct error err = {0};
	pid_t pid;

	if (argc < 4) {
		fprintf(stderr, "usage: unwind_check HZ COPY_EVERY COMMAND [ARGUMENT...]\n");
		return 2;
	}
	profile_init(&c.profile);
	binaries_init(&c.binaries, &c.profile);
	processes_init(&c.processes, &c.profile, &c.binaries);
	c.processes.live = true;
	c.bpf = unwind_check_bpf__open();
	if (!c.bpf)
		fail("open", NULL);
	c.bpf->rodata->copy_every = strtoull(argv[2], NULL, 10);
	if (unwind_check_bpf__load(c.bpf))
		fail("load", NULL);
	if (!bpf_program__attach(c.bpf->progs.on_fork) ||
		!bpf_program__attach(c.bpf->progs.on_exec))
		fail("attach", NULL);
	if (!unwind_tables_init(&c.tables, c.bpf->obj, &err))
		fail("tables", &err);
	if (getenv("TABLE_BYTES"))
		c.tables.bytes_most = strtoull(getenv("TABLE_BYTES"), NULL, 10);
	ring = ring_buffer__new(bpf_map__fd(c.bpf->maps.ring), on_taken, &c, NULL);
	if (!bpf_ring_map(&c.copies, bpf_map__fd(c.bpf->maps.copies), COPIES_BYTES, &err))
		fail("copies", &err);
	unwind_tables_prepare(&c.tables, argv[3]);
	pid = prepare(&c, argv + 3, &go);
	open_tracking(&c, cpus, pid);
	open_clock(&c, cpus, strtoull(argv[1], NULL, 10));
	if (getenv("LATE"))
		c.late = strtoull(getenv("LATE"), NULL, 10);
	if (write(go, "", 1) != 1)
		fail("pipe", NULL);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		update(&c);
		ring_buffer__poll(ring, POLL_MS);
	}
	ring_buffer__consume(ring);
	update(&c);
	tell(&c);
	return status ? 1 : 0;
}
