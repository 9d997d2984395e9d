/* xctrace_steps.c: reduces the tags of xctrace's XML to steps. */
#include "readers/apple/xctrace_steps.h"

#include "base/memory.h"
#include "base/slot_queue.h"

#include <stdlib.h>

#define BATCHES	    4u		      /* being read, waiting, or being taken */
#define STEPS_LIMIT ((size_t)8 << 10) /* of a batch: half a millisecond's work */
#define TEXTS_LIMIT ((size_t)1 << 20) /* bytes of a batch, and one text more */

static const struct {
	struct bytes name;
	struct bytes attribute; /* that has its value */
	bool has_text;		/* its text has its value */
} elements[XCTRACE_ELEMENTS] = {
	[XCTRACE_FRAME] = {{"frame", 5}, {"name", 4}, false},
	[XCTRACE_ROW] = {{"row", 3}, {0}, false},
	[XCTRACE_BACKTRACE] = {{"backtrace", 9}, {0}, false},
	[XCTRACE_TIME] = {{"sample-time", 11}, {0}, true},
	[XCTRACE_WEIGHT] = {{"weight", 6}, {0}, true},
	[XCTRACE_THREAD] = {{"thread", 6}, {"fmt", 3}, false},
	[XCTRACE_CORE] = {{"core", 4}, {0}, true},
	[XCTRACE_BINARY] = {{"binary", 6}, {"name", 4}, false},
	[XCTRACE_CYCLES] = {{"cycle-weight", 12}, {0}, true},
	[XCTRACE_PROCESS] = {{"process", 7}, {"fmt", 3}, false},
	[XCTRACE_TAGGED] = {{"tagged-backtrace", 16}, {0}, false},
	[XCTRACE_SOURCE] = {{"source", 6}, {"line", 4}, false},
	[XCTRACE_PATH] = {{"path", 4}, {0}, true},
	[XCTRACE_TID] = {{"tid", 3}, {0}, true},
	[XCTRACE_PID] = {{"pid", 3}, {0}, true},
	[XCTRACE_RESULT] = {{"trace-query-result", 18}, {0}, false},
};

/* XCTRACE_ELEMENTS: of no meaning. */
static enum xctrace_element element_of(struct bytes name)
{
	enum xctrace_element e = 0;

	while (e < XCTRACE_ELEMENTS && !bytes_equal(name, elements[e].name))
		e++;
	return e;
}

static struct bytes text_of(enum xctrace_element e, const struct xml_tag *tag)
{
	if (tag->opens && elements[e].attribute.len)
		return xml_attribute(tag, elements[e].attribute);
	return !tag->opens && elements[e].has_text ? tag->text : (struct bytes){0};
}

static void add_step(struct xctrace_batch *batch, enum xctrace_element e, const struct xml_tag *tag,
	uint64_t line)
{
	struct bytes ref = tag->opens ? xml_attribute(tag, BYTES("ref")) : (struct bytes){0};
	struct xctrace_step *step = &batch->steps[batch->count++];
	struct bytes text = ref.at ? (struct bytes){0} : text_of(e, tag);
	bool numbered =
		tag->opens && bytes_u64(ref.at ? ref : xml_attribute(tag, BYTES("id")), &step->id);

	step->line = line;
	step->id = numbered ? step->id : 0;
	step->text = (uint32_t)batch->texts.len;
	step->text_len = (uint32_t)text.len;
	step->element = (uint8_t)e;
	step->refers = ref.at;
	step->opens = tag->opens;
	step->closes = tag->closes;
	buffer_add(&batch->texts, text.at, text.len);
}

struct steps {
	struct xml_reader xml;
	unsigned passed_over;
	bool (*take)(void *context, const struct xctrace_batch *batch, struct error *err);
	void *context;
	struct error *err;
	uint64_t line; /* of the last tag */
	struct xctrace_batch batches[BATCHES];
};

/* Up to a batch full. */
static void read_batch(struct steps *s, struct xctrace_batch *batch)
{
	struct xml_tag tag;

	batch->count = 0;
	batch->texts.len = 0;
	batch->more = true;
	while (batch->count < STEPS_LIMIT && batch->texts.len < TEXTS_LIMIT) {
		enum xctrace_element e;

		if (!xml_next(&s->xml, &tag, &batch->more, &batch->error))
			batch->more = false;
		if (!batch->more)
			return;
		e = element_of(tag.name);
		s->line = s->xml.lines + 1;
		if (e < XCTRACE_ELEMENTS && !(s->passed_over >> e & 1))
			add_step(batch, e, &tag, s->line);
	}
}

static bool take_batch(void *steps, size_t slot)
{
	struct steps *s = steps;
	const struct xctrace_batch *batch = &s->batches[slot];

	if (!s->take(s->context, batch, s->err))
		return false;
	if (batch->error.code)
		*s->err = batch->error;
	return !batch->error.code;
}

/* The first batch has been read; if it is the only one, a second thread does not pay. */
static bool take_all(struct steps *s)
{
	struct slot_queue slot_queue = {
		.slots = BATCHES, .wake_batch = 1, .consume = take_batch, .context = s};
	bool more = s->batches[0].more;

	slot_queue_open(&slot_queue, more);
	while (slot_queue_push(&slot_queue) && more) {
		struct xctrace_batch *batch = &s->batches[slot_queue_slot(&slot_queue)];

		read_batch(s, batch);
		more = batch->more;
	}
	return slot_queue_close(&slot_queue);
}

bool xctrace_steps_take(struct input *in, unsigned passed_over,
	bool (*take)(void *context, const struct xctrace_batch *batch, struct error *err),
	void *context, uint64_t *ret_line, struct error *err)
{
	struct steps s = {.xml = {.in = in},
		.passed_over = passed_over,
		.take = take,
		.context = context,
		.err = err};
	bool done;

	for (unsigned i = 0; i < BATCHES; i++)
		s.batches[i].steps = memory_new(STEPS_LIMIT, sizeof(*s.batches[i].steps));
	read_batch(&s, &s.batches[0]);
	done = take_all(&s);
	for (unsigned i = 0; i < BATCHES; i++) {
		memory_free(s.batches[i].steps);
		buffer_release(&s.batches[i].texts);
	}
	*ret_line = s.line;
	return done;
}
