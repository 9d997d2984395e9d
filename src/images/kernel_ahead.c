/* kernel_ahead.c: the running kernel's symbols, read by a thread before they are asked for.
 *
 * The kernel makes the text of /proc/kallsyms while it is read, which takes longer than most
 * recordings take to be read. */
#include "images/kernel.h"

#include <pthread.h>

/* What kernel_open answers next: being read, or handed on. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t idle;
	pthread_t thread;
	bool reading, busy; /* busy: the thread has not come to its end yet */
	struct kernel *kernel;
	struct error error;
} ahead = {.lock = PTHREAD_MUTEX_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER};

static void *read_symbols(void *unused)
{
	(void)unused;
	ahead.kernel = kernel_open_text("/proc/kallsyms", &ahead.error);
	pthread_mutex_lock(&ahead.lock);
	ahead.busy = false;
	pthread_cond_broadcast(&ahead.idle);
	pthread_mutex_unlock(&ahead.lock);
	return NULL;
}

void kernel_open_ahead(void)
{
	pthread_mutex_lock(&ahead.lock);
	if (!ahead.reading && !ahead.kernel) {
		ahead.busy = true;
		ahead.reading = !pthread_create(&ahead.thread, NULL, read_symbols, NULL);
		ahead.busy = ahead.reading;
	}
	pthread_mutex_unlock(&ahead.lock);
}

void kernel_open_yield(void)
{
	pthread_mutex_lock(&ahead.lock);
	while (ahead.busy)
		pthread_cond_wait(&ahead.idle, &ahead.lock);
	pthread_mutex_unlock(&ahead.lock);
}

void kernel_hand_on(struct kernel *k)
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
	bool known;

	pthread_mutex_lock(&ahead.lock);
	while (ahead.busy)
		pthread_cond_wait(&ahead.idle, &ahead.lock);
	known = ahead.reading || ahead.kernel; /* another thread may just have taken it */
	if (ahead.reading)
		pthread_join(ahead.thread, NULL);
	kernel = ahead.kernel;
	if (known && !kernel)
		*err = ahead.error;
	ahead.kernel = NULL;
	ahead.error = (struct error){0};
	ahead.reading = false;
	pthread_mutex_unlock(&ahead.lock);
	return known ? kernel : kernel_open_text("/proc/kallsyms", err);
}
