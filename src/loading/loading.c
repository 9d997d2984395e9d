/* loading.c: the one way from an input to a profile with names. */
#include "loading/loading.h"

#include "images/debuginfod.h"
#include "readers/reading.h"

static void on_progress(void *self, const char *text)
{
	const struct loading *l = self;

	if (l->options.listener.progress)
		l->options.listener.progress(l->options.listener.self, text);
}

static void on_note(void *self, const char *text)
{
	const struct loading *l = self;

	loading_notice(&l->options.listener, "%s", text);
}

void loading_init(struct loading *l, const struct loading_options *options)
{
	const struct naming_options *naming = &options->naming;
	const struct debuginfod_listener listener = {l, on_progress, on_note};

	*l = (struct loading){
		.options = *options,
		.binary_locations = {.symfs = naming->symfs,
			.build_id_dirs = naming->build_id_dirs,
			.vmlinux = naming->vmlinux,
			.kallsyms = naming->kallsyms,
			.servers = naming->ask_servers ? debuginfod_new(&listener) : NULL},
	};
}

void loading_release(struct loading *l)
{
	debuginfod_release(l->binary_locations.servers);
	*l = (struct loading){0};
}

bool loading_recognise(const struct loading *l, struct input *in, struct error *err)
{
	return reader_of_input(in, l->options.format, err) != NULL;
}

/* The requested columns, and those that naming needs. */
static unsigned columns_to_read(const struct loading *l, const char *input, unsigned want)
{
	const struct naming_options *naming = &l->options.naming;

	if (naming->lines)
		want |= WANT_LINES;
	if (naming_needs_times(naming, input))
		want |= WANT_TIMES;
	return want;
}

bool loading_read(const struct loading *l, struct input *in, const struct loading_request *request,
	struct profile *ret_profile, struct error *err)
{
	const char *name = in->name; /* must outlive the input */
	struct read_options options = {.want = request->want,
		.format = l->options.format,
		.binary_locations = &l->binary_locations,
		.style = request->style,
		.event = request->event,
		.observer = request->observer};
	bool done;

	if (!request->as_written)
		options.want = columns_to_read(l, name, options.want);
	done = profile_read_input(in, &options, ret_profile, err);
	input_release(in);
	if (done && !request->as_written)
		naming_add(&l->options.naming, &l->binary_locations, &l->options.listener,
			ret_profile, name);
	return done;
}

bool loading_read_files(const struct loading *l, char *const *paths,
	const struct loading_request *request, struct profile *ret_profile, struct error *err)
{
	struct input in;

	if (input_open_files(&in, paths, err))
		return loading_read(l, &in, request, ret_profile, err);
	profile_init(ret_profile);
	return false;
}
