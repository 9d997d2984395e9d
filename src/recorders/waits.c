/* waits.c: what is common to recorders of waiting, built with programs for the kernel or not. */
#include "recorders/waits.h"

#include "bpf/shared.h"
#include "recorders/calls.h"

/* As /proc/PID/status calls these states, where it knows them; and ps their letters. */
static const struct {
	const char *frame, *name;
	char letter;
} kinds[WAIT_KINDS] = {
	[WAIT_SLEEPING] = {"[sleeping]", "sleeping", 'S'},
	[WAIT_DISK] = {"[disk sleep]", "disk", 'D'},
	[WAIT_STOPPED] = {"[stopped]", "stopped", 'T'},
	[WAIT_IDLE] = {"[idle]", "idle", 'I'},
	[WAIT_QUEUE] = {"[run queue]", "queue", 'R'},
	[WAIT_PREEMPTED] = {"[preempted]", "preempted", 'P'},
};

const char *wait_kind_frame(unsigned kind)
{
	return kinds[kind].frame;
}

/* ---- Options ---- */

static unsigned kind_named(struct bytes name)
{
	for (unsigned i = 0; i < WAIT_KINDS; i++)
		if (bytes_equal(name, bytes_of(kinds[i].name)) ||
			(name.len == 1 && *name.at == kinds[i].letter))
			return 1u << i;
	return 0;
}

static bool set_states(void *target, const struct option *o, const char *value, struct error *err)
{
	struct record_options *options = target;

	(void)o;
	do {
		size_t len = strcspn(value, ",");
		unsigned kind = kind_named((struct bytes){value, len});

		if (!kind)
			return error_set(err, ERR_USAGE,
				"expected sleeping (S), disk (D), stopped (T), idle (I), queue (R) "
				"or preempted (P), with commas between them, not '%.*s'",
				(int)len, value);
		options->wait_kinds |= kind;
		value += len;
	} while (*value++);
	return true;
}

#define AT(member) offsetof(struct record_options, member)
const struct option off_options[] = {
	{.name = "min",
		.argument = "TIME",
		.set = option_duration,
		.offset = AT(least),
		.help = "only what takes so long: 500us, 10ms (10us with -a, else all)"},
	{.name = "max",
		.argument = "TIME",
		.set = option_duration,
		.offset = AT(most),
		.help = "... and not longer than this"},
	{.name = "state",
		.argument = "LIST",
		.set = set_states,
		.help = "only these: sleeping, disk, stopped, idle, queue (runnable again, for a "
			"CPU), preempted; or S,D,T,I,R,P"},
	{0},
};

bool off_check(const struct record_options *o, struct error *err)
{
	if (o->frequency || o->events || o->stack_bytes || o->tee)
		return error_set(err, ERR_USAGE,
			"-F, -e, --stack-bytes and --tee belong to --mode cpu: --mode off records "
			"every wait (--min leaves short ones out)");
	if (o->most && o->most < o->least)
		return error_set(err, ERR_USAGE, "--max is less than --min");
	return io_options_unused(o, err);
}
