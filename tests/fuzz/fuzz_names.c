/* fuzz_names.c: names as programs choose them, from where they are read to where they are shown.
 *
 * Lines of the input are names of functions, files, modules, threads, programs, control groups and
 * all else that a profile has texts of; all of it is also the text of a /proc/PID/maps. */
#include "base/hash.h"
#include "mutation.h"
#include "names/cgroup_names.h"
#include "names/v8_name.h"
#include "pipeline.h"
#include "process/jit_names.h"
#include "process/processes.h"

#include <assert.h>
#include <stdlib.h>

#define STACKS_LIMIT 12u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- What parses names ---- */

/* Parts of a path lie within it. */
static void check_group(struct bytes path, struct bytes container)
{
	struct bytes found[] = {
		cgroup_container_id(path), cgroup_container_name(path), cgroup_container(path)};
	struct buffer name = {0};

	for (size_t i = 0; i < sizeof(found) / sizeof(*found); i++)
		assert(!found[i].len ||
			(found[i].at >= path.at &&
				found[i].len <= path.len - (size_t)(found[i].at - path.at)));
	cgroup_short_name(path, container, &name);
	buffer_release(&name);
}

static void check_v8(struct bytes text)
{
	struct buffer shown = {0};
	struct v8_name name;

	if (v8_name_parse(text, &name)) {
		v8_name_format(&name, text, &shown);
		assert(v8_name_kind(&name) < FRAME_KINDS);
	}
	buffer_release(&shown);
}

/* As /proc says it of a process that chooses its own name and those of its files. */
static void check_processes(struct profile *p, struct bytes text)
{
	struct binaries binaries;
	struct processes processes;
	uint64_t address = 0;

	binaries_init(&binaries, p);
	binaries.closed = true;
	processes_init(&processes, p, &binaries);
	processes_read_name(&processes, 10, 10, text);
	processes_read_maps(&processes, 10, text);
	for (unsigned i = 0; i < 64; i++, address = (address + 0x1000) * 2) {
		struct process_state *process = processes_get(&processes, 10);
		const struct mapped *mapped = processes_find(&processes, process, address, 0);

		assert(!mapped || address >= mapped->start);
	}
	processes_thread(&processes, 10, 10);
	processes_release(&processes);
	binaries_release(&binaries);
}

/* ---- A profile of them ---- */

struct names {
	struct bytes rest, first;
};

/* The next line, and from the first one on when they have come to an end. */
static struct bytes next(struct names *n)
{
	struct bytes line = {0};

	if (!bytes_line(&n->rest, &line)) {
		n->rest = n->first;
		bytes_line(&n->rest, &line);
	}
	return line;
}

static string_id next_string(struct profile *p, struct names *n)
{
	return profile_string(p, next(n));
}

static location_id add_place(struct profile *p, struct names *n, uint32_t i)
{
	struct frame frame = {.function = next_string(p, n),
		.module = next_string(p, n),
		.file = next_string(p, n),
		.line = i % 3,
		.kind = i % FRAME_KINDS};
	struct mapping mapping = {.file = next_string(p, n),
		.build_id = next_string(p, n),
		.kind = i % (MAPPING_JIT + 1)};
	struct code_piece piece = {.name = next(n), .start = 16, .size = 4};
	frame_id frames[2] = {profile_frame(p, &frame), jit_frame(p, &piece, 16, true)};
	location_id location;

	if (i % 2)
		return profile_location_named(p, frames[0]);
	location = profile_location(p, profile_mapping(p, &mapping), i);
	if (i % 4)
		profile_name_location(p, location, frames, 2);
	return location;
}

static void add_sample(struct profile *p, struct names *n, uint32_t i, stack_id stack)
{
	struct sample sample = {.has = SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_LABELS,
		.stack = stack,
		.time = 1000000000 * (uint64_t)i};
	process_id process = profile_process(p, 10, next_string(p, n));

	sample.thread = profile_thread(p, process, (int32_t)(10 + i % 2), next_string(p, n));
	sample.labels = profile_label(
		p, 0, profile_string(p, i % 2 ? BYTES(LABEL_CGROUP) : next(n)), next_string(p, n));
	if (i % 3 == 0)
		sample.labels = profile_label(p, sample.labels,
			profile_string(p, BYTES(LABEL_CONTAINER)), next_string(p, n));
	profile_add_sample(p, 0, &sample);
}

static void fill(struct profile *p, struct bytes text)
{
	struct names names = {.rest = text, .first = text};
	stack_id stack = 0;

	profile_add_samples(p);
	profile_add_stream(p, 0, next(&names), next(&names), next(&names));
	profile_set_meta(p, BYTES("command"), next(&names));
	profile_set_meta(p, BYTES("host"), next(&names));
	profile_set_meta(p, next(&names), next(&names));
	profile_note(p, "%.*s", (int)names.rest.len, names.rest.at);
	profile_add_loss(p, 0, next(&names), 3);
	for (uint32_t i = 0; i < STACKS_LIMIT; i++) {
		stack = profile_stack(p, i % 5 ? stack : 0, add_place(p, &names, i));
		add_sample(p, &names, i, stack);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes text = {(const char *)data, size}, rest = text, line, container = {0};
	struct profile p;

	while (bytes_line(&rest, &line)) {
		check_group(line, container);
		check_v8(line);
		container = line;
	}
	profile_init(&p);
	check_processes(&p, text);
	fill(&p, text);
	pipeline_run(&p, hash_bytes(data, size));
	profile_release(&p);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	struct bytes text = {(const char *)data, size}, line;
	struct buffer out = {0};
	uint64_t state = seed;

	if (!mutation_chance(&state, 4))
		return LLVMFuzzerMutate(data, size, max_size);
	while (bytes_line(&text, &line)) {
		struct bytes other = mutation_text(&state);

		line = mutation_chance(&state, 4) ? other : line;
		buffer_add(&out, line.at, line.len);
		buffer_char(&out, '\n');
	}
	return mutation_done(&out, data, size, max_size);
}
