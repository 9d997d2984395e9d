/* v8_log.c: what does a log of V8 say about the code it made? */
#include "images/v8_log.h"

#include "base/buffer.h"
#include "base/memory.h"

#include <stdlib.h>

#define NS_PER_US 1000u

struct v8_log {
	struct code_map *code;
	struct buffer name;
	uint64_t read; /* bytes of the file, up to the end of a line */
	struct v8_log_facts facts;
};

struct v8_log *v8_log_new(void)
{
	struct v8_log *log = memory_new(1, sizeof(*log));

	log->code = code_map_new();
	return log;
}

void v8_log_release(struct v8_log *log)
{
	if (!log)
		return;
	code_map_release(log->code);
	buffer_release(&log->name);
	memory_free(log);
}

/* ---- Fields ---- */

/* Cut off the next field; false: none. Node 8 puts names in quotes, in which commas are part of
 * the name. */
static bool parse_field(struct bytes *rest, struct bytes *ret_field)
{
	bool quoted = rest->len && *rest->at == '"';
	const char *end;

	if (!rest->at)
		return false;
	end = quoted ? bytes_find(*rest, BYTES("\",")) : NULL;
	end = end ? end + 1 : rest->len ? memchr(rest->at, ',', rest->len) : NULL;
	*ret_field = (struct bytes){rest->at, end ? (size_t)(end - rest->at) : rest->len};
	if (quoted && ret_field->len >= 2 && bytes_ends_with(*ret_field, BYTES("\"")))
		*ret_field = (struct bytes){ret_field->at + 1, ret_field->len - 2};
	*rest = end ? (struct bytes){end + 1, rest->len - (size_t)(end + 1 - rest->at)}
		    : (struct bytes){0};
	return true;
}

static bool parse_address(struct bytes *rest, uint64_t *ret)
{
	struct bytes field;

	return parse_field(rest, &field) && bytes_starts_with(field, BYTES("0x")) &&
	       bytes_hex((struct bytes){field.at + 2, field.len - 2}, ret);
}

static bool parse_number(struct bytes *rest, uint64_t *ret)
{
	struct bytes field;

	return parse_field(rest, &field) && bytes_u64(field, ret);
}

/* Take a time if there is one; in other versions the address follows directly. */
static void parse_time(struct v8_log *log, struct bytes *rest, uint64_t *ret_time)
{
	struct bytes look = *rest;
	uint64_t us;

	*ret_time = log->facts.last;
	if (!parse_number(&look, &us) || us > UINT64_MAX / NS_PER_US)
		return;
	*rest = look;
	*ret_time = us * NS_PER_US;
	log->facts.timed = true;
	if (*ret_time > log->facts.last)
		log->facts.last = *ret_time;
}

/* Append the character that an escape stands for; returns the length of the escape, 0: not one. */
static size_t unescape(struct bytes rest, struct buffer *out)
{
	size_t digits = rest.len > 1 && rest.at[1] == 'x' ? 2 : 4;
	uint64_t code;

	if (rest.len < 2 || *rest.at != '\\')
		return 0;
	if (rest.at[1] == '\\' || rest.at[1] == 'n') {
		buffer_char(out, rest.at[1] == 'n' ? ' ' : '\\');
		return 2;
	}
	if ((rest.at[1] != 'x' && rest.at[1] != 'u') || rest.len < 2 + digits ||
		!bytes_hex((struct bytes){rest.at + 2, digits}, &code))
		return 0;
	if (code < 0x80) {
		buffer_char(out, (char)code);
	} else if (code < 0x800) {
		buffer_char(out, (char)(0xC0 | code >> 6));
		buffer_char(out, (char)(0x80 | (code & 0x3F)));
	} else {
		buffer_char(out, (char)(0xE0 | code >> 12));
		buffer_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
		buffer_char(out, (char)(0x80 | (code & 0x3F)));
	}
	return 2 + digits;
}

static void add_unescaped(struct buffer *out, struct bytes text)
{
	while (text.len) {
		size_t taken = unescape(text, out);

		if (!taken) {
			buffer_char(out, *text.at);
			taken = 1;
		}
		text = (struct bytes){text.at + taken, text.len - taken};
	}
}

/* ---- Lines ---- */

static bool is_mark(struct bytes field)
{
	return field.len && field.len <= 2 && strchr("~^+*", *field.at) && *field.at;
}

/* TYPE,KIND,TIME,ADDRESS,SIZE,NAME[,FUNCTION,MARK], converted to a name as in a perf map. */
static bool parse_creation(struct v8_log *log, struct bytes rest)
{
	struct bytes type, name, function, mark = {0};
	struct code_piece piece = {0};
	uint64_t kind;

	if (!parse_field(&rest, &type) || !parse_number(&rest, &kind))
		return false;
	parse_time(log, &rest, &piece.from);
	if (!parse_address(&rest, &piece.start) || !parse_number(&rest, &piece.size) ||
		!parse_field(&rest, &name))
		return false;
	if (!parse_field(&rest, &function) || !parse_field(&rest, &mark) || !is_mark(mark))
		mark.len = 0;
	buffer_set(&log->name, type);
	buffer_char(&log->name, ':');
	if (mark.len)
		buffer_add(&log->name, mark.at, mark.len);
	add_unescaped(&log->name, name);
	piece.name = buffer_bytes(&log->name);
	if (piece.size)
		code_map_add(log->code, &piece);
	return true;
}

static bool parse_move(struct v8_log *log, struct bytes rest)
{
	uint64_t time, from, to;

	parse_time(log, &rest, &time);
	if (!parse_address(&rest, &from) || !parse_address(&rest, &to))
		return false;
	code_map_move(log->code, from, to, time);
	return true;
}

static bool parse_delete(struct v8_log *log, struct bytes rest)
{
	uint64_t time, start;

	parse_time(log, &rest, &time);
	if (!parse_address(&rest, &start))
		return false;
	code_map_remove(log->code, start, time);
	return true;
}

/* Samples of V8's own profiler, used only for their time: tick,PC,TIME,... */
static void parse_tick(struct v8_log *log, struct bytes rest)
{
	uint64_t ignored;

	if (!parse_address(&rest, &ignored))
		return;
	parse_time(log, &rest, &ignored);
	log->facts.ticks = log->facts.timed;
}

static void parse_line(struct v8_log *log, struct bytes line)
{
	struct bytes rest = line, word;
	bool good = true;

	if (!parse_field(&rest, &word))
		return;
	if (bytes_equal(word, BYTES("code-creation")))
		good = parse_creation(log, rest);
	else if (bytes_equal(word, BYTES("code-move")))
		good = parse_move(log, rest);
	else if (bytes_equal(word, BYTES("code-delete")))
		good = parse_delete(log, rest);
	else if (bytes_equal(word, BYTES("tick")))
		parse_tick(log, rest);
	log->facts.malformed += !good;
}

size_t v8_log_parse(struct v8_log *log, struct bytes text)
{
	const char *end = bytes_find_last(text, '\n');
	struct bytes line;

	text.len = end ? (size_t)(end + 1 - text.at) : 0;
	for (struct bytes rest = text; bytes_line(&rest, &line);)
		parse_line(log, line);
	return text.len;
}

bool v8_log_read(struct v8_log *log, int fd, struct runtime_budget *budget, struct error *err)
{
	struct error failed = {0};
	struct runtime_read r;

	if (runtime_read_begin(&r, fd, log->read, budget, &failed)) {
		while (runtime_read_next(&r, &failed)) {
			size_t taken = runtime_read_lines(&r, false);

			v8_log_parse(log, (struct bytes){r.text.at, taken});
			log->read = r.offset = r.start + taken;
		}
	}
	log->facts.left_out = runtime_read_end(&r);
	if (failed.code)
		*err = failed;
	return !failed.code;
}

struct code_map *v8_log_code(struct v8_log *log)
{
	return log->code;
}

struct v8_log_facts v8_log_facts(const struct v8_log *log)
{
	return log->facts;
}
