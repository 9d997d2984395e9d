/* xctrace.c: samples of Instruments that `xctrace export` wrote as XML.
 *
 *	<trace-query-result>
 *	<node xpath='...'><schema name="time-profile">...</schema>
 *	<row><sample-time id="1" fmt="00:00.059">59248125</sample-time>
 *	<thread id="2" fmt="main 0x1 (..)"><tid ..>..</tid>
 *	<process id="4" fmt="prog (12)"><pid ..>12</pid></process></thread>
 *	<core id="7" fmt="CPU 5">5</core><weight id="9" fmt="1.00 ms">1000000</weight>
 *	<backtrace id="10"><frame id="11" name="f" addr="0x1"><binary id="12" name="prog"/>
 *	<source line="7"><path id="13">/a.c</path></source></frame>
 *	<frame ref="8"/></backtrace></row>
 *
 * An element is written once, with an id; from then on only a reference to it. Frames are listed
 * innermost first. A sample counts by its weight; the number of samples is a second value. */
#include "names/tidy.h"
#include "readers/apple/xctrace_steps.h"
#include "readers/lines/text_stacks.h"

#include <assert.h>
#include <stdlib.h>

#define EXPECTS	 "a row such as `<row>...<weight ref=\"9\"/><backtrace ref=\"20\"/></row>`"
#define TOO_DEEP "expected a stack of at most " READ_DEPTH_TEXT " frames"

/* The meaning of an element's id: a number, or an id of the profile. */
struct meaning {
	enum xctrace_element element;
	uint64_t id;
	uint64_t value;
};

struct xctrace {
	struct text_stacks stacks;
	VECTOR(uint64_t) dense; /* by ids: the element plus one, above it the value; 0: none */
	uint64_t defined;	/* ids */
	VECTOR(struct meaning) meanings; /* that are not in `dense` */
	struct id_map by_id;		 /* their places, plus one */
	struct buffer name;
	/* Of the elements that are open or were last in this row: */
	uint64_t id[XCTRACE_ELEMENTS];	  /* 0: none */
	uint64_t value[XCTRACE_ELEMENTS]; /* valid if its bit is set in `have` */
	unsigned have;
	string_id function, thread_name, process_name;
	unsigned has;	  /* of samples */
	bool weighed;	  /* the first stream is the weight */
	bool complete;	  /* the last tag of a document came */
	uint64_t without; /* rows without a backtrace */
};

static void xctrace_release(struct xctrace *x)
{
	text_stacks_release(&x->stacks);
	vector_release(&x->meanings);
	vector_release(&x->dense);
	id_map_release(&x->by_id);
	buffer_release(&x->name);
}

/* ---- Ids ---- */

#define ELEMENT_BITS 5u /* of a dense meaning */

static_assert(XCTRACE_ELEMENTS < 1u << ELEMENT_BITS, "the elements, plus one");

static bool look_up(struct xctrace *x, enum xctrace_element e, uint64_t id, uint64_t *ret_value)
{
	uint64_t dense = id < x->dense.len ? x->dense.items[id] : 0, hash;
	uint32_t place;
	size_t at;

	if ((dense & ((1u << ELEMENT_BITS) - 1)) == e + 1u) {
		*ret_value = dense >> ELEMENT_BITS;
		return true;
	}
	hash = hash_pair(id, e);
	at = id_map_first(&x->by_id, hash);
	while ((place = id_map_candidate(&x->by_id, hash, &at))) {
		const struct meaning *m = &x->meanings.items[place - 1];

		if (m->id == id && m->element == e) {
			*ret_value = m->value;
			return true;
		}
	}
	return false;
}

#define DENSE_EACH  16u /* ids, at most, for each that has a meaning */
#define DENSE_FIRST 4096u

/* Ids are mostly given one after the other. */
static bool define_dense(struct xctrace *x, enum xctrace_element e, uint64_t id, uint64_t value)
{
	if (id >= x->defined * DENSE_EACH + DENSE_FIRST || value >> (64 - ELEMENT_BITS))
		return false;
	while (x->dense.len <= id)
		vector_push(&x->dense, 0);
	if (x->dense.items[id])
		return false;
	x->dense.items[id] = value << ELEMENT_BITS | (e + 1u);
	return true;
}

/* The first meaning stays. */
static void define(struct xctrace *x, enum xctrace_element e, uint64_t id, uint64_t value)
{
	uint64_t first;

	if (!id || look_up(x, e, id, &first))
		return;
	x->defined++;
	if (define_dense(x, e, id, value))
		return;
	vector_push(&x->meanings, ((struct meaning){e, id, value}));
	id_map_insert(&x->by_id, hash_pair(id, e), (uint32_t)x->meanings.len);
}

static void set(struct xctrace *x, enum xctrace_element e, uint64_t value)
{
	x->value[e] = value;
	x->have |= 1u << e;
}

static bool has(const struct xctrace *x, enum xctrace_element e)
{
	return x->have >> e & 1;
}

/* ---- Threads and processes ---- */

static string_id text_string(struct xctrace *x, struct bytes written)
{
	x->name.len = 0;
	xml_text(written, &x->name);
	return profile_string(x->stacks.profile, buffer_bytes(&x->name));
}

/* "prog (12)" */
static string_id process_name(struct xctrace *x, struct bytes shown)
{
	const char *open = bytes_find_last(shown, '(');

	if (open && open > shown.at + 1)
		shown.len = (size_t)(open - shown.at) - 1;
	return text_string(x, shown);
}

/* "Main Thread 0x1a2b (prog, pid: 12)" */
static string_id thread_name(struct xctrace *x, struct bytes shown)
{
	const char *number = bytes_find(shown, BYTES(" 0x"));

	if (number)
		shown.len = (size_t)(number - shown.at);
	return text_string(x, shown);
}

static int32_t id_of(const struct xctrace *x, enum xctrace_element e)
{
	return has(x, e) && x->value[e] <= INT32_MAX ? (int32_t)x->value[e] : -1;
}

/* ---- Frames ---- */

static void open_frame(struct xctrace *x, struct bytes written)
{
	struct buffer text = {0};

	x->name.len = 0;
	xml_text(written, &text);
	tidy_rust_name(buffer_bytes(&text), &x->name);
	x->function = profile_string(x->stacks.profile, buffer_bytes(&x->name));
	buffer_release(&text);
	x->have &= ~(1u << XCTRACE_BINARY | 1u << XCTRACE_SOURCE | 1u << XCTRACE_PATH);
}

static uint64_t close_frame(struct xctrace *x)
{
	struct profile *p = x->stacks.profile;
	struct frame frame = {.function = x->function};
	bool lines = x->stacks.want & WANT_LINES;

	if (has(x, XCTRACE_BINARY))
		frame.module = (string_id)x->value[XCTRACE_BINARY];
	if (lines && has(x, XCTRACE_PATH))
		frame.file = (string_id)x->value[XCTRACE_PATH];
	if (lines && has(x, XCTRACE_SOURCE) && x->value[XCTRACE_SOURCE] < UINT32_MAX)
		frame.line = (uint32_t)x->value[XCTRACE_SOURCE];
	return profile_location_named(p, profile_frame(p, &frame));
}

#define NO_STACK UINT64_MAX /* one that is too deep */

static uint64_t close_backtrace(struct xctrace *x)
{
	struct text_stacks *t = &x->stacks;
	bool too_deep = t->too_deep;
	stack_id stack = 0;

	text_stacks_fill(t);
	for (size_t i = t->frames.len; i-- > 0;)
		stack = profile_stack(t->profile, stack, t->frames.items[i]);
	text_stacks_clear(t);
	return too_deep ? NO_STACK : stack;
}

/* ---- Rows ---- */

static void open_streams(struct xctrace *x)
{
	struct text_stacks *t = &x->stacks;

	x->weighed = has(x, XCTRACE_WEIGHT) || has(x, XCTRACE_CYCLES);
	if (has(x, XCTRACE_WEIGHT))
		text_stacks_stream(t, BYTES("cpu"), BYTES("ns"), (struct bytes){0});
	else if (has(x, XCTRACE_CYCLES))
		text_stacks_stream(t, BYTES("cycles"), BYTES("cycles"), (struct bytes){0});
	text_stacks_stream(t, BYTES("samples"), BYTES("count"), (struct bytes){0});
	x->has = ((t->want & WANT_TIMES) && has(x, XCTRACE_TIME) ? SAMPLE_TIME : 0) |
		 ((t->want & WANT_THREADS) && has(x, XCTRACE_THREAD) ? SAMPLE_THREAD : 0) |
		 ((t->want & WANT_CPUS) && has(x, XCTRACE_CORE) ? SAMPLE_CPU : 0);
}

static bool close_row(struct xctrace *x, struct error *err)
{
	struct sample sample = {0};
	int64_t values[2] = {1, 1};
	uint64_t weight = 1;

	if (!has(x, XCTRACE_BACKTRACE)) {
		x->without++;
		return true;
	}
	if (!x->stacks.streams)
		open_streams(x);
	if (x->value[XCTRACE_BACKTRACE] == NO_STACK) {
		text_stacks_skip(&x->stacks, TOO_DEEP);
		return true;
	}
	sample = (struct sample){.has = x->has,
		.stack = (stack_id)x->value[XCTRACE_BACKTRACE],
		.time = has(x, XCTRACE_TIME) ? x->value[XCTRACE_TIME] : 0,
		.thread = has(x, XCTRACE_THREAD) ? (thread_id)x->value[XCTRACE_THREAD] : 0,
		.cpu = has(x, XCTRACE_CORE) && x->value[XCTRACE_CORE] < NO_CPU
			       ? (uint16_t)x->value[XCTRACE_CORE]
			       : NO_CPU};
	if (x->weighed) {
		weight = has(x, XCTRACE_WEIGHT)	  ? x->value[XCTRACE_WEIGHT]
			 : has(x, XCTRACE_CYCLES) ? x->value[XCTRACE_CYCLES]
						  : 0;
		values[0] = weight > INT64_MAX ? INT64_MAX : (int64_t)weight;
	}
	return text_stacks_add_stack(&x->stacks, sample, values, err);
}

/* ---- Steps ---- */

static void open_element(struct xctrace *x, enum xctrace_element e, struct bytes text)
{
	uint64_t line;

	switch (e) {
	case XCTRACE_ROW:
		x->have = 0;
		break;
	case XCTRACE_BACKTRACE:
		text_stacks_clear(&x->stacks);
		break;
	case XCTRACE_FRAME:
		open_frame(x, text);
		break;
	case XCTRACE_THREAD:
		x->thread_name = thread_name(x, text);
		x->have &= ~(1u << XCTRACE_TID);
		break;
	case XCTRACE_PROCESS:
		x->process_name = process_name(x, text);
		x->have &= ~(1u << XCTRACE_PID);
		break;
	case XCTRACE_BINARY:
		x->name.len = 0;
		xml_text(text, &x->name);
		set(x, XCTRACE_BINARY,
			profile_string(x->stacks.profile, tidy_base_name(buffer_bytes(&x->name))));
		break;
	case XCTRACE_SOURCE:
		if (bytes_u64(text, &line))
			set(x, XCTRACE_SOURCE, line);
		break;
	default:
		break;
	}
}

/* The value of an element that ends; `text` is its content. */
static bool value_of(
	struct xctrace *x, enum xctrace_element e, struct bytes text, uint64_t *ret_value)
{
	struct profile *p = x->stacks.profile;

	switch (e) {
	case XCTRACE_TIME:
	case XCTRACE_WEIGHT:
	case XCTRACE_CYCLES:
	case XCTRACE_CORE:
	case XCTRACE_TID:
	case XCTRACE_PID:
		return bytes_u64(bytes_trim(text), ret_value);
	case XCTRACE_PATH:
		*ret_value = text_string(x, text);
		return true;
	case XCTRACE_FRAME:
		*ret_value = close_frame(x);
		return true;
	case XCTRACE_BACKTRACE:
		*ret_value = close_backtrace(x);
		return true;
	case XCTRACE_TAGGED:
		*ret_value = x->value[XCTRACE_BACKTRACE];
		return has(x, XCTRACE_BACKTRACE);
	case XCTRACE_PROCESS:
		*ret_value = profile_process(p, id_of(x, XCTRACE_PID), x->process_name);
		return true;
	case XCTRACE_THREAD:
		*ret_value = profile_thread(p,
			has(x, XCTRACE_PROCESS) ? (process_id)x->value[XCTRACE_PROCESS] : 0,
			id_of(x, XCTRACE_TID), x->thread_name);
		return true;
	case XCTRACE_BINARY:
	case XCTRACE_SOURCE:
		*ret_value = x->value[e];
		return has(x, e);
	default:
		return false;
	}
}

/* Use the value of an element, written out or referred to. */
static void use(struct xctrace *x, enum xctrace_element e, uint64_t value)
{
	if (e == XCTRACE_FRAME)
		text_stacks_push(&x->stacks, (location_id)value);
	else
		set(x, e == XCTRACE_TAGGED ? XCTRACE_BACKTRACE : e, value);
}

static void refer(struct xctrace *x, enum xctrace_element e, uint64_t id)
{
	uint64_t value;

	if (look_up(x, e, id, &value))
		use(x, e, value);
	else
		text_stacks_skip(&x->stacks, "expected a reference to an earlier id");
}

static bool close_element(
	struct xctrace *x, enum xctrace_element e, struct bytes inside, struct error *err)
{
	uint64_t value;

	x->complete = e == XCTRACE_RESULT;
	if (e == XCTRACE_ROW)
		return close_row(x, err);
	if (value_of(x, e, inside, &value)) {
		define(x, e, x->id[e], value);
		use(x, e, value);
	}
	return true;
}

static bool take_step(
	struct xctrace *x, const struct xctrace_step *step, struct bytes text, struct error *err)
{
	enum xctrace_element e = step->element;

	x->stacks.lines.number = step->line;
	if (step->refers) {
		refer(x, e, step->id);
		return true;
	}
	if (step->opens) {
		x->id[e] = step->id;
		open_element(x, e, text);
		text = (struct bytes){0};
	}
	return !step->closes || close_element(x, e, text, err);
}

/* Prefetch what is looked up SOON steps later. */
#define SOON 8u

static void fetch_soon(const struct xctrace *x, const struct xctrace_batch *batch, size_t at)
{
	uint64_t id = at + SOON < batch->count ? batch->steps[at + SOON].id : 0;

	if (id < x->dense.len)
		__builtin_prefetch(x->dense.items + id);
}

static bool take_batch(void *xctrace, const struct xctrace_batch *batch, struct error *err)
{
	struct xctrace *x = xctrace;

	for (size_t i = 0; i < batch->count; i++) {
		const struct xctrace_step *step = &batch->steps[i];

		fetch_soon(x, batch, i);
		if (!take_step(x, step, xctrace_text(batch, step), err))
			return false;
	}
	return true;
}

/* Elements of columns that the caller did not request. */
static unsigned unwanted(unsigned want)
{
	return (want & WANT_TIMES ? 0 : 1u << XCTRACE_TIME) |
	       (want & WANT_CPUS ? 0 : 1u << XCTRACE_CORE) |
	       (want & WANT_THREADS ? 0
				    : 1u << XCTRACE_THREAD | 1u << XCTRACE_PROCESS |
					      1u << XCTRACE_TID | 1u << XCTRACE_PID) |
	       (want & WANT_LINES ? 0 : 1u << XCTRACE_SOURCE | 1u << XCTRACE_PATH);
}

static bool finish(struct xctrace *x, struct error *err)
{
	struct text_stacks *t = &x->stacks;

	if (!x->complete)
		text_stacks_skip(t, "unexpected end: expected </trace-query-result>");
	if (x->without && t->streams)
		profile_add_loss(t->profile, t->first_stream + t->streams - 1,
			BYTES("no backtrace"), x->without);
	return text_stacks_finish(t, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct xctrace x = {0};
	bool done;

	text_stacks_open(&x.stacks, in, options, out);
	done = xctrace_steps_take(
		       in, unwanted(options->want), take_batch, &x, &x.stacks.lines.number, err) &&
	       finish(&x, err);
	xctrace_release(&x);
	return done;
}

static int bid(struct bytes head)
{
	const char *at = bytes_find(head, BYTES("<trace-query-result"));

	return at && (bytes_starts_with(head, BYTES("<")) ||
			     bytes_starts_with(head, BYTES("\xEF\xBB\xBF<")))
		       ? 8 * 19
		       : 0;
}

const struct reader reader_xctrace = {
	.name = "xctrace",
	.about = "XML of Instruments' `xctrace export`",
	.expects = EXPECTS,
	.proof = "inferno's corpus; weights as the file sums them",
	.bid = bid,
	.read = read,
};
