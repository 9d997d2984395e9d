/* process.c: keeps only some processes. */
#include "transforms/pattern.h"
#include "transforms/select.h"
#include "transforms/transforms.h"

#include <stdlib.h>

static int32_t process_id_of(const struct profile *p, size_t row)
{
	return p->processes.items[row].pid;
}

static string_id process_name_of(const struct profile *p, size_t row)
{
	return p->processes.items[row].name;
}

static bool process_apply(struct view *v, const char *which, struct error *err)
{
	const struct profile *p = v->profile;
	const struct pattern_table table = {p->processes.len, process_id_of, process_name_of};
	bool *processes = memory_new(p->processes.len, sizeof(*processes));
	bool *threads = memory_new(p->threads.len, sizeof(*threads));
	bool done = pattern_rows(&table, p, which, processes, err);

	for (size_t i = 0; i < p->threads.len; i++)
		threads[i] = processes[p->threads.items[i].process];
	done = done && select_threads(v, threads, err);
	memory_free(processes);
	memory_free(threads);
	return done;
}

const struct transform transform_process = {
	.name = "process",
	.argument = "PID|REGEX",
	.help = "only processes with this id, or with a name that matches",
	.applied = "Process",
	.apply = process_apply,
};
