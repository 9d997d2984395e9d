/* kernel.h: what are the kernel's functions called?
 *
 * From /proc/kallsyms, modules and BPF programs included, from a copy of it, or from the kernel's
 * file. */
#ifndef KILN_IMAGES_KERNEL_H
#define KILN_IMAGES_KERNEL_H

#include "images/image.h"

#define KALLSYMS_SIZE_LIMIT ((uint64_t)1 << 30) /* bytes */

struct kernel;

/* The running kernel's symbols. NULL with ERR_PERMISSION, naming the sysctl, when they are hidden
 * from us (kptr_restrict makes all addresses zero). */
struct kernel *kernel_open(struct error *err);
/* Have a thread read them for the next kernel_open, which waits for it. */
void kernel_open_ahead(void);
/* Wait until that thread is done, if there is one: so long, it has the CPU of the caller, who is
 * one of as many threads as there are CPUs. */
void kernel_open_yield(void);
/* What was opened just now is given to the next kernel_open instead of being released. */
void kernel_hand_on(struct kernel *k); /* NULL is fine */

/* From a copy of /proc/kallsyms. */
struct kernel *kernel_open_text(const char *path, struct error *err);
/* From a vmlinux; the image is not needed any more then. */
struct kernel *kernel_of_image(const struct image *image, struct error *err);

/* From text in the form of /proc/kallsyms, which must outlive it. ERR_FORMAT with the line when it
 * is something else. */
struct kernel *kernel_parse(struct bytes text, struct error *err);
void kernel_release(struct kernel *k); /* NULL is fine */

struct kernel_symbol {
	struct bytes name;
	struct bytes module; /* "[kernel]", "[nf_tables]", "[bpf]" */
	uint64_t start, end; /* end: the next symbol's start */
};

/* The function at `address`; it borrows from `k`. */
bool kernel_find(const struct kernel *k, uint64_t address, struct kernel_symbol *ret_symbol);

/* The same for a function of that name. */
bool kernel_find_named(const struct kernel *k, struct bytes name, struct kernel_symbol *ret_symbol);

uint64_t kernel_text_start(const struct kernel *k); /* address of _text, or else _stext; 0: none */
size_t kernel_symbol_count(const struct kernel *k);

/* The running kernel's build id (/sys/kernel/notes) as lower-case hexadecimal digits; false when it
 * cannot be read. */
bool kernel_build_id_text(char ret_hex[65]);

#endif
