/* v8_log.h: what does a log of V8 say about the code it generated?
 *
 * V8 (node --log-code, --prof) writes isolate-ADDRESS-PID-v8.log: lines of comma-separated fields,
 * described in V8's src/logging/log.cc. These lines are about code:
 *
 *	code-creation,TYPE,KIND,TIME,ADDRESS,SIZE,NAME[,FUNCTION,MARK]
 *	code-move,[TIME,]FROM,TO
 *	code-delete,[TIME,]ADDRESS
 *
 * MARK is that of the compiler's tier (names/v8_name.h). TIME is in microseconds since the log was
 * started; logs before Node 10 have none. Names contain \xHH, \uHHHH, \n and \\. */
#ifndef KILN_IMAGES_V8_LOG_H
#define KILN_IMAGES_V8_LOG_H

#include "base/error.h"
#include "images/code_map.h"
#include "images/runtime_file.h"

struct v8_log;

struct v8_log *v8_log_new(void);
void v8_log_release(struct v8_log *log); /* NULL is allowed */

/* Read what the file has gained since the last call; a last line without a newline is left for
 * the next call. */
bool v8_log_read(struct v8_log *log, int fd, struct runtime_budget *budget, struct error *err);
/* As v8_log_read, from memory: the next lines. Returns how many bytes were taken. */
size_t v8_log_parse(struct v8_log *log, struct bytes text);

/* Times are ns since the log was started. */
struct code_map *v8_log_code(struct v8_log *log);

struct v8_log_facts {
	bool timed;
	bool ticks;	    /* V8's own profiler was on: times continue to the end */
	uint64_t last;	    /* ns from the start of the log to the last line with a time */
	uint64_t malformed; /* lines about code that are not valid */
	uint64_t left_out;  /* bytes that the budget left out in the last call */
};
struct v8_log_facts v8_log_facts(const struct v8_log *log);

#endif
