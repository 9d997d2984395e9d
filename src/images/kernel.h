/* kernel.h: what are the kernel's functions called?
 *
 * From /proc/kallsyms, with modules and BPF programs, from a copy of it, or from a vmlinux file. */
#ifndef KILN_IMAGES_KERNEL_H
#define KILN_IMAGES_KERNEL_H

#include "images/image.h"

#define KALLSYMS_SIZE_LIMIT ((uint64_t)1 << 30) /* bytes */

/* What shows all users the addresses of the kernel's functions. */
#define KERNEL_SHOW_ADDRESSES "sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1"

struct kernel;

/* The running kernel's symbols. NULL with ERR_PERMISSION, naming the sysctl, when they are
 * hidden from this user (kptr_restrict makes all addresses zero). */
struct kernel *kernel_open(struct error *err);
/* Start a thread that reads them for the next kernel_open, which waits for it. */
void kernel_prefetch(void);
/* Wait for that thread, if there is one. For one of as many threads as there are CPUs: its CPU is
 * then free for the thread that reads. */
void kernel_prefetch_wait(void);
/* Give symbols that are no longer needed to the next kernel_open instead of releasing them. */
void kernel_release_for_reuse(struct kernel *k); /* NULL is allowed */

/* From a copy of /proc/kallsyms. */
struct kernel *kernel_open_text(const char *path, struct error *err);
/* From a vmlinux; the image may be released afterwards. */
struct kernel *kernel_of_image(const struct image *image, struct error *err);

/* From text in the format of /proc/kallsyms, which must outlive the result. ERR_FORMAT with the
 * line otherwise. */
struct kernel *kernel_parse(struct bytes text, struct error *err);
void kernel_release(struct kernel *k); /* NULL is allowed */

struct kernel_symbol {
	struct bytes name;
	struct bytes module; /* "[kernel]", "[nf_tables]", "[bpf]" */
	uint64_t start, end; /* end: the next symbol's start */
};

/* The function at `address`; it borrows from `k`. */
bool kernel_find(const struct kernel *k, uint64_t address, struct kernel_symbol *ret_symbol);

/* The function with that name. */
bool kernel_find_named(const struct kernel *k, struct bytes name, struct kernel_symbol *ret_symbol);

uint64_t kernel_text_start(const struct kernel *k); /* address of _text, or of _stext; 0: none */
size_t kernel_symbol_count(const struct kernel *k);

/* The running kernel's build id (/sys/kernel/notes) as lower-case hexadecimal; false when it is
 * unreadable. */
bool kernel_build_id_text(char ret_hex[65]);

#endif
