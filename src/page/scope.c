/* scope.c: memory runs out in a page: its module ends there, and the page says so. */
#include "base/scope.h"

#include "base/memory.h"

void (*memory_exhausted)(size_t size);

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

void memory_fail(size_t size)
{
	(void)size;
	__builtin_trap();
}
