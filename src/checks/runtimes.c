/* runtimes.c: which installed runtimes generate code, and what makes them name it? */
#include "names/runtimes.h"
#include "checks/checks.h"

#include <limits.h>
#include <stdlib.h>

/* "python3" is a link to the program of one version. */
static void find_version(const char *path, struct buffer *ret_name)
{
	char *real = realpath(path, NULL);

	buffer_set(ret_name, bytes_base_name(bytes_of(real ? real : path)));
	free(real);
}

static bool find_runtime(const struct runtime *r, struct buffer *ret_path)
{
	return check_find_program(r->program, ret_path) ||
	       (!strcmp(r->program, "python") && check_find_program("python3", ret_path));
}

static bool is_set(const struct runtime *r)
{
	const char *value = getenv(r->variable);

	return value && strstr(value, r->option);
}

static void check_runtimes(const struct machine *m, struct findings *out)
{
	struct buffer path = {0}, name = {0};

	(void)m;
	for (const struct runtime *r = runtimes; r->program; r++) {
		if (!find_runtime(r, &path))
			continue;
		find_version(path.at, &name);
		if (runtime_is_too_old(r, buffer_bytes(&name)))
			finding_add(out, r->title, CHECK_LIMITED, NULL,
				"%s cannot name its functions for profilers (it can %s)", name.at,
				r->limits);
		else if (is_set(r))
			finding_add(out, r->title, CHECK_OK, NULL,
				"%s is set: compiled functions have names", r->variable);
		else
			finding_add(out, r->title, CHECK_LIMITED, r->setting,
				"compiled functions have names only where this is set%s%s%s",
				*r->limits ? " (" : "", r->limits, *r->limits ? ")" : "");
	}
	buffer_release(&path);
	buffer_release(&name);
}

static const struct check checks[] = {
	{"runtimes", "looks for node, java, python, dotnet and erl in PATH", check_runtimes},
	{0},
};

extern const struct check_subject check_subject_runtimes;
const struct check_subject check_subject_runtimes = {"Runtimes", checks};
