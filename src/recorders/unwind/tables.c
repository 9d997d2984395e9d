/* tables.c: the export of unwind tables and mappings to the maps in which programs walk stacks. */
#include "recorders/unwind/tables.h"

#include "base/clock.h"
#include "base/search.h"
#include "images/unwind.h"
#include "recorders/session.h"
#include "recorders/unwind/prepare.h"

#include <assert.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SWEEP_INTERVAL ((uint64_t)1000000000) /* ns between removals of ended processes */
#define SMALL_FRAMES   ((uint64_t)256 << 10)  /* bytes of .eh_frame: 2 ms */
#define TRIES	       3		      /* the kernel's allocator may be about to refill */

static_assert((int)USER_STACK_COMPLETE == UNWIND_COMPLETE &&
		      (int)USER_STACK_NO_TABLE == UNWIND_NO_TABLE &&
		      (int)USER_STACK_NO_MAPPING == UNWIND_NO_MAPPING &&
		      (int)USER_STACK_BAD_RULE == UNWIND_BAD_RULE &&
		      (int)USER_STACK_BAD_FRAME == UNWIND_BAD_FRAME &&
		      (int)USER_STACK_DEPTH == UNWIND_DEPTH &&
		      (int)USER_STACK_NO_REGISTERS == UNWIND_NO_REGISTERS &&
		      (int)USER_STACK_PAGE == UNWIND_PAGE &&
		      (int)USER_STACK_NO_ROOM == UNWIND_NO_ROOM,
	"ends have the same numbers");

static int map_fd(const struct bpf_object *object, const char *name)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(object, name);

	return map ? bpf_map__fd(map) : -1;
}

/* An inner map with these pages; -1 with errno. */
static int create_map(const union unwind_page *pages, size_t count)
{
	struct bpf_map_create_opts options = {
		.sz = sizeof(options), .map_flags = BPF_F_INNER_MAP | BPF_F_MMAPABLE};
	size_t size = count * sizeof(*pages);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_table", sizeof(uint32_t),
		sizeof(*pages), (uint32_t)count, &options);
	void *at;

	if (fd < 0)
		return -1;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		close(fd);
		return -1;
	}
	memcpy(at, pages, size);
	munmap(at, size);
	return fd;
}

static bool map_requests(struct unwind_tables *t, int fd)
{
	void *at = mmap(NULL, sizeof(*t->requests), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	t->requests = at == MAP_FAILED ? NULL : at;
	return t->requests;
}

bool unwind_tables_init(struct unwind_tables *t, const struct bpf_object *object, struct error *err)
{
	int requests_fd = map_fd(object, "unwind_requests");
	union unwind_page none = {.head = {0}};

	*t = (struct unwind_tables){.bytes_most = UNWIND_TABLES_BYTES,
		.tables_fd = map_fd(object, "unwind_tables"),
		.spaces_fd = map_fd(object, "unwind_spaces"),
		.processes_fd = map_fd(object, "unwind_processes"),
		.empty_fd = -1};
	vector_push(&t->tables, ((struct unwind_table){.fd = -1}));
	unwind_builder_init(&t->builder);
	if (t->tables_fd < 0 || t->spaces_fd < 0 || t->processes_fd < 0 || requests_fd < 0)
		return error_set(err, ERR_UNSUPPORTED, "the BPF program has no unwind tables");
	t->empty_fd = create_map(&none, 1);
	if (t->empty_fd < 0 || !map_requests(t, requests_fd))
		return error_errno(err, "cannot create unwind tables in the kernel");
	return true;
}

void unwind_tables_release(struct unwind_tables *t)
{
	unwind_builder_release(&t->builder);
	handovers_release(&t->handovers);
	for (size_t i = 0; i < t->new_tables.len; i++)
		close(t->tables.items[t->new_tables.items[i]].fd);
	for (size_t i = 0; i < t->spaces.len; i++)
		vector_release(&t->spaces.items[i].tables);
	if (t->requests)
		munmap(t->requests, sizeof(*t->requests));
	if (t->empty_fd >= 0)
		close(t->empty_fd);
	vector_release(&t->tables);
	vector_release(&t->new_tables);
	for (size_t i = 0; i < t->unsaved.len; i++)
		unwind_pages_release(&t->unsaved.items[i].pages);
	vector_release(&t->unsaved);
	vector_release(&t->by_binary);
	vector_release(&t->spaces);
	vector_release(&t->processes);
	id_map_release(&t->by_identity);
	buffer_release(&t->work);
	*t = (struct unwind_tables){0};
}

/* ---- Tables of binaries ---- */

static uint64_t hash_identity(const char *identity)
{
	return hash_bytes(identity, strlen(identity));
}

/* The table that no process needs and that has been unused for longest; 0: none. `there`: of those
 * that are published. */
static size_t oldest_unused(const struct unwind_tables *t, bool there)
{
	size_t oldest = 0;

	for (size_t i = 1; i < t->tables.len; i++) {
		const struct unwind_table *table = &t->tables.items[i];

		if (!table->spaces && table->used < t->update &&
			table->state != UNWIND_TABLE_IN_WORK &&
			(!there || table->state == UNWIND_TABLE_PUBLISHED) &&
			(!oldest || table->used < t->tables.items[oldest].used))
			oldest = i;
	}
	return oldest;
}

static void remove_table(struct unwind_tables *t, size_t number)
{
	struct unwind_table *table = &t->tables.items[number];
	uint32_t key = (uint32_t)number;

	if (table->state == UNWIND_TABLE_PUBLISHED)
		t->bytes -= table->bytes;
	if (table->state > UNWIND_TABLE_IN_WORK)
		bpf_map_delete_elem(t->tables_fd, &key);
	table->state = UNWIND_TABLE_NOT_MADE;
	__atomic_store_n(&t->requests->tables[number], UNWIND_NOT_REQUESTED, __ATOMIC_RELEASE);
}

static bool has_room(struct unwind_tables *t, uint64_t bytes)
{
	for (size_t old; t->bytes + bytes > t->bytes_most && (old = oldest_unused(t, true));)
		remove_table(t, old);
	return t->bytes + bytes <= t->bytes_most;
}

/* Take the number of an unused table for another binary; 0: all are in use. */
static size_t reuse_number(struct unwind_tables *t)
{
	size_t number = oldest_unused(t, false);

	if (!number)
		return 0;
	remove_table(t, number);
	t->tables.items[number].identity[0] = '\0';
	for (size_t i = 0; i < t->by_binary.len; i++)
		if (t->by_binary.items[i] == number)
			t->by_binary.items[i] = 0;
	id_map_release(&t->by_identity);
	for (size_t i = 1; i < t->tables.len; i++)
		if (t->tables.items[i].identity[0])
			id_map_insert(&t->by_identity, hash_identity(t->tables.items[i].identity),
				(uint32_t)i);
	return number;
}

/* The number of a binary with this build id; 0: there are too many. */
static size_t number_of(struct unwind_tables *t, const struct image *image)
{
	struct unwind_table table = {.fd = -1};
	uint64_t hash;
	size_t at, number;

	unwind_pages_identity(image, table.identity);
	hash = hash_identity(table.identity);
	at = id_map_first(&t->by_identity, hash);
	for (uint32_t id; (id = id_map_candidate(&t->by_identity, hash, &at));)
		if (!strcmp(t->tables.items[id].identity, table.identity))
			return id;
	number = t->tables.len;
	if (number == UNWIND_TABLES_MAX && !(number = reuse_number(t)))
		return 0;
	if (number == t->tables.len)
		vector_push(&t->tables, table);
	t->tables.items[number] = table;
	id_map_insert(&t->by_identity, hash, (uint32_t)number);
	return number;
}

/* Publish an empty table for a binary that has none, or whose table has no room. */
static void set_empty(
	struct unwind_tables *t, struct unwind_table *table, enum unwind_table_state state)
{
	table->fd = fcntl(t->empty_fd, F_DUPFD_CLOEXEC, 0);
	table->state = state;
	t->no_room += state == UNWIND_TABLE_NO_ROOM;
}

static void set_pages(
	struct unwind_tables *t, struct unwind_table *table, const struct unwind_pages *pages)
{
	bool room;

	table->bytes = pages->count * sizeof(*pages->at);
	if (pages->empty) {
		set_empty(t, table, UNWIND_TABLE_EMPTY);
		return;
	}
	room = has_room(t, table->bytes);
	table->fd = room ? create_map(pages->at, pages->count) : -1;
	if (table->fd < 0) {
		t->no_memory += room;
		set_empty(t, table, UNWIND_TABLE_NO_ROOM);
		return;
	}
	table->state = UNWIND_TABLE_PUBLISHED;
	t->bytes += table->bytes;
}

/* A table was made. */
static void finish_table(struct unwind_tables *t, const struct unwind_job *job)
{
	struct unwind_table *table = &t->tables.items[job->number];

	set_pages(t, table, &job->pages);
	if (table->fd >= 0)
		vector_push(&t->new_tables, job->number);
	t->built++;
	t->from_disk += job->pages.file.content.len > 0;
	t->build_ns += job->took;
	vector_push(&t->unsaved, *job);
}

/* Save tables to disk, after they have been published: writing takes time. */
static void save_tables(struct unwind_tables *t)
{
	for (size_t i = 0; i < t->unsaved.len; i++) {
		unwind_pages_save(&t->unsaved.items[i].pages, t->unsaved.items[i].image);
		unwind_pages_release(&t->unsaved.items[i].pages);
	}
	t->unsaved.len = 0;
}

static void publish_tables(struct unwind_tables *t)
{
	int *fds = memory_new(t->new_tables.len + 1, sizeof(*fds));

	for (size_t i = 0; i < t->new_tables.len; i++) {
		fds[i] = t->tables.items[t->new_tables.items[i]].fd;
		t->tables.items[t->new_tables.items[i]].fd = -1;
	}
	if (t->new_tables.len)
		handovers_add(&t->handovers, t->tables_fd, t->new_tables.items, fds,
			(uint32_t)t->new_tables.len);
	t->new_tables.len = 0;
	free(fds);
}

/* Does it take so long to make its table that the thread should do it? */
static bool is_large(const struct image *image)
{
	const struct image_section *section = image_section(image, ".eh_frame");

	return !section || section->size > SMALL_FRAMES;
}

/* Make a table at once if that is quick; else let the thread do it. */
static void make_table(struct unwind_tables *t, size_t number)
{
	struct unwind_table *table = &t->tables.items[number];
	struct unwind_job job = {.number = (uint32_t)number, .image = table->image};

	if (table->state != UNWIND_TABLE_NOT_MADE || !table->image)
		return;
	if (is_large(table->image) && !unwind_job_read(&job)) {
		table->state = UNWIND_TABLE_IN_WORK;
		unwind_builder_add(&t->builder, job.number, table->image);
		return;
	}
	if (!job.pages.count)
		unwind_job_run(&job);
	finish_table(t, &job);
}

static void make_requested(struct unwind_tables *t)
{
	for (size_t i = 1; i < t->tables.len; i++) {
		uint8_t *request = &t->requests->tables[i];

		if (__atomic_load_n(request, __ATOMIC_ACQUIRE) != UNWIND_REQUESTED)
			continue;
		__atomic_store_n(request, UNWIND_REQUEST_SEEN, __ATOMIC_RELEASE);
		make_table(t, i);
	}
}

void unwind_tables_serve(struct unwind_tables *t)
{
	struct unwind_job job;

	make_requested(t);
	while (unwind_builder_take(&t->builder, &job))
		finish_table(t, &job);
	publish_tables(t);
}

/* Make the table of a binary that will be needed. */
static void prepare_table(void *context, const struct image *image)
{
	struct unwind_tables *t = context;
	struct unwind_job job = {.number = (uint32_t)number_of(t, image), .image = image};

	if (!job.number || t->tables.items[job.number].state != UNWIND_TABLE_NOT_MADE)
		return;
	t->tables.items[job.number].used = t->update;
	unwind_job_run(&job);
	finish_table(t, &job);
	save_tables(t); /* while the image is open */
}

void unwind_tables_prepare(struct unwind_tables *t, const char *command)
{
	unwind_prepare(command, prepare_table, t);
	publish_tables(t);
}

/* ---- Spaces ---- */

/* The number of a binary's table, which is made unless the update is lazy. If there was no room for
 * it and now there is, it can be made again. */
static uint16_t table_of(struct unwind_tables *t, uint32_t binary, const struct image *image)
{
	struct unwind_table *table;

	while (t->by_binary.len <= binary)
		vector_push(&t->by_binary, 0);
	if (!t->by_binary.items[binary])
		t->by_binary.items[binary] = (uint16_t)number_of(t, image);
	if (!t->by_binary.items[binary])
		return UNWIND_TABLE_ABSENT;
	table = &t->tables.items[t->by_binary.items[binary]];
	table->used = t->update;
	table->image = image;
	if (table->state == UNWIND_TABLE_NO_ROOM && has_room(t, table->bytes))
		remove_table(t, t->by_binary.items[binary]);
	if (!t->lazy)
		make_table(t, t->by_binary.items[binary]);
	return t->by_binary.items[binary];
}

static struct unwind_map map_of(struct unwind_tables *t, struct processes *p,
	const struct mapped *m, struct known_space *space)
{
	struct unwind_map map = {.start = m->start, .end = m->end, .table = UNWIND_TABLE_NONE};
	const struct image *image = m->binary ? binaries_image(p->binaries, m->binary) : NULL;
	uint64_t address;

	if (!image)
		return map;
	map.table = UNWIND_TABLE_ABSENT;
	if (!image_code_address(image, m->offset, m->end - m->start, &address))
		return map;
	map.table = table_of(t, m->binary, image);
	if (map.table == UNWIND_TABLE_ABSENT)
		return map;
	map.base = m->start - address;
	vector_push(&space->tables, map.table);
	t->tables.items[map.table].spaces++;
	return map;
}

/* Append a page to the space in t->work. */
static struct unwind_space *add_page(struct unwind_tables *t)
{
	struct unwind_space page = {0};

	memset(page.starts, 0xff, sizeof(page.maps));
	buffer_add(&t->work, &page, sizeof(page));
	return (struct unwind_space *)(void *)t->work.at + t->work.len / sizeof(page) - 1;
}

static void lay_out(struct unwind_tables *t, struct processes *p, const struct address_space *s,
	struct known_space *space)
{
	const size_t most = (size_t)UNWIND_PAGE_MAPS * UNWIND_PAGE_LEAVES;
	size_t count = s->maps.len < most ? s->maps.len : most;
	struct unwind_space *page;

	t->maps_left_out += s->maps.len - count;
	t->work.len = 0;
	page = add_page(t);
	for (size_t i = 0; i < count; i++) {
		struct unwind_map map = map_of(t, p, &s->maps.items[i], space);

		if (count > UNWIND_PAGE_MAPS && i % UNWIND_PAGE_MAPS == 0) {
			page = add_page(t);
			((struct unwind_space *)(void *)t->work.at)->starts[i / UNWIND_PAGE_MAPS] =
				map.start;
		}
		page->maps[i % UNWIND_PAGE_MAPS] = map;
	}
	space->pages = (uint32_t)(t->work.len / sizeof(*page));
	((struct unwind_space *)(void *)t->work.at)->leaves = space->pages - 1;
}

static void delete_pages(struct unwind_tables *t, const struct known_space *space)
{
	for (uint32_t i = 0; i < space->pages; i++) {
		struct unwind_space_key key = {(uint32_t)space->id, i};

		bpf_map_delete_elem(t->spaces_fd, &key);
	}
}

static bool write_page(struct unwind_tables *t, uint32_t space, uint32_t page)
{
	struct unwind_space_key key = {space, page};
	const char *at = t->work.at + page * sizeof(struct unwind_space);

	for (int i = 0; i < TRIES; i++) {
		if (!bpf_map_update_elem(t->spaces_fd, &key, at, BPF_ANY))
			return true;
		if (errno != ENOMEM)
			break;
	}
	return false;
}

static void drop_space(struct unwind_tables *t, struct known_space *space)
{
	size_t at = (size_t)(space - t->spaces.items);

	delete_pages(t, space);
	for (size_t i = 0; i < space->tables.len; i++)
		t->tables.items[space->tables.items[i]].spaces--;
	vector_release(&space->tables);
	memmove(space, space + 1, (t->spaces.len - at - 1) * sizeof(*space));
	t->spaces.len--;
}

static struct known_space *find_space(struct unwind_tables *t, uint32_t id)
{
	size_t below = search_up_to(&t->spaces, id, id);

	return below && t->spaces.items[below - 1].id == id ? &t->spaces.items[below - 1] : NULL;
}

/* A process gets this space, which is written if it is new. False: there is no room. */
static bool enter_space(struct unwind_tables *t, struct processes *p, const struct address_space *s)
{
	struct known_space *space = find_space(t, s->id);
	size_t at;

	if (!space) {
		if (t->refused_maps && s->maps.len >= t->refused_maps)
			return false;
		at = search_up_to(&t->spaces, id, s->id);
		vector_reserve(&t->spaces, 1);
		space = &t->spaces.items[at];
		memmove(space + 1, space, (t->spaces.len++ - at) * sizeof(*space));
		*space = (struct known_space){.id = s->id};
		lay_out(t, p, s, space);
		for (uint32_t i = space->pages; i-- > 0;) {
			if (write_page(t, s->id, i))
				continue;
			t->spaces_failed++;
			t->refused_maps = s->maps.len;
			drop_space(t, space);
			return false;
		}
	}
	space->processes++;
	return true;
}

static void leave_space(struct unwind_tables *t, uint32_t id)
{
	struct known_space *space = find_space(t, id);

	if (!space || --space->processes)
		return;
	drop_space(t, space);
	t->refused_maps = 0;
}

/* ---- Processes ---- */

/* Has a process another space than the map says? *ret_space is its space, or NULL. */
static bool has_changed(const struct unwind_tables *t, const struct processes *p, size_t row,
	const struct address_space **ret_space)
{
	const struct process_state *process = &p->rows.items[row];
	const struct known_process *known = &t->processes.items[row];
	uint32_t id;

	*ret_space = process->replaced || process->kernel ? NULL : process->space;
	id = *ret_space ? (*ret_space)->id : 0;
	return id != known->space && !(id && id == known->gone);
}

/* Write the space of a process. If it runs execve between the lookup and the update here, it has
 * the mappings of the old program until the next update: maps have no compare-and-exchange. */
static void write_process(struct unwind_tables *t, struct processes *p, size_t row,
	const struct address_space *s, uint64_t applied)
{
	struct known_process *known = &t->processes.items[row];
	int32_t pid = p->rows.items[row].pid;
	struct unwind_process process = {0};
	uint32_t old = known->space;

	bpf_map_lookup_elem(t->processes_fd, &pid, &process);
	if (process.since > applied || (s && !enter_space(t, p, s)))
		return;
	publish_tables(t);
	process.space = s ? s->id : 0;
	if (bpf_map_update_elem(t->processes_fd, &pid, &process, BPF_ANY)) {
		t->spaces_failed++;
		if (s)
			leave_space(t, s->id);
		return;
	}
	*known = (struct known_process){.space = process.space};
	if (old)
		leave_space(t, old);
}

/* Remove processes that have ended. `gone` keeps their last space, so that they are not written
 * again when their last records are applied. */
static void sweep(struct unwind_tables *t, const struct processes *p)
{
	for (size_t row = 1; row < t->processes.len; row++) {
		struct known_process *known = &t->processes.items[row];
		int32_t pid = p->rows.items[row].pid;

		if (!known->space || !kill(pid, 0) || errno != ESRCH)
			continue;
		bpf_map_delete_elem(t->processes_fd, &pid);
		leave_space(t, known->space);
		*known = (struct known_process){.gone = known->space};
	}
}

void unwind_tables_update(struct unwind_tables *t, struct processes *p, uint64_t applied)
{
	uint64_t now = monotonic_ns();
	const struct address_space *s;

	t->update++;
	unwind_tables_serve(t);
	while (t->processes.len < p->rows.len)
		vector_push(&t->processes, ((struct known_process){0}));
	for (size_t row = 1; row < p->rows.len; row++)
		if (has_changed(t, p, row, &s))
			write_process(t, p, row, s, applied);
	t->lazy = false;
	save_tables(t);
	if (now - t->last_sweep < SWEEP_INTERVAL)
		return;
	t->last_sweep = now;
	sweep(t, p);
}

void unwind_tables_note(const struct unwind_tables *t, struct profile *profile)
{
	if (t->no_memory)
		profile_note(profile,
			"stacks end with [truncated:no-table] in %llu binaries: not enough memory "
			"for their unwind tables (raise ulimit -v, or memory.max of the control "
			"group)",
			(unsigned long long)t->no_memory);
	if (t->no_room > t->no_memory)
		profile_note(profile,
			"stacks end with [truncated:no-table] in %llu binaries: unwind tables in "
			"the kernel take at most %llu MB",
			(unsigned long long)(t->no_room - t->no_memory),
			(unsigned long long)t->bytes_most >> 20);
	if (t->spaces_failed)
		profile_note(profile,
			"stacks end with [truncated:no-table]: the kernel refused mappings of "
			"processes %llu times; it stores at most %d",
			(unsigned long long)t->spaces_failed, UNWIND_SPACE_PAGES);
	if (t->maps_left_out)
		profile_note(profile,
			"stacks end with [truncated:no-mapping] in %llu mappings beyond %d of a "
			"process",
			(unsigned long long)t->maps_left_out,
			UNWIND_PAGE_MAPS * UNWIND_PAGE_LEAVES);
}
