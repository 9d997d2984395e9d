/* pprof_tags.c: finds the thread that a sample's labels name. */
#include "readers/pprof/pprof_tags.h"

#include <stdlib.h>

void pprof_tags_release(struct pprof_tags *t)
{
	buffer_release(&t->text);
	vector_release(&t->saved);
}

void pprof_tags_clear(struct pprof_tags *t)
{
	t->now = (struct pprof_tag_set){.pid = -1, .tid = -1, .cpu = NO_CPU};
}

static bool is_id(int64_t number)
{
	return number >= 0 && number <= INT32_MAX;
}

/* False: the value does not fit the label, which then is a label like any other. */
static bool add_role(struct pprof_tags *t, enum tag_role role, int64_t number)
{
	switch (role) {
	case TAG_PID:
		t->now.pid = is_id(number) ? (int32_t)number : t->now.pid;
		return is_id(number);
	case TAG_TID:
	case TAG_THREAD: /* some call the number so */
		t->now.tid = is_id(number) ? (int32_t)number : t->now.tid;
		return is_id(number);
	case TAG_CPU:
		if (number < 0 || number >= NO_CPU)
			return false;
		t->now.cpu = (uint16_t)number;
		return true;
	default:
		return false;
	}
}

static void add_label(struct pprof_tags *t, string_id key, string_id value)
{
	t->now.labels = profile_label(t->profile, t->now.labels, key, value);
	t->any_label = true;
}

void pprof_tags_add_number(
	struct pprof_tags *t, enum tag_role role, string_id key, int64_t number, struct bytes unit)
{
	if (role != TAG_LABEL && add_role(t, role, number))
		return;
	t->text.len = 0;
	pprof_number_text(&t->text, number, unit);
	add_label(t, key, profile_string(t->profile, buffer_bytes(&t->text)));
}

void pprof_tags_add_text(struct pprof_tags *t, enum tag_role role, string_id key, string_id value)
{
	uint64_t number;

	if (role == TAG_THREAD)
		t->now.name = value;
	else if (role == TAG_COMM)
		t->now.comm = value;
	else if (role == TAG_LABEL || !bytes_u64(profile_text(t->profile, value), &number) ||
		 number > INT32_MAX || !add_role(t, role, (int64_t)number))
		add_label(t, key, value);
}

static void resolve_thread(struct pprof_tags *t)
{
	struct pprof_tag_set *now = &t->now;
	process_id process;

	if (now->thread || !(t->want & WANT_THREADS) ||
		(now->pid < 0 && now->tid < 0 && !now->comm && !now->name))
		return;
	process = now->pid < 0 && !now->comm ? 0 : profile_process(t->profile, now->pid, now->comm);
	now->thread = profile_thread(t->profile, process, now->tid, now->name);
	t->any_thread = true;
}

uint32_t pprof_tags_save(struct pprof_tags *t)
{
	resolve_thread(t);
	vector_push(&t->saved, t->now);
	return (uint32_t)t->saved.len - 1;
}

void pprof_tags_restore(struct pprof_tags *t, uint32_t saved)
{
	t->now = t->saved.items[saved];
}

void pprof_tags_apply(struct pprof_tags *t, struct sample *sample)
{
	resolve_thread(t);
	t->any_cpu |= t->want & WANT_CPUS && t->now.cpu != NO_CPU;
	sample->has |= (t->any_label ? SAMPLE_LABELS : 0u) | (t->any_thread ? SAMPLE_THREAD : 0u) |
		       (t->any_cpu ? SAMPLE_CPU : 0u);
	sample->labels = t->now.labels;
	sample->thread = t->now.thread;
	sample->cpu = t->now.cpu;
}

void pprof_tags_fill(struct samples *samples, unsigned has)
{
	while (has & SAMPLE_LABELS && samples->labels.len < samples->count)
		vector_push(&samples->labels, 0);
	while (has & SAMPLE_THREAD && samples->thread.len < samples->count)
		vector_push(&samples->thread, 0);
	while (has & SAMPLE_CPU && samples->cpu.len < samples->count)
		vector_push(&samples->cpu, NO_CPU);
}
