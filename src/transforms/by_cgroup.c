/* by_cgroup.c: separates stacks by control group. */
#include "names/cgroup_names.h"
#include "transforms/group.h"
#include "transforms/transforms.h"

static bool has_labels(const struct samples *s)
{
	return s->labels.len != 0;
}

static size_t labels_of(const struct profile *p, const struct samples *s, size_t sample)
{
	(void)p;
	return s->labels.items[sample];
}

/* Empty if there is no such label. */
static struct bytes label_of(const struct profile *p, size_t set, struct bytes key)
{
	for (; set; set = p->label_sets.items[set].parent)
		if (bytes_equal(profile_text(p, p->label_sets.items[set].key), key))
			return profile_text(p, p->label_sets.items[set].value);
	return (struct bytes){0};
}

static void group_name(const struct profile *p, size_t set, struct buffer *ret_label)
{
	struct bytes path = label_of(p, set, BYTES(LABEL_CGROUP));
	struct bytes container = label_of(p, set, BYTES(LABEL_CONTAINER));

	if (path.len || container.len)
		cgroup_short_name(path, container, ret_label);
	else
		buffer_text(ret_label, "[unknown]");
}

static bool by_cgroup_apply(struct view *v, const char *argument, struct error *err)
{
	const struct profile *p = v->profile;
	const struct grouping by = {p->label_sets.len, has_labels, labels_of, group_name, NULL,
		"the control group of a sample (kiln record --by-cgroup records it)"};

	(void)argument;
	for (size_t set = 1; set < p->label_sets.len; set++)
		if (label_of(p, set, BYTES(LABEL_CGROUP)).len ||
			label_of(p, set, BYTES(LABEL_CONTAINER)).len)
			return group_apply(v, &by, err);
	return error_set(err, ERR_USAGE, "the input does not have %s", by.what);
}

const struct transform transform_by_cgroup = {
	.name = "by-cgroup",
	.help = "add a root frame for each control group or container",
	.applied = "By control group",
	.apply = by_cgroup_apply,
};
