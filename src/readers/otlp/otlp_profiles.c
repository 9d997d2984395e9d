/* otlp_profiles.c: which samples do messages of OpenTelemetry's profiles have?
 *
 * Each profile in them has one kind of value; profiles of the same kind and unit become one stream.
 */
#include "readers/otlp/otlp_profiles.h"

#include "base/slot_queue.h"
#include "readers/otlp/otlp_dictionary.h"
#include "readers/pprof/sampled_time.h"

#include <assert.h>
#include <stdlib.h>

#define KINDS_LIMIT 256u /* kinds of values */
#define BATCH	    256u /* samples */
#define BATCHES	    16u

/* ---- Fields ---- */

enum { DATA_RESOURCE_PROFILES = 1, DATA_DICTIONARY };
enum { RESOURCE_PROFILES_RESOURCE = 1, RESOURCE_PROFILES_SCOPES, RESOURCE_PROFILES_SCHEMA };
enum { RESOURCE_ATTRIBUTES = 1, RESOURCE_DROPPED, RESOURCE_ENTITIES };
enum { SCOPE_PROFILES_SCOPE = 1, SCOPE_PROFILES_PROFILES, SCOPE_PROFILES_SCHEMA };
enum { SCOPE_NAME = 1, SCOPE_VERSION, SCOPE_ATTRIBUTES, SCOPE_DROPPED };
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLES,
	PROFILE_TIME,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_ID,
	PROFILE_DROPPED,
	PROFILE_PAYLOAD_FORMAT,
	PROFILE_PAYLOAD,
	PROFILE_ATTRIBUTES,
};
enum { SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES, SAMPLE_LINK, SAMPLE_VALUES, SAMPLE_TIMES };
enum { TYPE_KIND = 1, TYPE_UNIT };

static const struct protobuf_schema type_shape = {
	3, {[TYPE_KIND] = {PROTOBUF_NUMBER, 0}, [TYPE_UNIT] = {PROTOBUF_NUMBER, 0}}};
static const struct protobuf_schema sample_shape = {
	6, {[SAMPLE_STACK] = {PROTOBUF_NUMBER, 0},
		   [SAMPLE_ATTRIBUTES] = {PROTOBUF_NUMBERS, 0},
		   [SAMPLE_LINK] = {PROTOBUF_NUMBER, 0},
		   [SAMPLE_VALUES] = {PROTOBUF_NUMBERS, 0},
		   [SAMPLE_TIMES] = {PROTOBUF_FIXEDS, 0}}};
static const struct protobuf_schema profile_shape = {
	12, {[PROFILE_SAMPLE_TYPE] = {PROTOBUF_TEXT, &type_shape},
		    [PROFILE_SAMPLES] = {PROTOBUF_TEXT, &sample_shape},
		    [PROFILE_TIME] = {PROTOBUF_FIXED, 0},
		    [PROFILE_DURATION] = {PROTOBUF_NUMBER, 0},
		    [PROFILE_PERIOD_TYPE] = {PROTOBUF_TEXT, &type_shape},
		    [PROFILE_PERIOD] = {PROTOBUF_NUMBER, 0},
		    [PROFILE_ID] = {PROTOBUF_TEXT, 0},
		    [PROFILE_DROPPED] = {PROTOBUF_NUMBER, 0},
		    [PROFILE_PAYLOAD_FORMAT] = {PROTOBUF_TEXT, 0},
		    [PROFILE_PAYLOAD] = {PROTOBUF_TEXT, 0},
		    [PROFILE_ATTRIBUTES] = {PROTOBUF_NUMBERS, 0}}};
static const struct protobuf_schema scope_shape = {
	5, {[SCOPE_NAME] = {PROTOBUF_TEXT, 0},
		   [SCOPE_VERSION] = {PROTOBUF_TEXT, 0},
		   [SCOPE_ATTRIBUTES] = {PROTOBUF_TEXT, 0},
		   [SCOPE_DROPPED] = {PROTOBUF_NUMBER, 0}}};
static const struct protobuf_schema scope_profiles_shape = {
	4, {[SCOPE_PROFILES_SCOPE] = {PROTOBUF_TEXT, &scope_shape},
		   [SCOPE_PROFILES_PROFILES] = {PROTOBUF_TEXT, &profile_shape},
		   [SCOPE_PROFILES_SCHEMA] = {PROTOBUF_TEXT, 0}}};
static const struct protobuf_schema resource_shape = {
	4, {[RESOURCE_ATTRIBUTES] = {PROTOBUF_TEXT, &otlp_key_value_shape},
		   [RESOURCE_DROPPED] = {PROTOBUF_NUMBER, 0},
		   [RESOURCE_ENTITIES] = {PROTOBUF_TEXT, 0}}};
static const struct protobuf_schema resource_profiles_shape = {
	4, {[RESOURCE_PROFILES_RESOURCE] = {PROTOBUF_TEXT, &resource_shape},
		   [RESOURCE_PROFILES_SCOPES] = {PROTOBUF_TEXT, &scope_profiles_shape},
		   [RESOURCE_PROFILES_SCHEMA] = {PROTOBUF_TEXT, 0}}};
const struct protobuf_schema otlp_data_shape = {
	3, {[DATA_RESOURCE_PROFILES] = {PROTOBUF_TEXT, &resource_profiles_shape},
		   [DATA_DICTIONARY] = {PROTOBUF_TEXT, &otlp_dictionary_shape}}};

/* ---- What is read ---- */

/* Profiles of one kind and unit. */
struct kind {
	string_id kind, unit;
	string_id period_kind, period_unit; /* of a period that is in another unit; 0: none */
	uint64_t period;
	uint32_t samples, stream;
	uint64_t delivered;
	bool any_time;
};

struct otlp {
	struct profile *profile;
	unsigned want;
	bool is_json; /* errors give numbers of samples: messages are not the input */
	struct otlp_dictionary dictionary;
	struct paths paths;
	struct pprof_tags tags;
	struct pprof_tag_set resource; /* of all samples below it */
	VECTOR(struct kind) kinds;
	size_t kind;		 /* of the present profile */
	uint64_t time, duration; /* of the present profile */
	uint64_t first_time, longest;
	struct taking *taking; /* samples */
	VECTOR(int64_t) values;
	VECTOR(uint64_t) times;
	uint64_t seen, taken, bad_samples, first_bad, bad_references;
	const char *bad_reason;
};

static void tag(struct otlp *o, const struct otlp_attribute *a)
{
	if (!a || !a->key)
		return;
	if (a->is_number)
		pprof_tags_add_number(&o->tags, a->role, a->key, a->number, a->unit);
	else
		pprof_tags_add_text(&o->tags, a->role, a->key, a->text);
}

/* ---- Samples ---- */

static bool skip_sample(struct otlp *o, const struct protobuf_field *sample, const char *reason)
{
	if (!o->bad_samples++) {
		o->first_bad = o->is_json ? o->seen : (uint64_t)(sample->at - o->dictionary.start);
		o->bad_reason = reason;
	}
	return true;
}

static bool take_times(struct otlp *o, const struct protobuf_field *f)
{
	struct cursor c = cursor_of(f->bytes);

	if (f->wire == PROTOBUF_FIXED64)
		vector_push(&o->times, f->value);
	while (cursor_left(&c) >= 8)
		vector_push(&o->times, cursor_fixed(&c, 8));
	return !cursor_left(&c);
}

static bool take_numbers(struct otlp *o, const struct protobuf_field *f)
{
	uint64_t number;
	bool bad = false;

	for (size_t at = 0; protobuf_number(f, &at, &number, &bad);) {
		if (f->number == SAMPLE_VALUES)
			vector_push(&o->values, (int64_t)number);
		else
			tag(o, otlp_attribute_at(&o->dictionary, number));
	}
	return !bad;
}

static void add_row(struct otlp *o, stack_id stack, uint64_t time, int64_t value)
{
	const struct kind *kind = &o->kinds.items[o->kind];
	struct sample sample = {.stack = stack, .time = time};

	if (o->want & WANT_TIMES)
		sample.has = SAMPLE_TIME;
	pprof_tags_apply(&o->tags, &sample);
	pprof_tags_fill(&o->profile->samples.items[kind->samples], sample.has);
	profile_add_sample(o->profile, kind->samples, &sample);
	vector_push(&o->profile->streams.items[kind->stream].value, value);
}

/* All values of a sample as one; a time without a value counts 1. */
static bool sum_values(struct otlp *o, int64_t *ret_sum)
{
	int64_t sum = 0;

	for (size_t i = 0; i < o->values.len; i++)
		if (__builtin_add_overflow(sum, o->values.items[i], &sum))
			return false;
	*ret_sum = o->values.len ? sum : (int64_t)o->times.len;
	return true;
}

static bool times_fit(const struct otlp *o)
{
	for (size_t i = 0; i < o->times.len; i++)
		if (o->times.items[i] > PROFILE_TIME_LIMIT)
			return false;
	return true;
}

/* A sample with times is several observations, one a time. */
static bool add_sample(struct otlp *o, const struct protobuf_field *sample, stack_id stack)
{
	size_t times = o->times.len, values = o->values.len;
	struct kind *kind = &o->kinds.items[o->kind];
	int64_t sum;

	if (!times && !values)
		return skip_sample(o, sample, "expected values or times");
	if (times && values && times != values)
		return skip_sample(o, sample, "expected as many values as times");
	if (!times_fit(o))
		return skip_sample(o, sample, "expected times of at most 2^62 ns");
	if (!sum_values(o, &sum))
		return skip_sample(o, sample, "expected values that add up to less than 2^63");
	o->taken++;
	kind->delivered += times ? times : 1;
	if (!(o->want & WANT_TIMES) || !times) {
		add_row(o, stack, o->time, sum);
		return true;
	}
	kind->any_time = true;
	for (size_t i = 0; i < times; i++)
		add_row(o, stack, o->times.items[i], values ? o->values.items[i] : 1);
	return true;
}

static bool take_sample(
	struct otlp *o, const struct protobuf_field *sample, uint64_t stack_row, struct error *err)
{
	struct protobuf m = protobuf_open(sample->bytes, &sample_shape);
	uint64_t link = 0;
	bool whole = true;
	stack_id stack;

	o->seen++;
	o->values.len = o->times.len = 0;
	o->tags.now = o->resource;
	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == SAMPLE_LINK)
			link = f.value;
		else if (f.number == SAMPLE_TIMES)
			whole &= take_times(o, &f);
		else if (f.number == SAMPLE_VALUES || f.number == SAMPLE_ATTRIBUTES)
			whole &= take_numbers(o, &f);
	}
	if (!otlp_finish_message(&o->dictionary, &m, err))
		return false;
	if (!whole)
		return skip_sample(o, sample, "expected integers");
	if (!otlp_stack_at(&o->dictionary, stack_row, &stack))
		return skip_sample(o, sample,
			"expected a stack of at most " READ_DEPTH_TEXT
			" frames, with locations that the file "
			"has");
	otlp_link_labels(&o->dictionary, link, &o->tags);
	return add_sample(o, sample, stack);
}

/* ---- Profiles ---- */

static bool take_type(struct otlp *o, struct bytes message, string_id *ret_kind,
	string_id *ret_unit, struct error *err)
{
	struct protobuf m = protobuf_open(message, &type_shape);
	struct otlp_dictionary *d = &o->dictionary;

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == TYPE_KIND)
			*ret_kind = profile_string(o->profile, otlp_text(d, f.value));
		else if (f.number == TYPE_UNIT)
			*ret_unit = profile_string(
				o->profile, pprof_unit_to_profile(otlp_text(d, f.value)));
	}
	return otlp_finish_message(d, &m, err);
}

static bool is_kind(const struct kind *a, const struct kind *b)
{
	return a->kind == b->kind && a->unit == b->unit && a->period_kind == b->period_kind &&
	       a->period_unit == b->period_unit && a->period == b->period;
}

static bool open_kind(struct otlp *o, struct kind new, struct error *err)
{
	for (o->kind = 0; o->kind < o->kinds.len; o->kind++)
		if (is_kind(&o->kinds.items[o->kind], &new))
			return true;
	if (o->kinds.len == KINDS_LIMIT)
		return error_set(err, ERR_LIMIT, "more than %u kinds of values", KINDS_LIMIT);
	new.samples = profile_add_samples(o->profile);
	new.stream = profile_add_stream(
		o->profile, new.samples, (struct bytes){0}, (struct bytes){0}, (struct bytes){0});
	o->profile->streams.items[new.stream].row.kind = new.kind;
	o->profile->streams.items[new.stream].row.unit = new.unit;
	vector_push(&o->kinds, new);
	return true;
}

static void take_attributes(struct otlp *o, const struct protobuf_field *f)
{
	uint64_t index;
	bool bad;

	for (size_t at = 0; protobuf_number(f, &at, &index, &bad);)
		tag(o, otlp_attribute_at(&o->dictionary, index));
}

/* All that is known of the samples, which may come before it. */
static bool take_about(struct otlp *o, struct bytes message, struct error *err)
{
	struct protobuf m = protobuf_open(message, &profile_shape);
	struct kind new = {0};
	uint64_t period = 0;
	bool done = true, own;

	o->time = o->duration = 0;
	o->tags.now = o->resource;
	for (struct protobuf_field f; done && protobuf_next(&m, &f);) {
		if (f.number == PROFILE_SAMPLE_TYPE)
			done = take_type(o, f.bytes, &new.kind, &new.unit, err);
		else if (f.number == PROFILE_PERIOD_TYPE)
			done = take_type(o, f.bytes, &new.period_kind, &new.period_unit, err);
		else if (f.number == PROFILE_PERIOD)
			period = f.value;
		else if (f.number == PROFILE_TIME)
			o->time = f.value <= PROFILE_TIME_LIMIT ? f.value : 0;
		else if (f.number == PROFILE_DURATION)
			o->duration = f.value;
		else if (f.number == PROFILE_ATTRIBUTES)
			take_attributes(o, &f);
	}
	own = new.period_kind == new.kind &&new.period_unit == new.unit;
	if (own || !period)
		new.period_kind = new.period_unit = 0;
	else
		new.period = period;
	if (!done || !otlp_finish_message(&o->dictionary, &m, err) || !open_kind(o, new, err))
		return false;
	if (period && own)
		o->profile->streams.items[o->kinds.items[o->kind].stream].row.period = period;
	if (o->time && (!o->first_time || o->time < o->first_time))
		o->first_time = o->time;
	if (o->duration > o->longest)
		o->longest = o->duration;
	return true;
}

/* ---- Samples on their way ---- */

/* One thread finds samples and expects their stacks, another makes those and adds the samples. */
struct batch {
	size_t count;
	struct batch_sample {
		struct protobuf_field field;
		uint64_t stack; /* its row */
	} samples[BATCH];
	struct otlp_expected expected; /* stacks that none before it has */
};

struct taking {
	struct otlp *otlp;
	struct error error;
	struct slot_queue slot_queue;
	struct batch batches[BATCHES];
};

static bool take_batch(void *taking, size_t slot)
{
	struct taking *t = taking;
	struct batch *batch = &t->batches[slot];
	bool done = true;

	otlp_make_stacks(&t->otlp->dictionary, &batch->expected);
	for (size_t i = 0; done && i < batch->count; i++)
		done = take_sample(
			t->otlp, &batch->samples[i].field, batch->samples[i].stack, &t->error);
	batch->count = 0;
	return done;
}

/* 0: it has none. */
static uint64_t stack_of(struct bytes sample)
{
	struct protobuf m = protobuf_open(sample, &sample_shape);
	uint64_t stack = 0;

	for (struct protobuf_field f; protobuf_next(&m, &f);)
		if (f.number == SAMPLE_STACK)
			stack = f.value;
	return stack;
}

static bool find_samples(struct taking *t, struct bytes message)
{
	struct protobuf m = protobuf_open(message, &profile_shape);
	struct otlp_dictionary *d = &t->otlp->dictionary;

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		struct batch *batch = &t->batches[slot_queue_slot(&t->slot_queue)];
		struct batch_sample *sample = &batch->samples[batch->count];

		if (f.number != PROFILE_SAMPLES)
			continue;
		*sample = (struct batch_sample){f, stack_of(f.bytes)};
		otlp_expect_stack(d, sample->stack, &batch->expected);
		if (++batch->count == BATCH && !slot_queue_push(&t->slot_queue))
			return false;
	}
	return slot_queue_push(&t->slot_queue);
}

static struct taking *taking_new(struct otlp *o)
{
	struct taking *t = memory_new(1, sizeof(*t));

	t->otlp = o;
	return t;
}

static void taking_free(struct taking *t)
{
	for (size_t i = 0; i < BATCHES; i++)
		otlp_expected_release(&t->batches[i].expected);
	memory_free(t);
}

static bool take_samples(struct otlp *o, struct bytes message, struct error *err)
{
	struct taking *t = o->taking;

	t->slot_queue = (struct slot_queue){
		.slots = BATCHES, .wake_batch = BATCHES / 2, .consume = take_batch, .context = t};
	slot_queue_open(&t->slot_queue, message.len >= SLOT_QUEUE_MIN_INPUT);
	find_samples(t, message);
	if (slot_queue_close(&t->slot_queue))
		return true;
	*err = t->error;
	return false;
}

static bool take_profile(struct otlp *o, struct bytes message, struct error *err)
{
	struct pprof_tag_set outside = o->resource;
	bool done = take_about(o, message, err);

	o->resource = o->tags.now; /* with the profile's own attributes */
	done = done && take_samples(o, message, err);
	o->resource = outside;
	return done;
}

/* ---- Scopes and resources ---- */

static void take_scope(struct otlp *o, struct bytes message)
{
	struct protobuf m = protobuf_open(message, &scope_shape);
	struct bytes name = {0}, version = {0};
	struct buffer text = {0};

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == SCOPE_NAME)
			name = f.bytes;
		else if (f.number == SCOPE_VERSION)
			version = f.bytes;
	}
	if (name.len) {
		buffer_add(&text, name.at, name.len);
		if (version.len)
			buffer_printf(&text, " %.*s", (int)version.len, version.at);
		profile_set_meta(o->profile, BYTES("recorder"), buffer_bytes(&text));
	}
	buffer_release(&text);
}

static bool take_scope_profiles(struct otlp *o, struct bytes message, struct error *err)
{
	struct protobuf m = protobuf_open(message, &scope_profiles_shape);

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == SCOPE_PROFILES_SCOPE)
			take_scope(o, f.bytes);
		else if (f.number == SCOPE_PROFILES_PROFILES && !take_profile(o, f.bytes, err))
			return false;
	}
	return otlp_finish_message(&o->dictionary, &m, err);
}

/* Its attributes are labels of all samples: another resource has others. */
static bool take_resource(struct otlp *o, struct bytes message, struct error *err)
{
	struct protobuf m = protobuf_open(message, &resource_shape);

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		struct otlp_attribute a;

		if (f.number != RESOURCE_ATTRIBUTES)
			continue;
		a = otlp_key_value(&o->dictionary, f.bytes);
		tag(o, &a);
	}
	return otlp_finish_message(&o->dictionary, &m, err);
}

static bool take_resource_profiles(struct otlp *o, struct bytes message, struct error *err)
{
	struct protobuf m = protobuf_open(message, &resource_profiles_shape);

	pprof_tags_clear(&o->tags);
	for (struct protobuf_field f; protobuf_next(&m, &f);)
		if (f.number == RESOURCE_PROFILES_RESOURCE && !take_resource(o, f.bytes, err))
			return false;
	if (!otlp_finish_message(&o->dictionary, &m, err))
		return false;
	o->resource = o->tags.now;
	m = protobuf_open(message, &resource_profiles_shape);
	for (struct protobuf_field f; protobuf_next(&m, &f);)
		if (f.number == RESOURCE_PROFILES_SCOPES && !take_scope_profiles(o, f.bytes, err))
			return false;
	return true;
}

/* ---- The file ---- */

static void finish_kinds(struct otlp *o)
{
	for (size_t i = 0; i < o->kinds.len; i++) {
		const struct kind *kind = &o->kinds.items[i];
		struct samples *samples = &o->profile->samples.items[kind->samples];
		struct stream_row *row = &o->profile->streams.items[kind->stream].row;

		if (!kind->any_time)
			vector_release(&samples->time);
		else
			row->wall_offset = 0;
		row->delivered = kind->delivered;
		sampled_time_add(o->profile, kind->stream,
			&(struct sampled_time){profile_text(o->profile, kind->period_kind),
				profile_text(o->profile, kind->period_unit), kind->period});
	}
	pprof_set_times(o->profile, o->first_time, o->longest);
}

static const char *what_is_first(const struct otlp *o)
{
	return o->is_json ? "sample" : "byte";
}

static void note_oddities(const struct otlp *o)
{
	if (o->bad_samples)
		profile_note(o->profile, "%llu of %llu samples skipped, first at %s %llu: %s",
			(unsigned long long)o->bad_samples, (unsigned long long)o->seen,
			what_is_first(o), (unsigned long long)o->first_bad, o->bad_reason);
	if (o->bad_references)
		profile_note(o->profile, "references to missing dictionary entries: %llu",
			(unsigned long long)o->bad_references);
}

static bool take_dictionary(struct otlp *o, struct bytes content, struct error *err)
{
	struct protobuf m = protobuf_open(content, &otlp_data_shape);

	for (struct protobuf_field f; protobuf_next(&m, &f);)
		if (f.number == DATA_DICTIONARY &&
			!otlp_dictionary_take(&o->dictionary, f.bytes, err))
			return false;
	return otlp_finish_message(&o->dictionary, &m, err) &&
	       otlp_dictionary_resolve(&o->dictionary, err);
}

struct otlp *otlp_new(const struct read_options *options, bool is_json, struct profile *profile)
{
	struct otlp *o = memory_new(1, sizeof(*o));

	*o = (struct otlp){.profile = profile,
		.want = options->want,
		.is_json = is_json,
		.paths = {.profile = profile},
		.tags = {.profile = profile, .want = options->want},
		.taking = taking_new(o)};
	return o;
}

bool otlp_take(struct otlp *o, struct bytes message, struct error *err)
{
	struct protobuf m = protobuf_open(message, &otlp_data_shape);
	bool done;

	otlp_dictionary_init(&o->dictionary, o->profile, &o->paths, message);
	done = take_dictionary(o, message, err);
	for (struct protobuf_field f; done && protobuf_next(&m, &f);)
		if (f.number == DATA_RESOURCE_PROFILES)
			done = take_resource_profiles(o, f.bytes, err);
	o->bad_references += o->dictionary.bad_references;
	otlp_dictionary_release(&o->dictionary);
	return done;
}

bool otlp_finish(struct otlp *o, const char *what, uint64_t end, struct error *err)
{
	if (!o->kinds.len)
		return error_set(err, ERR_FORMAT, "%s %llu: unexpected end: expected a profile",
			what, (unsigned long long)end);
	if (o->bad_samples && !o->taken)
		return error_set(err, ERR_FORMAT, "%s %llu: %s", what_is_first(o),
			(unsigned long long)o->first_bad, o->bad_reason);
	finish_kinds(o);
	note_oddities(o);
	return true;
}

void otlp_release(struct otlp *o)
{
	paths_release(&o->paths);
	pprof_tags_release(&o->tags);
	vector_release(&o->kinds);
	vector_release(&o->values);
	vector_release(&o->times);
	taking_free(o->taking);
	memory_free(o);
}
