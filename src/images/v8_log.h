/* v8_log.h: what does a log of V8 say about the code it made?
 *
 * V8 (node --log-code, --prof) writes isolate-ADDRESS-PID-v8.log: lines of fields between commas,
 * described in V8's src/logging/log.cc. Of code tell
 *
 *	code-creation,TYPE,KIND,TIME,ADDRESS,SIZE,NAME[,FUNCTION,MARK]	the tier's mark: see
 *v8_name.h code-move,[TIME,]FROM,TO code-delete,[TIME,]ADDRESS
 *
 * TIME counts microseconds from when the log was begun; logs before Node 10 have none. Names have
 * \xHH, \uHHHH, \n and \\ in them. */
#ifndef KILN_IMAGES_V8_LOG_H
#define KILN_IMAGES_V8_LOG_H

#include "base/error.h"
#include "images/code_map.h"
#include "images/runtime_file.h"

struct v8_log;

struct v8_log *v8_log_new(void);
void v8_log_release(struct v8_log *log); /* NULL is fine */

/* Take in what the file has by now beyond what was read; a last line without its end is left for
 * the next time. */
bool v8_log_read(struct v8_log *log, int fd, struct runtime_budget *budget, struct error *err);
/* The same from memory: the next lines. Returns how many bytes were taken. */
size_t v8_log_take(struct v8_log *log, struct bytes text);

/* Its times are ns from when the log was begun. */
struct code_map *v8_log_code(struct v8_log *log);

struct v8_log_facts {
	bool timed;
	bool ticks;	    /* V8's own profiler wrote: times go on to the end */
	uint64_t last;	    /* ns from the log's begin to the last line that has a time */
	uint64_t malformed; /* lines about code that do not say what they should */
	uint64_t left_out;  /* bytes that the budget left out when it was read last */
};
struct v8_log_facts v8_log_facts(const struct v8_log *log);

#endif
