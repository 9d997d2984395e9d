# producers_valgrind.bats: Valgrind's tools and Xdebug write profiles of programs of known shares; does Kiln read what
# their own tools show?
load producers

# own EVENT FILE: what each function costs itself, levels of recursion added up.
own() {
	"$kiln" fold -q --kind "$1" "$2" | awk '{ n = $NF; sub(/ [^ ]*$/, ""); sub(/.*;/, ""); sum[$0] += n }
		END { for (name in sum) print name, sum[name] }' | sort
}

# annotated EVENT FILE: the same as callgrind_annotate shows it; names of addresses are left out.
annotated() {
	callgrind_annotate --threshold=100 --show="$1" --sort="$1" "$2" 2>/dev/null |
		sed -n '/file:function/,$s/ \[[^]]*]$//;/file:function/,/^-- /s/^ *\([0-9,]*\) ([^)]*)  [^:]*:\(.*\)/\2 \1/p' | tr -d , | sed "s/'[0-9]* / /" |
		awk '{ n = $NF; sub(/ [^ ]*$/, ""); sum[$0] += n } END { for (name in sum) if (sum[name]) print name, sum[name] }' |
		grep -v ^0x | sort
}

@test "callgrind: the costs of every function that callgrind_annotate shows" {
	need gcc valgrind callgrind_annotate
	gcc -g -O1 -o shares "$programs/shares.c"
	valgrind -q --tool=callgrind --callgrind-out-file=calls --cache-sim=yes ./shares 3 2>/dev/null
	for event in Ir Dw; do
		annotated $event calls >theirs
		[ "$(wc -l <theirs)" -gt 20 ]
		own $event calls | grep -v '^\[' | diff theirs -
	done
	"$kiln" fold -q calls >folded
	share three_quarters 70 75 folded
	share one_quarter 23 26 folded
}

@test "callgrind: the stacks of --separate-callers are exact" {
	need gcc valgrind
	gcc -g -O1 -o shares "$programs/shares.c"
	valgrind -q --tool=callgrind --callgrind-out-file=calls --toggle-collect=main --separate-callers=20 ./shares 5
	"$kiln" fold -q calls >folded
	cat folded
	# 5 turns of 90,000 and of 30,000, of some instructions each.
	share spin 99 100 folded
	[ "$(grep -c ';main;three_quarters;spin ' folded)" -eq 1 ]
	awk '/three_quarters;spin/ { a = $NF } /one_quarter;spin/ { b = $NF } END { exit !(a / b > 2.999 && a / b < 3.001) }' folded
	run -0 "$kiln" fold calls
	[[ "$output" != *estimated* ]]
}

# value KIND FUNCTION FILE: the value of a function with its callees.
value() {
	"$kiln" fold -q --kind "$1" "$3" | grep -w -- "$2" | sum
}

@test "massif: the peak of a program that counts its blocks, as ms_print shows it" {
	need gcc valgrind ms_print
	gcc -g -O1 -fno-optimize-sibling-calls -o blocks "$programs/blocks.c"
	valgrind -q --tool=massif --peak-inaccuracy=0.0 --massif-out-file=heap ./blocks 0
	"$kiln" fold -q heap >folded
	cat folded
	[ "$(value heap keep heap)" -eq 100000 ]
	[ "$(sum folded)" -eq 103000 ]
	ms_print heap | grep -F '(100,000B) 0x' | grep keep
}

@test "dhat: the blocks of a program that counts them" {
	need gcc valgrind
	gcc -g -O1 -fno-optimize-sibling-calls -o blocks "$programs/blocks.c"
	valgrind -q --tool=dhat --dhat-out-file=heap ./blocks 0
	[ "$(value alloc_space keep heap)" -eq 100000 ]
	[ "$(value inuse_objects keep heap)" -eq 100 ]
	[ "$(value alloc_space churn heap)" -eq 600000 ]
	[ "$(value alloc_objects churn heap)" -eq 200 ]
	[ "$(value inuse_space churn heap)" -eq 0 ]
	[ "$("$kiln" fold -q --kind peak_space heap | sum)" -eq 103000 ]
}

@test "Xdebug's profiler: known shares, and the sum of all lines" {
	need php
	php -m | grep -q Xdebug || skip "needs php with Xdebug"
	php -d xdebug.mode=profile -d xdebug.output_dir=. -d xdebug.profiler_output_name=calls -d xdebug.use_compression=0 \
		"$programs/shares.php" >/dev/null
	"$kiln" fold -q calls >folded
	[ "$(awk '{ n += $NF } END { print n }' folded)" -eq "$(awk '/^calls=/ { getline; next } /^[0-9]/ { n += $2 } END { print 10 * n }' calls)" ]
	share '{main}' 99 100 folded
}
