/* kernel_prefetch.c: the running kernel's symbols, read by a thread before they are needed.
 *
 * The kernel generates the text of /proc/kallsyms while it is read, which takes longer than
 * reading most recordings. Later runs have them kept (kernel_kept.h). `bench/perf_data.sh` includes
 * it. */
#include "images/kernel.h"

#include "base/memory.h"
#include "base/scope.h"
#include "base/thread.h"
#include "images/kernel_kept.h"

#include <pthread.h>

/* What kernel_open returns next: symbols that a thread reads, or that kernel_release_for_reuse was
 * given. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t idle;
	pthread_t thread;
	bool reading, busy; /* busy: the thread has not ended yet */
	struct kernel *kernel;
	struct error error;
	size_t failed_size; /* size of an allocation that failed in the thread; 0: none */
} ahead = {.lock = PTHREAD_MUTEX_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER};

/* The kept symbols, or those that the kernel prints, which are kept then. */
static struct kernel *kernel_read(struct error *err)
{
	struct kernel *k = kernel_kept_open();
	struct kernel_key before;
	bool known;

	if (k)
		return k;
	known = kernel_key_read(&before);
	k = kernel_open_text("/proc/kallsyms", err);
	if (k && known)
		kernel_keep(k, &before);
	return k;
}

static void read_text(void *unused)
{
	(void)unused;
	ahead.kernel = kernel_read(&ahead.error);
}

/* Another call of libkiln than the one that started the thread may take the symbols, so a failed
 * allocation is stored for that call. */
static void *read_symbols(void *unused)
{
	size_t failed_size = 0;

	if (!scope_run(read_text, unused, &failed_size))
		ahead.failed_size = failed_size ? failed_size : 1;
	pthread_mutex_lock(&ahead.lock);
	ahead.busy = false;
	pthread_cond_broadcast(&ahead.idle);
	pthread_mutex_unlock(&ahead.lock);
	return NULL;
}

static void release(void *kernel)
{
	kernel_release(kernel);
}

/* Take what was read ahead. *ret_known: a thread has read the symbols or failed to (*err,
 * *ret_failed_size), or kernel_release_for_reuse was called. */
static struct kernel *take(bool *ret_known, size_t *ret_failed_size, struct error *err)
{
	struct kernel *kernel;

	pthread_mutex_lock(&ahead.lock);
	while (ahead.busy)
		pthread_cond_wait(&ahead.idle, &ahead.lock);
	*ret_known = ahead.reading || ahead.kernel; /* another thread may have taken it already */
	if (ahead.reading)
		pthread_join(ahead.thread, NULL);
	kernel = ahead.kernel;
	if (*ret_known && !kernel)
		*err = ahead.error;
	*ret_failed_size = ahead.failed_size;
	ahead.kernel = NULL;
	ahead.error = (struct error){0};
	ahead.failed_size = 0;
	ahead.reading = false;
	pthread_mutex_unlock(&ahead.lock);
	return kernel;
}

static void discard(void *unused)
{
	struct error ignored = {0};
	size_t failed_size;
	bool known;

	(void)unused;
	kernel_release(take(&known, &failed_size, &ignored));
}

void kernel_prefetch(void)
{
	bool started = false;

	pthread_mutex_lock(&ahead.lock);
	if (!ahead.reading && !ahead.kernel) {
		ahead.busy = true;
		started = thread_start(&ahead.thread, read_symbols, NULL);
		ahead.busy = ahead.reading = started;
	}
	pthread_mutex_unlock(&ahead.lock);
	if (started)
		scope_hold_threads(&ahead, discard);
}

void kernel_prefetch_wait(void)
{
	pthread_mutex_lock(&ahead.lock);
	while (ahead.busy)
		pthread_cond_wait(&ahead.idle, &ahead.lock);
	pthread_mutex_unlock(&ahead.lock);
}

void kernel_release_for_reuse(struct kernel *k)
{
	pthread_mutex_lock(&ahead.lock);
	if (!ahead.reading && !ahead.kernel) {
		ahead.kernel = k;
		k = NULL;
	}
	pthread_mutex_unlock(&ahead.lock);
	kernel_release(k);
}

struct kernel *kernel_open(struct error *err)
{
	struct kernel *kernel;
	size_t failed_size;
	bool known;

	scope_drop(&ahead);
	kernel = take(&known, &failed_size, err);
	if (failed_size)
		scope_fail(failed_size);
	if (!known)
		kernel = kernel_read(err);
	if (kernel)
		scope_hold(kernel, release);
	return kernel;
}
