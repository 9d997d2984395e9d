/* recorded_kernel.c: what are the functions of a profile's kernel called? */
#include "process/recorded_kernel.h"

#include "base/buffer.h"
#include "base/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>

#define START_SLACK 2 /* seconds of tolerance between clocks about the time of boot */

/* What the profile says about its kernel. */
struct kernel_query {
	struct bytes build_id, release; /* may be empty */
	uint64_t base;			/* of _text; 0: unknown */
	bool same_start;		/* recorded on this machine since it was booted */
};

/* ---- Is it the same boot of the same kernel? ---- */

/* Wall-clock seconds at which this kernel was booted; 0: unknown. */
static int64_t boot_time(void)
{
	struct error ignored = {0};
	struct bytes all, line;
	struct input in;
	uint64_t start = 0;

	if (!input_open(&in, "/proc/stat", &ignored))
		return 0;
	if (input_whole(&in, (uint64_t)1 << 24, &all, &ignored))
		while (bytes_line(&all, &line))
			if (bytes_starts_with(line, BYTES("btime ")) &&
				!bytes_u64((struct bytes){line.at + 6, line.len - 6}, &start))
				start = 0;
	input_release(&in);
	return (int64_t)start;
}

/* RFC 3339 in UTC, as written by recorders. */
static int64_t time_of(struct bytes text)
{
	struct tm when = {0};
	char copy[32];

	if (!text.len || text.len >= sizeof(copy))
		return 0;
	memcpy(copy, text.at, text.len);
	copy[text.len] = 0;
	return strptime(copy, "%Y-%m-%dT%H:%M:%SZ", &when) ? (int64_t)timegm(&when) : 0;
}

static bool is_same_start(const struct profile *p)
{
	struct utsname own;
	int64_t recorded = time_of(profile_meta(p, BYTES("started"))), start = boot_time();

	return recorded && start && recorded + START_SLACK >= start && !uname(&own) &&
	       bytes_equal(profile_meta(p, BYTES("host")), bytes_of(own.nodename));
}

static struct kernel_query query_of(const struct profile *p)
{
	struct kernel_query w = {.release = profile_meta(p, BYTES("kernel"))};

	for (mapping_id i = 1; i < p->mappings.len; i++)
		if (p->mappings.items[i].kind == MAPPING_KERNEL && !w.base) {
			w.base = p->mappings.items[i].base;
			w.build_id = profile_text(p, p->mappings.items[i].build_id);
		}
	w.same_start = is_same_start(p);
	return w;
}

/* ---- Candidates ---- */

struct search {
	const struct kernel_query *query;
	struct recorded_kernel *found;
	bool is_explicit; /* named by the user: its build id is not checked */
};

/* Use `kernel` if its load address is known. */
static bool take(struct search *s, struct kernel *kernel)
{
	uint64_t own = kernel ? kernel_text_start(kernel) : 0;

	if (!kernel)
		return false;
	if (!s->query->base || !own) {
		s->found->no_base = true;
		kernel_release(kernel);
		return false;
	}
	s->found->no_base = false;
	s->found->kernel = kernel;
	s->found->shift = s->query->base - own;
	return true;
}

static bool try_kallsyms(void *context, const char *path)
{
	struct search *s = context;

	return take(s, kernel_open_text(path, &s->found->failed));
}

static bool try_image(void *context, const char *path)
{
	struct search *s = context;
	struct image *image = image_open(path, &s->found->failed);
	struct kernel *kernel = NULL;
	char id[65];

	if (!image)
		return false;
	image_build_id_text(image, id);
	if (s->is_explicit || bytes_equal(bytes_of(id), s->query->build_id))
		kernel = kernel_of_image(image, &s->found->failed);
	image_release(image);
	return take(s, kernel);
}

/* Try the running kernel. Its load address has been the same since the machine was booted, so it
 * need not be known if the profile was recorded since then. */
static bool try_running(struct search *s)
{
	struct kernel *kernel;
	char id[65];

	if (!s->query->build_id.len || !kernel_build_id_text(id) ||
		!bytes_equal(bytes_of(id), s->query->build_id))
		return false;
	kernel = kernel_open(&s->found->hidden);
	if (!kernel || s->query->base || !s->query->same_start)
		return take(s, kernel);
	s->found->kernel = kernel;
	return true;
}

static bool try_fetched(struct search *s, const struct binary_locations *binary_locations,
	const struct binary_query *w)
{
	char *path = binary_locations_fetch(binary_locations, w);
	bool taken = path && try_image(s, path);

	memory_free(path);
	return taken;
}

void recorded_kernel_open(const struct profile *p, const struct binary_locations *binary_locations,
	struct recorded_kernel *ret)
{
	struct kernel_query query = query_of(p);
	struct search s = {&query, ret, false};
	struct binary_query text = {QUERY_KALLSYMS, BYTES("[kernel.kallsyms]"), query.build_id};
	struct binary_query file = {QUERY_VMLINUX, query.release, query.build_id};

	*ret = (struct recorded_kernel){0};
	if (binary_locations && (binary_locations->kallsyms || binary_locations->vmlinux)) {
		s.is_explicit = true;
		if (binary_locations->kallsyms)
			try_kallsyms(&s, binary_locations->kallsyms);
		else
			try_image(&s, binary_locations->vmlinux);
		return;
	}
	if (try_running(&s) || !query.build_id.len ||
		binary_locations_visit(binary_locations, &text, try_kallsyms, &s) ||
		binary_locations_visit(binary_locations, &file, try_image, &s) ||
		try_fetched(&s, binary_locations, &file))
		ret->hidden = (struct error){0};
	ret->failed = (struct error){0}; /* an error of a source that the user did not name */
}

void recorded_kernel_release(struct recorded_kernel *k)
{
	kernel_release((struct kernel *)(uintptr_t)k->kernel);
	*k = (struct recorded_kernel){0};
}

bool recorded_kernel_find(const struct recorded_kernel *k, uint64_t address, struct bytes module,
	struct kernel_symbol *ret_symbol)
{
	bool in_module = !bytes_equal(module, BYTES("[kernel]"));

	if (!k->kernel || (in_module && k->shift) ||
		!kernel_find(k->kernel, address - k->shift, ret_symbol) ||
		!bytes_equal(ret_symbol->module, module))
		return false;
	ret_symbol->start += k->shift;
	ret_symbol->end += k->shift;
	return true;
}
