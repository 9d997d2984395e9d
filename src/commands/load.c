/* load.c: how does every command get at its profile? */
#include "commands/load.h"

#include "base/expansion.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/units.h"
#include "commands/names.h"
#include "readers/readers.h"
#include "transforms/shape.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct load {
	const char *format;
	struct shape shape;
	uint64_t max_expansion;
} common;

/* ---- Options ---- */

#define FORMATS_MOST 64u

/* The readers' names are known to the linker only; the choices are filled in by load_groups. */
static const char *formats[FORMATS_MOST + 1];

static bool set_format(
	void *target, const struct option *option, const char *value, struct error *err)
{
	int ignored;
	struct option by_index = *option;

	by_index.offset = 0;
	return option_choice(&ignored, &by_index, value, err) &&
	       option_text(target, option, value, err);
}

static bool set_expansion(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct load *load = target;

	if (!option_size(target, option, value, err))
		return false;
	if (!load->max_expansion)
		return error_set(err, ERR_USAGE, "expected a size above 0");
	expansion_set(load->max_expansion);
	return true;
}

static const struct option input_options[] = {
	{.name = "format",
		.argument = "NAME",
		.help = "what FILE is, if its content does not tell",
		.set = set_format,
		.offset = offsetof(struct load, format),
		.choices = formats},
	{.name = EXPANSION_OPTION,
		.argument = "SIZE",
		.help = "let an input take up to SIZE of memory, and 4 times as much unpacked or "
			"written (1G, or 256 times its size where that is more)",
		.set = set_expansion,
		.offset = offsetof(struct load, max_expansion)},
	{0},
};

void load_groups(struct option_group ret_groups[LOAD_GROUPS])
{
	static struct option transforming[TRANSFORM_OPTIONS];

	transform_options(transforming);
	for (size_t i = 0; readers[i] && i < FORMATS_MOST; i++)
		formats[i] = readers[i]->name;
	ret_groups[LOAD_INPUT] = (struct option_group){"Input", input_options, &common};
	ret_groups[LOAD_VALUES] = (struct option_group){"Values", shape_options, &common.shape};
	ret_groups[LOAD_PLACES] = names_group();
	ret_groups[LOAD_DETAIL] = names_detail_group();
	ret_groups[LOAD_SHAPE] = (struct option_group){
		"Choose and reshape, in the order given", transforming, &common.shape.transforms};
}

/* ---- Input ---- */

bool load_stdin_is_given(void)
{
	struct stat status;

	return !fstat(STDIN_FILENO, &status) &&
	       (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode) || S_ISSOCK(status.st_mode));
}

static void print_usage(const struct command *command)
{
	struct buffer text = {0};
	struct bytes usage = bytes_of(command->usage), line;
	struct error ignored = {0}; /* stderr is gone: nothing is left to say it to */

	for (const char *lead = "usage:"; bytes_line(&usage, &line); lead = "      ")
		buffer_printf(&text, "%s kiln %.*s\n", lead, (int)line.len, line.at);
	output_write_fd(STDERR_FILENO, buffer_bytes(&text), &ignored);
	buffer_release(&text);
}

bool load_choose(
	const struct command *command, char **operands, const char **ret_path, struct error *err)
{
	if (operands[0] && operands[1])
		return error_set(err, ERR_USAGE, "one FILE is read at a time, got '%s' and '%s'",
			operands[0], operands[1]);
	if (operands[0] && strcmp(operands[0], "-")) {
		*ret_path = operands[0];
		return true;
	}
	if (operands[0] && isatty(STDIN_FILENO)) {
		print_usage(command);
		return error_set(err, ERR_USAGE,
			"standard input is a terminal: name a FILE, or pipe a profile in");
	}
	if (operands[0] || load_stdin_is_given()) {
		*ret_path = "-";
		return true;
	}
	*ret_path = access(LOAD_DEFAULT, F_OK) ? LOAD_OF_PERF : LOAD_DEFAULT;
	if (!access(*ret_path, F_OK))
		return true;
	print_usage(command);
	return error_set(err, ERR_USAGE,
		"no FILE given and no " LOAD_DEFAULT " or " LOAD_OF_PERF
		" here: name one, pipe one in, or make it with: kiln record -- COMMAND");
}

/* What `sudo perf record` leaves is root's, and the next command is typed by the user. */
static void advise_owner(const char *path, struct error *err)
{
	const struct error denied = *err;
	struct stat status;

	if (denied.code == ERR_PERMISSION && !stat(path, &status) && status.st_uid != geteuid())
		error_set(err, ERR_PERMISSION, "%s; it is another user's: sudo chown $USER %s",
			denied.text, path);
}

/* ---- What the user should know about the profile ---- */

static void say_notes(const struct loaded *l)
{
	struct bytes note;
	size_t at = 0;
	bool own;

	while (view_next_note(&l->view, &at, &note, &own))
		say("%s: %.*s", l->name, (int)note.len, note.at);
}

static void say_losses(const struct loaded *l, uint32_t stream)
{
	const struct profile *p = &l->profile;
	const struct stream_row *row = &p->streams.items[stream].row;
	uint64_t lost = profile_lost(p, stream), whole = row->delivered + lost;
	struct buffer text = {0};
	const char *separator = "";

	if (!lost)
		return;
	buffer_text(&text, "lost ");
	units_grouped(&text, (int64_t)lost);
	buffer_text(&text, " of ");
	units_grouped(&text, (int64_t)whole);
	buffer_text(&text, " samples (");
	units_percent_of_some(&text, (int64_t)lost, (int64_t)whole);
	buffer_text(&text, "%): ");
	for (size_t i = 0; i < p->losses.len; i++) {
		struct bytes reason = profile_text(p, p->losses.items[i].reason);

		if (p->losses.items[i].stream != stream || !p->losses.items[i].count)
			continue;
		buffer_printf(&text, "%s%.*s ", separator, (int)reason.len, reason.at);
		units_grouped(&text, (int64_t)p->losses.items[i].count);
		separator = ", ";
	}
	say("%s: %s", l->name, text.at);
	buffer_release(&text);
}

/* "cycles (1,234 samples)". Values of no event are called by their kind; of those that are no
 * counts of samples, not every format tells how many samples they are of. */
static void event_text(struct buffer *b, const struct profile *p, const struct stream_row *row)
{
	struct bytes name = profile_text(p, row->event ? row->event : row->kind);

	buffer_printf(b, "%s%.*s", b->len ? ", " : "", (int)name.len, name.at);
	if (!row->delivered && !bytes_equal(profile_text(p, row->unit), BYTES("count")))
		return;
	buffer_text(b, " (");
	units_grouped(b, (int64_t)row->delivered);
	buffer_text(b, " samples)");
}

/* Events beside the one that is shown, which a user who did not name one might not know of. */
static void say_other_events(const struct loaded *l)
{
	const struct profile *p = &l->profile;
	const struct stream_row *row = view_stream(&l->view);
	struct buffer shown = {0}, others = {0};

	event_text(&shown, p, row);
	for (size_t i = 0; i < p->streams.len; i++) {
		string_id event = p->streams.items[i].row.event;
		bool seen = event == row->event || !event;

		for (size_t j = 0; j < i && !seen; j++)
			seen = p->streams.items[j].row.event == event;
		if (!seen)
			event_text(&others, p, &p->streams.items[i].row);
	}
	if (others.len)
		say("%s: showing %s; --kind shows another event: %s", l->name, shown.at, others.at);
	buffer_release(&shown);
	buffer_release(&others);
}

/* ---- The pipeline ---- */

static bool shape(struct loaded *l, const struct load_steps *steps, struct error *err)
{
	view_init(&l->view, &l->profile, steps->unseen ? BY_NOTHING : names_projection());
	if (!shape_select(&common.shape, &l->view, err))
		return error_prefix(err, "%s: ", l->name);
	if ((steps->view && !steps->view(&l->view, err)) || !view_fits(&l->view, err))
		return error_prefix(err, "%s: ", l->name);
	if (transform_list_apply(&common.shape.transforms, &l->view, err))
		return true;
	return l->view.full && error_prefix(err, "%s: ", l->name);
}

bool load_is_plain(void)
{
	return !common.shape.kind && !common.shape.transforms.steps.len &&
	       (!common.format || !strcmp(common.format, "folded"));
}

bool load_reverses(void)
{
	const struct transform_list *list = &common.shape.transforms;

	for (size_t i = 0; i < list->steps.len; i++)
		if (!strcmp(list->steps.items[i].transform->name, "reverse"))
			return true;
	return false;
}

static void say_about(const struct loaded *l, const struct load_steps *steps)
{
	say_notes(l);
	for (uint32_t i = 0; i < l->profile.streams.len; i++)
		if (l->view.streams[i])
			say_losses(l, i);
	if (!common.shape.kind && !steps->unseen)
		say_other_events(l);
}

bool load_begins(struct input *in, struct error *err)
{
	return reader_of_input(in, common.format, err) != NULL;
}

bool load_input(struct input *in, unsigned want, const struct load_steps *steps, struct loaded *ret,
	struct error *err)
{
	struct loaded l = {.name = in->name};
	struct read_options options = {.want = want,
		.format = common.format,
		.places = names_places(),
		.onlooker = steps->onlooker};
	bool done;

	if (common.shape.transforms.steps.len)
		options.want |= WANT_TIMES | WANT_THREADS | WANT_CPUS | WANT_LABELS;
	if (names_projection() & PROJECT_LINES)
		options.want |= WANT_LINES;
	if (names_need_times(l.name))
		options.want |= WANT_TIMES;
	done = profile_read_input(in, &options, &l.profile, err);
	input_release(in);
	if (!done) {
		profile_release(&l.profile);
		return false;
	}
	names_add(&l.profile, l.name);
	if (steps->profile)
		steps->profile(&l.profile);
	*ret = l;
	if (!shape(ret, steps, err)) {
		loaded_release(ret);
		return false;
	}
	say_about(ret, steps);
	return true;
}

bool load_file(const char *path, unsigned want, const struct load_steps *steps, struct loaded *ret,
	struct error *err)
{
	struct input in;

	if (input_open(&in, path, err))
		return load_input(&in, want, steps, ret, err);
	advise_owner(path, err);
	return false;
}

bool load(const struct command *command, char **operands, unsigned want, struct loaded *ret,
	struct error *err)
{
	const char *path = NULL;
	bool done;

	if (!load_choose(command, operands, &path, err))
		return error_prefix(err, "%s: ", command->name);
	done = load_file(path, want, &(struct load_steps){0}, ret, err);
	names_release();
	return done;
}

void loaded_release(struct loaded *l)
{
	view_release(&l->view);
	profile_release(&l->profile);
}
