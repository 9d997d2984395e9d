/* test_unwind.c: does the unwinder see, at every instruction, the calls that were really made?
 *
 * A program is single-stepped; calls and returns are followed as they happen on a stack of their
 * own (the shadow stack), which knows nothing of tables. At every instruction the unwinder is given
 * what a sample would have: the registers and a copy of the stack. */
#include "test.h"

#include "base/memory.h"
#include "images/unwind.h"

#include <elf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#define STACK_BYTES  65528 /* as the recorder asks for */
#define SHADOW_LIMIT 4096
#define INJECT_EVERY 101 /* instructions between signals sent from outside */
/* One instruction in so many: crtbegin.o, .init, .fini and the handlers that interrupt them. */
#define UNDESCRIBED_SHARE 100
#define STEPS_EXPECTED	  20000 /* fewer instructions than any variant of the program takes */

/* ---- The address space of the traced program ---- */

struct mapped {
	struct unwind_code code;
	struct image *image;
	char *path;
	char *memory; /* a copy of the vdso */
	int fd;	      /* of libdw's own look at the file; -1: none */
	Elf *elf;
	Dwarf *debug;
	Dwarf_CFI *oracle, *debug_oracle;
};

struct tracee {
	pid_t pid;
	VECTOR(struct mapped) maps;
};

static void unmap_all(struct tracee *t)
{
	for (size_t i = 0; i < t->maps.len; i++) {
		cfi_release(t->maps.items[i].code.cfi);
		image_release(t->maps.items[i].image);
		free(t->maps.items[i].path);
		free(t->maps.items[i].memory);
		if (t->maps.items[i].elf) {
			dwarf_cfi_end(t->maps.items[i].oracle);
			dwarf_end(t->maps.items[i].debug);
			elf_end(t->maps.items[i].elf);
			close(t->maps.items[i].fd);
		}
	}
	t->maps.len = 0;
}

static size_t read_memory(const struct tracee *t, uint64_t address, void *to, size_t size)
{
	size_t done = 0;

	/* Up to the first page that is not there, as the kernel copies a stack for a sample. */
	while (done < size) {
		uint64_t at = address + done;
		size_t page = 4096 - at % 4096, part = size - done < page ? size - done : page;
		struct iovec local = {(char *)to + done, part}, remote = {(void *)at, part};

		if (process_vm_readv(t->pid, &local, 1, &remote, 1, 0) != (ssize_t)part)
			break;
		done += part;
	}
	return done;
}

static void add_map(
	struct tracee *t, uint64_t start, uint64_t end, uint64_t offset, const char *path)
{
	struct mapped m = {.code = {.start = start, .end = end}, .path = strdup(path)};
	struct error err = {0};
	uint64_t address;

	if (!strcmp(path, "[vdso]")) {
		m.memory = memory_new(1, end - start);
		assert_int_equal(read_memory(t, start, m.memory, end - start), end - start);
		m.image = image_open_bytes(
			(struct bytes){m.memory, (size_t)(end - start)}, path, &err);
	} else if (path[0] == '/') {
		m.image = image_open(path, &err);
	}
	if (m.image && image_address(m.image, offset, &address)) {
		m.code.bias = start - address;
		m.code.cfi = cfi_open(m.image);
	}
	if (m.code.cfi && path[0] == '/') {
		m.fd = open(path, O_RDONLY);
		m.elf = elf_begin(m.fd, ELF_C_READ_MMAP, NULL);
		m.oracle = dwarf_getcfi_elf(m.elf);
		m.debug = dwarf_begin_elf(m.elf, DWARF_C_READ, NULL);
		m.debug_oracle = m.debug ? dwarf_getcfi(m.debug) : NULL;
	}
	vector_push(&t->maps, m);
}

static bool oracle_has(Dwarf_CFI *oracle, uint64_t address)
{
	Dwarf_Frame *frame;

	if (!oracle || dwarf_cfi_addrframe(oracle, address, &frame))
		return false;
	free(frame);
	return true;
}

/* .init, .fini and the C compiler's crtbegin.o have no tables: libdw finds no rule there. */
static bool is_undescribed(const struct tracee *t, uint64_t pc)
{
	for (size_t i = 0; i < t->maps.len; i++) {
		const struct mapped *m = &t->maps.items[i];

		if (pc >= m->code.start && pc < m->code.end && m->elf)
			return !oracle_has(m->oracle, pc - m->code.bias) &&
			       !oracle_has(m->debug_oracle, pc - m->code.bias);
	}
	return false;
}

static void read_maps(struct tracee *t)
{
	char name[64], line[4096], path[4096], access[8];
	unsigned long start, end, offset;
	FILE *f;

	unmap_all(t);
	snprintf(name, sizeof(name), "/proc/%d/maps", t->pid);
	f = fopen(name, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		path[0] = '\0';
		assert_true(sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095s", &start, &end, access,
				    &offset, path) >= 4);
		if (access[2] == 'x')
			add_map(t, start, end, offset, path);
	}
	fclose(f);
}

static bool look_up(void *context, uint64_t pc, struct unwind_code *ret_code)
{
	struct tracee *t = context;

	for (size_t i = 0; i < t->maps.len; i++) {
		if (pc >= t->maps.items[i].code.start && pc < t->maps.items[i].code.end) {
			*ret_code = t->maps.items[i].code;
			ret_code->owner = t->maps.items[i].path;
			return true;
		}
	}
	return false;
}

/* ---- The shadow stack ---- */

struct call {
	uint64_t back; /* where it returns to; of a signal: the interrupted pc */
	uint64_t slot; /* where the return address lies; of a signal: the interrupted sp */
	bool signal;
	bool exact; /* `back` is an interrupted instruction, not one after a call */
};

struct shadow {
	struct call calls[SHADOW_LIMIT];
	size_t depth;
};

static void shadow_push(struct shadow *s, struct call call)
{
	assert_true(s->depth < SHADOW_LIMIT);
	s->calls[s->depth++] = call;
}

static bool is_call(const unsigned char *code)
{
	unsigned at = 0;

	/* rex, notrack, bnd, segment prefixes */
	while (at < 4 && (code[at] == 0x3e || code[at] == 0xf2 || code[at] == 0x64 ||
				 (code[at] & 0xf0) == 0x40))
		at++;
	return code[at] == 0xe8 || (code[at] == 0xff && (code[at + 1] >> 3 & 7) == 2);
}

/* What one instruction did: `before` and `after` it. */
static void shadow_step(struct shadow *s, const struct tracee *t, const unsigned char *code,
	const struct user_regs_struct *before, const struct user_regs_struct *after)
{
	uint64_t word = 0;

	if (is_call(code) && after->rsp == before->rsp - 8 &&
		read_memory(t, after->rsp, &word, 8) == 8 && word > before->rip &&
		word <= before->rip + 15) {
		shadow_push(s, (struct call){word, after->rsp, false, false});
		return;
	}
	if (s->depth && s->calls[s->depth - 1].signal) {
		if (after->rip == s->calls[s->depth - 1].back &&
			after->rsp == s->calls[s->depth - 1].slot)
			s->depth--;
		return;
	}
	while (s->depth && !s->calls[s->depth - 1].signal &&
		s->calls[s->depth - 1].slot < after->rsp)
		s->depth--;
}

/* A handler starts: its return address is the trampoline's, and above that is what was interrupted.
 */
static void shadow_signal(struct shadow *s, const struct tracee *t,
	const struct user_regs_struct *before, const struct user_regs_struct *after)
{
	uint64_t trampoline = 0;

	shadow_push(s, (struct call){before->rip, before->rsp, true, true});
	assert_int_equal(read_memory(t, after->rsp, &trampoline, 8), 8);
	shadow_push(s, (struct call){trampoline, after->rsp, false, true});
}

/* ---- Comparing ---- */

struct verdict {
	size_t steps, wrong, incomplete, frames, signals, other_stack;
	size_t guessed;	    /* instructions at which some frame had no table */
	size_t undescribed; /* at which code without tables was on the stack */
	size_t deepest;
};

static void to_registers(const struct user_regs_struct *u, struct registers *ret)
{
	const uint64_t values[] = {u->rax, u->rdx, u->rcx, u->rbx, u->rsi, u->rdi, u->rbp, u->rsp,
		u->r8, u->r9, u->r10, u->r11, u->r12, u->r13, u->r14, u->r15, u->rip};

	ret->known = 0;
	for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++)
		registers_set(ret, i, values[i]);
}

/* A copy contains one stack. If a signal handler runs on a stack of its own, the interrupted frame
 * is known from the signal frame, but its callers on the other stack are not in the copy. */
static size_t expected_frames(const struct shadow *s, uint64_t copy_start, size_t copy_len)
{
	for (size_t i = s->depth; i; i--) {
		const struct call *c = &s->calls[i - 1];

		if (c->slot - copy_start >= copy_len)
			return s->depth - i + 1 + c->signal;
	}
	return s->depth + 1;
}

static bool frames_match(const struct shadow *s, const struct user_regs_struct *regs,
	const struct unwind_frame *frames, size_t count)
{
	if (count > s->depth + 1 || !count || frames[0].address != regs->rip)
		return false;
	for (size_t i = 1; i < count; i++) {
		const struct call *c = &s->calls[s->depth - i];

		if (frames[i].address != c->back - !c->exact || frames[i].exact != c->exact)
			return false;
	}
	return true;
}

static void show(const struct tracee *t, const struct shadow *s, const struct unwind_frame *frames,
	size_t count, enum unwind_end end)
{
	print_message("ended %d (%s)\n", end, unwind_end_name(end));
	for (size_t i = 0; i < count || i <= s->depth; i++) {
		struct unwind_code code = {0};

		if (i < count)
			look_up((void *)(uintptr_t)t, frames[i].address, &code);
		print_message("  %2zu %12lx (%s%+ld)%s  really %lx\n", i,
			i < count ? frames[i].address : 0,
			code.owner ? (const char *)code.owner : "?",
			i < count ? (long)(frames[i].address - code.bias) : 0,
			i < count && frames[i].guessed ? " guessed" : "",
			i && i <= s->depth ? s->calls[s->depth - i].back : 0);
	}
}

static void check(struct tracee *t, const struct shadow *s, const struct user_regs_struct *regs,
	struct verdict *v)
{
	static char stack[STACK_BYTES];
	static struct unwind_frame frames[SHADOW_LIMIT];
	struct registers registers;
	struct unwind_input in = {
		.arch = arch_native(), .registers = &registers, .lookup = look_up, .context = t};
	size_t count, expected, len = read_memory(t, regs->rsp, stack, sizeof(stack));
	struct unwind_code code;
	enum unwind_end end;
	bool right, guessed = false;

	if (!look_up(t, regs->rip, &code))
		read_maps(t);
	to_registers(regs, &registers);
	in.stack = (struct stack_copy){regs->rsp, {stack, len}};
	in.stack_filled = len == sizeof(stack);
	end = unwind_stack(&in, frames, SHADOW_LIMIT, &count);
	expected = expected_frames(s, regs->rsp, len);
	right = count == expected && frames_match(s, regs, frames, count);
	right = right && (end == UNWIND_COMPLETE) == (expected == s->depth + 1);
	v->steps++;
	v->frames += count;
	v->other_stack += expected != s->depth + 1;
	v->deepest = count > v->deepest ? count : v->deepest;
	for (size_t i = 0; i < count; i++)
		guessed |= frames[i].guessed;
	v->guessed += guessed;
	for (size_t i = 0; i <= s->depth && !right; i++) {
		if (is_undescribed(
			    t, i ? s->calls[i - 1].back - !s->calls[i - 1].exact : regs->rip)) {
			v->undescribed++; /* and it ended there */
			return;
		}
	}
	if (!right && v->wrong++ < 3)
		show(t, s, frames, count, end);
}

/* ---- Stepping ---- */

static pid_t start(const char *path, char *const arguments[])
{
	pid_t pid = fork();

	if (pid)
		return pid;
	personality(ADDR_NO_RANDOMIZE);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	execv(path, arguments);
	_exit(127);
}

/* One instruction on; a signal is delivered when `*signal` is set, and set when one arrives. */
static bool step(struct tracee *t, int *signal, struct user_regs_struct *ret_after)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SINGLESTEP, t->pid, NULL, (void *)(intptr_t)*signal), 0);
	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	if (WIFEXITED(status)) {
		assert_int_equal(WEXITSTATUS(status), 0);
		return false;
	}
	assert_true(WIFSTOPPED(status));
	*signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	assert_int_equal(ptrace(PTRACE_GETREGS, t->pid, NULL, ret_after), 0);
	return true;
}

/* A blocked signal would be delivered later, at an unknown instruction. */
static bool takes_signal(const struct tracee *t, int signal)
{
	uint64_t blocked;

	assert_int_equal(ptrace(PTRACE_GETSIGMASK, t->pid, sizeof(blocked), &blocked), 0);
	return !(blocked >> (signal - 1) & 1);
}

static struct verdict trace(const char *path)
{
	char *const arguments[] = {(char *)(uintptr_t)path, NULL};
	static struct shadow shadow;
	struct user_regs_struct before, after;
	struct tracee t = {.pid = start(path, arguments)};
	struct verdict v = {0};
	unsigned char code[16];
	int status, signal = 0, delivered = 0;

	shadow.depth = 0;
	assert_int_equal(waitpid(t.pid, &status, 0), t.pid);
	assert_true(WIFSTOPPED(status));
	read_maps(&t);
	ptrace(PTRACE_GETREGS, t.pid, NULL, &before);
	for (;; before = after) {
		/* The stop at a handler's first instruction is a report, not a signal's delivery:
		 * ptrace drops what is sent from there. */
		bool can_inject = !signal && !delivered && v.signals;

		delivered = signal;
		check(&t, &shadow, &before, &v);
		memset(code, 0, sizeof(code));
		read_memory(&t, before.rip, code, sizeof(code));
		if (can_inject && v.steps % INJECT_EVERY == 0 && takes_signal(&t, SIGUSR1))
			signal = delivered = SIGUSR1;
		if (!step(&t, &signal, &after))
			break;
		if (delivered) {
			v.signals++;
			shadow_signal(&shadow, &t, &before, &after);
		} else if (!signal) {
			shadow_step(&shadow, &t, code, &before, &after);
		}
	}
	unmap_all(&t);
	vector_release(&t.maps);
	return v;
}

static void trace_target(const char *name)
{
	const char *folder = getenv("KILN_TARGETS");
	char path[4096];
	struct verdict v;

	assert_non_null(folder);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	v = trace(path);
	print_message(
		"%s: %zu instructions, %zu frames, deepest %zu, %zu signals, %zu on another "
		"stack, %zu with guessed frames, %zu in code that nobody describes, %zu wrong\n",
		name, v.steps, v.frames, v.deepest, v.signals, v.other_stack, v.guessed,
		v.undescribed, v.wrong);
	assert_int_equal(v.wrong, 0);
	assert_true(v.undescribed <= v.steps / UNDESCRIBED_SHARE);
	assert_true(v.steps >= STEPS_EXPECTED);
	assert_true(v.signals > 10);
	assert_true(v.other_stack > 0);
}

static void test_no_frame_pointers(void **state)
{
	(void)state;
	trace_target("frames");
}

static void test_unoptimised(void **state)
{
	(void)state;
	trace_target("frames_O0");
}

static void test_debug_frame(void **state)
{
	(void)state;
	trace_target("frames_debug");
}

static void test_no_search_table(void **state)
{
	(void)state;
	trace_target("frames_unsearchable");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_frame_pointers),
		cmocka_unit_test(test_unoptimised),
		cmocka_unit_test(test_debug_frame),
		cmocka_unit_test(test_no_search_table),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
