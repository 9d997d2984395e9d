/* scope.c: base/scope.h for the module: when memory runs out it traps, and the page reports it. */
#include "base/scope.h"

void (*scope_out_of_memory)(size_t size);

bool scope_reserve(void)
{
	return true;
}

void scope_unreserve(void)
{
}

void scope_change(uintptr_t before, void *now)
{
	(void)before;
	(void)now;
}

void scope_fail(size_t size)
{
	(void)size;
	__builtin_trap();
}
