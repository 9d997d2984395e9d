/* perf_frame_line.c: which function does a line of a call chain name? */
#include "readers/perf/perf_line.h"

#include "readers/lines/scan.h"

/* Hexadecimal digits at the start, at most 16; how many. */
static size_t leading_hex(struct bytes text, uint64_t *ret_value)
{
	uint64_t value = 0;
	size_t len = 0;

	for (; len < text.len && len < 16 && is_hex_digit(text.at[len]); len++)
		value = value << 4 | (uint64_t)(text.at[len] <= '9' ? text.at[len] - '0'
								    : text.at[len] - 'a' + 10);
	if (len)
		*ret_value = value;
	return len;
}

/* Android's simpleperf has tabs where perf has blanks. */
static bool is_white(char c)
{
	return c == ' ' || c == '\t';
}

/* Where the parenthesis is that the one at `close` closes; `close` when there is none. */
static size_t find_open(struct bytes text, size_t close)
{
	const char *open = memrchr(text.at, '(', close);
	size_t start = open ? (size_t)(open - text.at) : 0;
	int depth = 0;

	if (open && !memchr(open, ')', close - start) && start && is_white(open[-1]))
		return start; /* mostly */
	for (size_t i = close + 1; i-- > 0;) {
		if (text.at[i] == ')')
			depth++;
		else if (text.at[i] == '(' && --depth == 0 && (i == 0 || is_white(text.at[i - 1])))
			return i;
	}
	return close;
}

/* Where "(module)" starts, or text.len. A module's name may hold balanced parentheses:
 * "(/usr/bin/x (deleted))". What follows the last parenthesis is not of the frame. */
static size_t find_module(struct bytes text, struct bytes *ret_module)
{
	const char *last = text.len ? memrchr(text.at, ')', text.len) : NULL;
	size_t close = last ? (size_t)(last - text.at) : 0;
	size_t open = last ? find_open(text, close) : close;

	*ret_module = (struct bytes){0};
	if (open == close)
		return text.len;
	*ret_module = (struct bytes){text.at + open + 1, close - open - 1};
	return open;
}

/* How many digits has the "+0x1f" at the end? 0: it is not there. */
static size_t offset_digits(struct bytes symbol)
{
	size_t digits = scan_hex_before(symbol.at, symbol.at + symbol.len);
	size_t at = symbol.len - digits;

	return at >= 3 && !memcmp(symbol.at + at - 3, "+0x", 3) ? digits : 0;
}

static struct bytes without_offset(struct bytes symbol)
{
	size_t digits = offset_digits(symbol);

	return (struct bytes){symbol.at, digits ? symbol.len - digits - 3 : symbol.len};
}

bool perf_frame_offset(struct bytes line, size_t *ret_at, size_t *ret_len)
{
	struct bytes module, before = {line.at, find_module(line, &module)};

	before = bytes_trim(before);
	*ret_len = offset_digits(before);
	*ret_at = (size_t)(before.at + before.len - line.at) - *ret_len;
	return module.at && *ret_len;
}

/* Lines that options beyond ip, sym and dso add. */
static bool is_extra(struct bytes text)
{
	struct bytes word = {text.at, 0};

	while (word.len < text.len && !is_white(word.at[word.len]))
		word.len++;
	return bytes_starts_with(text, BYTES("#")) || bytes_starts_with(text, BYTES("ABI:")) ||
	       bytes_starts_with(text, BYTES("... ")) || bytes_find(text, BYTES("insn:")) ||
	       (word.len < text.len && text.at[word.len] == '\t') ||
	       (word.len > 1 && word.at[word.len - 1] == ':') ||
	       (memchr(word.at, '/', word.len) && bytes_find(word, BYTES("/-")));
}

static bool is_source(struct bytes text)
{
	size_t at = text.len;

	if (!text.len || memchr(text.at, ' ', text.len))
		return false;
	if (text.at[at - 1] == ']') {
		while (at > 1 && is_hex_digit(text.at[at - 2]))
			at--;
		return at > 2 && text.at[at - 2] == '[';
	}
	while (at && is_digit(text.at[at - 1]))
		at--;
	return at < text.len && at > 1 && text.at[at - 1] == ':';
}

/* Do the digits at the start stand alone, and is it not an instruction's bytes that follow? */
static bool is_address(struct bytes text, size_t digits)
{
	return digits == text.len || text.at[digits] == ' ' ||
	       (text.at[digits] == '\t' && !bytes_find(text, BYTES("\tinsn:")));
}

enum perf_line perf_frame_parse(struct bytes line, struct perf_frame *ret_frame)
{
	struct bytes text = bytes_trim(line), symbol, module;
	struct perf_frame frame;
	size_t digits, start;

	if (!text.len)
		return PERF_BLANK;
	digits = leading_hex(text, &frame.address);
	if (!digits || !is_address(text, digits))
		return is_source(text) ? PERF_SOURCE : is_extra(text) ? PERF_EXTRA : PERF_WEIRD;
	symbol = (struct bytes){text.at + digits, text.len - digits};
	start = find_module(symbol, &module);
	/* Without a module only a line that is indented, as perf's are, is believed. */
	if (!module.at && text.at == line.at)
		return PERF_WEIRD;
	frame.module = module;
	frame.symbol = without_offset(bytes_trim((struct bytes){symbol.at, start}));
	if (frame.symbol.len && frame.symbol.at[0] == '(' &&
		!bytes_starts_with(frame.symbol, BYTES("(anonymous namespace)")))
		return PERF_NOTHING;
	*ret_frame = frame;
	return PERF_FRAME;
}

bool perf_source_parse(struct bytes line, struct bytes *ret_file, uint32_t *ret_line)
{
	struct bytes text = bytes_trim(line);
	const char *colon = text.len ? memrchr(text.at, ':', text.len) : NULL;
	uint64_t number;

	if (!colon ||
		!bytes_u64((struct bytes){colon + 1, (size_t)(text.at + text.len - colon) - 1},
			&number) ||
		number > UINT32_MAX)
		return false;
	*ret_file = (struct bytes){text.at, (size_t)(colon - text.at)};
	*ret_line = (uint32_t)number;
	return true;
}
