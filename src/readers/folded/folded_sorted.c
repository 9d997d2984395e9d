/* folded_sorted.c: reads sorted folded text line by line. */
#include "readers/folded/folded_sorted.h"

#include "readers/folded/folded_line.h"
#include "readers/lines/scan.h"
#include "readers/readers.h"

#include <sys/stat.h>

/* Bytes of a line: longer ones, and stacks that are too deep, are left to the reader. */
#define PLAIN_LIMIT ((size_t)1 << 20)

bool folded_sorted_open(
	struct folded_sorted *f, const char *path, bool *ret_plain, struct error *err)
{
	const struct reader *reader;
	struct bytes head;
	struct stat status;

	*ret_plain = false;
	*f = (struct folded_sorted){.plain = true};
	/* Inputs that can be read only once are left alone. */
	if (!strcmp(path, "-") || stat(path, &status) || !S_ISREG(status.st_mode))
		return true;
	if (!input_open(&f->in, path, err))
		return false;
	if (!input_can_map(&f->in))
		return true;
	if (!input_fill(&f->in, READER_HEAD, err))
		return error_prefix(err, "%s: ", path);
	head = bytes_head(f->in.window, READER_HEAD);
	reader = reader_for(head);
	*ret_plain = reader && !strcmp(reader->name, "folded") &&
		     !folded_is_differential(
			     head, f->in.ended && head.len == f->in.window.len, FOLDED_SIGNED);
	return true;
}

void folded_sorted_release(struct folded_sorted *f)
{
	input_release(&f->in);
}

int folded_compare_from(struct bytes a, struct bytes b, size_t shared, size_t *ret_shared)
{
	struct bytes x = {a.at + shared, a.len - shared}, y = {b.at + shared, b.len - shared};
	size_t same = scan_common_start(x, y);

	*ret_shared = shared + same;
	if (same < x.len && same < y.len)
		return (unsigned char)x.at[same] < (unsigned char)y.at[same] ? -1 : 1;
	return (x.len > y.len) - (x.len < y.len);
}

/* The next line of the window, filled up for it; f->taken is 0 at the end. What it has in common
 * with `last` goes to f->shared: there cannot be a newline in it. */
static bool next_line(
	struct folded_sorted *f, struct bytes last, struct bytes *ret_line, struct error *err)
{
	size_t seen = 0;

	input_skip(&f->in, f->taken);
	f->taken = 0;
	f->shared = 0;
	for (;;) {
		struct bytes window = f->in.window, rest;
		const char *newline;

		f->shared +=
			scan_common_start((struct bytes){last.at + f->shared, last.len - f->shared},
				(struct bytes){window.at + f->shared, window.len - f->shared});
		seen = seen < f->shared ? f->shared : seen;
		rest = (struct bytes){window.at + seen, window.len - seen};
		newline = rest.len ? memchr(rest.at, '\n', rest.len) : NULL;
		if (newline || f->in.ended) {
			size_t len = newline ? (size_t)(newline - window.at) : window.len;

			*ret_line = (struct bytes){window.at, len};
			f->taken = len + (newline != NULL);
			return true;
		}
		seen = window.len;
		if (seen > PLAIN_LIMIT) {
			f->plain = false;
			return true;
		}
		if (!input_fill(&f->in, seen * 2 + 1, err))
			return error_prefix(err, "%s: ", f->in.name);
	}
}

static bool take_line(struct folded_sorted *f, struct bytes line)
{
	struct decimal number;

	if (line.len > PLAIN_LIMIT || !folded_cut_number(&line, FOLDED_SIGNED, &number) ||
		number.decimals || number.digits < 0 || !line.len ||
		folded_is_deeper(line, STACK_DEPTH_LIMIT))
		return false;
	f->stack = line;
	f->value = number.digits;
	return true;
}

/* Is the stack after `last` in order, or equal? */
static bool is_in_order(struct folded_sorted *f, struct bytes last)
{
	struct bytes stack = f->stack;

	if (f->shared > stack.len)
		f->shared = stack.len; /* a number could have been part of a name */
	if (f->shared == last.len)
		return true;
	return f->shared < stack.len &&
	       (unsigned char)stack.at[f->shared] > (unsigned char)last.at[f->shared];
}

bool folded_sorted_next(struct folded_sorted *f, struct bytes last, struct error *err)
{
	struct bytes line = {0};

	do {
		if (!next_line(f, last, &line, err))
			return false;
		if (!f->plain || !f->taken) {
			f->ended = true;
			return true;
		}
	} while (!line.len || folded_is_comment(line));
	f->plain = take_line(f, line) && is_in_order(f, last);
	return true;
}

/* The lines of the window, up to `most`. */
static void take_window(
	struct folded_sorted *f, struct folded_plain *lines, size_t most, size_t *ret_count)
{
	struct bytes line, rest = f->in.window;
	size_t count = 0;

	while (f->plain && count < most && rest.len) {
		const char *newline = memchr(rest.at, '\n', rest.len);

		if (!newline && !f->in.ended)
			break;
		line = (struct bytes){rest.at, newline ? (size_t)(newline - rest.at) : rest.len};
		rest.at += line.len + (newline != NULL);
		rest.len -= line.len + (newline != NULL);
		if (!line.len || folded_is_comment(line))
			continue;
		f->plain = take_line(f, line);
		lines[count++] = (struct folded_plain){f->stack, f->value};
	}
	f->taken = (size_t)(rest.at - f->in.window.at);
	*ret_count = count;
}

bool folded_sorted_take(struct folded_sorted *f, struct folded_plain *ret_lines, size_t most,
	size_t *ret_count, struct error *err)
{
	*ret_count = 0;
	for (;;) {
		input_skip(&f->in, f->taken);
		take_window(f, ret_lines, most, ret_count);
		if (*ret_count || !f->plain || f->in.ended)
			break;
		f->plain = f->in.window.len - f->taken <= PLAIN_LIMIT;
		if (!f->plain)
			break;
		input_skip(&f->in, f->taken);
		f->taken = 0;
		if (!input_fill(&f->in, f->in.window.len * 2 + 1, err))
			return error_prefix(err, "%s: ", f->in.name);
	}
	return true;
}
