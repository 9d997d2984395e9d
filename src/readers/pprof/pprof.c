/* pprof.c: profiles of pprof, which Go writes and many others (github.com/google/pprof).
 *
 * The tables that samples refer to may come behind them, so the file is gone through twice: for the
 * tables, then for the samples. A place becomes one of the profile when a sample first has it. */
#include "readers/pprof/pprof_adder.h"
#include "readers/pprof/pprof_file.h"

#include "base/slot_queue.h"
#include "base/spool.h"

#define EXPECTS "a protobuf message with sample types and samples"
#define AHEAD	32u /* samples */

/* ---- Samples ---- */

/* Put the sample's parts into the batch: the fields that others look into, and its locations,
 * which are in *ret_whole when they are all in one field, else in rows. */
static bool take_parts(struct pprof *p, const struct protobuf_field *field, struct bytes *ret_whole,
	struct error *err)
{
	struct protobuf m = protobuf_open(field->bytes, &pprof_sample_shape);
	const char *fields = NULL, *labels = NULL, *end = field->bytes.at + field->bytes.len;
	struct bytes whole = {0};

	p->rows.len = 0;
	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == PPROF_SAMPLE_LABEL)
			labels = labels ? labels : f.at;
		else if (labels) /* not only labels follow */
			labels = end;
		if (f.number != PPROF_SAMPLE_LOCATION) {
			fields = fields ? fields : f.at;
			continue;
		}
		if (!whole.len && !p->rows.len && f.wire == PROTOBUF_BYTES) {
			whole = f.bytes;
			continue;
		}
		if (!pprof_take_packed(p, whole) ||
			(f.wire == PROTOBUF_BYTES && !pprof_take_packed(p, f.bytes)))
			return pprof_fail_at(p, f.at, "locations as integers", err);
		if (f.wire == PROTOBUF_VARINT)
			pprof_take_location(p, f.value);
		whole.len = 0;
	}
	labels = labels ? labels : end;
	p->batch->samples[p->batch->count] = (struct pprof_taken){
		.at = field->at, .fields = fields ? fields : end, .labels = labels, .end = end};
	*ret_whole = whole;
	return pprof_finish_message(p, &m, err);
}

/* The batch's next sample is complete. */
static bool pass_sample(struct pprof *p)
{
	p->batch->count++;
	if (p->batch->count == PPROF_BATCH || p->batch->steps.len >= PPROF_BATCH_STEPS)
		p->batch = pprof_adder_pass(p->adder);
	return p->batch;
}

static bool take_sample(struct pprof *p, const struct protobuf_field *field,
	struct seen_question *stack, struct error *err)
{
	struct bytes whole = {0};
	const char *reason;

	p->seen++;
	if (!take_parts(p, field, &whole, err))
		return false;
	if (pprof_take_stack(p, whole, stack, &reason))
		return pass_sample(p);
	pprof_skip_sample(p, &p->without_stack, field->at, reason);
	return true;
}

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

	p->adder = pprof_adder_new(
		p, samples_most(p, content.len), content.len >= SLOT_QUEUE_MIN_INPUT);
	p->batch = pprof_adder_batch(p->adder);
	while (done && look_ahead(p, &m, &ahead))
		for (size_t i = 0; done && i < ahead.count; i++)
			done = take_sample(p, &ahead.samples[i], &ahead.stacks[i], err);
	return pprof_adder_finish(p->adder, err) && done;
}

/* ---- The file ---- */

static bool read_content(struct pprof *p, struct bytes content, struct error *err)
{
	struct pprof_skipped bad;

	p->start = content.at;
	p->end = content.at + content.len;
	if (!pprof_take_tables(p, content, err))
		return false;
	pprof_make_places(p);
	pprof_open_streams(p);
	if (!take_samples(p, content, err))
		return false;
	bad = pprof_skipped(p);
	if (bad.count && !p->taken)
		return error_set(err, ERR_FORMAT, "byte %llu: %s", (unsigned long long)bad.first,
			bad.reason);
	pprof_set_metadata(p, content);
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

#define FIELDS_LIMIT 6 /* that count as evidence */

static int bid(struct bytes head)
{
	int fields = has_type(head) ? protobuf_match(head, &pprof_profile_shape, true) : 0;

	if (fields < 2)
		return 0;
	return 8 * (fields < FIELDS_LIMIT ? fields : FIELDS_LIMIT);
}

const struct reader reader_pprof = {
	.name = "pprof",
	.about = "pprof profiles, written by Go and many other tools",
	.expects = EXPECTS,
	.proof = "CPU and heap profiles of Go 1.19, compared with go tool pprof sample by sample",
	.bid = bid,
	.read = read,
};
