/* pprof_profile.c: how do samples, types and metadata become a pprof file?
 *
 * pprof has one list of samples with a value for each type. So samples of a table that agree in all
 * that is written (stack, thread, CPU, labels) are one row, found by a map (find_row), to which
 * their values are added, and the streams become types. Times are not written: with them, every
 * sample would be a row of its own. Locations, functions and strings are numbered when a sample
 * first needs them (pprof_places.h), so only what is used is in the file. */
#include "renderers/pprof_profile.h"

#include "base/expansion.h"
#include "base/units.h"
#include "model/materialise.h"
#include "model/times.h"
#include "renderers/pprof_places.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- Options ---- */

#define WITHOUT_CPU (1u << TAG_THREAD | 1u << TAG_TID | 1u << TAG_PID | 1u << TAG_COMM)

static const struct {
	const char *name;
	unsigned labels;
} label_names[] = {
	{"thread", 1u << TAG_THREAD},
	{"tid", 1u << TAG_TID},
	{"pid", 1u << TAG_PID},
	{"comm", 1u << TAG_COMM},
	{"cpu", 1u << TAG_CPU},
	{"all", WITHOUT_CPU | 1u << TAG_CPU},
	{"none", 0},
};

static bool set_labels(
	void *target, const struct option *option, const char *value, struct error *err)
{
	struct pprof_settings *settings = target;
	struct bytes rest = bytes_of(value), word;
	unsigned labels = 0;

	(void)option;
	while (rest.len) {
		size_t i = 0, count = sizeof(label_names) / sizeof(*label_names);

		if (!bytes_cut(&rest, ',', &word)) {
			word = rest;
			rest.len = 0;
		}
		while (i < count && !bytes_equal(word, bytes_of(label_names[i].name)))
			i++;
		if (i == count)
			return error_set(err, ERR_USAGE,
				"expected some of thread, tid, pid, comm, cpu, or all, or none, "
				"separated by commas, got '%s'",
				value);
		labels |= label_names[i].labels;
	}
	settings->labels = labels;
	return true;
}

const struct option pprof_options[] = {
	{.name = "labels",
		.argument = "LIST",
		.help = "labels of samples: some of thread, tid, pid, comm, cpu; all; none "
			"(default: all but cpu)",
		.set = set_labels},
	{0},
};

void pprof_defaults(void *settings)
{
	*(struct pprof_settings *)settings = (struct pprof_settings){WITHOUT_CPU};
}

/* ---- Rows ---- */

/* The properties of a thread that are written; threads with equal ones are merged. */
struct shown_thread {
	uint64_t pid, tid;	/* plus one; 0: none */
	uint64_t name, process; /* strings */
};

struct row {
	stack_id stack;
	uint32_t thread; /* index of a shown thread */
	uint32_t cpu;	 /* plus one; 0: none */
	label_set_id labels;
};

struct writer {
	const struct profile *profile;
	const struct pprof_settings *settings;
	struct pprof_out out;
	uint32_t *of_thread; /* from threads to shown threads */
	VECTOR(struct shown_thread) threads;
	struct id_map by_thread;
	/* For the current table of samples: */
	struct id_map by_row;
	VECTOR(struct row) rows;
	VECTOR(int64_t) values; /* rows times the number of streams */
	struct buffer samples, message, packed, label;
	uint64_t limit; /* bytes of values or samples; 0: no limit */
	bool full;	/* the limit was reached */
};

static bool has_role(const struct writer *w, enum tag_role role)
{
	return w->settings->labels >> role & 1;
}

static struct shown_thread show_thread(struct writer *w, thread_id id)
{
	const struct thread *thread = &w->profile->threads.items[id];
	const struct process *process = &w->profile->processes.items[thread->process];
	struct shown_thread shown = {0};

	if (has_role(w, TAG_TID))
		shown.tid = (uint64_t)((int64_t)thread->tid + 1);
	if (has_role(w, TAG_PID))
		shown.pid = (uint64_t)((int64_t)process->pid + 1);
	if (has_role(w, TAG_THREAD))
		shown.name = pprof_profile_string(&w->out.strings, thread->name);
	if (has_role(w, TAG_COMM))
		shown.process = pprof_profile_string(&w->out.strings, process->name);
	return shown;
}

static void show_threads(struct writer *w)
{
	size_t count = w->profile->threads.len;

	w->of_thread = memory_new(count, sizeof(*w->of_thread));
	vector_push(&w->threads, (struct shown_thread){0});
	for (thread_id i = 1; i < count; i++) {
		struct shown_thread shown = show_thread(w, i);
		uint64_t hash = hash_bytes(&shown, sizeof(shown));
		size_t at = id_map_first(&w->by_thread, hash);
		uint32_t id;

		if (!memcmp(&shown, &w->threads.items[0], sizeof(shown)))
			continue;
		while ((id = id_map_candidate(&w->by_thread, hash, &at)))
			if (!memcmp(&w->threads.items[id], &shown, sizeof(shown)))
				break;
		if (!id) {
			id = (uint32_t)w->threads.len;
			vector_push(&w->threads, shown);
			id_map_insert_at(&w->by_thread, hash, at, id);
		}
		w->of_thread[i] = id;
	}
}

static uint32_t find_row(struct writer *w, const struct row *row)
{
	uint64_t hash = hash_bytes(row, sizeof(*row));
	size_t at = id_map_first(&w->by_row, hash);
	uint32_t id;

	while ((id = id_map_candidate(&w->by_row, hash, &at)))
		if (!memcmp(&w->rows.items[id - 1], row, sizeof(*row)))
			return id - 1;
	vector_push(&w->rows, *row);
	id_map_insert_at(&w->by_row, hash, at, (uint32_t)w->rows.len);
	for (size_t i = 0; i < w->profile->streams.len; i++)
		vector_push(&w->values, 0);
	return (uint32_t)w->rows.len - 1;
}

static bool is_full(struct writer *w)
{
	w->full |= w->limit && (w->samples.len > w->limit ||
				       w->values.len * sizeof(*w->values.items) > w->limit);
	return w->full;
}

static void sum_rows(struct writer *w, uint32_t table)
{
	const struct samples *s = &w->profile->samples.items[table];
	size_t streams = w->profile->streams.len;

	id_map_release(&w->by_row);
	w->rows.len = 0;
	w->values.len = 0;
	for (size_t i = 0; i < s->count && !is_full(w); i++) {
		struct row row = {.stack = s->stack.items[i]};
		int64_t *values;
		size_t found;

		if (s->thread.len)
			row.thread = w->of_thread[s->thread.items[i]];
		if (s->cpu.len && has_role(w, TAG_CPU))
			row.cpu = (uint16_t)(s->cpu.items[i] + 1); /* NO_CPU: 0 */
		if (s->labels.len)
			row.labels = s->labels.items[i];
		found = find_row(w, &row); /* find_row may move the values */
		values = w->values.items + found * streams;
		for (size_t j = 0; j < streams; j++)
			if (w->profile->streams.items[j].row.samples == table)
				values[j] += stream_value(&w->profile->streams.items[j], i);
	}
}

/* ---- Samples ---- */

static void put_label(struct writer *w, uint64_t key, uint64_t text)
{
	w->label.len = 0;
	protobuf_put_number(&w->label, PPROF_LABEL_KEY, key);
	protobuf_put_explicit(&w->label, PPROF_LABEL_STR, text);
	protobuf_put_item(&w->message, PPROF_SAMPLE_LABEL, buffer_bytes(&w->label));
}

/* As text: pprof treats the number 0 as missing, and groups other numbers by size. */
static void put_id(struct writer *w, struct bytes key, uint64_t number_and_one)
{
	char text[24];
	uint64_t id;

	if (!number_and_one)
		return;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)number_and_one - 1);
	id = pprof_string(&w->out.strings,
		bytes_of(text)); /* not in a nested call, whose order would be undefined */
	put_label(w, pprof_string(&w->out.strings, key), id);
}

static void put_name(struct writer *w, struct bytes key, uint64_t name)
{
	if (name)
		put_label(w, pprof_string(&w->out.strings, key), name);
}

static void put_thread(struct writer *w, const struct row *row)
{
	const struct shown_thread *thread = &w->threads.items[row->thread];

	put_name(w, BYTES("thread"), thread->name);
	put_id(w, BYTES("tid"), thread->tid);
	put_id(w, BYTES("pid"), thread->pid);
	put_name(w, BYTES("comm"), thread->process);
	put_id(w, BYTES("cpu"), row->cpu);
}

static void put_own_label(struct writer *w, const struct label_set *set)
{
	uint64_t key = pprof_profile_string(&w->out.strings, set->key);
	struct bytes value = profile_text(w->profile, set->value), unit;
	int64_t number;

	if (!pprof_number_of(value, &number, &unit) || (!number && !unit.len)) {
		put_label(w, key, pprof_profile_string(&w->out.strings, set->value));
		return;
	}
	w->label.len = 0;
	protobuf_put_number(&w->label, PPROF_LABEL_KEY, key);
	protobuf_put_number(&w->label, PPROF_LABEL_NUM, (uint64_t)number);
	protobuf_put_number(&w->label, PPROF_LABEL_UNIT, pprof_string(&w->out.strings, unit));
	protobuf_put_item(&w->message, PPROF_SAMPLE_LABEL, buffer_bytes(&w->label));
}

/* A set's parents precede it. */
static void put_labels(struct writer *w, label_set_id labels)
{
	VECTOR(label_set_id) chain = {0};

	for (; labels; labels = w->profile->label_sets.items[labels].parent)
		vector_push(&chain, labels);
	while (chain.len)
		put_own_label(w, &w->profile->label_sets.items[chain.items[--chain.len]]);
	vector_release(&chain);
}

static void write_sample(struct writer *w, size_t index)
{
	const struct profile *p = w->profile;
	const struct row *row = &w->rows.items[index];

	w->message.len = w->packed.len = 0;
	for (stack_id s = row->stack; s; s = p->stack_caller.items[s])
		protobuf_put_varint(
			&w->packed, pprof_out_location(&w->out, p->stack_location.items[s]));
	protobuf_put_bytes(&w->message, PPROF_SAMPLE_LOCATION, buffer_bytes(&w->packed));
	w->packed.len = 0;
	for (size_t i = 0; i < p->streams.len; i++)
		protobuf_put_varint(
			&w->packed, (uint64_t)w->values.items[index * p->streams.len + i]);
	protobuf_put_bytes(&w->message, PPROF_SAMPLE_VALUE, buffer_bytes(&w->packed));
	put_thread(w, row);
	put_labels(w, row->labels);
	protobuf_put_item(&w->samples, PPROF_SAMPLE, buffer_bytes(&w->message));
}

static void write_samples(struct writer *w)
{
	for (uint32_t table = 0; table < w->profile->samples.len; table++) {
		sum_rows(w, table);
		for (size_t i = 0; i < w->rows.len && !is_full(w); i++)
			write_sample(w, i);
	}
}

/* ---- Types ---- */

/* pprof distinguishes types by name. */
static bool is_taken(const uint64_t *names, size_t count, uint64_t name)
{
	while (count--)
		if (names[count] == name)
			return true;
	return false;
}

static uint64_t type_name(struct writer *w, const uint64_t *names, size_t stream)
{
	const struct stream_row *row = &w->profile->streams.items[stream].row;
	const struct bytes more[] = {
		profile_text(w->profile, row->event), profile_text(w->profile, row->unit)};
	struct bytes kind = profile_text(w->profile, row->kind);
	struct buffer name = {0};
	uint64_t id;

	buffer_add(&name, kind.at, kind.len);
	if (!kind.len) /* an empty name could not be given as the default */
		buffer_text(&name, "value");
	if (row->side)
		buffer_text(&name, row->side == 1 ? ":before" : ":after");
	id = pprof_string(&w->out.strings, buffer_bytes(&name));
	for (size_t i = 0; i < 2 && is_taken(names, stream, id); i++) {
		if (!more[i].len)
			continue;
		buffer_printf(&name, ":%.*s", (int)more[i].len, more[i].at);
		id = pprof_string(&w->out.strings, buffer_bytes(&name));
	}
	for (size_t i = stream; is_taken(names, stream, id); i++) {
		buffer_printf(&name, ":%zu", i);
		id = pprof_string(&w->out.strings, buffer_bytes(&name));
	}
	buffer_release(&name);
	return id;
}

static void put_losses(struct writer *w, size_t stream)
{
	for (size_t i = 0; i < w->profile->losses.len; i++) {
		const struct loss *loss = &w->profile->losses.items[i];

		if (loss->stream != stream)
			continue;
		w->packed.len = 0;
		protobuf_put_number(&w->packed, PPROF_PAIR_FIRST,
			pprof_profile_string(&w->out.strings, loss->reason));
		protobuf_put_number(&w->packed, PPROF_PAIR_SECOND, loss->count);
		protobuf_put_item(&w->message, PPROF_TYPE_LOSS, buffer_bytes(&w->packed));
	}
}

static void write_type(struct writer *w, size_t stream, uint64_t name, struct buffer *out)
{
	const struct stream_row *row = &w->profile->streams.items[stream].row;
	struct bytes unit = profile_text(w->profile, row->unit);
	uint64_t kind = pprof_profile_string(&w->out.strings, row->kind);
	struct buffer *m = &w->message;

	m->len = 0;
	protobuf_put_number(m, PPROF_TYPE_NAME, name);
	protobuf_put_number(
		m, PPROF_TYPE_UNIT, pprof_string(&w->out.strings, pprof_unit_from_profile(unit)));
	if (kind != name)
		protobuf_put_explicit(m, PPROF_TYPE_KIND, kind);
	protobuf_put_number(m, PPROF_TYPE_EVENT, pprof_profile_string(&w->out.strings, row->event));
	protobuf_put_number(m, PPROF_TYPE_SIDE, row->side);
	protobuf_put_number(m, PPROF_TYPE_RUN, row->run);
	protobuf_put_number(m, PPROF_TYPE_EXPECTED, row->expected);
	protobuf_put_explicit(m, PPROF_TYPE_DELIVERED, row->delivered);
	protobuf_put_number(m, PPROF_TYPE_PERIOD, row->period);
	put_losses(w, stream);
	protobuf_put_item(out, PPROF_SAMPLE_TYPE, buffer_bytes(m));
}

static void write_period(struct writer *w, const uint64_t *names, struct buffer *out)
{
	for (size_t i = 0; i < w->profile->streams.len; i++) {
		const struct stream_row *row = &w->profile->streams.items[i].row;
		struct bytes unit = profile_text(w->profile, row->unit);

		if (!row->period)
			continue;
		w->message.len = 0;
		protobuf_put_number(&w->message, PPROF_TYPE_NAME, names[i]);
		protobuf_put_number(&w->message, PPROF_TYPE_UNIT,
			pprof_string(&w->out.strings, pprof_unit_from_profile(unit)));
		protobuf_put_item(out, PPROF_PERIOD_TYPE, buffer_bytes(&w->message));
		protobuf_put_number(out, PPROF_PERIOD, row->period);
		return;
	}
}

/* For a profile without streams: readers expect at least one type. */
static void write_samples_type(struct writer *w, struct buffer *out)
{
	w->message.len = 0;
	protobuf_put_number(
		&w->message, PPROF_TYPE_NAME, pprof_string(&w->out.strings, BYTES("samples")));
	protobuf_put_number(
		&w->message, PPROF_TYPE_UNIT, pprof_string(&w->out.strings, BYTES("count")));
	protobuf_put_item(out, PPROF_SAMPLE_TYPE, buffer_bytes(&w->message));
}

/* The first one is shown by default. */
static void write_types(struct writer *w, struct buffer *out)
{
	size_t count = w->profile->streams.len;
	uint64_t *names = memory_new(count, sizeof(*names));

	for (size_t i = 0; i < count; i++) {
		names[i] = type_name(w, names, i);
		write_type(w, i, names[i], out);
	}
	write_period(w, names, out);
	if (count)
		protobuf_put_number(out, PPROF_DEFAULT_SAMPLE_TYPE, names[0]);
	else
		write_samples_type(w, out);
	memory_free(names);
}

/* ---- About the profile ---- */

static void put_comment(struct writer *w, struct buffer *text, struct buffer *out)
{
	protobuf_put_number(out, PPROF_COMMENT, pprof_string(&w->out.strings, buffer_bytes(text)));
	text->len = 0;
}

/* As comments for people, and in a form for Kiln. */
static void write_meta(struct writer *w, struct buffer *out)
{
	struct buffer text = {0};

	for (size_t i = 0; i < w->profile->meta.len; i++) {
		const struct meta *meta = &w->profile->meta.items[i];
		struct bytes key = profile_text(w->profile, meta->key);
		struct bytes value = profile_text(w->profile, meta->value);

		buffer_printf(&text, "%.*s: %.*s", (int)key.len, key.at, (int)value.len, value.at);
		put_comment(w, &text, out);
		w->message.len = 0;
		protobuf_put_number(&w->message, PPROF_PAIR_FIRST,
			pprof_profile_string(&w->out.strings, meta->key));
		protobuf_put_number(&w->message, PPROF_PAIR_SECOND,
			pprof_profile_string(&w->out.strings, meta->value));
		protobuf_put_item(out, PPROF_META, buffer_bytes(&w->message));
	}
	for (size_t i = 0; i < w->profile->losses.len; i++) {
		const struct loss *loss = &w->profile->losses.items[i];
		const struct stream_row *row = &w->profile->streams.items[loss->stream].row;
		struct bytes reason = profile_text(w->profile, loss->reason);
		struct bytes kind = profile_text(w->profile, row->kind);

		buffer_printf(&text, "lost: %llu sample%s of %.*s: %.*s",
			(unsigned long long)loss->count, loss->count == 1 ? "" : "s", (int)kind.len,
			kind.at, (int)reason.len, reason.at);
		put_comment(w, &text, out);
	}
	buffer_release(&text);
}

/* The metadata "started", RFC 3339 in UTC, in nanoseconds since 1970; 0: missing. */
static uint64_t time_started(const struct profile *p)
{
	struct bytes text = profile_meta(p, BYTES("started"));
	char copy[64];
	struct tm when = {0};
	double fraction = 0;
	const char *end;

	if (!text.len || text.len >= sizeof(copy))
		return 0;
	memcpy(copy, text.at, text.len);
	copy[text.len] = '\0';
	end = strptime(copy, "%Y-%m-%dT%H:%M:%S", &when);
	if (!end)
		return 0;
	if (*end == '.')
		bytes_double((struct bytes){end, strcspn(end, "Z+-")}, &fraction);
	return (uint64_t)timegm(&when) * 1000000000 + (uint64_t)(fraction * 1e9 + 0.5);
}

/* From the first sample to the last, if they have times. */
static uint64_t time_span(const struct profile *p)
{
	struct times times = profile_times(p);

	return times.last > times.first ? times.last - times.first : 0;
}

static void write_times(struct writer *w, struct buffer *out)
{
	struct bytes recorded = profile_meta(w->profile, BYTES("duration"));
	uint64_t duration;

	if (!bytes_duration(recorded, &duration))
		duration = time_span(w->profile);
	protobuf_put_number(out, PPROF_TIME_NANOS, time_started(w->profile));
	protobuf_put_number(out, PPROF_DURATION_NANOS, duration);
}

/* ---- The file ---- */

static void writer_release(struct writer *w)
{
	pprof_out_release(&w->out);
	memory_free(w->of_thread);
	vector_release(&w->threads);
	id_map_release(&w->by_thread);
	id_map_release(&w->by_row);
	vector_release(&w->rows);
	vector_release(&w->values);
	buffer_release(&w->samples);
	buffer_release(&w->message);
	buffer_release(&w->packed);
	buffer_release(&w->label);
}

static bool write_profile(const struct profile *p, const struct pprof_settings *settings,
	uint64_t limit, struct buffer *out, struct error *err)
{
	struct writer w = {.profile = p, .settings = settings, .limit = limit};
	bool full;

	pprof_out_init(&w.out, p);
	show_threads(&w);
	write_types(&w, out);
	write_samples(&w);
	buffer_add(out, w.samples.at, w.samples.len);
	pprof_out_write(&w.out, out);
	write_times(&w, out);
	write_meta(&w, out);
	pprof_strings_write(&w.out.strings, out);
	full = w.full;
	writer_release(&w);
	return !full || expansion_error("samples in pprof's format", limit, err);
}

bool pprof_write(const struct view *v, const struct pprof_settings *settings, struct buffer *out,
	struct error *err)
{
	uint64_t limit = v->profile->limit;
	struct profile made;
	bool done;

	if (!v->changed)
		return write_profile(v->profile, settings, limit, out, err);
	view_materialise(v, &made);
	done = write_profile(&made, settings, limit, out, err);
	profile_release(&made);
	return done;
}
