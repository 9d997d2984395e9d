/* pprof.c: profiles of pprof, which Go writes and many others (github.com/google/pprof).
 *
 * The tables that samples refer to may come behind them, so the file is gone through twice: for the
 * tables, then for the samples. A place becomes one of the profile when a sample first has it. */
#include "readers/pprof_file.h"

#include "base/crew.h"
#include "base/spool.h"

#define EXPECTS "a protobuf message with sample types and samples"
#define AHEAD	32u /* samples */

/* ---- Samples ---- */

static struct pprof_string *label_key(struct pprof *p, uint64_t index)
{
	struct pprof_string *key = pprof_string_at(p, index);

	if (!key->role) {
		key->role = (int8_t)(pprof_tag_role(key->text) + 1);
		key->made = profile_string(p->profile, key->text);
	}
	return key;
}

static bool take_label(struct pprof *p, struct bytes message, struct error *err)
{
	struct protobuf m = protobuf_open(message, &pprof_label_shape);
	uint64_t key = 0, text = 0, number = 0, unit = 0;
	struct pprof_string *name;
	bool is_text = false;

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == PPROF_LABEL_KEY) {
			key = f.value;
		} else if (f.number == PPROF_LABEL_STR) {
			text = f.value;
			is_text = true;
		} else if (f.number == PPROF_LABEL_NUM) {
			number = f.value;
		} else if (f.number == PPROF_LABEL_UNIT) {
			unit = f.value;
		}
	}
	if (!pprof_finish_message(p, &m, err))
		return false;
	name = label_key(p, key);
	if (text || (is_text && !number && !unit))
		pprof_tags_add_text(&p->tags, (enum tag_role)(name->role - 1), name->made,
			pprof_string_made(p, text));
	else
		pprof_tags_add_number(&p->tags, (enum tag_role)(name->role - 1), name->made,
			(int64_t)number, pprof_text_at(p, unit));
	return true;
}

static bool take_values(struct pprof *p, struct protobuf_field f)
{
	struct cursor c = cursor_of(f.bytes);

	if (f.wire == PROTOBUF_VARINT)
		vector_push(&p->batch->values, (int64_t)f.value);
	while (c.at < c.end)
		vector_push(&p->batch->values, (int64_t)cursor_uleb(&c));
	return !c.bad;
}

static bool skip_sample(struct pprof *p, const struct protobuf_field *sample, const char *reason)
{
	if (!p->bad_samples++) {
		p->first_bad = (uint64_t)(sample->at - p->start);
		p->bad_reason = reason;
	}
	return true;
}

/* The batch's next sample is complete. */
static bool add_sample(struct pprof *p)
{
	pprof_tags_apply(&p->tags, &p->batch->samples[p->batch->count++]);
	p->taken++;
	if (p->batch->count == PPROF_BATCH || p->batch->steps.len >= PPROF_BATCH_STEPS)
		p->batch = pprof_adder_pass(p->adder);
	return true;
}

/* Labels come last, and most sets of them again. */
struct label_run {
	struct seen_question question; /* what are the bytes from the first on? */
	bool begun, only, known;
};

static void begin_labels(
	struct pprof *p, const struct protobuf *sample, const char *first, struct label_run *run)
{
	struct bytes bytes = {first, (size_t)((const char *)sample->cursor.end - first)};
	uint32_t kept;

	run->begun = run->only = true;
	run->question = seen_question(&p->labels_seen, bytes);
	kept = seen_find(&p->labels_seen, &run->question);
	run->known = kept;
	if (kept)
		pprof_tags_recall(&p->tags, kept - 1);
}

static bool take_sample_fields(
	struct pprof *p, struct bytes message, struct bytes *whole, struct error *err)
{
	struct protobuf m = protobuf_open(message, &pprof_sample_shape);
	struct label_run run = {0};

	for (struct protobuf_field f; !run.known && protobuf_next(&m, &f);) {
		if (f.number == PPROF_SAMPLE_LABEL && !run.begun)
			begin_labels(p, &m, f.at, &run);
		if (f.number == PPROF_SAMPLE_LABEL && !run.known && !take_label(p, f.bytes, err))
			return false;
		if (f.number != PPROF_SAMPLE_LABEL)
			run.only = false;
		if (f.number == PPROF_SAMPLE_VALUE && !take_values(p, f))
			return pprof_fail_at(p, f.at, "whole values", err);
		if (f.number != PPROF_SAMPLE_LOCATION)
			continue;
		if (!whole->len && !p->rows.len && f.wire == PROTOBUF_BYTES) {
			*whole = f.bytes;
			continue;
		}
		if (!pprof_take_packed(p, *whole) ||
			(f.wire == PROTOBUF_BYTES && !pprof_take_packed(p, f.bytes)))
			return pprof_fail_at(p, f.at, "whole numbers of locations", err);
		if (f.wire == PROTOBUF_VARINT)
			pprof_take_location(p, f.value);
		whole->len = 0;
	}
	if (!run.known && run.only && !m.failed)
		seen_put(&p->labels_seen, &run.question, pprof_tags_keep(&p->tags) + 1);
	return pprof_finish_message(p, &m, err);
}

static bool take_sample(struct pprof *p, const struct protobuf_field *field,
	struct seen_question *stack, struct error *err)
{
	size_t values = p->batch->values.len;
	struct bytes whole = {0};
	const char *reason;

	p->rows.len = 0;
	pprof_tags_clear(&p->tags);
	p->seen++;
	if (!take_sample_fields(p, field->bytes, &whole, err))
		return false;
	if (p->batch->values.len - values != p->types.len)
		reason = "expected a value for each sample type";
	else if (pprof_take_stack(p, whole, stack, &reason))
		return add_sample(p);
	p->batch->values.len = values;
	return skip_sample(p, field, reason);
}

#define THREAD_LEAST ((size_t)1 << 20) /* bytes: a thread is not worth its while for less */

/* How many samples there can be: each takes a few bytes, and one for each value. */
static size_t samples_most(const struct pprof *p, size_t size)
{
	size_t most = size / (4 + p->types.len);

	return p->listed < most ? p->listed : most;
}

/* Samples whose stacks are looked up at once. */
struct ahead {
	struct protobuf_field samples[AHEAD];
	struct seen_question stacks[AHEAD];
	size_t count;
};

/* The locations as most samples have them: first, and in one field. */
static struct bytes first_locations(struct bytes sample)
{
	struct protobuf m = protobuf_open(sample, &pprof_sample_shape);
	struct protobuf_field f;

	if (protobuf_next(&m, &f) && f.number == PPROF_SAMPLE_LOCATION && f.wire == PROTOBUF_BYTES)
		return f.bytes;
	return (struct bytes){0};
}

/* False when there is none. */
static bool look_ahead(struct pprof *p, struct protobuf *content, struct ahead *a)
{
	struct protobuf_field f;

	a->count = 0;
	while (a->count < AHEAD && protobuf_next(content, &f)) {
		if (f.number != PPROF_SAMPLE)
			continue;
		a->samples[a->count] = f;
		a->stacks[a->count++] = seen_question(&p->stacks_seen, first_locations(f.bytes));
	}
	seen_expect(&p->stacks_seen, a->stacks, a->count);
	return a->count;
}

static bool take_samples(struct pprof *p, struct bytes content, struct error *err)
{
	struct protobuf m = protobuf_open(content, &pprof_profile_shape);
	struct ahead ahead;
	bool done = true;

	p->adder = pprof_adder_new(p->profile, p->samples, samples_most(p, content.len),
		p->stream_of, p->types.len, content.len >= THREAD_LEAST && crew_size(2) > 1);
	p->batch = pprof_adder_batch(p->adder);
	while (done && look_ahead(p, &m, &ahead))
		for (size_t i = 0; done && i < ahead.count; i++)
			done = take_sample(p, &ahead.samples[i], &ahead.stacks[i], err);
	pprof_adder_pass(p->adder);
	pprof_adder_finish(p->adder);
	return done;
}

/* ---- The file ---- */

static bool read_content(struct pprof *p, struct bytes content, struct error *err)
{
	p->start = content.at;
	p->end = content.at + content.len;
	if (!pprof_take_tables(p, content, err))
		return false;
	pprof_open_streams(p);
	if (!take_samples(p, content, err))
		return false;
	if (p->bad_samples && !p->taken)
		return error_set(err, ERR_FORMAT, "byte %llu: %s", (unsigned long long)p->first_bad,
			p->bad_reason);
	pprof_tell(p, content);
	return true;
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct spool spool = {0};
	struct bytes content;
	struct pprof p;
	bool done;

	pprof_file_init(&p, options, out);
	done = spool_input(&spool, in, &content, err) && read_content(&p, content, err);
	pprof_file_release(&p);
	spool_release(&spool);
	return done;
}

/* Any letter can be a field's number, but a type with a name is not easily met in text. */
static bool has_type(struct bytes head)
{
	struct protobuf m = protobuf_open(head, &pprof_profile_shape);

	for (struct protobuf_field f; protobuf_next(&m, &f);)
		if (f.number == PPROF_SAMPLE_TYPE && f.bytes.len)
			return true;
	return false;
}

#define FIELDS_MOST 6 /* that count as evidence */

static int bid(struct bytes head)
{
	int fields = has_type(head) ? protobuf_fits(head, &pprof_profile_shape, true) : 0;

	if (fields < 2)
		return 0;
	return 8 * (fields < FIELDS_MOST ? fields : FIELDS_MOST);
}

const struct reader reader_pprof = {
	.name = "pprof",
	.about = "profiles of pprof: Go's runtime and many others write them",
	.expects = EXPECTS,
	.proof = "CPU and heap profiles of Go 1.19's runtime, sample by sample as go tool pprof "
		 "has them",
	.bid = bid,
	.read = read,
};
