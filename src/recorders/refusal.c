/* refusal.c: may this process use events and programs in the kernel, and what else is in the way?
 */
#include "recorders/refusal.h"

#include "base/bytes.h"
#include "base/proc.h"

#include <string.h>

static bool file_has(const char *path, const char *part)
{
	struct buffer text = {0};
	bool found = proc_text(&text, path);

	if (found) {
		buffer_text(&text, "");
		found = strstr(text.at, part) != NULL;
	}
	buffer_release(&text);
	return found;
}

bool kernel_confidential(void)
{
	return file_has("/sys/kernel/security/lockdown", "[confidentiality]");
}

static bool calls_are_filtered(void)
{
	return file_has("/proc/self/status", "\nSeccomp:\t2");
}

/* All users are themselves in the first one only: "0 0 4294967295". */
static bool in_user_namespace(void)
{
	struct buffer text = {0};
	bool inside = proc_text(&text, "/proc/self/uid_map");

	if (inside) {
		buffer_text(&text, "");
		inside = !strstr(text.at, " 4294967295");
	}
	buffer_release(&text);
	return inside;
}

bool refusal_known(void)
{
	return calls_are_filtered() || in_user_namespace();
}

bool refusal_find(struct obstacle *ret, const char *call)
{
	if (calls_are_filtered()) {
		obstacle_set(ret, ERR_PERMISSION, "a seccomp filter blocks %s", call);
		return obstacle_remedy(ret, "for a container, " REFUSAL_DOCKER);
	}
	if (in_user_namespace()) {
		obstacle_set(ret, ERR_PERMISSION,
			"%s needs capabilities outside of this user namespace (a rootless "
			"container?)",
			call);
		return obstacle_remedy(ret, "run kiln outside of it");
	}
	obstacle_set(ret, ERR_PERMISSION, "the kernel refuses %s", call);
	obstacle_remedy(ret, "a security module may block it (see dmesg)");
	return obstacle_command(ret, "sudo dmesg | tail");
}

bool refusal_memory(struct error *err, const char *doing)
{
	return error_set(err, ERR_IO,
		"%s: not enough memory: raise the limit (ulimit -v, or memory.max of the control "
		"group), or use a smaller ring buffer (-m)",
		doing);
}
