/* cpuprofile.c: V8's CPU profile of what is shown, for DevTools and editors.
 *
 * The format has nodes, samples and the microseconds between them, so values become times: a
 * unit other than ns counts as a microsecond. If samples have times that are consistent with
 * their values, the times are kept and gaps become "(idle)"; otherwise the samples follow one
 * another. */
#include "renderers/export.h"
#include "renderers/renderers.h"

#include <stdlib.h>

#define US_DECIMALS 3u

struct cpuprofile {
	const struct view *view;
	struct buffer text;
	struct output *out;
	struct export_parts parts;
	bool in_ns, timed;
	uint32_t idle; /* id of the node */
	uint64_t *hits;
	VECTOR(uint32_t) samples; /* ids of nodes */
	VECTOR(int64_t) deltas;	  /* thousandths of a microsecond */
	int64_t first, last, end; /* start of the first and the last sample, end of the last */
};

/* Do samples follow one another without overlap, if each is as long as its value? */
static bool times_fit(const struct cpuprofile *c, const struct export_part *part)
{
	const struct profile *p = c->view->profile;
	const struct stream *stream = &p->streams.items[part->stream];
	const struct samples *s = &p->samples.items[stream->row.samples];
	uint64_t end = 0;

	if (!s->time.len || !c->in_ns)
		return false;
	for (size_t i = 0; i < part->count; i++) {
		uint64_t time = s->time.items[part->samples[i]];

		if (time < end || time > INT64_MAX / 4)
			return false;
		end = time + (uint64_t)stream_value(stream, part->samples[i]);
	}
	return true;
}

static void sample_push(struct cpuprofile *c, uint32_t node, int64_t start)
{
	if (!c->samples.len)
		c->first = c->last = start;
	vector_push(&c->samples, node);
	vector_push(&c->deltas, start - c->last);
	c->last = start;
}

/* False: a value is negative, or the end exceeds what a time can be. */
static bool part_add(struct cpuprofile *c, const struct export_part *part, bool timed)
{
	const struct profile *p = c->view->profile;
	const struct stream *stream = &p->streams.items[part->stream];
	const struct samples *s = &p->samples.items[stream->row.samples];

	for (size_t i = 0; i < part->count; i++) {
		int64_t value = stream_value(stream, part->samples[i]);
		node_id node = view_node(c->view, stream->row.samples, part->samples[i]);
		int64_t start = timed ? (int64_t)s->time.items[part->samples[i]] : c->end;

		if (value < 0 || (!c->in_ns && __builtin_mul_overflow(value, 1000, &value)))
			return false;
		if (c->samples.len && start > c->end)
			sample_push(c, c->idle, c->end);
		sample_push(c, node + 1, start);
		if (__builtin_add_overflow(start, value, &c->end))
			return false;
		c->hits[node]++;
	}
	return true;
}

/* ---- Writing ---- */

/* Lines start at 0 here. */
static void call_frame(struct cpuprofile *c, frame_id id)
{
	struct frame frame = view_frame_at(c->view, id);
	struct buffer *b = &c->text;

	buffer_text(b, "\"callFrame\":{\"functionName\":");
	buffer_json(b, view_text(c->view, frame.function));
	buffer_text(b, ",\"scriptId\":\"0\",\"url\":");
	buffer_json(b, view_text(c->view, frame.file));
	buffer_printf(b, ",\"lineNumber\":%lld,\"columnNumber\":-1,", (long long)frame.line - 1);
	export_frame_extra(b, c->view, id);
	buffer_char(b, '}');
}

static void plain_node(struct cpuprofile *c, uint32_t id, const char *name, uint64_t hits)
{
	buffer_printf(&c->text,
		"{\"id\":%u,\"callFrame\":{\"functionName\":\"%s\",\"scriptId\":\"0\",\"url\":\"\","
		"\"lineNumber\":-1,\"columnNumber\":-1},\"hitCount\":%llu,\"children\":[",
		id, name, (unsigned long long)hits);
}

/* Children as linked lists: the first of each node, and each child's next sibling. */
struct children {
	node_id *first, *next;
};

static struct children children_of(const struct tree *t)
{
	size_t nodes = t->caller.len;
	struct children made = {
		memory_new(nodes, sizeof(*made.first)), memory_new(nodes, sizeof(*made.next))};

	for (size_t i = nodes; i-- > 1;) {
		made.next[i] = made.first[t->caller.items[i]];
		made.first[t->caller.items[i]] = (node_id)i;
	}
	return made;
}

static void children_write(struct cpuprofile *c, const struct children *children, node_id node)
{
	for (node_id child = children->first[node]; child; child = children->next[child])
		buffer_printf(&c->text, "%u%s", child + 1, children->next[child] ? "," : "");
}

/* A node's id is the view's plus one: the root is 1. */
static void nodes_write(struct cpuprofile *c)
{
	const struct tree *t = &c->view->tree;
	struct children children = children_of(t);

	plain_node(c, 1, "(root)", c->hits[0]);
	children_write(c, &children, 0);
	buffer_printf(&c->text, "%s%u]}", children.first[0] ? "," : "", c->idle);
	for (size_t i = 1; i < t->caller.len; i++) {
		buffer_printf(&c->text, ",\n{\"id\":%zu,", i + 1);
		call_frame(c, t->frame.items[i]);
		buffer_printf(&c->text, ",\"hitCount\":%llu,\"children\":[",
			(unsigned long long)c->hits[i]);
		children_write(c, &children, (node_id)i);
		buffer_text(&c->text, "]}");
		export_flush(&c->text, c->out, false);
	}
	buffer_text(&c->text, ",\n");
	plain_node(c, c->idle, "(idle)", 0);
	buffer_text(&c->text, "]}");
	memory_free(children.first);
	memory_free(children.next);
}

static void samples_write(struct cpuprofile *c)
{
	buffer_text(&c->text, ",\n\"samples\":[");
	for (size_t i = 0; i < c->samples.len; i++) {
		buffer_printf(&c->text, i ? ",%u" : "%u", c->samples.items[i]);
		export_flush(&c->text, c->out, false);
	}
	buffer_text(&c->text, "],\n\"timeDeltas\":[");
	for (size_t i = 0; i < c->deltas.len; i++) {
		if (i)
			buffer_char(&c->text, ',');
		buffer_decimal(&c->text, c->deltas.items[i], US_DECIMALS);
		export_flush(&c->text, c->out, false);
	}
	buffer_char(&c->text, ']');
}

static void profile_write(struct cpuprofile *c)
{
	const struct export_part none = {0};
	const struct export_part *part = c->parts.parts.len ? c->parts.parts.items : &none;

	buffer_text(&c->text, "{\"nodes\":[");
	nodes_write(c);
	buffer_text(&c->text, "],\n\"startTime\":");
	buffer_decimal(&c->text, c->first, US_DECIMALS);
	buffer_text(&c->text, ",\"endTime\":");
	buffer_decimal(&c->text, c->end, US_DECIMALS);
	samples_write(c);
	if (c->view->profile->streams.len) { /* otherwise nothing was recorded */
		buffer_text(&c->text, ",\n");
		export_part_extra(&c->text, c->view, part, !c->timed);
	}
	buffer_text(&c->text, "}\n");
	export_flush(&c->text, c->out, true);
}

static bool parts_add(struct cpuprofile *c, struct error *err)
{
	const struct profile *p = c->view->profile;

	if (!c->parts.parts.len)
		return true;
	c->in_ns = bytes_equal(
		profile_text(p, p->streams.items[c->parts.parts.items[0].stream].row.unit),
		BYTES("ns"));
	c->timed = c->parts.parts.len == 1 && times_fit(c, c->parts.parts.items);
	for (size_t i = 0; i < c->parts.parts.len; i++)
		if (!part_add(c, &c->parts.parts.items[i], c->timed))
			return error_set(err, ERR_UNSUPPORTED,
				"a value is negative, or too large for a time of this format: "
				"choose another format, or another --kind");
	return true;
}

static bool cpuprofile_render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	struct cpuprofile c = {.view = v, .out = out, .idle = (uint32_t)v->tree.caller.len + 1};
	bool done;

	(void)settings;
	c.hits = memory_new(v->tree.caller.len, sizeof(*c.hits));
	export_parts_init(&c.parts, v, true);
	done = parts_add(&c, err);
	if (done)
		profile_write(&c);
	export_parts_release(&c.parts);
	memory_free(c.hits);
	buffer_release(&c.text);
	vector_release(&c.samples);
	vector_release(&c.deltas);
	return done;
}

const struct renderer renderer_cpuprofile = {
	.name = "cpuprofile",
	.suffix = ".cpuprofile",
	.media_type = MEDIA_JSON,
	.save.label = "CPU profile of V8 (DevTools)",
	.about = "V8 CPU profile of the selected samples, for DevTools and editors",
	.proof = "Speedscope 1.25: its table of functions",
	.by_line = true,
	.render = cpuprofile_render,
};
