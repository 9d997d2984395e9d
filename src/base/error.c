/* error.c: how is a failure recorded and given context? */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEFT_OUT "..."

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80; /* a continuation byte of UTF-8 */
}

/* Set a text that does not fit: keep its beginning and its end. */
static void set_long(struct error *err, const char *text, size_t len)
{
	size_t half = (sizeof(err->text) - sizeof(LEFT_OUT)) / 2, head = half, tail = len - half;

	while (head && continues_character(text[head]))
		head--;
	while (continues_character(text[tail]))
		tail++;
	memcpy(err->text, text, head);
	memcpy(err->text + head, LEFT_OUT, strlen(LEFT_OUT));
	memcpy(err->text + head + strlen(LEFT_OUT), text + tail, len - tail + 1);
}

/* Set the text to the formatted one, followed by `rest`. */
__attribute__((format(printf, 2, 0))) static void set_text(
	struct error *err, const char *fmt, va_list args, const char *rest)
{
	size_t rest_len = strlen(rest), need;
	char *text = NULL;
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(err->text, sizeof(err->text), fmt, args);
	need = len < 0 ? 0 : (size_t)len;
	if (need + rest_len < sizeof(err->text))
		memcpy(err->text + need, rest, rest_len + 1);
	else
		text = malloc(need + rest_len + 1); /* if this fails, the text is cut at its end */
	if (text) {
		vsnprintf(text, need + 1, fmt, again);
		memcpy(text + need, rest, rest_len + 1);
		set_long(err, text, need + rest_len);
	}
	free(text); /* from malloc */
	va_end(again);
}

bool error_set(struct error *err, enum error_code code, const char *fmt, ...)
{
	va_list args;

	err->code = code;
	va_start(args, fmt);
	set_text(err, fmt, args, "");
	va_end(args);
	return false;
}

bool error_errno(struct error *err, const char *fmt, ...)
{
	int cause = errno;
	char rest[128];
	va_list args;

	err->code = cause == EPERM || cause == EACCES ? ERR_PERMISSION : ERR_IO;
	snprintf(rest, sizeof(rest), ": %s", strerror(cause));
	va_start(args, fmt);
	set_text(err, fmt, args, rest);
	va_end(args);
	return false;
}

bool error_prefix(struct error *err, const char *fmt, ...)
{
	char rest[sizeof(err->text)];
	va_list args;

	memcpy(rest, err->text, sizeof(rest));
	va_start(args, fmt);
	set_text(err, fmt, args, rest);
	va_end(args);
	return false;
}

int error_exit_code(const struct error *err)
{
	switch (err->code) {
	case ERR_USAGE:
	case ERR_MISSING:
	case ERR_FORMAT:
	case ERR_LIMIT:
		return 2;
	default:
		return 1;
	}
}
