/* recorders.c: the registry of live sources. */
#include "recorders/recorders.h"

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

bool recorder_programs_check(struct error *err)
{
#ifdef HAVE_BPF
	(void)err;
	return true;
#else
	return error_set(err, ERR_UNSUPPORTED,
		"this kiln was built without BPF: build it with clang, bpftool and libbpf "
		"installed");
#endif
}

bool recorder_refuse(struct session *s, struct error *err)
{
	return error_set(err, ERR_UNSUPPORTED,
		"--mode %s: this kiln was built without BPF: build it with clang, bpftool and "
		"libbpf installed",
		s->recorder->mode->name);
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
