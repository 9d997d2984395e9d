/* transforms.c: which transforms exist, and which were requested in which order? */
#include "transforms/transforms.h"

#include "base/deadline.h"

#include <assert.h>
#include <stdlib.h>

#define ENTRY(name) extern const struct transform transform_##name;
#include "transforms.list"
#undef ENTRY

const struct transform *const transforms[] = {
#define ENTRY(name) &transform_##name,
#include "transforms.list"
#undef ENTRY
	NULL,
};

#define TRANSFORMS (sizeof(transforms) / sizeof(*transforms) - 1)

const struct transform *transform_by_name(const char *name)
{
	for (size_t i = 0; transforms[i]; i++)
		if (!strcmp(transforms[i]->name, name))
			return transforms[i];
	return NULL;
}

void transform_list_add(struct transform_list *list, const char *name, const char *argument)
{
	const struct transform *transform = transform_by_name(name);

	assert(transform);
	vector_push(&list->steps, ((struct transform_step){transform, argument}));
}

static bool add_transform(
	void *target, const struct option *option, const char *value, struct error *err)
{
	(void)err;
	transform_list_add(target, option->name, value);
	return true;
}

static_assert(TRANSFORMS < TRANSFORM_OPTIONS, "transform_options has room");

void transform_options(struct option ret_options[TRANSFORM_OPTIONS])
{
	for (size_t i = 0; i < TRANSFORM_OPTIONS; i++)
		ret_options[i] = (struct option){0};
	for (size_t i = 0; transforms[i]; i++)
		ret_options[i] = (struct option){.name = transforms[i]->name,
			.argument = transforms[i]->argument,
			.help = transforms[i]->help,
			.opens_files = transforms[i]->opens_files,
			.set = add_transform};
}

bool transform_apply(
	const struct transform *transform, struct view *v, const char *argument, struct error *err)
{
	return transform->apply(v, argument, err) && view_check_size(v, err);
}

bool transform_list_apply(const struct transform_list *list, struct view *v, struct error *err)
{
	for (size_t i = 0; i < list->steps.len; i++) {
		const struct transform_step *step = &list->steps.items[i];

		if (!deadline_check(err))
			return false;
		if (!transform_apply(step->transform, v, step->argument, err))
			return error_prefix(err, "--%s: ", step->transform->name);
	}
	return true;
}
