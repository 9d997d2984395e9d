# record_containers.bats: are names found that only exist in a process's own mount and pid namespaces?
load common

setup_file() {
	load common
	build_programs
}

setup() {
	load common
	cd "$BATS_TEST_TMPDIR" || return
	unshare --mount --pid --fork true || skip "no namespaces"
}

@test "a perf map in a container's /tmp, of a process that is gone at the end" {
	# Reached under another name once the /tmp that it was built in is covered.
	cp "$bin/jit" /run/kiln-test-jit
	echo 'mount -t tmpfs none /tmp && exec /run/kiln-test-jit 1.3' >inside
	"$kiln" record -q -o p.kiln -- unshare --mount --pid --fork sh "$PWD/inside"
	rm /run/kiln-test-jit
	at_least "$(share p.kiln ';made_early$')" 80
	# Nobody asked for this one's name before the process was gone.
	at_least "$(share p.kiln ';made_late$')" 5
	# Its name there is another one than here.
	[ ! -e /tmp/perf-1.map ]
}

@test "a debug file that only a container has" {
	strip -o "$bin/bare" "$bin/busy"
	objcopy --only-keep-debug "$bin/busy" "$bin/busy.debug"
	id=$(readelf -n "$bin/bare" | sed -n 's/.*Build ID: //p')
	[ "${#id}" -eq 40 ]
	mkdir -p /usr/lib/debug
	cat >inside <<-END
	mount -t tmpfs none /usr/lib/debug
	mkdir -p /usr/lib/debug/.build-id/${id:0:2}
	cp "$bin/busy.debug" /usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
	"$bin/bare" 2.5
	END
	"$kiln" record -q -o p.kiln -- unshare --mount --pid --fork sh "$PWD/inside" >own
	at_least "$(share p.kiln 'main;.*deeper;leaf')" 90
	[ ! -e "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" ]
}
