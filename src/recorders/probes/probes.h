/* probes.h: finding the places that the name of an event stands for.
 *
 *	SUBSYSTEM:NAME			a tracepoint of the kernel
 *	FILE:FUNCTION			a function's first instruction, in a program or library
 *	FILE:FUNCTION%return		its return
 *	usdt:FILE:[PROVIDER:]NAME	a static probe
 *	kprobe:FUNCTION			a function of the kernel
 *
 * and as bpftrace writes them: tracepoint:, uprobe:, uretprobe:, usdt:, kprobe: in front. FILE is a
 * path, or what a library or program that the targets run is called: libc, node. */
#ifndef KILN_RECORDERS_PROBES_PROBES_H
#define KILN_RECORDERS_PROBES_PROBES_H

#include "bpf/shared/count.h"
#include "recorders/probes/files.h"

enum probe_kind { PROBE_TRACEPOINT, PROBE_FUNCTION, PROBE_RETURN, PROBE_STATIC, PROBE_KERNEL };

struct probe_place {
	size_t file;	    /* in `files` */
	uint64_t offset;    /* in the file */
	uint64_t semaphore; /* ... of the semaphore that counts listeners, or 0 */
	uint32_t value;	    /* the weight of a hit: index in struct probes */
};

struct probe {
	char *text; /* as typed */
	enum probe_kind kind;
	char *file, *name; /* group and name of a tracepoint; of a static probe the name: below */
	char *provider;	   /* NULL: any */
	/* The names of its streams: of the weights (NULL: none), their unit, and the count of
	 * hits. They outlive the probes. */
	const char *weight, *unit, *hits;
	uint32_t value;			   /* of one without places */
	VECTOR(struct probe_place) places; /* in files */
};

struct probes {
	struct probe_files files;
	VECTOR(struct probe) list;	 /* at most HIT_EVENTS_MAX */
	VECTOR(struct hit_value) values; /* at most HIT_VALUES_MAX; the first is none */
};

/* The events of --mode mem --cheap: page faults, brk(2) and mmap(2), in bytes. */
bool probes_find_memory(struct probes *probes, struct session *s, struct error *err);
/* Find all of `s->options->events`. ERR_USAGE, with similar names; ERR_PERMISSION. */
bool probes_find(struct probes *probes, struct session *s, struct error *err);
void probes_release(struct probes *probes);

#endif
