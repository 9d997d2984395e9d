/* base64.c: how is base64 encoded and decoded?
 *
 * By hand: glibc has no base64, and 60 lines do not justify a dependency. The largest text is
 * the profile in a page that is one file: `bench/page.sh`. */
#include "base/base64.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(struct bytes content, struct buffer *out)
{
	size_t len = (content.len + 2) / 3 * 4;
	char *to = buffer_reserve(out, len);

	for (size_t i = 0; i < content.len; i += 3) {
		size_t left = content.len - i;
		uint32_t bits = (uint32_t)(unsigned char)content.at[i] << 16;

		bits |= left > 1 ? (uint32_t)(unsigned char)content.at[i + 1] << 8 : 0;
		bits |= left > 2 ? (uint32_t)(unsigned char)content.at[i + 2] : 0;
		*to++ = letters[bits >> 18];
		*to++ = letters[bits >> 12 & 63];
		*to++ = left > 1 ? letters[bits >> 6 & 63] : '=';
		*to++ = left > 2 ? letters[bits & 63] : '=';
	}
	out->len += len;
	out->at[out->len] = '\0';
}

static int digit_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (is_digit(c))
		return c - '0' + 52;
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : -1;
}

bool base64_decode(struct bytes text, struct buffer *out)
{
	char *to = buffer_reserve(out, text.len / 4 * 3 + 3), *start = to;
	unsigned bits = 0, count = 0;
	bool done = true;

	for (size_t i = 0; done && i < text.len && text.at[i] != '='; i++) {
		int digit = digit_of(text.at[i]);

		done = digit >= 0;
		bits = (bits << 6 | ((unsigned)digit & 63)) & 0xfff;
		count += 6;
		if (done && count >= 8) {
			count -= 8;
			*to++ = (char)(bits >> count);
		}
	}
	out->len += (size_t)(to - start);
	out->at[out->len] = '\0';
	return done;
}
