/* dwfl_frames.c: are the frames that Kiln finds in stack copies those that elfutils' libdwfl finds?
 *
 *     dwfl_frames FILE.data
 *
 * Every sample of a recording with stack copies is unwound by dwfl_thread_getframes over the same
 * registers, the same copy and the mappings that were recorded. The addresses are compared with
 * those of the profile that Kiln reads from the file, frame by frame, innermost first. */
#include "model/profile.h"
#include "readers/reading.h"
#include "recording.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define FRAMES_LIMIT 4096
#define SHOWN	     5
#define VDSO_SIZE    8192 /* bytes of it that are asked for; its segments lie in them */

/* ---- What was mapped ---- */

struct map {
	uint64_t start, end, offset;
	char *path;
};

struct runner {
	uint32_t pid;
	VECTOR(struct map) maps;
	Dwfl *dwfl; /* over these maps; NULL: not made since they changed */
};

static struct {
	VECTOR(struct runner) items;
} processes;

static char vdso_path[32];

static struct runner *process_of(uint32_t pid)
{
	for (size_t i = 0; i < processes.items.len; i++)
		if (processes.items.items[i].pid == pid)
			return &processes.items.items[i];
	vector_push(&processes.items, (struct runner){.pid = pid});
	return &processes.items.items[processes.items.len - 1];
}

static void forget_modules(struct runner *p)
{
	if (p->dwfl)
		dwfl_end(p->dwfl);
	p->dwfl = NULL;
}

static void unmap_all(struct runner *p)
{
	for (size_t i = 0; i < p->maps.len; i++)
		free(p->maps.items[i].path);
	p->maps.len = 0;
	forget_modules(p);
}

static void map(struct runner *p, uint64_t start, uint64_t size, uint64_t offset, struct bytes path)
{
	struct map m = {start, start + size, offset, strndup(path.at, path.len)};
	size_t kept = 0;

	for (size_t i = 0; i < p->maps.len; i++) {
		struct map *old = &p->maps.items[i];

		if (old->start >= m.end || old->end <= m.start)
			p->maps.items[kept++] = *old;
		else
			free(old->path);
	}
	p->maps.len = kept;
	vector_push(&p->maps, m);
	forget_modules(p);
}

static void take(const struct perf_record *r)
{
	struct runner *p, *parent;

	if (r->type == PERF_RECORD_MMAP || r->type == PERF_RECORD_MMAP2) {
		map(process_of(r->mmap.pid), r->mmap.start, r->mmap.size, r->mmap.offset,
			r->mmap.path);
	} else if (r->type == PERF_RECORD_COMM && r->comm.exec) {
		unmap_all(process_of(r->comm.pid));
	} else if (r->type == PERF_RECORD_FORK && r->task.pid != r->task.parent_pid) {
		process_of(r->task.pid);
		process_of(r->task.parent_pid);
		p = process_of(r->task.pid);
		parent = process_of(r->task.parent_pid);
		unmap_all(p);
		for (size_t i = 0; i < parent->maps.len; i++) {
			struct map copy = parent->maps.items[i];

			copy.path = strdup(copy.path);
			vector_push(&p->maps, copy);
		}
	}
}

static const struct map *map_at(const struct runner *p, uint64_t address)
{
	for (size_t i = 0; i < p->maps.len; i++)
		if (address - p->maps.items[i].start <
			p->maps.items[i].end - p->maps.items[i].start)
			return &p->maps.items[i];
	return NULL;
}

/* ---- libdwfl ---- */

/* What an ELF file is moved by when `offset` of it is mapped to `start`. */
static bool bias_of(const char *path, const struct map *m, uint64_t *ret_bias)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	size_t count = 0;
	bool found = false;
	GElf_Phdr h;

	if (elf)
		elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count && !found; i++) {
		if (!gelf_getphdr(elf, (int)i, &h) || h.p_type != PT_LOAD || !(h.p_flags & PF_X))
			continue;
		/* Mappings start at whole pages. */
		found = m->offset - (h.p_offset & ~4095ull) < h.p_filesz + 4096;
		*ret_bias = m->start - m->offset - (h.p_vaddr - h.p_offset);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return found;
}

struct sampled {
	const struct perf_sample *sample;
	uint64_t registers[17]; /* by DWARF number; the last one is the pc */
	uint64_t frames[FRAMES_LIMIT];
	size_t count;
};

static pid_t next_thread(Dwfl *dwfl, void *dwfl_arg, void **thread_arg)
{
	if (*thread_arg)
		return 0;
	*thread_arg = dwfl_arg;
	return dwfl_pid(dwfl);
}

static struct sampled *current;

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *arg)
{
	const struct bytes copy = current->sample->stack_user;
	uint64_t at = address - current->registers[7];

	(void)dwfl;
	(void)arg;
	if (at > copy.len || copy.len - at < sizeof(*result))
		return false;
	memcpy(result, copy.at + at, sizeof(*result));
	return true;
}

static bool initial_registers(Dwfl_Thread *thread, void *arg)
{
	(void)arg;
	dwfl_thread_state_register_pc(thread, current->registers[16]);
	return dwfl_thread_state_registers(thread, 0, 17, current->registers);
}

static int take_frame(Dwfl_Frame *frame, void *arg)
{
	Dwarf_Addr pc;
	bool exact;

	(void)arg;
	if (current->count == FRAMES_LIMIT || !dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	current->frames[current->count++] = exact ? pc : pc - 1;
	return DWARF_CB_OK;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {.next_thread = next_thread,
	.memory_read = read_memory,
	.set_initial_registers = initial_registers};
static const Dwfl_Callbacks module_callbacks = {.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address};

static void report_modules(struct runner *p)
{
	p->dwfl = dwfl_begin(&module_callbacks);
	dwfl_report_begin(p->dwfl);
	for (size_t i = 0; i < p->maps.len; i++) {
		const struct map *m = &p->maps.items[i];
		const char *path = strcmp(m->path, "[vdso]") != 0 ? m->path : vdso_path;
		uint64_t bias;

		if (!dwfl_addrmodule(p->dwfl, m->start) && bias_of(path, m, &bias))
			dwfl_report_elf(p->dwfl, m->path, path, -1, bias, true);
	}
	dwfl_report_end(p->dwfl, NULL, NULL);
	dwfl_attach_state(p->dwfl, NULL, (pid_t)p->pid, &thread_callbacks, p);
}

/* perf's register numbers (arch/x86/include/uapi/asm/perf_regs.h) by DWARF number. */
static const uint8_t perf_number[17] = {0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8};

static bool unwind(struct runner *p, struct sampled *s)
{
	const struct perf_sample *sample = s->sample;
	uint64_t mask = sample->layout->regs_user;

	for (size_t i = 0; i < 17; i++) {
		uint64_t below = mask & ((1ull << perf_number[i]) - 1);
		size_t at = (size_t)__builtin_popcountll(below);

		if (!(mask >> perf_number[i] & 1) || at >= sample->regs_user.count)
			return false;
		s->registers[i] = sample->regs_user.at[at];
	}
	if (!p->dwfl)
		report_modules(p);
	s->count = 0;
	current = s;
	dwfl_getthread_frames(p->dwfl, (pid_t)p->pid, take_frame, NULL);
	return true;
}

/* ---- Kiln ---- */

/* The profile's samples by time and thread. */
struct found {
	uint64_t time;
	int32_t tid;
	stack_id stack;
};

static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

struct kiln {
	struct profile profile;
	VECTOR(struct found) samples;
};

static void kiln_read(struct kiln *k, const char *path)
{
	struct read_options options = {.want = WANT_ALL};
	struct error err = {0};

	if (!profile_read(path, &options, &k->profile, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(2);
	}
	for (size_t t = 0; t < k->profile.samples.len; t++) {
		const struct samples *s = &k->profile.samples.items[t];

		for (size_t i = 0; i < s->count; i++) {
			struct found row = {s->time.items[i],
				k->profile.threads.items[s->thread.items[i]].tid,
				s->stack.items[i]};
			vector_push(&k->samples, row);
		}
	}
	qsort(k->samples.items, k->samples.len, sizeof(*k->samples.items), compare_found);
}

static bool is_kernel(const struct profile *p, const struct location *l)
{
	uint32_t kind = p->mappings.items[l->mapping].kind;

	return l->mapping && (kind == MAPPING_KERNEL || kind == MAPPING_MODULE);
}

/* ---- One beside the other ---- */

enum verdict {
	EQUAL,
	KILN_GOES_ON, /* libdwfl stops earlier */
	DWFL_GOES_ON, /* Kiln stops earlier */
	OTHER_FRAME,  /* they agree up to a frame and differ in the next one */
	NOT_IN_KILN,  /* no sample of this time and thread */
	VERDICTS
};
static const char *const verdict_names[VERDICTS] = {"equal", "go on where libdwfl stops",
	"STOP WHERE LIBDWFL GOES ON", "DIFFER IN A FRAME", "ARE MISSING"};

struct counts {
	uint64_t stacks[VERDICTS], frames, no_stack;
	unsigned shown;
};

/* Does a location of the profile mean this address? Files count from their start. */
static bool same_place(
	const struct kiln *k, const struct location *l, const struct runner *p, uint64_t address)
{
	const struct mapping *m = &k->profile.mappings.items[l->mapping];
	const struct map *mapped = map_at(p, address);

	if (m->kind == MAPPING_JIT || !mapped)
		return l->address == address;
	return l->address == address - mapped->start + mapped->offset &&
	       bytes_equal(profile_text(&k->profile, m->file), bytes_of(mapped->path));
}

static enum verdict compare_stacks(const struct kiln *k, const struct runner *p,
	const struct sampled *s, stack_id stack, struct counts *c)
{
	const struct profile *profile = &k->profile;
	const struct location *locations = profile->locations.items;
	size_t at = 0;

	while (stack && is_kernel(profile, &locations[profile->stack_location.items[stack]]))
		stack = profile->stack_caller.items[stack];
	for (; stack; stack = profile->stack_caller.items[stack]) {
		const struct location *l = &locations[profile->stack_location.items[stack]];

		if (!l->mapping) /* the thread's name, a mark */
			break;
		if (at == s->count)
			return KILN_GOES_ON;
		if (!same_place(k, l, p, s->frames[at]))
			return OTHER_FRAME;
		c->frames++;
		at++;
	}
	/* An address that leads to no code is no frame. */
	while (at < s->count && !map_at(p, s->frames[at]))
		at++;
	return at < s->count ? DWFL_GOES_ON : EQUAL;
}

static void show(const struct kiln *k, const struct runner *p, const struct sampled *s,
	stack_id stack, const char *name)
{
	printf("  %s:\n    libdwfl:", name);
	for (size_t i = 0; i < s->count; i++) {
		const struct map *m = map_at(p, s->frames[i]);

		printf(" %s+0x%" PRIx64,
			m ? strrchr(m->path, '/') ? strrchr(m->path, '/') + 1 : m->path : "?",
			m ? s->frames[i] - m->start + m->offset : s->frames[i]);
	}
	printf("\n    kiln:   ");
	for (; stack; stack = k->profile.stack_caller.items[stack]) {
		const struct location *l =
			&k->profile.locations.items[k->profile.stack_location.items[stack]];

		printf(" %u+0x%" PRIx64, l->mapping, l->address);
	}
	printf("\n");
}

static void check_sample(const struct kiln *k, const struct perf_record *r, struct counts *c)
{
	static struct sampled sampled;
	struct runner *p = process_of(r->identity.pid);
	struct found key = {r->identity.time, (int32_t)r->identity.tid, 0}, *found;
	enum verdict v = NOT_IN_KILN;

	sampled.sample = &r->sample;
	if (r->sample.regs_user_abi != PERF_SAMPLE_REGS_ABI_64 || !unwind(p, &sampled)) {
		c->no_stack++;
		return;
	}
	found = bsearch(&key, k->samples.items, k->samples.len, sizeof(key), compare_found);
	if (found)
		v = compare_stacks(k, p, &sampled, found->stack, c);
	c->stacks[v]++;
	if (v >= DWFL_GOES_ON && c->shown++ < SHOWN)
		show(k, p, &sampled, found ? found->stack : 0, verdict_names[v]);
}

static void write_vdso(void)
{
	int fd = memfd_create("vdso", MFD_CLOEXEC);
	const char *at = (const char *)getauxval(AT_SYSINFO_EHDR);

	if (fd < 0 || !at || write(fd, at, VDSO_SIZE) != VDSO_SIZE) {
		fprintf(stderr, "dwfl_frames: no copy of the vdso\n");
		exit(2);
	}
	snprintf(vdso_path, sizeof(vdso_path), "/proc/self/fd/%d", fd);
}

int main(int argc, char **argv)
{
	struct recording recording;
	struct counts c = {0};
	struct kiln k = {0};
	uint64_t all = 0, bad = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: dwfl_frames FILE.data\n");
		return 2;
	}
	elf_version(EV_CURRENT);
	write_vdso();
	recording_open(&recording, argv[1]);
	kiln_read(&k, argv[1]);
	for (size_t i = 0; i < recording.records.len; i++) {
		size_t at = recording.records.items[i].at;
		struct bytes bytes = {recording.content.at + at, recording.data_end - at};
		struct perf_record r;
		struct error err = {0};

		if (!perf_record_decode(bytes, &recording.layout, &r, &err))
			continue;
		if (r.type == PERF_RECORD_SAMPLE)
			check_sample(&k, &r, &c);
		else
			take(&r);
	}
	printf("%" PRIu64 " frames compared", c.frames);
	for (unsigned v = 0; v < VERDICTS; v++) {
		all += c.stacks[v];
		bad += v >= DWFL_GOES_ON ? c.stacks[v] : 0;
		if (c.stacks[v])
			printf("; %" PRIu64 " stacks %s", c.stacks[v], verdict_names[v]);
	}
	printf("; %" PRIu64 " without user code\n", c.no_stack);
	for (size_t i = 0; i < processes.items.len; i++) {
		unmap_all(&processes.items.items[i]);
		vector_release(&processes.items.items[i].maps);
	}
	vector_release(&processes.items);
	vector_release(&k.samples);
	profile_release(&k.profile);
	recording_release(&recording);
	return all && !bad ? 0 : 1;
}
