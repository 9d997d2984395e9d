# recipes.bats: the recipes of CONTRIBUTING.md add what they say, as they stand there.
#
# The copy of the tree is an overlay at the place of the tree itself, in a mount namespace of its own: the build
# there goes on from the build that is here, and takes seconds. A second mount namespace would not see it, so that
# all is done in one test.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	export KILN_BUILD="${KILN_BUILD:-$PWD/build}"
}

# in_copy SCRIPT: run it in a copy of the tree, whose changes are in $BATS_TEST_TMPDIR.
in_copy() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	unshare -m bash -ec '
		mount -t tmpfs changes "$1"
		mkdir "$1/upper" "$1/work" "$1/bin"
		mount -t overlay copy -o "lowerdir=$PWD,upperdir=$1/upper,workdir=$1/work" "$PWD"
		cd "$PWD"
		ln -s "$KILN_BUILD/kiln" "$1/bin/kiln"
		export changes=$1 PATH="$1/bin:$PATH" KILN="$KILN_BUILD/kiln"
		eval "$2"' in_copy "$BATS_TEST_TMPDIR" "$1"
}

# Runs the commands of a recipe (standard input), and compares what they print.
shown() {
	expected=$(cat)
	printed=$(while read -r command; do
		echo "\$ $command"
		eval "$command" || echo "exit code $?"
	done < <(sed -n 's/^\$ //p' <<<"$expected"))
	diff -u <(echo "$expected") <(echo "$printed")
}
export -f shown

@test "each recipe adds a thing that works" {
	in_copy '
		for thing in "A format" "A transform" "An output" "A command" "A recording mode"; do
			echo "- $thing"
			python3 tests/house/recipe.py "$PWD" "$thing" >"$changes/${thing##* }"
			[ -s "$changes/${thing##* }" ]
		done
		ninja -C "$KILN_BUILD" kiln tests/fuzz/replay_readers
		cd "$changes" # what the commands write
		ln -s "$OLDPWD/tests" .
		[ -e "$KILN_BUILD/bpf/off.skel.h" ] || rm "$changes/mode" # a build without programs for the kernel
		for commands in format transform output command mode; do
			[ -e "$commands" ] || continue
			shown <"$commands"
		done
		cd "$OLDPWD"
		mandoc -T lint -W warning docs/kiln-depths.1
		bats tests/house/conventions.bats -f "^every (command|reader) has"
	'
}
