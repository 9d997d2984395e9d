/* jfr_print.c: events of Java Flight Recorder, as `jfr print` shows them:
 *
 *	jdk.ExecutionSample {
 *	  startTime = 16:06:31.008
 *	  sampledThread = "main" (javaThreadId = 1)
 *	  state = "STATE_RUNNABLE"
 *	  stackTrace = [
 *	    P.spin() line: 1
 *	    P.main(String[]) line: 1
 *	    ...
 *	  ]
 *	}
 *
 * Frames are innermost first; "..." says that there are more. Every event with a stack is a sample,
 * of a kind with the event's name. One that has a weight or an allocationSize counts bytes, one
 * that has a duration counts time, any other itself. Events without a stack are passed over. */
#include "readers/lines/line_format.h"

#include <math.h>

#define EXPECTS "an event such as `jdk.ExecutionSample {` and its stackTrace"
#define DAY_NS	UINT64_C(86400000000000)

/* What an event counts. */
enum measure { EVENTS, TIME, SPACE };

struct kind {
	string_id event;
	enum measure measure;
};

struct jfr {
	struct text_stacks stacks;
	VECTOR(struct kind) kinds; /* the stream of each is its index */
	/* The event that is being read. */
	string_id event; /* 0: none is */
	enum measure measure;
	int64_t value;
	uint64_t time; /* ns since midnight */
	thread_id thread;
	bool in_stack, cut;
	uint64_t cuts, no_stream;
};

/* ---- Values ---- */

/* "18.5 MB", "256.0 kB", "12,3 ms": rounded by jfr, in the locale's way. */
static bool parse_amount(struct bytes text, enum measure measure, int64_t *ret_amount)
{
	static const struct {
		const char *unit;
		enum measure measure;
		double factor;
	} units[] = {{"bytes", SPACE, 1}, {"byte", SPACE, 1}, {"kB", SPACE, 0x1p10},
		{"MB", SPACE, 0x1p20}, {"GB", SPACE, 0x1p30}, {"TB", SPACE, 0x1p40},
		{"ns", TIME, 1}, {"us", TIME, 1e3}, {"\u00b5s", TIME, 1e3}, {"\u03bcs", TIME, 1e3},
		{"ms", TIME, 1e6}, {"s", TIME, 1e9}, {"m", TIME, 60e9}, {"h", TIME, 3600e9}};
	struct bytes number;
	char copy[32];
	double amount;

	if (!bytes_cut(&text, ' ', &number) || number.len >= sizeof(copy))
		return false;
	for (size_t i = 0; i < number.len; i++)
		copy[i] = number.at[i] == ',' ? '.' : number.at[i];
	if (!bytes_double((struct bytes){copy, number.len}, &amount) || !(amount >= 0))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (units[i].measure == measure && bytes_equal(text, bytes_of(units[i].unit))) {
			amount *= units[i].factor;
			*ret_amount = amount < 0x1p62 ? (int64_t)llround(amount) : INT64_MAX;
			return true;
		}
	return false;
}

/* "16:06:31.008" and what else may follow. */
static bool parse_time(struct bytes text, uint64_t *ret_ns)
{
	static const uint64_t factors[] = {3600, 60};
	struct bytes field;
	uint64_t part, seconds = 0, ns;

	for (size_t i = 0; i < 2; i++) {
		if (!bytes_cut(&text, ':', &field) || !bytes_u64(field, &part) || part > 60)
			return false;
		seconds += part * factors[i];
	}
	field = (struct bytes){text.at, bytes_until(text, ' ')};
	if (!bytes_duration(field, &ns) || ns > DAY_NS)
		return false;
	*ret_ns = seconds * 1000000000 + ns;
	return true;
}

/* "\"main\" (javaThreadId = 1)" */
static thread_id parse_thread(struct jfr *f, struct bytes text)
{
	const char *id = bytes_find(text, BYTES("(javaThreadId = ")), *end;
	uint64_t number = 0;

	if (!text.len || *text.at != '"' || !id)
		return 0;
	end = id;
	while (end > text.at + 1 && end[-1] != '"')
		end--;
	if (end <= text.at + 1)
		return 0;
	id += strlen("(javaThreadId = ");
	if (!bytes_u64((struct bytes){id,
			       bytes_until(
				       (struct bytes){id, (size_t)(text.at + text.len - id)}, ')')},
		    &number) ||
		number > INT32_MAX)
		return 0;
	return profile_thread(f->stacks.profile, profile_process(f->stacks.profile, -1, 0),
		(int32_t)number,
		profile_string(f->stacks.profile,
			(struct bytes){text.at + 1, (size_t)(end - text.at) - 2}));
}

static void take_field(struct jfr *f, struct bytes key, struct bytes value)
{
	enum measure measure = bytes_equal(key, BYTES("duration")) ? TIME : SPACE;

	if (bytes_equal(key, BYTES("startTime"))) {
		parse_time(value, &f->time);
	} else if (bytes_equal(key, BYTES("sampledThread")) ||
		   bytes_equal(key, BYTES("eventThread"))) {
		f->thread = parse_thread(f, value);
	} else if (bytes_equal(key, BYTES("duration")) || bytes_equal(key, BYTES("weight")) ||
		   bytes_equal(key, BYTES("allocationSize"))) {
		if (parse_amount(value, measure, &f->value))
			f->measure = measure;
		else
			text_stacks_skip(&f->stacks, "expected an amount such as `18.5 MB`");
	} else if (bytes_equal(key, BYTES("stackTrace"))) {
		f->in_stack = bytes_equal(value, BYTES("["));
	}
}

/* ---- Frames ---- */

/* "P.main(String[]) line: 1" */
static void take_frame(struct jfr *f, struct bytes text)
{
	location_id location = text_stacks_known(&f->stacks, text);
	struct text_frame frame = {.kind = FRAME_JIT};
	const char *line = bytes_find(text, BYTES(" line: "));
	struct bytes number;
	uint64_t value;

	if (bytes_equal(text, BYTES("..."))) {
		f->cut = true;
		return;
	}
	if (!location) {
		frame.function = (struct bytes){text.at, bytes_until(text, '(')};
		if (line) {
			number = bytes_trim(
				(struct bytes){line + 7, (size_t)(text.at + text.len - line) - 7});
			if (bytes_u64(number, &value) && value <= UINT32_MAX)
				frame.line = (uint32_t)value;
		}
		location = text_stacks_frame(&f->stacks, &frame);
		text_stacks_learn(&f->stacks, text, location);
	}
	text_stacks_push(&f->stacks, location);
}

/* ---- Events ---- */

/* "jdk.ExecutionSample {" */
static bool parse_event(struct bytes line, struct bytes *ret_name)
{
	if (!bytes_ends_with(line, BYTES(" {")))
		return false;
	*ret_name = (struct bytes){line.at, line.len - 2};
	for (size_t i = 0; i < ret_name->len; i++) {
		char c = ret_name->at[i], lower = (char)(c | 0x20);

		if (!(lower >= 'a' && lower <= 'z') && !is_digit(c) && c != '.' && c != '_')
			return false;
	}
	return ret_name->len > 0;
}

/* The stream of the event; TEXT_STREAMS_LIMIT: there are too many. */
static size_t stream_of(struct jfr *f)
{
	static const char *const units[] = {"count", "ns", "bytes"};
	struct buffer name = {0};
	struct bytes event = profile_text(f->stacks.profile, f->event), kind;
	size_t i = 0;

	while (i < f->kinds.len &&
		(f->kinds.items[i].event != f->event || f->kinds.items[i].measure != f->measure))
		i++;
	if (i < f->kinds.len || i == TEXT_STREAMS_LIMIT)
		return i;
	buffer_set(&name, event); /* the profile's texts move */
	kind = buffer_bytes(&name);
	if (bytes_starts_with(kind, BYTES("jdk.")))
		kind = (struct bytes){kind.at + 4, kind.len - 4};
	if (bytes_equal(kind, BYTES("ExecutionSample")))
		kind = BYTES("samples");
	text_stacks_stream(&f->stacks, kind, bytes_of(units[f->measure]), buffer_bytes(&name));
	buffer_release(&name);
	vector_push(&f->kinds, ((struct kind){f->event, f->measure}));
	return i;
}

static bool add_event(struct jfr *f, struct error *err)
{
	struct sample sample = {.thread = f->thread, .time = f->time};
	int64_t values[TEXT_STREAMS_LIMIT] = {0};
	size_t stream = stream_of(f);

	if (stream == TEXT_STREAMS_LIMIT) {
		f->no_stream++;
		text_stacks_clear(&f->stacks);
		return true;
	}
	if (f->cut) {
		text_stacks_push_name(&f->stacks, BYTES("[truncated:depth]"), FRAME_META);
		f->cuts++;
	}
	if (f->stacks.want & WANT_TIMES)
		sample.has |= SAMPLE_TIME;
	if (f->stacks.want & WANT_THREADS)
		sample.has |= SAMPLE_THREAD;
	values[stream] = f->measure == EVENTS ? 1 : f->value;
	return text_stacks_add_sample(&f->stacks, INNERMOST_FIRST, sample, values, err);
}

static bool end_event(struct jfr *f, struct error *err)
{
	bool done = !f->event || !f->stacks.frames.len || add_event(f, err);

	text_stacks_clear(&f->stacks);
	f->event = 0;
	f->in_stack = f->cut = false;
	return done;
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct jfr *f = self;
	struct bytes name, value = bytes_trim(line);

	if (parse_event(line, &name)) {
		if (f->event)
			text_stacks_skip(&f->stacks, "expected `}` at the end of an event");
		text_stacks_clear(&f->stacks);
		f->event = profile_string(f->stacks.profile, name);
		f->measure = EVENTS;
		f->time = 0;
		f->thread = 0;
		f->in_stack = f->cut = false;
	} else if (bytes_equal(line, BYTES("}"))) {
		return end_event(f, err);
	} else if (!f->event || !value.len) {
		if (value.len)
			text_stacks_skip(&f->stacks, "expected " EXPECTS);
	} else if (f->in_stack && bytes_equal(value, BYTES("]"))) {
		f->in_stack = false;
	} else if (f->in_stack) {
		take_frame(f, value);
	} else if (bytes_cut(&value, '=', &name)) {
		take_field(f, bytes_trim(name), bytes_trim(value));
	}
	return true;
}

static bool end(void *self, struct error *err)
{
	struct jfr *f = self;
	struct profile *p = f->stacks.profile;

	(void)err;
	if (f->event)
		text_stacks_skip(&f->stacks, "expected `}` at the end of an event");
	if (f->cuts)
		profile_note(p,
			"%llu stacks have no outermost frames ([truncated:depth]): print the "
			"recording with --stack-depth 64",
			(unsigned long long)f->cuts);
	if (f->no_stream)
		profile_note(p,
			"events of more than %u kinds: %llu were left out; print some with "
			"--events",
			TEXT_STREAMS_LIMIT, (unsigned long long)f->no_stream);
	return true;
}

static void release(void *self)
{
	vector_release(&((struct jfr *)self)->kinds);
}

static const struct line_format format = {.line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct jfr f = {0};

	return line_format_read(&format, &f, in, options, out, err);
}

/* An event, and its first field. */
static int bid(struct bytes head)
{
	struct bytes line = {0}, name;

	while (bytes_line(&head, &line) && !line.len)
		;
	return line.len && parse_event(line, &name) &&
			       bytes_starts_with(head, BYTES("  startTime = "))
		       ? 8 * 16
		       : 0;
}

const struct reader reader_jfr_print = {
	.name = "jfr-print",
	.about = "events of Java Flight Recorder (jfr print)",
	.expects = EXPECTS,
	.proof = "jfr of Java 17 on a program with known shares, compared with jfr print --json",
	.bid = bid,
	.read = read,
	.one_table = true,
};
