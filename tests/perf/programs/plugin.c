/* plugin.c: what plugins.c loads; PLUGIN is the name of its own function, PADDING moves it. */
#include "work.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

void JOIN(PLUGIN, _padding)(void);
void JOIN(PLUGIN, _padding)(void)
{
	__asm__ volatile(".skip " PADDING ", 0x90");
}

SOLID static void PLUGIN(void)
{
	WORK(0.05);
}

void plugin_work(void);
void plugin_work(void)
{
	PLUGIN();
	work_sink++;
}
