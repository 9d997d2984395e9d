/* support.c: can this kernel load our programs, and if not, why? Loading, attaching and iterating.
 */
#include "recorders/programs/support.h"

#include "base/parallel.h"
#include "recorders/capabilities.h"
#include "recorders/refusal.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAP_BATCH    4096u /* rows of a table that are read with one call */
#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"

static char last_message[256]; /* of libbpf, about a failure */

__attribute__((format(printf, 2, 0))) static int keep_message(
	enum libbpf_print_level level, const char *fmt, va_list args)
{
	char text[sizeof(last_message)];

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(text, sizeof(text), fmt, args);
	text[strcspn(text, "\n")] = '\0';
	/* The lines after the first only say that an object could not be loaded. */
	if (!*last_message && *text)
		memcpy(last_message, text, sizeof(text));
	return 0;
}

static bool privileged(void)
{
	return capability_held(CAP_SYS_ADMIN) ||
	       (capability_held(CAP_BPF) && capability_held(CAP_PERFMON));
}

/* The smallest map that the kernel accepts. */
static bool try_call(struct obstacle *ret)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, 4, 4, 1, NULL);

	if (fd >= 0) {
		close(fd);
		return true;
	}
	if (fd == -EPERM || (fd == -ENOSYS && refusal_known()))
		return refusal_find(ret, "bpf(2)");
	return obstacle_set(ret, ERR_UNSUPPORTED, "this kernel does not support BPF (bpf(2): %s)",
		strerror(-fd));
}

static bool lacks(enum bpf_func_id function)
{
	return !libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT, function, NULL);
}

static bool try_functions(struct obstacle *ret)
{
	if (lacks(BPF_FUNC_loop))
		return obstacle_set(ret, ERR_UNSUPPORTED,
			"BPF programs of this kernel cannot unwind stacks: it lacks bpf_loop "
			"(Linux 5.17 and later have it)");
	if (kernel_confidential() || lacks(BPF_FUNC_probe_read_kernel))
		return obstacle_set(ret, ERR_PERMISSION,
			"this kernel is locked down (/sys/kernel/security/lockdown: "
			"confidentiality): BPF programs must not read memory, so only --mode cpu "
			"with --recorder perf works");
	return true;
}

/* In containers, something else may be mounted there. */
static bool describes_types(void)
{
	int fd = open(KERNEL_TYPES, O_RDONLY | O_CLOEXEC);
	uint16_t magic = 0;
	bool there = fd >= 0 && read(fd, &magic, sizeof(magic)) == sizeof(magic);

	if (fd >= 0)
		close(fd);
	return there && magic == BTF_MAGIC;
}

/* A file with capabilities gives them to all who may execute it, and who loads programs for the
 * kernel can read all memory: so never advise to set them on a file that everybody may execute. */
static bool no_privileges(struct obstacle *ret)
{
	obstacle_set(ret, ERR_PERMISSION, "BPF programs need root, or CAP_BPF and CAP_PERFMON");
	obstacle_remedy(ret,
		"use sudo, or give the capabilities to a kiln that only a trusted group "
		"may execute (man kiln-record, PRIVILEGES); for a "
		"container, " REFUSAL_DOCKER);
	return obstacle_run_as_root(ret);
}

bool bpf_check(struct obstacle *ret)
{
	libbpf_set_print(keep_message);
	if (!privileged())
		return no_privileges(ret);
	if (!describes_types()) {
		obstacle_set(ret, ERR_UNSUPPORTED,
			"this kernel has no type information (no BTF in " KERNEL_TYPES ")");
		return obstacle_remedy(ret, "use one with CONFIG_DEBUG_INFO_BTF, such as Debian's");
	}
	return try_call(ret) && try_functions(ret);
}

bool bpf_support(struct error *err)
{
	struct obstacle o;

	return bpf_check(&o) || obstacle_error(err, &o);
}

bool bpf_has_task_work(void)
{
	return libbpf_find_vmlinux_btf_id(TASK_WORK_FUNCTION, BPF_TRACE_FENTRY) >= 0;
}

/* Where the kernel's types are not all read for want of it, libbpf says that there are none. */
static bool memory_is_short(int code)
{
	struct rlimit space;

	return code == -ENOMEM ||
	       (code == -ESRCH && !getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY);
}

bool bpf_error(struct error *err, int code, const char *doing)
{
	if (memory_is_short(code))
		return refusal_memory(err, doing);
	if (code == -EPERM || code == -EACCES)
		return error_set(err, ERR_PERMISSION, "%s: the kernel refuses: %s", doing,
			*last_message ? last_message : strerror(-code));
	return error_set(err, ERR_IO, "%s: %s%s%s", doing, strerror(-code),
		*last_message ? ": " : "", last_message);
}

/* Functions that only newer kernels have are weak symbols. libbpf 1.1 searches them in the types of
 * modules as well, which takes CAP_SYS_ADMIN, and without it loads nothing. It does this once for
 * each object: so let it fail here, for a function that does not exist. */
static void look_past_modules(const struct bpf_object *object)
{
	struct bpf_program *any = bpf_object__next_program(object, NULL);

	if (!capability_held(CAP_SYS_ADMIN))
		bpf_program__set_attach_target(any, 0, "(none)");
}

bool bpf_load(struct bpf_object_skeleton *programs, struct error *err)
{
	int code;

	look_past_modules(*programs->obj);
	*last_message = '\0'; /* a failed attempt is not the reason of a later failure */
	code = bpf_object__load_skeleton(programs);
	return !code || bpf_error(err, code, "cannot load the BPF programs");
}

static bool read_all(int fd, struct buffer *out, struct error *err)
{
	char part[4096];
	ssize_t got;

	while ((got = read(fd, part, sizeof(part))) > 0 || (got < 0 && errno == EINTR))
		buffer_add(out, part, got > 0 ? (size_t)got : 0);
	return !got || error_errno(err, "cannot read the list of threads");
}

static struct bpf_link **link_at(const struct bpf_object_skeleton *programs, size_t i)
{
	char *rows = (char *)programs->progs;
	struct bpf_prog_skeleton *row = (void *)(rows + i * (size_t)programs->prog_skel_sz);

	return row->link;
}

static void detach(void *programs, size_t i)
{
	struct bpf_link **link = link_at(programs, i);

	bpf_link__destroy(*link);
	*link = NULL;
}

void bpf_detach(struct bpf_object_skeleton *programs)
{
	parallel_run(PARALLEL_THREADS_LIMIT, 1, (size_t)programs->prog_cnt, detach, programs);
}

bool bpf_iterate(struct bpf_program *program, struct buffer *out, struct error *err)
{
	struct bpf_link *link = bpf_program__attach_iter(program, NULL);
	bool ok;
	int fd;

	if (!link)
		return bpf_error(err, -errno, "cannot list threads in the kernel");
	fd = bpf_iter_create(bpf_link__fd(link));
	ok = fd >= 0 ? read_all(fd, out, err)
		     : bpf_error(err, -errno, "cannot list threads in the kernel");
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	return ok;
}

size_t bpf_read_map(
	int fd, size_t key_size, size_t value_size, struct buffer *keys, struct buffer *values)
{
	uint32_t at = 0, count;
	size_t rows = 0;
	int failed = 0;

	keys->len = values->len = 0;
	while (!failed) {
		count = MAP_BATCH;
		failed = bpf_map_lookup_batch(fd, rows ? &at : NULL, &at,
			buffer_reserve(keys, count * key_size),
			buffer_reserve(values, count * value_size), &count, NULL);
		if (failed && errno != ENOENT)
			break;
		keys->len += count * key_size;
		values->len += count * value_size;
		rows += count;
	}
	return rows;
}
