/* processes.c: which processes and threads are there, what are they called, and what is mapped
 * where? */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "process/processes.h"

#define MAPS_LIMIT	((size_t)1 << 20)     /* executable mappings of one process */
#define PROC_TEXT_LIMIT ((size_t)256 << 20)   /* bytes of one file in /proc */
#define REREAD_INTERVAL ((uint64_t)100000000) /* ns between two looks into /proc/PID/maps */

void processes_init(struct processes *p, struct profile *profile, struct binaries *binaries)
{
	*p = (struct processes){.profile = profile, .binaries = binaries};
	vector_push(&p->rows, ((struct process_state){0}));
	vector_push(&p->threads, ((struct thread_state){0}));
}

/* ---- Address spaces ---- */

static void space_drop(struct address_space **space)
{
	struct address_space *s = *space;

	*space = NULL;
	if (!s || --s->references)
		return;
	vector_release(&s->maps);
	free(s);
}

static struct address_space *space_new(struct processes *p)
{
	struct address_space *s = memory_new(1, sizeof(*s));

	s->references = 1;
	s->id = ++p->last_space;
	return s;
}

/* The process's space, for changing: its own, with a new id. */
static struct address_space *space_for_change(struct processes *p, struct process_state *process)
{
	struct address_space *old = process->space, *s;

	process->misses = 0;
	if (old && old->references == 1) {
		old->id = ++p->last_space;
		return old;
	}
	s = space_new(p);
	if (old) {
		vector_reserve(&s->maps, old->maps.len + 1);
		if (old->maps.len)
			memcpy(s->maps.items, old->maps.items,
				old->maps.len * sizeof(*old->maps.items));
		s->maps.len = old->maps.len;
		space_drop(&process->space);
	}
	process->space = s;
	return s;
}

/* Index of the first mapping that ends behind `address`. */
static size_t space_search(const struct address_space *s, uint64_t address)
{
	size_t low = 0, high = s->maps.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->maps.items[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void space_insert(struct address_space *s, size_t at, const struct mapped *m)
{
	vector_reserve(&s->maps, 1);
	memmove(s->maps.items + at + 1, s->maps.items + at,
		(s->maps.len - at) * sizeof(*s->maps.items));
	s->maps.items[at] = *m;
	s->maps.len++;
}

/* Make a hole: mappings in it go, those that reach into it are cut, one around it is split. */
static size_t space_cut(struct address_space *s, uint64_t start, uint64_t end)
{
	size_t at = space_search(s, start), last;
	struct mapped *m;

	if (at == s->maps.len) /* all mappings are below it */
		return at;
	if (s->maps.items[at].start < start) {
		struct mapped right = s->maps.items[at];

		s->maps.items[at].end = start;
		at++;
		if (right.end > end) {
			right.offset += end - right.start;
			right.start = end;
			space_insert(s, at, &right);
			return at;
		}
	}
	for (last = at; last < s->maps.len && s->maps.items[last].end <= end; last++)
		;
	if (at == s->maps.len)
		return at;
	memmove(s->maps.items + at, s->maps.items + last,
		(s->maps.len - last) * sizeof(*s->maps.items));
	s->maps.len -= last - at;
	m = s->maps.items + at;
	if (at < s->maps.len && m->start < end) {
		m->offset += end - m->start;
		m->start = end;
	}
	return at;
}

static void space_map(struct address_space *s, const struct mapped *m)
{
	if (m->start >= m->end)
		return;
	/* Beyond the limit the newest mapping is dropped: its addresses stay unnamed. */
	if (s->maps.len < MAPS_LIMIT)
		space_insert(s, space_cut(s, m->start, m->end), m);
}

const struct mapped *address_space_find(struct address_space *s, uint64_t address)
{
	const struct mapped *m;
	size_t at;

	if (!s || !s->maps.len)
		return NULL;
	m = s->last < s->maps.len ? &s->maps.items[s->last] : s->maps.items;
	if (address >= m->start && address < m->end)
		return m;
	at = space_search(s, address);
	if (at == s->maps.len || address < s->maps.items[at].start)
		return NULL;
	s->last = (uint32_t)at;
	return &s->maps.items[at];
}

void processes_release(struct processes *p)
{
	for (size_t i = 1; i < p->rows.len; i++)
		space_drop(&p->rows.items[i].space);
	vector_release(&p->rows);
	vector_release(&p->threads);
	id_map_release(&p->by_pid);
	id_map_release(&p->by_tid);
	*p = (struct processes){0};
}

/* ---- Rows ---- */

static uint64_t hash_id(int32_t id)
{
	return hash_pair((uint32_t)id, 0x7069646du);
}

/* The row of a pid; made when there is none. */
static struct process_state *process_row(struct processes *p, int32_t pid, bool *ret_new)
{
	uint64_t hash = hash_id(pid);
	size_t at = id_map_first(&p->by_pid, hash);

	*ret_new = false;
	for (uint32_t id; (id = id_map_candidate(&p->by_pid, hash, &at));)
		if (p->rows.items[id].pid == pid)
			return &p->rows.items[id];
	*ret_new = true;
	id_map_put(&p->by_pid, hash, at, (uint32_t)p->rows.len);
	vector_push(&p->rows, ((struct process_state){.pid = pid}));
	return &p->rows.items[p->rows.len - 1];
}

static const struct process_state *process_find(const struct processes *p, int32_t pid)
{
	uint64_t hash = hash_id(pid);
	size_t at;

	if (!p->by_pid.slots)
		return NULL;
	at = (size_t)(hash >> 32) & p->by_pid.mask;
	for (uint32_t id; (id = id_map_candidate(&p->by_pid, hash, &at));)
		if (p->rows.items[id].pid == pid)
			return &p->rows.items[id];
	return NULL;
}

bool processes_is_kernel(const struct processes *p, int32_t pid)
{
	const struct process_state *process = process_find(p, pid);

	return !pid || (process && process->kernel);
}

bool processes_descends(const struct processes *p, int32_t pid, int32_t ancestor)
{
	/* As many steps as there are processes: pids are used again, so parents may form a ring. */
	for (size_t steps = 0; pid && pid != ancestor && steps < p->rows.len; steps++) {
		const struct process_state *process = process_find(p, pid);

		pid = process ? process->parent : 0;
	}
	return pid == ancestor;
}

static struct thread_state *thread_row(struct processes *p, int32_t tid)
{
	uint64_t hash = hash_id(tid);
	size_t at = id_map_first(&p->by_tid, hash);

	for (uint32_t id; (id = id_map_candidate(&p->by_tid, hash, &at));)
		if (p->threads.items[id].tid == tid)
			return &p->threads.items[id];
	id_map_put(&p->by_tid, hash, at, (uint32_t)p->threads.len);
	vector_push(&p->threads, ((struct thread_state){.tid = tid}));
	return &p->threads.items[p->threads.len - 1];
}

static void process_name(struct processes *p, struct process_state *process, string_id name)
{
	process->process = profile_process(p->profile, process->pid, name);
}

static void thread_name(struct processes *p, int32_t pid, int32_t tid, string_id name)
{
	struct thread_state *t = thread_row(p, tid);

	t->pid = pid;
	t->name = name;
	t->thread = 0;
}

/* ---- What records say ---- */

static void apply_comm(struct processes *p, const struct perf_record *r)
{
	int32_t pid = (int32_t)r->comm.pid, tid = (int32_t)r->comm.tid;
	string_id name = profile_string(p->profile, r->comm.name);
	bool new;
	struct process_state *process = process_row(p, pid, &new);

	if (r->comm.exec) {
		space_drop(&process->space);
		process->kernel = false;
	}
	if (pid == tid || r->comm.exec || new)
		process_name(p, process, name);
	thread_name(p, pid, tid, name);
}

static void apply_fork(struct processes *p, const struct perf_record *r)
{
	int32_t pid = (int32_t)r->task.pid, parent_pid = (int32_t)r->task.parent_pid;
	struct thread_state parent_thread = *thread_row(p, (int32_t)r->task.parent_tid);
	struct process_state *process, parent;
	bool new;

	if (pid != parent_pid) {
		parent = *processes_get(p, parent_pid);
		process = process_row(p, pid, &new);
		space_drop(&process->space);
		*process = (struct process_state){
			.pid = pid, .parent = parent_pid, .kernel = parent.kernel};
		process_name(p, process, parent_thread.name);
		if (parent.space) {
			process->space = parent.space;
			process->space->references++;
		}
	}
	thread_name(p, pid, (int32_t)r->task.tid, parent_thread.name);
}

/* Only the address space goes: samples of the exiting thread itself may still follow. */
static void apply_exit(struct processes *p, const struct perf_record *r)
{
	bool new;

	if (r->task.pid == r->task.tid)
		process_row(p, (int32_t)r->task.pid, &new)->misses = 0;
}

/* Anonymous executable memory: addresses mean something only in this process. */
static mapping_id anonymous_mapping(
	struct processes *p, const struct process_state *process, struct bytes path)
{
	struct mapping row = {.kind = MAPPING_JIT, .process = process->process};

	row.file = profile_string(p->profile, path.len ? path : BYTES("//anon"));
	return profile_mapping(p->profile, &row);
}

static void map(struct processes *p, struct process_state *process, struct address_space *s,
	const struct binary_key *key, uint64_t offset)
{
	struct mapped m = {.start = key->start, .end = key->end, .offset = offset};

	m.binary = binaries_add(p->binaries, key);
	m.mapping = m.binary ? p->binaries->rows.items[m.binary].mapping
			     : anonymous_mapping(p, process, key->path);
	space_map(s, &m);
}

static void apply_mmap(struct processes *p, const struct perf_mmap *m)
{
	struct process_state *process;
	struct binary_key key = {.path = m->path,
		.build_id = {(const char *)m->build_id, m->build_id_size},
		.major = m->major,
		.minor = m->minor,
		.inode = m->inode,
		.pid = (int32_t)m->pid,
		.start = m->start,
		.end = m->start + m->size};

	if (!(m->protection & PROT_EXEC) || m->pid == UINT32_MAX || key.end < key.start)
		return;
	process = processes_get(p, (int32_t)m->pid);
	map(p, process, space_for_change(p, process), &key, m->offset);
}

void processes_apply(struct processes *p, const struct perf_record *r)
{
	switch (r->type) {
	case PERF_RECORD_COMM:
		apply_comm(p, r);
		break;
	case PERF_RECORD_FORK:
		apply_fork(p, r);
		break;
	case PERF_RECORD_EXIT:
		apply_exit(p, r);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		apply_mmap(p, &r->mmap);
		break;
	}
}

/* ---- What /proc says ---- */

/* The whole of a file in /proc, whose size is not known before. */
static bool proc_text(struct buffer *text, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = 0;

	text->len = 0;
	if (fd < 0)
		return false;
	do {
		got = read(fd, buffer_room(text, 1 << 16), 1 << 16);
		if (got > 0)
			text->len += (size_t)got;
	} while (got > 0 && text->len < PROC_TEXT_LIMIT);
	close(fd);
	return got >= 0;
}

static bool cut_field(struct bytes *line, char at, struct bytes *ret_field)
{
	const char *end = line->len ? memchr(line->at, at, line->len) : NULL;

	if (!end)
		return false;
	*ret_field = (struct bytes){line->at, (size_t)(end - line->at)};
	line->len -= ret_field->len + 1;
	line->at = end + 1;
	return true;
}

/* START-END PERMS OFFSET MAJOR:MINOR INODE      PATH */
static bool maps_line(struct bytes line, struct binary_key *key, uint64_t *offset, bool *ret_exec)
{
	struct bytes start, end, perms, file_offset, major, minor, inode;
	uint64_t device[2];

	if (!cut_field(&line, '-', &start) || !cut_field(&line, ' ', &end) ||
		!cut_field(&line, ' ', &perms) || !cut_field(&line, ' ', &file_offset) ||
		!cut_field(&line, ':', &major) || !cut_field(&line, ' ', &minor))
		return false;
	if (!cut_field(&line, ' ', &inode)) {
		inode = line;
		line.len = 0;
	}
	if (!bytes_hex(start, &key->start) || !bytes_hex(end, &key->end) ||
		!bytes_hex(file_offset, offset) || !bytes_hex(major, &device[0]) ||
		!bytes_hex(minor, &device[1]) || !bytes_u64(inode, &key->inode))
		return false;
	while (line.len && *line.at == ' ') {
		line.at++;
		line.len--;
	}
	key->major = (uint32_t)device[0];
	key->minor = (uint32_t)device[1];
	key->path = line;
	*ret_exec = perms.len >= 3 && perms.at[2] == 'x';
	return true;
}

void processes_read_maps(struct processes *p, int32_t pid, struct bytes text)
{
	bool new, exec;
	struct process_state *process = process_row(p, pid, &new);
	struct binary_key key = {.pid = pid};
	struct address_space *s;
	struct bytes line;
	uint64_t offset;

	if (!text.len) { /* a kernel thread, or one that is just exiting */
		process->kernel = !process->space;
		return;
	}
	process->kernel = false;
	space_drop(&process->space);
	s = process->space = space_new(p);
	while (bytes_line(&text, &line))
		if (maps_line(line, &key, &offset, &exec) && exec)
			map(p, process, s, &key, offset);
}

static void tell(struct processes *p, int32_t pid, int32_t tid, struct bytes text)
{
	if (p->told)
		p->told(p->told_context, pid, tid, text);
}

void processes_read_name(struct processes *p, int32_t pid, int32_t tid, struct bytes name)
{
	string_id id = profile_string(p->profile, bytes_trim(name));
	bool new;
	struct process_state *process = process_row(p, pid, &new);

	if (pid == tid || new)
		process_name(p, process, id);
	thread_name(p, pid, tid, id);
}

static void read_thread_name(struct processes *p, int32_t pid, int32_t tid, struct buffer *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	if (!proc_text(text, path))
		return;
	tell(p, pid, tid, buffer_bytes(text));
	processes_read_name(p, pid, tid, buffer_bytes(text));
}

static void read_threads(struct processes *p, int32_t pid, struct buffer *text)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			read_thread_name(p, pid, atoi(entry->d_name), text);
	if (dir)
		closedir(dir);
}

/* False when they cannot be read. */
static bool read_maps(struct processes *p, int32_t pid, struct buffer *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	if (!proc_text(text, path))
		return false;
	tell(p, pid, 0, buffer_bytes(text));
	processes_read_maps(p, pid, buffer_bytes(text));
	return text->len > 0;
}

bool processes_read(struct processes *p, int32_t pid, struct error *err)
{
	struct buffer text = {0};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (!proc_text(&text, path)) {
		buffer_release(&text);
		return error_errno(err, "process %d", pid);
	}
	processes_read_name(p, pid, pid, buffer_bytes(&text));
	read_threads(p, pid, &text);
	read_maps(p, pid, &text);
	buffer_release(&text);
	return true;
}

struct process_state *processes_get(struct processes *p, int32_t pid)
{
	struct error ignored = {0};
	bool new;
	struct process_state *process = process_row(p, pid, &new);

	if (!new)
		return process;
	process->unknown = true;
	if (!pid)
		process_name(p, process, profile_string(p->profile, BYTES("swapper")));
	else if (!p->live || pid < 0 || !processes_read(p, pid, &ignored))
		process_name(p, process_row(p, pid, &new), 0);
	return process_row(p, pid, &new);
}

thread_id processes_thread(struct processes *p, int32_t pid, int32_t tid)
{
	struct process_state *process = processes_get(p, pid);
	struct thread_state *t = thread_row(p, tid);

	if (!pid && !tid && !t->name)
		t->name = profile_string(p->profile, BYTES("swapper"));
	if (t->pid != pid) { /* a thread nobody told of, or an id used again */
		t->pid = pid;
		t->thread = 0;
		if (p->profile->processes.items[process->process].name && !t->name)
			t->name = p->profile->processes.items[process->process].name;
	}
	if (!t->thread)
		t->thread = profile_thread(p->profile, process->process, tid, t->name);
	return t->thread;
}

const struct mapped *processes_find(
	struct processes *p, struct process_state *process, uint64_t address, uint64_t now)
{
	const struct mapped *m = address_space_find(process->space, address);
	struct buffer text = {0};

	if (m || !p->live || process->kernel || process->pid <= 0)
		return m;
	if (process->read_time && now < process->read_time + REREAD_INTERVAL)
		return NULL;
	process->read_time = now ? now : 1;
	p->rereads += read_maps(p, process->pid, &text);
	buffer_release(&text);
	return address_space_find(process->space, address);
}
