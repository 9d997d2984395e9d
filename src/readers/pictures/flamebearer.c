/* flamebearer.c: flame graphs that Pyroscope answers and stores, as JSON:
 *
 *	{"version": 1, "flamebearer": {"names": ["total", "main", "read"],
 *	  "levels": [[0, 10, 0, 0], [0, 10, 4, 1], [4, 6, 6, 2]], "numTicks": 10, "maxSelf": 6},
 *	 "metadata": {"format": "single", "units": "samples", "sampleRate": 100}}
 *
 * A level has the boxes of one depth from left to right, four numbers each: how far it is from the
 * end of the box to its left, its width, the part that is its own, and the number of its name. A
 * box is above the one that has it in its width. A comparison ("double") has seven numbers: the
 * first three for before and for after, and the name. The only box of the first level is the
 * picture. Source of the format: github.com/grafana/pyroscope, pkg/og/structs/flamebearer. */
#include "readers/stacks/json_stacks.h"

#define LEVELS_LIMIT READ_DEPTH_LIMIT

/* Where a box is in one of two pictures. */
struct extent {
	int64_t start, end, own;
};

struct box {
	struct extent sides[2];
	uint32_t parent; /* row plus one; 0: the first level */
	uint32_t name;
	stack_id stack;
};

struct flamebearer {
	struct text_stacks stacks;
	struct json *json;
	struct json_texts names;
	VECTOR(struct json_numbers) levels;
	VECTOR(struct box) boxes;
	bool is_double;
	struct buffer units;
	struct json_extra extra; /* of Kiln's own files */
	uint64_t stray;		 /* boxes above none */
};

static void flamebearer_release(struct flamebearer *f)
{
	for (size_t i = 0; i < f->levels.len; i++)
		vector_release(&f->levels.items[i]);
	json_texts_release(&f->names);
	vector_release(&f->levels);
	vector_release(&f->boxes);
	buffer_release(&f->units);
	json_extra_release(&f->extra);
}

/* ---- Reading ---- */

static bool take_levels(struct flamebearer *f, struct json *j)
{
	for (json_array(j); json_item(j);) {
		struct json_numbers level = {0};

		if (f->levels.len == LEVELS_LIMIT)
			return json_fail(
				j, "more than " READ_DEPTH_TEXT " levels; expected fewer frames");
		json_numbers(j, 0, 0, &level);
		vector_push(&f->levels, level);
	}
	return true;
}

/* The keys of "flamebearer" and of "metadata": older versions have all in the first. */
static bool take_inner(struct flamebearer *f, struct json *j)
{
	struct bytes key;

	for (json_object(j); json_key(j, &key);) {
		bool array = json_peek(j) == JSON_ARRAY;

		if (array && bytes_equal(key, BYTES("names"))) {
			json_texts_read(&f->names, j);
		} else if (array && bytes_equal(key, BYTES("levels"))) {
			if (!take_levels(f, j))
				return false;
		} else if (bytes_equal(key, BYTES("format"))) {
			f->is_double = bytes_equal(json_string_if(j), BYTES("double"));
		} else if (bytes_equal(key, BYTES("units"))) {
			buffer_set(&f->units, json_string_if(j));
		} else if (bytes_equal(key, BYTES("kiln"))) {
			json_extra_read(&f->extra, j);
		} else {
			json_skip(j);
		}
	}
	return true;
}

/* ---- Boxes ---- */

/* The next three numbers, of a box that is behind one that ends at `*end`. False: they are no
 * extent. */
static bool take_extent(const int64_t *numbers, int64_t *end, struct extent *ret)
{
	if (numbers[0] < 0 || numbers[1] < 0 || numbers[2] < 0 || numbers[2] > numbers[1] ||
		__builtin_add_overflow(*end, numbers[0], &ret->start) ||
		__builtin_add_overflow(ret->start, numbers[1], &ret->end))
		return false;
	ret->own = numbers[2];
	*end = ret->end;
	return true;
}

static bool lies_in(const struct box *box, const struct box *in)
{
	for (size_t side = 0; side < 2; side++)
		if (box->sides[side].start < in->sides[side].start ||
			box->sides[side].end > in->sides[side].end)
			return false;
	return true;
}

/* Both levels are in order: the box below is the one that was found last, or further right. */
static bool find_parent(const struct flamebearer *f, struct box *box, size_t *at, size_t end)
{
	while (*at < end && !lies_in(box, &f->boxes.items[*at]))
		(*at)++;
	box->parent = (uint32_t)*at + 1;
	return *at < end;
}

/* The boxes of a level; those below it are rows `below` to `end`. */
static bool add_level(struct flamebearer *f, const struct json_numbers *level, size_t below,
	size_t end, bool first)
{
	size_t numbers = f->is_double ? 7 : 4, sides = f->is_double ? 2 : 1;
	int64_t ends[2] = {0, 0};

	if (level->len % numbers)
		return json_fail(f->json, "expected %zu numbers for each box of a level", numbers);
	for (size_t i = 0; i < level->len; i += numbers) {
		const int64_t *at = level->items + i;
		struct box box = {0};

		for (size_t side = 0; side < sides; side++)
			if (!take_extent(at + 3 * side, &ends[side], &box.sides[side]))
				return json_fail(f->json,
					"expected boxes with a distance, a width and a part of it "
					"that is their own");
		box.name = at[numbers - 1] < 0 || at[numbers - 1] >= UINT32_MAX
				   ? UINT32_MAX
				   : (uint32_t)at[numbers - 1];
		if (first || find_parent(f, &box, &below, end))
			vector_push(&f->boxes, box);
		else
			f->stray++;
	}
	return true;
}

static bool add_levels(struct flamebearer *f)
{
	size_t below = 0;

	for (size_t i = 0; i < f->levels.len; i++) {
		size_t end = f->boxes.len;

		if (!add_level(f, &f->levels.items[i], below, end, !i))
			return false;
		below = end;
	}
	return true;
}

/* ---- Samples ---- */

/* What the units are called, and what they are: "bytes", "lock_nanoseconds", "samples". */
static struct json_value value_of(const struct flamebearer *f)
{
	struct json_value value = {
		.kind = buffer_bytes(&f->units), .unit = BYTES("count"), .event = {0}};

	if (f->extra.present)
		return json_extra_value(&f->extra);
	if (bytes_equal(value.kind, BYTES("bytes")))
		value.unit = BYTES("bytes");
	if (bytes_ends_with(value.kind, BYTES("_nanoseconds"))) {
		value.kind.len -= strlen("_nanoseconds");
		value.unit = BYTES("ns");
	}
	if (!value.kind.len)
		value.kind = BYTES("samples");
	return value;
}

static void add_streams(struct flamebearer *f)
{
	struct json_value value = value_of(f);

	for (uint32_t side = 0; side < (f->is_double ? 2 : 1); side++) {
		uint32_t stream =
			text_stacks_stream(&f->stacks, value.kind, value.unit, value.event);

		if (f->is_double)
			f->stacks.profile->streams.items[stream].row.side = side + 1;
	}
}

static bool add_box(struct flamebearer *f, struct box *box, struct error *err)
{
	struct bytes name = json_texts_at(&f->names, box->name);
	int64_t values[2] = {box->sides[0].own, box->sides[1].own};

	if (box->parent)
		box->stack = profile_stack(f->stacks.profile, f->boxes.items[box->parent - 1].stack,
			text_stacks_named(
				&f->stacks, name.len ? name : BYTES("[unknown]"), FRAME_NATIVE));
	return (!values[0] && !values[1]) ||
	       text_stacks_add_stack(&f->stacks, (struct sample){.stack = box->stack}, values, err);
}

static bool flamebearer_take(struct flamebearer *f, struct json *j, struct error *err)
{
	struct bytes key;
	bool done = true;

	for (json_object(j); json_key(j, &key);)
		if ((bytes_equal(key, BYTES("flamebearer")) ||
			    bytes_equal(key, BYTES("metadata"))) &&
			json_peek(j) == JSON_OBJECT) {
			if (!take_inner(f, j))
				return false;
		} else {
			json_skip(j);
		}
	if (!json_finish(j) || !add_levels(f))
		return false;
	add_streams(f);
	json_count_note(f->stacks.profile, f->stray,
		"boxes that are above no other box, skipped with what is above them");
	for (size_t i = 0; done && i < f->boxes.len; i++)
		done = add_box(f, &f->boxes.items[i], err);
	return done && json_stacks_finish(&f->stacks, f->stacks.taken, j, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct flamebearer f = {0};
	struct json j;
	bool done;

	json_open(&j, in, err);
	text_stacks_open(&f.stacks, in, options, out);
	f.json = &j;
	done = flamebearer_take(&f, &j, err);
	flamebearer_release(&f);
	text_stacks_release(&f.stacks);
	json_release(&j);
	return done;
}

static int bid(struct bytes head)
{
	return json_begins(head) && json_contains(head, "\"flamebearer\"") &&
			       json_contains(head, "\"names\"")
		       ? 8 * 20
		       : 0;
}

const struct reader reader_flamebearer = {
	.name = "flamebearer",
	.about = "flame graphs and comparisons of Pyroscope, as JSON",
	.expects = "a JSON object with `names` and `levels` as its `flamebearer`",
	.proof = "a Python reader of the boxes; not tested with a real producer",
	.bid = bid,
	.read = read,
	.one_table = true,
};
