/* profile.h: the profile, the one model that every source fills and every output reads.
 *
 * A profile is a set of append-only tables. Ids are indices into them. Row 0 of strings, frames,
 * locations, stacks, mappings, processes, threads and label sets is the empty one ("", no frame,
 * the empty stack, ...). Rows are plain data and are written to .kiln files as they are, so a
 * mapped file *is* a profile: its tables borrow the mapping until something is appended.
 *
 * A stack is its caller's stack and a location, so stacks share their outer parts: ten million
 * samples may have some ten thousand stacks. A caller's id is always smaller than its callees' ids.
 * So one backward sweep over the rows sums a tree, one forward sweep rebuilds it, and nothing
 * recurses.
 *
 * A location is an address in a binary and owns a span of frames: the function, and the functions
 * inlined there. Naming by a span rather than by stack rows is what lets a recorder write stacks
 * while it runs: when the addresses are named at the end, only location_names and location_frames
 * change, and no stack or sample is renumbered.
 *
 * Expected, delivered and lost: a stream says how many samples its event should have produced
 * (`expected`, by the event's own counter, independent of the samples), how many arrived
 * (`delivered`), and why the others did not (`losses`). Every output shows the loss. */
#ifndef KILN_MODEL_PROFILE_H
#define KILN_MODEL_PROFILE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "model/callees.h"

typedef uint32_t string_id, frame_id, mapping_id, location_id, stack_id;
typedef uint32_t process_id, thread_id, label_set_id;

/* Rows of any table. Beyond this, and beyond the profile's own limit, functions that add return
 * 0 and set profile->full. */
#define PROFILE_ROWS_LIMIT 0xFFFFFFF0u
#define PROFILE_ROW_COST   32u /* bytes of memory for a row and its entry in a map, about */
#define PROFILE_STRING_LIMIT                                                                       \
	((size_t)1 << 20) /* bytes; longer ones are cut, in a .kiln file refused */

/* For .kiln files; readers of other formats have lower limits. A recorded stack has up to 10,000
 * locations (UNWIND_FRAMES_LIMIT), each of which may have several frames. */
#define PROFILE_DEPTH_LIMIT   65536u /* frames of a stack */
#define PROFILE_LABELS_LIMIT  1024u  /* of a sample */
#define PROFILE_STREAMS_LIMIT 16384u /* streams, and tables of samples */
#define PROFILE_LOSSES_LIMIT  65536u
#define PROFILE_TIME_LIMIT    ((uint64_t)INT64_MAX / 2) /* ns: sums of two are an int64_t */
#define PROFILE_COUNT_LIMIT                                                                        \
	((uint64_t)1 << 46) /* samples; the sum of PROFILE_LOSSES_LIMIT losses is at most 2^62 */

enum frame_kind {
	FRAME_NATIVE,
	FRAME_KERNEL,
	FRAME_JIT,
	FRAME_INTERPRETED,
	FRAME_INLINED,
	FRAME_IDLE,
	FRAME_GUEST,
	FRAME_META,	/* not code: a comm, a thread, "[truncated:no-table]", "[lost:ring-full]" */
	FRAME_BASELINE, /* compiled by a runtime's baseline compiler; FRAME_JIT: by its optimising
			   compiler */
	FRAME_WAITING,	/* not code: what a thread waits for, "[sleeping: read]", "[futex]" */
	FRAME_KINDS
};

static inline bool frame_kind_is_code(uint32_t kind)
{
	return kind != FRAME_META && kind != FRAME_WAITING;
}

/* What a user sees as one box: a function, possibly with its line. */
struct frame {
	string_id function;
	string_id module; /* base name of the binary, "[kernel]", "" */
	string_id file;
	uint32_t line; /* 0: unknown */
	uint32_t kind; /* enum frame_kind */
};

/* Does the frame have nothing but a name? */
static inline bool frame_is_name(const struct frame *f)
{
	return !f->module && !f->file && !f->line && f->kind == FRAME_NATIVE;
}

enum mapping_kind {
	MAPPING_FILE,	/* addresses of locations are offsets in the file */
	MAPPING_KERNEL, /* addresses as sampled; `base` is where _text was */
	MAPPING_MODULE, /* a kernel module: addresses as sampled, `base` is its start */
	MAPPING_VDSO,	/* addresses are offsets in the vdso image */
	MAPPING_JIT,	/* anonymous executable memory of `process`: virtual addresses */
};

/* A binary: one row for each (file, build id), not for each mmap. */
struct mapping {
	uint64_t base; /* see mapping_kind, else 0 */
	string_id file;
	string_id build_id; /* lower-case hex; "xxh3:" and a hash for a file without one; or "" */
	uint32_t kind;	    /* enum mapping_kind */
	process_id process; /* MAPPING_JIT only */
};

/* An address in a binary. Its names are a span of location_frames, outermost first: the
 * function, then what was inlined into it. An empty span: not named yet. Recorders store the
 * address that decides the name: the exact pc for a leaf, for a signal trampoline and for the
 * frame that a signal interrupted, otherwise the return address minus one, which is the last
 * byte of the call. */
struct location {
	uint64_t address;
	mapping_id mapping;
	uint32_t inverted; /* 1: its frames are innermost first, as in a waker's stack, which is
			    inverted */
};
struct span {
	uint32_t first, count;
};

struct process {
	int32_t pid; /* -1: unknown */
	string_id name;
};

/* A thread under one name: there is a new row when its comm changes. */
struct thread {
	process_id process;
	int32_t tid; /* -1: unknown */
	string_id name;
};

/* A set of labels is its parent set and one label more. */
struct label_set {
	label_set_id parent;
	string_id key, value;
};

/* "host", "command", "arch", "kernel", "version", "started" (RFC 3339), ... and any number of
 * "note" rows: warnings and remarks, each a sentence for the user. */
struct meta {
	string_id key, value;
};

#define NO_CPU UINT16_MAX

/* Samples as columns. A column is either absent (len 0) or has a row for every sample. */
struct samples {
	size_t count;
	size_t changing;	/* the values of this many of the last samples may still change */
	VECTOR(stack_id) stack; /* always present */
	VECTOR(thread_id) thread;
	VECTOR(uint64_t) time; /* ns, CLOCK_MONOTONIC for recordings, otherwise as in the input */
	VECTOR(uint64_t) duration; /* ns */
	VECTOR(uint16_t) cpu;	   /* NO_CPU: unknown */
	VECTOR(label_set_id) labels;
};

/* One way to weigh the samples of a table: {"cpu","ns"}, {"samples","count"}, {"alloc","bytes"}.
 * Several streams may weigh the same table. */
struct stream_row {
	string_id kind, unit;
	string_id event;     /* "cpu-clock", "cycles:u", or "" */
	uint32_t samples;    /* index of the table */
	uint32_t side;	     /* 0, or 1: before, 2: after */
	uint32_t run;	     /* number of the run; 0: the only one */
	int64_t fixed_value; /* value of every sample when there is no value column */
	int64_t wall_offset; /* ns to add to times to get wall-clock time; INT64_MIN: unknown */
	uint64_t expected;   /* samples that the event should have produced by its own counter; 0:
				  unknown */
	uint64_t delivered;  /* samples that arrived, before any filter; idle ones have their own
				  streams; 0: unknown */
	uint64_t period;     /* in the unit; 0: varies */
};
struct stream {
	struct stream_row row;
	VECTOR(int64_t) value; /* a row for every sample, or absent: then row.fixed_value */
};

/* expected = delivered + the sum of the stream's losses. */
struct loss {
	uint32_t stream;
	string_id reason; /* "ring full", "throttled", ... */
	uint64_t count;
};

struct profile {
	VECTOR(char) string_bytes;
	VECTOR(uint64_t) string_ends; /* of each string in string_bytes; string 0 ends at 0 */
	VECTOR(struct frame) frames;
	VECTOR(struct mapping) mappings;
	VECTOR(struct location) locations;
	VECTOR(struct span) location_names; /* one for every location */
	VECTOR(frame_id) location_frames;
	VECTOR(stack_id) stack_caller;
	VECTOR(location_id) stack_location;
	VECTOR(struct process) processes;
	VECTOR(struct thread) threads;
	VECTOR(struct label_set) label_sets;
	VECTOR(struct meta) meta;
	VECTOR(struct loss) losses;
	VECTOR(struct samples) samples;
	VECTOR(struct stream) streams;

	/* Bytes that a tree over the profile, or rows of one of its tables, may take:
	 * base/expansion.h. 0: no limit, for profiles that are not input. */
	uint64_t limit;
	bool full;		  /* a table reached its limit and is incomplete */
	bool may_have_duplicates; /* read from a file that may have equal strings, frames or stacks
				   */
	bool rows_changed; /* rows of mappings and locations have changed: profile_identify_mapping
			    */
	struct id_map by_string, by_frame, by_mapping, by_location;
	/* Frames that have only a name, indexed by string; and locations that are only named,
	 * indexed by frame. 0: none. Most rows of text formats are of this kind, and arrays find
	 * them faster than a map. */
	VECTOR(frame_id) frame_of_name;
	VECTOR(location_id) location_of_frame;
	struct id_map by_process, by_thread, by_label_set;
	struct callees callees; /* finds stacks */
	void *borrowed;		/* the owner of borrowed columns; released by release_borrowed */
	void (*release_borrowed)(void *borrowed);
};

void profile_init(struct profile *p);
void profile_release(struct profile *p);
/* The profile takes ownership of `from`, which its columns borrow from. If it owns such memory
 * already (an aligned copy of the content), `from` is released at once. */
void profile_borrow(struct profile *p, void *from, void (*release)(void *from));

/* ---- Building: the same content gives the same id ---- */

/* Bytes that are not UTF-8 become U+FFFD, control characters (utf8_clean_length) become blanks.
 * `text` may be a part of another string of the profile; what profile_text has returned is not
 * valid afterwards. */
string_id profile_string(struct profile *p, struct bytes text);
/* As profile_string for many texts. Faster for texts in random order, because their cache misses
 * overlap. */
void profile_strings(
	struct profile *p, const struct bytes *texts, size_t count, string_id *ret_ids);
frame_id profile_frame(struct profile *p, const struct frame *frame);
/* A frame that has only a name and a kind. */
frame_id profile_frame_named(struct profile *p, struct bytes function, enum frame_kind kind);
mapping_id profile_mapping(struct profile *p, const struct mapping *mapping);
/* A mapping whose build id is not known yet. It is never merged with another mapping until
 * profile_identify_mapping sets its build id. If an equal mapping exists then, the locations move
 * to that one. Returns the mapping that they are in. */
mapping_id profile_mapping_unidentified(struct profile *p, const struct mapping *mapping);
mapping_id profile_identify_mapping(struct profile *p, mapping_id mapping, string_id build_id);
/* A location that is named later. */
location_id profile_location(struct profile *p, mapping_id mapping, uint64_t address);
/* A location of which only the name is known. */
location_id profile_location_named(struct profile *p, frame_id frame);
/* The same location in a stack that is written innermost first. */
location_id profile_location_inverted(struct profile *p, location_id location);
/* Set a location's names, outermost first; replaces earlier ones. */
void profile_name_location(
	struct profile *p, location_id location, const frame_id *frames, size_t count);
stack_id profile_stack(struct profile *p, stack_id caller, location_id location);
/* The stack, if it was added before the last profile_index_stacks; otherwise 0. The caller must
 * have been added before it, too. */
static inline stack_id profile_find_stack(
	const struct profile *p, stack_id caller, location_id location)
{
	return callees_find(
		&p->callees, p->stack_caller.items, p->stack_location.items, caller, location);
}
static inline void profile_index_stacks(struct profile *p)
{
	callees_index(
		&p->callees, p->stack_caller.items, p->stack_location.items, p->stack_caller.len);
}
/* About this many stacks will be added. */
void profile_reserve_stacks(struct profile *p, size_t count);
/* Add a stack that the profile certainly does not have. */
stack_id profile_add_stack(struct profile *p, stack_id caller, location_id location);
process_id profile_process(struct profile *p, int32_t pid, string_id name);
thread_id profile_thread(struct profile *p, process_id process, int32_t tid, string_id name);
label_set_id profile_label(struct profile *p, label_set_id parent, string_id key, string_id value);

uint32_t profile_add_samples(struct profile *p); /* adds a table; returns its index */
uint32_t profile_add_stream(struct profile *p, uint32_t samples, struct bytes kind,
	struct bytes unit, struct bytes event); /* returns its index; row.fixed_value is 1 */

/* What a sample has besides its stack. The first sample of a table decides which columns exist:
 * give the same `has` every time. */
enum {
	SAMPLE_THREAD = 1,
	SAMPLE_TIME = 2,
	SAMPLE_DURATION = 4,
	SAMPLE_CPU = 8,
	SAMPLE_LABELS = 16
};
struct sample {
	unsigned has;
	stack_id stack;
	thread_id thread;
	uint64_t time, duration;
	uint16_t cpu;
	label_set_id labels;
};
size_t profile_add_sample(struct profile *p, uint32_t samples, const struct sample *sample);
void profile_add_rows(struct profile *p, uint32_t samples, const struct sample *rows, size_t count);
/* This many rows with these columns will be added. */
void profile_reserve_rows(struct profile *p, uint32_t samples, unsigned has, size_t count);

void profile_add_loss(struct profile *p, uint32_t stream, struct bytes reason, uint64_t count);
void profile_set_meta(
	struct profile *p, struct bytes key, struct bytes value); /* replaces an earlier value */
__attribute__((format(printf, 2, 3))) void profile_note(struct profile *p, const char *fmt, ...);

/* ---- Looking ---- */

/* For stream_row.delivered, of samples that have no count: the sum of their values. A sum beyond
 * the limit is not one of samples. */
static inline uint64_t delivered_of_sum(int64_t sum)
{
	return sum < 0 || (uint64_t)sum > PROFILE_COUNT_LIMIT ? 0 : (uint64_t)sum;
}

struct bytes profile_text(const struct profile *p, string_id id);
struct bytes profile_meta(const struct profile *p, struct bytes key); /* "" when absent */
static inline int64_t stream_value(const struct stream *s, size_t sample)
{
	return s->value.len ? s->value.items[sample] : s->row.fixed_value;
}
/* ERR_LIMIT if a table is longer than allowed, as `full` says. */
bool profile_check_rows(const struct profile *p, struct error *err);
/* Is the sum of the magnitudes of all values an int64_t? Then no sum of any of them overflows.
 * ERR_LIMIT names the stream at which the sum is too large. */
bool profile_check_values(const struct profile *p, struct error *err);
/* Is every sample weighed by at least one stream? Outputs rely on it. A profile without samples
 * may have no stream. ERR_FORMAT names the table. */
bool profile_check_samples(const struct profile *p, struct error *err);
uint64_t profile_lost(const struct profile *p, uint32_t stream); /* sum of a stream's losses */
const char *frame_kind_name(enum frame_kind kind);		 /* "native", "kernel", ... */

/* The module of the frames in a binary, the base name of its file, "[kernel]" or "[jit]"; and
 * the kind of its code. */
struct bytes mapping_module(const struct profile *p, const struct mapping *mapping);
string_id mapping_module_string(struct profile *p, const struct mapping *mapping);
enum frame_kind mapping_frame_kind(const struct mapping *mapping);

#endif
