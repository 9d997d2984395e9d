/* shape.c: which values does a view show before it is transformed? */
#include "transforms/shape.h"

#include <stdlib.h>

const struct option shape_options[] = {
	{.name = "kind",
		.argument = "NAME",
		.help = "the value or event to show (kiln info lists them; default: the first)",
		.set = option_text,
		.offset = offsetof(struct shape, kind)},
	{.name = "idle",
		.help = "show samples of idle CPUs, which are left out otherwise",
		.set = option_flag,
		.offset = offsetof(struct shape, idle)},
	{0},
};

bool shape_select(const struct shape *s, struct view *v, struct error *err)
{
	return view_select(v, s->kind ? bytes_of(s->kind) : (struct bytes){0}, s->idle, err);
}

void shape_release(struct shape *s)
{
	vector_release(&s->transforms.steps);
	*s = (struct shape){0};
}
