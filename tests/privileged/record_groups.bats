# record_groups.bats: who is in a control group is recorded, in every mode, and nobody else.
load common

setup_file() {
	load common
	build_programs
	export hierarchy
	# Perf events go by version 1 where that is mounted with them, else by version 2.
	hierarchy=$(awk '/ - cgroup / && $NF ~ /(^|,)perf_event(,|$)/ || / - cgroup2 / { print (/ - cgroup2 /), $5 }' \
		/proc/self/mountinfo | sort | awk 'NR == 1 { print $2 }')
	[ -n "$hierarchy" ] || skip "no control groups here"
}

setup() {
	load common
	cd "$BATS_TEST_TMPDIR" || return
	export HOME=$BATS_TEST_TMPDIR.home LC_ALL=C.UTF-8
	mkdir "$HOME"
	chmod a+rwx .
	name=kiln-test-$BATS_TEST_NUMBER-$$
	export group=$hierarchy/$name
	mkdir "$group" "$group/inner" || skip "no control groups to change"
}

# Who is still in a group has to end before it can be removed.
teardown() {
	find "$group" -name cgroup.procs -exec cat {} + 2>/dev/null | xargs -r kill -9 2>/dev/null || true
	for _ in $(seq 100); do
		find "$group" -depth -type d -exec rmdir {} + 2>/dev/null
		[ -e "$group" ] || break
		sleep 0.05
	done
}

needs_bpf() {
	"$kiln" record -q --mode off -o probe.kiln -- true || skip "no BPF here"
}

# in_group FOLDER COMMAND...: it goes there by itself.
in_group() {
	sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$@"
}

# near OWN SHOWN: CPU time in ns that a program knows, and in ms that was recorded.
near() {
	python3 -c 'import sys; own, shown = float(sys.argv[1]) / 1e6, float(sys.argv[2]); print(own, shown); assert abs(own - shown) < 0.05 * own + 20' "$@"
}

# bats test_tags=kernels
@test "CPU time of a group: who is in it, in a group inside of it, who comes later, and not who is outside" {
	for program in first inner later outside; do cp "$bin/busy" $program; done
	sh -c 'until [ -e go ]; do sleep 0.02; done; ./outside 0.5; echo $$ >"$group/cgroup.procs"; exec ./later 0.5 >later.own' >/dev/null &
	for program in first inner; do
		at=$group
		[ $program = first ] || at=$group/inner
		in_group "$at" sh -c 'until [ -e go ]; do sleep 0.02; done; exec ./$0 0.5 >$0.own' $program &
	done
	jobs -p >pids
	"$kiln" record -G "$name" -o p.kiln -- sh -c 'touch go; for pid in $(cat pids); do tail -s 0.05 --pid=$pid -f /dev/null; done' 2>said &
	wait
	cat said
	adds_up p.kiln
	for program in first inner later; do
		near "$(cat $program.own)" "$(shown_ms p.kiln "^$program;.*main;.*deeper;leaf")"
	done
	[ "$(shown_ms p.kiln '^outside;')" -eq 0 ]
	"$kiln" info p.kiln | grep -q "^control group *$group$"
}

# bats test_tags=kernels
@test "perf's spelling; a whole path; groups inside of each other are recorded once" {
	cp "$bin/busy" once
	sh -c 'until [ -e go ]; do sleep 0.02; done; echo $$ >"$group/inner/cgroup.procs"; exec ./once 0.5 >own' &
	pid=$!
	"$kiln" record -q -a --recorder perf -e cpu-clock -G "$name/inner,$group,/$name/" -o p.kiln -- sh -c "touch go; tail -s 0.05 --pid=$pid -f /dev/null" &
	wait
	near "$(cat own)" "$(shown_ms p.kiln '^once;.*main;.*deeper;leaf')"
	"$kiln" info p.kiln | grep -q "^control group *$group$"
}

# bats test_tags=kernels
@test "waits of a group: each function's time is what its thread knows; nobody from outside" {
	needs_bpf
	cp /bin/sleep outside
	./outside 60 &
	head -n 1 /proc/stat >before
	"$kiln" record -q --mode off -G "$name" -o p.kiln -- sh -c 'echo $$ >"$group/inner/cgroup.procs"; exec "$bin/waiting" >own'
	head -n 1 /proc/stat >after
	kill %1
	check_truth
	[ "$(waits p.kiln '^outside;')" -eq 0 ]
}

# bats test_tags=kernels
@test "who leaves the group is no longer recorded, and nothing counts as lost for it" {
	needs_bpf
	cp /bin/sleep inside
	cp /bin/sleep outside
	"$kiln" record -q --mode off -G "$name" -o p.kiln -- sh -c '
		for i in 1 2 3; do
			echo $$ >"$group/cgroup.procs"; ./inside 0.2
			echo $$ >"$group/../cgroup.procs"; ./outside 0.2
		done'
	nothing_lost p.kiln
	at_least "$(waits p.kiln '^inside;.*nanosleep')" 390 # two of three, where the kernel hides a switch
	[ "$(waits p.kiln '^outside;.*nanosleep')" -eq 0 ]
}

# bats test_tags=kernels
@test "files of a group: bytes to the last one, and nobody else's" {
	needs_bpf
	dd if=/dev/zero of=outside bs=1000 count=200 status=none &
	"$kiln" record -q --mode io -w -G "$name" -o p.kiln -- sh -c '
		dd if=/dev/zero of=outside bs=1000 count=300 status=none
		echo $$ >"$group/cgroup.procs"
		dd if=/dev/zero of=inside bs=1000 count=123 status=none' &
	wait
	adds_up p.kiln
	[ "$("$kiln" fold -q p.kiln | awk '{ n += $NF } END { print n }')" -eq 123000 ]
}

# bats test_tags=kernels
@test "the recording ends when the group is removed" {
	in_group "$group" sleep 0.5 &
	"$kiln" record -q -G "$name" -o p.kiln &
	recorder=$!
	until_recording $recorder
	wait %1
	kill -0 $recorder # it is empty, and may be used again
	rmdir "$group/inner" "$group"
	wait $recorder
}

# is_found OPTION NAME FOLDER
is_found() {
	"$kiln" record -q "$1" "$2" -o p.kiln -- true
	"$kiln" info p.kiln | grep "^control group *$hierarchy/$name/$3$" || { "$kiln" info p.kiln; return 1; }
}

# bats test_tags=kernels
@test "containers by id, by its beginning and by name; units" {
	id=$(printf "%064d" 0 | sed "s/^0000000000/c0ffee0123/")
	mkdir -p "$group/docker-$id.scope/init" "$group/libpod-conmon-$id.scope" "$group/machine-kiln\\x2dtest.scope" \
		"$group/lxc.payload.kiln-test-2" "$group/kiln-test.service" "$group/kiln-test@1.service" "$group/kiln.slice" "$group/kiln-plain"
	is_found --container "$id" "docker-$id.scope"
	is_found --container c0ffee0123 "docker-$id.scope"
	is_found --container kiln-test 'machine-kiln\\x2dtest.scope'
	is_found --container kiln-test-2 lxc.payload.kiln-test-2
	is_found --unit kiln-test.service kiln-test.service
	is_found --unit kiln-test kiln-test.service
	is_found --unit kiln.slice kiln.slice
	run -2 "$kiln" record -q --container c0ffeee -o p.kiln -- true
	[[ "$output" == "kiln: no control group of container 'c0ffeee' in $hierarchy; containers there: "*c0ffee012300* ]]
	run -2 "$kiln" record -q --unit kiln-tset -o p.kiln -- true
	[[ "$output" == "kiln: no control group of unit 'kiln-tset' in $hierarchy; near: "* ]]
	run -2 "$kiln" record -q --unit kiln-plain -o p.kiln -- true
	[[ "$output" == "kiln: no control group of unit 'kiln-plain' in "* ]]
	mkdir "$group/inner/kiln-test.service"
	run -2 "$kiln" record -q --unit kiln-test -o p.kiln -- true
	[[ "$output" == "kiln: 2 control groups are called 'kiln-test': name one with -G: /$name/"* ]]
}

# bats test_tags=kernels
@test "containers by the names that docker and podman have written down" {
	id=$(printf '%064d' 0 | sed 's/^0000000000/c0ffee0123/')
	other=$(printf '%064d' 0 | sed 's/^0000000000/decaf45678/')
	mkdir -p "$group/docker-$id.scope" "$group/libpod-$other.scope" "$group/libpod-conmon-$other.scope"
	mkdir -p lib/docker/containers/{1,$id} lib/containers/storage/overlay-containers
	echo '{"ID": "1", "Name": "/kiln-other", "State": {}}' >lib/docker/containers/1/config.v2.json
	echo '{"State": {"Running": true}, "ID": "'"$id"'", "Name": "/kiln-web"}' >lib/docker/containers/$id/config.v2.json
	echo '[{"id": "1", "names": ["kiln-x"]}, {"id": "'"$other"'", "names": ["a", "kiln-db"], "layer": "1"}]' \
		>lib/containers/storage/overlay-containers/containers.json
	cat >inside <<-'END'
	mount --bind lib /var/lib || exit 77
	"$kiln" record -q --container "$1" -o p.kiln -- true
	END
	export kiln
	unshare --mount sh inside kiln-web || { [ $? -ne 77 ] || skip "no mounts here"; false; }
	"$kiln" info p.kiln | grep -q "^control group *$group/docker-$id.scope$"
	unshare --mount sh inside kiln-db
	"$kiln" info p.kiln | grep -q "^control group *$group/libpod-$other.scope$"
	run -2 unshare --mount sh inside kiln-nobody
}

# bats test_tags=kernels
@test "groups that are not there, or of another hierarchy, or not for this user" {
	run -2 "$kiln" record -q -G "$name/innner" -o p.kiln -- true
	[ "$output" = "kiln: no control group '$name/innner' in $hierarchy; near: $name/inner" ]
	run -2 "$kiln" record -q -G /no/such/place -o p.kiln -- true
	[[ "$output" == "kiln: no control group '/no/such/place' in $hierarchy"* ]]
	[ ! -e p.kiln ]
	run -125 setpriv --reuid 65534 --clear-groups "$bin/kiln" record -q -G "$name" -o p.kiln -- true
	[[ "$output" == *"a control group needs root, CAP_PERFMON"* ]]
	other=$(awk '/ - cgroup / && $NF !~ /perf_event/ && $4 == "/" { print $5; exit }' /proc/self/mountinfo)
	[ -n "$other" ] || skip "no other hierarchy"
	run "$kiln" record -q -G "$other" -o p.kiln -- true
	[[ "$output" == *"is not in the control group hierarchy of perf events, which is $hierarchy;"*cgroup.procs* ]]
}

# in_two COMMAND...: it runs while busy uses 0.9 s of CPU time in a group, and 0.3 s in one of a container.
in_two() {
	id=$(printf '%064d' 0 | sed 's/^0000000000/c0ffee0123/')
	mkdir -p "$group/one" "$group/two.slice/docker-$id.scope"
	cat >both <<-END
	sh -c 'echo \$\$ >"$group/one/cgroup.procs"; exec "$bin/busy" 0.9' >one.own &
	sh -c 'echo \$\$ >"$group/two.slice/docker-$id.scope/cgroup.procs"; exec "$bin/busy" 0.3' >two.own &
	wait
	END
	"$@" sh both
}

# Are the figures of p.kiln what both programs know?
both_are_there() {
	"$kiln" fold -q --kind cpu --by-cgroup p.kiln >folded
	for each in "$name/one one" "$1 two"; do
		near "$(cat "${each#* }.own")" "$(grep "^${each% *};busy;.*main;.*deeper;leaf" folded | awk '{ ns += $NF } END { printf "%d\n", ns / 1e6 }')"
	done
	# Nowhere else is any of it.
	[ "$(grep ';leaf' folded | cut -d ';' -f 1 | sort -u)" = "$(printf '%s\n' "$name/one" "$1" | sort)" ]
	adds_up p.kiln
}

# bats test_tags=kernels
@test "--by-cgroup: two programs in two groups have what they know of themselves, in each way" {
	in_two "$kiln" record -q --recorder perf --by-cgroup -G "$name" -o p.kiln --
	both_are_there c0ffee012300
	needs_bpf
	for way in "" --untimed; do
		in_two "$kiln" record -q $way --by-cgroup -G "$name" -o p.kiln --
		both_are_there c0ffee012300
	done
}

# bats test_tags=kernels
@test "--by-cgroup: pictures and text of a recording have the group as the outermost frame; .kiln files have it for later" {
	in_two "$kiln" record -q --by-cgroup -a -o p.folded --
	grep -q "^$name/one;busy;" p.folded
	run ! grep -q '^busy;' p.folded
	in_two "$kiln" record -q --by-cgroup -a -o p.kiln --
	"$kiln" fold -q p.kiln | grep -q '^busy;'
	"$kiln" draw -q --by-cgroup p.kiln -o p.svg
	grep -q c0ffee012300 p.svg
	# What did not ask for it does not say.
	"$kiln" record -q -o without.kiln -- "$bin/busy" 0.1
	run -2 "$kiln" fold --by-cgroup without.kiln
	[[ "$output" == *"does not have the control group of a sample"*"--by-cgroup"* ]]
}

# bats test_tags=kernels
@test "--by-cgroup: waits and events, with threads that have just begun; the group of its own that a command gets is none" {
	needs_bpf
	in_two "$kiln" record -q --mode off --by-cgroup -a -o p.kiln --
	# A thread is in its group from its very first wait for a CPU on.
	"$kiln" fold -q --by-cgroup p.kiln >folded
	run ! grep '^\[unknown\];' folded
	grep -q "^c0ffee012300;busy;" folded
	in_two "$kiln" record -q --mode count -e sched:sched_process_exit --by-cgroup -a -o p.kiln --
	[ "$("$kiln" fold -q --by-cgroup p.kiln | grep -c "^$name/one;busy;")" -eq 1 ]
	outside=$(sed -n 's/^0:://p' /proc/self/cgroup)
	for way in "--recorder perf" "--recorder bpf"; do
		"$kiln" record -q $way --by-cgroup -o p.kiln -- "$bin/busy" 0.2
		[ "$("$kiln" fold -q --by-cgroup p.kiln | cut -d ';' -f 1 | sort -u)" = "${outside#?}" ] ||
			[ "$("$kiln" fold -q --by-cgroup p.kiln | cut -d ';' -f 1 | sort -u)" = / ]
	done
}

# bats test_tags=kernels
@test "--by-cgroup: a container is called what its engine calls it" {
	mkdir -p lib/docker/containers/$(printf '%064d' 0 | sed 's/^0000000000/c0ffee0123/')
	echo '{"State": {}, "Name": "/kiln-web"}' >"$(echo lib/docker/containers/c0ffee*)/config.v2.json"
	export kiln name
	in_two true
	echo 'mount --bind lib /var/lib || exit 77; "$kiln" record -q -e cpu-clock --by-cgroup -G "$name" -o p.kiln -- sh both' >inside
	unshare --mount sh inside || { [ $? -ne 77 ] || skip "no mounts here"; false; }
	both_are_there kiln-web
}

# bats test_tags=kernels
@test "--by-cgroup: what perf record --all-cgroups wrote" {
	command -v perf >/dev/null || skip "no perf"
	for _ in 1 2 3; do # it sometimes fails where other groups come and go
		in_two perf record -q -e cpu-clock -F 997 --all-cgroups -g -a -o perf.data -- 2>said && break
	done || skip "perf cannot: $(tail -n 1 said)"
	"$kiln" fold -q --kind cpu --by-cgroup perf.data >folded
	near "$(cat one.own)" "$(awk -v of="$name/one;busy" 'index($0, of) == 1 { ns += $NF } END { print ns / 1e6 }' folded)"
	near "$(cat two.own)" "$(awk '/^c0ffee012300;busy/ { ns += $NF } END { print ns / 1e6 }' folded)"
}
