/* profile_lines.c: what does a profile say, whatever the order and the ids of its rows? */
#include "support/profile_lines.h"

#include "base/memory.h"

#include <stdlib.h>

struct line {
	struct bytes text;
	int64_t value;
};

struct lines {
	const struct profile *profile;
	struct arena texts;
	struct bytes *locations; /* the text of each, since many samples share one */
	VECTOR(struct line) list;
};

static void add_text(struct buffer *b, const struct profile *p, string_id id)
{
	struct bytes text = profile_text(p, id);

	buffer_char(b, '\'');
	buffer_add(b, text.at, text.len);
	buffer_char(b, '\'');
}

static struct bytes kept(struct lines *l, const struct buffer *text)
{
	return (struct bytes){
		arena_copy(&l->texts, text->at ? text->at : "", text->len), text->len};
}

static void keep(struct lines *l, const struct buffer *text, int64_t value)
{
	vector_push(&l->list, ((struct line){kept(l, text), value}));
}

/* ---- Stacks ---- */

static void add_process(struct buffer *b, const struct profile *p, process_id id)
{
	buffer_printf(b, " pid %d ", p->processes.items[id].pid);
	add_text(b, p, p->processes.items[id].name);
}

static void add_location(struct buffer *b, const struct profile *p, location_id id)
{
	const struct location *l = &p->locations.items[id];
	const struct mapping *m = &p->mappings.items[l->mapping];
	struct span names = p->location_names.items[id];

	if (l->mapping) {
		buffer_printf(b, "{%u+%llx base %llx ", m->kind, (unsigned long long)l->address,
			(unsigned long long)m->base);
		add_text(b, p, m->file);
		add_text(b, p, m->build_id);
		add_process(b, p, m->process);
		buffer_char(b, '}');
	}
	for (uint32_t i = 0; i < names.count; i++) {
		const struct frame *f = &p->frames.items[p->location_frames.items[names.first + i]];

		add_text(b, p, f->function);
		add_text(b, p, f->module);
		add_text(b, p, f->file);
		buffer_printf(b, "%u kind %u;", f->line, f->kind);
	}
}

static void describe_locations(struct lines *l)
{
	const struct profile *p = l->profile;
	struct buffer text = {0};

	l->locations = memory_new(p->locations.len, sizeof(*l->locations));
	for (location_id id = 0; id < p->locations.len; id++) {
		text.len = 0;
		add_location(&text, p, id);
		l->locations[id] = kept(l, &text);
	}
	buffer_release(&text);
}

static void add_stack(struct buffer *b, const struct lines *l, stack_id stack)
{
	for (; stack; stack = l->profile->stack_caller.items[stack]) {
		struct bytes location = l->locations[l->profile->stack_location.items[stack]];

		buffer_add(b, location.at, location.len);
	}
}

static void add_columns(
	struct buffer *b, const struct profile *p, const struct samples *s, size_t i)
{
	const struct thread *thread = &p->threads.items[s->thread.len ? s->thread.items[i] : 0];
	label_set_id labels = s->labels.len ? s->labels.items[i] : 0;

	add_process(b, p, thread->process);
	buffer_printf(b, " tid %d ", thread->tid);
	add_text(b, p, thread->name);
	buffer_printf(b, " cpu %d ", s->cpu.len ? s->cpu.items[i] : NO_CPU);
	for (; labels; labels = p->label_sets.items[labels].parent) {
		add_text(b, p, p->label_sets.items[labels].key);
		add_text(b, p, p->label_sets.items[labels].value);
	}
}

static void add_samples(struct lines *l, const struct stream *stream)
{
	const struct profile *p = l->profile;
	const struct samples *s = &p->samples.items[stream->row.samples];
	struct buffer text = {0};

	for (size_t i = 0; i < s->count; i++) {
		text.len = 0;
		add_text(&text, p, stream->row.kind);
		add_text(&text, p, stream->row.event);
		buffer_printf(&text, "%u ", stream->row.side);
		add_stack(&text, l, s->stack.items[i]);
		add_columns(&text, p, s, i);
		keep(l, &text, stream_value(stream, i));
	}
	buffer_release(&text);
}

/* ---- Everything else ---- */

static void add_stream(struct lines *l, size_t stream)
{
	const struct profile *p = l->profile;
	const struct stream_row *row = &p->streams.items[stream].row;
	struct buffer text = {0};

	buffer_printf(&text, "stream %zu ", stream);
	add_text(&text, p, row->kind);
	add_text(&text, p, row->unit);
	add_text(&text, p, row->event);
	buffer_printf(&text, " side %u run %u expected %llu delivered %llu period %llu", row->side,
		row->run, (unsigned long long)row->expected, (unsigned long long)row->delivered,
		(unsigned long long)row->period);
	for (size_t i = 0; i < p->losses.len; i++) {
		if (p->losses.items[i].stream != stream)
			continue;
		add_text(&text, p, p->losses.items[i].reason);
		buffer_printf(&text, "%llu", (unsigned long long)p->losses.items[i].count);
	}
	keep(l, &text, 1);
	buffer_release(&text);
}

static void add_meta(struct lines *l)
{
	struct buffer text = {0};

	for (size_t i = 0; i < l->profile->meta.len; i++) {
		text.len = 0;
		buffer_text(&text, "meta ");
		add_text(&text, l->profile, l->profile->meta.items[i].key);
		add_text(&text, l->profile, l->profile->meta.items[i].value);
		keep(l, &text, 1);
	}
	buffer_release(&text);
}

static int by_text(const void *a, const void *b)
{
	return bytes_compare(((const struct line *)a)->text, ((const struct line *)b)->text);
}

static void print(struct lines *l, struct buffer *out)
{
	if (l->list.len)
		qsort(l->list.items, l->list.len, sizeof(*l->list.items), by_text);
	for (size_t i = 0; i < l->list.len;) {
		struct bytes text = l->list.items[i].text;
		int64_t sum = 0;

		for (; i < l->list.len && bytes_equal(l->list.items[i].text, text); i++)
			sum += l->list.items[i].value;
		if (sum)
			buffer_printf(out, "%.*s = %lld\n", (int)text.len, text.at, (long long)sum);
	}
}

void profile_lines(const struct profile *p, struct buffer *out)
{
	struct lines l = {.profile = p};

	describe_locations(&l);
	for (size_t i = 0; i < p->streams.len; i++) {
		add_stream(&l, i);
		add_samples(&l, &p->streams.items[i]);
	}
	add_meta(&l);
	print(&l, out);
	vector_release(&l.list);
	free(l.locations);
	arena_release(&l.texts);
}
