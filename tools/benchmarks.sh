#!/bin/sh
# benchmarks.sh [ROOT]: is every benchmark there that the code and the documents name, and does every comment that says
# why something is written by hand ("By hand: ...") name one? Both name them as bench/NAME.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 1

named() {
	grep -rnoE 'bench/[a-z0-9_]+\.[a-z]+' --exclude=benchmarks.bats --exclude-dir=node_modules --exclude-dir=corpus \
		$(ls -d include src bpf tests docs tools web bench ./*.md 2>/dev/null)
}

# FILE:LINE of a comment that begins a paragraph with "By hand" and names no benchmark up to the paragraph's end.
silent() {
	find include src bpf -name '*.[ch]' 2>/dev/null | xargs awk '
		/^[ \t]*(\/\*|\*) By hand[:,]/ { where = FILENAME ":" FNR; names = 0 }
		where && /bench\/[a-z0-9_]+\.[a-z]+/ { names = 1 }
		where && (/\*\// || /^[ \t]*\*$/) { if (!names) print where; where = "" }' /dev/null
}

named | {
	bad=0
	while IFS=: read -r file line name; do
		[ -e "$name" ] || { echo "$file:$line: there is no $name"; bad=1; }
	done
	exit "$bad"
}
missing=$?
silent=$(silent)
[ -z "$silent" ] || echo "$silent" | sed 's/$/: written by hand, without the name of a benchmark/'
[ "$missing" = 0 ] && [ -z "$silent" ]
