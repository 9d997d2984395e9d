/* threads.c: threads with names of their own, blanks, brackets and all, that change while they run.
 */
#define _GNU_SOURCE
#include "work.h"

#include <pthread.h>
#include <sys/prctl.h>

#define THREADS 5

static const char *const names[THREADS][2] = {{"plain", "changed"},
	{"two words", "three more words"}, {"[kworker/0:1]", "(paren) 12/34"}, {"x", "1234"},
	{"fifteen letters", "a;b"}};

SOLID static void first_half(void)
{
	WORK(0.06);
}

SOLID static void second_half(void)
{
	WORK(0.06);
}

static void *entry(void *argument)
{
	const char *const *name = argument;

	prctl(PR_SET_NAME, name[0]);
	first_half();
	prctl(PR_SET_NAME, name[1]);
	second_half();
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, entry, (void *)names[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
