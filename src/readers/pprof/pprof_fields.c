/* pprof_fields.c: reads the values and labels of a pprof sample. */
#include "readers/pprof/pprof_file.h"

/* ---- Labels ---- */

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

/* ---- Values ---- */

static bool take_values(struct pprof *p, const struct protobuf_field *f, struct error *err)
{
	struct cursor c = cursor_of(f->bytes);

	if (f->wire == PROTOBUF_VARINT)
		vector_push(&p->values, (int64_t)f->value);
	while (c.at < c.end)
		vector_push(&p->values, (int64_t)cursor_uleb(&c));
	return !c.bad || pprof_fail_at(p, f->at, "values as integers", err);
}

/* ---- Both ---- */

static bool take_between(struct pprof *p, const char *from, const char *to, struct error *err)
{
	struct protobuf m =
		protobuf_open((struct bytes){from, (size_t)(to - from)}, &pprof_sample_shape);
	bool done = true;

	for (struct protobuf_field f; done && protobuf_next(&m, &f);) {
		if (f.number == PPROF_SAMPLE_VALUE)
			done = take_values(p, &f, err);
		else if (f.number == PPROF_SAMPLE_LABEL)
			done = take_label(p, f.bytes, err);
	}
	return done;
}

/* Labels come last, and most sets of them again. */
static bool take_labels(struct pprof *p, const struct pprof_taken *sample, struct error *err)
{
	struct bytes bytes = {sample->labels, (size_t)(sample->end - sample->labels)};
	struct seen_question question = seen_question(&p->labels_seen, bytes);
	uint32_t kept = seen_find(&p->labels_seen, &question);

	if (kept) {
		pprof_tags_restore(&p->tags, kept - 1);
		return true;
	}
	if (!take_between(p, sample->labels, sample->end, err))
		return false;
	seen_put(&p->labels_seen, &question, pprof_tags_save(&p->tags) + 1);
	return true;
}

bool pprof_take_fields(struct pprof *p, const struct pprof_taken *sample, struct error *err)
{
	pprof_tags_clear(&p->tags);
	return take_between(p, sample->fields, sample->labels, err) &&
	       (sample->labels == sample->end || take_labels(p, sample, err));
}
