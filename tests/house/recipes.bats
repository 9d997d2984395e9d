# recipes.bats: the recipes of CONTRIBUTING.md add what they say, as they stand there.
bats_require_minimum_version 1.5.0
load copy

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	export KILN_BUILD="${KILN_BUILD:-$PWD/build}"
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
