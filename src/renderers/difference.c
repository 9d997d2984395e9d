/* difference.c: what changed, function by function, as text. */
#include "renderers/change_table.h"
#include "renderers/renderers.h"

#define ROWS_DEFAULT 30u

struct difference_settings {
	struct text_settings text;
	uint64_t rows;
	int sort; /* enum function_sort */
};

static const char *const sorts[] = {"self", "total", "name", NULL};

static const struct option options[] = {
	{.name = "sort",
		.argument = "BY",
		.help = "order by change of self (default) or total, or by name",
		.set = option_choice,
		.offset = offsetof(struct difference_settings, sort),
		.choices = sorts},
	{.name = "rows",
		.argument = "N",
		.help = "the number of functions; 0: all (default: 30)",
		.set = option_u64,
		.offset = offsetof(struct difference_settings, rows)},
	{0},
};

static void defaults(void *settings)
{
	*(struct difference_settings *)settings =
		(struct difference_settings){.rows = ROWS_DEFAULT};
}

static bool changed(const struct sides *s, const int64_t *values)
{
	int64_t change = sides_change(s, values[0], values[1]);

	return change >= s->noise || -change >= s->noise;
}

/* Keep the functions that changed enough; returns how many others there were. */
static size_t keep_changed(struct functions *f)
{
	size_t kept = 0, all = f->count;

	for (size_t i = 0; i < all; i++)
		if (changed(&f->sides, f->rows[i].self) || changed(&f->sides, f->rows[i].total))
			f->rows[kept++] = f->rows[i];
	f->count = kept;
	return all - kept;
}

static bool render(
	const struct view *v, const void *settings, struct output *out, struct error *err)
{
	const struct difference_settings *s = settings;
	struct functions functions;
	struct buffer b = {0};
	size_t hidden, rows;

	functions_init(&functions, v, (enum function_sort)s->sort, true);
	if (functions.sides.count != 2) {
		functions_release(&functions);
		return sides_require_two(err);
	}
	hidden = keep_changed(&functions);
	rows = s->rows && s->rows < functions.count ? s->rows : functions.count;
	change_table(&b, v, &functions, rows, hidden, &s->text);
	output_write(out, buffer_bytes(&b));
	buffer_release(&b);
	functions_release(&functions);
	return true;
}

const struct renderer renderer_difference = {
	.name = "difference",
	.media_type = MEDIA_TEXT,
	.save.label = "Changes by function (text)",
	.save.suffix = ".txt",
	.save.comparisons = true,
	.save.no_single_side = true,
	.about = "changes between two sides by function, as text",
	.readable = true,
	.options = options,
	.settings_size = sizeof(struct difference_settings),
	.defaults = defaults,
	.render = render,
};
