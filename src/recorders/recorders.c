/* recorders.c: the registry of live sources. */
#include "recorders/recorders.h"

#define ENTRY(name) extern const struct recorder recorder_##name;
#include "recorders.list"
#undef ENTRY

#define ENTRY(name) &recorder_##name,
const struct recorder *const recorders[] = {
#include "recorders.list"
	NULL};
#undef ENTRY
