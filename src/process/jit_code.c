/* jit_code.c: what is known about code that recorded processes generated at run time? */
#include "process/jit_code.h"

#include "base/broker.h"
#include "base/libc.h"
#include "base/scope.h"
#include "base/units.h"
#include "images/jitdump.h"
#include "images/perf_map.h"
#include "images/v8_log.h"

#include <assert.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_FILES_LIMIT 512u		      /* open files */
#define PROCESSES_LIMIT	 4096u		      /* rows */
#define TRY_AGAIN	 ((uint64_t)10000000) /* ns until missing files are tried again... */
#define TRY_INTERVAL_MAX                                                                           \
	((uint64_t)16000000000)	     /* ... growing by an eighth each time up to this              \
				      */
#define LOG_PATIENCE	   SECOND_NS /* for folders of running processes, which may be large */
#define LOG_TRIES	   32u	     /* over 3 s in total; V8 creates the log before any code */
#define NS_PER_S	   1000000000ll
#define FILES_LISTED_LIMIT 4u /* files named in one message */

/* One of the files that a runtime writes. */
struct source {
	int fd;		       /* -1: not found yet */
	bool timed;	       /* its times are comparable with sample times... */
	int64_t base;	       /* ... after this is subtracted from them */
	struct code_map *code; /* owned by its reader; NULL: not read yet */
};

enum { DUMP, LOG, MAP, SOURCES };

static_assert(SOURCES == JIT_SOURCES, "struct jit_code has room for them");

struct jit_process {
	process_id process;
	int32_t pid, own_pid; /* as seen here, and by the process itself */
	bool gone;	      /* do not try again */
	uint64_t map_size;    /* size of the perf map at the last look */
	unsigned tries;
	uint64_t next, wait; /* ns: time of the next try for missing files, and the interval */
	struct source sources[SOURCES];
	struct jitdump *dump;
	struct v8_log *log;
	struct perf_map *map;
	struct error error; /* why an existing file could not be read */
};

static void process_release(struct jit_process *row)
{
	for (int i = 0; i < SOURCES; i++)
		if (row->sources[i].fd >= 0)
			scope_close(row->sources[i].fd);
	jitdump_release(row->dump);
	v8_log_release(row->log);
	perf_map_release(row->map);
}

void jit_code_release(struct jit_code *code)
{
	for (size_t i = 0; i < code->rows.len; i++)
		process_release(&code->rows.items[i]);
	vector_release(&code->rows);
	vector_release(&code->row_of);
	vector_release(&code->dumps);
	for (size_t i = 0; i < code->stacks.len; i++)
		vector_release(&code->stacks.items[i].of_sample);
	vector_release(&code->stacks);
}

static struct jit_process *find(struct jit_code *code, process_id process)
{
	uint32_t number = process < code->row_of.len ? code->row_of.items[process] : 0;

	return number ? &code->rows.items[number - 1] : NULL;
}

static struct jit_process *find_or_add(
	struct jit_code *code, const struct profile *p, process_id process)
{
	struct jit_process *row = find(code, process), new = {.process = process};

	if (row)
		return row;
	if (code->rows.len == PROCESSES_LIMIT) {
		code->full = true;
		return NULL;
	}
	new.pid = p->processes.items[process].pid;
	new.own_pid = code->recorded ? new.pid : runtime_file_pid(new.pid);
	for (int i = 0; i < SOURCES; i++)
		new.sources[i].fd = -1;
	new.map = perf_map_new();
	vector_push(&code->rows, new);
	while (code->row_of.len <= process)
		vector_push(&code->row_of, 0);
	code->row_of.items[process] = (uint32_t)code->rows.len;
	return &code->rows.items[code->rows.len - 1];
}

/* ---- Where files are ---- */

/* "/tmp/jit-123.dump" belongs to process 123, in its own pid namespace. */
static bool is_dump(struct bytes path, uint64_t *ret_pid)
{
	const char *slash = bytes_find_last(path, '/');
	struct bytes name =
		slash ? (struct bytes){slash + 1, path.len - (size_t)(slash + 1 - path.at)} : path;

	return bytes_starts_with(name, BYTES("jit-")) && bytes_ends_with(name, BYTES(".dump")) &&
	       name.len > 9 && bytes_u64((struct bytes){name.at + 4, name.len - 9}, ret_pid);
}

/* Memory that a program may write code to. The kernel's own pages are in every process and do not
 * count. */
static bool may_have_code(const struct profile *p, const struct mapping *m)
{
	static const struct bytes kernels[] = {
		{"[vsyscall]", 10}, {"[uprobes]", 9}, {"[vectors]", 9}, {"[sigpage]", 9}};
	struct bytes name = profile_text(p, m->file);

	if (m->kind != MAPPING_JIT)
		return false;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (bytes_equal(name, kernels[i]))
			return false;
	return true;
}

static void see_mappings(struct jit_code *code, const struct profile *p)
{
	uint64_t ignored;

	while (code->seen + 1 < p->mappings.len) {
		const struct mapping *m = &p->mappings.items[++code->seen];

		if (may_have_code(p, m))
			find_or_add(code, p, m->process);
		else if (m->kind == MAPPING_FILE && is_dump(profile_text(p, m->file), &ignored))
			vector_push(&code->dumps, m->file);
	}
}

/* Open a file of a running process, or in our own /tmp. */
static int open_at(const struct jit_code *code, const struct jit_process *row, const char *path,
	struct error *err)
{
	return runtime_file_open(code->recorded ? 0 : row->pid, path, err);
}

static int open_dump(const struct jit_code *code, const struct profile *p,
	const struct jit_process *row, struct error *err)
{
	uint64_t pid;
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < code->dumps.len; i++) {
		struct bytes path = profile_text(p, code->dumps.items[i]);
		char *copy;

		if (!is_dump(path, &pid) || pid != (uint64_t)row->own_pid)
			continue;
		copy = memory_copy_text(path.at, path.len);
		fd = open_at(code, row, copy, err);
		memory_free(copy);
	}
	return fd;
}

static int open_map(const struct jit_code *code, const struct jit_process *row, struct error *err)
{
	char path[64];

	if (code->recorded && !code->search_tmp)
		return -1;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", row->own_pid);
	return open_at(code, row, path, err);
}

/* Of the logs that the user names, open the last one of this process; otherwise the last one
 * without a process in its name, which applies to all processes. */
static int open_named_log(const struct jit_code *code, const struct jit_process *row)
{
	const char *own = NULL, *of_all = NULL;
	char end[32];
	glob_t found;
	int fd = -1;

	if (!code->v8_logs)
		return -1;
	snprintf(end, sizeof(end), "-%d-v8.log", row->own_pid);
	if (!glob(code->v8_logs, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			struct bytes path = bytes_of(found.gl_pathv[i]);

			if (bytes_ends_with(path, bytes_of(end)))
				own = path.at;
			else if (!bytes_ends_with(path, BYTES("-v8.log")))
				of_all = path.at;
		}
		if (own || of_all)
			fd = scope_fd(broker_open(BROKER_RUNTIME, own ? own : of_all));
	}
	globfree(&found);
	return fd;
}

static int open_log(struct jit_code *code, const struct jit_process *row, struct error *err)
{
	char end[32];
	int fd = open_named_log(code, row);

	if (fd >= 0 || code->recorded)
		return fd;
	snprintf(end, sizeof(end), "-%d-v8.log", row->own_pid);
	code->patience.first = LOG_PATIENCE;
	if (!patience_enter(&code->patience))
		return -1;
	fd = runtime_file_find(row->pid, "isolate-", end, err);
	patience_leave(&code->patience);
	return fd;
}

/* Mostly a recording has none of these files beside it. That is found out once, and not by listing
 * the directory for each of its processes. */
static bool any_beside(struct jit_code *code, int source)
{
	static const char *const starts[SOURCES] = {
		[DUMP] = "jit-", [LOG] = "isolate-", [MAP] = "perf-"};
	static const char *const ends[SOURCES] = {
		[DUMP] = ".dump", [LOG] = "-v8.log", [MAP] = ".map"};

	if (!code->recorded)
		return true;
	if (!code->beside_seen[source])
		code->beside_any[source] =
			runtime_file_any_in(code->beside, starts[source], ends[source]);
	code->beside_seen[source] = true;
	return code->beside_any[source];
}

static int open_beside(struct jit_code *code, const struct jit_process *row, int source)
{
	char start[32] = "isolate-", end[32] = "dump";
	struct error ignored = {0};

	if (!code->beside || !any_beside(code, source))
		return -1;
	if (source == DUMP)
		snprintf(start, sizeof(start), "jit-%d.", row->own_pid);
	else if (source == LOG)
		snprintf(end, sizeof(end), "-%d-v8.log", row->own_pid);
	else
		snprintf(start, sizeof(start), "perf-%d.", row->own_pid);
	if (source == MAP)
		snprintf(end, sizeof(end), "map");
	return runtime_file_find_in(code->beside, start, end, &ignored);
}

static void look_for(
	struct jit_code *code, const struct profile *p, struct jit_process *row, int which)
{
	struct source *source = &row->sources[which];
	struct error failed = {0};

	if (source->fd >= 0 || code->open_files >= OPEN_FILES_LIMIT || row->pid <= 0)
		return;
	/* Listing a large directory takes long: only at the 1st, 2nd, 4th, 8th... try. */
	if (which == LOG && !code->recorded && !row->gone &&
		(row->tries > LOG_TRIES || (row->tries & (row->tries - 1))))
		return;
	if (which == DUMP)
		source->fd = open_dump(code, p, row, &failed);
	else if (which == LOG)
		source->fd = open_log(code, row, &failed);
	else
		source->fd = open_map(code, row, &failed);
	if (source->fd < 0 && (code->recorded || row->gone))
		source->fd = open_beside(code, row, which);
	/* A missing file is normal; a file that exists but cannot be read is an error. */
	if (source->fd < 0 && failed.code != ERR_NONE && failed.code != ERR_IO)
		row->error = failed;
	code->open_files += source->fd >= 0;
}

static void follow_map(struct jit_code *code, struct jit_process *row, uint64_t now)
{
	struct stat status;

	if (row->sources[MAP].fd < 0 || fstat(row->sources[MAP].fd, &status))
		return;
	if (row->map_size != (uint64_t)status.st_size)
		code->growth_time = now;
	code->follows = true;
	row->map_size = (uint64_t)status.st_size;
	perf_map_mark(row->map, now, row->map_size);
}

static bool is_gone(const struct jit_code *code, const struct jit_process *row)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", row->pid);
	return !code->recorded && access(path, F_OK);
}

static void look_for_all(struct jit_code *code, const struct profile *p, struct jit_process *row)
{
	bool gone = is_gone(code, row);

	if (row->gone || row->pid <= 0)
		return;
	row->gone = gone;
	row->tries++;
	for (int i = 0; i < SOURCES; i++)
		look_for(code, p, row, i);
}

static void look(struct jit_code *code, const struct profile *p, uint64_t now, bool finally)
{
	see_mappings(code, p);
	for (size_t i = 0; i < code->rows.len; i++) {
		struct jit_process *row = &code->rows.items[i];

		if (now >= row->next || finally) {
			look_for_all(code, p, row);
			row->wait = row->wait ? row->wait + row->wait / 8 : TRY_AGAIN;
			row->wait = row->wait < TRY_INTERVAL_MAX ? row->wait : TRY_INTERVAL_MAX;
			row->next = now + row->wait;
		}
		follow_map(code, row, now);
	}
}

void jit_code_poll(struct jit_code *code, const struct profile *p, uint64_t now)
{
	look(code, p, now, false);
}

void jit_code_poll_last(struct jit_code *code, const struct profile *p, uint64_t now)
{
	look(code, p, now, true);
}

/* ---- Reading ---- */

static void sample_times(const struct profile *p, uint64_t *ret_first, uint64_t *ret_last)
{
	*ret_first = UINT64_MAX;
	*ret_last = 0;
	for (size_t t = 0; t < p->samples.len; t++) {
		const struct samples *s = &p->samples.items[t];

		for (size_t i = 0; i < s->time.len; i++) {
			uint64_t time = s->time.items[i];

			*ret_first = time < *ret_first ? time : *ret_first;
			*ret_last = time > *ret_last ? time : *ret_last;
		}
	}
}

static int64_t ns_of(struct statx_timestamp t)
{
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* A log's times start when its file is created. Most file systems record that time, but a copy of
 * the file has another one. If V8's own profiler was on, the log's last time is also that of the
 * file's last modification, which copies may keep. Use the first of the two that fits the samples'
 * times. */
static bool log_times(const struct jit_code *code, const struct profile *p,
	const struct jit_process *row, int64_t *ret_base)
{
	struct v8_log_facts facts = v8_log_facts(row->log);
	int64_t bases[2], length = (int64_t)facts.last;
	uint64_t first, last;
	struct statx st;

	if (!facts.timed || code->wall_offset == INT64_MIN ||
		statx(row->sources[LOG].fd, "", AT_EMPTY_PATH, STATX_BTIME | STATX_MTIME, &st))
		return false;
	sample_times(p, &first, &last);
	bases[0] = st.stx_mask & STATX_BTIME ? ns_of(st.stx_btime) : INT64_MAX;
	bases[1] = facts.ticks ? ns_of(st.stx_mtime) - length : INT64_MAX;
	for (int i = 0; i < 2; i++) {
		int64_t base = bases[i] == INT64_MAX ? INT64_MAX : bases[i] - code->wall_offset;

		if (base == INT64_MAX || first > last || base > (int64_t)last ||
			base + length + NS_PER_S < (int64_t)first)
			continue;
		*ret_base = base;
		return true;
	}
	return false;
}

static void use(struct jit_code *code, struct source *source, struct code_map *map)
{
	code_map_count_steps(map, &code->budget.steps);
	source->code = map;
}

static void read_dump(struct jit_code *code, struct jit_process *row, struct error *err)
{
	struct source *source = &row->sources[DUMP];
	struct jitdump_facts facts;

	if (!row->dump)
		row->dump = jitdump_new();
	if (!jitdump_read(row->dump, source->fd, &code->budget, err))
		return;
	facts = jitdump_facts(row->dump);
	source->timed = facts.timed && (code->monotonic || !code->recorded);
	use(code, source, jitdump_code(row->dump));
}

static void read_log(
	struct jit_code *code, const struct profile *p, struct jit_process *row, struct error *err)
{
	struct source *source = &row->sources[LOG];

	if (!row->log)
		row->log = v8_log_new();
	if (!v8_log_read(row->log, source->fd, &code->budget, err))
		return;
	source->timed = source->timed || log_times(code, p, row, &source->base);
	use(code, source, v8_log_code(row->log));
}

static void read_map(struct jit_code *code, struct jit_process *row, struct error *err)
{
	struct source *source = &row->sources[MAP];

	if (!perf_map_read(row->map, source->fd, code->recorded || row->gone, &code->budget, err))
		return;
	source->timed = perf_map_followed(row->map);
	use(code, source, perf_map_code(row->map));
}

bool jit_code_read(
	struct jit_code *code, const struct profile *p, process_id process, struct error *err)
{
	struct jit_process *row;
	bool any = false;

	see_mappings(code, p);
	row = find_or_add(code, p, process);
	if (!row)
		return false;
	if (!row->tries)
		look_for_all(code, p, row);
	if (row->sources[DUMP].fd >= 0)
		read_dump(code, row, &row->error);
	if (row->sources[LOG].fd >= 0)
		read_log(code, p, row, &row->error);
	if (row->sources[MAP].fd >= 0)
		read_map(code, row, &row->error);
	for (int i = 0; i < SOURCES; i++)
		any |= row->sources[i].code && code_map_counts(row->sources[i].code).pieces;
	if (!any)
		*err = row->error;
	return any;
}

void jit_code_read_all(struct jit_code *code, const struct profile *p)
{
	struct error ignored = {0};

	for (size_t i = 0; !code->recorded && i < code->rows.len; i++)
		jit_code_read(code, p, code->rows.items[i].process, &ignored);
}

/* ---- Asking ---- */

static struct source *source_with(
	struct jit_code *code, process_id process, uint64_t address, struct code_piece *ret)
{
	struct jit_process *row = find(code, process);

	for (int i = 0; row && i < SOURCES; i++)
		if (row->sources[i].code &&
			code_map_find(row->sources[i].code, address, CODE_LATEST, ret))
			return &row->sources[i];
	return NULL;
}

bool jit_code_find(struct jit_code *code, process_id process, uint64_t address, uint64_t time,
	struct code_piece *ret)
{
	struct source *source = source_with(code, process, address, ret);
	int64_t own = (int64_t)time;

	if (!source || time == CODE_LATEST || !source->timed)
		return source;
	own = own > source->base ? own - source->base : 0;
	return code_map_find(source->code, address, (uint64_t)own, ret);
}

bool jit_code_reused(struct jit_code *code, process_id process, uint64_t address, bool *ret_timed)
{
	struct code_piece ignored;
	struct source *source = source_with(code, process, address, &ignored);

	if (!source || !code_map_reused(source->code, address))
		return false;
	*ret_timed = source->timed;
	return true;
}

bool jit_code_overlaps(struct jit_code *code)
{
	for (size_t i = 0; i < code->rows.len; i++)
		for (int k = 0; k < SOURCES; k++) {
			struct code_map *map = code->rows.items[i].sources[k].code;

			if (map && code_map_counts(map).overlapping)
				return true;
		}
	return false;
}

/* ---- What was skipped ---- */

static void add_skipped(struct buffer *text, const struct jit_process *row, int which)
{
	static const char *const units[] = {[DUMP] = "record", [LOG] = "line", [MAP] = "line"};
	struct jitdump_facts dump = {0};
	uint64_t count = 0;

	if (which == DUMP && row->dump)
		dump = jitdump_facts(row->dump);
	if (which == DUMP)
		count = dump.malformed;
	else if (which == LOG && row->log)
		count = v8_log_facts(row->log).malformed;
	else if (which == MAP)
		count = perf_map_malformed(row->map);
	if (count) {
		units_grouped(text, (int64_t)count);
		buffer_printf(text, " %s%s", units[which], count == 1 ? "" : "s");
	}
	if (dump.damaged)
		buffer_printf(text, "%sall after record %llu", count ? " and " : "",
			(unsigned long long)dump.records);
}

/* Append the base name of an open file. */
static void add_file(struct buffer *text, int fd)
{
	char link[64], path[4096];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path));
	if (len > 0) {
		struct bytes name = bytes_base_name((struct bytes){path, (size_t)len});

		buffer_printf(text, " of %.*s", (int)name.len, name.at);
	}
}

/* Append what `add` writes about each file, for the first few. */
static void add_files(const struct jit_code *code,
	void (*add)(struct buffer *text, const struct jit_process *row, int which),
	struct buffer *text)
{
	struct buffer one = {0};
	unsigned listed = 0;

	for (size_t i = 0; i < code->rows.len * SOURCES && listed <= FILES_LISTED_LIMIT; i++) {
		const struct jit_process *row = &code->rows.items[i / SOURCES];
		int which = (int)(i % SOURCES);

		one.len = 0;
		add(&one, row, which);
		if (!one.len)
			continue;
		add_file(&one, row->sources[which].fd);
		/* A process that executed another program has the same files again. */
		if (text->len && bytes_find(buffer_bytes(text), buffer_bytes(&one)))
			continue;
		if (++listed > FILES_LISTED_LIMIT)
			buffer_text(text, ", ...");
		else
			buffer_printf(text, "%s%.*s", text->len ? ", " : "", (int)one.len, one.at);
	}
	buffer_release(&one);
}

void jit_code_skipped(const struct jit_code *code, struct buffer *text)
{
	add_files(code, add_skipped, text);
}

static void add_text(struct buffer *text, const char *what)
{
	buffer_printf(text, "%s%s", text->len ? ", " : "", what);
}

static void add_left_out(struct buffer *text, const struct jit_process *row, int which)
{
	uint64_t bytes = 0;

	if (which == DUMP && row->dump)
		bytes = jitdump_facts(row->dump).left_out;
	else if (which == LOG && row->log)
		bytes = v8_log_facts(row->log).left_out;
	else if (which == MAP)
		bytes = perf_map_left_out(row->map);
	if (!bytes)
		return;
	units_grouped(text, (int64_t)(bytes >> 10));
	buffer_text(text, " KB");
}

void jit_code_left_out(const struct jit_code *code, struct buffer *text)
{
	add_files(code, add_left_out, text);
	if (code->patience.left_out)
		add_text(text, "logs of V8 in large folders");
	if (code->budget.steps >= CODE_STEPS_LIMIT)
		add_text(text, "code in the place of much other code");
	if (code->full)
		add_text(text, "files of more than 4,096 processes");
}
