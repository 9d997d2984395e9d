# common.bash: what every golden test needs: the binary, inputs, a folder of its own, and what is made of inputs.
bats_require_minimum_version 1.5.0

kiln=${KILN:-$BATS_TEST_DIRNAME/../../build/kiln}
golden=$BATS_TEST_DIRNAME
corpus=${KILN_CORPUS:-$golden/../../../shared/corpus}
suffix=txt # of inputs

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export HOME=$BATS_TEST_TMPDIR
	unset DEBUGINFOD_URLS
}

# same FORMAT/NAME [OPTION...]: found by its content, from a file, a pipe and compressed, NAME.$suffix folds to
# NAME.folded, or to $expected.folded.
same() {
	local input=$golden/$1.$suffix result=$golden/${expected:-$1}.folded
	shift
	"$kiln" fold -q "$@" "$input" | diff "$result" -
	cat "$input" | "$kiln" fold -q "$@" - | diff "$result" -
	gzip -c "$input" | "$kiln" fold -q "$@" - | diff "$result" -
}

# said WHAT [OPTION...]: folding standard input works, and Kiln says WHAT about it.
said() {
	cat >input
	"$kiln" fold "${@:2}" input 2>said >folded
	cat folded said
	grep -qF -- "$1" said
}

# told FILE RESULT TEXT...: FILE folds to RESULT, and each TEXT is a line that Kiln says about it; there is no other.
told() {
	run --separate-stderr "$kiln" fold "$1"
	[ "$status" -eq 0 ]
	diff "$2" <(echo "$output")
	diff <(printf "kiln: $1: %s\n" "${@:3}") <(echo "$stderr")
}

# refused WHAT [OPTION...]: standard input is refused in one line that names the file and says WHAT.
refused() {
	cat >input
	run -2 "$kiln" fold "${@:2}" input
	echo "$output"
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == "kiln: input: "*"$1"* ]]
}

# refused_as LINE FILE [OPTION...]: FILE is refused with these words and no other.
refused_as() {
	run -2 "$kiln" fold "${@:3}" "$2"
	[ "$output" = "kiln: $2: $1" ] || { printf 'said:     %s\nexpected: %s\n' "$output" "$1"; return 1; }
}

# made [PATTERN]...: the files of $golden, but for these, are what make.py there makes.
made() {
	python3 -B "$golden/make.py" made
	diff -r -x make.py "${@/#/--exclude=}" made "$golden"
}
