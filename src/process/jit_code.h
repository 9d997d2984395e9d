/* jit_code.h: what is known about code that recorded processes generated at run time?
 *
 * A runtime may have written a jitdump, a log of V8 or a perf map. They are consulted in this
 * order, because a jitdump dates code most precisely and a perf map least. While recording, files
 * are opened when the process is first seen, because they may be in a container and disappear with
 * it, and the growth of perf maps is sampled to date their lines (perf_map.h). For a recording that
 * is read later, files are looked for beside it and in /tmp. */
#ifndef KILN_PROCESS_JIT_CODE_H
#define KILN_PROCESS_JIT_CODE_H

#include "base/buffer.h"
#include "base/patience.h"
#include "images/code_map.h"
#include "images/runtime_file.h"
#include "model/profile.h"

#define JIT_SOURCES 3u /* kinds of files */

/* `{0}` is empty. */
struct jit_code {
	bool recorded;	 /* the processes are gone; false: while recording */
	bool search_tmp; /* of a recording: /tmp/perf-PID.map belongs to its processes */
	bool monotonic;	 /* sample times are CLOCK_MONOTONIC */
	const char
		*beside; /* a directory that may have files of processes that are gone; or NULL */
	bool beside_seen[JIT_SOURCES], beside_any[JIT_SOURCES]; /* has it files of this kind? */
	const char *v8_logs;  /* a glob(7) for logs, from the user; NULL: none */
	int64_t wall_offset;  /* ns from sample times to wall-clock time; INT64_MIN: unknown */
	bool follows;	      /* a perf map is being sampled */
	uint64_t growth_time; /* when one last grew */
	size_t open_files;
	VECTOR(struct jit_process) rows;
	VECTOR(uint32_t) row_of; /* by process: its row + 1; 0: none */
	bool full;		 /* there were processes that have no row */
	VECTOR(string_id) dumps; /* paths of mapped jitdumps */
	/* By sample of each table: its stack before it was renamed by time; 0: unchanged. */
	VECTOR(struct jit_stacks {
		VECTOR(stack_id) of_sample;
		size_t done; /* samples that were examined */
	})
	stacks;
	struct runtime_budget budget; /* for reading all of these files */
	struct patience patience;     /* limits the time for listing working directories */
	mapping_id seen;	      /* mappings of the profile up to here have been examined */
};
void jit_code_release(struct jit_code *code);

/* While recording: open the files that processes have created so far, and note their sizes at
 * `now` (ns). Call repeatedly. */
void jit_code_poll(struct jit_code *code, const struct profile *p, uint64_t now);
/* As jit_code_poll for the last time: also retry files that were missing. */
void jit_code_poll_last(struct jit_code *code, const struct profile *p, uint64_t now);

/* Read the files of a process that exist. False: there is no code in them; *err is the reason if a
 * file could not be read, otherwise it stays empty. */
bool jit_code_read(
	struct jit_code *code, const struct profile *p, process_id process, struct error *err);

/* While recording: read what all processes have written since. */
void jit_code_read_all(struct jit_code *code, const struct profile *p);

/* The code at an address of a process that was read, at a time (ns) or CODE_LATEST. */
bool jit_code_find(struct jit_code *code, process_id process, uint64_t address, uint64_t time,
	struct code_piece *ret);

/* Do several pieces of code contain this address? Then *ret_timed: is it known when each was
 * there? */
bool jit_code_reused(struct jit_code *code, process_id process, uint64_t address, bool *ret_timed);

/* Do pieces of code overlap in any file? */
bool jit_code_overlaps(struct jit_code *code);

/* Append which parts of the files were not understood, like "3 lines of perf-7.map, ...";
 * nothing if none. */
void jit_code_skipped(const struct jit_code *code, struct buffer *text);

/* Append what was not read because of limits, like "1,023 MB of perf-7.map, ..."; nothing if all
 * was read. */
void jit_code_left_out(const struct jit_code *code, struct buffer *text);

#endif
