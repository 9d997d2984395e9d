/* io.c: where are files read and written? Every system call that does. */
#include "recorders/modes/driver.h"

#ifdef HAVE_BPF
#include "bpf/shared/io.h"
#include "io.skel.h"
#include "recorders/programs/support.h"

#include <errno.h>
#include <sys/syscall.h>
#endif

/* ---- What can be asked ---- */

#define AT(member) offsetof(struct record_options, member)
static const struct option options[] = {
	{.name = "reads",
		.letter = 'r',
		.set = option_flag,
		.offset = AT(reads),
		.help = "only reads (with -w: reads and writes, without fsync)"},
	{.name = "writes",
		.letter = 'w',
		.set = option_flag,
		.offset = AT(writes),
		.help = "only writes"},
	{.name = "latency",
		.set = option_flag,
		.offset = AT(latency),
		.help = "measure the time of calls, not their bytes"},
	{.name = "files",
		.set = option_flag,
		.offset = AT(files),
		.help = "show the file's name as the leaf frame"},
	{0},
};

static bool used(const struct record_options *o)
{
	return o->reads || o->writes || o->latency || o->files;
}

static bool check(const struct record_options *o, struct error *err)
{
	return !o->kernel_only ||
	       error_set(err, ERR_USAGE, "--mode io records calls from user space: leave out -k");
}

static const char *heading(const struct record_options *o)
{
	return o->latency ? "longest reads and writes (self)" : NULL;
}

static const struct mode words = {
	.name = "io",
	.about = "bytes or time of reads and writes of files",
	.none = "the target called neither read, write nor fsync on a regular file",
	.top = "most reads and writes (self)",
	.heading = heading,
	.what = "call",
	.options = options,
	.title = "Files (--mode io)",
	.own = "-r, -w, --latency (also in --mode disk) and --files",
	.used = used,
	.check = check,
};

#ifdef HAVE_BPF
#define SAMPLE_PARTS (SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_DURATION)

struct io_state {
	struct driver driver;
	struct io_bpf *programs;
	bool latency;
	location_id kinds[CALL_KINDS];
	VECTOR(location_id) files; /* by number */
	uint64_t files_added;	   /* since the kernel's table was emptied */
};

static const struct {
	uint8_t kind;
	uint16_t number;
} calls[] = {
	{CALL_READ, SYS_read},
	{CALL_READ, SYS_pread64},
	{CALL_READ, SYS_readv},
	{CALL_READ, SYS_preadv},
	{CALL_READ, SYS_preadv2},
	{CALL_WRITE, SYS_write},
	{CALL_WRITE, SYS_pwrite64},
	{CALL_WRITE, SYS_writev},
	{CALL_WRITE, SYS_pwritev},
	{CALL_WRITE, SYS_pwritev2},
	{CALL_SYNC, SYS_fsync},
	{CALL_SYNC, SYS_fdatasync},
};

static const char *const kind_frames[CALL_KINDS] = {
	[CALL_READ] = "[read]", [CALL_WRITE] = "[write]", [CALL_SYNC] = "[sync]"};

/* ---- Setting up ---- */

static bool is_requested(const struct record_options *o, unsigned kind)
{
	return (!o->reads && !o->writes) || (kind == CALL_READ && o->reads) ||
	       (kind == CALL_WRITE && o->writes);
}

static bool io_open(void *self, struct error *err)
{
	struct io_state *state = self;
	struct session *s = state->driver.session;
	const struct record_options *o = s->options;
	struct io_bpf__rodata *constants;

	state->programs = io_bpf__open();
	if (!state->programs)
		return bpf_error(err, -errno, "cannot open the BPF programs");
	state->latency = o->latency;
	constants = state->programs->rodata;
	bpf_source_fill_config(&state->driver.source, s, "", &constants->config);
	constants->config.kernel_frames = false; /* they are the same in every call */
	constants->names = o->files;
	constants->wait_for_pages = bpf_source_waits_for_pages(&state->driver.source, s,
		state->programs->progs.on_exit, state->programs->maps.deferred_stacks);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (is_requested(o, calls[i].kind))
			constants->calls[calls[i].number] = calls[i].kind;
	state->driver.source.programs = state->programs->skeleton;
	return true;
}

static void io_describe(void *self)
{
	struct io_state *state = self;

	driver_add_tally(
		&state->driver, &(struct tally_kinds){.kind = BYTES("io"),
					.unit = state->latency ? BYTES("ns") : BYTES("bytes"),
					.count = BYTES("calls"),
					.event = BYTES("calls")});
	for (unsigned i = CALL_READ; i < CALL_KINDS; i++)
		state->kinds[i] =
			driver_place(&state->driver, bytes_of(kind_frames[i]), FRAME_META);
	vector_push(&state->files, 0);
}

/* ---- Records ---- */

/* "/usr/lib/x": the names come from the file's own outwards. */
static void path_of(const struct event_file *event, struct buffer *path)
{
	size_t end = event->len;

	if (!event->complete)
		buffer_text(path, "...");
	while (end) {
		size_t at = end - 1; /* of the terminating 0 */

		while (at && event->names[at - 1])
			at--;
		buffer_char(path, '/');
		buffer_add(path, event->names + at, end - 1 - at);
		end = at;
	}
}

static void add_file(struct io_state *state, const struct event_file *event)
{
	struct buffer path = {0};

	path_of(event, &path);
	while (state->files.len <= event->id)
		vector_push(&state->files, 0);
	state->files.items[event->id] =
		driver_place(&state->driver, buffer_bytes(&path), FRAME_META);
	state->files_added++;
	buffer_release(&path);
}

static bool add_call(struct io_state *state, const struct event_call *call)
{
	struct profile *p = &state->driver.session->profile;
	struct sample sample = {.has = SAMPLE_PARTS,
		.time = call->start,
		.cpu = call->cpu,
		.duration = call->duration};

	if (call->kind >= CALL_KINDS || call->file >= state->files.len)
		return false;
	driver_locate(&state->driver, call->pid, call->tid, call->chunk, &sample);
	sample.stack = profile_stack(p, sample.stack, state->kinds[call->kind]);
	if (call->file)
		sample.stack = profile_stack(p, sample.stack, state->files.items[call->file]);
	driver_add(&state->driver, 0, &sample,
		(int64_t)(state->latency ? call->duration : call->bytes), 1);
	return true;
}

static size_t record_size(uint8_t type)
{
	return type == EVENT_CALL   ? sizeof(struct event_call)
	       : type == EVENT_FILE ? offsetof(struct event_file, names)
				    : 0;
}

static uint64_t record_time(const void *record)
{
	const struct event_call *call = record;
	const struct event_file *file = record;

	return call->type == EVENT_FILE ? file->time : call->start + call->duration;
}

static bool take(void *context, const void *record)
{
	const struct event_file *file = record;

	if (file->type == EVENT_CALL)
		return add_call(context, record);
	add_file(context, file);
	return true;
}

/* ---- Events ---- */

/* The kernel's table of files is emptied before it is full. */
static bool io_drained(void *self, bool last, struct error *err)
{
	struct io_state *state = self;

	(void)last;
	(void)err;
	if (state->files_added > FILES_MAX / 4 * 3) {
		bpf_source_empty(
			&state->driver.source, "files", sizeof(struct file_key), FILES_MAX);
		state->files_added = 0;
	}
	return true;
}

static struct deferred_event *io_deferred(void *self)
{
	return ((struct io_state *)self)->programs->bss->deferred;
}

static void io_account(void *self)
{
	struct io_state *state = self;
	uint64_t missed =
		driver_missed(&state->driver, (const char *const[]){"on_enter", "on_exit", NULL});
	struct mode_counts c;

	bpf_source_counts(&state->driver.source, (uint64_t *)&c, sizeof(c) / sizeof(uint64_t));
	driver_account(&state->driver, 0, c.expected + c.no_memory + missed,
		(struct bpf_loss[]){{"ring full", c.ring_full}, {"no memory", c.no_memory},
			{"BPF recursion", missed}, {0}});
}

static void io_release(void *self)
{
	struct io_state *state = self;

	io_bpf__destroy(state->programs);
	vector_release(&state->files);
}

static const struct mode_events events = {
	.state_size = sizeof(struct io_state),
	.attaching = "cannot attach to the kernel's system calls",
	.records = {record_size, record_time, take},
	.open = io_open,
	.describe = io_describe,
	.drained = io_drained,
	.deferred = io_deferred,
	.account = io_account,
	.release = io_release,
};
#endif

extern const struct recorder recorder_io;
const struct recorder recorder_io = {.mode = &words, DRIVEN_BY(&events)};
