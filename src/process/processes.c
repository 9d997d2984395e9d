/* processes.c: which processes and threads exist, what are they called, and what is mapped
 * where? */
#include "process/processes.h"

#include "base/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SMALL_MAPS	((size_t)64 << 10)    /* bytes of /proc/PID/maps: about 700 mappings */
#define REREAD_INTERVAL ((uint64_t)100000000) /* minimum ns between two reads of /proc/PID/maps */

/* A name that a record gave to code in the kernel. */
struct loaded_symbol {
	mapping_id mapping;
	string_id name;
};

struct control_group {
	uint64_t id;
	string_id path;
};

void processes_init(struct processes *p, struct profile *profile, struct binaries *binaries)
{
	*p = (struct processes){.profile = profile, .binaries = binaries};
	vector_push(&p->rows, ((struct process_state){0}));
	vector_push(&p->threads, ((struct thread_state){0}));
}

void processes_release(struct processes *p)
{
	for (size_t i = 1; i < p->rows.len; i++)
		address_space_unref(&p->rows.items[i].space);
	address_space_unref(&p->kernel_space);
	vector_release(&p->rows);
	vector_release(&p->threads);
	vector_release(&p->loaded);
	vector_release(&p->cgroups);
	id_map_release(&p->by_cgroup);
	id_map_release(&p->by_pid);
	id_map_release(&p->by_tid);
	*p = (struct processes){0};
}

/* ---- Rows ---- */

static uint64_t hash_id(int32_t id)
{
	return hash_pair((uint32_t)id, 0x7069646du);
}

/* The row of a pid, added if it is new. */
static struct process_state *process_row(struct processes *p, int32_t pid, bool *ret_new)
{
	uint64_t hash;
	size_t at;

	*ret_new = false;
	if (p->last_row && p->rows.items[p->last_row].pid == pid)
		return &p->rows.items[p->last_row];
	hash = hash_id(pid);
	at = id_map_first(&p->by_pid, hash);
	for (uint32_t id; (id = id_map_candidate(&p->by_pid, hash, &at));)
		if (p->rows.items[id].pid == pid)
			return &p->rows.items[p->last_row = id];
	*ret_new = true;
	p->last_row = (uint32_t)p->rows.len;
	id_map_insert_at(&p->by_pid, hash, at, p->last_row);
	vector_push(&p->rows, ((struct process_state){.pid = pid}));
	return &p->rows.items[p->last_row];
}

static const struct process_state *process_find(const struct processes *p, int32_t pid)
{
	uint64_t hash = hash_id(pid);
	size_t at;

	if (!p->by_pid.slots)
		return NULL;
	at = id_map_start(&p->by_pid, hash);
	for (uint32_t id; (id = id_map_candidate(&p->by_pid, hash, &at));)
		if (p->rows.items[id].pid == pid)
			return &p->rows.items[id];
	return NULL;
}

bool processes_has(const struct processes *p, int32_t pid)
{
	return process_find(p, pid);
}

bool processes_is_kernel(const struct processes *p, int32_t pid)
{
	const struct process_state *process = process_find(p, pid);

	return !pid || (process && process->kernel);
}

bool processes_descends(const struct processes *p, int32_t pid, int32_t ancestor)
{
	/* At most as many steps as there are processes: pids are reused, so parents may form a
	 * cycle. */
	for (size_t steps = 0; pid && pid != ancestor && steps < p->rows.len; steps++) {
		const struct process_state *process = process_find(p, pid);

		pid = process ? process->parent : 0;
	}
	return pid == ancestor;
}

static struct thread_state *thread_row(struct processes *p, int32_t tid)
{
	uint64_t hash;
	size_t at;

	if (p->last_thread && p->threads.items[p->last_thread].tid == tid)
		return &p->threads.items[p->last_thread];
	hash = hash_id(tid);
	at = id_map_first(&p->by_tid, hash);
	for (uint32_t id; (id = id_map_candidate(&p->by_tid, hash, &at));)
		if (p->threads.items[id].tid == tid)
			return &p->threads.items[p->last_thread = id];
	p->last_thread = (uint32_t)p->threads.len;
	id_map_insert_at(&p->by_tid, hash, at, p->last_thread);
	vector_push(&p->threads, ((struct thread_state){.tid = tid}));
	return &p->threads.items[p->last_thread];
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

	/* Until something is mapped, samples are in the kernel and belong to the old program's
	 * system call. */
	if (r->comm.exec) {
		process->replaced = true;
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
		address_space_unref(&process->space);
		*process = (struct process_state){.pid = pid,
			.parent = parent_pid,
			.kernel = parent.kernel,
			.replaced = parent.replaced};
		process_name(p, process, parent_thread.name);
		if (parent.space) {
			process->space = parent.space;
			process->space->references++;
		}
	}
	thread_name(p, pid, (int32_t)r->task.tid, parent_thread.name);
}

/* Keep everything: samples of the exiting thread itself may follow. */
static void apply_exit(struct processes *p, const struct perf_record *r)
{
	bool new;

	if (r->task.pid == r->task.tid)
		process_row(p, (int32_t)r->task.pid, &new);
}

/* Anonymous executable memory: addresses are meaningful only in this process. */
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
	if (p->remapped && address_space_replaces(s, &m))
		p->remapped(p->remapped_context, process->pid);
	address_space_map(s, &m);
}

/* "[nf_tables]" of "/lib/modules/6.1/kernel/net/netfilter/nf_tables.ko.xz" */
static string_id module_name(struct processes *p, struct bytes path)
{
	struct bytes base = bytes_base_name(path);
	const char *end = bytes_find(base, BYTES(".ko"));
	struct buffer name = {0};
	string_id id;

	if (base.at == path.at)
		return profile_string(p->profile, path);
	buffer_printf(&name, "[%.*s]", (int)(end ? end - base.at : (ptrdiff_t)base.len), base.at);
	for (size_t i = 0; i < name.len; i++)
		if (name.at[i] == '-')
			name.at[i] = '_';
	id = profile_string(p->profile, buffer_bytes(&name));
	buffer_release(&name);
	return id;
}

/* perf's names for the kernel's mapping, such as "[kernel.kallsyms]_text" or
 * "[guest.kernel.kallsyms.12]_stext", end in a symbol; the mapping's offset is the address of that
 * symbol. */
static void map_kernel(struct processes *p, const struct perf_mmap *m)
{
	const struct bytes kernel = BYTES("[kernel.kallsyms]");
	struct mapped mapped = {.start = m->start, .end = m->start + m->size, .offset = m->offset};
	struct mapping row = {.kind = MAPPING_MODULE, .base = m->start};
	struct bytes build_id = {(const char *)m->build_id, m->build_id_size};
	struct bytes path = m->path;
	char hex[65] = "";

	if (bytes_starts_with(path, kernel)) {
		row.kind = MAPPING_KERNEL;
		row.base = bytes_ends_with(path, BYTES("]_text")) ? m->offset : 0;
		path = kernel;
	}
	if (!build_id.len)
		build_id = binaries_build_id(p->binaries, path);
	build_id_text(build_id, hex);
	row.build_id = profile_string(p->profile, bytes_of(hex));
	row.file = row.kind == MAPPING_KERNEL ? profile_string(p->profile, path)
					      : module_name(p, path);
	mapped.mapping = profile_mapping(p->profile, &row);
	address_space_map(address_space_make_private(&p->kernel_space, ++p->last_space), &mapped);
}

static void apply_mmap(struct processes *p, const struct perf_mmap *m)
{
	bool kernel = m->pid == UINT32_MAX; /* perf does not always mark it executable */
	struct process_state *process;
	struct binary_key key = {.path = m->path,
		.build_id = {(const char *)m->build_id, m->build_id_size},
		.major = m->major,
		.minor = m->minor,
		.inode = m->inode,
		.generation = m->inode_generation,
		.pid = (int32_t)m->pid,
		.start = m->start,
		.end = m->start + m->size};

	if ((!kernel && !(m->protection & PROT_EXEC)) || key.end < key.start)
		return;
	if (kernel) {
		map_kernel(p, m);
		return;
	}
	process = processes_get(p, (int32_t)m->pid);
	if (process->replaced)
		address_space_unref(&process->space);
	process->replaced = false;
	map(p, process, address_space_make_private(&process->space, ++p->last_space), &key,
		m->offset);
}

/* Code that was loaded into the kernel; each piece becomes a mapping. */
static void apply_ksymbol(struct processes *p, const struct perf_record *r)
{
	struct mapped mapped = {
		.start = r->ksymbol.address, .end = r->ksymbol.address + r->ksymbol.size};
	struct mapping row = {.kind = MAPPING_MODULE, .base = mapped.start};
	struct loaded_symbol loaded = {0};

	if (r->ksymbol.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER || !r->ksymbol.name.len)
		return;
	row.file = profile_string(p->profile, r->ksymbol.kind == PERF_RECORD_KSYMBOL_TYPE_BPF
						      ? BYTES("[bpf]")
						      : BYTES("[kernel]"));
	loaded.mapping = mapped.mapping = profile_mapping(p->profile, &row);
	loaded.name = profile_string(p->profile, r->ksymbol.name);
	vector_push(&p->loaded, loaded);
	address_space_map(address_space_make_private(&p->kernel_space, ++p->last_space), &mapped);
}

void processes_name_loaded(struct processes *p)
{
	VECTOR(frame_id) frames = {0}; /* of each mapping; 0: none */

	if (!p->loaded.len)
		return;
	vector_reserve(&frames, p->profile->mappings.len);
	memset(frames.items, 0, p->profile->mappings.len * sizeof(frame_id));
	for (size_t i = 0; i < p->loaded.len; i++) {
		const struct loaded_symbol *l = &p->loaded.items[i];
		struct frame frame = {.function = l->name,
			.module = p->profile->mappings.items[l->mapping].file,
			.kind = FRAME_KERNEL};

		frames.items[l->mapping] = profile_frame(p->profile, &frame);
	}
	for (location_id i = 1; i < p->profile->locations.len; i++) {
		mapping_id mapping = p->profile->locations.items[i].mapping;

		if (frames.items[mapping] && !p->profile->location_names.items[i].count)
			profile_name_location(p->profile, i, &frames.items[mapping], 1);
	}
	vector_release(&frames);
}

string_id processes_cgroup(const struct processes *p, uint64_t id)
{
	uint64_t hash = hash_pair(id, 0);
	size_t at = id_map_start(&p->by_cgroup, hash);

	if (p->by_cgroup.slots)
		for (uint32_t row; (row = id_map_candidate(&p->by_cgroup, hash, &at));)
			if (p->cgroups.items[row - 1].id == id)
				return p->cgroups.items[row - 1].path;
	return 0;
}

void processes_add_cgroup(struct processes *p, uint64_t id, struct bytes path)
{
	struct control_group row = {id, profile_string(p->profile, path)};

	if (processes_cgroup(p, row.id))
		return;
	vector_push(&p->cgroups, row);
	id_map_insert(&p->by_cgroup, hash_pair(row.id, 0), (uint32_t)p->cgroups.len);
}

static bool is_guest(const struct perf_record *r)
{
	unsigned mode = r->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
}

/* Does the record belong to a known process? A new one is known if its parent is. */
static bool is_known(const struct processes *p, const struct perf_record *r)
{
	switch (r->type) {
	case PERF_RECORD_COMM:
		return process_find(p, (int32_t)r->comm.pid);
	case PERF_RECORD_FORK:
		return process_find(p, (int32_t)r->task.parent_pid);
	case PERF_RECORD_EXIT:
		return process_find(p, (int32_t)r->task.pid);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return process_find(p, (int32_t)r->mmap.pid);
	default:
		return true;
	}
}

void processes_apply(struct processes *p, const struct perf_record *r)
{
	if (p->closed && !is_known(p, r))
		return;
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
		if (!is_guest(r))
			apply_mmap(p, &r->mmap);
		break;
	case PERF_RECORD_KSYMBOL:
		apply_ksymbol(p, r);
		break;
	case PERF_RECORD_CGROUP:
		processes_add_cgroup(p, r->cgroup.id, r->cgroup.path);
		break;
	}
}

/* ---- What /proc says ---- */

/* START-END PERMS OFFSET MAJOR:MINOR INODE      PATH */
static bool maps_line(struct bytes line, struct binary_key *key, uint64_t *offset, bool *ret_exec)
{
	struct bytes start, end, perms, file_offset, major, minor, inode;
	uint64_t device[2];

	if (!bytes_cut(&line, '-', &start) || !bytes_cut(&line, ' ', &end) ||
		!bytes_cut(&line, ' ', &perms) || !bytes_cut(&line, ' ', &file_offset) ||
		!bytes_cut(&line, ':', &major) || !bytes_cut(&line, ' ', &minor))
		return false;
	if (!bytes_cut(&line, ' ', &inode)) {
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

	if (!text.len) { /* a kernel thread, or an exiting process */
		process->kernel = !process->space;
		return;
	}
	process->kernel = false;
	address_space_unref(&process->space);
	process->replaced = false;
	s = process->space = address_space_new(++p->last_space);
	while (bytes_line(&text, &line))
		if (maps_line(line, &key, &offset, &exec) && exec)
			map(p, process, s, &key, offset);
}

static void call_read_text(struct processes *p, int32_t pid, int32_t tid, struct bytes text)
{
	if (p->read_text)
		p->read_text(p->read_text_context, pid, tid, text);
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

/* The arguments of read_thread_name. */
struct naming {
	struct processes *processes;
	int32_t pid;
	struct buffer text;
};

static void read_thread_name(void *context, int32_t tid)
{
	struct naming *n = context;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", n->pid, tid);
	if (!proc_text(&n->text, path))
		return;
	call_read_text(n->processes, n->pid, tid, buffer_bytes(&n->text));
	processes_read_name(n->processes, n->pid, tid, buffer_bytes(&n->text));
}

enum maps_read { MAPS_MISSING, MAPS_READ, MAPS_TOO_LARGE };

/* Any number of processes may share one address space of 65,530 mappings, and each of them has 4 MB
 * of text in /proc. So the time for reading is limited (patience). */
static enum maps_read read_maps(struct processes *p, int32_t pid, size_t max, struct buffer *text)
{
	enum maps_read read = MAPS_MISSING;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	if (!patience_enter(&p->patience))
		return MAPS_MISSING;
	if (proc_text_up_to(text, path, max)) {
		read = text->len >= max && max < PROC_TEXT_LIMIT ? MAPS_TOO_LARGE
		       : text->len				 ? MAPS_READ
								 : MAPS_MISSING;
		if (read != MAPS_TOO_LARGE) {
			call_read_text(p, pid, 0, buffer_bytes(text));
			processes_read_maps(p, pid, buffer_bytes(text));
		}
	}
	patience_leave(&p->patience);
	return read;
}

static bool read_up_to(
	struct processes *p, int32_t pid, size_t max, enum maps_read *ret_maps, struct error *err)
{
	struct naming naming = {.processes = p, .pid = pid};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (!proc_text(&naming.text, path)) {
		buffer_release(&naming.text);
		return error_errno(err, "process %d", pid);
	}
	processes_read_name(p, pid, pid, buffer_bytes(&naming.text));
	proc_threads(pid, read_thread_name, &naming);
	*ret_maps = read_maps(p, pid, max, &naming.text);
	buffer_release(&naming.text);
	return true;
}

bool processes_read(struct processes *p, int32_t pid, struct error *err)
{
	enum maps_read maps;

	return read_up_to(p, pid, PROC_TEXT_LIMIT, &maps, err);
}

bool processes_read_small(struct processes *p, int32_t pid)
{
	struct error ignored = {0};
	enum maps_read maps = MAPS_MISSING;

	return !read_up_to(p, pid, SMALL_MAPS, &maps, &ignored) || maps != MAPS_TOO_LARGE;
}

/* A process that no record mentioned. */
static struct process_state *add_unknown(struct processes *p, int32_t pid)
{
	struct error ignored = {0};
	bool new;
	struct process_state *process = process_row(p, pid, &new);

	if (!pid)
		process_name(p, process, profile_string(p->profile, BYTES("swapper")));
	else if (!p->live || pid < 0 || !processes_read(p, pid, &ignored))
		process_name(p, process_row(p, pid, &new), 0);
	return process_row(p, pid, &new);
}

struct process_state *processes_get(struct processes *p, int32_t pid)
{
	bool new;
	struct process_state *process = process_row(p, pid, &new);

	return new ? add_unknown(p, pid) : process;
}

thread_id processes_thread(struct processes *p, int32_t pid, int32_t tid)
{
	struct process_state *process = processes_get(p, pid);
	struct thread_state *t = thread_row(p, tid);

	if (!pid && !tid && !t->name)
		t->name = profile_string(p->profile, BYTES("swapper"));
	if (t->pid != pid) { /* a thread that no record mentioned, or a reused id */
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
	p->rereads += read_maps(p, process->pid, PROC_TEXT_LIMIT, &text) == MAPS_READ;
	buffer_release(&text);
	return address_space_find(process->space, address);
}
