/* mode_count.c: what can be asked about events that come by? */
#include "recorders/modes.h"

#define AT(member) offsetof(struct record_options, member)
static const struct option options[] = {
	{.name = "weight",
		.argument = "FIELD",
		.set = option_text,
		.offset = AT(weight),
		.help = "what each hit weighs: a number of the tracepoint, arg0 to arg5 of a "
			"function, retval of its return, arg0... of a static probe (1)"},
	{.name = "yes",
		.set = option_flag,
		.offset = AT(yes),
		.help = "probes of user space go into every process that runs the file, not "
			"only into those that are recorded: needed for -a and -G"},
	{0},
};

static bool used(const struct record_options *o)
{
	return o->weight || o->yes;
}

static void shared(struct record_options *o)
{
	o->events = NULL;
}

static bool check(const struct record_options *o, struct error *err)
{
	return o->events ||
	       error_set(err, ERR_USAGE,
		       "--mode count counts what -e names: a tracepoint (sched:sched_switch), a "
		       "function (libc:malloc), a static probe (usdt:FILE:PROVIDER:NAME)");
}

const struct mode mode_count = {
	.name = "count",
	.about = "who comes by a tracepoint, a function or a static probe (-e)",
	.none = "the target did not come by; kernel functions that call no tracepoint, and code "
		"that was inlined, are never seen",
	.top = "what came by",
	.what = "hit",
	.options = options,
	.title = "Events (--mode count)",
	.own = "--weight and --yes (which --mode mem has, too)",
	.used = used,
	.shared = shared,
	.check = check,
};
