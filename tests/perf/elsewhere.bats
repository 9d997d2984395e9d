# elsewhere.bats: perf.data whose binaries are not where they were: found again in every place, never
# confused with another build, or named by module and offset until they come.
load common
load ../support/debuginfod

setup_file() {
	export bin=$BATS_FILE_TMPDIR
	[ -z "$(missing)" ] || return 0
	build calls calls.c -fno-omit-frame-pointer
}

# A copy of the program, recorded and then taken away; fold.txt is what it folds to while it is here.
# perf has put a copy into its cache, which goes to cache/: so that nothing is found unasked.
record_and_move() {
	cp "$bin/calls" app
	record run "$@" -- ./app 2
	"$kiln" fold -q run.data >fold.txt
	grep -q ';main' fold.txt
	id=$(perf buildid-list -i run.data | sed -n 's/ .*\/app$//p')
	mkdir moved
	mv app moved/app
	mv .debug cache
	rm -rf .cache
}

same_fold() {
	diff fold.txt <("$kiln" fold -q "$@")
}

@test "frame pointers: named by offset until the binary is found, then as at once" {
	record_and_move -g
	run -0 "$kiln" fold -q run.data
	[[ $output == *"[app+0x"* && $output != *";main"* ]]
	same_fold --symfs moved run.data
	same_fold --build-id-dir cache run.data
	mkdir -p "ids/${id:0:2}"
	cp moved/app "ids/${id:0:2}/${id:2}"
	same_fold --build-id-dir ids run.data
	mv cache .debug
	same_fold run.data
}

@test "stack copies: unwound and named as at once when the binary is found" {
	record_and_move --call-graph dwarf
	run -0 "$kiln" fold -q run.data
	[[ $output != *";main"* ]]
	same_fold --symfs moved run.data
	same_fold --build-id-dir cache run.data
}

@test "kiln symbolize finishes the job elsewhere, also from a profile" {
	record_and_move -g
	"$kiln" symbolize -q --symfs moved run.data -o named.kiln
	same_fold named.kiln
	"$kiln" convert -q run.data -o addresses.kiln
	rm run.data
	"$kiln" fold addresses.kiln | grep -q '\[app+0x'
	"$kiln" symbolize -q --build-id-dir cache addresses.kiln -o later.kiln
	same_fold later.kiln
}

@test "a rebuilt program is not taken for the recorded one" {
	record_and_move -g
	build other calls.c -fno-omit-frame-pointer -DOTHER -O1
	cp "$bin/other" app
	run -0 "$kiln" fold -q run.data
	[[ $output == *"[app+0x"* && $output != *";main"* ]]
	run -0 "$kiln" fold -q --symfs . run.data
	[[ $output == *"[app+0x"* && $output != *";main"* ]]
}

@test "a program without build id is known by its content" {
	build noid calls.c -fno-omit-frame-pointer -Wl,--build-id=none
	cp "$bin/noid" app
	record run -g -N -- ./app 2 # -N: perf 6.1 stumbles over files without build ids
	"$kiln" fold -q run.data >fold.txt
	grep -q ';main' fold.txt
	"$kiln" convert -q run.data -o run.kiln
	"$(dirname "$kiln")/tests/forget_names" run.kiln forgotten.kiln
	same_fold forgotten.kiln
	cp "$bin/calls" app
	"$kiln" fold -q forgotten.kiln | grep -q '\[app+0x'
	# perf.data knows the inode, which is still the same, and when it was written itself.
	touch -d '+1 minute' app
	"$kiln" fold -q run.data | grep -q '\[app+0x'
	rm app
	cp "$bin/calls" app
	touch -d '1 hour ago' app
	"$kiln" fold -q run.data | grep -q '\[app+0x'
}

@test "debuginfod serves what unwinding and naming need" {
	command -v debuginfod >/dev/null || skip "no debuginfod"
	record_and_move --call-graph dwarf
	debuginfod_starts moved "$id"
	same_fold run.data
	kill "$server"
}

@test "with no FILE ./perf.data is read, unless there is a profile.kiln" {
	record_and_move -g
	mv cache .debug
	cp run.data perf.data
	diff fold.txt <("$kiln" fold -q </dev/null)
	ln -s "$(readlink -f "$kiln")" flamegraph
	./flamegraph -q </dev/null >analysis.svg
	"$kiln" draw -q perf.data -o drawn.svg
	cmp analysis.svg drawn.svg
	./flamegraph -q <perf.data >piped.svg
	cmp piped.svg drawn.svg
	./flamegraph -q --perfdata run.data -o named.svg
	cmp named.svg drawn.svg
	echo 'profile;kiln 1' >profile.kiln
	[ "$("$kiln" fold </dev/null)" = "profile;kiln 1" ]
	./flamegraph -q </dev/null >analysis.svg # which stands for perf.data
	cmp analysis.svg drawn.svg
}

@test "a kernel that hides itself is told, with what to do" {
	restrict=/proc/sys/kernel/kptr_restrict
	command -v setpriv >/dev/null && [ -w "$restrict" ] || skip "cannot restrict kernel addresses"
	record run -a -N -g -- dd if=/dev/zero of=/dev/null bs=1 count=300000
	chmod a+r run.data
	chmod a+x "$PWD"
	before=$(cat "$restrict")
	echo 1 >"$restrict"
	run --separate-stderr setpriv --reuid 65534 --clear-groups --inh-caps=-all \
		"$(readlink -f "$kiln")" fold --no-cache - <run.data
	echo "$before" >"$restrict"
	[ "$status" -eq 0 ]
	[[ $stderr == *"kernel functions have no names: the kernel hides"*"kernel.kptr_restrict=0"* ]]
	# By whom may see them, or with a copy from whom may, they are named.
	cp /proc/kallsyms copy
	"$kiln" fold -q run.data >own.txt
	grep -q 'entry_SYSCALL_64' own.txt
	diff own.txt <("$kiln" fold -q --kallsyms copy run.data)
}
