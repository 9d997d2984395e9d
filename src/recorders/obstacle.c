/* obstacle.c: what keeps a recording from working, and what removes it? */
#include "recorders/obstacle.h"

#include <stdarg.h>
#include <stdio.h>

bool obstacle_set(struct obstacle *o, enum error_code code, const char *fmt, ...)
{
	va_list arguments;

	*o = (struct obstacle){.code = code};
	va_start(arguments, fmt);
	vsnprintf(o->reason, sizeof(o->reason), fmt, arguments);
	va_end(arguments);
	return false;
}

bool obstacle_remedy(struct obstacle *o, const char *fmt, ...)
{
	va_list arguments;

	va_start(arguments, fmt);
	vsnprintf(o->remedy, sizeof(o->remedy), fmt, arguments);
	va_end(arguments);
	return false;
}

bool obstacle_command(struct obstacle *o, const char *fmt, ...)
{
	va_list arguments;

	va_start(arguments, fmt);
	vsnprintf(o->command, sizeof(o->command), fmt, arguments);
	va_end(arguments);
	return false;
}

bool obstacle_error(struct error *err, const struct obstacle *o)
{
	return error_set(err, o->code, "%s%s%s", o->reason, *o->remedy ? ": " : "", o->remedy);
}
