/* builder.h: a thread that makes the unwind tables of large binaries, which takes up to seconds. */
#ifndef KILN_RECORDERS_UNWIND_BUILDER_H
#define KILN_RECORDERS_UNWIND_BUILDER_H

#include "recorders/unwind/pages.h"

#include <pthread.h>

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
	int made_fd;   /* readable when a table is made; -1: never */
	bool notified; /* it is readable */
};

void unwind_builder_init(struct unwind_builder *b);
/* Waits for the table that is being made. */
void unwind_builder_release(struct unwind_builder *b);

/* Add a job: make the table of an image, which outlives the builder. */
void unwind_builder_add(struct unwind_builder *b, uint32_t number, const struct image *image);
/* Take a finished job, whose pages the caller then owns; false: there is none. */
bool unwind_builder_take(struct unwind_builder *b, struct unwind_job *ret_job);
/* Make a table without the thread. */
void unwind_job_run(struct unwind_job *job);
/* Read a table from disk; false: it is not there. */
bool unwind_job_read(struct unwind_job *job);

#endif
