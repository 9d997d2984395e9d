/* unnamed.c: in which modules are there locations without names, and what would give them names? */
#include "process/unnamed.h"

#include "images/kernel.h"
#include "model/idle.h"
#include "names/runtimes.h"
#include "process/unnamed_weights.h"

#include <stdio.h>
#include <stdlib.h>

void unnamed_add(struct unnamed_counts *c, location_id location)
{
	vector_push(&c->locations, location);
}

/* ---- Advice, based on facts ---- */

static const char *file_problem(const struct unnamed_facts *facts)
{
	if (!facts->opened)
		return "cannot be opened, or is not the recorded file";
	switch (facts->extent) {
	case SYMBOLS_NONE:
		return "no symbols; no separate debug file";
	case SYMBOLS_EXPORTED:
		return "stripped; no separate debug file";
	case SYMBOLS_OVER_LIMIT:
		return "not read: Kiln limits what it reads from files that other users can change";
	default:
		return "its symbols do not cover all of its code";
	}
}

static bool is_system_file(struct bytes file)
{
	return bytes_starts_with(file, BYTES("/usr/")) || bytes_starts_with(file, BYTES("/lib")) ||
	       bytes_starts_with(file, BYTES("/bin/")) || bytes_starts_with(file, BYTES("/sbin/"));
}

static void advise_file(struct unnamed_module *m, const struct profile *p,
	const struct mapping *mapping, const struct unnamed_facts *facts)
{
	struct bytes file = profile_text(p, mapping->file);

	snprintf(m->why, sizeof(m->why), "%s", file_problem(facts));
	if (!facts->opened || facts->extent >= SYMBOLS_FULL || mapping->kind == MAPPING_VDSO)
		return;
	m->packaged = is_system_file(file);
	if (!m->packaged)
		m->remedy = "build or install your program unstripped (no -s, no strip)";
	else if (mapping->build_id)
		m->remedy = "install the -dbgsym or -debuginfo packages, or set DEBUGINFOD_URLS "
			    "and run kiln symbolize";
	else
		m->remedy = "install the -dbgsym or -debuginfo packages";
}

static void advise_kernel(struct unnamed_module *m, const struct unnamed_facts *facts)
{
	const struct recorded_kernel *kernel = facts->kernel;

	m->remedy = "";
	if (kernel->kernel && m->kind == MAPPING_MODULE && kernel->shift) {
		snprintf(m->why, sizeof(m->why), "the kernel was rebooted, which moves modules");
	} else if (kernel->kernel) {
		snprintf(m->why, sizeof(m->why), "its symbols have no function at that address");
	} else if (kernel->failed.code) {
		memcpy(m->why, kernel->failed.text, sizeof(m->why));
	} else if (kernel->hidden.code) {
		snprintf(m->why, sizeof(m->why), "the kernel hides the addresses of its functions");
		m->remedy = "run as root, or " KERNEL_SHOW_ADDRESSES;
	} else if (kernel->no_base) {
		snprintf(m->why, sizeof(m->why),
			"the kernel hid its address when it was recorded (kptr_restrict)");
		m->remedy = "record as root, or with sysctl kernel.kptr_restrict=0";
	} else {
		snprintf(m->why, sizeof(m->why),
			"the symbols of the recorded kernel were not found");
		m->remedy = "run kiln symbolize on the recorded machine, or use --kallsyms with a "
			    "copy of its /proc/kallsyms, or --vmlinux";
	}
}

static void advise_jit(
	struct unnamed_module *m, const struct profile *p, const struct unnamed_facts *facts)
{
	struct bytes name = profile_text(p, p->processes.items[m->process].name);
	const struct runtime *runtime;

	if (*facts->error)
		snprintf(m->why, sizeof(m->why), "%s", facts->error);
	else if (facts->opened)
		snprintf(m->why, sizeof(m->why),
			"the files written by its runtime have no entry for that code");
	else
		snprintf(m->why, sizeof(m->why), "code generated at run time; no /tmp/perf-%d.map",
			p->processes.items[m->process].pid);
	if (facts->opened)
		return;
	runtime = runtime_of(name);
	if (runtime)
		m->remedy = runtime->advice;
}

static void advise(struct unnamed_module *m, const struct profile *p, const struct mapping *mapping,
	const struct unnamed_facts *facts)
{
	switch (mapping->kind) {
	case MAPPING_KERNEL:
	case MAPPING_MODULE:
		advise_kernel(m, facts);
		break;
	case MAPPING_JIT:
		advise_jit(m, p, facts);
		break;
	default:
		advise_file(m, p, mapping, facts);
	}
}

/* ---- Counting ---- */

void unnamed_facts(struct unnamed_counts *c, mapping_id mapping, const struct unnamed_facts *facts)
{
	vector_push(&c->mappings, ((struct unnamed_mapping){mapping, *facts}));
}

/* For every mapping, its index in the report plus 1; 0: all of its locations have names. */
static uint32_t *add_modules(
	const struct unnamed_counts *c, const struct profile *p, struct unnamed_modules *modules)
{
	uint32_t *module_of = memory_new(p->mappings.len, sizeof(*module_of));

	for (size_t i = 0; i < c->locations.len; i++)
		module_of[p->locations.items[c->locations.items[i]].mapping] = 1;
	for (size_t i = 0; i < c->mappings.len; i++) {
		mapping_id id = c->mappings.items[i].mapping;
		const struct mapping *mapping = &p->mappings.items[id];
		struct unnamed_module module = {.file = profile_text(p, mapping->file),
			.file_id = mapping->file,
			.kind = mapping->kind,
			.process = mapping->process,
			.missing =
				mapping->kind == MAPPING_FILE && !c->mappings.items[i].facts.opened,
			.remedy = ""};

		if (!module_of[id])
			continue;
		if (mapping->kind == MAPPING_JIT)
			module.file = profile_text(p, p->processes.items[mapping->process].name);
		advise(&module, p, mapping, &c->mappings.items[i].facts);
		vector_push(modules, module);
		module_of[id] = (uint32_t)modules->len;
	}
	return module_of;
}

/* Samples of idle CPUs are in tables of their own. */
static bool is_idle_table(const struct profile *p, size_t table)
{
	for (size_t i = 0; i < p->streams.len; i++)
		if (p->streams.items[i].row.samples == table && stream_is_idle(p, i))
			return true;
	return false;
}

/* The stream with the number of samples in each row of the table. NULL: one for each row. */
static const struct stream *count_of(const struct profile *p, size_t table)
{
	for (size_t i = 0; i < p->streams.len; i++) {
		const struct stream *s = &p->streams.items[i];

		if (s->row.samples == table &&
			bytes_equal(profile_text(p, s->row.unit), BYTES("count")))
			return s;
	}
	return NULL;
}

static uint64_t samples_in_row(const struct stream *count, size_t row)
{
	int64_t value = count ? stream_value(count, row) : 1;

	return value > 0 ? (uint64_t)value : 0;
}

static void count_samples(const struct profile *p, const bool *unnamed, const uint32_t *module_of,
	struct unnamed_modules *modules, uint64_t *samples_of_all)
{
	for (size_t t = 0; t < p->samples.len; t++) {
		const struct samples *samples = &p->samples.items[t];
		const struct stream *count = count_of(p, t);

		if (is_idle_table(p, t))
			continue;
		for (size_t i = 0; i < samples->stack.len; i++) {
			location_id leaf = p->stack_location.items[samples->stack.items[i]];
			uint64_t in_row = samples_in_row(count, i);

			*samples_of_all += in_row;
			if (unnamed[leaf])
				modules->items[module_of[p->locations.items[leaf].mapping] - 1]
					.samples += in_row;
		}
	}
}

static uint64_t weigh(const struct profile *p, const bool *unnamed, const uint32_t *module_of,
	struct unnamed_modules *modules)
{
	uint64_t *samples = memory_new(modules->len + 1, sizeof(*samples));
	uint64_t *weights = memory_new(modules->len + 1, sizeof(*weights)), all;

	for (size_t i = 0; i < modules->len; i++)
		samples[i] = modules->items[i].samples;
	all = unnamed_weights(p, unnamed, module_of, samples, modules->len, weights);
	for (size_t i = 0; i < modules->len; i++)
		modules->items[i].weight = weights[i];
	memory_free(samples);
	memory_free(weights);
	return all;
}

static int module_compare(const void *a, const void *b)
{
	const struct unnamed_module *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->locations != y->locations)
		return x->locations > y->locations ? -1 : 1;
	return bytes_compare(x->file, y->file);
}

void unnamed_report(const struct unnamed_counts *c, const struct profile *p,
	struct unnamed_modules *ret_modules, uint64_t *ret_samples, uint64_t *ret_weight)
{
	uint32_t *module_of = add_modules(c, p, ret_modules);
	bool *unnamed = memory_new(p->locations.len, sizeof(*unnamed));

	for (size_t i = 0; i < c->locations.len; i++) {
		location_id id = c->locations.items[i];

		unnamed[id] = true;
		ret_modules->items[module_of[p->locations.items[id].mapping] - 1].locations++;
	}
	*ret_samples = 0;
	if (c->locations.len) { /* otherwise the counts are not used */
		count_samples(p, unnamed, module_of, ret_modules, ret_samples);
		if (ret_weight)
			*ret_weight = weigh(p, unnamed, module_of, ret_modules);
	}
	if (ret_modules->len > 1)
		qsort(ret_modules->items, ret_modules->len, sizeof(struct unnamed_module),
			module_compare);
	memory_free(module_of);
	memory_free(unnamed);
}

void unnamed_release(struct unnamed_counts *c)
{
	vector_release(&c->locations);
	vector_release(&c->mappings);
}
