#!/bin/sh
# layers.sh [ROOT]: does every file include only its own floor and the floors above it?
#
# The order is the table of ARCHITECTURE.md. Also: no folder of src/ is missing there, and the floors that
# are to run anywhere (model, transforms) use no files, threads or system calls. Programs for the kernel see
# nothing but bpf/, of which recorders see bpf/shared/ and what is generated; bpf/shared/ sees only itself.
# And: no files include one another in a circle (circles.py).
circles=$(cd "$(dirname "$0")" && pwd)/circles.py
cd "${1:-$(dirname "$0")/..}" || exit 1
floors=$(sed -n 's/^| `src\/\([a-z]*\)\/` .*/\1/p' ARCHITECTURE.md | tr '\n' ' ')
[ -n "$floors" ] || { echo "layers: no floors in ARCHITECTURE.md"; exit 1; }

for folder in src/*/; do
	name=$(basename "$folder")
	case " $floors" in
	*" $name "*) ;;
	*) echo "$folder: not a floor of ARCHITECTURE.md" ;;
	esac
done >/tmp/layers.$$
trap 'rm -f /tmp/layers.$$' EXIT

find src include $(ls -d bpf 2>/dev/null) -name '*.[ch]' | sort | xargs awk -v floors="$floors" '
BEGIN {
	count = split(floors, order, " ")
	for (i = 1; i <= count; i++)
		level[order[i]] = i
	portable["model"] = portable["transforms"] = 1
}
FNR == 1 {
	split(FILENAME, part, "/")
	mine = part[1] == "include" || part[1] == "bpf" ? part[1] : part[2]
}
match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/) {
	path = $0
	gsub(/^[^"]*"|".*$/, "", path)
	if (path == "kiln.h" || path ~ /^[a-z_]*(\.list|_embedded\.h)$/)
		next
	if (mine == "bpf" || path ~ /^bpf\/|\.skel\.h$/) {
		shared = path ~ /^bpf\/shared\/[a-z_]*\.h$/
		if (FILENAME ~ /^bpf\/shared\// ? !shared : mine == "bpf" ? !shared && path !~ /^bpf\/[a-z_]*\.h$/ : mine != "recorders" || (!shared && path !~ /\.skel\.h$/))
			print FILENAME ":" FNR ": " mine " may not include " path ": programs and recorders share bpf/shared/ alone"
		next
	}
	split(path, to, "/")
	if (mine == "include" || path ~ /\.\./ || !(to[1] in level))
		print FILENAME ":" FNR ": " path " is not written from a floor: \"base/buffer.h\""
	else if (level[to[1]] > level[mine])
		print FILENAME ":" FNR ": " mine " may not include " path ", which is below it"
	next
}
(mine in portable) && /^[ \t]*#[ \t]*include[ \t]*<(fcntl|unistd|pthread|threads|signal|poll|dirent|sys\/[a-z]*)\.h>/ {
	print FILENAME ":" FNR ": " mine " is free of files, threads and system calls: " $2
}' >>/tmp/layers.$$

python3 "$circles" . >>/tmp/layers.$$

cat /tmp/layers.$$
[ ! -s /tmp/layers.$$ ]
