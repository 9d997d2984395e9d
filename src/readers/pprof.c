/* pprof.c: profiles of pprof, which Go writes and many others (github.com/google/pprof).
 *
 * The tables that samples refer to may come behind them, so the file is gone through twice: for the
 * tables, then for the samples. A place becomes one of the profile when a sample first has it. */
#include "readers/pprof_file.h"

#include "base/spool.h"

#define EXPECTS "a protobuf message with sample types and samples"

/* ---- Samples ---- */

static void take_line(struct pprof *p, struct bytes message)
{
	struct protobuf m = protobuf_open(message, &pprof_line_shape);
	struct pprof_line line = {.kind = PPROF_KIND_UNTOLD};

	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == PPROF_LINE_FUNCTION) {
			line.function = pprof_row_of(
				p, &p->function_rows, PPROF_ID_ROWS(&p->places.functions), f.value);
		} else if (f.number == PPROF_LINE_LINE) {
			line.line = f.value <= UINT32_MAX ? (uint32_t)f.value : 0;
		} else if (f.number == PPROF_LINE_KIND && f.value < FRAME_KINDS) {
			line.kind = (uint32_t)f.value;
		} else if (f.number == PPROF_LINE_MODULE && f.wire == PROTOBUF_VARINT) {
			line.module = pprof_string_made(p, f.value);
			line.has_module = true;
		}
	}
	vector_push(&p->places.lines, line);
}

static void make_place(struct pprof *p, struct pprof_place *place)
{
	struct protobuf m = protobuf_open(place->message, &pprof_location_shape);
	uint64_t mapping = 0, address = 0;

	p->places.lines.len = 0;
	for (struct protobuf_field f; protobuf_next(&m, &f);) {
		if (f.number == PPROF_LOCATION_MAPPING)
			mapping = f.value;
		else if (f.number == PPROF_LOCATION_ADDRESS)
			address = f.value;
		else if (f.number == PPROF_LOCATION_LINE)
			take_line(p, f.bytes);
	}
	place->made = pprof_places_make(&p->places,
		pprof_row_of(p, &p->mapping_rows, PPROF_ID_ROWS(&p->places.mappings), mapping),
		address, &place->cut);
}

/* False: the rest is no part of the stack. */
static inline bool add_place(
	struct pprof *p, struct pprof_place *place, bool *code, stack_id *stack)
{
	if (!place->made.count)
		make_place(p, place);
	if (place->cut == CUT_ALL && *code)
		return false;
	*code |= place->cut == CUT_NOTHING;
	for (uint32_t i = 0; i < place->made.count; i++)
		*stack = profile_stack(
			p->profile, *stack, p->places.made.items[place->made.first + i]);
	return place->cut != CUT_BELOW || !*code;
}

/* With the frames that drop_frames asks to leave out left out. As pprof has it, frames that are
 * outside of all others stay, so that not everything goes. */
static stack_id make_cut_stack(struct pprof *p)
{
	stack_id stack = 0;
	bool code = false;

	for (size_t i = p->rows.len; i-- > 0;) {
		if (!add_place(p, &p->locations.items[p->rows.items[i]], &code, &stack)) {
			p->cut++;
			break;
		}
	}
	return stack;
}

/* What is outermost in this sample as in the one before is not looked up again. */
static stack_id make_stack(struct pprof *p)
{
	size_t count = p->rows.len, before = p->last_rows.len, same = 0;
	stack_id stack;

	while (same < count && same < before &&
		p->rows.items[count - 1 - same] == p->last_rows.items[before - 1 - same])
		same++;
	p->stacks.len = same;
	stack = same ? p->stacks.items[same - 1] : 0;
	vector_reserve(&p->stacks, count - same);
	for (size_t i = count - same; i-- > 0;) {
		struct pprof_place *place = &p->locations.items[p->rows.items[i]];
		bool code = false;

		add_place(p, place, &code, &stack);
		p->stacks.items[p->stacks.len++] = stack;
	}
	p->last_rows.len = 0;
	vector_reserve(&p->last_rows, count);
	if (count)
		memcpy(p->last_rows.items, p->rows.items, count * sizeof(uint32_t));
	p->last_rows.len = count;
	return stack;
}

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

/* To rows; 0 for one that the file has not got. */
static bool take_locations(struct pprof *p, const struct protobuf_field *f)
{
	struct pprof_id_rows rows = PPROF_ID_ROWS(&p->locations);
	struct cursor c = cursor_of(f->bytes);

	if (f->wire == PROTOBUF_VARINT)
		vector_push(&p->rows, pprof_ids_find(&p->location_rows, rows, f->value));
	vector_reserve(&p->rows, f->bytes.len);
	while (c.at < c.end)
		p->rows.items[p->rows.len++] =
			pprof_ids_find(&p->location_rows, rows, cursor_uleb(&c));
	return !c.bad;
}

static bool take_values(struct pprof *p, const struct protobuf_field *f)
{
	struct cursor c = cursor_of(f->bytes);

	if (f->wire == PROTOBUF_VARINT)
		vector_push(&p->values, (int64_t)f->value);
	while (c.at < c.end)
		vector_push(&p->values, (int64_t)cursor_uleb(&c));
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

static void add_sample(struct pprof *p, stack_id stack)
{
	struct sample sample = {.stack = stack};

	pprof_tags_apply(&p->tags, &sample);
	profile_add_sample(p->profile, p->samples, &sample);
	for (size_t i = 0; i < p->values.len; i++)
		vector_push(&p->profile->streams.items[p->stream_of[i]].value, p->values.items[i]);
	p->taken++;
}

static const char *const too_deep = "expected no stack of more than 8,192 frames";

/* The stack of the rows; false, with the reason, when it cannot be one. */
static bool stack_of_rows(struct pprof *p, stack_id *ret_stack, const char **ret_reason)
{
	for (size_t i = 0; i < p->rows.len; i++) {
		*ret_reason = "expected locations that the file has";
		if (!p->rows.items[i])
			return false;
	}
	*ret_reason = too_deep;
	if (p->rows.len > STACK_DEPTH_LIMIT)
		return false;
	*ret_stack = p->places.drop ? make_cut_stack(p) : make_stack(p);
	return true;
}

/* Most samples have their locations as one field, and most such fields come again. */
static bool stack_of_sample(struct pprof *p, const struct protobuf_field *whole,
	stack_id *ret_stack, const char **ret_reason)
{
	if (!whole->bytes.len)
		return stack_of_rows(p, ret_stack, ret_reason);
	if (!p->places.drop && seen_find(&p->stacks_seen, whole->bytes, ret_stack))
		return true;
	*ret_reason = "expected whole numbers of locations";
	if (!take_locations(p, whole) || !stack_of_rows(p, ret_stack, ret_reason))
		return false;
	if (!p->places.drop)
		seen_put(&p->stacks_seen, whole->bytes, *ret_stack);
	return true;
}

/* Labels come last, and most sets of them again. */
struct label_run {
	struct bytes bytes; /* from the first on */
	bool begun, known;
};

static void begin_labels(struct pprof *p, const struct protobuf *sample,
	const struct protobuf_field *first, struct label_run *run)
{
	uint32_t kept;

	run->begun = true;
	run->bytes =
		(struct bytes){first->at, (size_t)((const char *)sample->cursor.end - first->at)};
	run->known = seen_find(&p->labels_seen, run->bytes, &kept);
	if (run->known)
		pprof_tags_recall(&p->tags, kept);
}

static bool take_sample_fields(
	struct pprof *p, struct bytes message, struct protobuf_field *whole, struct error *err)
{
	struct protobuf m = protobuf_open(message, &pprof_sample_shape);
	struct label_run run = {0};

	for (struct protobuf_field f; !run.known && protobuf_next(&m, &f);) {
		if (f.number == PPROF_SAMPLE_LABEL && !run.begun)
			begin_labels(p, &m, &f, &run);
		if (f.number == PPROF_SAMPLE_LABEL && !run.known && !take_label(p, f.bytes, err))
			return false;
		if (f.number != PPROF_SAMPLE_LABEL)
			run.bytes.len = 0; /* not labels only */
		if (f.number == PPROF_SAMPLE_VALUE && !take_values(p, &f))
			return pprof_fail_at(p, f.at, "whole values", err);
		if (f.number != PPROF_SAMPLE_LOCATION)
			continue;
		if (!whole->bytes.len && !p->rows.len && f.wire == PROTOBUF_BYTES) {
			*whole = f;
			continue;
		}
		if (!take_locations(p, whole) || !take_locations(p, &f))
			return pprof_fail_at(p, f.at, "whole numbers of locations", err);
		whole->bytes.len = 0;
	}
	if (!run.known && run.bytes.len && !m.failed)
		seen_put(&p->labels_seen, run.bytes, pprof_tags_keep(&p->tags));
	return pprof_finish_message(p, &m, err);
}

static bool take_sample(struct pprof *p, const struct protobuf_field *sample, struct error *err)
{
	struct protobuf_field whole = {.wire = PROTOBUF_BYTES};
	const char *reason;
	stack_id stack;

	p->rows.len = 0;
	p->values.len = 0;
	pprof_tags_clear(&p->tags);
	p->seen++;
	if (!take_sample_fields(p, sample->bytes, &whole, err))
		return false;
	if (p->values.len != p->types.len)
		return skip_sample(p, sample, "expected a value for each sample type");
	if (!stack_of_sample(p, &whole, &stack, &reason))
		return skip_sample(p, sample, reason);
	add_sample(p, stack);
	return true;
}

_Static_assert(STACK_DEPTH_LIMIT == 8192, "too_deep says so");

static bool take_samples(struct pprof *p, struct bytes content, struct error *err)
{
	struct protobuf m = protobuf_open(content, &pprof_profile_shape);

	for (struct protobuf_field f; protobuf_next(&m, &f);)
		if (f.number == PPROF_SAMPLE && !take_sample(p, &f, err))
			return false;
	pprof_tags_finish(&p->tags, &p->profile->samples.items[p->samples]);
	return true;
}

/* ---- The file ---- */

static bool read_content(struct pprof *p, struct bytes content, struct error *err)
{
	p->start = content.at;
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
