#!/bin/sh
# demo.sh KILN: where does the C compiler spend its time? Writes demo.svg.
#
# Debian's compiler has no frame pointers, so nothing but unwinding gives its stacks.
set -eu
kiln=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Four hundred functions with loops, switches and floating point: some seconds of optimising.
awk 'BEGIN {
	print "double table[256];"
	for (i = 0; i < 400; i++) {
		printf "int step%d(int a, const int *p, int n)\n{\n\tint sum = a;\n", i
		printf "\tfor (int i = 0; i < n; i++) {\n\t\tswitch (p[i] %% 7) {\n"
		for (k = 0; k < 6; k++)
			printf "\t\tcase %d: sum = sum * %d + p[i] / (n + %d); break;\n", k, i % 97 + k, k + 1
		printf "\t\tdefault: table[i & 255] += sum * 0.%d; break;\n\t\t}\n\t}\n", i + 1
		printf "\treturn sum%s;\n}\n", i ? sprintf(" + step%d(a + 1, p, n - 1)", i - 1) : ""
	}
}' >"$work/large.c"

echo "profiling: gcc -O2 -c large.c ($(wc -l <"$work/large.c") lines)"
"$kiln" record -o demo.svg -- gcc -O2 -c "$work/large.c" -o "$work/large.o"
echo
echo "The flame graph is in $(pwd)/demo.svg: open it in a browser, click a box, press / to search."
