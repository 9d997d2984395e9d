/* record_advice.c: what would make the picture of a recording better? */
#include "commands/record_advice.h"

#include "base/units.h"
#include "checks/packages.h"
#include "images/debuginfod.h"
#include "names/runtimes.h"
#include "recorders/perf/event.h"

#include <stdlib.h>

#define SHARE_OF_ADVICE 100			   /* at least one part in so many lacks it */
#define EVALUATOR	"_PyEval_EvalFrameDefault" /* of Python: runs a function */

/* What is missing in which part of the profile. */
struct lack {
	uint64_t part, whole;
	const struct unnamed_module *module; /* that has no names; or NULL */
	const struct runtime *runtime;	     /* that interprets; or NULL; the rest is the kernel */
	struct buffer how, why;
};

static double share_of(const struct lack *lack)
{
	return (double)lack->part / (double)lack->whole;
}

/* ---- Names ---- */

/* Processes of one runtime, and parts of the kernel, have one remedy: what they lack is one. */
static uint64_t weight_with_remedy(
	const struct unnamed_modules *modules, const struct unnamed_module *m, uint64_t whole)
{
	uint64_t sum = 0;

	if (m->packaged || m->kind == MAPPING_FILE)
		return m->weight;
	for (size_t i = 0; i < modules->len; i++)
		if (!strcmp(modules->items[i].remedy, m->remedy))
			sum += modules->items[i].weight;
	return sum < whole ? sum : whole; /* a stack may pass through several */
}

static struct lack find_names(const struct symbolize_report *report)
{
	struct lack most = {.whole = 1};

	for (size_t i = 0; i < report->modules.len; i++) {
		const struct unnamed_module *m = &report->modules.items[i];
		struct lack lack = {.whole = report->weight, .module = m};

		if (!*m->remedy || !report->weight)
			continue;
		lack.part = weight_with_remedy(&report->modules, m, report->weight);
		if (share_of(&lack) > share_of(&most))
			most = lack;
	}
	return most;
}

/* Is the file at this path the recorded one? In a container, another distribution may have it. */
static bool is_file_of_host(const struct profile *p, const struct unnamed_module *m)
{
	char path[4096], build_id[65] = "";
	struct error ignored = {0};
	struct image *image;

	if (m->file.len >= sizeof(path))
		return false;
	memcpy(path, m->file.at, m->file.len);
	path[m->file.len] = 0;
	image = image_open(path, &ignored);
	if (image)
		image_build_id_text(image, build_id);
	image_release(image);
	for (mapping_id i = 1; i < p->mappings.len; i++)
		if (p->mappings.items[i].file == m->file_id &&
			bytes_equal(
				profile_text(p, p->mappings.items[i].build_id), bytes_of(build_id)))
			return *build_id;
	return false;
}

/* "DEBUGINFOD_URLS=... kiln symbolize profile.kiln -o named.kiln" */
static void add_servers(struct buffer *how, const struct packages *packages, const char *path)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct error ignored = {0};

	if (!debuginfod_check(&ignored))
		return;
	if (!urls || !*urls)
		buffer_printf(how, "DEBUGINFOD_URLS=%s ", packages->servers);
	buffer_printf(how, "kiln symbolize %s -o named.kiln", path);
}

static void advise_packaged(struct buffer *how, const struct profile *p,
	const struct unnamed_module *m, const char *path)
{
	struct buffer file = {0}, package = {0}, command = {0};
	struct packages packages;
	bool kiln = path && bytes_ends_with(bytes_of(path), BYTES(".kiln"));

	packages_find(&packages, "");
	buffer_set(&file, m->file);
	if (is_file_of_host(p, m)) {
		packages_with_symbols(&packages, file.at, &package);
		packages_advise(&packages, file.at, &command);
	}
	if (command.len && !bytes_starts_with(buffer_bytes(&command), BYTES("export "))) {
		buffer_add(how, command.at, command.len);
	} else {
		if (kiln)
			add_servers(how, &packages, path);
		if (package.len)
			buffer_printf(how, "%sinstall %s", how->len ? ", or " : "", package.at);
	}
	if (!how->len)
		buffer_text(how, m->remedy);
	buffer_release(&file);
	buffer_release(&package);
	buffer_release(&command);
}

static void describe_module(
	struct lack *lack, const struct profile *p, const char *path, struct buffer *share)
{
	const struct unnamed_module *m = lack->module;
	struct bytes name = bytes_base_name(m->file);

	if (m->packaged)
		advise_packaged(&lack->how, p, m, path);
	else
		buffer_text(&lack->how, m->remedy);
	buffer_printf(&lack->why, "%s%% of the profile passes through %s %.*s without names",
		share->at, m->kind == MAPPING_JIT ? "functions compiled by" : "functions of",
		(int)name.len, name.at);
}

/* ---- Other reasons ---- */

/* Time in the kernel that this user may not sample. Only the time of a command is known. */
static struct lack find_kernel(const struct session *s)
{
	struct lack lack = {
		.part = s->command.system, .whole = s->command.user + s->command.system};

	if (!s->kernel_refused || !s->command.ended)
		lack.part = 0;
	lack.whole += !lack.whole;
	return lack;
}

static void describe_kernel(struct lack *lack, const struct buffer *share)
{
	struct perf_features features;
	struct obstacle o;

	perf_features_probe(&features);
	perf_event_obstacle(&o, &features, PERF_KERNEL);
	buffer_text(&lack->how, o.command);
	buffer_printf(&lack->why,
		"the command used %s%% of its CPU time in the kernel, which this "
		"user may not sample",
		share->at);
}

/* The runtime by the file that has its evaluator: "python3.12", "libpython3.12.so.1.0". */
static const struct runtime *python_of(struct bytes file)
{
	struct bytes name = bytes_base_name(file);
	const struct runtime *r;
	const char *so;

	if (bytes_starts_with(name, BYTES("lib")))
		name = (struct bytes){name.at + 3, name.len - 3};
	so = bytes_find(name, BYTES(".so"));
	if (so)
		name.len = (size_t)(so - name.at);
	r = runtime_of(name);
	return r && !runtime_is_too_old(r, name) ? r : NULL;
}

static struct bytes function_at(const struct profile *p, location_id location)
{
	struct span names = p->location_names.items[location];

	if (!names.count)
		return (struct bytes){0};
	return profile_text(p, p->frames.items[p->location_frames.items[names.first]].function);
}

/* For every location: does Python run a function there, and could it name that? NULL: nowhere, or
 * some of them have names already. */
static bool *find_evaluators(const struct profile *p, const struct runtime **ret_runtime)
{
	bool *found = memory_new(p->locations.len, sizeof(*found)), named = false;

	*ret_runtime = NULL;
	for (location_id i = 1; i < p->locations.len && !named; i++) {
		mapping_id mapping = p->locations.items[i].mapping;
		struct bytes name = function_at(p, i);
		const struct runtime *r = NULL;

		named = bytes_starts_with(name, BYTES("py::"));
		if (bytes_starts_with(name, BYTES(EVALUATOR)))
			r = python_of(profile_text(p, p->mappings.items[mapping].file));
		found[i] = r != NULL;
		if (r)
			*ret_runtime = r;
	}
	if (!named && *ret_runtime)
		return found;
	memory_free(found);
	return NULL;
}

/* Functions of Python are frames of its evaluator, unless it makes code for each of them. */
static struct lack find_python(const struct profile *p)
{
	const struct stream *stream = p->streams.len ? &p->streams.items[0] : NULL;
	struct lack lack = {.whole = 1};
	bool *inside = find_evaluators(p, &lack.runtime), *stacks;

	if (!inside || !stream) {
		memory_free(inside);
		return lack;
	}
	stacks = memory_new(p->stack_caller.len, sizeof(*stacks));
	for (stack_id i = 1; i < p->stack_caller.len; i++)
		stacks[i] = stacks[p->stack_caller.items[i]] || inside[p->stack_location.items[i]];
	for (size_t i = 0; i < p->samples.items[stream->row.samples].stack.len; i++) {
		int64_t value = stream_value(stream, i);

		lack.whole += value > 0 ? (uint64_t)value : 0;
		if (stacks[p->samples.items[stream->row.samples].stack.items[i]])
			lack.part += value > 0 ? (uint64_t)value : 0;
	}
	memory_free(stacks);
	memory_free(inside);
	return lack;
}

/* ---- The line ---- */

static void describe(struct lack *lack, const struct session *s, const char *path)
{
	struct buffer share = {0};

	units_percent(&share, (int64_t)lack->part, (int64_t)lack->whole);
	if (lack->module) {
		describe_module(lack, &s->profile, path, &share);
	} else if (lack->runtime) {
		buffer_text(&lack->how, lack->runtime->advice);
		buffer_printf(&lack->why,
			"%s%% of the profile are functions of Python without names", share.at);
	} else {
		describe_kernel(lack, &share);
	}
	buffer_release(&share);
}

void record_advice(struct buffer *out, const struct session *s,
	const struct symbolize_report *report, const char *path)
{
	struct lack names = find_names(report), python = find_python(&s->profile);
	struct lack kernel = find_kernel(s), *most = &names;

	if (share_of(&python) > share_of(most))
		most = &python;
	/* The profile is only what is not in the kernel then. */
	if (share_of(&kernel) > share_of(most) * (1 - share_of(&kernel)))
		most = &kernel;
	if (share_of(most) * SHARE_OF_ADVICE < 1)
		return;
	describe(most, s, path);
	buffer_printf(out, "for a better picture: %s (%s)\n", most->how.at, most->why.at);
	buffer_release(&most->how);
	buffer_release(&most->why);
}
