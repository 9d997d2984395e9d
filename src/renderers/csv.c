/* csv.c: one row for each sample, for spreadsheets and data frames.
 *
 * kind,unit,event: the meaning of the value; a sample with several values has several rows.
 * process,pid,thread,tid,cpu,time_ns,duration_ns: empty if the input does not say. value: in the
 * unit. stack: frames, outermost first, separated by ';'. */
#include "renderers/export.h"
#include "renderers/renderers.h"

#include <stdlib.h>

struct csv {
	const struct view *view;
	struct buffer text, stack, kind;
	struct output *out;
	VECTOR(frame_id) frames;
};

static void text_field(struct csv *c, struct bytes text)
{
	buffer_csv(&c->text, text);
	buffer_char(&c->text, ',');
}

static void number_field(struct csv *c, bool known, uint64_t number)
{
	if (known)
		buffer_u64(&c->text, number);
	buffer_char(&c->text, ',');
}

static void thread_fields(struct csv *c, thread_id id)
{
	const struct profile *p = c->view->profile;
	const struct thread *thread = &p->threads.items[id];
	const struct process *process = &p->processes.items[thread->process];

	text_field(c, profile_text(p, process->name));
	number_field(c, process->pid >= 0, (uint64_t)process->pid);
	text_field(c, profile_text(p, thread->name));
	number_field(c, thread->tid >= 0, (uint64_t)thread->tid);
}

static void sample_fields(struct csv *c, const struct samples *s, size_t sample)
{
	bool cpu = s->cpu.len && s->cpu.items[sample] != NO_CPU;

	number_field(c, cpu, cpu ? s->cpu.items[sample] : 0);
	number_field(c, s->time.len, s->time.len ? s->time.items[sample] : 0);
	number_field(c, s->duration.len, s->duration.len ? s->duration.items[sample] : 0);
}

static void stack_field(struct csv *c, node_id node)
{
	c->frames.len = c->stack.len = 0;
	for (; node; node = c->view->tree.caller.items[node])
		vector_push(&c->frames, c->view->tree.frame.items[node]);
	for (size_t i = c->frames.len; i-- > 0;) {
		struct bytes name = view_function(c->view, c->frames.items[i]);
		size_t start = c->stack.len;

		buffer_add(&c->stack, name.at, name.len);
		for (; start < c->stack.len; start++)
			if (c->stack.at[start] == ';')
				c->stack.at[start] = ':';
		if (i)
			buffer_char(&c->stack, ';');
	}
	buffer_csv(&c->text, buffer_bytes(&c->stack));
	buffer_char(&c->text, '\n');
}

static void stream_write(struct csv *c, uint32_t number)
{
	const struct profile *p = c->view->profile;
	const struct stream *stream = &p->streams.items[number];
	const struct samples *s = &p->samples.items[stream->row.samples];
	unsigned decimals = export_decimals(c->view, number);

	for (size_t i = 0; i < s->count; i++) {
		node_id node = view_node(c->view, stream->row.samples, i);

		if (node == NODE_DROPPED)
			continue;
		c->kind.len = 0;
		export_kind(&c->kind, p, number);
		text_field(c, buffer_bytes(&c->kind));
		text_field(c, profile_text(p, stream->row.unit));
		text_field(c, profile_text(p, stream->row.event));
		thread_fields(c, s->thread.len ? s->thread.items[i] : 0);
		sample_fields(c, s, i);
		buffer_decimal(&c->text, stream_value(stream, i), decimals);
		buffer_char(&c->text, ',');
		stack_field(c, node);
		export_flush(&c->text, c->out, false);
	}
}

static bool csv_render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	struct csv c = {.view = v, .out = out};

	(void)settings;
	(void)err;
	buffer_text(&c.text, "kind,unit,event,process,pid,thread,tid,cpu,time_ns,duration_ns,value,"
			     "stack\n");
	for (uint32_t i = 0; i < v->profile->streams.len; i++)
		stream_write(&c, i);
	export_flush(&c.text, out, true);
	buffer_release(&c.text);
	buffer_release(&c.stack);
	buffer_release(&c.kind);
	vector_release(&c.frames);
	return true;
}

const struct renderer renderer_csv = {
	.name = "csv",
	.suffix = ".csv",
	.media_type = MEDIA_TEXT,
	.save.label = "Samples (CSV)",
	.about = "one row per sample, for spreadsheets",
	.proof = "Python's csv module",
	.readable = true,
	.render = csv_render,
};
