/* obstacle.c: what keeps a recording from working, and what removes it? */
#include "recorders/obstacle.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

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

/* Root without capabilities, in a container, gains nothing by sudo. */
bool obstacle_run_as_root(struct obstacle *o)
{
	return geteuid() && obstacle_command(o, "sudo kiln record ...");
}

bool obstacle_error(struct error *err, const struct obstacle *o)
{
	return error_set(err, o->code, "%s%s%s", o->reason, *o->remedy ? ": " : "", o->remedy);
}
