/* usdt.c: which static probes (USDT) does a binary have, and what are their arguments? */
#include "images/usdt.h"

#include <elf.h>

#define NOTE_NAME "stapsdt" /* with its 0, 8 bytes */
#define NOTE_TYPE 3

/* ---- Notes ---- */

/* A text up to its 0. */
static bool parse_text(struct bytes *rest, struct bytes *ret)
{
	const char *end = rest->len ? memchr(rest->at, '\0', rest->len) : NULL;

	if (!end)
		return false;
	*ret = (struct bytes){rest->at, (size_t)(end - rest->at)};
	rest->len -= ret->len + 1;
	rest->at = end + 1;
	return true;
}

static bool read_probe(const struct image *image, struct bytes content, struct usdt_probe *ret)
{
	const struct image_section *base = image_section(image, ".stapsdt.base");
	uint64_t words[3], moved;

	if (content.len < sizeof(words))
		return false;
	memcpy(words, content.at, sizeof(words));
	content.at += sizeof(words);
	content.len -= sizeof(words);
	moved = base ? base->address - words[1] : 0;
	ret->address = words[0] + moved;
	ret->semaphore = words[2] ? words[2] + moved : 0;
	return parse_text(&content, &ret->provider) && parse_text(&content, &ret->name) &&
	       parse_text(&content, &ret->arguments);
}

static size_t padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

bool usdt_next(const struct image *image, size_t *at, struct usdt_probe *ret_probe)
{
	const struct image_section *notes = image_section(image, ".note.stapsdt");
	struct bytes rest = notes ? notes->content : (struct bytes){0};
	struct bytes whole = image_content(image);
	Elf64_Nhdr note;

	if (whole.len <= EI_CLASS || whole.at[EI_CLASS] != ELFCLASS64)
		return false;
	while (*at < rest.len && rest.len - *at >= sizeof(note)) {
		const char *name = rest.at + *at + sizeof(note);
		size_t left = rest.len - *at - sizeof(note);
		struct bytes content;

		memcpy(&note, rest.at + *at, sizeof(note));
		if (padded(note.n_namesz) > left || note.n_descsz > left - padded(note.n_namesz))
			return false;
		content = (struct bytes){name + padded(note.n_namesz), note.n_descsz};
		*at += sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
		if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof(NOTE_NAME) &&
			!memcmp(name, NOTE_NAME, sizeof(NOTE_NAME)) &&
			read_probe(image, content, ret_probe))
			return true;
	}
	return false;
}

/* ---- Arguments ---- */

/* Each column's names with 8, 4, 2 and 1 bytes. */
static const char *const names[16][4] = {{"rax", "eax", "ax", "al"}, {"rdx", "edx", "dx", "dl"},
	{"rcx", "ecx", "cx", "cl"}, {"rbx", "ebx", "bx", "bl"}, {"rsi", "esi", "si", "sil"},
	{"rdi", "edi", "di", "dil"}, {"rbp", "ebp", "bp", "bpl"}, {"rsp", "esp", "sp", "spl"},
	{"r8", "r8d", "r8w", "r8b"}, {"r9", "r9d", "r9w", "r9b"}, {"r10", "r10d", "r10w", "r10b"},
	{"r11", "r11d", "r11w", "r11b"}, {"r12", "r12d", "r12w", "r12b"},
	{"r13", "r13d", "r13w", "r13b"}, {"r14", "r14d", "r14w", "r14b"},
	{"r15", "r15d", "r15w", "r15b"}};

/* "%rax" */
static bool read_register(struct bytes text, uint8_t *ret_column)
{
	if (!text.len || *text.at != '%')
		return false;
	text.at++;
	text.len--;
	for (uint8_t i = 0; i < 16; i++)
		for (unsigned j = 0; j < 4; j++)
			if (bytes_equal(text, bytes_of(names[i][j]))) {
				*ret_column = i;
				return true;
			}
	return false;
}

/* "-20", "+8", "0x10"; an empty text is 0. */
static bool read_number(struct bytes text, int64_t *ret)
{
	bool negative = text.len && *text.at == '-';
	uint64_t number = 0;

	if (text.len && (*text.at == '-' || *text.at == '+')) {
		text.at++;
		text.len--;
		if (!text.len)
			return false;
	}
	if (bytes_starts_with(text, BYTES("0x"))) {
		if (!bytes_hex((struct bytes){text.at + 2, text.len - 2}, &number))
			return false;
	} else if (text.len && !bytes_u64(text, &number)) {
		return false;
	}
	*ret = (int64_t)(negative ? 0 - number : number);
	return true;
}

/* "$7", "%eax", "-20(%rbp)" */
static bool read_operand(struct bytes text, struct usdt_argument *ret)
{
	size_t open = bytes_until(text, '(');

	ret->where = USDT_CONSTANT;
	if (text.len > 1 && *text.at == '$')
		return read_number((struct bytes){text.at + 1, text.len - 1}, &ret->add);
	ret->where = USDT_REGISTER;
	if (open == text.len)
		return read_register(text, &ret->column);
	ret->where = USDT_MEMORY;
	if (text.at[text.len - 1] != ')')
		return false;
	return read_number((struct bytes){text.at, open}, &ret->add) &&
	       read_register((struct bytes){text.at + open + 1, text.len - open - 2}, &ret->column);
}

/* The next word of the arguments, which are separated by blanks. */
static bool next_word(struct bytes *rest, struct bytes *ret)
{
	while (rest->len && *rest->at == ' ') {
		rest->at++;
		rest->len--;
	}
	*ret = (struct bytes){rest->at, bytes_until(*rest, ' ')};
	rest->at += ret->len;
	rest->len -= ret->len;
	return ret->len > 0;
}

unsigned usdt_count(struct bytes arguments)
{
	struct bytes word;
	unsigned count = 0;

	while (next_word(&arguments, &word))
		count++;
	return count;
}

bool usdt_argument(struct bytes arguments, unsigned index, struct usdt_argument *ret_argument)
{
	struct usdt_argument a = {0};
	struct bytes word, size;
	int64_t bytes;

	do {
		if (!next_word(&arguments, &word))
			return false;
	} while (index--);
	if (!bytes_cut(&word, '@', &size) || !word.len || !size.len || !read_number(size, &bytes))
		return false;
	a.is_signed = bytes < 0;
	a.size = (uint8_t)(bytes < 0 ? -bytes : bytes);
	if ((bytes < -8 || bytes > 8) || !a.size || (a.size & (a.size - 1)) ||
		!read_operand(word, &a))
		return false;
	*ret_argument = a;
	return true;
}
