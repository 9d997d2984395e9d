/* java_threads.c: which of the threads in a dump of a Java virtual machine run? */
#include "readers/java/java_threads.h"

#include <stdlib.h>

void java_threads_start(struct java_threads *j)
{
	static const char *const states[JAVA_STATES] = {
		[JAVA_RUNNING] = "running", [JAVA_BLOCKED] = "blocked", [JAVA_WAITING] = "waiting"};

	for (size_t i = 0; i < JAVA_STATES; i++)
		text_stacks_stream(
			&j->stacks, BYTES("samples"), BYTES("count"), bytes_of(states[i]));
}

void java_threads_release(struct java_threads *j)
{
	buffer_release(&j->name);
	vector_release(&j->waits);
}

void java_threads_begin(struct java_threads *j, struct bytes whole, struct bytes shown, int64_t tid)
{
	struct profile *p = j->stacks.profile;

	text_stacks_clear(&j->stacks);
	j->inside = true;
	j->state = JAVA_UNKNOWN;
	j->background = false;
	j->root = j->stacks.style->no_thread_names
			  ? 0
			  : text_stacks_named(&j->stacks, shown, FRAME_META);
	if (j->stacks.want & WANT_THREADS)
		j->thread = profile_thread(p, 0, tid >= 0 && tid <= INT32_MAX ? (int32_t)tid : -1,
			profile_string(p, whole));
}

void java_threads_state(struct java_threads *j, enum java_state state)
{
	if (j->inside && j->state == JAVA_UNKNOWN)
		j->state = state;
}

/* ---- Methods that wait ---- */

static bool ends_in_any(struct bytes method, const char *const *ends, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bytes_ends_with(method, bytes_of(ends[i])))
			return true;
	return false;
}

#define ENDS_IN_ANY(method, ends) ends_in_any(method, ends, sizeof(ends) / sizeof(*(ends)))

/* Native methods that return when something happens outside. */
static bool waits_innermost(struct bytes method)
{
	static const char *const ends[] = {"java.lang.ref.Reference.waitForReferencePendingList",
		"java.lang.ProcessImpl.waitForProcessExit0",
		"java.lang.ProcessHandleImpl.waitForProcessExit0", "sun.nio.ch.Net.poll",
		"sun.nio.ch.Net.accept", "sun.nio.ch.Net.pollConnect",
		"sun.nio.ch.SocketDispatcher.read0", "sun.nio.ch.UnixDomainSockets.accept0",
		"sun.nio.ch.ServerSocketChannelImpl.accept0",
		"sun.nio.ch.DatagramChannelImpl.receive0", "sun.nio.ch.KQueue.poll",
		"sun.nio.ch.WEPoll.wait", "sun.nio.ch.WindowsSelectorImpl$SubSelector.poll0",
		"sun.nio.ch.PollArrayWrapper.poll0", "sun.nio.ch.DevPollArrayWrapper.poll0",
		"sun.nio.fs.LinuxWatchService.poll", "java.net.PlainDatagramSocketImpl.receive0"};

	return ENDS_IN_ANY(method, ends);
}

static bool waits_anywhere(struct bytes method)
{
	static const char *const ends[] = {"socketAccept", "socketRead0"};
	const char *socket = bytes_find(method, BYTES("Socket"));

	return ENDS_IN_ANY(method, ends) || bytes_find(method, BYTES("epollWait")) ||
	       bytes_find(method, BYTES("EPoll.wait")) ||
	       (socket && bytes_ends_with((struct bytes){socket + strlen("Socket"),
						  method.len - (size_t)(socket - method.at) -
							  strlen("Socket")},
				  BYTES("accept0")));
}

unsigned java_method_waits(struct bytes method)
{
	return (waits_anywhere(method) ? JAVA_WAITS_ANYWHERE : 0u) |
	       (waits_innermost(method) ? JAVA_WAITS_INNERMOST : 0u);
}

static void note_waits(struct java_threads *j, location_id location, struct bytes method)
{
	unsigned waits = java_method_waits(method);

	if (j->stacks.style->tool == TOOL_SCRIPTS)
		waits &= JAVA_WAITS_ANYWHERE;
	while (j->waits.len <= location)
		vector_push(&j->waits, 0);
	j->waits.items[location] |= (uint8_t)waits;
}

bool java_threads_frame(struct java_threads *j, struct bytes text)
{
	struct java_frame new;
	location_id location = java_location(&j->stacks, text, &new);
	unsigned waits;

	if (!location)
		return false;
	if (new.method.len)
		note_waits(j, location, new.method);
	waits = location < j->waits.len ? j->waits.items[location] : 0;
	if (j->any_method)
		waits = 0;
	if ((waits & JAVA_WAITS_ANYWHERE) || (waits && !j->stacks.frames.len))
		j->state = JAVA_WAITING;
	text_stacks_push(&j->stacks, location);
	return true;
}

/* ---- Samples ---- */

bool java_threads_end(struct java_threads *j, struct error *err)
{
	int64_t values[JAVA_STATES] = {0};
	struct sample sample = {.thread = j->thread, .time = j->time};
	bool code = j->stacks.frames.len > 0;

	if (!j->inside)
		return true;
	j->inside = false;
	if (!j->stacks.taken) /* one for all */
		j->has = (j->stacks.want & WANT_THREADS ? SAMPLE_THREAD : 0) |
			 ((j->stacks.want & WANT_TIMES) && j->time ? SAMPLE_TIME : 0);
	sample.has = j->has;
	if (j->state == JAVA_UNKNOWN || j->background ||
		(!code && !(j->stacks.style->tool == TOOL_SCRIPTS && j->root))) {
		text_stacks_clear(&j->stacks);
		return true;
	}
	if (j->root)
		text_stacks_push(&j->stacks, j->root);
	values[j->state] = 1;
	return text_stacks_add_sample(&j->stacks, INNERMOST_FIRST, sample, values, err);
}
