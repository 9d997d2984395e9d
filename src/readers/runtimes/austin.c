/* austin.c: the text of Austin, which samples Python's stacks from outside:
 *
 *	# austin: 3.7.0
 *	# mode: full
 *	P123;T0:123;/srv/app.py:<module>:12;/srv/app.py:main:7 1094,0,-4096
 *
 * Process, interpreter and thread, frames outermost first, then the metrics of its mode: the
 * microseconds since the thread's last sample (all of them, or with -s those in which it ran); by
 * how many bytes memory grew; or, in the full mode, time, 1 if the thread was idle, and memory.
 * Samples follow one another without a gap, which tells when they were.
 *
 * Versions before 3 have no comments, frames such as `main (app.py);L7`, and full metrics apart
 * from one another: time, memory that was taken, memory that was given back. Version 1 calls a
 * thread "Thread 7f00", and counts memory in KB. What Austin's pages say of it is all that was used
 * here. */
#include "names/tidy.h"
#include "readers/lines/line_format.h"
#include "readers/stacks/thread_stack.h"

#include <stdlib.h>

#define EXPECTS "a thread, frames and metrics, such as `P12;T0:12;app.py:main:7 1094`"

#define CLOCK_OF_PART (INT64_MAX / 1024) /* ns, at most; there are fewer parts */

enum austin_mode { MODE_UNKNOWN, MODE_WALL, MODE_CPU, MODE_MEMORY, MODE_FULL };

struct austin_thread {
	thread_id id;
	location_id frames[2]; /* of its process and its own, outside of all others */
	int64_t end;	       /* ns since the first sample: its last one lasted until then */
};

struct austin {
	struct text_stacks stacks;
	enum austin_mode mode; /* given, or derived from the first sample */
	bool below_zero;       /* metrics of the head are: they cannot be times */
	struct memo by_text;   /* an index plus one in `threads` */
	VECTOR(struct austin_thread) threads;
	int64_t clock; /* ns since the first sample */
};

/* What the end of a line says. */
struct metrics {
	int64_t number[3];
	unsigned count;
	bool commas;
};

/* ---- Numbers ---- */

/* Digits, perhaps with a '-', at the end of the text are cut off. */
static bool cut_number(struct bytes *text, int64_t *ret_number)
{
	size_t start = text->len;
	uint64_t number;

	while (start && is_digit(text->at[start - 1]))
		start--;
	if (!bytes_u64((struct bytes){text->at + start, text->len - start}, &number) ||
		number > INT64_MAX)
		return false;
	*ret_number = (int64_t)number;
	if (start && text->at[start - 1] == '-') {
		*ret_number = -*ret_number;
		start--;
	}
	text->len = start;
	return true;
}

/* A number and the ' ' or ',' before it are cut off. */
static bool cut_metric(struct bytes *text, int64_t *ret_number, char *ret_separator)
{
	if (!cut_number(text, ret_number) || !text->len)
		return false;
	*ret_separator = text->at[--text->len];
	return *ret_separator == ' ' || *ret_separator == ',';
}

/* The metrics, of which there are one or three, are cut off the line. */
static bool cut_metrics(struct bytes *line, struct metrics *ret_metrics)
{
	struct bytes rest = *line, all;
	int64_t number[3] = {0};
	char separator, second, first;
	bool three;

	if (!cut_metric(&rest, &number[2], &separator))
		return false;
	all = rest;
	three = cut_metric(&all, &number[1], &second) && second == separator &&
		cut_metric(&all, &number[0], &first) && first == ' ';
	if (!three && separator == ',')
		return false;
	*ret_metrics =
		three ? (struct metrics){{number[0], number[1], number[2]}, 3, separator == ','}
		      : (struct metrics){{number[2]}, 1, false};
	*line = three ? all : rest;
	return true;
}

/* ---- Threads ---- */

/* Letters at the start of the text, then a number, hexadecimal in some versions; both are cut off.
 */
static bool cut_id(struct bytes *text, struct bytes letters, struct bytes *ret_id)
{
	size_t end = letters.len;

	if (!bytes_starts_with(*text, letters))
		return false;
	while (end < text->len && (is_hex_digit(text->at[end]) || text->at[end] == ':'))
		end++;
	*ret_id = (struct bytes){text->at + letters.len, end - letters.len};
	if (!ret_id->len || (end < text->len && text->at[end] != ';'))
		return false;
	*text = (struct bytes){text->at + end, text->len - end};
	if (text->len)
		*text = (struct bytes){text->at + 1, text->len - 1};
	return true;
}

/* How a line starts: "P12;T0:12" or "Process 12;Thread 7f00" or "Thread 7f00". */
static bool cut_thread(struct bytes *line, struct bytes *ret_process, struct bytes *ret_thread)
{
	*ret_process = (struct bytes){0};
	if (cut_id(line, BYTES("P"), ret_process))
		return cut_id(line, BYTES("T"), ret_thread);
	cut_id(line, BYTES("Process "), ret_process);
	return cut_id(line, BYTES("Thread "), ret_thread);
}

static int32_t small_id(struct bytes text)
{
	uint64_t id;

	return bytes_u64(text, &id) && id <= INT32_MAX ? (int32_t)id : -1;
}

/* "T0:12" is thread 12 of the only interpreter there mostly is; what no number of a thread can be
 * becomes its name. */
static thread_id add_thread(struct profile *p, struct bytes process, struct bytes thread)
{
	process_id of = profile_process(p, small_id(process), 0);
	struct bytes interpreter = {0}, id = thread;
	struct buffer name = {0};
	thread_id made;

	if (bytes_cut(&id, ':', &interpreter) && id.len) {
		if (!bytes_equal(interpreter, BYTES("0")))
			buffer_printf(
				&name, "interpreter %.*s", (int)interpreter.len, interpreter.at);
	} else {
		id = thread;
	}
	if (small_id(id) < 0)
		buffer_printf(&name, "%sthread %.*s", name.len ? ", " : "", (int)id.len, id.at);
	made = profile_thread(
		p, of, small_id(id), name.len ? profile_string(p, buffer_bytes(&name)) : 0);
	buffer_release(&name);
	return made;
}

/* Read the ids at the start of a line. */
static struct austin_thread *thread_of(
	struct austin *a, struct bytes text, struct bytes process, struct bytes thread)
{
	struct profile *p = a->stacks.profile;
	uint32_t known = memo_find(&a->by_text, text);
	struct austin_thread made = {.end = INT64_MIN};
	stack_id root;

	if (known)
		return &a->threads.items[known - 1];
	made.id = add_thread(p, process, thread);
	root = thread_stack(p, made.id);
	made.frames[1] = p->stack_location.items[root];
	made.frames[0] = p->stack_location.items[p->stack_caller.items[root]];
	vector_push(&a->threads, made);
	memo_put(&a->by_text, text, (uint32_t)a->threads.len);
	return &a->threads.items[a->threads.len - 1];
}

/* ---- Frames ---- */

static uint32_t line_number(struct bytes digits)
{
	uint64_t line;

	return bytes_u64(digits, &line) && line < UINT32_MAX ? (uint32_t)line : 0;
}

/* "main (app.py:7)", "main (app.py)" or "app.py:main:7", whose function has no colon. */
static struct text_frame parse_frame(struct bytes text)
{
	struct text_frame frame = {.function = text, .kind = FRAME_INTERPRETED};
	const char *colon, *open;

	if (text.len && *text.at == ':') { /* ":GC:", ":INVALID:" */
		frame.kind = FRAME_META;
		return frame;
	}
	open = bytes_ends_with(text, BYTES(")")) ? bytes_find(text, BYTES(" (")) : NULL;
	if (open) {
		frame.function.len = (size_t)(open - text.at);
		frame.file = (struct bytes){open + 2, (size_t)(text.at + text.len - open) - 3};
		text = frame.file;
	}
	colon = bytes_find_last(text, ':');
	if (!colon)
		return frame;
	frame.line =
		line_number((struct bytes){colon + 1, (size_t)(text.at + text.len - colon) - 1});
	if (open) {
		if (frame.line)
			frame.file.len = (size_t)(colon - text.at);
		return frame;
	}
	frame.file = (struct bytes){text.at, (size_t)(colon - text.at)};
	colon = bytes_find_last(frame.file, ':');
	if (!colon) { /* "app.py:main", whose line is a frame of its own */
		frame.function =
			(struct bytes){text.at + frame.file.len + 1, text.len - frame.file.len - 1};
		return frame;
	}
	frame.function =
		(struct bytes){colon + 1, (size_t)(frame.file.at + frame.file.len - colon) - 1};
	frame.file.len = (size_t)(colon - text.at);
	return frame;
}

/* "L7" */
static bool is_line(struct bytes text)
{
	uint64_t number;

	return text.len > 1 && *text.at == 'L' &&
	       bytes_u64((struct bytes){text.at + 1, text.len - 1}, &number);
}

/* What "<module>", "<lambda>" and their like belong to is in no other part of a function's name. */
static location_id make_frame(struct text_stacks *t, struct text_frame frame)
{
	struct buffer name = {0};
	location_id location;

	if (bytes_equal(frame.file, BYTES("kernel"))) {
		frame.kind = FRAME_KERNEL;
		frame.file = (struct bytes){0};
	} else if (frame.file.len && frame.function.len && *frame.function.at == '<') {
		buffer_printf(&name, "%.*s %.*s", (int)frame.function.len, frame.function.at,
			(int)frame.file.len, frame.file.at);
		frame.function = buffer_bytes(&name);
	}
	location = text_stacks_frame(t, &frame);
	buffer_release(&name);
	return location;
}

/* The frame at the start of the text, with its line if that is behind it, is cut off and pushed. */
static void take_frame(struct text_stacks *t, struct bytes *text)
{
	const char *end = memchr(text->at, ';', text->len), *next;
	struct bytes whole = {text->at, end ? (size_t)(end - text->at) : text->len}, line = {0};
	struct text_frame frame;
	location_id location;

	if (end && end + 1 < text->at + text->len && end[1] == 'L') {
		line = (struct bytes){end + 1, (size_t)(text->at + text->len - end) - 1};
		next = memchr(line.at, ';', line.len);
		line.len = next ? (size_t)(next - line.at) : line.len;
		if (is_line(line))
			whole.len += 1 + line.len;
	}
	*text = (struct bytes){text->at + whole.len, text->len - whole.len};
	if (text->len)
		*text = (struct bytes){text->at + 1, text->len - 1};
	location = text_stacks_known(t, whole);
	if (!location) {
		bool apart = is_line(line);

		frame = parse_frame((struct bytes){
			whole.at, apart ? (size_t)(line.at - whole.at) - 1 : whole.len});
		if (apart)
			frame.line = line_number((struct bytes){line.at + 1, line.len - 1});
		location = make_frame(t, frame);
		text_stacks_learn(t, whole, location);
	}
	text_stacks_push(t, location);
}

/* ---- Samples ---- */

static void streams_open(struct austin *a)
{
	struct text_stacks *t = &a->stacks;
	struct bytes none = {0};

	if (a->mode == MODE_WALL || a->mode == MODE_FULL)
		text_stacks_stream(t, BYTES("wall"), BYTES("us"), none);
	if (a->mode == MODE_CPU || a->mode == MODE_FULL)
		text_stacks_stream(t, BYTES("cpu"), BYTES("us"), none);
	if (a->mode == MODE_MEMORY || a->mode == MODE_FULL) {
		text_stacks_stream(t, BYTES("alloc"), BYTES("bytes"), none);
		text_stacks_stream(t, BYTES("free"), BYTES("bytes"), none);
	}
}

static bool mode_fits(const struct austin *a, const struct metrics *m)
{
	bool full = m->count == 3;

	if (full != (a->mode == MODE_FULL))
		return false;
	if (full && m->commas && (m->number[1] < 0 || m->number[1] > 1))
		return false;
	return a->mode == MODE_MEMORY || m->number[0] >= 0;
}

/* Values for the streams that streams_open opened. `kilo`: memory is in units of 1,024 bytes. */
static bool values_of(
	const struct austin *a, const struct metrics *m, bool kilo, int64_t *ret_values)
{
	bool apart = m->count == 3 && !m->commas; /* two metrics of memory, none of idleness */
	int64_t memory = m->number[m->count - 1], taken = memory > 0 ? memory : 0,
		given = memory < 0 ? -memory : 0;

	if (apart) {
		taken = llabs(m->number[1]);
		given = llabs(m->number[2]);
	}
	if (kilo && (__builtin_mul_overflow(taken, 1024, &taken) ||
			    __builtin_mul_overflow(given, 1024, &given)))
		return false;
	if (a->mode != MODE_MEMORY)
		*ret_values++ = m->number[0];
	if (a->mode == MODE_FULL)
		*ret_values++ = apart || !m->number[1] ? m->number[0] : 0;
	*ret_values++ = taken;
	*ret_values = given;
	return true;
}

/* Each sample of a thread follows its last one; a thread that is new, or was left out while it was
 * idle, is looked at together with others. */
static bool sample_time(
	struct austin *a, struct austin_thread *thread, int64_t us, struct sample *sample)
{
	int64_t lasted, start, end;

	if (a->mode == MODE_MEMORY)
		return true;
	if (__builtin_mul_overflow(us, 1000, &lasted))
		return false;
	start = lasted > a->clock ? 0 : a->clock - lasted;
	if (thread->end > start)
		start = thread->end;
	if (__builtin_add_overflow(start, lasted, &end))
		return false;
	thread->end = end;
	if (end > a->clock)
		a->clock = end;
	if (a->stacks.want & WANT_TIMES)
		sample->has |= SAMPLE_TIME | SAMPLE_DURATION;
	sample->time = (uint64_t)start;
	sample->duration = (uint64_t)lasted;
	return true;
}

/* Derive the missing mode from the first sample. */
static void learn_mode(struct austin *a, const struct metrics *m)
{
	if (!a->mode && m->count == 3)
		a->mode = MODE_FULL;
	else if (!a->mode)
		a->mode = a->below_zero ? MODE_MEMORY : MODE_WALL;
	if (!a->stacks.streams)
		streams_open(a);
}

static bool take_sample(struct austin *a, struct bytes line, struct error *err)
{
	bool kilo = bytes_starts_with(line, BYTES("Thread ")) ||
		    bytes_starts_with(line, BYTES("Process "));
	struct text_stacks *t = &a->stacks;
	struct sample sample = {.has = t->want & WANT_THREADS ? SAMPLE_THREAD : 0};
	struct austin_thread *thread;
	struct bytes process, id, rest, start;
	struct metrics metrics;
	int64_t values[4];

	rest = line;
	if (!cut_metrics(&rest, &metrics) || !cut_thread(&rest, &process, &id)) {
		text_stacks_skip(t, "expected " EXPECTS);
		return true;
	}
	learn_mode(a, &metrics);
	start = (struct bytes){line.at, (size_t)(id.at + id.len - line.at)};
	thread = thread_of(a, start, process, id);
	if (!mode_fits(a, &metrics) || !values_of(a, &metrics, kilo, values) ||
		!sample_time(a, thread, metrics.number[0], &sample)) {
		text_stacks_skip(t, "expected the metrics of Austin's mode");
		return true;
	}
	text_stacks_push(t, thread->frames[0]);
	text_stacks_push(t, thread->frames[1]);
	while (rest.len)
		take_frame(t, &rest);
	sample.thread = thread->id;
	return text_stacks_add_sample(t, OUTERMOST_FIRST, sample, values, err);
}

/* ---- Lines ---- */

static void take_mode(struct austin *a, struct bytes value)
{
	static const struct {
		const char *name;
		enum austin_mode mode;
	} modes[] = {{"wall", MODE_WALL}, {"cpu", MODE_CPU}, {"memory", MODE_MEMORY},
		{"full", MODE_FULL}};

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!a->stacks.streams && bytes_equal(value, bytes_of(modes[i].name)))
			a->mode = modes[i].mode;
}

/* "# mode: full" */
static bool cut_comment(struct bytes line, struct bytes *ret_key, struct bytes *ret_value)
{
	*ret_value = bytes_trim((struct bytes){line.at + 1, line.len - 1});
	if (!bytes_cut(ret_value, ':', ret_key))
		return false;
	*ret_value = bytes_trim(*ret_value);
	return true;
}

static void take_comment(struct austin *a, struct bytes line)
{
	struct bytes key, value;

	if (!cut_comment(line, &key, &value))
		return;
	if (bytes_equal(key, BYTES("mode")))
		take_mode(a, value);
	if (bytes_equal(key, BYTES("austin"))) {
		struct buffer recorder = {0};

		buffer_printf(&recorder, "austin %.*s", (int)value.len, value.at);
		profile_set_meta(a->stacks.profile, BYTES("recorder"), buffer_bytes(&recorder));
		buffer_release(&recorder);
	}
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct austin *a = self;

	if (line.len && line.at[line.len - 1] == '\r')
		line.len--;
	if (line.len && *line.at == '#')
		take_comment(a, line);
	else if (bytes_trim(line).len)
		return take_sample(a, line, err);
	return true;
}

/* The mode in the first lines of the input holds for all parts. */
static void learn_head(struct austin *a, struct bytes head)
{
	struct bytes line, key, value;
	struct metrics metrics;

	while (!a->stacks.streams && bytes_line(&head, &line) && head.len) {
		if (line.len && *line.at == '#') {
			if (cut_comment(line, &key, &value) && bytes_equal(key, BYTES("mode")))
				take_mode(a, value);
		} else if (cut_metrics(&line, &metrics) && cut_thread(&line, &key, &value)) {
			learn_mode(a, &metrics);
		}
	}
	if (!a->stacks.streams)
		text_stacks_depend(&a->stacks);
}

/* Of lines of the head that are samples with one metric: is any below 0? */
static bool any_below_zero(struct bytes head)
{
	struct metrics metrics;
	struct bytes line;

	while (bytes_line(&head, &line))
		if (cut_metrics(&line, &metrics) && metrics.count == 1 && metrics.number[0] < 0)
			return true;
	return false;
}

static bool start(void *self, struct error *err)
{
	struct austin *a = self;
	struct input *in = a->stacks.lines.in;
	const struct read_part *part = a->stacks.part;
	struct bytes head;

	if (!input_fill(in, READER_HEAD, err))
		return false;
	head = part ? part->begin : bytes_head(in->window, READER_HEAD);
	a->below_zero = any_below_zero(head);
	if (part && part->is_continuation)
		learn_head(a, head);
	return true;
}

/* The times of all parts together might not fit: one reader is to say so. */
static bool end(void *self, struct error *err)
{
	struct austin *a = self;

	(void)err;
	if (a->clock > CLOCK_OF_PART) {
		text_stacks_depend(&a->stacks);
		text_stacks_end(&a->stacks);
	}
	return true;
}

static void release(void *self)
{
	struct austin *a = self;

	vector_release(&a->threads);
	memo_release(&a->by_text);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct austin a = {0};

	return line_format_read(&format, &a, in, options, out, err);
}

/* Lines of the head, but for its last, that start as samples do; in version 1, whose threads may be
 * anybody's, the frames have to be its own as well. */
static int bid(struct bytes head)
{
	struct bytes line, process, thread;
	struct metrics metrics;
	int good = 0, own = 0;

	if (bytes_starts_with(head, BYTES("# austin: ")))
		return 80;
	while (good < 8 && bytes_line(&head, &line) && (head.len || !good)) {
		if (!line.len || *line.at == '#')
			continue;
		own += bytes_starts_with(line, BYTES("P")) &&
		       !bytes_starts_with(line, BYTES("Process "));
		own += bytes_find(line, BYTES(");L")) != NULL;
		if (!cut_metrics(&line, &metrics) || !cut_thread(&line, &process, &thread))
			return 0;
		good++;
	}
	return own ? 16 + good : 0;
}

/* Each line is a sample of its own. */
static bool between(struct bytes above, struct bytes line)
{
	(void)above;
	return line.len && *line.at != '#';
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_austin = {
	.name = "austin",
	.about = "Python stacks sampled by Austin",
	.expects = EXPECTS,
	.proof = "Austin 3.7 on a program with known shares",
	.bid = bid,
	.read = read,
	.cut = cut,
	.one_table = true,
};
