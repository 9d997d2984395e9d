/* perf_line.h: the lines that `perf script` prints.
 *
 * The format is what tools/perf/builtin-script.c prints in Linux 3.10 to 6.17:
 *
 *	comm pid/tid [cpu] time: period event: arguments
 *		address symbol+offset (module)
 *
 * with any of these fields left out by -F, the last one or more frames on lines of their own, and
 * an empty line after each sample that has frames. */
#ifndef KILN_READERS_PERF_PERF_LINE_H
#define KILN_READERS_PERF_PERF_LINE_H

#include "base/bytes.h"

/* A line that starts a sample. */
struct perf_event {
	struct bytes comm;  /* trimmed; may hold blanks; empty: not printed */
	int32_t pid, tid;   /* -1: not printed */
	int32_t cpu;	    /* -1: not printed */
	bool timed;	    /* is `time` there? */
	uint64_t time;	    /* ns */
	uint64_t period;    /* 0: not printed, or 0 */
	struct bytes event; /* "cycles:u"; empty: not printed */
	struct bytes rest;  /* what follows the event: a frame, a tracepoint's arguments, ... */
	bool anchored;	    /* time or cpu was found where it belongs: this cannot be a frame */
	size_t head;	    /* length of comm and ids, and of the blanks behind them */
	bool counted;	    /* is `period` there? */
};

/* Without its newline. False when it is no such line. The comm may be anything: of all readings,
 * the last one that the kernel's 15 bytes for a comm allow is taken. */
bool perf_event_parse(struct bytes line, struct perf_event *ret_event);

/* A line that has none of what a reading can hold on to, as by `-F comm,ip,sym`: nothing but the
 * comm and the event, or but ids. Any text of 15 bytes may be one: ask where a sample has to start.
 */
bool perf_event_parse_bare(struct bytes line, struct perf_event *ret_event);

/* The same as perf_event_parse when the line starts as the one that *event is about: `head` is that
 * line's first event->head bytes. False, and *event is as it was, when it has to be parsed from the
 * start. */
bool perf_event_parse_tail(struct bytes line, struct bytes head, struct perf_event *event);

/* The same when nothing but CPU, time and period is new since `last`, the line that *event is
 * about: its texts stay where they are. False, and *event is as it was, when more may be. Unless it
 * is to be `timed`, CPU and time may stay those of the last line. */
bool perf_event_parse_again(
	struct bytes line, struct bytes last, bool timed, struct perf_event *event);

enum perf_line {
	PERF_FRAME,   /* address, symbol, module */
	PERF_NOTHING, /* a process name where a symbol should be: perf before 3.10 */
	PERF_SOURCE,  /* file:line or module[offset] of the frame above (-F +srcline) */
	PERF_EXTRA, /* registers, branches, instructions (-F +iregs, +brstack, +brstackinsn, ...) */
	PERF_BLANK,
	PERF_WEIRD, /* none of these */
};

struct perf_frame {
	uint64_t address;
	struct bytes symbol; /* without "+0x..."; empty or "[unknown]": no name */
	struct bytes module; /* without parentheses; empty: not printed */
};

/* A line below the event's. *ret_frame is set for PERF_FRAME only. */
enum perf_line perf_frame_parse(struct bytes line, struct perf_frame *ret_frame);

/* Where the digits of the offset lie in a line that holds a frame: lines that differ in nothing
 * else behind the address give equal frames. False when the line has none. */
bool perf_frame_offset(struct bytes line, size_t *ret_at, size_t *ret_len);

/* "main.c:12" (or nothing of use: "libc.so[27b25]") below a frame. */
bool perf_source_parse(struct bytes line, struct bytes *ret_file, uint32_t *ret_line);

#endif
