/* jfr_about.h: what do the events of a chunk say about the recording itself? */
#ifndef KILN_READERS_JAVA_JFR_ABOUT_H
#define KILN_READERS_JAVA_JFR_ABOUT_H

#include "readers/java/jfr_constants.h"

struct jfr_about {
	process_id process;
	/* Of async-profiler, whose samples each stand for the same time: ns; 0: unknown. */
	uint64_t cpu_interval, wall_interval;
	bool is_wall; /* its samples of the event jdk.ExecutionSample are of all threads */
};

/* Take them, and what users want to know, into the profile's metadata. */
void jfr_about_take(struct jfr_constants *k, struct jfr_about *ret_about);

#endif
