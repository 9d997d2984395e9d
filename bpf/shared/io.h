/* io.h: system calls that read and write files (bpf/io.bpf.c). */
#ifndef KILN_BPF_SHARED_IO_H
#define KILN_BPF_SHARED_IO_H

#include "bpf/shared/calls.h"
#include "bpf/shared/events.h"

enum { EVENT_CALL = EVENT_OF_MODE, EVENT_FILE };

/* What a call does with a file. */
enum call_kind { CALL_NONE, CALL_READ, CALL_WRITE, CALL_SYNC, CALL_KINDS };

struct event_call {
	__u8 type, kind;
	__u16 cpu;   /* where it returned */
	__u32 chunk; /* its stack; 0: none */
	__u64 start; /* CLOCK_MONOTONIC, ns */
	__u64 duration;
	__u32 bytes; /* the kernel never moves more than 2 GB at once */
	__u32 file;  /* id of an event_file; 0: files are not recorded */
	__u32 pid, tid;
};

/* Where a file is, when it was first seen: the names from its own outwards, each with a 0. */
#define FILE_DEPTH 64	/* names and mounts on the way */
#define FILE_BYTES 2048 /* a power of two */
#define FILES_MAX  65536
struct file_key {
	__u64 inode, directory, name; /* `name`: its hash and length */
	__u64 device;
};

struct event_file {
	__u8 type;
	__u8 complete; /* up to the root */
	__u16 len;     /* of `names` */
	__u32 id;
	__u64 time;
	char names[FILE_BYTES];
};

#endif
