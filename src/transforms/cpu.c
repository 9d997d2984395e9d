/* cpu.c: keeps only some CPUs. */
#include "transforms/select.h"
#include "transforms/transforms.h"

#include <stdlib.h>

/* "0,2-4": one bool for each CPU. */
static bool list_parse(struct bytes list, bool *ret_selected, struct error *err)
{
	while (list.len) {
		const char *comma = memchr(list.at, ',', list.len);
		struct bytes part = {list.at, comma ? (size_t)(comma - list.at) : list.len};
		const char *dash = memchr(part.at, '-', part.len);
		struct bytes from = {part.at, dash ? (size_t)(dash - part.at) : part.len};
		struct bytes to = dash ? (struct bytes){dash + 1, part.len - from.len - 1} : from;
		uint64_t first, last;

		if (!bytes_u64(from, &first) || !bytes_u64(to, &last) || first > last ||
			last >= NO_CPU)
			return error_set(err, ERR_USAGE, "expected CPUs such as 0,2-4, got '%.*s'",
				(int)part.len, part.at);
		memset(ret_selected + first, true, last - first + 1);
		list.at += part.len + (comma != NULL);
		list.len -= part.len + (comma != NULL);
	}
	return true;
}

static bool has_cpus(const struct samples *s)
{
	return s->cpu.len != 0;
}

static uint64_t match_cpu(const struct samples *s, size_t first, size_t count, const void *context)
{
	const bool *selected = context;
	uint64_t bits = 0;

	for (size_t i = 0; i < count; i++)
		bits |= (uint64_t)selected[s->cpu.items[first + i]] << i;
	return bits;
}

static bool cpu_apply(struct view *v, const char *list, struct error *err)
{
	bool *selected = memory_new((size_t)NO_CPU + 1, sizeof(*selected));
	const struct selection by = {has_cpus, match_cpu, selected, "the CPU of a sample"};
	bool done = *list ? list_parse(bytes_of(list), selected, err)
			  : error_set(err, ERR_USAGE, "expected CPUs such as 0,2-4");

	done = done && select_samples(v, &by, err);
	memory_free(selected);
	return done;
}

const struct transform transform_cpu = {
	.name = "cpu",
	.argument = "LIST",
	.help = "only samples of these CPUs: 0,2-4",
	.applied = "CPU",
	.apply = cpu_apply,
};
