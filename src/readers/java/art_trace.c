/* art_trace.c: method traces of Android's runtime, ART: .trace files.
 *
 * Debug.startMethodTracing writes a text and then records:
 *
 *	*version / 3 / clock=dual / pid=15355 / *threads / 15355<TAB>main /
 *	*methods / 0x3f4<TAB>android.view.Window<TAB>draw<TAB>()V<TAB>Window.java / *end
 *	"SLOW", version, size of the header (16 bits each), start in us since boot (64 bits),
 *	size of a record (16 bits, since version 3); records
 *
 * A record is a thread (16 bits; version 1: 8), a method's number whose lowest two bits say whether
 * it is entered, left or unwound, and a time of the clock in us: of `dual`, the thread's CPU time
 * and the wall time. Android Studio streams: there is no text at the start, and between records are
 * methods (0, 1, size, line), threads (0, 2, number, size, name), and at the end the text (0, 3,
 * size of 32 bits, text). Samples are written as if methods were entered and left when they are
 * taken. So what passes between two records of a thread belongs to the stack in between. Sources of
 * the format: runtime/trace.h of Android's platform/art, and its documentation of dmtracedump. */
#include "base/cursor.h"
#include "base/spool.h"
#include "readers/lines/text_stacks.h"

#include <stdlib.h>

#define EXPECTS	       "`*version` and a line for each of *threads and *methods, or the bytes SLOW"
#define MAGIC	       BYTES("SLOW")
#define STREAMING      0xf0u /* or'ed to the version */
#define LAST_VERSION   3u
#define UNROLL_LIMIT   1024u /* frames that one record may leave */
#define NS_OF_US       1000
#define START_LIMIT    (INT64_MAX / NS_OF_US / 4) /* us */
#define TIME_BACKWARDS ((uint32_t)1 << 31)

enum { ACTION_ENTER, ACTION_EXIT, ACTION_UNROLL, ACTION_MASK = 3 };
enum { STREAM_METHOD = 1, STREAM_THREAD, STREAM_SUMMARY };
enum { CLOCK_CPU = 1, CLOCK_WALL = 2 };
enum section { SECTION_SUMMARY, SECTION_THREADS, SECTION_METHODS };

struct art_method {
	uint32_t id;
	struct bytes class, name, file;
	location_id location; /* 0: not made yet */
};

struct art_frame {
	uint32_t method; /* its number */
	stack_id stack;
};

struct art_thread {
	uint64_t tid;
	struct bytes name;
	thread_id thread; /* this and the next ones since its first record */
	stack_id root;
	VECTOR(struct art_frame) frames;
	uint64_t beyond;	/* frames above READ_DEPTH_LIMIT */
	uint32_t cpu, wall;	/* us, of the last record */
	uint64_t wall_us;	/* the same, without an end */
	bool started, entering; /* the last frame's call has not been counted */
};

struct art {
	struct bytes content;
	struct text_stacks stacks;
	VECTOR(struct art_method) methods;
	VECTOR(struct art_thread) threads;
	struct id_map by_method, by_tid; /* rows, plus one */
	unsigned version, clock, record_size;
	uint64_t start, pid;
	bool streaming, overflow, summary;
	uint64_t unknown_exits, backwards, unknown_methods, first_damage;
	const char *damage; /* what was expected there; NULL: nothing is damaged */
};

static void art_release(struct art *a)
{
	for (size_t i = 0; i < a->threads.len; i++)
		vector_release(&a->threads.items[i].frames);
	vector_release(&a->threads);
	vector_release(&a->methods);
	id_map_release(&a->by_method);
	id_map_release(&a->by_tid);
	text_stacks_release(&a->stacks);
}

static bool fail_at(const struct art *a, const char *at, const char *expected, struct error *err)
{
	return error_set(err, ERR_FORMAT, "byte %zu of %zu: expected %s",
		(size_t)(at - a->content.at), a->content.len, expected);
}

/* ---- Methods and threads ---- */

static uint64_t id_hash(uint64_t id)
{
	return hash_pair(id, 0x617274);
}

static struct art_method *method_of(const struct art *a, uint32_t id)
{
	size_t at = a->by_method.slots ? id_map_start(&a->by_method, id_hash(id)) : 0;

	for (uint32_t row;
		a->by_method.slots && (row = id_map_candidate(&a->by_method, id_hash(id), &at));)
		if (a->methods.items[row - 1].id == id)
			return &a->methods.items[row - 1];
	return NULL;
}

static struct art_thread *thread_of(const struct art *a, uint64_t tid)
{
	size_t at = a->by_tid.slots ? id_map_start(&a->by_tid, id_hash(tid)) : 0;

	for (uint32_t row;
		a->by_tid.slots && (row = id_map_candidate(&a->by_tid, id_hash(tid), &at));)
		if (a->threads.items[row - 1].tid == tid)
			return &a->threads.items[row - 1];
	return NULL;
}

static struct bytes next_field(struct bytes *line)
{
	struct bytes field;

	if (bytes_cut(line, '\t', &field))
		return field;
	field = *line;
	line->len = 0;
	return field;
}

/* "0x3f4<TAB>android.view.Window<TAB>draw<TAB>()V<TAB>Window.java"; false: it is none. */
static bool take_method(struct art *a, struct bytes line)
{
	struct bytes id = next_field(&line);
	struct art_method method = {.class = next_field(&line)};
	uint64_t number;

	/* C's %#x, which prints 0 as it is. */
	if (bytes_starts_with(id, BYTES("0x")))
		id = (struct bytes){id.at + 2, id.len - 2};
	if (!bytes_hex(id, &number) || number > UINT32_MAX)
		return false;
	method.id = (uint32_t)number & ~(uint32_t)ACTION_MASK;
	method.name = next_field(&line);
	next_field(&line);
	method.file = next_field(&line);
	if (method_of(a, method.id))
		return true;
	vector_push(&a->methods, method);
	id_map_insert(&a->by_method, id_hash(method.id), (uint32_t)a->methods.len);
	return true;
}

static void add_thread(struct art *a, uint64_t tid, struct bytes name)
{
	struct art_thread thread = {.tid = tid, .name = name};

	if (thread_of(a, tid))
		return;
	vector_push(&a->threads, thread);
	id_map_insert(&a->by_tid, id_hash(tid), (uint32_t)a->threads.len);
}

/* The first record of a thread: by now, the process is known. */
static void begin_thread(const struct art *a, struct art_thread *t, struct text_stacks *names)
{
	struct profile *p = names->profile;
	int32_t pid = a->pid <= INT32_MAX ? (int32_t)a->pid : -1;

	t->started = true;
	t->thread = profile_thread(p, profile_process(p, pid, profile_string(p, BYTES(""))),
		t->tid > INT32_MAX ? -1 : (int32_t)t->tid, profile_string(p, t->name));
	if (t->name.len)
		t->root = profile_stack(p, 0, text_stacks_named(names, t->name, FRAME_META));
}

/* ---- The text ---- */

static bool take_setting(struct art *a, struct bytes line)
{
	struct bytes key, value = line;

	if (!bytes_cut(&value, '=', &key))
		return true;
	if (bytes_equal(key, BYTES("pid"))) {
		if (!bytes_u64(value, &a->pid))
			a->pid = UINT64_MAX;
	} else if (bytes_equal(key, BYTES("data-file-overflow"))) {
		a->overflow = bytes_equal(value, BYTES("true"));
	} else if (bytes_equal(key, BYTES("clock"))) {
		a->clock = bytes_equal(value, BYTES("dual"))	     ? CLOCK_CPU | CLOCK_WALL
			   : bytes_equal(value, BYTES("wall"))	     ? CLOCK_WALL
			   : bytes_equal(value, BYTES("thread-cpu")) ? CLOCK_CPU
								     : 0;
		return a->clock;
	}
	return true;
}

static bool take_thread_line(struct art *a, struct bytes line)
{
	struct bytes number = next_field(&line);
	uint64_t tid;

	if (!bytes_u64(number, &tid))
		return false;
	add_thread(a, tid, line);
	return true;
}

/* Up to "*end". Lines in a section that are none of it are an error: nothing tells what else would
 * be missing. */
static bool take_text(struct art *a, struct bytes *text, struct error *err)
{
	enum section section = SECTION_SUMMARY;
	struct bytes line;
	bool taken = true;

	a->clock = CLOCK_CPU;
	while (bytes_line(text, &line)) {
		if (bytes_equal(line, BYTES("*end"))) {
			a->summary = true;
			return true;
		}
		if (bytes_equal(line, BYTES("*threads")))
			section = SECTION_THREADS;
		else if (bytes_equal(line, BYTES("*methods")))
			section = SECTION_METHODS;
		else if (section == SECTION_SUMMARY)
			taken = take_setting(a, line);
		else if (line.len)
			taken = section == SECTION_THREADS ? take_thread_line(a, line)
							   : take_method(a, line);
		if (!taken)
			return fail_at(a, line.at,
				section == SECTION_SUMMARY ? "the clock dual, wall or thread-cpu"
				: section == SECTION_THREADS
					? "a thread, such as `15355<TAB>main`"
					: "a method, such as `0x3f4<TAB>Class<TAB>method`",
				err);
	}
	return fail_at(a, a->content.at + a->content.len, "the line `*end`: it is truncated", err);
}

/* ---- Samples ---- */

static location_id locate(struct art *a, uint32_t id)
{
	struct art_method *method = method_of(a, id);
	struct buffer *name = &a->stacks.key;
	struct text_frame frame = {.kind = FRAME_NATIVE};

	if (!method) {
		a->unknown_methods++;
		return text_stacks_named(&a->stacks, BYTES("[unknown]"), FRAME_NATIVE);
	}
	if (method->location)
		return method->location;
	name->len = 0;
	for (size_t i = 0; i < method->class.len; i++)
		buffer_char(name, method->class.at[i] == '/' ? '.' : method->class.at[i]);
	if (method->class.len && method->name.len)
		buffer_char(name, '.');
	buffer_add(name, method->name.at, method->name.len);
	frame.function = name->len ? buffer_bytes(name) : BYTES("[unknown]");
	frame.file = method->file;
	method->location = text_stacks_frame(&a->stacks, &frame);
	return method->location;
}

static stack_id stack_of(const struct art_thread *t)
{
	return t->frames.len ? t->frames.items[t->frames.len - 1].stack : t->root;
}

/* What passed since the last record of the thread, of which time may run backwards. */
static uint32_t passed(struct art *a, uint32_t now, uint32_t then)
{
	if (now - then < TIME_BACKWARDS)
		return now - then;
	a->backwards++;
	return 0;
}

/* A sample for the time since the last record, and for a call that it began with. */
static bool add_interval(
	struct art *a, struct art_thread *t, uint32_t cpu, uint32_t wall, struct error *err)
{
	struct sample sample = {.thread = t->thread, .stack = stack_of(t)};
	int64_t values[3];
	size_t count = 0;

	if (!t->frames.len || !(cpu || wall || t->entering))
		return true;
	if (a->clock & CLOCK_WALL) {
		values[count++] = (int64_t)wall * NS_OF_US;
		sample.time = (a->start + t->wall_us) * NS_OF_US;
		sample.has |= a->stacks.want & WANT_TIMES ? SAMPLE_TIME : 0;
	}
	if (a->clock & CLOCK_CPU)
		values[count++] = (int64_t)cpu * NS_OF_US;
	values[count] = t->entering;
	t->entering = false;
	sample.has |= a->stacks.want & WANT_THREADS ? SAMPLE_THREAD : 0;
	return text_stacks_add_stack(&a->stacks, sample, values, err);
}

static void enter(struct art *a, struct art_thread *t, uint32_t method)
{
	struct art_frame frame = {.method = method};

	if (t->frames.len == READ_DEPTH_LIMIT) {
		t->beyond++;
		return;
	}
	frame.stack = profile_stack(a->stacks.profile, stack_of(t), locate(a, method));
	vector_push(&t->frames, frame);
	t->entering = true;
}

/* Methods above the one that is left have ended, too. One that was not entered was running when the
 * trace began. */
static void leave(struct art *a, struct art_thread *t, uint32_t method)
{
	size_t depth = t->frames.len, end = depth > UNROLL_LIMIT ? depth - UNROLL_LIMIT : 0;

	if (t->beyond) {
		t->beyond--;
		return;
	}
	while (depth > end && t->frames.items[depth - 1].method != method)
		depth--;
	if (depth == end)
		a->unknown_exits++;
	else
		t->frames.len = depth - 1;
}

/* The thread of a record; those that are not described have no name. */
static struct art_thread *record_thread(struct art *a, uint64_t tid)
{
	if (!thread_of(a, tid))
		add_thread(a, tid, BYTES(""));
	return thread_of(a, tid);
}

static bool take_record(struct art *a, const char *at, struct error *err)
{
	struct cursor c = cursor_of((struct bytes){at, a->record_size});
	struct art_thread *t = record_thread(a, cursor_fixed(&c, a->version == 1 ? 1 : 2));
	uint32_t method = (uint32_t)cursor_fixed(&c, 4), action = method & ACTION_MASK;
	uint32_t cpu = a->clock & CLOCK_CPU ? (uint32_t)cursor_fixed(&c, 4) : 0;
	uint32_t wall = a->clock & CLOCK_WALL ? (uint32_t)cursor_fixed(&c, 4) : 0;
	uint32_t wall_passed;

	if (action > ACTION_UNROLL)
		return fail_at(a, at, "a method that is entered, left or unwound", err);
	if (!t->started) {
		begin_thread(a, t, &a->stacks);
		t->cpu = cpu;
		t->wall = wall;
		t->wall_us = wall;
	}
	wall_passed = passed(a, wall, t->wall);
	if (!add_interval(a, t, passed(a, cpu, t->cpu), wall_passed, err))
		return false;
	t->wall_us += wall_passed;
	t->cpu = cpu;
	t->wall = wall;
	method &= ~(uint32_t)ACTION_MASK;
	if (action == ACTION_ENTER)
		enter(a, t, method);
	else
		leave(a, t, method);
	return true;
}

/* Calls that came last have no time. */
static bool finish_threads(struct art *a, struct error *err)
{
	for (size_t i = 0; i < a->threads.len; i++)
		if (!add_interval(a, &a->threads.items[i], 0, 0, err))
			return false;
	return true;
}

/* ---- Records ---- */

static bool take_header(struct art *a, struct bytes *rest, struct error *err)
{
	static const unsigned sizes[] = {0, 9, 10};
	struct cursor c = cursor_of(*rest);
	unsigned size;

	if (!bytes_starts_with(*rest, MAGIC))
		return fail_at(a, rest->at, "the bytes SLOW", err);
	c.at += MAGIC.len;
	a->version = (unsigned)cursor_fixed(&c, 2);
	if (a->streaming)
		a->version ^= STREAMING;
	if (!a->version || a->version > LAST_VERSION)
		return fail_at(a, rest->at + MAGIC.len, "a version from 1 to 3", err);
	size = (unsigned)cursor_fixed(&c, 2);
	a->start = cursor_fixed(&c, 8);
	a->record_size =
		a->version < LAST_VERSION ? sizes[a->version] : (unsigned)cursor_fixed(&c, 2);
	if (c.bad || size > rest->len || (const char *)c.at > rest->at + size ||
		a->start > START_LIMIT)
		return fail_at(a, rest->at, "a header with its size and its start", err);
	*rest = (struct bytes){rest->at + size, rest->len - size};
	return true;
}

static void note_damage(struct art *a, const char *at, const char *expected)
{
	if (a->damage)
		return;
	a->damage = expected;
	a->first_damage = (uint64_t)(at - a->content.at);
}

static bool record_fits(const struct art *a, struct error *err)
{
	unsigned least = (a->version == 1 ? 1 : 2) + 4 + (a->clock & CLOCK_CPU ? 4 : 0) +
			 (a->clock & CLOCK_WALL ? 4 : 0);

	return a->record_size >= least ||
	       error_set(err, ERR_FORMAT, "records of %u bytes; expected %u for this clock",
		       a->record_size, least);
}

static bool take_regular(struct art *a, struct bytes rest, struct error *err)
{
	while (rest.len >= a->record_size) {
		if (!take_record(a, rest.at, err))
			return false;
		rest = (struct bytes){rest.at + a->record_size, rest.len - a->record_size};
	}
	if (rest.len)
		note_damage(a, rest.at, "a record");
	return true;
}

/* Something between records: 0, a code, and what it says. *ret_size: all of it; 0: it is damaged.
 */
static bool take_described(struct art *a, struct bytes rest, size_t *ret_size, struct error *err)
{
	struct cursor c = cursor_of(rest);
	unsigned code;
	uint64_t tid, size;
	struct bytes text;

	*ret_size = 0;
	cursor_fixed(&c, 2);
	code = cursor_u8(&c);
	tid = code == STREAM_THREAD ? cursor_fixed(&c, 2) : 0;
	size = cursor_fixed(&c, code == STREAM_SUMMARY ? 4 : 2);
	if (c.bad || !code || code > STREAM_SUMMARY || size > cursor_left(&c))
		return true;
	text = (struct bytes){(const char *)c.at, (size_t)size};
	*ret_size = (size_t)(text.at - rest.at) + text.len;
	if (code == STREAM_METHOD && !take_method(a, bytes_trim(text)))
		*ret_size = 0;
	if (code == STREAM_THREAD)
		add_thread(a, tid, text);
	return code != STREAM_SUMMARY || take_text(a, &text, err);
}

/* The clock is in the text at the end, so that records are gone through twice: for what is between
 * them, and for themselves. */
static bool take_streaming(struct art *a, struct bytes rest, bool records, struct error *err)
{
	while (rest.len >= 2) {
		size_t size = a->record_size;

		if (!rest.at[0] && !rest.at[1]) {
			bool summary = rest.len > 2 && rest.at[2] == STREAM_SUMMARY;

			if (summary && records)
				return true;
			if (!take_described(a, rest, &size, err))
				return false;
			if (summary && size)
				return true;
		} else if (records && rest.len >= size && !take_record(a, rest.at, err)) {
			return false;
		}
		if (!size || size > rest.len) {
			note_damage(a, rest.at, "a record, a method, a thread or the text");
			return true;
		}
		rest = (struct bytes){rest.at + size, rest.len - size};
	}
	if (!records)
		note_damage(a, rest.at, "the text at the end");
	return true;
}

/* ---- The file ---- */

static void open_streams(struct art *a)
{
	if (a->clock & CLOCK_WALL)
		text_stacks_stream(&a->stacks, BYTES("wall"), BYTES("ns"), (struct bytes){0});
	if (a->clock & CLOCK_CPU)
		text_stacks_stream(&a->stacks, BYTES("cpu"), BYTES("ns"), (struct bytes){0});
	text_stacks_stream(&a->stacks, BYTES("calls"), BYTES("count"), (struct bytes){0});
}

static void add_notes(const struct art *a)
{
	struct profile *p = a->stacks.profile;

	if (a->damage)
		profile_note(p,
			"damaged or truncated at byte %llu: expected %s; what is before it was "
			"read",
			(unsigned long long)a->first_damage, a->damage);
	if (a->overflow)
		profile_note(p, "the buffer of the trace was full: what came then is missing");
	if (a->unknown_exits)
		profile_note(p, "methods that were left and not entered, before the trace: %llu",
			(unsigned long long)a->unknown_exits);
	if (a->backwards)
		profile_note(p,
			"times that are before those of the last record, counted as 0: %llu",
			(unsigned long long)a->backwards);
	if (a->unknown_methods)
		profile_note(p, "calls of methods without a name, shown as [unknown]: %llu",
			(unsigned long long)a->unknown_methods);
}

static bool take_records(struct art *a, struct bytes rest, struct error *err)
{
	if (a->streaming && !take_streaming(a, rest, false, err))
		return false;
	if (a->streaming && !a->summary)
		a->clock = a->record_size >= 14 ? CLOCK_CPU | CLOCK_WALL : CLOCK_CPU;
	if (!record_fits(a, err))
		return false;
	open_streams(a);
	if (!(a->streaming ? take_streaming(a, rest, true, err) : take_regular(a, rest, err)))
		return false;
	if (!finish_threads(a, err))
		return false;
	if (!a->stacks.taken)
		return error_set(err, ERR_FORMAT, "the trace has no calls of methods");
	add_notes(a);
	return text_stacks_finish(&a->stacks, err);
}

static bool read_content(struct art *a, struct error *err)
{
	struct bytes rest = a->content;

	a->pid = UINT64_MAX;
	a->streaming = bytes_starts_with(rest, MAGIC);
	return (a->streaming || take_text(a, &rest, err)) && take_header(a, &rest, err) &&
	       take_records(a, rest, err);
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct art a = {0};
	struct spool spool = {0};
	bool done;

	text_stacks_open(&a.stacks, in, options, out);
	done = spool_input(&spool, in, &a.content, err) && read_content(&a, err);
	art_release(&a);
	spool_release(&spool);
	return done;
}

/* The first two lines and a setting; or the magic number, a version and the size of the header. */
static int bid(struct bytes head)
{
	const struct bytes version = BYTES("*version\n");

	if (bytes_starts_with(head, MAGIC))
		return head.len >= 6 && ((unsigned char)head.at[4] & STREAMING) == STREAMING &&
				       !head.at[5]
			       ? 8 * 6
			       : 0;
	return bytes_starts_with(head, version) && head.len > version.len + 1 &&
			       is_digit(head.at[version.len]) && head.at[version.len + 1] == '\n'
		       ? 8 * 11
		       : 0;
}

const struct reader reader_art_trace = {
	.name = "art-trace",
	.about = "method traces of Android's runtime (Debug.startMethodTracing, Android Studio)",
	.expects = EXPECTS,
	.proof = "traces of Firefox for Android in both forms, compared with a reader in Python",
	.bid = bid,
	.read = read,
	.one_table = true,
};
