/* waits.c: names of the reasons for waits, for users and for frames. */
#include "recorders/modes/waits.h"

#include "bpf/shared/off.h"

#include <asm/unistd.h>

/* The names in /proc/PID/status, where it has them, and the letters of ps. */
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

/* By call number, which differs between machines. */
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

/* ---- Words ---- */

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
