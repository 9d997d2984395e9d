/* scope.h: what does a call of libkiln hold, and how is it released when memory runs out?
 *
 * A function of the public interface runs in a scope (scope_run). The scope knows what was
 * allocated since it began, and what else has to be released: descriptors, mappings, contexts of
 * libraries, threads. When an allocation fails, all of that is released and scope_run returns
 * false. Without a scope, as in the `kiln` command, nothing is tracked, and an allocation that
 * fails ends the process.
 *
 * The alternative, a check after each of some thousand allocations, would be error paths that no
 * test reaches. The price: nothing that a scope releases may be reachable from an object that
 * outlives the call. So functions that run in a scope change only objects that they created, and
 * memory for static variables is taken out of the scope (memory_keep). */
#ifndef KILN_BASE_SCOPE_H
#define KILN_BASE_SCOPE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The place where a thread continues when an allocation fails. */
struct recovery;

/* Call call(context) in a scope, in the "C" locale. False: memory ran out; *ret_failed_size bytes could not be
 * allocated, and everything allocated and held since is released. After success, all of it belongs
 * to the caller. */
bool scope_run(void (*call)(void *context), void *context, size_t *ret_failed_size);

/* Memory ran out: release everything and let scope_run return false. `size`: the bytes that
 * could not be allocated; 0: unknown, for instance in a library. Without a scope, call
 * scope_out_of_memory, which ends the process; where it is NULL, abort() does. */
_Noreturn void scope_fail(size_t size);
extern void (*scope_out_of_memory)(size_t size);

/* ---- Resources beside memory ---- */

/* Call release(what) if memory runs out before scope_drop(what). `what` may be in the caller's
 * frame. `release` releases what is not memory, and allocates nothing. */
void scope_hold(void *what, void (*release)(void *what));
void scope_drop(const void *what);
/* A pthread_mutex_t that is locked while memory is allocated: unlocked before anything else. */
void scope_hold_lock(void *lock);
/* Threads that use held resources: `end` waits for them before anything is released. */
void scope_hold_threads(void *what, void (*end)(void *what));

/* For descriptors: returns fd; nothing is held if it is negative. */
int scope_fd(int fd);
int scope_close(int fd); /* as close() */
/* For mappings: returns `at`; nothing is held for MAP_FAILED. */
void *scope_mapping(void *at, size_t size);
void scope_unmap(void *at, size_t size);
/* For directories: returns the result of opendir(); nothing is held for NULL. */
DIR *scope_directory(DIR *directory);
void scope_closedir(DIR *directory);

/* ---- Threads ---- */

/* Call before starting threads; scope_run_thread takes the result there. NULL: no scope. */
struct recovery *scope_current(void);

/* Call work(context) in a thread whose starter called scope_current, or in the starter itself,
 * which must not continue before this returns. False: memory ran out. Then what the thread held
 * (except memory) has been released; the starter calls scope_fail_from_thread when no thread needs
 * its resources any more. */
bool scope_run_thread(struct recovery *starter, void (*work)(void *context), void *context);
_Noreturn void scope_fail_from_thread(void);

/* ---- For memory.c ---- */

/* Call before an allocation: make room to record it. False: no memory for that. */
bool scope_reserve(void);
void scope_unreserve(void);
/* The allocation `now` replaces the one at `before`; either may be NULL. */
void scope_change(uintptr_t before, void *now);

#endif
