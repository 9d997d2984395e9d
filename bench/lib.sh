# lib.sh: what every benchmark needs; sourced by bench/*.sh.
#
# KILN is the binary, WORK a folder for inputs that are kept between runs, ROUNDS how often each command is
# run. Peers are looked for in KILN_PEERS (a folder, searched two levels deep), then in PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
KILN=${KILN:-$here/../build/kiln}
WORK=${WORK:-$here/../build/bench}
ROUNDS=${ROUNDS:-5}
mkdir -p "$WORK"

heading() {
	printf '\n== %s\n' "$1"
}

# peer NAME: its path on standard output; fails when it is not there.
peer() {
	if [ -n "${KILN_PEERS:-}" ]; then
		found=$(find -L "$KILN_PEERS" -maxdepth 3 -name "$1" -type f -perm -u+x | head -n 1)
		[ -n "$found" ] && { echo "$found"; return 0; }
	fi
	command -v "$1" && return 0
	# Where Debian puts what is not for people to call.
	found=$(find /usr/lib/*/libexec -maxdepth 1 -name "$1" 2>/dev/null | head -n 1)
	[ -n "$found" ] && echo "$found"
}

# compare NAME COMMAND [NAME COMMAND]...: side by side; the first is what the ratios refer to.
compare() {
	python3 "$here/compare.py" "$ROUNDS" "$@"
}
