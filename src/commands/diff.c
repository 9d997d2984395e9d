/* diff.c: `kiln diff`: what changed from one profile to another? */
#include "base/units.h"
#include "commands/confined.h"
#include "commands/diff_folded.h"
#include "commands/diff_renames.h"
#include "commands/diff_threads.h"
#include "commands/pipeline.h"
#include "commands/terminal.h"
#include "model/merge.h"
#include "model/sides.h"
#include "renderers/svg_options.h"
#include "renderers/text.h"
#include "transforms/compare_options.h"
#include "transforms/matching.h"

#include <stdlib.h>
#include <unistd.h>

extern const struct command command_diff;

struct files {
	VECTOR(const char *) paths;
};

static struct diff {
	const char *output;
	int to;		  /* index in `formats`, -1: by suffix */
	const char *both; /* the file that has two sides itself; NULL: two are compared */
	struct files side[2];
	struct compare_options compare_options;
	bool per_thread;
	void *table, *picture; /* settings of these renderers */
} own = {.to = -1, .compare_options = COMPARE_DEFAULT};

/* ---- Options ---- */

static bool add_path(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct diff *d = target;
	struct files *files = (struct files *)(void *)((char *)d + option->offset);

	(void)err;
	vector_push(&files->paths, value);
	return true;
}

enum { TO_TABLE, TO_SVG, TO_FOLDED, TO_HTML, TO_KILN, TO_PPROF, TO_SPEEDSCOPE, TO_JSON, FORMATS };

/* Choose the format by --to or a suffix. Other programs, and the page, get the values of both
 * sides. */
static const struct {
	const char *name, *suffix, *renderer;
} formats[FORMATS] = {
	[TO_TABLE] = {"table", ".txt", "difference"},
	[TO_SVG] = {"svg", ".svg", "svg"},
	[TO_FOLDED] = {"folded", ".folded", "folded"},
	[TO_HTML] = {"html", ".html", "html"},
	[TO_KILN] = {"kiln", ".kiln", "kiln"},
	[TO_PPROF] = {"pprof", ".pb.gz", "pprof"},
	[TO_SPEEDSCOPE] = {"speedscope", ".speedscope.json", "speedscope"},
	[TO_JSON] = {"json", ".json", "difference-json"},
};
static const char *format_names[FORMATS + 1]; /* the choices of --to; groups() fills them in */
#define SUFFIXES ".svg, .html, .folded, .json, .txt, .kiln, .pb.gz or .speedscope.json"

#define AT(member) offsetof(struct diff, member)
static const struct option output_options[] = {
	{.name = "output",
		.letter = 'o',
		.argument = "FILE",
		.help = "write to FILE: " SUFFIXES,
		.set = option_text,
		.offset = AT(output)},
	{.name = "to",
		.argument = "FORMAT",
		.help = "the format, where no suffix chooses it: table (default), svg, html, "
			"folded, json, kiln, pprof or speedscope",
		.set = option_choice,
		.offset = AT(to),
		.choices = format_names},
	{.name = "per-thread",
		.help = "write one file per thread: OUT.svg becomes OUT.THREAD.svg",
		.set = option_flag,
		.offset = AT(per_thread)},
	{0},
};

static const struct option side_options[] = {
	{.name = "before",
		.argument = "FILE...",
		.help = "profiles of BEFORE: their values are added up, or with more or fewer "
			"files than AFTER has, their means are taken",
		.set = add_path,
		.offset = AT(side[0])},
	{.name = "after",
		.argument = "FILE...",
		.help = "profiles of AFTER, likewise",
		.set = add_path,
		.offset = AT(side[1])},
	{0},
};

static void *table_settings(void)
{
	void *settings = renderer_settings(renderer_by_name("difference"));
	struct text_settings *look = settings;

	look->width = terminal_width(STDOUT_FILENO);
	look->colour = terminal_colour(STDOUT_FILENO);
	look->ascii = !terminal_utf8();
	return settings;
}

static const struct option_group *groups(void)
{
	static struct option_group all[6 + LOAD_GROUPS];
	size_t count = 0;

	if (!own.table) {
		own.table = table_settings();
		own.picture = renderer_settings(renderer_by_name("svg"));
	}
	for (int i = 0; i < FORMATS; i++)
		format_names[i] = formats[i].name;
	all[count++] = (struct option_group){"Output", output_options, &own};
	all[count++] = (struct option_group){"Sides", side_options, &own};
	all[count++] =
		(struct option_group){"Difference", compare_option_table, &own.compare_options};
	all[count++] =
		(struct option_group){"Table", renderer_by_name("difference")->options, own.table};
	all[count++] =
		(struct option_group){"Picture", renderer_by_name("svg")->options, own.picture};
	load_groups(all + count);
	return all;
}

/* ---- What was asked for ---- */

static bool take_operands(char **operands, struct error *err)
{
	size_t count = 0;

	while (operands[count])
		count++;
	if (!own.side[0].paths.len && !own.side[1].paths.len && count == 1) {
		own.both = operands[0];
	} else if (!own.side[0].paths.len && !own.side[1].paths.len && count == 2) {
		vector_push(&own.side[0].paths, operands[0]);
		vector_push(&own.side[1].paths, operands[1]);
	} else if (count || !own.side[0].paths.len || !own.side[1].paths.len) {
		return error_set(err, ERR_USAGE,
			"expected two profiles: kiln diff BEFORE AFTER; or several per side: kiln "
			"diff --before A1 A2 --after B1 B2; or one file with two columns");
	}
	return true;
}

static bool check_standard_input(struct error *err)
{
	size_t count = 0;

	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < own.side[side].paths.len; i++)
			count += !strcmp(own.side[side].paths.items[i], "-");
	return count < 2 ||
	       error_set(err, ERR_USAGE, "standard input can be only one of the files");
}

static bool choose_format(int *ret_format, struct error *err)
{
	*ret_format = own.to >= 0 ? own.to : own.output ? -1 : TO_TABLE;
	for (int i = 0; *ret_format < 0 && i < FORMATS; i++)
		if (bytes_ends_with(bytes_of(own.output), bytes_of(formats[i].suffix)))
			*ret_format = i;
	if (*ret_format < 0)
		return error_set(err, ERR_USAGE,
			"%s: unknown suffix; expected one of " SUFFIXES ", or --to FORMAT",
			own.output);
	if (own.per_thread && *ret_format != TO_TABLE && !own.output)
		return error_set(err, ERR_USAGE,
			"--per-thread writes several files: name an output with -o");
	return true;
}

static bool check(char **operands, int *ret_format, struct error *err)
{
	return take_operands(operands, err) && check_standard_input(err) &&
	       choose_format(ret_format, err) &&
	       pipeline_check_terminal(renderer_by_name(formats[*ret_format].renderer),
		       own.output ? own.output : "-", err);
}

/* ---- Loading ---- */

/* A file that is being read. */
struct reading {
	size_t side;
	bool threads_are_roots;
};

static void prepare_profile(void *self, struct profile *p)
{
	struct reading *r = self;

	r->threads_are_roots =
		own.per_thread && threads_from_roots(&own.compare_options.canonical, p);
}

static bool prepare_view(void *self, struct view *v, struct error *err)
{
	const struct reading *r = self;

	return compare_prepare(&own.compare_options, v, r->side, err);
}

/* Sides may have different kinds in one unit: users who did not request that should know. */
static void compare_kinds(const struct profile *to, const struct loaded *l)
{
	const struct stream_row *first = &to->streams.items[0].row, *row = view_stream(&l->view);
	struct bytes known = profile_text(to, first->event ? first->event : first->kind);
	struct bytes name = profile_text(&l->profile, row->event ? row->event : row->kind);

	if (!bytes_equal(known, name))
		print_notice("%s: %.*s is compared with %.*s", l->name, (int)name.len, name.at,
			(int)known.len, known.at);
}

static bool add_profile(struct profile *to, struct loaded *l, const struct reading *r, uint32_t run,
	struct error *err)
{
	bool done = compare_add(&own.compare_options, to, &l->view, r->side,
		(struct merge_part){.run = run, .name = l->name}, r->threads_are_roots, err);

	if (done && to->streams.len)
		compare_kinds(to, l);
	return done;
}

static bool add_side(const struct loading *loading, struct profile *to, size_t side, unsigned want,
	struct error *err)
{
	struct reading reading = {.side = side};
	const struct load_steps steps = {&reading, prepare_profile, prepare_view};
	const struct files *files = &own.side[side];

	for (size_t i = 0; i < files->paths.len; i++) {
		uint32_t run = files->paths.len > 1 ? (uint32_t)i + 1 : 0;
		struct loaded l;
		bool done;

		if (!load_file(loading, files->paths.items[i], want, &steps, &l, err))
			return false;
		done = add_profile(to, &l, &reading, run, err);
		if (!done)
			error_prefix(err, "%s: ", l.name);
		loaded_release(&l);
		if (!done)
			return false;
	}
	return true;
}

/* Files are called by their base names, where these tell the sides apart. */
static struct bytes short_name(const char *path)
{
	struct bytes before = bytes_of(own.side[0].paths.items[0]);
	struct bytes after = bytes_of(own.side[1].paths.items[0]);

	if (!strcmp(path, "-"))
		return BYTES("<stdin>");
	if (bytes_equal(bytes_base_name(before), bytes_base_name(after)))
		return bytes_of(path);
	return bytes_base_name(bytes_of(path));
}

/* Sums of more files on one side than on the other would differ for that reason alone. */
static bool takes_means(void)
{
	return own.side[0].paths.len != own.side[1].paths.len;
}

/* "a.folded", "3 files, a.folded to c.folded", or "mean of 3 files, ...". */
static void name_side(struct profile *p, size_t side)
{
	const struct files *files = &own.side[side];
	struct bytes first = short_name(files->paths.items[0]);
	struct bytes last = short_name(files->paths.items[files->paths.len - 1]);
	struct buffer name = {0};

	if (files->paths.len > 1)
		buffer_printf(
			&name, "%s%zu files, ", takes_means() ? "mean of " : "", files->paths.len);
	buffer_add(&name, first.at, first.len);
	if (files->paths.len > 1)
		buffer_printf(&name, " to %.*s", (int)last.len, last.at);
	compare_name(&own.compare_options, p, side, buffer_bytes(&name));
	buffer_release(&name);
}

/* ---- Writing ---- */

static const void *settings_for(int format)
{
	struct text_settings *look = own.table;

	if (format == TO_SVG)
		return own.picture;
	if (format != TO_TABLE)
		return NULL;
	if (own.output)
		*look = (struct text_settings){.ascii = look->ascii};
	return look;
}

/* The mode of an output that is made from all files. */
static unsigned output_mode(const struct renderer *renderer)
{
	unsigned mode = own.both ? pipeline_mode(renderer, OUTPUT_MODE, own.both) : OUTPUT_MODE;

	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < own.side[side].paths.len; i++)
			mode = pipeline_mode(renderer, mode, own.side[side].paths.items[i]);
	return mode;
}

static bool write_all(struct view *v, enum projection projection, int format, struct error *err)
{
	const struct renderer *renderer = renderer_by_name(formats[format].renderer);
	struct comparison how = compare_display(&own.compare_options);
	void *settings = NULL;
	bool done;

	if (format != TO_TABLE && format != TO_SVG)
		settings = renderer_settings(renderer);
	svg_settings_compare(own.picture, &how);
	v->comparison = how;
	if (!own.per_thread && !load_reverses() && (format == TO_TABLE || format == TO_SVG))
		diff_renames_print(v);
	if (own.per_thread)
		done = diff_threads(v,
			&(struct diff_threads){.renderer = renderer,
				.settings = settings ? settings : settings_for(format),
				.title = format == TO_SVG
						 ? &((struct svg_settings *)own.picture)->title
						 : NULL,
				.output = own.output,
				.mode = output_mode(renderer),
				.projection = projection},
			err);
	else
		done = pipeline_render(v, renderer, settings ? settings : settings_for(format),
			own.output ? own.output : "-", output_mode(renderer), err);
	free(settings);
	return done;
}

/* For example a file of `kiln diff` or difffolded.pl. */
static bool diff_sides(const struct loading *loading, int format, struct error *err)
{
	const struct load_steps none = {0};
	struct loaded l;
	bool done;

	if (compare_changes_sides(&own.compare_options))
		return error_set(err, ERR_USAGE,
			"diff: --before-time, --after-time, --exact, --strip-hex and --build-dir "
			"work only with two files, not with one file of two columns");
	if (!load_file(loading, own.both, own.per_thread ? WANT_THREADS : 0u, &none, &l, err))
		return false;
	done = view_stream(&l.view)->side == 1 ||
	       error_set(err, ERR_USAGE,
		       "%s: has only one column of values: expected two profiles, as in: kiln diff "
		       "BEFORE AFTER",
		       l.name);
	done = done && write_all(&l.view, naming_projection(&loading->options.naming), format, err);
	loaded_release(&l);
	return done;
}

static bool write_merged(
	const struct profile *merged, enum projection projection, int format, struct error *err)
{
	struct view v;
	bool done;

	view_init(&v, merged, projection);
	done = write_all(&v, projection, format, err);
	view_release(&v);
	return done;
}

static bool diff_profiles(const struct loading *loading, int format, struct error *err)
{
	struct profile merged;
	bool timed = own.compare_options.time[0] || own.compare_options.time[1];
	unsigned want = (own.per_thread ? WANT_THREADS : 0u) | (timed ? WANT_TIMES : 0u);
	bool done;

	profile_init(&merged);
	done = add_side(loading, &merged, 0, want, err) && add_side(loading, &merged, 1, want, err);
	if (done && takes_means())
		done = profile_average(
			&merged, (size_t[]){own.side[0].paths.len, own.side[1].paths.len}, err);
	name_side(&merged, 0);
	name_side(&merged, 1);
	done = done &&
	       write_merged(&merged, naming_projection(&loading->options.naming), format, err);
	profile_release(&merged);
	return done;
}

/* Folded text to folded text needs no profiles. */
static bool diff_lines(int format, bool *ret_done, struct error *err)
{
	const struct compare_options *c = &own.compare_options;
	struct diff_folded d = {.canonical = &c->canonical, .normalised = c->normalise};
	VECTOR(struct diff_file) files = {0};
	struct output out = {0};
	bool can;

	if (own.both || format != TO_FOLDED || own.per_thread || c->elided || c->time[0] ||
		c->time[1] || takes_means() || !load_is_plain())
		return false;
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < own.side[side].paths.len; i++)
			vector_push(
				&files, ((struct diff_file){own.side[side].paths.items[i], side}));
	d.files = files.items;
	d.count = files.len;
	can = diff_folded_can(&d);
	if (can)
		*ret_done = output_open(&out, own.output ? own.output : "-", 0666, err) &&
			    diff_folded_write(&d, &out, err) && output_commit(&out, err);
	output_discard(&out);
	diff_folded_release(&d);
	vector_release(&files);
	return can;
}

/* Before anything is read. */
static void confine(const struct loading *loading)
{
	confined_output(own.output);
	if (own.picture)
		confined_output(svg_settings_palette(own.picture));
	if (own.both)
		confined_input(own.both);
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < own.side[side].paths.len; i++)
			confined_input(own.side[side].paths.items[i]);
	confined_start(loading);
}

static int run(char **operands)
{
	struct loading loading;
	struct error err = {0};
	int format;
	bool done;

	if (!check(operands, &format, &err)) {
		error_prefix(&err, "diff: ");
		return fail(&err);
	}
	load_begin(&loading, 0);
	confine(&loading);
	if (!diff_lines(format, &done, &err))
		done = own.both ? diff_sides(&loading, format, &err)
				: diff_profiles(&loading, format, &err);
	loading_release(&loading);
	return done ? 0 : fail(&err);
}

const struct command command_diff = {
	.name = "diff",
	.about = "show what changed between two profiles",
	.usage = "diff [OPTIONS] BEFORE AFTER [-o OUT.SUFFIX]\n"
		 "diff [OPTIONS] BOTH [-o OUT.SUFFIX]\n"
		 "diff [OPTIONS] --before FILE... --after FILE... [-o OUT.SUFFIX]",
	.groups = groups,
	.run = run,
};
