/* scope.c: what does a call of libkiln hold, and how is it released when memory runs out?
 *
 * Each thread has a chain of recoveries, the places that longjmp returns to; the innermost is
 * `here`. A failing allocation first releases everything that was held since the recovery began,
 * in the order of enum rank (locks, then threads, then the rest, latest first), because some of
 * it lies in stack frames that the jump leaves. Memory is released last, once, by the recovery
 * of the scope itself: other threads may still read it. Allocations are recorded in a hash table
 * of addresses, because they are freed in any order. */
#include "base/scope.h"

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct recovery {
	struct recovery *outer; /* in a thread: the starter's; NULL: the scope's own */
	struct scope *scope;
	jmp_buf at;
};

/* The order of release. */
enum rank { LOCK, THREADS, OTHER };

/* A resource other than memory. */
struct hold {
	enum rank rank;
	void *what;
	size_t size;
	void (*release)(void *what, size_t size);
	void (*call)(void *what); /* as scope_hold got it */
	struct recovery *owner;	  /* the recovery in which it was held first */
};

/* A set of addresses: open addressing, NULL is a free slot. */
struct pointers {
	void **slots;
	size_t mask, used, reserved;
};

struct scope {
	pthread_mutex_t lock; /* of what follows: the threads of one call share its scope */
	struct pointers memory;
	struct hold *holds;
	size_t hold_count, hold_room;
	size_t failed_size; /* size of the allocation that failed */
};

/* initial-exec: libkiln may be loaded when there is no memory for a dynamic TLS block. */
static _Thread_local struct recovery *here __attribute__((tls_model("initial-exec")));

void (*scope_out_of_memory)(size_t size);

/* ---- Pointers ---- */

static size_t slot_of(const struct pointers *p, uintptr_t pointer)
{
	return (size_t)((pointer >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & p->mask;
}

static void put(struct pointers *p, void *pointer)
{
	size_t at = slot_of(p, (uintptr_t)pointer);

	while (p->slots[at])
		at = (at + 1) & p->mask;
	p->slots[at] = pointer;
	p->used++;
}

static bool room_for_one(struct pointers *p)
{
	struct pointers grown = {.mask = p->slots ? p->mask * 2 + 1 : 255};

	if (p->slots && (p->used + p->reserved + 1) * 2 <= p->mask)
		return true;
	grown.slots = calloc(grown.mask + 1, sizeof(*grown.slots));
	if (!grown.slots)
		return false;
	for (size_t i = 0; p->slots && i <= p->mask; i++)
		if (p->slots[i])
			put(&grown, p->slots[i]);
	grown.reserved = p->reserved;
	free(p->slots);
	*p = grown;
	return true;
}

/* Remove an address, if it is in the set. A lookup stops at a free slot, so each later entry whose
 * probe sequence contains the freed slot moves there. */
static void take_out(struct pointers *p, uintptr_t pointer)
{
	size_t free_at, at;

	if (!p->slots)
		return;
	for (at = slot_of(p, pointer); (uintptr_t)p->slots[at] != pointer; at = (at + 1) & p->mask)
		if (!p->slots[at])
			return;
	p->used--;
	for (free_at = at;;) {
		at = (at + 1) & p->mask;
		if (!p->slots[at])
			break;
		if (((at - slot_of(p, (uintptr_t)p->slots[at])) & p->mask) >=
			((at - free_at) & p->mask)) {
			p->slots[free_at] = p->slots[at];
			free_at = at;
		}
	}
	p->slots[free_at] = NULL;
}

bool scope_reserve(void)
{
	struct scope *s = here ? here->scope : NULL;
	bool done;

	if (!s)
		return true;
	pthread_mutex_lock(&s->lock);
	done = room_for_one(&s->memory);
	s->memory.reserved += done;
	pthread_mutex_unlock(&s->lock);
	return done;
}

void scope_unreserve(void)
{
	if (!here)
		return;
	pthread_mutex_lock(&here->scope->lock);
	here->scope->memory.reserved--;
	pthread_mutex_unlock(&here->scope->lock);
}

void scope_change(uintptr_t before, void *now)
{
	struct scope *s = here ? here->scope : NULL;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	if (before)
		take_out(&s->memory, before);
	if (now) {
		put(&s->memory, now);
		s->memory.reserved--;
	}
	pthread_mutex_unlock(&s->lock);
}

/* ---- Resources ---- */

static bool room_for_hold(struct scope *s)
{
	size_t room = s->hold_room ? s->hold_room * 2 : 16;
	struct hold *holds;

	if (s->hold_count < s->hold_room)
		return true;
	holds = reallocarray(s->holds, room, sizeof(*holds));
	if (!holds)
		return false;
	s->holds = holds;
	s->hold_room = room;
	return true;
}

static void give_back(const struct hold *h)
{
	if (h->call)
		h->call(h->what);
	else if (h->release)
		h->release(h->what, h->size);
}

static void hold(struct hold h)
{
	struct scope *s = here ? here->scope : NULL;
	bool done;

	if (!s)
		return;
	h.owner = here;
	pthread_mutex_lock(&s->lock);
	done = room_for_hold(s);
	if (done)
		s->holds[s->hold_count++] = h;
	pthread_mutex_unlock(&s->lock);
	if (done)
		return;
	give_back(&h);
	scope_fail(sizeof(h));
}

/* Take the latest hold that matches `filter`: NULL and OTHER there match anything. */
static bool take_hold(struct scope *s, struct hold filter, struct hold *ret)
{
	bool found = false;

	pthread_mutex_lock(&s->lock);
	for (size_t i = s->hold_count; i-- > 0 && !found;) {
		const struct hold *h = &s->holds[i];

		if ((filter.what && h->what != filter.what) ||
			(filter.owner && h->owner != filter.owner) ||
			(filter.rank != OTHER && h->rank != filter.rank))
			continue;
		found = true;
		*ret = *h;
		s->hold_count--;
		for (; i < s->hold_count; i++)
			s->holds[i] = s->holds[i + 1];
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}

void scope_hold(void *what, void (*release)(void *what))
{
	hold((struct hold){.rank = OTHER, .what = what, .call = release});
}

static void unlock(void *lock)
{
	pthread_mutex_unlock(lock);
}

void scope_hold_lock(void *lock)
{
	hold((struct hold){.rank = LOCK, .what = lock, .call = unlock});
}

void scope_hold_threads(void *what, void (*end)(void *what))
{
	hold((struct hold){.rank = THREADS, .what = what, .call = end});
}

void scope_drop(const void *what)
{
	struct hold dropped;

	if (here && what)
		take_hold(here->scope,
			(struct hold){.rank = OTHER, .what = (void *)(uintptr_t)what}, &dropped);
}

/* Descriptors as keys: addresses in page 0 are never mapped, and there are only a few thousand
 * descriptors. */
static void *address_of_fd(int fd)
{
	return (void *)((uintptr_t)fd + 1);
}

static void close_fd(void *what, size_t unused)
{
	(void)unused;
	close((int)((uintptr_t)what - 1));
}

int scope_fd(int fd)
{
	if (fd >= 0)
		hold((struct hold){.rank = OTHER, .what = address_of_fd(fd), .release = close_fd});
	return fd;
}

int scope_close(int fd)
{
	scope_drop(address_of_fd(fd));
	return close(fd);
}

static void unmap(void *at, size_t size)
{
	munmap(at, size);
}

void *scope_mapping(void *at, size_t size)
{
	if (at != MAP_FAILED)
		hold((struct hold){.rank = OTHER, .what = at, .size = size, .release = unmap});
	return at;
}

void scope_unmap(void *at, size_t size)
{
	scope_drop(at);
	munmap(at, size);
}

static void close_directory(void *directory)
{
	closedir(directory);
}

DIR *scope_directory(DIR *directory)
{
	if (directory)
		scope_hold(directory, close_directory);
	else if (errno == ENOMEM)
		scope_fail(0);
	return directory;
}

void scope_closedir(DIR *directory)
{
	scope_drop(directory);
	closedir(directory);
}

/* ---- Failing ---- */

static void release_holds(struct scope *s, struct recovery *owner)
{
	struct hold h;

	for (enum rank rank = LOCK; rank <= OTHER; rank++)
		while (take_hold(s, (struct hold){.rank = rank, .owner = owner}, &h))
			give_back(&h);
}

static void release_memory(struct pointers *p)
{
	for (size_t i = 0; p->slots && i <= p->mask; i++)
		free(p->slots[i]);
}

void scope_fail(size_t size)
{
	struct recovery *r = here;

	if (!r) {
		if (scope_out_of_memory)
			scope_out_of_memory(size);
		abort();
	}
	pthread_mutex_lock(&r->scope->lock);
	r->scope->failed_size = size;
	pthread_mutex_unlock(&r->scope->lock);
	/* What is held may be in stack frames that are left now. */
	release_holds(r->scope, r->outer ? r : NULL);
	if (!r->outer)
		release_memory(&r->scope->memory);
	_longjmp(r->at, 1);
}

void scope_fail_from_thread(void)
{
	scope_fail(here ? here->scope->failed_size : 0);
}

/* ---- Running ---- */

/* Numbers have a decimal point in everything that is read and written here, also in a host whose
 * language has a comma. Both locales belong to the C library: this allocates nothing. */
static locale_t set_locale(void)
{
	return uselocale(newlocale(LC_ALL_MASK, "C", NULL));
}

struct recovery *scope_current(void)
{
	return here;
}

/* A function of its own, because setjmp returns twice into its frame. */
static bool try_call(struct recovery *r, void (*call)(void *context), void *context)
{
	if (_setjmp(r->at))
		return false;
	call(context);
	return true;
}

bool scope_run(void (*call)(void *context), void *context, size_t *ret_failed_size)
{
	struct scope scope = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct recovery r = {.scope = &scope}, *before = here;
	locale_t host = set_locale();
	bool done;

	here = &r;
	done = try_call(&r, call, context);
	here = before;
	uselocale(host);
	free(scope.memory.slots);
	free(scope.holds);
	pthread_mutex_destroy(&scope.lock);
	*ret_failed_size = scope.failed_size;
	return done;
}

/* What a thread still holds when it ends passes to its starter. */
static void pass_holds(struct scope *s, const struct recovery *from, struct recovery *to)
{
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->hold_count; i++)
		if (s->holds[i].owner == from)
			s->holds[i].owner = to;
	pthread_mutex_unlock(&s->lock);
}

bool scope_run_thread(struct recovery *starter, void (*work)(void *context), void *context)
{
	struct recovery r = {.outer = starter}, *before = here;
	locale_t host;
	bool done;

	if (!starter) {
		work(context);
		return true;
	}
	r.scope = starter->scope;
	here = &r;
	host = set_locale();
	done = try_call(&r, work, context);
	here = before;
	uselocale(host);
	if (done)
		pass_holds(r.scope, &r, starter);
	return done;
}
