/* http_library.c: how is libmicrohttpd loaded at run time? */
#include "server/http_library.h"

#include <dlfcn.h>
#include <string.h>

#define SONAME "libmicrohttpd.so.12"

struct http_library mhd;

static const struct {
	const char *name;
	void *where;
} functions[] = {
#define ENTRY(name) {"MHD_" #name, &mhd.name},
	HTTP_FUNCTIONS(ENTRY)
#undef ENTRY
};

bool http_library_load(struct error *err)
{
	void *library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return error_set(err, ERR_UNSUPPORTED,
			"kiln view needs " SONAME
			", which is not installed (Debian: apt install libmicrohttpd12): %s",
			dlerror());
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function)
			return error_set(
				err, ERR_UNSUPPORTED, SONAME " has no %s", functions[i].name);
		memcpy(functions[i].where, &function, sizeof(function));
	}
	return true;
}
