/* by_cpu.c: separates stacks by CPU. */
#include "transforms/group.h"
#include "transforms/transforms.h"

static bool has_cpus(const struct samples *s)
{
	return s->cpu.len != 0;
}

/* The CPU's number plus one; 0: unknown. */
static size_t cpu_of(const struct profile *p, const struct samples *s, size_t sample)
{
	(void)p;
	return s->cpu.items[sample] == NO_CPU ? 0 : s->cpu.items[sample] + 1u;
}

static void cpu_label(const struct profile *p, size_t group, struct buffer *ret_label)
{
	(void)p;
	if (group)
		buffer_printf(ret_label, "CPU %zu", group - 1);
	else
		buffer_text(ret_label, "CPU ?");
}

struct grouping grouping_by_cpu(const struct profile *p)
{
	(void)p;
	return (struct grouping){
		(size_t)NO_CPU + 1, has_cpus, cpu_of, cpu_label, NULL, "the CPU of a sample"};
}

static bool by_cpu_apply(struct view *v, const char *argument, struct error *err)
{
	const struct grouping by = grouping_by_cpu(v->profile);

	(void)argument;
	return group_apply(v, &by, err);
}

const struct transform transform_by_cpu = {
	.name = "by-cpu",
	.help = "add a root frame for each CPU",
	.applied = "By CPU",
	.apply = by_cpu_apply,
};
