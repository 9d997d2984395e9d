/* builder.h: unwind tables, made by a thread while others go on. */
#ifndef KILN_RECORDERS_UNWIND_BUILDER_H
#define KILN_RECORDERS_UNWIND_BUILDER_H

#include <pthread.h>

#include "recorders/unwind/pages.h"

struct unwind_job {
	uint32_t number; /* the caller's */
	const struct image *image;
	uint64_t took; /* ns */
	struct unwind_pages pages;
};

struct unwind_builder {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t added;
	bool threaded, ending;
	VECTOR(struct unwind_job) waiting; /* first in, first out */
	VECTOR(struct unwind_job) made;
	int made_fd; /* readable when there is one that was made; -1: never */
	bool told;   /* it is */
};

void unwind_builder_init(struct unwind_builder *b);
/* Waits for the one that is being made. */
void unwind_builder_release(struct unwind_builder *b);

/* Have the table of an image made, which outlives the builder. */
void unwind_builder_add(struct unwind_builder *b, uint32_t number, const struct image *image);
/* One that was made; its pages are the caller's then. */
bool unwind_builder_take(struct unwind_builder *b, struct unwind_job *ret_job);
/* The same without a thread. */
void unwind_job_run(struct unwind_job *job);
/* ... and only if it is on disk; else false. */
bool unwind_job_read(struct unwind_job *job);

#endif
