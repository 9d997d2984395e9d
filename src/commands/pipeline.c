/* pipeline.c: how does a profile become an output? */
#include "commands/pipeline.h"

#include "base/memory.h"
#include "commands/confined.h"
#include "commands/terminal.h"
#include "renderers/svg_options.h"
#include "renderers/text.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option output_options[] = {
	{.name = "output",
		.letter = 'o',
		.argument = "FILE",
		.help = "write to FILE, which appears when it is complete",
		.set = option_text,
		.offset = offsetof(struct pipeline, output)},
	{0},
};

static void *default_settings(const struct renderer *renderer, bool text)
{
	void *settings = renderer_settings(renderer);

	if (text) {
		struct text_settings *look = settings;

		look->width = terminal_width(STDOUT_FILENO);
		look->colour = terminal_colour(STDOUT_FILENO);
		look->ascii = !terminal_utf8();
	}
	return settings;
}

const struct option_group *pipeline_groups(struct pipeline *p)
{
	static struct option_group groups[3 + LOAD_GROUPS];
	const struct renderer *renderer = renderer_by_name(p->renderer);
	size_t count = 0;

	assert(renderer);
	if (!p->settings)
		p->settings = default_settings(renderer, p->text);
	groups[count++] = (struct option_group){"Output", output_options, p};
	if (renderer->options)
		groups[count++] = (struct option_group){p->title, renderer->options, p->settings};
	load_groups(groups + count);
	groups[count + LOAD_GROUPS] = (struct option_group){0};
	return groups;
}

bool pipeline_check_terminal(const struct renderer *renderer, const char *path, struct error *err)
{
	if (renderer->readable || strcmp(path, "-") || !isatty(STDOUT_FILENO))
		return true;
	return error_set(err, ERR_USAGE,
		"standard output is a terminal: name a file with -o, or redirect it");
}

bool pipeline_check_suffix(const struct command *command, const struct renderer *meant,
	const char *path, const char *does, struct error *err)
{
	return error_set(err, ERR_USAGE,
		"%s: %s: this command %s; to write %s use: kiln convert -o %s", command->name, path,
		does, meant->name, path);
}

bool pipeline_render(const struct view *v, const struct renderer *renderer, const void *settings,
	const char *path, unsigned mode, struct error *err)
{
	struct output out;
	bool done;

	if (!output_open(&out, path, mode, err))
		return false;
	done = renderer_write(renderer, v, settings, &out, err) && output_commit(&out, err);
	output_discard(&out);
	return done;
}

unsigned pipeline_mode(const struct renderer *renderer, unsigned mode, const char *path)
{
	bool standard = !strcmp(path, "-") || !strcmp(path, "<stdin>");
	struct stat status;

	if (strcmp(renderer->name, "kiln") ||
		(standard ? fstat(STDIN_FILENO, &status) : stat(path, &status)) ||
		!S_ISREG(status.st_mode))
		return mode;
	return mode & (status.st_mode | S_IRUSR | S_IWUSR);
}

/* A limit that is exceeded is the input's. */
static bool render_loaded(const struct loaded *l, const struct renderer *renderer,
	const void *settings, const char *path, struct error *err)
{
	unsigned mode = pipeline_mode(renderer, OUTPUT_MODE, l->name);

	if (pipeline_render(&l->view, renderer, settings, path, mode, err))
		return true;
	return err->code == ERR_LIMIT && error_prefix(err, "%s: ", l->name);
}

/* Escape sequences are for the terminal, not for a file named with -o. */
static void fit_to_file(struct pipeline *p)
{
	struct text_settings *look = p->settings;

	look->colour = false;
	if (look->width == terminal_width(STDOUT_FILENO))
		look->width = 0;
}

/* Before anything is read. */
static void confine(const struct loading *loading, char **operands, const char *path,
	const struct renderer *renderer, const void *settings)
{
	confined_output(path);
	if (!strcmp(renderer->name, "svg"))
		confined_output(svg_settings_palette(settings));
	confined_input(*operands ? *operands : "-");
	confined_start(loading);
}

/* What is drawn over time is drawn nevertheless: lines of folded text may be in its order. */
static void report_untimed(const struct loaded *l)
{
	const struct profile *p = l->view.profile;

	for (size_t i = 0; i < p->samples.len; i++)
		if (p->samples.items[i].time.len)
			return;
	print_notice(
		"%s: the samples have no times: they are shown in the order of the input", l->name);
}

int pipeline_run(struct pipeline *p, const struct command *command, char **operands, unsigned want)
{
	const struct renderer *renderer = renderer_by_name(p->renderer);
	const char *path = p->output ? p->output : "-";
	struct loading loading;
	struct loaded loaded;
	struct error err = {0};
	bool done;

	if (p->text && strcmp(path, "-"))
		fit_to_file(p);
	if (!pipeline_check_terminal(renderer, path, &err)) {
		error_prefix(&err, "%s: ", command->name);
		return fail(&err);
	}
	load_begin(&loading, 0);
	if (!p->runs_programs)
		confine(&loading, operands, path, renderer, p->settings);
	done = load(&loading, command, operands, want, &loaded, &err);
	if (done && p->over_time)
		report_untimed(&loaded);
	if (done) {
		done = render_loaded(&loaded, renderer, p->settings, path, &err);
		loaded_release(&loaded);
	}
	loading_release(&loading);
	return done ? 0 : fail(&err);
}

int pipeline_write(const struct command *command, char **operands, const struct pipeline_output *to)
{
	void *usual = renderer_settings(to->renderer);
	const void *settings = to->settings ? to->settings : usual;
	struct error err = {0};
	struct loading loading;
	struct loaded loaded;
	bool done;

	load_begin(&loading, (to->renderer->by_line ? LOAD_KEEP_LINES : 0u) |
				     (to->thorough ? LOAD_THOROUGH : 0u));
	confine(&loading, operands, to->path, to->renderer, settings);
	done = load(&loading, command, operands, WANT_ALL, &loaded, &err);
	if (done) {
		done = render_loaded(&loaded, to->renderer, settings, to->path, &err);
		loaded_release(&loaded);
	}
	loading_release(&loading);
	free(usual);
	return done ? 0 : fail(&err);
}
