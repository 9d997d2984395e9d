/* jit_files.c: where did a runtime write what it says about its code? */
#include "process/jit_files.h"

#include "images/runtime_file.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

/* A process as we see it, and as it sees itself. */
struct ids {
	int32_t pid, own;
};

bool jit_file_is_dump(struct bytes path, uint64_t *ret_pid)
{
	struct bytes name = bytes_base_name(path);

	return bytes_start(name, BYTES("jit-")) && bytes_end(name, BYTES(".dump")) &&
	       name.len > 9 && bytes_u64((struct bytes){name.at + 4, name.len - 9}, ret_pid);
}

/* A file of a process that runs, or of our own /tmp. */
static int open_at(const struct jit_code *code, struct ids ids, const char *path, struct error *err)
{
	return runtime_file_open(code->recorded ? 0 : ids.pid, path, err);
}

static int open_dump(
	const struct jit_code *code, const struct profile *p, struct ids ids, struct error *err)
{
	uint64_t pid;
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < code->dumps.len; i++) {
		struct bytes path = profile_text(p, code->dumps.items[i]);
		char *copy;

		if (!jit_file_is_dump(path, &pid) || pid != (uint64_t)ids.own)
			continue;
		copy = memory_copy_text(path.at, path.len);
		fd = open_at(code, ids, copy, err);
		free(copy);
	}
	return fd;
}

static int open_map(const struct jit_code *code, struct ids ids, struct error *err)
{
	char path[64];

	if (code->recorded && !code->ask_tmp)
		return -1;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", ids.own);
	return open_at(code, ids, path, err);
}

/* The process in "isolate-0x1c5b8d00-2714-v8.log"; 0 when the name does not say, as with Node 10
 * and where the user has chosen it. */
static uint64_t pid_of_log(const char *path)
{
	struct bytes name = bytes_of(path);
	const char *dash;
	uint64_t pid;

	if (!bytes_end(name, BYTES("-v8.log")))
		return 0;
	name.len -= strlen("-v8.log");
	dash = name.len ? memrchr(name.at, '-', name.len) : NULL;
	if (!dash ||
		!bytes_u64((struct bytes){dash + 1, (size_t)(name.at + name.len - dash - 1)}, &pid))
		return 0;
	return pid;
}

/* The last of the logs that the user named which is of this process; of those without a process in
 * their name the last one is everybody's. */
static int open_named_log(const struct jit_code *code, struct ids ids)
{
	const char *own = NULL, *anybodys = NULL;
	glob_t found;
	int fd = -1;

	if (!code->v8_logs)
		return -1;
	if (!glob(code->v8_logs, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			uint64_t pid = pid_of_log(found.gl_pathv[i]);

			if (pid == (uint64_t)ids.own)
				own = found.gl_pathv[i];
			else if (!pid)
				anybodys = found.gl_pathv[i];
		}
		if (own || anybodys)
			fd = open(
				own ? own : anybodys, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	globfree(&found);
	return fd;
}

static int open_log(const struct jit_code *code, struct ids ids, struct error *err)
{
	char end[32];
	int fd = open_named_log(code, ids);

	if (fd >= 0 || code->recorded)
		return fd;
	snprintf(end, sizeof(end), "-%d-v8.log", ids.own);
	return runtime_file_find(ids.pid, "isolate-", end, err);
}

int jit_file_open(const struct jit_code *code, const struct profile *p, enum jit_file which,
	int32_t pid, int32_t own_pid, struct error *err)
{
	struct ids ids = {pid, own_pid};

	switch (which) {
	case JIT_DUMP:
		return open_dump(code, p, ids, err);
	case JIT_LOG:
		return open_log(code, ids, err);
	default:
		return open_map(code, ids, err);
	}
}

int jit_file_beside(const struct jit_code *code, enum jit_file which, int32_t own_pid)
{
	char start[32] = "isolate-", end[32] = "dump";
	struct error ignored = {0};

	if (!code->beside)
		return -1;
	if (which == JIT_DUMP)
		snprintf(start, sizeof(start), "jit-%d.", own_pid);
	else if (which == JIT_LOG)
		snprintf(end, sizeof(end), "-%d-v8.log", own_pid);
	else
		snprintf(start, sizeof(start), "perf-%d.", own_pid);
	if (which == JIT_MAP)
		snprintf(end, sizeof(end), "map");
	return runtime_file_beside(code->beside, start, end, &ignored);
}
