/* javacore.c: the threads of a javacore file, which IBM's and Eclipse's OpenJ9 JVMs write.
 *
 *	3XMTHREADINFO      "main" J9VMThread:0x0000000008132B00, ..., state:R, prio=5
 *	3XMTHREADINFO1            (native thread ID:0x3158, native priority:0x5, ...)
 *	3XMTHREADINFO3           Java callstack:
 *	4XESTACKTRACE                at java/util/HashMap.get(HashMap.java:182(Compiled Code))
 *	3XMTHREADINFO3           Native callstack:
 *	4XENATIVESTACK               (0x00007F64DC017EA0 [libc.so.6+0x1234])
 *
 * Each line starts with a tag. The Java call stack of a thread is its sample; the native one is
 * another view of the same thread. */
#include "readers/java/java_threads.h"
#include "readers/lines/line_format.h"

#define EXPECTS	   "a thread such as `3XMTHREADINFO      \"main\" ... state:R`"
#define TAG_THREAD BYTES("3XMTHREADINFO      ")
#define TAG_ID	   BYTES("3XMTHREADINFO1 ")
#define TAG_PART   BYTES("3XMTHREADINFO3 ")
#define TAG_FRAME  BYTES("4XESTACKTRACE ")

struct javacore {
	struct java_threads threads;
	struct buffer name; /* of the thread that begins: its id is on the next line */
	enum java_state state;
	bool pending;	 /* it has not begun for java_threads yet */
	bool native;	 /* its native call stack is being read */
	uint64_t blocks; /* threads, with or without frames */
};

/* R runs; CW, P, Z and S wait; B waits for a monitor. */
static enum java_state state_of(struct bytes line, bool classic)
{
	const char *at = bytes_find(line, BYTES("state:"));
	struct bytes word;

	if (classic)
		return JAVA_RUNNING;
	if (!at)
		return JAVA_UNKNOWN;
	word = (struct bytes){at + 6, line.len - (size_t)(at + 6 - line.at)};
	if (bytes_starts_with(word, BYTES("R")))
		return JAVA_RUNNING;
	return bytes_starts_with(word, BYTES("B")) ? JAVA_BLOCKED : JAVA_WAITING;
}

/* Give the thread that was announced to java_threads; `id` as printed ("0x3158"), or "". */
static void begin(struct javacore *c, struct bytes id)
{
	struct bytes whole = buffer_bytes(&c->name), shown = whole;
	struct buffer with_id = {0};
	uint64_t tid;
	bool known = bytes_starts_with(id, BYTES("0x")) &&
		     bytes_hex((struct bytes){id.at + 2, id.len - 2}, &tid) && tid <= INT32_MAX;

	if (!c->pending)
		return;
	c->pending = false;
	if (c->threads.stacks.style->thread_ids && id.len) {
		buffer_add(&with_id, whole.at, whole.len);
		buffer_char(&with_id, '-');
		buffer_add(&with_id, id.at, id.len);
		shown = buffer_bytes(&with_id);
	}
	java_threads_begin(&c->threads, whole, shown, known ? (int64_t)tid : -1);
	java_threads_state(&c->threads, c->state);
	buffer_release(&with_id);
}

static bool take_thread(struct javacore *c, struct bytes line, struct error *err)
{
	struct bytes rest =
		bytes_trim((struct bytes){line.at + TAG_THREAD.len, line.len - TAG_THREAD.len});
	const char *quote =
		rest.len > 1 && *rest.at == '"' ? memchr(rest.at + 1, '"', rest.len - 1) : NULL;

	begin(c, (struct bytes){0});
	if (!java_threads_end(&c->threads, err))
		return false;
	c->name.len = 0;
	if (quote)
		buffer_add(&c->name, rest.at + 1, (size_t)(quote - rest.at) - 1);
	else
		buffer_add(&c->name, rest.at, rest.len);
	c->state = state_of(line, c->threads.stacks.style->tool == TOOL_SCRIPTS);
	c->pending = true;
	c->native = false;
	c->blocks++;
	return true;
}

/* "(native thread ID:0x3158, native priority:0x5, ...)" */
static void take_id(struct javacore *c, struct bytes line)
{
	const char *at = bytes_find(line, BYTES("native thread ID:"));
	struct bytes rest, id;

	if (!at)
		return;
	rest = (struct bytes){at + 17, line.len - (size_t)(at + 17 - line.at)};
	if (bytes_cut(&rest, ',', &id))
		begin(c, id);
}

static void take_frame(struct javacore *c, struct bytes line)
{
	struct bytes text = {line.at + TAG_FRAME.len, line.len - TAG_FRAME.len};
	size_t blanks = bytes_count_leading(text, ' ');

	text = bytes_trim((struct bytes){text.at + blanks, text.len - blanks});
	begin(c, (struct bytes){0});
	if (!bytes_starts_with(text, BYTES("at ")) || !c->threads.inside || c->native ||
		!java_threads_frame(&c->threads, (struct bytes){text.at + 3, text.len - 3}))
		text_stacks_skip(&c->threads.stacks, "expected a method of a thread");
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct javacore *c = self;

	if (bytes_starts_with(line, TAG_FRAME)) {
		take_frame(c, line);
	} else if (bytes_starts_with(line, TAG_THREAD)) {
		return take_thread(c, line, err);
	} else if (bytes_starts_with(line, TAG_ID)) {
		take_id(c, line);
	} else if (bytes_starts_with(line, TAG_PART) &&
		   bytes_find(line, BYTES("Native callstack:"))) {
		begin(c, (struct bytes){0});
		c->native = true;
		return java_threads_end(&c->threads, err);
	}
	return true;
}

static bool start(void *self, struct error *err)
{
	struct javacore *c = self;

	(void)err;
	java_threads_start(&c->threads);
	c->threads.any_method = c->threads.stacks.style->tool == TOOL_SCRIPTS;
	return true;
}

static bool end(void *self, struct error *err)
{
	struct javacore *c = self;

	begin(c, (struct bytes){0});
	return java_threads_end(&c->threads, err);
}

static void release(void *self)
{
	struct javacore *c = self;

	java_threads_release(&c->threads);
	buffer_release(&c->name);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct javacore c = {0};

	return line_format_read(&format, &c, in, options, out, err);
}

static int bid(struct bytes head)
{
	struct bytes line;
	int bits = 0;

	while (bytes_line(&head, &line) && bits < 400) {
		if (bytes_starts_with(line, TAG_FRAME) || bytes_starts_with(line, TAG_THREAD))
			bits += 8 * 13;
		else if (bytes_starts_with(line, BYTES("0SECTION       TITLE")) ||
			 bytes_starts_with(line, BYTES("1TISIGINFO     ")))
			bits += 8 * 12;
	}
	return bits;
}

/* Where a thread begins. */
static bool between(struct bytes above, struct bytes line)
{
	(void)above;
	return bytes_starts_with(line, TAG_THREAD);
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_javacore = {
	.name = "javacore",
	.about = "javacore files of IBM's Java and OpenJ9",
	.expects = EXPECTS,
	.bid = bid,
	.blanks = true,
	.read = read,
	.cut = cut,
	.one_table = true,
};
