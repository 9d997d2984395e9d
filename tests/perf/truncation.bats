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

# Such a file has no build id of the kernel, only the range of its code.
@test "the kernel of a recorder that is killed is the running one, if its code has the same range" {
	perf record -q -m 4 -F 2999 -e cpu-clock -g -o killed.data -- \
		sh -c 'head -c 2G /dev/zero >/dev/null; echo $$ >pid; exec sleep 60' 3>&- &
	recorder=$!
	until [ -s pid ]; do sleep 0.1; done
	sleep 0.5
	kill -9 $recorder
	kill "$(cat pid)"
	"$kiln" fold killed.data 2>said | grep -q 'read;.*vfs_read'
	cat said
	grep -q 'the running one is assumed, whose code has the same address and size' said
	# The code of another kernel: one byte longer.
	python3 - <<-'END'
		import struct
		data = bytearray(open("killed.data", "rb").read())
		name = data.index(b"[kernel.kallsyms]_text\0")
		size, = struct.unpack_from("<Q", data, name - 16)
		struct.pack_into("<Q", data, name - 16, size + 1)
		open("other.data", "wb").write(data)
	END
	run -0 "$kiln" fold other.data
	[[ "$output" == *"kernel functions have no names: the symbols of the recorded kernel were not found"* ]]
	[[ "$output" != *vfs_read* && "$output" != *assumed* ]]
}
