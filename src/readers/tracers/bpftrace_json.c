/* bpftrace_json.c: the maps that `bpftrace -f json` prints, an object a line:
 *
 *	{"type": "map", "data": {"@name": {"\n    innermost+12\n    outermost+34\n,comm,1234": 5}}}
 *
 * What is between commas, outside of the lines of a stack, are the key's other parts. Histograms
 * are lists of what was counted in each interval, statistics have a total. */
#include "readers/stacks/json_stacks.h"
#include "readers/tracers/bpftrace_maps.h"

#define EXPECTS "an object such as `{\"type\": \"map\", \"data\": {\"@\": {\"...\": 12}}}`"

struct bpftrace_json {
	struct bpftrace_maps maps;
	struct json *json;
	struct json_oddity no_keys, no_number, too_many;
};

/* The parts of a key between commas. */
static void take_parts(struct bpftrace_maps *maps, struct bytes text)
{
	while (text.len) {
		const char *comma = memchr(text.at, ',', text.len);
		size_t len = comma ? (size_t)(comma - text.at) : text.len, used = len + !!comma;

		if (len)
			bpftrace_key(maps, (struct bytes){text.at, len});
		text = (struct bytes){text.at + used, text.len - used};
	}
}

static void take_key(struct bpftrace_maps *maps, struct bytes key)
{
	struct bytes line;

	while (bytes_line(&key, &line)) {
		if (line.len && (*line.at == ' ' || *line.at == '\t'))
			bpftrace_frame(maps, line);
		else
			take_parts(maps, line);
	}
}

/* The counts of all intervals. */
static bool histogram(struct json *j, int64_t *ret_value)
{
	struct bytes key;
	bool fits = true;

	*ret_value = 0;
	for (json_array(j); json_item(j);) {
		if (!json_object_if(j))
			continue;
		while (json_key(j, &key))
			if (bytes_equal(key, BYTES("count")))
				fits &= !__builtin_add_overflow(
					*ret_value, json_number_if(j, 0, 0), ret_value);
			else
				json_skip(j);
	}
	return fits;
}

/* A number, a histogram, or the "total" of statistics; false for anything else. */
static bool take_value(struct json *j, int64_t *ret_value)
{
	struct bytes key;
	bool any = false;

	switch (json_peek(j)) {
	case JSON_NUMBER:
		*ret_value = json_number(j, 0, 0);
		return true;
	case JSON_ARRAY:
		return histogram(j, ret_value);
	case JSON_OBJECT:
		for (json_object(j); json_key(j, &key);) {
			any |= bytes_equal(key, BYTES("total"));
			if (bytes_equal(key, BYTES("total")))
				*ret_value = json_number_if(j, 0, 0);
			else
				json_skip(j);
		}
		return any;
	default:
		json_skip(j);
		return false;
	}
}

/* A map, or a variable that has no keys. */
static bool take_map(struct bpftrace_json *b, struct bytes name, struct error *err)
{
	struct json *j = b->json;
	struct bytes key;
	bool known;

	if (json_peek(j) != JSON_OBJECT) {
		json_odd(&b->no_keys, j);
		json_skip(j);
		return true;
	}
	known = bpftrace_choose(&b->maps, name);
	if (!known)
		json_odd(&b->too_many, j);
	for (json_object(j); json_key(j, &key);) {
		int64_t value = 0;

		if (known)
			take_key(&b->maps, key);
		if (!take_value(j, &value)) {
			json_odd(&b->no_number, j);
			bpftrace_drop(&b->maps);
		} else if (known && !j->failed && !bpftrace_add(&b->maps, value, err)) {
			return false;
		}
	}
	return true;
}

static bool take_data(struct bpftrace_json *b, struct error *err)
{
	struct bytes key;

	if (!json_object_if(b->json))
		return true;
	while (json_key(b->json, &key)) {
		if (bytes_starts_with(key, BYTES("@"))) {
			if (!take_map(b, key, err))
				return false;
		} else if (bytes_equal(key, BYTES("events"))) {
			b->maps.stacks.counted += (uint64_t)json_number_if(b->json, 0, 0);
		} else {
			json_skip(b->json);
		}
	}
	return true;
}

static bool bpftrace_read(struct bpftrace_json *b, struct error *err)
{
	struct json *j = b->json;
	struct bytes key;

	while (json_peek(j) != JSON_END)
		for (json_object(j); json_key(j, &key);)
			if (!bytes_equal(key, BYTES("data")))
				json_skip(j);
			else if (!take_data(b, err))
				return false;
	if (!json_finish(j))
		return false;
	json_odd_note(&b->no_keys, b->maps.stacks.profile, "maps without keys");
	json_odd_note(&b->no_number, b->maps.stacks.profile, "values that are not numbers");
	json_odd_note(&b->too_many, b->maps.stacks.profile, "maps beyond the first 16");
	return json_stacks_finish(&b->maps.stacks, b->maps.stacks.taken, j, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct json j;
	struct bpftrace_json b = {.json = &j};
	bool done;

	json_open(&j, in, err);
	text_stacks_open(&b.maps.stacks, in, options, out);
	b.maps.stacks.add_notes = bpftrace_note_lost;
	done = bpftrace_read(&b, err);
	bpftrace_maps_release(&b.maps);
	text_stacks_release(&b.maps.stacks);
	json_release(&j);
	return done;
}

/* The first line tells how many probes there are; who filters it out keeps the maps. */
static int bid(struct bytes head)
{
	if (!json_begins(head) || !json_contains(head, "\"type\"") ||
		!json_contains(head, "\"data\""))
		return 0;
	return json_contains(head, "\"attached_probes\"") || json_contains(head, "{\"@") ? 72 : 0;
}

const struct reader reader_bpftrace_json = {
	.name = "bpftrace-json",
	.about = "stack maps printed by bpftrace -f json",
	.expects = EXPECTS,
	.proof = "bpftrace 0.17: compared with the text of the same maps",
	.bid = bid,
	.read = read,
};
