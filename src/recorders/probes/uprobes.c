/* uprobes.c: attaching programs to places in files, in the processes that are recorded. */
#include "recorders/probes/uprobes.h"

#include "base/parallel.h"
#include "base/proc.h"
#include "recorders/capabilities.h"
#include "recorders/programs/support.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>

#include <bpf/libbpf.h>

#define EVERYWHERE (-1) /* as in libbpf */

/* No error if the process has ended. */
static bool attach(struct uprobes *u, const struct uprobe *uprobe, int32_t pid, struct error *err)
{
	struct bpf_uprobe_opts options = {.sz = sizeof(options),
		.ref_ctr_offset = uprobe->semaphore,
		.bpf_cookie = uprobe->cookie,
		.retprobe = uprobe->at_return};
	struct bpf_link *link = bpf_program__attach_uprobe_opts(
		uprobe->program, pid, uprobe->path, uprobe->offset, &options);

	if (link)
		vector_push(&u->links, link);
	else if (errno == EACCES && !capability_held(CAP_SYS_ADMIN))
		return error_set(err, ERR_PERMISSION,
			"user-space probes need root (CAP_SYS_ADMIN) in this kernel; CAP_BPF and "
			"CAP_PERFMON are not enough");
	return link || errno == ESRCH ||
	       bpf_error(err, -errno, "cannot put a probe into a process");
}

bool uprobes_add(struct uprobes *u, const struct uprobe *uprobe, struct error *err)
{
	vector_push(&u->list, *uprobe);
	if (u->begun && u->everywhere)
		return attach(u, uprobe, EVERYWHERE, err);
	for (size_t i = 0; i < u->pids.len; i++)
		if (!attach(u, uprobe, u->pids.items[i], err))
			return false;
	return true;
}

static bool attach_all(struct uprobes *u, int32_t pid, struct error *err)
{
	for (size_t i = 0; !u->ended && i < u->list.len; i++)
		if (!attach(u, &u->list.items[i], pid, err))
			return false;
	if (pid != EVERYWHERE)
		vector_push(&u->pids, pid);
	return true;
}

static bool has(const struct uprobes *u, int32_t pid)
{
	for (size_t i = 0; i < u->pids.len; i++)
		if (u->pids.items[i] == pid)
			return true;
	return false;
}

/* The process of a thread; 0: it has ended. */
static int32_t process_of(int32_t tid)
{
	struct buffer status = {0};
	const char *line;
	char path[48];
	int32_t pid = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (proc_text(&status, path)) {
		buffer_char(&status, '\0');
		line = strstr(status.at, "\nTgid:");
		pid = line ? (int32_t)strtol(line + 6, NULL, 10) : 0;
	}
	buffer_release(&status);
	return pid;
}

static bool attach_once(struct uprobes *u, int32_t pid, struct error *err)
{
	return pid <= 0 || has(u, pid) || attach_all(u, pid, err);
}

bool uprobes_begin(struct uprobes *u, const struct session *s, struct error *err)
{
	const struct record_options *o = s->options;
	bool ok = true;

	u->everywhere = o->yes;
	u->begun = true;
	if (u->everywhere)
		return attach_all(u, EVERYWHERE, err);
	for (size_t i = 0; ok && i < o->pids.list.len; i++)
		ok = attach_once(u, o->pids.list.items[i], err);
	for (size_t i = 0; ok && i < o->tids.list.len; i++)
		ok = attach_once(u, process_of(o->tids.list.items[i]), err);
	if (ok && session_records_command(s))
		ok = attach_once(u, s->command.pid, err);
	return ok;
}

bool uprobes_follow(struct uprobes *u, const struct session *s, struct error *err)
{
	const struct processes *p = &s->processes;
	size_t known = u->pids.len;

	if (!u->begun || u->everywhere || !u->list.len)
		return true;
	for (; u->seen < p->rows.len; u->seen++) {
		int32_t pid = p->rows.items[u->seen].pid;

		for (size_t i = 0; i < known; i++) {
			if (has(u, pid) || !processes_descends(p, pid, u->pids.items[i]))
				continue;
			u->late++;
			if (!attach_all(u, pid, err))
				return false;
			break;
		}
	}
	return true;
}

static void detach(void *context, size_t i)
{
	struct uprobes *u = context;

	bpf_link__destroy(u->links.items[i]);
}

/* Detach all in parallel: for each one, the kernel waits until no CPU runs it any more. */
void uprobes_end(struct uprobes *u)
{
	parallel_run(PARALLEL_THREADS_LIMIT, 1, u->links.len, detach, u);
	u->links.len = 0;
	u->ended = true;
}

void uprobes_note(const struct uprobes *u, struct profile *profile)
{
	if (u->late)
		profile_note(profile,
			"%llu child processes ran without probes for their first milliseconds; "
			"--yes puts probes into every process that runs these files, from its "
			"first instruction",
			(unsigned long long)u->late);
}

void uprobes_release(struct uprobes *u)
{
	uprobes_end(u);
	vector_release(&u->links);
	vector_release(&u->list);
	vector_release(&u->pids);
}
