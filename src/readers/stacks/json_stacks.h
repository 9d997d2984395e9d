/* json_stacks.h: what readers of JSON share: oddities, and what Kiln adds to formats of others. */
#ifndef KILN_READERS_STACKS_JSON_STACKS_H
#define KILN_READERS_STACKS_JSON_STACKS_H

#include "base/json.h"
#include "readers/lines/text_stacks.h"

/* Something that is passed over: how often, and where first. `{0}`: never yet. */
struct json_oddity {
	uint64_t count, line, byte;
};
void json_odd(struct json_oddity *o, const struct json *j);
/* "1,203 samples of no stack skipped, the first at line 1, byte 77" as a note; `what` is what is
 * passed over, in the plural. Nothing when there was none. */
void json_odd_note(const struct json_oddity *o, struct profile *p, const char *what);

/* The same when it is found out behind the end, where no line can be named: "samples of no node:
 * 5". */
void json_count_note(struct profile *p, uint64_t count, const char *what);

/* Strings in the order in which they came; cheaper than the profile's own, which not all are for.
 */
struct json_texts {
	VECTOR(char) bytes;
	VECTOR(uint64_t) ends;
};
void json_texts_add(struct json_texts *t, struct bytes text);
/* "" when there is no such one. */
struct bytes json_texts_at(const struct json_texts *t, size_t index);
/* A whole array of strings; what is none is "". */
void json_texts_read(struct json_texts *t, struct json *j);
void json_texts_release(struct json_texts *t);

/* The object under the key "kiln", which Kiln writes into files of other formats for itself: what
 * they have no place for. */
struct json_extra {
	enum frame_kind kind;			/* "frame" */
	struct buffer module;			/* "module" */
	struct buffer stream_kind, unit, event; /* "kind", "unit", "event" */
	int64_t pid, tid;			/* -1: unknown */
	uint32_t side;				/* "side": 0, or 1 and 2, before and after */
	bool untimed;				/* "untimed": times mean nothing */
	struct buffer process, thread;
	bool present; /* the key is present */
};
void json_extra_clear(struct json_extra *e);
void json_extra_release(struct json_extra *e);
void json_extra_read(struct json_extra *e, struct json *j);

/* For bids: does the text begin like JSON, and does it contain this key with its quotes? */
bool json_begins(struct bytes head);
bool json_contains(struct bytes head, const char *key);

/* Tables of samples with one value each (or two), told apart by what the values are. `{0}` with a
 * profile, an input and options is empty. */
#define JSON_GROUPS_LIMIT 64u
struct json_groups {
	struct profile *profile;
	struct input *in;
	const struct read_options *options;
	struct text_stacks *items;
	unsigned *tags;
	size_t count;
};
struct json_value {
	struct bytes kind, unit, event;
	uint32_t side;
};
bool json_values_equal(const struct json_value *a, const struct json_value *b, size_t count);
/* The values as Kiln's own key describes them. */
struct json_value json_extra_value(const struct json_extra *e);
/* The table of samples that have these values (one or two) and this tag (the columns that they
 * have, say), a new one if need be; NULL when there are too many. Valid until the next call. */
struct text_stacks *json_group(
	struct json_groups *g, const struct json_value *values, size_t count, unsigned tag);
bool json_groups_finish(struct json_groups *g, const struct json *j, struct error *err);
void json_groups_release(struct json_groups *g);

/* The table of a text_stacks that is one of several: fails only when none of them, which together
 * have `taken` samples, has any. */
bool json_stacks_finish(
	struct text_stacks *t, uint64_t taken, const struct json *j, struct error *err);

#endif
