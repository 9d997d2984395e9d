/* xctrace.c: samples of Instruments that `xctrace export` wrote as XML.
 *
 *	<trace-query-result>
 *	<node xpath='...'><schema name="time-profile">...</schema>
 *	<row><sample-time id="1" fmt="00:00.059">59248125</sample-time><thread id="2" fmt="main 0x1
 *(..)"> <tid ..>..</tid><process id="4" fmt="prog (12)"><pid ..>12</pid></process></thread> <core
 *id="7" fmt="CPU 5">5</core><weight id="9" fmt="1.00 ms">1000000</weight> <backtrace id="10"><frame
 *id="11" name="f" addr="0x1"><binary id="12" name="prog"/> <source line="7"><path
 *id="13">/a.c</path></source></frame><frame ref="8"/></backtrace></row>
 *
 * An element is written once, with an id; from then on only a reference to it. Frames are listed
 * innermost first. A sample counts by its weight; the number of samples is a second value. */
#include "readers/text_stacks.h"
#include "readers/tidy.h"
#include "readers/xml_tags.h"

#include <stdlib.h>

#define EXPECTS	 "a row such as `<row>...<weight ref=\"9\"/><backtrace ref=\"20\"/></row>`"
#define TOO_DEEP "expected no stack of more than 8,192 frames"

enum element {
	ROW,
	TIME,
	WEIGHT,
	CYCLES,
	THREAD,
	PROCESS,
	CORE,
	BACKTRACE,
	TAGGED,
	FRAME,
	BINARY,
	SOURCE,
	PATH,
	TID,
	PID,
	RESULT,
	ELEMENTS,
	OTHER = ELEMENTS
};

static const struct bytes element_names[ELEMENTS] = {
	[ROW] = {"row", 3},
	[TIME] = {"sample-time", 11},
	[WEIGHT] = {"weight", 6},
	[CYCLES] = {"cycle-weight", 12},
	[THREAD] = {"thread", 6},
	[PROCESS] = {"process", 7},
	[CORE] = {"core", 4},
	[BACKTRACE] = {"backtrace", 9},
	[TAGGED] = {"tagged-backtrace", 16},
	[FRAME] = {"frame", 5},
	[BINARY] = {"binary", 6},
	[SOURCE] = {"source", 6},
	[PATH] = {"path", 4},
	[TID] = {"tid", 3},
	[PID] = {"pid", 3},
	[RESULT] = {"trace-query-result", 18},
};

/* What an id of such an element stands for: a number, or an id of the profile. */
struct meaning {
	enum element element;
	uint64_t id;
	uint64_t value;
};

struct xctrace {
	struct text_stacks stacks;
	struct xml_reader xml;
	VECTOR(uint64_t) dense; /* by ids: the element plus one, above it the value; 0: none */
	uint64_t defined;	/* ids */
	VECTOR(struct meaning) meanings; /* that are not in `dense` */
	struct id_map by_id;		 /* their places, plus one */
	struct buffer name;
	/* Of the elements that are open or were last in this row: */
	uint64_t id[ELEMENTS];	  /* 0: none */
	uint64_t value[ELEMENTS]; /* valid if its bit is set in `have` */
	unsigned have;
	unsigned passed_over; /* elements that nobody wants: a bit each */
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

_Static_assert(ELEMENTS < 1u << ELEMENT_BITS, "the elements, plus one");

static bool look_up(struct xctrace *x, enum element e, uint64_t id, uint64_t *ret_value)
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
static bool define_dense(struct xctrace *x, enum element e, uint64_t id, uint64_t value)
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
static void define(struct xctrace *x, enum element e, uint64_t id, uint64_t value)
{
	uint64_t first;

	if (!id || look_up(x, e, id, &first))
		return;
	x->defined++;
	if (define_dense(x, e, id, value))
		return;
	vector_push(&x->meanings, ((struct meaning){e, id, value}));
	id_map_enter(&x->by_id, hash_pair(id, e), (uint32_t)x->meanings.len);
}

static void set(struct xctrace *x, enum element e, uint64_t value)
{
	x->value[e] = value;
	x->have |= 1u << e;
}

static bool has(const struct xctrace *x, enum element e)
{
	return x->have >> e & 1;
}

static enum element element_of(struct bytes name)
{
	enum element e = 0;

	while (e < ELEMENTS && !bytes_equal(name, element_names[e]))
		e++;
	return e;
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
	const char *open = bytes_last(shown, '(');

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

static int32_t id_of(const struct xctrace *x, enum element e)
{
	return has(x, e) && x->value[e] <= INT32_MAX ? (int32_t)x->value[e] : -1;
}

/* ---- Frames ---- */

static void open_frame(struct xctrace *x, const struct xml_tag *tag)
{
	struct buffer text = {0};

	x->name.len = 0;
	xml_text(xml_attribute(tag, BYTES("name")), &text);
	tidy_rust_name(buffer_bytes(&text), &x->name);
	x->function = profile_string(x->stacks.profile, buffer_bytes(&x->name));
	buffer_release(&text);
	x->have &= ~(1u << BINARY | 1u << SOURCE | 1u << PATH);
}

static uint64_t close_frame(struct xctrace *x)
{
	struct profile *p = x->stacks.profile;
	struct frame frame = {.function = x->function};
	bool lines = x->stacks.want & WANT_LINES;

	if (has(x, BINARY))
		frame.module = (string_id)x->value[BINARY];
	if (lines && has(x, PATH))
		frame.file = (string_id)x->value[PATH];
	if (lines && has(x, SOURCE) && x->value[SOURCE] < UINT32_MAX)
		frame.line = (uint32_t)x->value[SOURCE];
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

	x->weighed = has(x, WEIGHT) || has(x, CYCLES);
	if (has(x, WEIGHT))
		text_stacks_stream(t, BYTES("cpu"), BYTES("ns"), (struct bytes){0});
	else if (has(x, CYCLES))
		text_stacks_stream(t, BYTES("cycles"), BYTES("cycles"), (struct bytes){0});
	text_stacks_stream(t, BYTES("samples"), BYTES("count"), (struct bytes){0});
	x->has = ((t->want & WANT_TIMES) && has(x, TIME) ? SAMPLE_TIME : 0) |
		 ((t->want & WANT_THREADS) && has(x, THREAD) ? SAMPLE_THREAD : 0) |
		 ((t->want & WANT_CPUS) && has(x, CORE) ? SAMPLE_CPU : 0);
}

static bool close_row(struct xctrace *x, struct error *err)
{
	struct sample sample = {0};
	int64_t values[2] = {1, 1};
	uint64_t weight = 1;

	if (!has(x, BACKTRACE)) {
		x->without++;
		return true;
	}
	if (!x->stacks.streams)
		open_streams(x);
	if (x->value[BACKTRACE] == NO_STACK) {
		text_stacks_skip(&x->stacks, TOO_DEEP);
		return true;
	}
	sample = (struct sample){.has = x->has,
		.stack = (stack_id)x->value[BACKTRACE],
		.time = has(x, TIME) ? x->value[TIME] : 0,
		.thread = has(x, THREAD) ? (thread_id)x->value[THREAD] : 0,
		.cpu = has(x, CORE) && x->value[CORE] < NO_CPU ? (uint16_t)x->value[CORE] : NO_CPU};
	if (x->weighed) {
		weight = has(x, WEIGHT) ? x->value[WEIGHT] : has(x, CYCLES) ? x->value[CYCLES] : 0;
		values[0] = weight > INT64_MAX ? INT64_MAX : (int64_t)weight;
	}
	return text_stacks_add_stack(&x->stacks, sample, values, err);
}

/* ---- Tags ---- */

static void open_element(struct xctrace *x, enum element e, const struct xml_tag *tag)
{
	uint64_t line;

	switch (e) {
	case ROW:
		x->have = 0;
		break;
	case BACKTRACE:
		text_stacks_clear(&x->stacks);
		break;
	case FRAME:
		open_frame(x, tag);
		break;
	case THREAD:
		x->thread_name = thread_name(x, xml_attribute(tag, BYTES("fmt")));
		x->have &= ~(1u << TID);
		break;
	case PROCESS:
		x->process_name = process_name(x, xml_attribute(tag, BYTES("fmt")));
		x->have &= ~(1u << PID);
		break;
	case BINARY:
		x->name.len = 0;
		xml_text(xml_attribute(tag, BYTES("name")), &x->name);
		set(x, BINARY,
			profile_string(x->stacks.profile, tidy_base_name(buffer_bytes(&x->name))));
		break;
	case SOURCE:
		if (bytes_u64(xml_attribute(tag, BYTES("line")), &line))
			set(x, SOURCE, line);
		break;
	default:
		break;
	}
}

/* What an element that ends stands for; `text` is what it has inside. */
static bool value_of(struct xctrace *x, enum element e, struct bytes text, uint64_t *ret_value)
{
	struct profile *p = x->stacks.profile;

	switch (e) {
	case TIME:
	case WEIGHT:
	case CYCLES:
	case CORE:
	case TID:
	case PID:
		return bytes_u64(bytes_trim(text), ret_value);
	case PATH:
		*ret_value = text_string(x, text);
		return true;
	case FRAME:
		*ret_value = close_frame(x);
		return true;
	case BACKTRACE:
		*ret_value = close_backtrace(x);
		return true;
	case TAGGED:
		*ret_value = x->value[BACKTRACE];
		return has(x, BACKTRACE);
	case PROCESS:
		*ret_value = profile_process(p, id_of(x, PID), x->process_name);
		return true;
	case THREAD:
		*ret_value = profile_thread(p, has(x, PROCESS) ? (process_id)x->value[PROCESS] : 0,
			id_of(x, TID), x->thread_name);
		return true;
	case BINARY:
	case SOURCE:
		*ret_value = x->value[e];
		return has(x, e);
	default:
		return false;
	}
}

/* The element has this value here, be it written out or referred to. */
static void use(struct xctrace *x, enum element e, uint64_t value)
{
	if (e == FRAME)
		text_stacks_push(&x->stacks, (location_id)value);
	else
		set(x, e == TAGGED ? BACKTRACE : e, value);
}

static void refer(struct xctrace *x, enum element e, struct bytes ref)
{
	uint64_t id, value;

	if (bytes_u64(ref, &id) && look_up(x, e, id, &value))
		use(x, e, value);
	else
		text_stacks_skip(&x->stacks, "expected a reference to an id before it");
}

static bool take_tag(struct xctrace *x, const struct xml_tag *tag, struct error *err)
{
	enum element e = element_of(tag->name);
	struct bytes ref;
	uint64_t value;

	x->stacks.lines.number = x->xml.lines + 1;
	if (e == OTHER || x->passed_over >> e & 1)
		return true;
	if (tag->opens) {
		ref = xml_attribute(tag, BYTES("ref"));
		if (ref.at) {
			refer(x, e, ref);
			return true;
		}
		if (!bytes_u64(xml_attribute(tag, BYTES("id")), &x->id[e]))
			x->id[e] = 0;
		open_element(x, e, tag);
	}
	if (!tag->closes)
		return true;
	x->complete = e == RESULT;
	if (e == ROW)
		return close_row(x, err);
	if (value_of(x, e, tag->opens ? (struct bytes){0} : tag->text, &value)) {
		define(x, e, x->id[e], value);
		use(x, e, value);
	}
	return true;
}

/* Elements for columns that the caller does not want. */
static unsigned unwanted(unsigned want)
{
	return (want & WANT_TIMES ? 0 : 1u << TIME) | (want & WANT_CPUS ? 0 : 1u << CORE) |
	       (want & WANT_THREADS ? 0 : 1u << THREAD | 1u << PROCESS | 1u << TID | 1u << PID) |
	       (want & WANT_LINES ? 0 : 1u << SOURCE | 1u << PATH);
}

static bool finish(struct xctrace *x, struct error *err)
{
	struct text_stacks *t = &x->stacks;

	if (!x->complete)
		text_stacks_skip(t, "the end, and no </trace-query-result> before it");
	if (x->without && t->streams)
		profile_add_loss(t->profile, t->first_stream + t->streams - 1,
			BYTES("no backtrace"), x->without);
	return text_stacks_finish(t, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct xctrace x = {.xml = {.in = in}, .passed_over = unwanted(options->want)};
	struct xml_tag tag;
	bool more = true, done = true;

	text_stacks_open(&x.stacks, in, options, out);
	while (done && more) {
		done = xml_next(&x.xml, &tag, &more, err);
		if (done && more)
			done = take_tag(&x, &tag, err);
	}
	done = done && finish(&x, err);
	xctrace_release(&x);
	return done;
}

static int bid(struct bytes head)
{
	const char *at = bytes_find(head, BYTES("<trace-query-result"));

	return at && (bytes_start(head, BYTES("<")) || bytes_start(head, BYTES("\xEF\xBB\xBF<")))
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
