/* perf_kernel.c: is the running kernel the one that a perf.data file was recorded on?
 *
 * Without a build id, the size of the kernel's code is the evidence: to the byte, it hardly is that
 * of another build. Its address alone would be none where kernels are not loaded at random ones. */
#include "readers/perf/perf_kernel.h"

static struct mapping *kernel_row(const struct profile *p)
{
	for (mapping_id i = 1; i < p->mappings.len; i++)
		if (p->mappings.items[i].kind == MAPPING_KERNEL)
			return &p->mappings.items[i];
	return NULL;
}

bool perf_kernel_is_running(const struct profile *p, uint64_t *ret_base)
{
	const struct mapping *row = kernel_row(p);
	char build_id[65];

	*ret_base = row ? row->base : 0;
	return row && kernel_build_id_text(build_id) &&
	       bytes_equal(profile_text(p, row->build_id), bytes_of(build_id));
}

/* Is the last function in its range one of the module? */
static bool module_fits(
	const struct profile *p, const struct mapped *mapped, const struct kernel *running)
{
	struct kernel_symbol last;

	return kernel_find(running, mapped->end - 1, &last) && last.start >= mapped->start &&
	       bytes_equal(last.module, profile_text(p, p->mappings.items[mapped->mapping].file));
}

bool perf_kernel_assume(
	struct profile *p, struct address_space *space, const struct kernel *running)
{
	struct mapping *row = kernel_row(p);
	const struct mapped *text = row ? address_space_find(space, row->base) : NULL;
	struct kernel_symbol end;
	char build_id[65];

	if (!text || !row->base || row->build_id || row->base != kernel_text_start(running) ||
		!kernel_find_named(running, BYTES("_etext"), &end) || text->end != end.start ||
		!kernel_build_id_text(build_id))
		return false;
	for (size_t i = 0; i < space->maps.len; i++) {
		const struct mapped *mapped = &space->maps.items[i];

		if (p->mappings.items[mapped->mapping].kind == MAPPING_MODULE &&
			!module_fits(p, mapped, running))
			return false;
	}
	row->build_id = profile_string(p, bytes_of(build_id));
	return true;
}
