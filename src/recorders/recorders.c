/* recorders.c: the registry of live sources. */
#include "recorders/recorders.h"

#ifdef HAVE_BPF
#include "recorders/programs/support.h"
#endif

#include <assert.h>
#include <stdio.h>

#define ENTRY(name) extern const struct recorder recorder_##name;
#include "recorders.list"
#undef ENTRY

#define ENTRY(name) &recorder_##name,
const struct recorder *const recorders[] = {
#include "recorders.list"
	NULL};
#undef ENTRY

#ifdef HAVE_BPF
bool recorder_programs_check(struct error *err)
{
	(void)err;
	return true;
}

bool recorder_programs_work(struct obstacle *ret)
{
	return bpf_check(ret);
}

bool recorder_programs_wait_for_pages(void)
{
	return bpf_has_task_work();
}
#else
bool recorder_programs_work(struct obstacle *ret)
{
	obstacle_set(ret, ERR_UNSUPPORTED, "this kiln was built without BPF");
	return obstacle_remedy(ret, "build it with clang, bpftool and libbpf installed");
}

bool recorder_programs_check(struct error *err)
{
	struct obstacle o;

	recorder_programs_work(&o);
	return obstacle_error(err, &o);
}

bool recorder_programs_wait_for_pages(void)
{
	return false;
}
#endif

bool recorder_refuse(struct session *s, struct error *err)
{
	struct obstacle o;

	recorder_programs_work(&o);
	obstacle_error(err, &o);
	return error_prefix(err, "--mode %s: ", s->recorder->mode->name);
}

void recorder_close_nothing(struct session *s)
{
	(void)s;
}

/* "... belong to --mode cpu: --mode io records every call" */
static bool refuse_options(const struct mode *mode, const struct mode *other, struct error *err)
{
	if (!mode->what || other->what)
		return error_set(
			err, ERR_USAGE, "%s: only with --mode %s", other->own, other->name);
	return error_set(err, ERR_USAGE, "%s: only with --mode %s; --mode %s records every %s",
		other->own, other->name, mode->name, mode->what);
}

/* "-F works only with --mode cpu or wall: --mode io records every call" */
static bool refuse_frequency(const struct mode *mode, struct error *err)
{
	char names[128];
	size_t at = 0;

	for (size_t i = 0; recorders[i]; i++)
		if (recorders[i]->mode->timed) {
			at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s",
				at ? " or " : "", recorders[i]->mode->name);
			assert(at < sizeof(names));
		}
	return error_set(err, ERR_USAGE, "-F works only with --mode %s: --mode %s records every %s",
		names, mode->name, mode->what);
}

bool mode_check(const struct mode *mode, const struct record_options *options, struct error *err)
{
	struct record_options others = *options;

	if (mode->shared)
		mode->shared(&others);
	for (size_t i = 0; recorders[i]; i++)
		if (recorders[i]->mode != mode && recorders[i]->mode->used &&
			recorders[i]->mode->used(&others))
			return refuse_options(mode, recorders[i]->mode, err);
	if (options->frequency && !mode->timed)
		return refuse_frequency(mode, err);
	if (options->max_overhead && !mode->timed)
		return error_set(err, ERR_USAGE,
			"--max-overhead lowers the frequency of a timer: --mode %s records every "
			"%s",
			mode->name, mode->what);
	return !mode->check || mode->check(options, err);
}

const char *mode_heading(const struct mode *mode, const struct record_options *options)
{
	const char *heading = mode->heading ? mode->heading(options) : NULL;

	return heading ? heading : mode->top;
}
