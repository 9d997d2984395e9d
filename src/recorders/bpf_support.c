/* bpf_support.c: may programs be put into this kernel, and if not, why? */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorders/bpf_support.h"

#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"

static char last_message[256]; /* the last line that libbpf said about a failure */

__attribute__((format(printf, 2, 0))) static int keep_message(
	enum libbpf_print_level level, const char *fmt, va_list args)
{
	char text[sizeof(last_message)];

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(text, sizeof(text), fmt, args);
	text[strcspn(text, "\n")] = '\0';
	/* What follows says less: that an object could not be loaded. */
	if (!*last_message && *text)
		memcpy(last_message, text, sizeof(text));
	return 0;
}

static bool capable(const struct __user_cap_data_struct data[2], unsigned capability)
{
	return data[capability / 32].effective >> capability % 32 & 1;
}

static bool privileged(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	if (syscall(SYS_capget, &header, data))
		return true; /* the kernel will say */
	return capable(data, CAP_SYS_ADMIN) ||
	       (capable(data, CAP_BPF) && capable(data, CAP_PERFMON));
}

bool bpf_support(struct error *err)
{
	libbpf_set_print(keep_message);
	if (!privileged())
		return error_set(err, ERR_PERMISSION,
			"programs in the kernel (BPF) take root, or CAP_BPF and CAP_PERFMON: use "
			"sudo, or setcap cap_bpf,cap_perfmon=ep on kiln; in docker, --cap-add BPF "
			"--cap-add PERFMON and a seccomp profile that allows bpf(2)");
	if (access(KERNEL_TYPES, R_OK))
		return error_set(err, ERR_IO,
			"this kernel does not describe its types (no " KERNEL_TYPES
			"): it takes one with CONFIG_DEBUG_INFO_BTF, such as Debian's");
	return true;
}

bool bpf_error(struct error *err, int code, const char *doing)
{
	if (code == -EPERM || code == -EACCES)
		return error_set(err, ERR_PERMISSION,
			"%s: the kernel refuses (%s): is it locked down "
			"(/sys/kernel/security/lockdown), or does seccomp forbid bpf(2)?",
			doing, *last_message ? last_message : strerror(-code));
	return error_set(err, ERR_IO, "%s: %s%s%s", doing, strerror(-code),
		*last_message ? ": " : "", last_message);
}

static bool read_all(int fd, struct buffer *out, struct error *err)
{
	char part[4096];
	ssize_t got;

	while ((got = read(fd, part, sizeof(part))) > 0 || (got < 0 && errno == EINTR))
		buffer_add(out, part, got > 0 ? (size_t)got : 0);
	return !got || error_errno(err, "reading what threads are there");
}

bool bpf_iterate(struct bpf_program *program, struct buffer *out, struct error *err)
{
	struct bpf_link *link = bpf_program__attach_iter(program, NULL);
	bool ok;
	int fd;

	if (!link)
		return bpf_error(err, -errno, "listing threads in the kernel");
	fd = bpf_iter_create(bpf_link__fd(link));
	ok = fd >= 0 ? read_all(fd, out, err)
		     : bpf_error(err, -errno, "listing threads in the kernel");
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	return ok;
}
