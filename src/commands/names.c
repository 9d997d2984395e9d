/* names.c: naming the addresses of an input, with the files that the user's options lead to. */
#include "commands/names.h"

#include "base/memory.h"
#include "base/units.h"
#include "commands/terminal.h"
#include "images/debuginfod.h"
#include "images/runtime_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAID_MOST 4u   /* modules that are named in one line */
#define SAID_PART 1000 /* fewer samples than one in this many are not worth a word */

static struct names {
	const char *symfs, *vmlinux, *kallsyms;
	VECTOR(const char *) build_id_dirs; /* NULL-terminated */
	bool no_servers, hard;
	bool started;
	struct places places;
} own;

static struct detail {
	bool no_inline, lines, no_cache;
	const char *v8_logs;
} detail;

static bool lines_are_kept; /* without being in names */

/* ---- Options ---- */

static bool set_directory(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct stat st;

	if (stat(value, &st))
		return error_set(err, ERR_USAGE, "%s: %s", value, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return error_set(err, ERR_USAGE, "expected a directory, %s is none", value);
	return option_text(target, option, value, err);
}

static bool add_build_id_dir(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct names *n = target;
	const char *dir = NULL;
	struct option one = {.name = option->name};

	if (!set_directory(&dir, &one, value, err))
		return false;
	if (n->build_id_dirs.len)
		n->build_id_dirs.len--;
	vector_push(&n->build_id_dirs, dir);
	vector_push(&n->build_id_dirs, NULL);
	return true;
}

static bool set_file(
	void *target, const struct option *option, const char *value, struct error *err)
{
	if (access(value, R_OK))
		return error_set(err, ERR_USAGE, "%s: %s", value, strerror(errno));
	return option_text(target, option, value, err);
}

#define AT(member) offsetof(struct names, member)
static const struct option place_options[] = {
	{.name = "symfs",
		.argument = "DIR",
		.help = "recorded paths are below DIR: a copy of the other machine's files",
		.set = set_directory,
		.offset = AT(symfs)},
	{.name = "build-id-dir",
		.argument = "DIR",
		.help = "a cache by build id, asked before ~/.debug; may be given more than once",
		.set = add_build_id_dir},
	{.name = "vmlinux",
		.argument = "FILE",
		.help = "the recorded kernel, with symbols",
		.set = set_file,
		.offset = AT(vmlinux)},
	{.name = "kallsyms",
		.argument = "FILE",
		.help = "a copy of /proc/kallsyms of the recorded machine",
		.set = set_file,
		.offset = AT(kallsyms)},
	{.name = "no-debuginfod",
		.help = "do not ask the servers in DEBUGINFOD_URLS",
		.set = option_flag,
		.offset = AT(no_servers)},
	{0},
};

struct option_group names_group(void)
{
	return (struct option_group){"Find what names addresses", place_options, &own};
}

static const struct option detail_options[] = {
	{.name = "no-inline",
		.help = "leave inlined functions out: their samples are those of the function "
			"around them",
		.set = option_flag,
		.offset = offsetof(struct detail, no_inline)},
	{.name = "lines",
		.help = "tell lines apart: function (file.c:42)",
		.set = option_flag,
		.offset = offsetof(struct detail, lines)},
	{.name = "no-cache",
		.help = "neither use nor fill the symbol cache on disk",
		.set = option_flag,
		.offset = offsetof(struct detail, no_cache)},
	{.name = "v8-log",
		.argument = "GLOB",
		.help = "logs of V8 (node --log-code, --prof) that name its code; default: "
			"those beside the input",
		.set = option_text,
		.offset = offsetof(struct detail, v8_logs)},
	{0},
};

struct option_group names_detail_group(void)
{
	return (struct option_group){"How much names say", detail_options, &detail};
}

void names_set_detail(struct symbolize_options *options)
{
	if (detail.lines)
		options->depth = NAMES_LINES;
	else
		options->depth = detail.no_inline ? NAMES_FUNCTIONS : NAMES_INLINED;
	options->stored = !detail.no_cache;
}

void names_keep_lines(void)
{
	lines_are_kept = true;
}

enum projection names_projection(void)
{
	unsigned projection = detail.lines     ? BY_LINE | PROJECT_LINES
			      : lines_are_kept ? BY_LINE
					       : BY_FUNCTION;

	return (enum projection)(projection | (detail.no_inline ? PROJECT_OUTER : 0));
}

/* ---- Servers ---- */

static void on_progress(void *self, const char *text)
{
	struct buffer line = {0};

	(void)self;
	if (verbosity < 0 || !isatty(STDERR_FILENO))
		return;
	buffer_text(&line, "\r\033[K");
	buffer_visible(&line, bytes_of(text));
	fwrite(line.at, 1, line.len, stderr);
	buffer_release(&line);
}

static void on_note(void *self, const char *text)
{
	(void)self;
	say("%s", text);
}

const struct places *names_places(void)
{
	static const struct debuginfod_listener listener = {NULL, on_progress, on_note};

	if (!own.started)
		own.places = (struct places){.symfs = own.symfs,
			.build_id_dirs = own.build_id_dirs.items,
			.vmlinux = own.vmlinux,
			.kallsyms = own.kallsyms,
			.servers = own.no_servers ? NULL : debuginfod_new(&listener)};
	own.started = true;
	return &own.places;
}

void names_try_hard(void)
{
	own.hard = true;
}

void names_release(void)
{
	debuginfod_release(own.places.servers);
	vector_release(&own.build_id_dirs);
	own = (struct names){0};
}

/* ---- What is missing ---- */

/* One line for all files that are not here: names are their module and offset until they are. */
static void say_missing(const struct symbolize_report *report, const char *name)
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
		if (count++ < SAID_MOST)
			buffer_printf(
				&list, "%s%.*s", list.len ? ", " : "", (int)file.len, file.at);
	}
	if (samples && samples * SAID_PART >= report->samples) {
		units_percent(&text, (int64_t)samples, (int64_t)report->samples);
		say("%s: %s%% of the samples end in files that are not here, or not as they were "
		    "recorded: %s%s; they are named [module+0xoffset]; --symfs, --build-id-dir or "
		    "kiln symbolize where the files are would name them",
			name, text.at, list.at, count > SAID_MOST ? ", ..." : "");
	}
	buffer_release(&text);
	buffer_release(&list);
}

/* What hides the kernel can be helped, so it is told even unasked. */
static void say_hidden_kernel(const struct symbolize_report *report, const char *name)
{
	for (size_t i = 0; i < report->modules.len; i++) {
		const struct unnamed_module *m = &report->modules.items[i];

		if (m->kind != MAPPING_KERNEL || !m->samples ||
			m->samples * SAID_PART < report->samples)
			continue;
		say("%s: kernel functions have no names: %s%s%s", name, m->why,
			*m->remedy ? "; " : "", m->remedy);
	}
}

bool names_are_stored(void)
{
	return !detail.no_cache;
}

const char *names_v8_logs(void)
{
	return detail.v8_logs;
}

/* Where the input lies: NULL for standard input. To be freed. */
static char *directory_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	if (*name == '<')
		return NULL;
	return slash ? memory_copy_text(name, (size_t)(slash + 1 - name))
		     : memory_copy_text(".", 1);
}

bool names_need_times(const char *name)
{
	char *directory = directory_of(name);
	struct error ignored = {0};
	int fd = -1;

	if (directory)
		fd = runtime_file_beside(directory, "isolate-", "-v8.log", &ignored);
	if (directory && fd < 0)
		fd = runtime_file_beside(directory, "jit-", ".dump", &ignored);
	free(directory);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || detail.v8_logs;
}

void names_add_doubts(struct profile *p, const struct symbolize_report *report)
{
	struct buffer text = {0};

	if (report->left_out.len)
		profile_note(p,
			"%.*s: not read, so some functions have no names; of what programs wrote "
			"about "
			"their code %u MB or %u s are read",
			(int)report->left_out.len, report->left_out.at,
			(unsigned)(RUNTIME_BYTES_LIMIT >> 20),
			(unsigned)(RUNTIME_TIME_LIMIT / 1000000000));
	if (report->skipped.len)
		profile_note(p, "%.*s: skipped, as nothing that tells of code",
			(int)report->skipped.len, report->skipped.at);
	if (!report->guessed)
		return;
	units_grouped(&text, (int64_t)report->guessed);
	profile_note(p,
		"%s samples are in code made while running whose place was used for other code "
		"too, nobody knows when: they have the name of the last one there; kiln record "
		"knows, or perf record -k mono with node --perf-prof",
		text.at);
	buffer_release(&text);
}

void names_say_known(const struct symbolize_report *report, const char *name)
{
	if (verbosity > 0 && report->by_time)
		say("%s: samples in places that were used again for other code, named by their "
		    "time: %llu",
			name, (unsigned long long)report->by_time);
	if (verbosity > 0 && report->named)
		say("%s: addresses looked up: %u, known from earlier runs: %u", name,
			report->named + report->unnamed, report->known);
}

/* What runtimes have written about the code of an input's processes. */
static struct jit_code code_of(const struct profile *p, char *directory, bool fresh)
{
	struct jit_code code = {.recorded = true,
		.ask_tmp = fresh,
		.beside = directory,
		.v8_logs = detail.v8_logs,
		.wall_offset = INT64_MIN};

	if (p->streams.len)
		code.wall_offset = p->streams.items[0].row.wall_offset;
	code.monotonic = bytes_equal(profile_meta(p, BYTES("clock")), BYTES("monotonic"));
	return code;
}

void names_add(struct profile *p, const char *name)
{
	bool fresh = profile_needs_names(p);
	struct places places = *names_places();
	char *directory = directory_of(name);
	struct jit_code code = code_of(p, directory, fresh);
	struct symbolize_options options = {.places = &places,
		.jit = &code,
		.which = detail.lines ? SYMBOLIZE_AGAIN : SYMBOLIZE_UNNAMED};
	struct symbolize_report report = {0};

	/* A finished profile is looked at again and again: not over the network. */
	if (!fresh && !own.hard)
		places.servers = NULL;
	names_set_detail(&options);
	profile_symbolize(p, &options, &report);
	names_say_known(&report, name);
	if (fresh)
		names_add_doubts(p, &report);
	if (own.hard)
		say("%s: addresses named: %u, still without a name: %u", name, report.named,
			report.unnamed);
	if (fresh || own.hard || own.vmlinux || own.kallsyms) {
		say_missing(&report, name);
		say_hidden_kernel(&report, name);
	}
	for (size_t i = 0; verbosity > 0 && i < report.modules.len; i++) {
		const struct unnamed_module *m = &report.modules.items[i];

		say("%s: %.*s: addresses without names: %u: %s%s%s", name, (int)m->file.len,
			m->file.at, m->locations, m->why, *m->remedy ? "; " : "", m->remedy);
	}
	symbolize_report_release(&report);
	jit_code_release(&code);
	free(directory);
}
