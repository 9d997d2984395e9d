/* record_advice.c: what would make the picture of a recording better? */
#include "commands/record_advice.h"

#include "base/units.h"
#include "checks/packages.h"
#include "images/debuginfod.h"
#include "recorders/perf/event.h"

#include <stdlib.h>

#define SHARE_OF_ADVICE 100 /* at least one part in so many lacks it */

/* What is missing in which part of the profile. */
struct lack {
	uint64_t part, whole;
	const struct unnamed_module *module; /* NULL: another reason */
	struct buffer how, why;		     /* of another reason */
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
	buffer_printf(&lack->why,
		"%s%% of the profile passes through functions of %.*s without "
		"names",
		share->at, (int)name.len, name.at);
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

/* ---- The line ---- */

void record_advice(struct buffer *out, const struct session *s,
	const struct symbolize_report *report, const char *path)
{
	struct lack names = find_names(report), kernel = find_kernel(s);
	/* The profile is only what is not in the kernel then. */
	bool in_kernel = share_of(&kernel) > share_of(&names) * (1 - share_of(&kernel));
	struct lack *most = in_kernel ? &kernel : &names;
	struct buffer share = {0};

	if (most->part * SHARE_OF_ADVICE < most->whole)
		return;
	units_percent(&share, (int64_t)most->part, (int64_t)most->whole);
	if (most->module)
		describe_module(most, &s->profile, path, &share);
	else
		describe_kernel(most, &share);
	buffer_printf(out, "for a better picture: %s (%s)\n", most->how.at, most->why.at);
	buffer_release(&most->how);
	buffer_release(&most->why);
	buffer_release(&share);
}
