/* program.c: what would a profile of this program lack? */
#include "checks/program.h"

#include "base/proc.h"
#include "base/units.h"
#include "images/arch.h"
#include "images/cfi.h"
#include "images/debug_file.h"
#include "images/runtime_file.h"
#include "images/symbols.h"
#include "names/runtimes.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LIBRARIES_LIMIT 256u /* that are looked into */
#define SCRIPTS_LIMIT	4u   /* interpreters of interpreters */
#define PROLOGUES_LIMIT 2000 /* functions whose first instructions are looked at */
#define PROLOGUE_ROOM	16u  /* bytes in which a frame pointer is set up */

/* A binary, and what was stripped from it. */
struct subject {
	const char *path; /* as its process sees it */
	struct image *image, *debug;
	struct symbols *symbols;
};

static bool subject_open(struct subject *ret, const char *path, const char *root, struct error *err)
{
	const struct binary_locations locations = {.root = root};
	struct buffer inside = {0};

	buffer_printf(&inside, "%s%s", root ? root : "", path);
	*ret = (struct subject){.path = path, .image = image_open(inside.at, err)};
	buffer_release(&inside);
	if (!ret->image)
		return false;
	ret->debug = debug_file_open(ret->image, root ? &locations : NULL);
	ret->symbols = symbols_load(ret->image, ret->debug);
	return true;
}

static void subject_release(struct subject *s)
{
	symbols_release(s->symbols);
	image_release(s->debug);
	image_release(s->image);
}

static bool is_installed(const char *path)
{
	return !strncmp(path, "/usr/", 5) || !strncmp(path, "/lib", 4) ||
	       !strncmp(path, "/bin/", 5) || !strncmp(path, "/sbin/", 6) ||
	       !strncmp(path, "/opt/", 5);
}

/* What gives names to a stripped file: the command, and in *ret_package the package that it is
 * about, if that is known. */
static void advise(const struct machine *m, const char *path, struct buffer *ret_command,
	struct buffer *ret_package)
{
	if (!is_installed(path))
		return;
	packages_with_symbols(&m->packages, path, ret_package);
	packages_advise(&m->packages, path, ret_command);
}

static void add_stripped(const struct machine *m, struct findings *out, const char *name,
	enum check_state state, const char *path, const char *what)
{
	struct buffer command = {0}, package = {0};

	advise(m, path, &command, &package);
	finding_add(out, name, state, command.at, "%s%s%s%s", what, package.len ? "; package " : "",
		package.len ? package.at : "",
		is_installed(path) ? "" : ": build or install it unstripped (no -s, no strip)");
	buffer_release(&command);
	buffer_release(&package);
}

static void check_symbols(const struct machine *m, const struct subject *s, struct findings *out)
{
	struct buffer count = {0};

	units_grouped(&count, (int64_t)symbols_count(s->symbols));
	switch (symbols_extent(s->symbols)) {
	case SYMBOLS_FULL:
		finding_add(out, "symbols", CHECK_OK, NULL, "%s functions have names (%s)",
			count.at, symbols_source(s->symbols));
		break;
	case SYMBOLS_EXPORTED:
		add_stripped(m, out, "symbols", CHECK_LIMITED, s->path,
			"stripped: only exported functions have names");
		break;
	default:
		add_stripped(m, out, "symbols", CHECK_MISSING, s->path,
			"stripped: no function has a name");
	}
	buffer_release(&count);
}

static bool has_section(const struct image *image, const char *name)
{
	return image && image_section(image, name);
}

/* Some binaries have it of a few libraries only. It is larger than the code that it describes; an
 * eighth is left where it is compressed. */
static bool describes_code(const struct image *image, uint64_t code)
{
	const struct image_section *info = image ? image_section(image, ".debug_info") : NULL;

	return info && info->size * 8 >= code;
}

static void check_lines(const struct machine *m, const struct subject *s, struct findings *out)
{
	const struct image_section *code = image_section(s->image, ".text");
	bool full = symbols_extent(s->symbols) == SYMBOLS_FULL;
	bool any = has_section(s->image, ".debug_info") || has_section(s->debug, ".debug_info");
	struct buffer command = {0}, package = {0};

	if (describes_code(s->image, code ? code->size : 0) ||
		describes_code(s->debug, code ? code->size : 0)) {
		finding_add(out, "debug info", CHECK_OK, NULL,
			"inlined functions are frames; --lines and source work");
		return;
	}
	if (full && !any) /* otherwise the same command gives both, or none does */
		advise(m, s->path, &command, &package);
	finding_add(out, "debug info", CHECK_LIMITED, command.at,
		"%s: no inlined functions, no lines%s",
		any ? "only of a small part of the code" : "none",
		is_installed(s->path) ? "" : " (build with -g)");
	buffer_release(&command);
	buffer_release(&package);
}

static bool has_tables(const struct image *image)
{
	return has_section(image, ".eh_frame") || has_section(image, ".debug_frame") ||
	       image_segment(image, PT_GNU_EH_FRAME, &(uint64_t){0}).len;
}

/* Do its functions begin with `push %rbp; mov %rsp, %rbp`? In percent; -1: unknown. Compilers may
 * put the mark of indirect calls, or other instructions, in front or in between. */
static int frame_pointer_share(const struct subject *s)
{
	static const char push = 0x55, move[] = {0x48, (char)0x89, (char)0xe5};
	size_t count = symbols_count(s->symbols), looked_at = 0, found = 0;
	size_t step = count / PROLOGUES_LIMIT + 1;

	if (image_machine(s->image) != EM_X86_64)
		return -1;
	for (size_t i = 0; i < count; i += step) {
		struct symbol symbol = symbols_at(s->symbols, i);
		struct bytes code = bytes_head(image_at(s->image, symbol.start), PROLOGUE_ROOM);

		if (symbol.end - symbol.start < 4 * PROLOGUE_ROOM || !code.len)
			continue; /* small functions call nothing */
		looked_at++;
		found += memchr(code.at, push, code.len) &&
			 bytes_find(code, (struct bytes){move, sizeof(move)});
	}
	return looked_at ? (int)(found * 100 / looked_at) : -1;
}

static void check_stacks(const struct subject *s, struct findings *out)
{
	int share = frame_pointer_share(s);

	if (has_tables(s->image))
		finding_add(out, "unwind tables", CHECK_OK, NULL, "stacks are complete");
	else
		finding_add(out, "unwind tables", share > 50 ? CHECK_OK : CHECK_LIMITED, NULL,
			"none: stacks follow frame pointers%s",
			share > 50 ? "" : " (build with -fno-omit-frame-pointer)");
	if (share < 0)
		return;
	if (share > 50)
		finding_add(out, "frame pointers", CHECK_OK, NULL,
			"%d%% of the functions set one up: --call-graph fp works", share);
	else
		finding_add(out, "frame pointers", CHECK_OK, NULL,
			"%d%% of the functions set one up: not needed, but --call-graph fp would "
			"lose callers",
			share);
}

/* ---- Runtimes ---- */

static bool has_perf_map(int32_t pid)
{
	struct error ignored = {0};
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", runtime_file_pid(pid));
	fd = runtime_file_open(pid, path, &ignored);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* pid 0: a program that has not been started. */
static void check_runtime(struct bytes program, int32_t pid, struct findings *out)
{
	const struct runtime *r = runtime_of(program);
	const char *value = r ? getenv(r->variable) : NULL;

	if (!r)
		return;
	if (pid ? has_perf_map(pid) : value && strstr(value, r->option))
		finding_add(out, r->title, CHECK_OK, NULL,
			pid ? "/tmp/perf-%d.map names its compiled functions"
			    : "it will name its compiled functions",
			runtime_file_pid(pid));
	else if (runtime_is_too_old(r, program))
		finding_add(out, r->title, CHECK_LIMITED, NULL,
			"this version cannot name its functions for profilers (it can %s)",
			r->limits);
	else
		finding_add(out, r->title, CHECK_LIMITED, r->setting,
			"functions that it compiles have no names, unless it is started with");
}

/* ---- Commands ---- */

/* The interpreter in the first line of a script: "#!/usr/bin/env python3". False: no script. */
static bool find_interpreter(const char *path, struct buffer *ret_path)
{
	struct buffer head = {0};
	struct bytes rest, line, word;
	bool found = false;

	if (proc_text_up_to(&head, path, PATH_MAX)) {
		rest = buffer_bytes(&head);
		found = bytes_line(&rest, &line) && bytes_starts_with(line, BYTES("#!"));
	}
	if (found) {
		line = bytes_trim((struct bytes){line.at + 2, line.len - 2});
		if (!bytes_cut(&line, ' ', &word))
			word = line;
		if (bytes_equal(bytes_base_name(word), BYTES("env")))
			word = bytes_head(line, bytes_until(line, ' '));
		rest = word;
		buffer_set(&head, rest);
		found = head.len && check_find_program(head.at, ret_path);
	}
	buffer_release(&head);
	return found;
}

static void check_image(const struct machine *m, const struct subject *s, struct findings *out)
{
	check_symbols(m, s, out);
	check_lines(m, s, out);
	check_stacks(s, out);
}

bool program_check_command(
	const struct machine *m, const char *name, struct findings *out, struct error *err)
{
	struct buffer path = {0}, next = {0};
	struct subject s = {0};
	char *real = NULL;
	bool ok;

	out->subject = "Program";
	if (!check_find_program(name, &path)) {
		buffer_release(&path);
		return error_set(err, ERR_USAGE,
			"there is no program '%s': expected a command, or -p PID of a process",
			name);
	}
	for (unsigned i = 0; i < SCRIPTS_LIMIT && find_interpreter(path.at, &next); i++) {
		finding_add(out, "script", CHECK_OK, NULL, "%s is run by %s", path.at, next.at);
		buffer_set(&path, buffer_bytes(&next));
	}
	out->records_cpu = m->perf.any;
	real = realpath(path.at, NULL);
	ok = subject_open(&s, real ? real : path.at, NULL, err);
	if (ok) {
		finding_add(out, "file", CHECK_OK, NULL, "%s", s.path);
		check_image(m, &s, out);
		check_runtime(bytes_base_name(bytes_of(s.path)), 0, out);
	}
	subject_release(&s);
	free(real);
	buffer_release(&path);
	buffer_release(&next);
	return ok;
}

/* ---- Processes ---- */

static void check_rights(const struct machine *m, int32_t pid, struct findings *out)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.exclude_kernel = !m->perf.kernel,
		.disabled = 1};
	struct error err = {0};
	int fd = perf_event_open(&attr, pid, -1, 0);

	out->records_cpu = fd >= 0;
	if (fd >= 0) {
		close(fd);
		finding_add(out, "events", CHECK_OK, NULL, "process %d can be recorded", pid);
		return;
	}
	perf_event_error(&err, &m->perf, "cpu-clock:u", pid, -1);
	finding_add(out, "events", CHECK_MISSING, "sudo kiln record ...", "%s", err.text);
}

/* The path behind the sixth column of a line of /proc/PID/maps, of code in a file; else empty. */
static struct bytes mapped_code(struct bytes line)
{
	struct bytes field = {0}, rights = {0};

	for (int i = 0; i < 5; i++) {
		while (line.len && *line.at == ' ')
			line.at++, line.len--;
		if (!bytes_cut(&line, ' ', &field))
			return (struct bytes){0};
		if (i == 1)
			rights = field;
	}
	line = bytes_trim(line);
	return rights.len > 2 && rights.at[2] == 'x' && line.len && *line.at == '/'
		       ? line
		       : (struct bytes){0};
}

static void check_library(
	const struct machine *m, const char *path, const char *root, struct findings *out)
{
	struct error ignored = {0}; /* deleted, or no binary: the recording names it */
	struct subject s;

	if (!subject_open(&s, path, root, &ignored))
		return;
	if (symbols_extent(s.symbols) != SYMBOLS_FULL)
		add_stripped(m, out, bytes_base_name(bytes_of(path)).at, CHECK_LIMITED, path,
			"stripped: only exported functions have names");
	subject_release(&s);
}

/* The kernel prints paths of a process that is in a chroot as this process sees them. */
static struct bytes inside_root(const char *root, struct bytes path)
{
	char real[PATH_MAX];
	ssize_t len = readlink(root, real, sizeof(real));

	if (len > 1 && bytes_starts_with(path, (struct bytes){real, (size_t)len}) &&
		(size_t)len < path.len && path.at[len] == '/')
		return (struct bytes){path.at + len, path.len - (size_t)len};
	return path;
}

static void check_libraries(const struct machine *m, int32_t pid, const char *program,
	const char *root, struct findings *out)
{
	struct buffer maps = {0}, path = {0};
	struct bytes rest, line, last = bytes_of(program);
	unsigned count = 0;
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	if (proc_text(&maps, name)) {
		rest = buffer_bytes(&maps);
		while (count < LIBRARIES_LIMIT && bytes_line(&rest, &line)) {
			struct bytes code = inside_root(root, mapped_code(line));

			if (!code.len || bytes_equal(code, last) ||
				bytes_equal(code, bytes_of(program)))
				continue;
			last = code;
			buffer_set(&path, code);
			check_library(m, path.at, root, out);
			count++;
		}
	}
	buffer_release(&maps);
	buffer_release(&path);
}

static bool find_executable(int32_t pid, char ret_path[PATH_MAX], struct error *err)
{
	char link[64];
	ssize_t len;

	if (kill(pid, 0) && errno == ESRCH)
		return error_set(err, ERR_USAGE, "process %d does not exist or has ended", pid);
	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	len = readlink(link, ret_path, PATH_MAX - 1);
	if (len < 0 && errno == ENOENT)
		return error_set(err, ERR_USAGE, "process %d is a thread of the kernel", pid);
	if (len < 0 && (errno == EACCES || errno == EPERM))
		return error_set(err, ERR_PERMISSION,
			"process %d belongs to another user: run as root", pid);
	if (len < 0)
		return error_errno(err, "the program of process %d", pid);
	ret_path[len] = 0;
	return true;
}

bool program_check_process(
	const struct machine *m, int32_t pid, struct findings *out, struct error *err)
{
	char seen[PATH_MAX], root[64];
	const char *path;
	struct machine own = *m; /* of its container, which may be of another distribution */
	struct error failed = {0};
	struct subject s;

	out->subject = "Program";
	if (!find_executable(pid, seen, err))
		return false;
	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	path = inside_root(root, bytes_of(seen)).at;
	packages_find(&own.packages, root);
	finding_add(out, "file", CHECK_OK, NULL, "%s", path);
	check_rights(m, pid, out);
	if (subject_open(&s, path, root, &failed))
		check_image(&own, &s, out);
	else
		finding_add(out, "symbols", CHECK_MISSING, NULL, "%s", failed.text);
	subject_release(&s);
	check_runtime(bytes_base_name(bytes_of(path)), pid, out);
	check_libraries(&own, pid, path, root, out);
	return true;
}
