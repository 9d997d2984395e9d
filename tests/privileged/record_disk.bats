# record_disk.bats: are bytes and requests what the program asked for, and the device's own counters say?
# processors there: 2
load common

setup_file() {
	load common
	build_programs
	"$kiln" record -q --mode disk -o "$bin/probe.kiln" -- true || skip "no BPF here"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export LC_ALL=C.UTF-8 HOME=$BATS_TEST_TMPDIR
}

# A device lies in a folder that lies on another.
teardown() {
	[ ! -e mounted ] || fsfreeze -u folder 2>/dev/null || true
	[ ! -e devices ] || tac devices | while read -r used; do
		[ ! -e mounted ] || ! grep -q "^$used " /proc/mounts || umount "$used"
		losetup -d "$used"
	done
}

# new_device IMAGE: $device, of its own.
new_device() {
	truncate -s 64M "$1"
	device=$(losetup -f --show "$1") || skip "no loop devices here"
	echo "$device" >>devices
	name=${device##*/}
}

# A folder that is a device of its own, too.
new_folder() {
	new_device below
	mkfs.ext4 -q -F -O ^has_journal "$device" && mkdir folder && mount "$device" folder || skip "no mounts here"
	touch mounted
}

# check_requests FILE OWN: each byte and request of requests.c; but one in a hundred that comes while the same
# program runs on its CPU, or when the kernel has no memory for it at once: Kiln cannot change that.
check_requests() {
	"$kiln" fold -q "$1" >bytes
	"$kiln" fold -q --kind requests "$1" >requests
	python3 "$BATS_TEST_DIRNAME/requests.py" bytes requests "$2" "$name" "$(value "$1" "s['lost']")"
	adds_up "$1"
	[ "$(value "$1" "s['lost'] == sum(s['losses'].get(why, 0) for why in ('BPF recursion', 'no memory'))")" = True ]
	[ "$(value "$1" "s['lost'] * 100 <= s['expected']")" = True ]
}

# What matches a regular expression, of folded stacks on standard input.
weight() {
	part=$1 awk '$0 ~ ENVIRON["part"] { n += $NF } END { printf "%d\n", n }'
}

# bats test_tags=kernels
@test "bytes and requests of each function are what its threads asked for, and the device counted" {
	new_device image
	"$kiln" record -q --mode disk --devices --untimed -o p.kiln -- "$bin/requests" "$device" 500 >own
	check_requests p.kiln own
	"$kiln" record -q --mode disk --devices -o p.kiln -- "$bin/requests" "$device" 500 >own
	check_requests p.kiln own
	[ "$(value p.kiln "s['kind'] + s['unit']")" = diskbytes ]
	[ "$(value p.kiln "i['streams'][1]['kind'] + i['streams'][1]['unit']")" = requestscount ]
	"$kiln" fold -q p.kiln | grep ';writes;' | grep -q ";blk_mq_submit_bio;\[write\];$name "
}

# bats test_tags=kernels
@test "the same in all of the system, and of a process that runs already" {
	new_device image
	"$kiln" record -q --mode disk --devices -a -o p.kiln -- "$bin/requests" "$device" 200 >own
	check_requests p.kiln own
	"$bin/requests" "$device" 200 go >own &
	target=$!
	"$kiln" record -q --mode disk --devices -p $target -o p.kiln &
	recorder=$!
	until_recording $recorder
	touch go
	wait $target $recorder
	check_requests p.kiln own
}

# bats test_tags=kernels
@test "requests that are merged count once, with all of their bytes" {
	new_device image
	echo mq-deadline >"/sys/block/$name/queue/scheduler" || skip "no scheduler that merges"
	before=$(awk '{ print $5 }' "/sys/block/$name/stat")
	"$kiln" record -q --mode disk -o p.kiln -- "$bin/requests" "$device" 10 merge go
	asked=$(($(awk '{ print $5 }' "/sys/block/$name/stat") - before))
	[ "$("$kiln" fold -q p.kiln | weight ';submit;.*\[write\] ')" -eq $((1200 * 4096)) ]
	[ "$("$kiln" fold -q --kind requests p.kiln | weight ';submit;.*\[write\] ')" -eq $asked ]
	[ $asked -lt 1200 ]
	adds_up p.kiln
	"$kiln" info p.kiln | grep -q '^merged .*requests, attributed to'
}

# bats test_tags=kernels
@test "-r and -w leave the others out, --latency weighs time and tells the queue apart" {
	new_device image
	"$kiln" record -q --mode disk -r -o p.kiln -- "$bin/requests" "$device" 50 >own
	[ "$("$kiln" fold -q --kind requests p.kiln | weight ';reads;.*\[read\] ')" -eq 50 ]
	[ "$("$kiln" fold -q --kind requests p.kiln | weight '\[(write|flush|discard)\]')" -eq 0 ]
	"$kiln" record -q --mode disk -w --devices -o p.kiln -- "$bin/requests" "$device" 50 >own
	[ "$("$kiln" fold -q --kind requests p.kiln | weight ";writes;.*\[write\];$name ")" -eq 50 ]
	[ "$("$kiln" fold -q --kind requests p.kiln | weight '\[(read|flush|discard)\]')" -eq 0 ]
	"$kiln" record -q --mode disk --latency -o p.kiln -- "$bin/requests" "$device" 50 >own
	[ "$(value p.kiln "s['kind'] + s['unit']")" = diskns ]
	"$kiln" fold -q p.kiln | grep -q ';writes;.*\[write\] [1-9]'
	"$kiln" fold -q p.kiln | grep -q ';flushes;.*\[flush\] [1-9]'
	"$kiln" fold -q p.kiln | grep -q ';writes;.*\[write\];\[queued\] [1-9]'
	[ "$("$kiln" fold -q --kind requests p.kiln | weight ';writes;')" -eq 50 ]
	"$kiln" record -q --mode disk -u -o p.kiln -- "$bin/requests" "$device" 50 >own
	"$kiln" fold -q p.kiln | grep ';writes;.*\[write\] ' | grep -vq blk_mq_submit_bio
}

# bats test_tags=kernels
@test "what is written back is of threads of the kernel, with their stacks, and is said" {
	new_folder
	"$kiln" record -a --mode disk -w --devices -o p.kiln -- \
		sh -c 'head -c 1048576 /dev/zero >folder/file && sync -f folder/file' 2>said
	grep -q 'requests, .*, come from kernel threads (writeback)' said
	"$kiln" fold -q p.kiln >bytes
	[ "$(weight "^[^;]*;ret_from_fork.*;wb_workfn;.*;\[write\];$name " <bytes)" -ge 1048576 ]
	"$kiln" record --mode disk -o p.kiln -- sh -c 'head -c 1048576 /dev/zero >folder/more && sync -f folder/more' 2>said
	grep -q 'kernel threads also made .* write requests .*: record them with -a' said
	"$kiln" record --mode disk -o p.kiln -- true 2>said
	grep -q 'the target made no requests' said
}

# bats test_tags=kernels
@test "with the recorder stopped and a ring of a page, what is lost is counted to the request" {
	new_device image
	"$bin/requests" "$device" 400 go >own &
	record_stopped $! --mode disk -r -m 4K
	wait $recorder
	adds_up p.kiln
	[ "$(value p.kiln "s['expected']")" -eq 400 ]
	[ "$(value p.kiln "s['losses']['ring full']")" -ge 300 ]
}

# bats test_tags=kernels
@test "a thread that ends before its requests do is named; more than there is room for are counted" {
	new_folder
	new_device folder/image
	fsfreeze -f folder || skip "no freezing here"
	"$kiln" record -q --mode disk -o p.kiln -- "$bin/requests" "$device" 1 mortal go &
	recorder=$!
	until [ -e go ] || ! kill -0 $recorder; do sleep 0.02; done
	fsfreeze -u folder
	wait $recorder
	[ "$("$kiln" fold -q --kind requests p.kiln | weight '^mortal;.*;submit;.*\[write\]')" -eq 120 ]
	adds_up p.kiln
	rm go
	fsfreeze -f folder
	"$kiln" record -q --mode disk -m 4K -o p.kiln -- "$bin/requests" "$device" 1 mortal go &
	recorder=$!
	until [ -e go ] || ! kill -0 $recorder; do sleep 0.02; done
	fsfreeze -u folder
	wait $recorder
	adds_up p.kiln
	[ "$(value p.kiln "s['expected']")" -eq 120 ]
	[ "$(value p.kiln "s['losses']['map full']")" -ge 20 ]
}

@test "what makes no sense is refused" {
	run "$kiln" record --mode disk --files -o p.kiln -- true
	[ "$status" -ne 0 ]
	[[ "$output" == *"--files works only with --mode io"* ]]
	run "$kiln" record --mode io --devices -o p.kiln -- true
	[ "$status" -ne 0 ]
	[[ "$output" == *"--devices: only with --mode disk"* ]]
}
