/* scope.h: what does a call of libkiln hold, and how is it given back when memory runs out?
 *
 * A function of the public interface runs in a scope (scope_run). The scope knows what was
 * allocated since it began, and what else has to be given back: descriptors, mappings, contexts of
 * libraries, threads. When an allocation fails, all of that is released and scope_run returns
 * false. Without a scope, as in the `kiln` command, nothing is tracked, and an allocation that
 * fails ends the process.
 *
 * What a scope releases must not be reachable from anything that outlives the call: functions that
 * run in one change only objects that they made. Memory that is kept in a static variable comes
 * from malloc. */
#ifndef KILN_BASE_SCOPE_H
#define KILN_BASE_SCOPE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a thread goes on when an allocation fails. */
struct recovery;

/* Call call(context) in a scope. False: memory ran out, *ret_asked bytes could not be had, and what
 * was allocated and held since is released. What is there after a success belongs to the caller. */
bool scope_run(void (*call)(void *context), void *context, size_t *ret_asked);

/* Memory ran out: release all and let scope_run return false. `size`: the bytes that could not be
 * had; 0: unknown, as in a library. Without a scope, call scope_exhausted, which ends the process;
 * where it is NULL, abort() does. */
_Noreturn void scope_fail(size_t size);
extern void (*scope_exhausted)(size_t size);

/* ---- Resources beside memory ---- */

/* Call release(what) if memory runs out before scope_drop(what). `what` may be in the caller's
 * frame. `release` gives back what is no memory of ours, and allocates nothing. */
void scope_hold(void *what, void (*release)(void *what));
void scope_drop(const void *what);
/* A pthread_mutex_t that is locked while memory is allocated: it is unlocked before all else. */
void scope_hold_lock(void *lock);
/* Threads that use what is held: `end` waits until they have ended, before anything is released. */
void scope_hold_threads(void *what, void (*end)(void *what));

/* The same for descriptors: returns fd; negative: nothing is held. */
int scope_fd(int fd);
int scope_close(int fd); /* as close() */
/* And for mappings: returns `at`; MAP_FAILED: nothing is held. */
void *scope_mapping(void *at, size_t size);
void scope_unmap(void *at, size_t size);
/* And for directories: returns what opendir() has returned; NULL: nothing is held. */
DIR *scope_directory(DIR *directory);
void scope_closedir(DIR *directory);

/* ---- Threads ---- */

/* For those that start threads: what scope_attempt takes as `starter` there. NULL: no scope. */
struct recovery *scope_here(void);

/* Call work(context), in a thread started by who got `starter` or in that thread itself, which may
 * not go on before this has returned. False: memory ran out in it. Then what it held (but no
 * memory) is released, and the starter calls scope_fail_again once no thread needs anything of it.
 */
bool scope_attempt(struct recovery *starter, void (*work)(void *context), void *context);
_Noreturn void scope_fail_again(void);

/* ---- For memory.c ---- */

/* Before an allocation: room to remember one. False: there is no memory for that. */
bool scope_reserve(void);
void scope_unreserve(void);
/* An allocation `now` takes the place of what was at `before`; one of them may be NULL. */
void scope_change(uintptr_t before, void *now);

#endif
