/* http_library.h: libmicrohttpd, loaded when somebody is to be served.
 *
 * With what it needs itself it takes longer to load than most commands take: only `kiln view` pays
 * for it, and all others work where it is not installed. */
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

/* mhd.start_daemon is MHD_start_daemon, and so on; to be called when it is loaded. */
extern struct http_library {
#define MEMBER(name) __typeof__(MHD_##name) *name;
	HTTP_FUNCTIONS(MEMBER)
#undef MEMBER
} mhd;

/* ERR_UNSUPPORTED: it is not there, and what to install. It stays as long as the process. */
bool http_library_load(struct error *err);

#endif
