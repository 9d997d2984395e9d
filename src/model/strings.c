/* strings.c: how does a text become an id?
 *
 * All texts are in one buffer, one behind the other; string_ends says where each ends, so a
 * string costs 8 bytes beside its own. A map (base/hash.h) leads from a text's hash to its id.
 * What is stored is valid UTF-8 without control characters, so no output has to check it again:
 * a text is checked when it is new, not when it is found. */
#include "base/buffer.h"
#include "base/utf8.h"
#include "model/profile_internal.h"

#define AT_ONCE 64u /* texts that are looked up together */

struct bytes profile_text(const struct profile *p, string_id id)
{
	uint64_t start = id ? p->string_ends.items[id - 1] : 0;

	return (struct bytes){p->string_bytes.items ? p->string_bytes.items + start : "",
		p->string_ends.items[id] - start};
}

static void strings_enter(struct profile *p)
{
	if (rows_unindexed(&p->by_string, p->string_ends.len))
		for (string_id id = 1; id < p->string_ends.len; id++) {
			struct bytes known = profile_text(p, id);

			id_map_insert(&p->by_string, hash_bytes(known.at, known.len), id);
		}
}

/* The id of `text`, or 0. Then *ret_hash and *ret_at say where it belongs in the map. */
static string_id string_find(
	struct profile *p, struct bytes text, uint64_t *ret_hash, size_t *ret_at)
{
	struct id_map *m = &p->by_string;
	string_id id;

	strings_enter(p);
	*ret_hash = hash_bytes(text.at, text.len);
	*ret_at = id_map_first(m, *ret_hash);
	while ((id = id_map_candidate(m, *ret_hash, ret_at)))
		if (bytes_equal(profile_text(p, id), text))
			return id;
	return 0;
}

static bool bytes_room(struct profile *p, size_t len)
{
	bool room = !p->limit || p->string_bytes.len + len <= p->limit;

	p->full |= !room;
	return room;
}

/* Append to the texts. `text` may be a part of one of them, which moves when they grow. */
static void append_text(struct profile *p, struct bytes text)
{
	uintptr_t from = (uintptr_t)text.at, texts = (uintptr_t)p->string_bytes.items;
	size_t len = p->string_bytes.len;

	vector_reserve(&p->string_bytes, text.len);
	if (from >= texts && from - texts < len)
		text.at = p->string_bytes.items + (from - texts);
	memcpy(p->string_bytes.items + len, text.at, text.len);
	p->string_bytes.len += text.len;
}

/* Add a text that string_find has not found. */
static string_id string_add(struct profile *p, struct bytes text, uint64_t hash, size_t at)
{
	string_id id = (string_id)p->string_ends.len;

	if (!rows_have_room(p, id) || !bytes_room(p, text.len))
		return 0;
	append_text(p, text);
	vector_push(&p->string_ends, p->string_bytes.len);
	id_map_insert_at(&p->by_string, hash, at, id);
	return id;
}

/* Control characters become blanks, bytes that are not UTF-8 become U+FFFD. */
static string_id string_repaired(struct profile *p, struct bytes text)
{
	struct buffer clean = {0};
	string_id id;

	while (text.len) {
		size_t good = utf8_clean_length(text), control;

		buffer_add(&clean, text.at, good);
		text.at += good;
		text.len -= good;
		if (!text.len)
			break;
		control = utf8_decode(text, NULL);
		buffer_text(&clean, control ? " " : "\xEF\xBF\xBD");
		text.at += control ? control : 1;
		text.len -= control ? control : 1;
	}
	id = profile_string(p, buffer_bytes(&clean));
	buffer_release(&clean);
	return id;
}

string_id profile_string(struct profile *p, struct bytes text)
{
	uint64_t hash;
	size_t at;
	string_id id;

	if (!text.len)
		return 0;
	if (text.len > PROFILE_STRING_LIMIT) {
		text.len = PROFILE_STRING_LIMIT;
		return string_repaired(p, text); /* the cut may have split a character */
	}
	id = string_find(p, text, &hash, &at);
	if (id)
		return id;
	if (utf8_clean_length(text) < text.len)
		return string_repaired(p, text);
	return string_add(p, text, hash, at);
}

/* Look up texts together, in stages: prefetch all slots, then all ends of the strings that they
 * refer to, then the strings' bytes, then compare. So the cache misses of the texts overlap
 * instead of following one another. `bench/draw_folded.sh` (shuffled): 0.78 of the time. */
static void find_batch(
	struct profile *p, const struct bytes *texts, size_t count, string_id *ret_ids)
{
	const struct id_map *m = &p->by_string;
	uint64_t hash[AT_ONCE];

	for (size_t i = 0; i < count; i++) {
		hash[i] = hash_bytes(texts[i].at, texts[i].len);
		__builtin_prefetch(&m->slots[id_map_start(m, hash[i])]);
	}
	for (size_t i = 0; i < count; i++) {
		size_t at = id_map_start(m, hash[i]);

		ret_ids[i] = id_map_candidate(m, hash[i], &at);
		__builtin_prefetch(&p->string_ends.items[ret_ids[i]]);
	}
	for (size_t i = 0; i < count; i++) {
		struct bytes found = profile_text(p, ret_ids[i]);

		__builtin_prefetch(found.at);
		__builtin_prefetch(found.at + found.len);
	}
}

void profile_strings(struct profile *p, const struct bytes *texts, size_t count, string_id *ret_ids)
{
	strings_enter(p);
	for (size_t from = 0; from < count; from += AT_ONCE) {
		size_t few = count - from < AT_ONCE ? count - from : AT_ONCE;
		bool indexed = p->by_string.slots != NULL;

		if (indexed)
			find_batch(p, texts + from, few, ret_ids + from);
		for (size_t i = from; i < from + few; i++)
			if (!indexed || !ret_ids[i] ||
				!bytes_equal(profile_text(p, ret_ids[i]), texts[i]))
				ret_ids[i] = profile_string(p, texts[i]);
	}
}
