/* aix.c: stacks of processes and their threads that AIX' procstack prints, run as often as wanted:
 *
 *	9502860: /usr/sbin/syslogd
 *	---------- tid# 123456 (pthread ID:      1) ----------
 *	0xd0123456  __fd_select(??, ??, ??) + 0xbc
 *	0x10000190  main(??, ??) + 0x190
 *
 * Innermost frame first; a process' command is the outermost frame, and every stack counts once. */
#include "readers/lines/line_format.h"

#include <stdlib.h>

#define EXPECTS "`123: command` and frames such as `0xd0123456  main(argc) + 0x190`"

struct aix {
	struct text_stacks stacks;
	location_id command; /* 0: no process yet */
	struct sample sample;
	process_id process;
	string_id name; /* of the process */
};

/* "9502860: /usr/sbin/syslogd -d" */
static bool parse_process(struct bytes line, uint64_t *ret_pid, struct bytes *ret_command)
{
	struct bytes number;
	const char *blank;

	if (!bytes_cut(&line, ':', &number) || !bytes_u64(number, ret_pid))
		return false;
	*ret_command = bytes_trim(line);
	blank = ret_command->len ? memchr(ret_command->at, ' ', ret_command->len) : NULL;
	if (blank)
		ret_command->len = (size_t)(blank - ret_command->at);
	return ret_command->len > 0;
}

/* "---------- tid# 123456 (pthread ID:      1) ----------" */
static bool parse_thread(struct bytes line, uint64_t *ret_tid)
{
	struct bytes number = {0};

	if (!bytes_starts_with(line, BYTES("---------- tid# ")))
		return false;
	number.at = line.at + strlen("---------- tid# ");
	while (number.at + number.len < line.at + line.len && is_digit(number.at[number.len]))
		number.len++;
	return bytes_u64(number, ret_tid);
}

/* "0xd0123456  main(??, ??) + 0x190": the function, or the address of what has no name. */
static bool parse_frame(struct bytes line, struct bytes *ret_name)
{
	const char *blank = line.len ? memchr(line.at, ' ', line.len) : NULL;
	struct bytes address = {line.at, blank ? (size_t)(blank - line.at) : line.len};
	struct bytes name;
	const char *plus;
	uint64_t value;

	if (!bytes_starts_with(address, BYTES("0x")) ||
		!bytes_hex((struct bytes){address.at + 2, address.len - 2}, &value))
		return false;
	name = bytes_trim((struct bytes){line.at + address.len, line.len - address.len});
	plus = bytes_find_last(name, '+');
	if (plus && plus > name.at && plus[-1] == ' ' && plus + 1 < name.at + name.len &&
		plus[1] == ' ')
		name.len = (size_t)(plus - name.at) - 1;
	*ret_name = !name.len || *name.at == '[' ? address : name;
	return true;
}

/* How many bytes there are before the first of `any`. */
static size_t length_before(struct bytes text, const char *any)
{
	size_t i = 0;

	while (i < text.len && !strchr(any, text.at[i]))
		i++;
	return i;
}

static bool finish_stack(struct aix *a, struct error *err)
{
	int64_t one = 1;

	if (!a->stacks.frames.len)
		return true;
	if (a->command)
		text_stacks_push(&a->stacks, a->command);
	return text_stacks_add_sample(&a->stacks, INNERMOST_FIRST, a->sample, &one, err);
}

static void enter_thread(struct aix *a, uint64_t tid)
{
	if (!(a->stacks.want & WANT_THREADS))
		return;
	a->sample.has = SAMPLE_THREAD;
	a->sample.thread = profile_thread(
		a->stacks.profile, a->process, tid <= INT32_MAX ? (int32_t)tid : -1, a->name);
}

static void enter_process(struct aix *a, uint64_t pid, struct bytes command)
{
	struct profile *p = a->stacks.profile;

	if (a->stacks.want & WANT_THREADS) {
		a->name = profile_string(p, command);
		a->process = profile_process(p, pid <= INT32_MAX ? (int32_t)pid : -1, a->name);
	}
	a->command = text_stacks_named(&a->stacks, command, FRAME_META);
	enter_thread(a, pid);
}

static bool take_new_line(struct aix *a, struct bytes line, struct error *err)
{
	struct bytes name;
	uint64_t id;

	if (!bytes_trim(line).len)
		return true;
	if (parse_process(line, &id, &name)) {
		if (!finish_stack(a, err))
			return false;
		enter_process(a, id, name);
	} else if (parse_thread(line, &id)) {
		if (!finish_stack(a, err))
			return false;
		enter_thread(a, id);
	} else if (a->command && parse_frame(line, &name)) {
		location_id location;

		if (a->stacks.style->tool == TOOL_SCRIPTS)
			name.len = length_before(name, "( ");
		location = text_stacks_symbol(&a->stacks, name, (struct bytes){0}, FRAME_NATIVE);

		text_stacks_learn(&a->stacks, line, location);
		text_stacks_push(&a->stacks, location);
	} else {
		text_stacks_skip(&a->stacks, "expected " EXPECTS);
	}
	return true;
}

static bool start(void *self, struct error *err)
{
	struct aix *a = self;

	(void)err;
	text_stacks_stream(&a->stacks, BYTES("samples"), BYTES("count"), (struct bytes){0});
	return true;
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct aix *a = self;
	location_id known = a->command && line.len ? text_stacks_known(&a->stacks, line) : 0;

	if (!known)
		return take_new_line(a, line, err);
	text_stacks_push(&a->stacks, known);
	return true;
}

static bool end(void *self, struct error *err)
{
	struct aix *a = self;

	return finish_stack(a, err);
}

static const struct line_format format = {.start = start, .line = take_line, .end = end};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct aix a = {0};

	return line_format_read(&format, &a, in, options, out, err);
}

/* A process, and a thread or a frame below it. */
static int bid(struct bytes head)
{
	struct bytes line, name;
	bool process = false;
	uint64_t id;

	while (bytes_line(&head, &line)) {
		if (!bytes_trim(line).len)
			continue;
		if (process && parse_thread(line, &id))
			return 8 * 12;
		if (process && parse_frame(line, &name))
			return 8 * 3;
		process = parse_process(line, &id, &name);
		if (!process)
			return 0;
	}
	return 0;
}

/* Where a process begins. */
static bool between(struct bytes above, struct bytes line)
{
	struct bytes command;
	uint64_t pid;

	(void)above;
	return parse_process(line, &pid, &command);
}

static size_t cut(struct bytes text)
{
	return text_stacks_cut(text, between);
}

const struct reader reader_aix = {
	.name = "aix",
	.about = "stacks printed by AIX procstack",
	.expects = EXPECTS,
	.bid = bid,
	.blanks = true,
	.read = read,
	.cut = cut,
	.one_table = true,
};
