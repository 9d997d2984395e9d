/* jfr.c: recordings of Java Flight Recorder, which the JVM and async-profiler write: .jfr files.
 *
 * A recording describes its own events (jfr_chunk.h), so that files of all versions since JDK 11
 * are read in the same way. Each chunk is gone through three times: for its constants and types,
 * for what it says about itself, and for its samples. */
#include "readers/java/jfr_samples.h"

#include "base/expansion.h"
#include "base/spool.h"
#include "names/pprof_format.h"

#define EXPECTS "the bytes FLR\\0 and a version"

struct recording {
	struct profile *profile;
	unsigned want;
	struct jfr_samples samples;
	struct jfr_about about;
	uint64_t first_time, last_time;	       /* of the chunks, ns since 1970 */
	uint64_t events;		       /* of all types */
	uint64_t unreadable, first_unreadable; /* chunks without types */
	uint64_t damaged, first_damaged;       /* places where a chunk is no longer read */
	uint64_t open, first_open;	       /* chunks that have no end */
	uint64_t damaged_checkpoints;
};

static void count(uint64_t *counter, uint64_t *first, uint64_t offset)
{
	if (!(*counter)++)
		*first = offset;
}

static void note_times(struct recording *r, const struct jfr_chunk *c)
{
	uint64_t end;

	if (!r->first_time || c->start_time < r->first_time)
		r->first_time = c->start_time;
	if (!__builtin_add_overflow(c->start_time, c->duration, &end) && end > r->last_time)
		r->last_time = end;
}

/* The last metadata describes all that is before it. */
static bool take_types(const struct jfr_chunk *c, struct jfr_types *ret_types)
{
	for (size_t i = c->metadata.len; i-- > 0;)
		if (jfr_types_take(ret_types, c, c->metadata.items[i]))
			return true;
	return false;
}

static void take_events(struct recording *r, const struct jfr_chunk *c, struct jfr_types *types)
{
	struct jfr_layouts layouts = {.types = types, .compressed = c->compressed};
	struct jfr_constants constants = {
		.profile = r->profile, .want = r->want, .chunk = c, .layouts = &layouts};

	jfr_constants_open(&constants);
	jfr_about_take(&constants, &r->about);
	constants.process = r->about.process;
	jfr_samples_take(&r->samples, &constants, &r->about);
	r->damaged_checkpoints += constants.pools.damaged;
	jfr_constants_release(&constants);
	jfr_layouts_release(&layouts);
}

static void take_chunk(struct recording *r, struct jfr_chunk *c)
{
	struct jfr_types types = {0};

	jfr_chunk_walk(c);
	r->events += c->count;
	if (c->damaged)
		count(&r->damaged, &r->first_damaged, jfr_offset(c, c->end));
	if (take_types(c, &types)) {
		if (c->open)
			count(&r->open, &r->first_open, c->offset);
		note_times(r, c);
		take_events(r, c, &types);
	} else {
		count(&r->unreadable, &r->first_unreadable, c->offset);
	}
	jfr_types_release(&types);
}

/* What is behind the last chunk is no chunk: what is before it is read all the same. */
static bool take_chunks(struct recording *r, struct bytes content, struct error *err)
{
	uint64_t offset = 0;

	do {
		struct jfr_chunk chunk;
		struct error behind = {0};

		if (!jfr_chunk_open(content, offset, &chunk, offset ? &behind : err)) {
			if (!offset)
				return false;
			count(&r->damaged, &r->first_damaged, offset);
			return true;
		}
		take_chunk(r, &chunk);
		offset = jfr_chunk_next(&chunk);
		jfr_chunk_release(&chunk);
	} while (offset < content.len);
	return true;
}

/* ---- The end ---- */

static void add_notes(const struct recording *r)
{
	struct profile *p = r->profile;

	if (r->unreadable)
		profile_note(p,
			"chunks skipped: %llu, first at byte %llu: expected metadata, which a "
			"recorder "
			"writes at the end of a chunk",
			(unsigned long long)r->unreadable, (unsigned long long)r->first_unreadable);
	if (r->damaged)
		profile_note(p,
			"damaged at byte %llu: expected an event or a chunk; what follows in its "
			"chunk "
			"is missing",
			(unsigned long long)r->first_damaged);
	if (r->open)
		profile_note(p,
			"the chunk at byte %llu has no end: what is behind its last complete event "
			"is "
			"missing",
			(unsigned long long)r->first_open);
	if (r->damaged_checkpoints)
		profile_note(p, "checkpoints of which constants could not be read: %llu",
			(unsigned long long)r->damaged_checkpoints);
}

static bool finish(struct recording *r, struct bytes content, struct error *err)
{
	const struct jfr_samples *s = &r->samples;

	if (!s->taken && s->skipped)
		return error_set(err, ERR_FORMAT, "byte %llu: %s",
			(unsigned long long)s->first_skipped, s->skip_reason);
	if (!s->taken && r->unreadable)
		return error_set(err, ERR_FORMAT,
			"byte %llu: unexpected end: expected the metadata of the chunk at byte "
			"%llu; "
			"the recording did not end: record with dumponexit=true, or use jcmd PID "
			"JFR.dump",
			(unsigned long long)content.len, (unsigned long long)r->first_unreadable);
	if (!s->taken)
		return error_set(err, ERR_FORMAT,
			"byte %llu: unexpected end: expected an event with a stack; none of %llu "
			"events has one: record with settings=profile",
			(unsigned long long)content.len, (unsigned long long)r->events);
	jfr_samples_finish(&r->samples);
	pprof_set_times(r->profile, r->first_time,
		r->last_time > r->first_time ? r->last_time - r->first_time : 0);
	add_notes(r);
	return true;
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct recording r = {.profile = out,
		.want = options->want,
		.samples = {.profile = out, .want = options->want}};
	struct spool spool = {0};
	struct bytes content;
	bool done = spool_input(&spool, in, &content, err);

	/* One long name may be in the names of many methods. */
	if (done && !out->limit)
		out->limit = expansion_limit(content.len);
	done = done && take_chunks(&r, content, err) && finish(&r, content, err);

	jfr_samples_release(&r.samples);
	spool_release(&spool);
	return done;
}

static int bid(struct bytes head)
{
	return bytes_starts_with(head, JFR_MAGIC) ? 8 * (int)JFR_MAGIC.len : 0;
}

const struct reader reader_jfr = {
	.name = "jfr",
	.about = "recordings of Java Flight Recorder (JDK, async-profiler): .jfr",
	.expects = EXPECTS,
	.proof = "JDK 17 and 25: each stack and value as jfr print says; files of async-profiler "
		 "compared with what another parser makes of them",
	.bid = bid,
	.read = read,
};
