/* plugins.c: libraries that come and go, one at the address of the one before: plugins FILE...
 * loads each, calls its plugin_work and unloads it, twice over. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	for (int i = 0; i < 2 * (argc - 1); i++) {
		void *library = dlopen(argv[1 + i % (argc - 1)], RTLD_NOW);
		void (*work)(void);

		if (!library) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		*(void **)&work = dlsym(library, "plugin_work");
		work();
		dlclose(library);
	}
	return 0;
}
