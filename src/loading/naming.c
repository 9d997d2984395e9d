/* naming.c: how do the addresses of a loaded profile get names? */
#include "loading/naming.h"

#include "base/memory.h"
#include "base/units.h"
#include "images/runtime_file.h"

#include <unistd.h>

#define MODULES_IN_NOTICE 4u   /* modules listed in one notice */
#define SHARE_OF_NOTICE	  1000 /* no notice about less than one sample in this many */

enum names_depth naming_depth(const struct naming_options *options)
{
	if (options->lines)
		return NAMES_LINES;
	return options->no_inline ? NAMES_FUNCTIONS : NAMES_INLINED;
}

enum projection naming_projection(const struct naming_options *options)
{
	unsigned projection = options->lines	    ? BY_LINE | PROJECT_LINES
			      : options->keep_lines ? BY_LINE
						    : BY_FUNCTION;

	return (enum projection)(projection | (options->no_inline ? PROJECT_WITHOUT_INLINED : 0));
}

/* The directory of the input; NULL if it is not a file. The caller frees it. */
static char *directory_of(const char *input)
{
	const char *slash = strrchr(input, '/');

	if (*input == '<')
		return NULL;
	return slash ? memory_copy_text(input, (size_t)(slash + 1 - input))
		     : memory_copy_text(".", 1);
}

bool naming_needs_times(const struct naming_options *options, const char *input)
{
	char *directory = directory_of(input);
	struct error ignored = {0};
	int fd = -1;

	if (directory)
		fd = runtime_file_find_in(directory, "isolate-", "-v8.log", &ignored);
	if (directory && fd < 0)
		fd = runtime_file_find_in(directory, "jit-", ".dump", &ignored);
	memory_free(directory);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || options->v8_logs;
}

/* ---- What is missing ---- */

/* One notice for all missing files: their locations are shown by module and offset. */
static void report_missing(const struct symbolize_report *report,
	const struct loading_listener *listener, const char *input)
{
	struct buffer text = {0}, list = {0};
	uint64_t samples = 0;
	size_t count = 0;

	for (size_t i = 0; i < report->modules.len; i++) {
		const struct unnamed_module *m = &report->modules.items[i];
		struct bytes file = bytes_base_name(m->file);

		if (!m->missing)
			continue;
		samples += m->samples;
		if (count++ < MODULES_IN_NOTICE)
			buffer_printf(
				&list, "%s%.*s", list.len ? ", " : "", (int)file.len, file.at);
	}
	if (samples && samples * SHARE_OF_NOTICE >= report->samples) {
		units_percent(&text, (int64_t)samples, (int64_t)report->samples);
		loading_notice(listener,
			"%s: %s%% of the samples end in files that are missing or differ from the "
			"recorded ones: %s%s; they are shown as [module+0xoffset]; to get names, "
			"use --symfs or --build-id-dir, or run kiln symbolize where the files are",
			input, text.at, list.at, count > MODULES_IN_NOTICE ? ", ..." : "");
	}
	buffer_release(&text);
	buffer_release(&list);
}

/* The user can change what hides the kernel's addresses, so this is always reported. */
static void report_hidden_kernel(const struct symbolize_report *report,
	const struct loading_listener *listener, const char *input)
{
	for (size_t i = 0; i < report->modules.len; i++) {
		const struct unnamed_module *m = &report->modules.items[i];

		if (m->kind != MAPPING_KERNEL || !m->samples ||
			m->samples * SHARE_OF_NOTICE < report->samples)
			continue;
		loading_notice(listener, "%s: kernel functions have no names: %s%s%s", input,
			m->why, *m->remedy ? "; " : "", m->remedy);
	}
}

static void report_details(const struct symbolize_report *report,
	const struct loading_listener *listener, const char *input)
{
	for (size_t i = 0; listener->details && i < report->modules.len; i++) {
		const struct unnamed_module *m = &report->modules.items[i];

		loading_notice(listener, "%s: %.*s: addresses without names: %u: %s%s%s", input,
			(int)m->file.len, m->file.at, m->locations, m->why, *m->remedy ? "; " : "",
			m->remedy);
	}
}

void naming_add_notes(struct profile *p, const struct symbolize_report *report)
{
	struct buffer text = {0};

	if (report->left_out.len)
		profile_note(p,
			"%.*s: not read, so some functions have no names: at most %u MB of files "
			"with names of JIT code, or %u s of them, are read",
			(int)report->left_out.len, report->left_out.at,
			(unsigned)(RUNTIME_BYTES_LIMIT >> 20),
			(unsigned)(RUNTIME_TIME_LIMIT / 1000000000));
	if (report->files_over_limit)
		profile_note(p,
			"%u binaries were not read completely, so names of functions or of "
			"inlined functions are missing: Kiln limits what it reads from files that "
			"other users can change (docs/security.md)",
			report->files_over_limit);
	if (report->skipped.len)
		profile_note(p, "%.*s: skipped: it has no names of code", (int)report->skipped.len,
			report->skipped.at);
	if (!report->guessed)
		return;
	units_grouped(&text, (int64_t)report->guessed);
	profile_note(p,
		"%s samples are in JIT code at addresses reused by later code; the last name is "
		"shown. For exact names use kiln record, or perf record -k mono with node "
		"--perf-prof",
		text.at);
	buffer_release(&text);
}

void naming_report_cached(const struct symbolize_report *report,
	const struct loading_listener *listener, const char *input)
{
	if (listener->details && report->by_time)
		loading_notice(listener,
			"%s: samples at reused addresses of JIT code, named by their time: %llu",
			input, (unsigned long long)report->by_time);
	if (listener->details && report->named)
		loading_notice(listener, "%s: addresses looked up: %u, known from earlier runs: %u",
			input, report->named + report->unnamed, report->known);
}

static void report_naming(const struct naming_options *options, bool fresh,
	const struct symbolize_report *report, const struct loading_listener *listener,
	const char *input)
{
	naming_report_cached(report, listener, input);
	if (options->thorough)
		loading_notice(listener, "%s: addresses named: %u, still without a name: %u", input,
			report->named, report->unnamed);
	if (fresh || options->thorough || options->vmlinux || options->kallsyms) {
		report_missing(report, listener, input);
		report_hidden_kernel(report, listener, input);
	}
	report_details(report, listener, input);
}

/* ---- Naming ---- */

/* What runtimes have written about the generated code of an input's processes. */
static struct jit_code code_of(const struct naming_options *options, const struct profile *p,
	const char *directory, bool fresh)
{
	struct jit_code code = {.recorded = true,
		.search_tmp = fresh,
		.beside = directory,
		.v8_logs = options->v8_logs,
		.wall_offset = INT64_MIN};

	if (p->streams.len)
		code.wall_offset = p->streams.items[0].row.wall_offset;
	code.monotonic = bytes_equal(profile_meta(p, BYTES("clock")), BYTES("monotonic"));
	return code;
}

void naming_add(const struct naming_options *options,
	const struct binary_locations *binary_locations, const struct loading_listener *listener,
	struct profile *p, const char *input)
{
	bool fresh = profile_needs_names(p);
	struct binary_locations locations = *binary_locations;
	char *directory = directory_of(input);
	struct jit_code code = code_of(options, p, directory, fresh);
	struct symbolize_options how = {.binary_locations = &locations,
		.jit = &code,
		.which = options->lines ? SYMBOLIZE_AGAIN : SYMBOLIZE_UNNAMED,
		.depth = naming_depth(options),
		.stored = !options->no_cache};
	struct symbolize_report report = {0};

	if (!fresh && !options->thorough)
		locations.servers = NULL;
	profile_symbolize(p, &how, &report);
	if (fresh)
		naming_add_notes(p, &report);
	report_naming(options, fresh, &report, listener, input);
	symbolize_report_release(&report);
	jit_code_release(&code);
	memory_free(directory);
}
