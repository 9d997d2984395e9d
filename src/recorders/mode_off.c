/* mode_off.c: what can be asked about waits? */
#include "recorders/modes.h"

#include "bpf/shared.h"

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
	struct record_options *wanted = target;

	(void)o;
	do {
		size_t len = strcspn(value, ",");
		unsigned kind = kind_named((struct bytes){value, len});

		if (!kind)
			return error_set(err, ERR_USAGE,
				"expected sleeping (S), disk (D), stopped (T), idle (I), queue (R) "
				"or preempted (P), with commas between them, not '%.*s'",
				(int)len, value);
		wanted->wait_kinds |= kind;
		value += len;
	} while (*value++);
	return true;
}

#define AT(member) offsetof(struct record_options, member)
static const struct option options[] = {
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

static bool used(const struct record_options *o)
{
	return o->least || o->most || o->wait_kinds;
}

static bool check(const struct record_options *o, struct error *err)
{
	return !o->most || o->most >= o->least ||
	       error_set(err, ERR_USAGE, "--max is less than --min");
}

const struct mode mode_off = {
	.name = "off",
	.about = "where threads wait: asleep, for input and output, for a CPU",
	.none = "the target never left the CPU, or not for as long as --min and --max want it",
	.top = "what threads waited for",
	.what = "wait (--min leaves short ones out)",
	.options = options,
	.title = "Waits (--mode off)",
	.own = "--min, --max and --state",
	.used = used,
	.check = check,
};
