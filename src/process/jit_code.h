/* jit_code.h: what is known about the code that recorded processes made while they ran?
 *
 * A runtime may have written a jitdump, a log of V8 or a perf map; they are asked in that order,
 * which is that of how well they know when code was where. While a recording runs, files are opened
 * when the process is first seen, because they may be a container's and gone with it, and the
 * growth of perf maps is followed, which tells when their lines were written. Of a recording that
 * is read later they are looked for beside it and in /tmp. */
#ifndef KILN_PROCESS_JIT_CODE_H
#define KILN_PROCESS_JIT_CODE_H

#include "base/buffer.h"
#include "images/code_map.h"
#include "images/runtime_file.h"
#include "model/profile.h"

/* `{0}` is empty. */
struct jit_code {
	bool recorded;	    /* processes are gone; else a recording is running */
	bool ask_tmp;	    /* of a recorded one: /tmp/perf-PID.map is of its processes */
	bool monotonic;	    /* times of samples are CLOCK_MONOTONIC */
	const char *beside; /* a directory where files of processes that are gone may be; or NULL */
	const char *v8_logs; /* a glob(7) of logs that the user named; NULL: none */
	int64_t wall_offset; /* ns from the samples' times to the wall clock; INT64_MIN: unknown */
	bool follows;	     /* a perf map, whose growth tells the times of its lines */
	uint64_t grown;	     /* when one was last seen to have grown */
	size_t held, last;   /* open files; the row that was asked last */
	VECTOR(struct jit_process) rows;
	VECTOR(string_id) dumps; /* paths of mapped jitdumps */
	/* By sample of each table: its stack before it was named by its time; 0: not changed. */
	VECTOR(struct jit_stacks {
		VECTOR(stack_id) of_sample;
		size_t done; /* samples that have been looked at */
	})
	stacks;
	struct runtime_budget budget; /* of reading all of these files */
	mapping_id seen;	      /* mappings of the profile up to here are known */
};
void jit_code_release(struct jit_code *code);

/* While recording: open what processes with such code have written by now, and see how far it has
 * grown at `now` (ns). To be called again and again. */
void jit_code_look(struct jit_code *code, const struct profile *p, uint64_t now);
/* The last time: what was missing is looked for once more. */
void jit_code_look_finally(struct jit_code *code, const struct profile *p, uint64_t now);

/* Read what is there about a process. False when there is nothing, with the reason when something
 * is in the way and an empty error when there is just nothing. */
bool jit_code_read(
	struct jit_code *code, const struct profile *p, process_id process, struct error *err);

/* While recording: the same for all processes. */
void jit_code_read_on(struct jit_code *code, const struct profile *p);

/* The code at an address of a process that was read, at a time (ns) or CODE_LATEST. */
bool jit_code_find(struct jit_code *code, process_id process, uint64_t address, uint64_t time,
	struct code_piece *ret);

/* Was the place of this code used for other code too? Then *ret_timed says whether it is known
 * when. */
bool jit_code_reused(struct jit_code *code, process_id process, uint64_t address, bool *ret_timed);

/* Does anything that was read have code in the place of other code? */
bool jit_code_overlaps(struct jit_code *code);

/* Append what of the files that were read says nothing of code, as "3 lines of perf-7.map, ...";
 * nothing when there is none. */
void jit_code_skipped(const struct jit_code *code, struct buffer *text);

/* Append what was not read because there was too much, as "1,023 MB of perf-7.map, ..."; nothing
 * when all was read. */
void jit_code_left_out(const struct jit_code *code, struct buffer *text);

#endif
