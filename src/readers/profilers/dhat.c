/* dhat.c: allocations by stack, as Valgrind's DHAT and Rust's dhat write them.
 *
 *	{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":true,"bkacc":true,
 *	 "pps":[{"tb":100000,"tbk":100,"gb":1000,"gbk":1,"eb":0,"ebk":0,"rb":0,"wb":0,"fs":[1,2]}],
 *	 "ftbl":["[root]","0x48417B4: malloc (in /usr/lib/libc.so.6)","0x109151: main (ms.c:4)"]}
 *
 * Each of `pps` has a stack of numbers of frames, innermost first. Bytes and blocks are in all (tb,
 * tbk), when the heap was largest (gb, gbk) and at the end (eb, ebk); rb and wb are bytes that were
 * read and written. The largest size of a single stack (mb) is of another moment for each: such
 * bytes cannot be added up, and are not read. Source of the format: Valgrind, dhat/dh_main.c. */
#include "readers/profilers/valgrind_frame.h"
#include "readers/stacks/json_stacks.h"

enum { TOTAL, BLOCKS, PEAK, PEAK_BLOCKS, END, END_BLOCKS, LIFETIME, READS, WRITES, VALUES };

/* How a value is called in the file, and what it is. */
static const struct {
	const char *key, *kind, *unit;
} columns[VALUES] = {{"tb", "alloc_space", "bytes"}, {"tbk", "alloc_objects", "count"},
	{"gb", "peak_space", "bytes"}, {"gbk", "peak_objects", "count"},
	{"eb", "inuse_space", "bytes"}, {"ebk", "inuse_objects", "count"},
	{"tl", "lifetime", "count"}, {"rb", "read", "bytes"}, {"wb", "written", "bytes"}};

struct point {
	size_t first; /* of `frames` */
	uint32_t count;
	uint64_t line;
	int64_t values[VALUES];
};

struct dhat {
	struct text_stacks stacks;
	VECTOR(struct point) points;
	struct json_indices frames;
	struct json_texts names;
	int64_t version;
	bool has_lifetimes, has_accesses;
	struct buffer mode, unit;
};

static void dhat_release(struct dhat *d)
{
	vector_release(&d->points);
	vector_release(&d->frames);
	json_texts_release(&d->names);
	buffer_release(&d->mode);
	buffer_release(&d->unit);
}

/* ---- Reading ---- */

static bool take_value(struct point *point, struct bytes key, struct json *j)
{
	for (size_t i = 0; i < VALUES; i++)
		if (bytes_equal(key, bytes_of(columns[i].key))) {
			point->values[i] = json_number(j, 0, 0);
			return point->values[i] >= 0 || json_fail(j, "expected a number from 0 on");
		}
	json_skip(j);
	return true;
}

static bool take_point(struct dhat *d, struct json *j)
{
	struct point point = {.first = d->frames.len, .line = json_line(j)};
	struct bytes key;

	for (json_object(j); json_key(j, &key);) {
		if (bytes_equal(key, BYTES("fs")) && json_peek(j) == JSON_ARRAY) {
			d->frames.len = point.first;
			json_indices(j, &d->frames);
		} else if (!take_value(&point, key, j)) {
			return false;
		}
	}
	point.count = (uint32_t)(d->frames.len - point.first);
	vector_push(&d->points, point);
	return true;
}

static bool take_points(struct dhat *d, struct json *j)
{
	for (json_array(j); json_item(j);)
		if (!take_point(d, j))
			return false;
	return true;
}

static bool take_key(struct dhat *d, struct bytes key, struct json *j)
{
	if (bytes_equal(key, BYTES("pps")))
		return take_points(d, j);
	if (bytes_equal(key, BYTES("ftbl")))
		json_texts_read(&d->names, j);
	else if (bytes_equal(key, BYTES("dhatFileVersion")))
		d->version = json_number(j, 0, 0);
	else if (bytes_equal(key, BYTES("mode")))
		buffer_set(&d->mode, json_string_if(j));
	else if (bytes_equal(key, BYTES("bu")))
		buffer_set(&d->unit, json_string_if(j));
	else if (bytes_equal(key, BYTES("bklt")))
		d->has_lifetimes = json_bool(j);
	else if (bytes_equal(key, BYTES("bkacc")))
		d->has_accesses = json_bool(j);
	else
		json_skip(j);
	return true;
}

/* ---- Samples ---- */

static bool has_column(const struct dhat *d, size_t column)
{
	if (column >= READS)
		return d->has_accesses;
	return column < PEAK || d->has_lifetimes;
}

/* Of other modes than "heap", such as "copy" and "ad-hoc", only the totals are known, and may be of
 * another unit: they are called after the mode. */
static void add_streams(struct dhat *d)
{
	bool heap = !d->mode.len || bytes_equal(buffer_bytes(&d->mode), BYTES("heap"));
	struct buffer kind = {0};

	if (heap) {
		for (size_t i = 0; i < VALUES; i++)
			if (has_column(d, i))
				text_stacks_stream(&d->stacks, bytes_of(columns[i].kind),
					bytes_of(columns[i].unit), (struct bytes){0});
		return;
	}
	text_stacks_stream(&d->stacks, buffer_bytes(&d->mode),
		d->unit.len ? BYTES("count") : BYTES("bytes"), (struct bytes){0});
	buffer_printf(&kind, "%s events", d->mode.at);
	text_stacks_stream(&d->stacks, buffer_bytes(&kind), BYTES("count"), (struct bytes){0});
	buffer_release(&kind);
}

static bool add_point(struct dhat *d, const struct point *point, struct error *err)
{
	int64_t values[VALUES];
	size_t count = 0;

	for (size_t i = 0; i < VALUES && count < d->stacks.streams; i++)
		if (has_column(d, i))
			values[count++] = point->values[i];
	for (uint32_t i = 0; i < point->count; i++)
		text_stacks_push(&d->stacks,
			valgrind_frame(&d->stacks,
				json_texts_at(&d->names, d->frames.items[point->first + i])));
	text_stacks_fill(&d->stacks);
	d->stacks.lines.number = point->line;
	return text_stacks_add(&d->stacks, INNERMOST_FIRST, values, err);
}

static bool dhat_take(struct dhat *d, struct json *j, struct error *err)
{
	struct bytes key;
	bool done = true;

	for (json_object(j); json_key(j, &key);)
		if (!take_key(d, key, j))
			return false;
	if (!json_finish(j))
		return false;
	if (d->version != 2)
		return json_fail(
			j, "expected `dhatFileVersion` 2, as Valgrind 3.16 and later write");
	add_streams(d);
	for (size_t i = 0; done && i < d->points.len; i++)
		done = add_point(d, &d->points.items[i], err);
	return done && json_stacks_finish(&d->stacks, d->stacks.taken, j, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct dhat d = {0};
	struct json j;
	bool done;

	json_open(&j, in, err);
	text_stacks_open(&d.stacks, in, options, out);
	done = dhat_take(&d, &j, err);
	dhat_release(&d);
	text_stacks_release(&d.stacks);
	json_release(&j);
	return done;
}

static int bid(struct bytes head)
{
	return json_begins(head) && json_contains(head, "\"dhatFileVersion\"") ? 8 * 18 : 0;
}

const struct reader reader_dhat = {
	.name = "dhat",
	.about = "allocations by stack, written by Valgrind's DHAT and Rust's dhat",
	.expects = "a JSON object with `dhatFileVersion`, `pps` and `ftbl`",
	.proof = "Valgrind 3.19 on a program that counts its blocks",
	.bid = bid,
	.read = read,
	.one_table = true,
};
