/* error.c: how is a failure recorded and given context? */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct error *err, enum error_code code, const char *fmt, ...)
{
	va_list args;

	err->code = code;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return false;
}

bool error_errno(struct error *err, const char *fmt, ...)
{
	int cause = errno;
	va_list args;
	size_t used;

	err->code = cause == EPERM || cause == EACCES ? ERR_PERMISSION : ERR_IO;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", strerror(cause));
	return false;
}

bool error_prefix(struct error *err, const char *fmt, ...)
{
	char old[sizeof(err->text)];
	va_list args;
	size_t used;

	memcpy(old, err->text, sizeof(old));
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	used = strlen(err->text);
	memccpy(err->text + used, old, '\0', sizeof(err->text) - used);
	err->text[sizeof(err->text) - 1] = '\0';
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
