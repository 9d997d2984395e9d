/* simpleperf.c: reports of Android's simpleperf in protobuf (simpleperf report-sample --protobuf).
 *
 *	"SIMPLEPERF", a version of 16 bits; records: a size of 32 bits and a message; a size
 *	of 0
 *
 * A record is a sample, or a file with its symbols, a thread, or what is known of the recording.
 * Files and threads come behind the samples that name them, so that records are gone through twice.
 * Source of the format: simpleperf/cmd_report_sample.proto in Android's platform/system/extras. */
#include "base/protobuf.h"
#include "base/spool.h"
#include "readers/lines/text_stacks.h"
#include "readers/perf/perf_events.h"

#include <stdlib.h>

#define EXPECTS	    "the bytes SIMPLEPERF, a version, and records"
#define MAGIC	    BYTES("SIMPLEPERF")
#define HEADER_SIZE 12u
#define SIZE_SIZE   4u /* bytes of a record's size */
#define VERSION	    1
#define NO_SYMBOL   UINT64_MAX

enum { RECORD_SAMPLE = 1, RECORD_LOST, RECORD_FILE, RECORD_THREAD, RECORD_META };
enum { SAMPLE_AT = 1, SAMPLE_TID, SAMPLE_FRAME, SAMPLE_COUNT, SAMPLE_EVENT, SAMPLE_UNWINDING };
enum { FRAME_ADDRESS = 1, FRAME_FILE, FRAME_SYMBOL, FRAME_EXECUTION };
enum { EXECUTION_NATIVE, EXECUTION_INTERPRETED, EXECUTION_JIT };
enum { LOST_SAMPLES = 1, LOST_LOST };
enum { FILE_ID = 1, FILE_PATH, FILE_SYMBOL };
enum { THREAD_TID = 1, THREAD_PID, THREAD_NAME };
enum { META_EVENT = 1, META_APP };

static const struct protobuf_schema frame_schema = {
	5, {[FRAME_ADDRESS] = {PROTOBUF_NUMBER, NULL},
		   [FRAME_FILE] = {PROTOBUF_NUMBER, NULL},
		   [FRAME_SYMBOL] = {PROTOBUF_NUMBER, NULL},
		   [FRAME_EXECUTION] = {PROTOBUF_NUMBER, NULL}}};
static const struct protobuf_schema sample_schema = {
	7, {[SAMPLE_AT] = {PROTOBUF_NUMBER, NULL},
		   [SAMPLE_TID] = {PROTOBUF_NUMBER, NULL},
		   [SAMPLE_FRAME] = {PROTOBUF_TEXT, &frame_schema},
		   [SAMPLE_COUNT] = {PROTOBUF_NUMBER, NULL},
		   [SAMPLE_EVENT] = {PROTOBUF_NUMBER, NULL},
		   [SAMPLE_UNWINDING] = {PROTOBUF_TEXT, NULL}}};
static const struct protobuf_schema lost_schema = {
	3, {[LOST_SAMPLES] = {PROTOBUF_NUMBER, NULL}, [LOST_LOST] = {PROTOBUF_NUMBER, NULL}}};
static const struct protobuf_schema file_schema = {
	4, {[FILE_ID] = {PROTOBUF_NUMBER, NULL},
		   [FILE_PATH] = {PROTOBUF_TEXT, NULL},
		   [FILE_SYMBOL] = {PROTOBUF_TEXT, NULL}}};
static const struct protobuf_schema thread_schema = {
	4, {[THREAD_TID] = {PROTOBUF_NUMBER, NULL},
		   [THREAD_PID] = {PROTOBUF_NUMBER, NULL},
		   [THREAD_NAME] = {PROTOBUF_TEXT, NULL}}};
static const struct protobuf_schema meta_schema = {
	3, {[META_EVENT] = {PROTOBUF_TEXT, NULL}, [META_APP] = {PROTOBUF_TEXT, NULL}}};
static const struct protobuf_schema record_schema = {
	6, {[RECORD_SAMPLE] = {PROTOBUF_TEXT, &sample_schema},
		   [RECORD_LOST] = {PROTOBUF_TEXT, &lost_schema},
		   [RECORD_FILE] = {PROTOBUF_TEXT, &file_schema},
		   [RECORD_THREAD] = {PROTOBUF_TEXT, &thread_schema},
		   [RECORD_META] = {PROTOBUF_TEXT, &meta_schema}}};

struct report_file {
	uint64_t id;
	struct bytes name;   /* of its path, the last part */
	size_t first, count; /* of the symbols */
	location_id unknown; /* where it has no symbol; 0: not made yet */
	bool kernel;
};

struct report_symbol {
	struct bytes name;
	location_id locations[EXECUTION_JIT + 1]; /* 0: not made yet */
};

struct report_thread {
	uint64_t tid;
	thread_id thread;
	stack_id root;
};

struct simpleperf {
	struct bytes content;
	struct text_stacks names; /* has no samples */
	struct perf_events events;
	VECTOR(struct report_file) files;
	VECTOR(struct report_symbol) symbols;
	VECTOR(struct report_thread) threads;
	struct id_map by_file, by_tid; /* rows, plus one */
	VECTOR(struct bytes) event_names;
	VECTOR(location_id) chain;
	uint64_t samples, lost, stated; /* `stated`: how many samples the recording had */
	uint64_t unwound_partly, skipped, first_skipped, nameless, too_deep;
	const char *skip_reason; /* of the first */
	unsigned want;
};

static void simpleperf_release(struct simpleperf *s)
{
	text_stacks_release(&s->names);
	perf_events_release(&s->events);
	vector_release(&s->files);
	vector_release(&s->symbols);
	vector_release(&s->threads);
	id_map_release(&s->by_file);
	id_map_release(&s->by_tid);
	vector_release(&s->event_names);
	vector_release(&s->chain);
}

static uint64_t offset_of(const struct simpleperf *s, const char *at)
{
	return (uint64_t)(at - s->content.at);
}

static void skip(struct simpleperf *s, const char *at, const char *reason)
{
	if (!s->skipped++) {
		s->first_skipped = offset_of(s, at);
		s->skip_reason = reason;
	}
}

static uint64_t id_hash(uint64_t id)
{
	return hash_pair(id, 0x73706572);
}

/* ---- Files, threads and events ---- */

static struct report_file *file_of(const struct simpleperf *s, uint64_t id)
{
	size_t at = s->by_file.slots ? id_map_start(&s->by_file, id_hash(id)) : 0;

	for (uint32_t row;
		s->by_file.slots && (row = id_map_candidate(&s->by_file, id_hash(id), &at));)
		if (s->files.items[row - 1].id == id)
			return &s->files.items[row - 1];
	return NULL;
}

static struct report_thread *thread_of(const struct simpleperf *s, uint64_t tid)
{
	size_t at = s->by_tid.slots ? id_map_start(&s->by_tid, id_hash(tid)) : 0;

	for (uint32_t row;
		s->by_tid.slots && (row = id_map_candidate(&s->by_tid, id_hash(tid), &at));)
		if (s->threads.items[row - 1].tid == tid)
			return &s->threads.items[row - 1];
	return NULL;
}

static void take_file(struct simpleperf *s, struct protobuf *m)
{
	struct report_file file = {.first = s->symbols.len};

	for (struct protobuf_field f; protobuf_next(m, &f);)
		switch (f.number) {
		case FILE_ID:
			file.id = f.value;
			break;
		case FILE_PATH:
			file.name = bytes_base_name(f.bytes);
			file.kernel = bytes_equal(f.bytes, BYTES("[kernel.kallsyms]")) ||
				      bytes_ends_with(f.bytes, BYTES(".ko"));
			break;
		case FILE_SYMBOL:
			vector_push(&s->symbols, (struct report_symbol){.name = f.bytes});
			break;
		default:
			break;
		}
	file.count = s->symbols.len - file.first;
	if (file_of(s, file.id))
		return;
	vector_push(&s->files, file);
	id_map_insert(&s->by_file, id_hash(file.id), (uint32_t)s->files.len);
}

static int32_t id_of(uint64_t number)
{
	return number > INT32_MAX ? -1 : (int32_t)number;
}

static void add_thread(struct simpleperf *s, uint64_t tid, uint64_t pid, struct bytes name)
{
	struct profile *p = s->names.profile;
	struct report_thread thread = {.tid = tid};
	process_id process;

	if (thread_of(s, tid))
		return;
	process = profile_process(p, id_of(pid), profile_string(p, tid == pid ? name : BYTES("")));
	thread.thread = profile_thread(p, process, id_of(tid), profile_string(p, name));
	if (name.len)
		thread.root = profile_stack(p, 0, text_stacks_named(&s->names, name, FRAME_META));
	vector_push(&s->threads, thread);
	id_map_insert(&s->by_tid, id_hash(tid), (uint32_t)s->threads.len);
}

static void take_thread(struct simpleperf *s, struct protobuf *m)
{
	uint64_t tid = 0, pid = UINT64_MAX;
	struct bytes name = {"", 0};

	for (struct protobuf_field f; protobuf_next(m, &f);)
		if (f.number == THREAD_TID)
			tid = f.value;
		else if (f.number == THREAD_PID)
			pid = f.value;
		else if (f.number == THREAD_NAME)
			name = f.bytes;
	if (!m->failed)
		add_thread(s, tid, pid, name);
}

static void take_meta(struct simpleperf *s, struct protobuf *m)
{
	for (struct protobuf_field f; protobuf_next(m, &f);)
		if (f.number == META_EVENT)
			vector_push(&s->event_names, f.bytes);
		else if (f.number == META_APP && f.bytes.len)
			profile_set_meta(s->names.profile, BYTES("application"), f.bytes);
}

static void take_lost(struct simpleperf *s, struct protobuf *m)
{
	for (struct protobuf_field f; protobuf_next(m, &f);)
		if (f.number == LOST_SAMPLES)
			s->stated = f.value;
		else if (f.number == LOST_LOST)
			s->lost = f.value;
}

static bool take_described(struct simpleperf *s, const struct protobuf_field *field)
{
	static const struct {
		void (*take)(struct simpleperf *s, struct protobuf *m);
		const struct protobuf_schema *schema;
	} kinds[] = {[RECORD_LOST] = {take_lost, &lost_schema},
		[RECORD_FILE] = {take_file, &file_schema},
		[RECORD_THREAD] = {take_thread, &thread_schema},
		[RECORD_META] = {take_meta, &meta_schema}};
	struct protobuf m;

	if (field->number >= sizeof(kinds) / sizeof(*kinds) || !kinds[field->number].take)
		return true;
	m = protobuf_open(field->bytes, kinds[field->number].schema);
	kinds[field->number].take(s, &m);
	return !m.failed;
}

/* ---- Samples ---- */

/* Threads that the report does not describe have no name. */
static struct report_thread *sample_thread(struct simpleperf *s, uint64_t tid)
{
	struct report_thread *thread = thread_of(s, tid);

	if (thread)
		return thread;
	add_thread(s, tid, UINT64_MAX, BYTES(""));
	return thread_of(s, tid);
}

static enum frame_kind kind_of(const struct report_file *file, uint64_t execution)
{
	if (execution == EXECUTION_INTERPRETED)
		return FRAME_INTERPRETED;
	if (execution == EXECUTION_JIT)
		return FRAME_JIT;
	return file->kernel ? FRAME_KERNEL : FRAME_NATIVE;
}

static location_id locate(
	struct simpleperf *s, uint64_t file_id, uint64_t symbol_id, uint64_t execution)
{
	struct report_file *file = file_of(s, file_id);
	struct report_symbol *symbol;
	location_id *known;

	if (!file) {
		s->nameless++;
		return text_stacks_named(&s->names, BYTES("[unknown]"), FRAME_NATIVE);
	}
	if (symbol_id >= file->count) {
		if (!file->unknown)
			file->unknown = text_stacks_symbol(&s->names, BYTES(""), file->name,
				file->kernel ? FRAME_KERNEL : FRAME_NATIVE);
		return file->unknown;
	}
	symbol = &s->symbols.items[file->first + symbol_id];
	if (execution > EXECUTION_JIT)
		execution = EXECUTION_NATIVE;
	known = &symbol->locations[execution];
	if (!*known)
		*known = text_stacks_symbol(
			&s->names, symbol->name, file->name, kind_of(file, execution));
	return *known;
}

static bool take_frame(struct simpleperf *s, struct bytes message)
{
	struct protobuf m = protobuf_open(message, &frame_schema);
	uint64_t file = 0, symbol = NO_SYMBOL, execution = EXECUTION_NATIVE;

	for (struct protobuf_field f; protobuf_next(&m, &f);)
		if (f.number == FRAME_FILE)
			file = f.value;
		else if (f.number == FRAME_SYMBOL)
			symbol = f.value;
		else if (f.number == FRAME_EXECUTION)
			execution = f.value;
	if (m.failed)
		return false;
	if (s->chain.len <= READ_DEPTH_LIMIT)
		vector_push(&s->chain, locate(s, file, symbol, execution));
	return true;
}

/* The event whose number this is; reports without a list of them have one. */
static bool event_of(const struct simpleperf *s, uint64_t number, struct bytes *ret_event)
{
	if (!s->event_names.len && !number)
		*ret_event = BYTES("samples");
	else if (number < s->event_names.len)
		*ret_event = s->event_names.items[number];
	else
		return false;
	return true;
}

static stack_id build_stack(struct simpleperf *s, stack_id root)
{
	stack_id stack = root;

	for (size_t i = s->chain.len; i-- > 0;)
		stack = profile_stack(s->names.profile, stack, s->chain.items[i]);
	if (!stack)
		stack = profile_stack(s->names.profile, 0,
			text_stacks_named(&s->names, BYTES("[no stack]"), FRAME_META));
	return stack;
}

static bool add_sample(struct simpleperf *s, const char *at, struct perf_event_sample *sample,
	uint64_t tid, uint64_t event, struct error *err)
{
	struct report_thread *thread;

	if (sample->period > INT64_MAX || sample->time > INT64_MAX) {
		skip(s, at, "expected a time and a count below 2^63");
		return true;
	}
	if (!event_of(s, event, &sample->event)) {
		skip(s, at, "expected the number of an event");
		return true;
	}
	if (s->chain.len > READ_DEPTH_LIMIT) {
		skip(s, at, "expected no more than " READ_DEPTH_TEXT " frames");
		return true;
	}
	thread = sample_thread(s, tid);
	sample->thread = thread->thread;
	sample->stack = build_stack(s, thread->root);
	sample->cpu = NO_CPU;
	sample->has = (s->want & WANT_TIMES ? SAMPLE_TIME : 0) |
		      (s->want & WANT_THREADS ? SAMPLE_THREAD : 0);
	s->samples++;
	return perf_events_add(&s->events, sample, err);
}

/* Frames are innermost first. */
static bool take_sample(struct simpleperf *s, const struct protobuf_field *field, struct error *err)
{
	struct protobuf m = protobuf_open(field->bytes, &sample_schema);
	struct perf_event_sample sample = {0};
	uint64_t tid = 0, event = 0;
	bool partly = false, frames = true;

	s->chain.len = 0;
	for (struct protobuf_field f; frames && protobuf_next(&m, &f);)
		switch (f.number) {
		case SAMPLE_AT:
			sample.time = f.value;
			break;
		case SAMPLE_TID:
			tid = f.value;
			break;
		case SAMPLE_FRAME:
			frames = take_frame(s, f.bytes);
			break;
		case SAMPLE_COUNT:
			sample.period = f.value;
			break;
		case SAMPLE_EVENT:
			event = f.value;
			break;
		case SAMPLE_UNWINDING:
			partly = true;
			break;
		default:
			break;
		}
	if (m.failed || !frames) {
		skip(s, field->at, "expected a sample");
		return true;
	}
	s->unwound_partly += partly;
	return add_sample(s, field->at, &sample, tid, event, err);
}

/* ---- Records ---- */

/* The next record; false at the end, *ret_end: there is one. */
static bool next_record(struct bytes *rest, struct bytes *ret_record, bool *ret_end)
{
	struct cursor c = cursor_of(*rest);
	uint64_t size = cursor_fixed(&c, SIZE_SIZE);

	*ret_end = !c.bad && !size;
	if (c.bad || !size || size > cursor_left(&c))
		return false;
	*ret_record = (struct bytes){rest->at + SIZE_SIZE, (size_t)size};
	*rest = (struct bytes){ret_record->at + size, rest->len - SIZE_SIZE - (size_t)size};
	return true;
}

/* Go through all records, for samples or for everything else. */
static bool take_records(struct simpleperf *s, bool samples, struct error *err)
{
	struct bytes rest = {s->content.at + HEADER_SIZE, s->content.len - HEADER_SIZE}, record;
	bool end;

	while (next_record(&rest, &record, &end)) {
		struct protobuf m = protobuf_open(record, &record_schema);
		bool done = true;

		for (struct protobuf_field f; done && protobuf_next(&m, &f);)
			if (f.number == RECORD_SAMPLE && samples) {
				if (!take_sample(s, &f, err))
					return false;
			} else if (f.number != RECORD_SAMPLE && !samples) {
				done = take_described(s, &f);
			}
		if (!samples && (!done || m.failed))
			skip(s, record.at, "expected a record of the report");
	}
	if (!end && samples)
		profile_note(s->names.profile,
			"damaged or truncated at byte %llu of %zu: expected the size of a record "
			"and as many bytes; what is before it was read",
			(unsigned long long)offset_of(s, rest.at), s->content.len);
	return true;
}

static void add_notes(const struct simpleperf *s)
{
	struct profile *p = s->names.profile;

	if (s->skipped)
		profile_note(p, "%llu records skipped, first at byte %llu: %s",
			(unsigned long long)s->skipped, (unsigned long long)s->first_skipped,
			s->skip_reason);
	if (s->stated > s->samples + s->skipped)
		profile_note(p, "%llu of the %llu samples of the recording are in the report",
			(unsigned long long)s->samples, (unsigned long long)s->stated);
	if (s->unwound_partly)
		profile_note(p, "stacks that simpleperf could not unwind to their end: %llu",
			(unsigned long long)s->unwound_partly);
	if (s->nameless)
		profile_note(p,
			"frames in files that are not in the report, shown as [unknown]: %llu",
			(unsigned long long)s->nameless);
}

static bool read_content(struct simpleperf *s, struct error *err)
{
	struct cursor c = cursor_of(s->content);
	uint64_t version;
	bool done;

	if (!bytes_starts_with(s->content, MAGIC) || s->content.len < HEADER_SIZE)
		return error_set(err, ERR_FORMAT, "byte 0: expected " EXPECTS);
	c.at += MAGIC.len;
	version = cursor_fixed(&c, 2);
	if (version != VERSION)
		return error_set(err, ERR_FORMAT, "byte %zu: expected version %d, not %llu",
			MAGIC.len, VERSION, (unsigned long long)version);
	done = take_records(s, false, err) && take_records(s, true, err);
	if (done && s->events.kinds.len && s->lost)
		perf_events_lost(&s->events,
			profile_text(s->names.profile, s->events.kinds.items[0].event), "lost",
			s->lost);
	perf_events_finish(&s->events);
	if (done && !s->samples)
		return error_set(err, ERR_FORMAT, "%s%s", "the report has no samples",
			s->skipped ? " that can be read" : "");
	add_notes(s);
	return done;
}

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct simpleperf s = {
		.names = {.profile = out, .want = options->want, .style = reading_style(options)},
		.events = {.profile = out},
		.want = options->want};
	struct spool spool = {0};
	bool done;

	done = spool_input(&spool, in, &s.content, err) && read_content(&s, err);
	simpleperf_release(&s);
	spool_release(&spool);
	return done;
}

static int bid(struct bytes head)
{
	return bytes_starts_with(head, MAGIC) ? 8 * 10 : 0;
}

const struct reader reader_simpleperf = {
	.name = "simpleperf",
	.about = "reports of Android's simpleperf (simpleperf report-sample --protobuf)",
	.expects = EXPECTS,
	.proof = "files of Android devices, compared with what the Firefox Profiler makes of them",
	.bid = bid,
	.read = read,
};
