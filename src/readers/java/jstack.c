/* jstack.c: thread dumps of HotSpot: what jstack, `jcmd PID Thread.print` and SIGQUIT print.
 *
 *	"main" #1 prio=5 os_prio=0 cpu=1.78ms elapsed=1.80s tid=0x7f64 nid=0x7a80 runnable [0x..]
 *	   java.lang.Thread.State: RUNNABLE
 *		at Busy.spin(Busy.java:3)
 *		- locked <0x000000069ec02f40> (a java.lang.Object)
 *		at Busy.main(Busy.java:13)
 *
 * An empty line ends a thread. A dump starts with its date and "Full thread dump"; several follow
 * one another when a program was sampled. */
#include "readers/java/java_threads.h"
#include "readers/lines/line_format.h"

#include <stdlib.h>
#include <time.h>

#define EXPECTS "a thread such as `\"main\" #1 ... nid=0x7a80 runnable`"

/* ---- A thread's first line ---- */

/* "worker" of "worker-12". */
static struct bytes without_number(struct bytes name)
{
	size_t end = name.len;

	while (end && is_digit(name.at[end - 1]))
		end--;
	if (end < name.len && end && name.at[end - 1] == '-')
		name.len = end - 1;
	return name;
}

/* "nid=0x7a80", or "nid=31360" since JDK 21; -1: none. */
static int64_t native_id(struct bytes line)
{
	const char *at = bytes_find(line, BYTES(" nid="));
	struct bytes rest, word;
	uint64_t id;

	if (!at)
		return -1;
	rest = (struct bytes){at + 5, line.len - (size_t)(at + 5 - line.at)};
	if (!bytes_cut(&rest, ' ', &word))
		word = rest;
	if (bytes_starts_with(word, BYTES("0x"))) {
		if (!bytes_hex((struct bytes){word.at + 2, word.len - 2}, &id))
			return -1;
	} else if (!bytes_u64(word, &id)) {
		return -1;
	}
	return id <= INT32_MAX ? (int64_t)id : -1;
}

/* The JVM's own threads: compilers (C1 and C2) and the like. */
static bool is_background(struct bytes name)
{
	const char *compiler = bytes_find(name, BYTES(" CompilerThread"));

	return (compiler && compiler - name.at >= 2 && compiler[-2] == 'C') ||
	       bytes_find(name, BYTES("Signal Dispatcher")) ||
	       bytes_find(name, BYTES("Service Thread")) ||
	       bytes_find(name, BYTES("Attach Listener"));
}

static bool is_thread(struct bytes line)
{
	return line.len > 1 && line.at[0] == '"' && memchr(line.at + 1, '"', line.len - 1);
}

static bool take_thread(struct java_threads *j, struct bytes line, struct error *err)
{
	const char *quote = bytes_find_last(line, '"');
	struct bytes name = {line.at + 1, (size_t)(quote - line.at) - 1};

	if (!java_threads_end(j, err))
		return false;
	java_threads_begin(j, name, j->stacks.style->thread_ids ? name : without_number(name),
		j->stacks.want & WANT_THREADS ? native_id(line) : -1);
	j->background = is_background(name);
	return true;
}

/* ---- Other lines ---- */

static enum java_state state_of(struct bytes text)
{
	if (bytes_starts_with(text, BYTES("RUNNABLE")))
		return JAVA_RUNNING;
	return bytes_starts_with(text, BYTES("BLOCKED")) ? JAVA_BLOCKED : JAVA_WAITING;
}

/* "2024-05-01 12:00:00", in the machine's time zone, which the dump does not contain. */
static bool parse_date(struct bytes line, uint64_t *ret_ns)
{
	static const char shape[] = "0000-00-00 00:00:00";
	unsigned part[6] = {0}, at = 0;
	struct tm tm;
	time_t seconds;

	if (line.len != sizeof(shape) - 1)
		return false;
	for (size_t i = 0; i < line.len; i++) {
		if (shape[i] != '0') {
			if (line.at[i] != shape[i])
				return false;
			at++;
		} else if (!is_digit(line.at[i])) {
			return false;
		} else {
			part[at] = part[at] * 10 + (unsigned)(line.at[i] - '0');
		}
	}
	tm = (struct tm){.tm_year = (int)part[0] - 1900,
		.tm_mon = (int)part[1] - 1,
		.tm_mday = (int)part[2],
		.tm_hour = (int)part[3],
		.tm_min = (int)part[4],
		.tm_sec = (int)part[5]};
	seconds = timegm(&tm);
	if (seconds <= 0)
		return false;
	*ret_ns = (uint64_t)seconds * 1000000000u;
	return true;
}

/* Lines about a thread that are no frames. */
static bool is_remark(struct bytes line)
{
	static const char *const starts[] = {"- ", "No compile task",
		"Compiling:", "Carrying virtual", "Mounted",
		"Locked ownable synchronizers:", "JavaThread", "Thread: 0x",
		"waiting to lock monitor", "waiting for ownable synchronizer", "which is held by"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (bytes_starts_with(line, bytes_of(starts[i])))
			return true;
	return false;
}

static void take_inside(struct java_threads *j, struct bytes line)
{
	static const struct bytes state = {"java.lang.Thread.State: ", 24};
	struct bytes text = bytes_trim(line);

	if (bytes_starts_with(text, BYTES("at "))) {
		if (!java_threads_frame(j, (struct bytes){text.at + 3, text.len - 3}))
			text_stacks_skip(
				&j->stacks, "expected a method such as `at a.B.c(B.java:1)`");
	} else if (bytes_starts_with(text, state)) {
		java_threads_state(
			j, state_of((struct bytes){text.at + state.len, text.len - state.len}));
	} else if (!is_remark(text)) {
		text_stacks_skip(&j->stacks, "expected a method such as `at a.B.c(B.java:1)`");
	}
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct java_threads *j = self;

	if (j->inside && line.len > 4 && line.at[0] == '\t' && line.at[1] == 'a') {
		take_inside(j, line); /* nearly all lines */
		return true;
	}
	if (is_thread(line))
		return take_thread(j, line, err);
	if (!bytes_trim(line).len)
		return java_threads_end(j, err);
	if (j->inside && *line.at != '#')
		take_inside(j, line);
	else
		parse_date(line, &j->time);
	return true;
}

static bool start(void *self, struct error *err)
{
	(void)err;
	java_threads_start(self);
	return true;
}

static bool end(void *self, struct error *err)
{
	return java_threads_end(self, err);
}

static void release(void *self)
{
	java_threads_release(self);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct java_threads j = {0};

	return line_format_read(&format, &j, in, options, out, err);
}

static int bid(struct bytes head)
{
	struct bytes line;
	int bits = 0;

	while (bytes_line(&head, &line) && bits < 200) {
		if (bytes_starts_with(line, BYTES("Full thread dump ")))
			bits += 8 * 17;
		else if (bytes_starts_with(bytes_trim(line), BYTES("java.lang.Thread.State: ")))
			bits += 8 * 24;
	}
	return bits;
}

/* Where a thread begins. */
static bool between(struct bytes above, struct bytes line)
{
	(void)above;
	return is_thread(line);
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_jstack = {
	.name = "jstack",
	.about = "thread dumps of Java (jstack, jcmd Thread.print)",
	.expects = EXPECTS,
	.proof = "jstack of Java 17 on a program with known threads",
	.bid = bid,
	.read = read,
	.cut = cut,
	.one_table = true,
};
