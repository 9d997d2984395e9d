/* http_library.h: libmicrohttpd, loaded at run time.
 *
 * With its dependencies it takes longer to load than most commands run; so only `kiln view` loads
 * it, and the other commands work without it. */
#ifndef KILN_SERVER_HTTP_LIBRARY_H
#define KILN_SERVER_HTTP_LIBRARY_H

#include "base/error.h"

#include <microhttpd.h>

#define HTTP_FUNCTIONS(F)                                                                          \
	F(start_daemon)                                                                            \
	F(stop_daemon)                                                                             \
	F(get_connection_info)                                                                     \
	F(set_connection_option)                                                                   \
	F(lookup_connection_value)                                                                 \
	F(get_connection_values_n)                                                                 \
	F(create_response_from_buffer)                                                             \
	F(create_response_from_callback)                                                           \
	F(add_response_header)                                                                     \
	F(queue_response)                                                                          \
	F(destroy_response)

/* mhd.start_daemon is MHD_start_daemon, and so on; valid after http_library_load. */
extern struct http_library {
#define MEMBER(name) __typeof__(MHD_##name) *name; /* NOLINT(bugprone-macro-parentheses) */
	HTTP_FUNCTIONS(MEMBER)
#undef MEMBER
} mhd;

/* ERR_UNSUPPORTED: not installed; the message says what to install. It stays loaded. */
bool http_library_load(struct error *err);

#endif
