/* recorders.c: the registry of live sources. */
#include "recorders/recorders.h"

#define ENTRY(name) extern const struct recorder recorder_##name;
#include "recorders.list"
#undef ENTRY

#define ENTRY(name) &recorder_##name,
static const struct recorder *const recorders[] = {
#include "recorders.list"
	NULL};
#undef ENTRY

const struct recorder *recorder_by_name(const char *name)
{
	for (size_t i = 0; recorders[i]; i++)
		if (!strcmp(recorders[i]->name, name))
			return recorders[i];
	return NULL;
}
