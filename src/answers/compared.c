/* compared.c: how do two profiles become one with two sides? As in `kiln diff`. */
#include "answers/compared.h"

#include "base/deadline.h"

static bool add_side(const struct stored_profile *of, const struct shape *shape,
	const struct compare_options *how, size_t side, struct profile *to, struct error *err)
{
	struct view view;
	bool done;

	view_init(&view, of->profile, of->projection);
	done = shape_select(shape, &view, err) && compare_prepare(how, &view, side, err) &&
	       transform_list_apply(&shape->transforms, &view, err) &&
	       compare_add(how, to, &view, side, (struct merge_part){.name = of->name}, false, err);
	view_release(&view);
	return done;
}

bool compared_make(const struct stored_profile *const sides[2], const struct shape *shape,
	const struct compare_options *how, struct profile *ret_profile, struct error *err)
{
	bool done = true;

	profile_init(ret_profile);
	for (size_t side = 0; done && side < 2; side++) {
		done = add_side(sides[side], shape, how, side, ret_profile, err);
		if (done)
			compare_name(how, ret_profile, side, bytes_of(sides[side]->name));
		else if (sides[0] != sides[1])
			error_prefix(err, "%s: ", sides[side]->name);
	}
	return done && deadline_check(err); /* an incomplete one is not cached */
}
