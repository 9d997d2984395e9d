/* perf_sched.c: how long did threads wait, by text of `perf script` about the scheduler's events?
 *
 *	busy 9563/9563 2385.001314: sched:sched_switch: prev_comm=busy prev_pid=9563 ... ==> ...
 *		ffffffff821f8b58 __schedule ([kernel.kallsyms])
 *
 *	swapper 0/0 2385.101314: sched:sched_stat_sleep: comm=busy pid=9563 delay=100000000 [ns]
 *
 * A thread's stack is the one it had when it was switched out. What it waited is what
 * sched_stat_sleep and sched_stat_blocked say, as in the classic script; an input that has none of
 * these (kernels without CONFIG_SCHEDSTATS) is told by the time until the thread is switched in.
 *
 * The call chain of such an event is that of the thread that woke the other one up. */
#include "names/tidy.h"
#include "readers/lines/line_format.h"
#include "readers/perf/perf_line.h"

#include <stdlib.h>

#define TOO_DEEP "expected no call chain of more than 8,192 frames"
#define DELAYS	 0u /* streams: delays that the kernel reported */
#define ELAPSED	 1u /* time from one switch to the other */

/* A thread that has been switched out. */
struct waiting {
	uint64_t pid;
	stack_id stack; /* below its comm; 0: it runs, or its waiting has been counted */
	string_id comm;
	uint64_t since; /* ns */
	stack_id chain; /* what it waited for last, wakers included; 0: it has waited again */
	bool woken;	/* at any time */
};

/* A delay whose waker follows. */
struct waking {
	uint32_t thread; /* in sched.waiting */
	string_id comm;
	uint64_t delay;
	int32_t waker;
	string_id waker_name;
};

struct sched {
	struct text_stacks stacks;
	VECTOR(struct waiting) waiting;
	struct id_map by_pid;
	struct buffer comm;
	bool in_chain;	/* lines up to the next empty one are frames */
	bool switching; /* ... of this switch: */
	struct waiting out;
	bool has_delays; /* is there a delay anywhere? */
	bool awaken;	 /* lines up to the next empty one are the frames of this waker: */
	struct waking waking;
};

/* ---- Fields of events ---- */

/* The text behind "key=", up to `end`. */
static bool find_field(struct bytes text, const char *key, const char *end, struct bytes *ret)
{
	const char *at = bytes_find(text, bytes_of(key)), *stop;
	struct bytes rest;

	if (!at)
		return false;
	at += strlen(key);
	rest = (struct bytes){at, (size_t)(text.at + text.len - at)};
	stop = bytes_find(rest, bytes_of(end));
	*ret = (struct bytes){at, stop ? (size_t)(stop - at) : rest.len};
	return true;
}

static bool find_number(struct bytes text, const char *key, uint64_t *ret_number)
{
	struct bytes field;

	return find_field(text, key, " ", &field) && bytes_u64(field, ret_number);
}

/* One side of "busy:9563 [120] S ==> swapper/1:0 [120]", as libtraceevent's plugin has it. */
static bool parse_short(struct bytes side, uint64_t *ret_pid)
{
	const char *open = bytes_find(side, BYTES(" ["));
	const char *colon = open ? memrchr(side.at, ':', (size_t)(open - side.at)) : NULL;

	return colon && bytes_u64((struct bytes){colon + 1, (size_t)(open - colon) - 1}, ret_pid);
}

/* The threads that are switched out and in. */
static bool parse_switch(struct bytes text, uint64_t *ret_prev, uint64_t *ret_next)
{
	struct bytes before, behind;
	const char *arrow;

	if (find_number(text, "prev_pid=", ret_prev))
		return find_number(text, "next_pid=", ret_next);
	arrow = bytes_find(text, BYTES("==> "));
	if (!arrow)
		return false;
	before = (struct bytes){text.at, (size_t)(arrow - text.at)};
	behind = (struct bytes){arrow + 4, (size_t)(text.at + text.len - arrow) - 4};
	return parse_short(before, ret_prev) && parse_short(behind, ret_next);
}

static bool is_delay(struct bytes event)
{
	return bytes_equal(event, BYTES("sched:sched_stat_sleep")) ||
	       bytes_equal(event, BYTES("sched:sched_stat_blocked"));
}

/* ---- Threads ---- */

static struct waiting *thread_of(struct sched *s, uint64_t pid)
{
	uint64_t hash = hash_pair(pid, 0);
	size_t at = id_map_first(&s->by_pid, hash);
	uint32_t id;

	while ((id = id_map_candidate(&s->by_pid, hash, &at)))
		if (s->waiting.items[id - 1].pid == pid)
			return &s->waiting.items[id - 1];
	vector_push(&s->waiting, (struct waiting){.pid = pid});
	id_map_insert_at(&s->by_pid, hash, at, (uint32_t)s->waiting.len);
	return &s->waiting.items[s->waiting.len - 1];
}

/* The name for frames: without blanks, and with ids if requested (process -1: unknown). */
static string_id comm_string(struct sched *s, struct bytes comm, int32_t process, uint64_t thread)
{
	buffer_set(&s->comm, comm);
	for (size_t i = 0; i < s->comm.len; i++)
		if (s->comm.at[i] == ' ')
			s->comm.at[i] = '_';
	if (s->stacks.style->thread_ids) {
		if (process < 0)
			buffer_printf(&s->comm, "-%llu", (unsigned long long)thread);
		else
			buffer_printf(&s->comm, "-%d/%llu", process, (unsigned long long)thread);
	}
	return profile_string(s->stacks.profile, buffer_bytes(&s->comm));
}

static location_id location_of(struct sched *s, string_id name)
{
	struct profile *p = s->stacks.profile;

	return profile_location_named(
		p, profile_frame(p, &(struct frame){.function = name, .kind = FRAME_META}));
}

/* The stack is pushed anew when the thread has changed its name since. */
static stack_id stack_under(struct sched *s, const struct waiting *w, string_id comm)
{
	struct profile *p = s->stacks.profile;
	VECTOR(location_id) path = {0};
	stack_id stack = 0;

	if (w->comm == comm)
		return w->stack;
	for (stack_id at = w->stack; at; at = p->stack_caller.items[at])
		vector_push(&path, p->stack_location.items[at]);
	path.items[path.len - 1] = location_of(s, comm);
	while (path.len)
		stack = profile_stack(p, stack, path.items[--path.len]);
	vector_release(&path);
	return stack;
}

static bool add(struct sched *s, const struct waiting *w, stack_id stack, string_id comm,
	uint32_t stream, uint64_t ns, struct error *err)
{
	int64_t values[2] = {0};
	struct sample sample = {.stack = stack, .time = w->since, .duration = ns};
	struct profile *p = s->stacks.profile;

	if (ns > INT64_MAX) {
		text_stacks_skip(&s->stacks, "expected a delay below 2^63");
		return true;
	}
	if (s->stacks.want & WANT_TIMES)
		sample.has |= SAMPLE_TIME | SAMPLE_DURATION;
	if (s->stacks.want & WANT_THREADS) {
		sample.has |= SAMPLE_THREAD;
		sample.thread = profile_thread(p, profile_process(p, -1, comm),
			w->pid > INT32_MAX ? -1 : (int32_t)w->pid, comm);
	}
	values[stream] = (int64_t)ns;
	return text_stacks_add_stack(&s->stacks, sample, values, err);
}

/* ---- Lines ---- */

/* The frames below a switch have ended. */
static void finish_switch(struct sched *s)
{
	struct text_stacks *t = &s->stacks;
	struct waiting *w;
	stack_id stack;

	s->in_chain = false;
	if (!s->switching)
		return;
	s->switching = false;
	if (t->too_deep) {
		text_stacks_skip(t, TOO_DEEP);
		text_stacks_clear(t);
		return;
	}
	stack = profile_stack(t->profile, 0, location_of(s, s->out.comm));
	while (t->frames.len)
		stack = profile_stack(t->profile, stack, t->frames.items[--t->frames.len]);
	w = thread_of(s, s->out.pid);
	s->out.woken = w->woken;
	*w = s->out;
	w->stack = stack;
}

static bool take_switch(struct sched *s, const struct perf_event *event, struct error *err)
{
	uint64_t prev, next;
	struct waiting *in;

	if (!parse_switch(event->rest, &prev, &next)) {
		text_stacks_skip(&s->stacks, "expected prev_pid= and next_pid= of sched_switch");
		return true;
	}
	if (next) {
		in = thread_of(s, next);
		if (in->stack && !s->has_delays && event->time >= in->since &&
			!add(s, in, in->stack, in->comm, ELAPSED, event->time - in->since, err))
			return false;
		if (!s->has_delays)
			in->stack = 0;
	}
	s->switching = prev != 0;
	if (s->switching)
		s->out = (struct waiting){.pid = prev,
			.comm = comm_string(s, event->comm, -1, prev),
			.since = event->time};
	return true;
}

/* Append a stack, without its root frame, to another one. *depth: the depth of the result. */
static stack_id stack_on(struct sched *s, stack_id stack, stack_id top, size_t *depth)
{
	struct profile *p = s->stacks.profile;
	VECTOR(location_id) path = {0};

	for (stack_id at = top; at && p->stack_caller.items[at]; at = p->stack_caller.items[at])
		vector_push(&path, p->stack_location.items[at]);
	*depth += path.len;
	while (*depth <= STACK_DEPTH_LIMIT && path.len)
		stack = profile_stack(p, stack, path.items[--path.len]);
	vector_release(&path);
	return stack;
}

/* What the awk script adds below what waits: the waker's frames, innermost first, and itself; then,
 * if it had waited before, the same of what it had waited for. 0: too deep. */
static stack_id stack_of_wakers(struct sched *s, const struct waking *k, stack_id stack)
{
	struct text_stacks *t = &s->stacks;
	struct profile *p = t->profile;
	struct waiting *waker = thread_of(s, (uint64_t)(uint32_t)k->waker);
	size_t depth = t->frames.len + 3;

	for (stack_id at = stack; at; at = p->stack_caller.items[at])
		depth++;
	if (!t->frames.len)
		stack = profile_stack(p, stack, text_stacks_named(t, BYTES(""), FRAME_META));
	for (size_t i = 0; i < t->frames.len; i++)
		stack = profile_stack(p, stack, t->frames.items[i]);
	stack = profile_stack(p, stack, location_of(s, k->waker_name));
	if (t->style->waker_chains && waker->woken) {
		stack = profile_stack(p, stack, text_stacks_named(t, BYTES("-"), FRAME_META));
		stack = stack_on(s, stack, waker->chain, &depth);
	}
	return depth > STACK_DEPTH_LIMIT || t->too_deep ? 0 : stack;
}

/* The frames below a delay have ended. */
static bool finish_delay(struct sched *s, struct error *err)
{
	struct waking *k = &s->waking;
	struct waiting *w = &s->waiting.items[k->thread];
	stack_id stack = stack_under(s, w, k->comm);

	s->awaken = false;
	w->woken = true;
	if (s->stacks.style->wakers || s->stacks.style->waker_chains) {
		stack = stack_of_wakers(s, k, stack);
		w = &s->waiting.items[k->thread]; /* the waker's may have moved it */
		w->chain = stack;
		text_stacks_clear(&s->stacks);
	}
	w->stack = 0;
	if (stack)
		return add(s, w, stack, k->comm, DELAYS, k->delay, err);
	text_stacks_skip(&s->stacks, TOO_DEEP);
	return true;
}

static bool take_delay(struct sched *s, const struct perf_event *event, struct error *err)
{
	struct bytes comm;
	uint64_t pid, delay;
	struct waiting *w;

	if (!find_number(event->rest, " pid=", &pid) ||
		!find_number(event->rest, " delay=", &delay) ||
		!find_field(event->rest, "comm=", " pid=", &comm)) {
		text_stacks_skip(&s->stacks, "expected comm=, pid= and delay= of sched_stat_sleep");
		return true;
	}
	s->has_delays = true;
	w = thread_of(s, pid);
	if (!w->stack) {
		text_stacks_skip(
			&s->stacks, "expected a sched_switch of the thread before its delay");
		return true;
	}
	s->awaken = true;
	s->waking = (struct waking){.thread = (uint32_t)(w - s->waiting.items),
		.comm = comm_string(s, comm, -1, pid),
		.delay = delay,
		.waker = event->tid,
		.waker_name =
			comm_string(s, event->comm, event->pid, (uint64_t)(uint32_t)event->tid)};
	return s->stacks.style->wakers || s->stacks.style->waker_chains || finish_delay(s, err);
}

static bool take_event(struct sched *s, const struct perf_event *event, struct error *err)
{
	s->in_chain = true;
	if (bytes_equal(event->event, BYTES("sched:sched_switch")))
		return take_switch(s, event, err);
	return !is_delay(event->event) || take_delay(s, event, err);
}

/* In Perl's style a frame is the printed text, with its offset. */
static location_id frame_location(struct sched *s, struct bytes line, struct perf_frame frame)
{
	struct bytes *symbol = &frame.symbol;
	const char *end = line.at + line.len;

	if (s->stacks.style->tool != TOOL_SCRIPTS || !symbol->len)
		return text_stacks_symbol(
			&s->stacks, *symbol, frame.module, tidy_module_kind(frame.module));
	if (end - (symbol->at + symbol->len) > 3 &&
		!memcmp(symbol->at + symbol->len, "+0x", strlen("+0x")))
		for (symbol->len += strlen("+0x");
			symbol->at + symbol->len < end && symbol->at[symbol->len] != ' ';)
			symbol->len++;
	return text_stacks_named(&s->stacks, *symbol, tidy_module_kind(frame.module));
}

static bool take_frame(struct sched *s, struct bytes line)
{
	location_id location = text_stacks_known(&s->stacks, line);
	struct perf_frame frame;

	if (!location) {
		enum perf_line what = perf_frame_parse(line, &frame);

		if (what == PERF_WEIRD || what == PERF_BLANK)
			return false;
		if (what != PERF_FRAME)
			return true;
		location = frame_location(s, line, frame);
		text_stacks_learn(&s->stacks, line, location);
	}
	text_stacks_push(&s->stacks, location);
	return true;
}

/* The frames below an event have ended. */
static bool finish_event(struct sched *s, struct error *err)
{
	finish_switch(s);
	return !s->awaken || finish_delay(s, err);
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct sched *s = self;
	struct perf_event event;
	bool of_chain;

	if (!line.len || *line.at == '#')
		return finish_event(s, err);
	of_chain = s->in_chain && (*line.at == '\t' || *line.at == ' ');
	if (of_chain && (!(s->switching || s->awaken) || take_frame(s, line)))
		return true;
	if (perf_event_parse(line, &event) && event.timed && event.event.len)
		return finish_event(s, err) && take_event(s, &event, err);
	if (of_chain) {
		text_stacks_skip(
			&s->stacks, "expected a frame such as `7f12a0 main+0x1c (/usr/bin/x)`");
		return true;
	}
	if (!finish_event(s, err))
		return false;
	s->in_chain = true; /* its frames are not to be counted, too */
	text_stacks_skip(
		&s->stacks, "expected an event line such as `comm 123 4.5: sched:sched_switch:`");
	return true;
}

/* Only one of the two streams is meant. */
static void choose_stream(struct sched *s)
{
	struct profile *p = s->stacks.profile;
	struct stream *first = &p->streams.items[s->stacks.first_stream];
	struct stream last = first[ELAPSED];

	if (s->has_delays) {
		vector_release(&first[ELAPSED].value);
	} else {
		vector_release(&first[DELAYS].value);
		first[DELAYS] = last;
		s->stacks.total[DELAYS] = s->stacks.total[ELAPSED];
	}
	p->streams.len--;
	s->stacks.streams--;
}

static bool start(void *self, struct error *err)
{
	struct sched *s = self;

	(void)err;
	text_stacks_stream(&s->stacks, BYTES("off"), BYTES("ns"), BYTES("sched:sched_stat_sleep"));
	text_stacks_stream(&s->stacks, BYTES("off"), BYTES("ns"), BYTES("sched:sched_switch"));
	return true;
}

static bool end(void *self, struct error *err)
{
	struct sched *s = self;

	if (s->awaken && !finish_delay(s, err))
		return false;
	choose_stream(s);
	return true;
}

static void release(void *self)
{
	struct sched *s = self;

	vector_release(&s->waiting);
	id_map_release(&s->by_pid);
	buffer_release(&s->comm);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct sched s = {0};

	return line_format_read(&format, &s, in, options, out, err);
}

/* Text of `perf script` that has delays: more than a reader of any events would bid. */
static int bid(struct bytes head)
{
	struct bytes line;

	while (bytes_line(&head, &line)) {
		const char *name = bytes_find(line, BYTES("sched:sched_stat_"));
		struct perf_event event;

		if (name && perf_event_parse(line, &event) && is_delay(event.event) &&
			bytes_find(event.rest, BYTES(" delay=")))
			return 8 * 16;
	}
	return 0;
}

const struct reader reader_perf_sched = {
	.name = "perf-sched",
	.about = "waiting time, from scheduler events in `perf script` text",
	.expects = "a delay such as `sched:sched_stat_sleep: comm=a pid=1 delay=2 [ns]`; by "
		   "--format also from switches alone",
	.proof = "perf 6.1 on a program with known sleeps; delays only with the example of the awk "
		 "script, as the kernel did not measure them",
	.bid = bid,
	.read = read,
};
