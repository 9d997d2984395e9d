/* calls.h: what is common to recorders of calls, built with programs for the kernel or not. */
#ifndef KILN_RECORDERS_CALLS_H
#define KILN_RECORDERS_CALLS_H

#include "base/options.h"
#include "recorders/session.h"

#define IO_ABOUT "where files are read and written"
#define IO_NONE	 "the target called neither read, write nor fsync on a regular file"
#define IO_TOP	 "what was done with files"
#define IO_TITLE "Files (--mode io)"

extern const struct option io_options[];
bool io_check(const struct record_options *options, struct error *err);

/* For other modes: ERR_USAGE when there is one of these options. */
bool io_options_unused(const struct record_options *options, struct error *err);

#endif
