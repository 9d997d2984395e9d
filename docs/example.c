/* example.c: the paths below a function that cost most, and a picture of them.
 *
 *	cc example.c $(pkg-config --cflags --libs kiln) -o example && ./example profile.kiln main */
#include <kiln.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	kiln_error err = {KILN_OK, ""};
	kiln_profile *p = argc == 3 ? kiln_load(argv[1], NULL, &err) : NULL;
	kiln_view *v = p ? kiln_view_new(p, KILN_BY_FUNCTION) : NULL;
	const char *const options[] = {"title=Example", NULL};

	if (!v || !kiln_view_transform(v, "focus", argv[2], &err) ||
		!kiln_render(v, "svg", options, "example.svg", &err)) {
		fprintf(stderr, "%s\n", argc == 3 ? err.text : "usage: example FILE REGEX");
		return 2;
	}
	printf("%s: %zu samples, %lld in all\n", argv[1], kiln_sample_count(p, 0),
		(long long)kiln_node_at(v, 0).total);
	for (size_t i = 1; i < kiln_node_count(v); i++) {
		kiln_node node = kiln_node_at(v, i);

		if (node.self * 10 >= kiln_node_at(v, 0).total)
			printf("%6.2f%% %.*s\n", 100.0 * node.self / kiln_node_at(v, 0).total,
				(int)node.frame.function.len, node.frame.function.at);
	}
	kiln_view_free(v);
	kiln_profile_free(p);
	return 0;
}
