# reshape.bats: ways to reshape a view, where modules and the order of options matter.
load common

# WEIGHT FRAME...: a sample of `perf script`, from the leaf on.
sample() {
	echo "app 12/12 [000] 1.000000: $1 cycles:"
	shift
	printf '\t7f01 %s\n' "${@/ /+0x1 }"
	echo
}

# What --kind cycles of it folds to with these options.
folds_to() {
	local expected=$1
	shift
	{
		sample 3 "parse (/bin/app)" "memcpy (/lib/libc.so.6)" "bcmp (/lib/libc.so.6)" "main (/bin/app)"
		sample 2 "bcmp (/lib/libc.so.6)" "main (/bin/app)"
		sample 1 "main (/bin/app)"
	} >modules.txt
	run -0 "$kiln" fold -q "$@" modules.txt
	[ "$output" = "$expected" ] || { echo "$*: $output"; return 1; }
}

@test "what is called within a module is one frame" {
	folds_to $'app;main 1\napp;main;libc.so.6 2\napp;main;libc.so.6;parse 3' --collapse-module '^libc\.so'
	folds_to $'app;app 1\napp;app;libc.so.6 2\napp;app;libc.so.6;app 3' --collapse-module .
}

@test "options are applied in their order, each as often as it is given" {
	folds_to $'app;main 1\napp;main;libc.so.6 5' --collapse-module libc --hide-below libc
	folds_to $'app;main 1\napp;main;libc.so.6 2\napp;main;libc.so.6;parse 3' --hide-below libc --collapse-module libc
	folds_to 'app;main 6' --charge memcpy --charge bcmp
	folds_to $'app;bcmp 2\napp;bcmp;memcpy;parse 3' --path 'app;main;bcmp' --drop '^main$'
}

@test "callers of a function: what is below it hidden, and all turned round" {
	folds_to 'bcmp;main;app 5' --include '^bcmp$' --hide-below '^bcmp$' --reverse
	folds_to $'bcmp 2\nbcmp;memcpy;parse 3' --focus '^bcmp$'
}
