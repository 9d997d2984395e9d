/* jit_maps.c: what did the just-in-time compilers of the recorded processes say about their code?
 */
#include "process/jit_maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define HELD_LIMIT 1024 /* files */

struct jit_map {
	process_id process;
	int fd;		      /* -1: not there yet */
	bool gone;	      /* the process is: no use in looking again */
	int64_t size;	      /* of the file, when it was read */
	struct perf_map *map; /* NULL: not read yet */
};

void jit_maps_release(struct jit_maps *maps)
{
	for (size_t i = 0; i < maps->rows.len; i++) {
		if (maps->rows.items[i].fd >= 0)
			close(maps->rows.items[i].fd);
		perf_map_release(maps->rows.items[i].map);
	}
	vector_release(&maps->rows);
}

static struct jit_map *find(struct jit_maps *maps, process_id process)
{
	for (size_t i = 0; i < maps->rows.len; i++)
		if (maps->rows.items[i].process == process)
			return &maps->rows.items[i];
	return NULL;
}

static void look(struct jit_map *row, int32_t pid)
{
	struct error ignored = {0}; /* what is in the way is said when names are looked for */
	char path[32];

	if (row->fd >= 0 || row->gone || pid <= 0)
		return;
	row->fd = perf_map_open_file(pid, &ignored);
	snprintf(path, sizeof(path), "/proc/%d", pid);
	row->gone = row->fd < 0 && access(path, F_OK);
}

void jit_maps_look(struct jit_maps *maps, const struct profile *p)
{
	while (maps->seen + 1 < p->mappings.len) {
		const struct mapping *m = &p->mappings.items[++maps->seen];

		if (m->kind == MAPPING_JIT && maps->rows.len < HELD_LIMIT &&
			!find(maps, m->process))
			vector_push(
				&maps->rows, ((struct jit_map){.process = m->process, .fd = -1}));
	}
	for (size_t i = 0; i < maps->rows.len; i++) {
		process_id process = maps->rows.items[i].process;

		look(&maps->rows.items[i], p->processes.items[process].pid);
	}
}

const struct perf_map *jit_maps_of(struct jit_maps *maps, process_id process)
{
	struct jit_map *row = find(maps, process);
	struct error ignored = {0};
	struct stat now;

	if (!row || row->fd < 0 || fstat(row->fd, &now))
		return NULL;
	if (row->map && row->size == now.st_size)
		return row->map;
	perf_map_release(row->map);
	row->size = now.st_size;
	row->map = perf_map_read(row->fd, &ignored);
	return row->map;
}
