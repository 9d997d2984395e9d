/* exhausted.c: does libkiln survive every allocation that can fail?
 *
 *	exhausted [-s] [-a] FILE [transform[=argument] | :renderer]...
 *
 * The file is loaded and viewed, then transformed and rendered; each of these calls is repeated
 * with its first, second, ... allocation failing, until one succeeds because it has fewer. -a: all
 * allocations from that one on fail, not only one. -s: of many allocations only some are tried,
 * ever fewer. Every failure has to have the code KILN_MEMORY, to leave no memory, descriptor or
 * mapping behind, and the next call has to work as if nothing had been. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <kiln.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Allocations, of the host, the library and what it uses ---- */

#ifdef WRAPPED /* only libkiln's own, by the linker; what the sanitizer finds is left to it */
#define ENTRY(name) __wrap_##name
#define REAL(name)  __real_##name
#else
#define ENTRY(name) name
#define REAL(name)  __libc_##name
#endif

void *REAL(malloc)(size_t size);
void *REAL(calloc)(size_t count, size_t size);
void *REAL(realloc)(void *p, size_t size);
void REAL(free)(void *p);
#ifdef WRAPPED
int REAL(posix_memalign)(void **ret, size_t alignment, size_t size);
#else
void *REAL(memalign)(size_t alignment, size_t size);
#endif

static atomic_long live, left; /* blocks; allocations up to the one that fails, 0: none does */
static atomic_bool fired;
static bool all_from_there, some_only;

static bool fails(void)
{
	long before = atomic_load(&left);

	if (!before)
		return false;
	if (before < 0) /* the others after the first */
		return all_from_there;
	if (atomic_fetch_sub(&left, 1) != 1)
		return false;
	atomic_store(&left, -1);
	atomic_store(&fired, true);
	return true;
}

static void *counted(void *p)
{
	if (p)
		atomic_fetch_add(&live, 1);
	else
		errno = ENOMEM;
	return p;
}

void *ENTRY(malloc)(size_t size);
void *ENTRY(malloc)(size_t size)
{
	return counted(fails() ? NULL : REAL(malloc)(size));
}

void *ENTRY(calloc)(size_t count, size_t size);
void *ENTRY(calloc)(size_t count, size_t size)
{
	return counted(fails() ? NULL : REAL(calloc)(count, size));
}

void *ENTRY(realloc)(void *p, size_t size);
void *ENTRY(realloc)(void *p, size_t size)
{
	void *now;

	if (fails()) {
		errno = ENOMEM;
		return NULL;
	}
	now = REAL(realloc)(p, size);
	if (!p)
		counted(now);
	else if (!size && !now)
		atomic_fetch_sub(&live, 1);
	return now;
}

void *ENTRY(reallocarray)(void *p, size_t count, size_t size);
void *ENTRY(reallocarray)(void *p, size_t count, size_t size)
{
	size_t all;

	return __builtin_mul_overflow(count, size, &all) ? NULL : ENTRY(realloc)(p, all);
}

void ENTRY(free)(void *p);
void ENTRY(free)(void *p)
{
	if (p)
		atomic_fetch_sub(&live, 1);
	REAL(free)(p);
}

int ENTRY(posix_memalign)(void **ret, size_t alignment, size_t size);
int ENTRY(posix_memalign)(void **ret, size_t alignment, size_t size)
{
#ifdef WRAPPED
	return fails() ? ENOMEM : REAL(posix_memalign)(ret, alignment, size);
#else
	void *p = counted(fails() ? NULL : REAL(memalign)(alignment, size));

	if (p)
		*ret = p;
	return p ? 0 : ENOMEM;
#endif
}

#ifndef WRAPPED
void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size)
{
	return counted(fails() ? NULL : REAL(memalign)(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}
#endif

/* ---- What a failure may not leave behind ---- */

static const char *file;

static long count_descriptors(void)
{
	long count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* Of the file; read without allocating. */
static long count_mappings(void)
{
	const char *name = strrchr(file, '/') ? strrchr(file, '/') : file;
	static char text[1 << 20];
	int fd = open("/proc/self/maps", O_RDONLY);
	size_t len = 0;
	ssize_t got;
	long count = 0;

	while ((got = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)got;
	close(fd);
	text[len] = 0;
	for (const char *at = text; (at = strstr(at, name)); at++)
		count++;
	return count;
}

static _Noreturn void wrong(const char *call, long n, const char *what)
{
	fprintf(stderr, "%s: %s: allocation %ld: %s\n", file, call, n, what);
	exit(1);
}

/* ---- Calls ---- */

struct state {
	kiln_profile *profile;
	kiln_view *view;
	const char *call; /* "load", "view", or as in the arguments */
	char *output;	  /* of the last rendering */
	size_t len;
	const char *transforms[40];
	size_t applied;
	kiln_error err;
};

/* False: it failed. */
static bool call_load(struct state *s)
{
	s->profile = kiln_load(file, NULL, &s->err);
	return s->profile != NULL;
}

static void undo_load(struct state *s)
{
	kiln_profile_free(s->profile);
}

static bool call_view(struct state *s)
{
	s->view = kiln_view_new(s->profile, KILN_BY_FUNCTION);
	s->err.code = s->view ? KILN_OK : KILN_MEMORY;
	return s->view != NULL;
}

static void undo_view(struct state *s)
{
	kiln_view_free(s->view);
}

static bool call_select(struct state *s)
{
	if (kiln_view_select(s->view, "no such kind", false, &s->err))
		return false;
	if (s->err.code != KILN_USAGE)
		return false;
	s->err.code = KILN_OK;
	return kiln_view_select(s->view, NULL, false, &s->err);
}

static bool call_transform(struct state *s)
{
	char name[200];
	char *argument;

	snprintf(name, sizeof(name), "%s", s->call);
	argument = strchr(name, '=');
	if (argument)
		*argument++ = 0;
	return kiln_view_transform(s->view, name, argument, &s->err);
}

static bool call_render(struct state *s)
{
	char name[200];

	snprintf(name, sizeof(name), "%s", s->call);
	return kiln_render_memory(s->view, name + 1, NULL, &s->output, &s->len, &s->err);
}

static void undo_render(struct state *s)
{
	kiln_free(s->output);
}

static bool call_render_file(struct state *s)
{
	return kiln_render(s->view, NULL, NULL, "exhausted.svg", &s->err);
}

static void undo_nothing(struct state *s)
{
	(void)s;
}

/* The view is made anew as it was before. */
static void undo_transform(struct state *s)
{
	const char *call = s->call;

	kiln_view_free(s->view);
	s->view = kiln_view_new(s->profile, KILN_BY_FUNCTION);
	for (size_t i = 0; i < s->applied; i++) {
		s->call = s->transforms[i];
		if (!call_transform(s))
			exit(2);
	}
	s->call = call;
}

struct call {
	bool (*run)(struct state *s);
	void (*undo)(struct state *s);
	enum kiln_error_code otherwise; /* how it ends with all the memory there is */
};

/* Blocks that are there before and after; caches of the C library may grow, but not again. */
static long blocks_before;

static bool left_nothing(long blocks, long descriptors, long mappings)
{
	return blocks <= blocks_before && count_descriptors() <= descriptors &&
	       count_mappings() <= mappings;
}

static bool attempt(const struct call *call, struct state *s, long n)
{
	bool done;

	s->err = (kiln_error){0};
	atomic_store(&fired, false);
	atomic_store(&left, n);
	done = call->run(s);
	atomic_store(&left, 0);
	return done;
}

/* False: it has less than n allocations, and is done. */
static bool fail_at(const struct call *call, struct state *s, long n, long *failures)
{
	long descriptors = count_descriptors(), mappings = count_mappings();

	for (int again = 0; again < 4; again++) {
		long before = atomic_load(&live);

		if (attempt(call, s, n)) {
			if (!atomic_load(&fired))
				return false;
			call->undo(s); /* what failed was not needed */
		} else {
			++*failures;
			if (!atomic_load(&fired))
				return false;
			if (s->err.code != KILN_MEMORY && s->err.code != call->otherwise)
				wrong(s->call, n, s->err.text);
		}
		blocks_before = before;
		if (left_nothing(atomic_load(&live), descriptors, mappings))
			return true;
	}
	fprintf(stderr, "%ld blocks, %ld descriptors, %ld mappings; now %ld, %ld, %ld\n",
		blocks_before, descriptors, mappings, atomic_load(&live), count_descriptors(),
		count_mappings());
	wrong(s->call, n, "something was left behind");
}

static void exhaust(struct call *call, struct state *s)
{
	size_t nodes = s->view ? kiln_node_count(s->view) : 0;
	int64_t total = s->view ? kiln_node_at(s->view, 0).total : 0;
	long n = 1, failures = 0, tried = 0;

	if (attempt(call, s, 0))
		call->undo(s);
	else
		printf("%-24s %s\n", s->call, s->err.text);
	call->otherwise = s->err.code;
	for (; fail_at(call, s, n, &failures); n += some_only && n > 40 ? n / 12 : 1) {
		tried++;
		if (s->view && call->run != call_view &&
			(kiln_node_count(s->view) != nodes ||
				kiln_node_at(s->view, 0).total != total))
			wrong(s->call, n, "the view has changed");
	}
	printf("%-24s up to %6ld allocations, %6ld tried, %6ld errors\n", s->call, n - 1, tried,
		failures);
}

static void exhaust_transform(struct call *transform, struct state *s)
{
	exhaust(transform, s);
	if (s->err.code == KILN_OK)
		s->transforms[s->applied++] = s->call;
}

int main(int argc, char **argv)
{
	static struct call load = {call_load, undo_load, KILN_OK},
			   view = {call_view, undo_view, KILN_OK},
			   select = {call_select, undo_nothing, KILN_OK},
			   transform = {call_transform, undo_transform, KILN_OK},
			   render = {call_render, undo_render, KILN_OK},
			   render_file = {call_render_file, undo_nothing, KILN_OK};
	struct state s = {0};
	int at = 1;

	for (; at < argc && argv[at][0] == '-'; at++) {
		some_only |= argv[at][1] == 's';
		all_from_there |= argv[at][1] == 'a';
	}
	file = argv[at++];
	setvbuf(stdout, NULL, _IONBF, 0);
	s.call = "load";
	exhaust(&load, &s);
	if (!s.profile)
		return 1;
	s.call = "view";
	exhaust(&view, &s);
	s.call = "select";
	exhaust(&select, &s);
	for (; at < argc; at++) {
		s.call = argv[at];
		if (!strcmp(s.call, ":file"))
			exhaust(&render_file, &s);
		else if (s.call[0] == ':')
			exhaust(&render, &s);
		else
			exhaust_transform(&transform, &s);
		if (s.output) {
			kiln_free(s.output);
			s.output = NULL;
		}
	}
	kiln_view_free(s.view);
	kiln_profile_free(s.profile);
	return 0;
}
