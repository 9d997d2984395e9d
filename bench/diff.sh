#!/bin/sh
# diff.sh: two folded files of 250,000 stacks each, sorted and shuffled, to one with two columns.
. "$(dirname "$0")/lib.sh"
"$here/inputs.sh"
a=$WORK/half1.folded b=$WORK/half2.folded

# The lines of the large file in turn, so that the two have to be merged line by line.
[ "$b" -nt "$WORK/large.folded" ] || {
	awk 'NR % 2 == 1' "$WORK/large.folded" >"$a"
	awk 'NR % 2 == 0' "$WORK/large.folded" >"$b"
}
[ "$b.shuffled" -nt "$b" ] || for half in "$a" "$b"; do
	shuf --random-source="$WORK/large.folded" "$half" >"$half.shuffled"
done

# beside WHAT SUFFIX
beside() {
	heading "$1: 2 x $(wc -l <"$a") stacks, 2 x $(($(wc -c <"$a") / 1000000)) MB"
	set -- "$2" kiln "$KILN diff -q --to folded $a$2 $b$2"
	if inferno=$(peer inferno-diff-folded); then
		set -- "$@" inferno-diff-folded "$inferno -q $a$1 $b$1"
	else
		echo "  no inferno-diff-folded here"
	fi
	if perl=$(peer difffolded.pl); then
		set -- "$@" difffolded.pl "$perl $a$1 $b$1"
	else
		echo "  no difffolded.pl here"
	fi
	shift
	compare "$@"
}

beside "difference of sorted folded text" ""
beside "difference of shuffled folded text" .shuffled
