# truncation.bats: what is left of a recording whose recorder was killed?
load common

@test "a file of 1 MB, cut anywhere" {
	bin=$BATS_TEST_TMPDIR
	build deep-fp deep.c -fno-omit-frame-pointer
	# About 1 KB a sample.
	record cut -F 3999 -g -- "$bin/deep-fp" 200
	shown "$checkers/truncation" cut.data 997
	[ "$(stat -c %s cut.data)" -ge 1000000 ]
}

@test "a recorder that is killed" {
	bin=$BATS_TEST_TMPDIR
	build calls-fp calls.c -fno-omit-frame-pointer
	# With small rings, so that most has been written by then.
	perf record -q -m 4 -F 2999 -e cpu-clock -g -o killed.data -- \
		sh -c "$bin/calls-fp; $bin/calls-fp; echo \$\$ >pid; exec sleep 60" 3>&- &
	recorder=$!
	until [ -s pid ]; do sleep 0.1; done
	sleep 0.5
	kill -9 $recorder
	kill "$(cat pid)"
	perf script -i killed.data 2>&1 | grep -q "data size field is 0"
	"$kiln" fold killed.data >folded 2>said
	# Half of what ran, in nanoseconds.
	awk '{ weight += $NF } END { exit weight < 250000000 }' folded
	cat said
	grep -q "killed.data" said
}
