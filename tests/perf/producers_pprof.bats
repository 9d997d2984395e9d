# producers_pprof.bats: profiles that a Go program of known shares writes, as Kiln and as `go tool pprof` see
# them, and what Kiln writes, as `go tool pprof` sees it.
bats_require_minimum_version 1.5.0

here=$BATS_TEST_DIRNAME
kiln=${KILN:-$here/../../build/kiln}

setup_file() {
	command -v go >/dev/null || return 0
	cd "$BATS_FILE_TMPDIR" || return
	export HOME=$BATS_FILE_TMPDIR GOFLAGS=-mod=mod GO111MODULE=off
	go build -o shares "$here/programs/shares.go" && ./shares . 150000000
}

setup() {
	command -v go >/dev/null || skip "needs go"
	export LC_ALL=C.UTF-8 HOME=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_TMPDIR" || return
	cp "$BATS_FILE_TMPDIR"/*.pb.gz .
}

pprof() {
	go tool pprof -symbolize=none "$@" 2>said || { cat said; return 1; }
}

compare() {
	python3 "$here/compare_pprof.py" "$@" >figures 2>&1 || { cat figures; return 1; }
	sed 's/^/# /' figures >&3
}

# The types of a file, in its order.
types() {
	pprof -raw "$1" | sed -n '/^Samples:/{n;s/\[dflt\]//g;p;q}'
}

# same_top FILE TYPE [KIND]: every function's own and total value. Types that would have the same name are
# called KIND:EVENT, of which Kiln makes its own again.
same_top() {
	local unit=${2##*/} kind=${2%/*}
	case $unit in bytes) unit=B ;; esac
	pprof -trim=false -top -nodecount=0 -unit="$unit" -sample_index="$kind" "$1" >top
	"$kiln" top -q --no-cache --json --kind "${3:-$kind}" "$1" >top.json
	compare top top top.json
}

# same_folds FILE TYPE: every stack.
same_folds() {
	pprof -raw "$1" >raw
	"$kiln" fold -q --no-cache --kind "${2%/*}" "$1" >folded
	compare fold raw "$2" folded
}

# same_again FILE: every sample with its labels, lines and binary, after Kiln has read and written the file.
same_again() {
	"$kiln" convert -q --no-cache --labels all "$1" -o again.pb.gz
	pprof -raw "$1" >raw
	pprof -raw again.pb.gz >again.raw
	compare raw raw again.raw
}

# share FUNCTION LEAST MOST FOLDED: that much, in percent, is below the function.
share() {
	awk -v name="$1" -v least="$2" -v most="$3" '
		{ all += $NF; if (index(";" $0 " ", ";" name ";") || index(";" $0, ";" name " ")) part += $NF }
		END { printf "%s: %.2f%% of %d\n", name, all ? part * 100 / all : 0, all
			exit !(all && part * 100 / all >= least && part * 100 / all <= most) }' "$4"
}

@test "a CPU profile has the program's shares: one to two to four, in two colours" {
	"$kiln" fold -q --no-cache cpu.pb.gz >folded
	share main.once 8 21 folded
	share main.twice 21 36 folded
	share main.fourTimes 49 65 folded
	share main.inlinedStep 5 95 folded
	"$kiln" convert -q cpu.pb.gz -o cpu.pb
	grep -aq 'colour.*red\|red.*colour' cpu.pb || { grep -aq red cpu.pb && grep -aq green cpu.pb; }
}

@test "a heap profile has the program's blocks: of 1 KiB, 100, 200 and 400, of which the last stay" {
	"$kiln" fold -q --no-cache --kind alloc_space heap.pb.gz | grep ';main.allocate' >allocated
	"$kiln" fold -q --no-cache --kind inuse_space heap.pb.gz | grep ';main.allocate' >kept
	# Each slice of blocks has grown by doubling: some more, and the same for each of its sizes.
	for blocks in Hundred:100 TwoHundred:200 FourHundred:400; do
		awk -v name="main.allocate${blocks%:*};" -v least=$((${blocks#*:} * 1024)) '
			index($0, name) { sum += $NF }
			END { print name, sum; exit !(sum >= least && sum < least + 40000) }' allocated
	done
	awk '{ sum += $NF; if (!/main.allocateFourHundred/) other += $NF }
		END { exit !(sum >= 400 * 1024 && sum < 400 * 1024 + 40000 && !other) }' kept
	"$kiln" fold -q --no-cache --kind alloc_objects heap.pb.gz | grep ';main.allocate' |
		awk '{ sum += $NF } END { print sum; exit !(sum >= 700 && sum < 750) }'
}

@test "read by Kiln: stack by stack what go tool pprof -raw prints, of every type" {
	for file in cpu.pb.gz heap.pb.gz; do
		for type in $(types $file); do
			same_folds $file "$type"
		done
	done
}

@test "read by Kiln: function by function what go tool pprof -top prints, of every type" {
	for file in cpu.pb.gz heap.pb.gz; do
		for type in $(types $file); do
			same_top $file "$type"
		done
	done
	same_top "$here/../golden/pprof/dropping.pb" space/bytes
}

@test "read and written by Kiln: sample by sample what it was, for go tool pprof" {
	same_again cpu.pb.gz
	same_again heap.pb.gz
	gzip -dc cpu.pb.gz >cpu.pb
	same_again cpu.pb
}

@test "the type that is shown by default is the same" {
	for file in cpu.pb.gz heap.pb.gz; do
		"$kiln" convert -q "$file" -o again.pb
		shown=$(pprof -top "$file" | sed -n 's/^Type: //p')
		[ "$("$kiln" info --json "$file" | sed -n 's/.*"kind":"\([a-z_]*\)".*"shown":true.*/\1/p')" = "$shown" ]
		[ "$(pprof -top again.pb | sed -n 's/^Type: //p')" = "$shown" ]
	done
}

@test "written by Kiln of other formats: go tool pprof has the same functions and sums" {
	"$kiln" convert -q --no-cache "$here/../golden/perf-script/all.txt" -o perf.pb.gz
	[ "$(types perf.pb.gz)" = "cycles:u/cycles samples/count samples:cpu-clock/count samples:cycles/count idle/count" ]
	same_top perf.pb.gz cycles:u/cycles
	same_folds perf.pb.gz cycles:u/cycles
	same_top perf.pb.gz samples/count
	same_top perf.pb.gz samples:cpu-clock/count cpu-clock
	"$kiln" convert -q "$here/../golden/kiln/small.kiln" -o small.pb
	for type in $(types small.pb); do
		same_top small.pb "$type"
	done
	pprof -top perf.pb.gz >/dev/null
	run ! grep -v '^Main binary filename not available' said
}

@test "the text of go tool pprof -raw and the file itself fold to the same" {
	for file in cpu.pb.gz heap.pb.gz; do
		pprof -raw $file >raw.txt
		for type in $(types $file); do
			diff <("$kiln" fold -q --no-cache --kind "${type%/*}" $file) \
				<("$kiln" fold -q --kind "${type%/*}" raw.txt)
		done
	done
}
