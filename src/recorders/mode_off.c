/* mode_off.c: what can be asked about waits? */
#include "recorders/modes.h"

#include <asm/unistd.h>

#include "bpf/shared.h"

/* As /proc/PID/status calls these states, where it knows them; and ps their letters. */
static const struct {
	const char *frame, *name;
	char letter;
} kinds[WAIT_KINDS] = {
	[WAIT_SLEEPING] = {"sleeping", "sleeping", 'S'},
	[WAIT_DISK] = {"disk sleep", "disk", 'D'},
	[WAIT_STOPPED] = {"stopped", "stopped", 'T'},
	[WAIT_IDLE] = {"idle", "idle", 'I'},
	[WAIT_QUEUE] = {"run queue", "queue", 'R'},
	[WAIT_PREEMPTED] = {"preempted", "preempted", 'P'},
};

/* By their numbers, which differ between machines. */
static const struct {
	unsigned number;
	const char *name;
} calls[] = {
#define CALL(name) {__NR_##name, #name},
#include "calls.list"
#undef CALL
};

static const char *call_name(unsigned number)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].number == number)
			return calls[i].name;
	return NULL;
}

void wait_frame(struct buffer *ret, unsigned kind, unsigned in)
{
	unsigned place = in % WAIT_PLACES, number = place - WAIT_IN_CALL;
	const char *io = in & WAIT_IN_IO ? "I/O" : "";
	const char *name = place >= WAIT_IN_CALL    ? call_name(number)
			   : place == WAIT_IN_FAULT ? "fault"
						    : "";

	buffer_printf(ret, "[%s%s%s%s", kinds[kind].frame, place || *io ? ": " : "", io,
		place && *io ? " in " : "");
	if (name)
		buffer_printf(ret, "%s]", name);
	else
		buffer_printf(ret, "call %u]", number);
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

static unsigned place_named(struct bytes name)
{
	if (bytes_equal(name, BYTES("io")))
		return WAIT_IN_IO;
	if (bytes_equal(name, BYTES("fault")))
		return WAIT_IN_FAULT;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (bytes_equal(name, bytes_of(calls[i].name)))
			return WAIT_IN_CALL + calls[i].number;
	return 0;
}

bool wait_state_named(struct bytes word, struct wait_state *ret)
{
	struct wait_state state = {.kinds = kind_named(word)};
	struct bytes kind;

	if (!state.kinds) {
		state.kinds = 1u << WAIT_SLEEPING | 1u << WAIT_DISK;
		if (bytes_cut(&word, ':', &kind))
			state.kinds &= kind_named(kind);
		state.in = place_named(word);
		if (!state.in || !state.kinds)
			return false;
	}
	*ret = state;
	return true;
}

static bool set_states(void *target, const struct option *o, const char *value, struct error *err)
{
	struct record_options *wanted = target;

	(void)o;
	do {
		struct bytes word = {value, strcspn(value, ",")};
		struct wait_state state;

		if (!wait_state_named(word, &state))
			return error_set(err, ERR_USAGE,
				"expected sleeping (S), disk (D), stopped (T), idle (I), queue (R) "
				"or preempted (P); io, fault or a system call that threads sleep "
				"in, such as futex or S:read; with commas between them, not '%.*s'",
				(int)word.len, word.at);
		vector_push(&wanted->wait_states, word);
		value += word.len;
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
			"CPU), preempted; or S,D,T,I,R,P; asleep in a system call (futex, "
			"S:read), for input and output (io), in a page fault (fault)"},
	{.name = "wakers",
		.set = option_flag,
		.offset = AT(wakers),
		.help = "above --, the stack of who ended the wait, from the inside outwards"},
	{0},
};

static bool used(const struct record_options *o)
{
	return o->least || o->most || o->wait_states.len || o->wakers;
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
	.own = "--min, --max, --state and --wakers",
	.used = used,
	.check = check,
};
