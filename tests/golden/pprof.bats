# pprof.bats: pprof's files, against what make.py put into them.
load common
golden=$golden/pprof

folds() {
	"$kiln" fold -q --no-cache "$@"
}

refused() {
	refused_as "$2" "$1" --format pprof
}

@test "the files are what make.py makes" {
	made '*.folded'
}

@test "the type that pprof shows, and others; plain, compressed, through a pipe" {
	for file in everything.pb everything.pb.gz; do
		folds --all "$golden/$file" | diff "$golden/everything.cpu.folded" -
		cat "$golden/$file" | folds --all - | diff "$golden/everything.cpu.folded" -
		folds --all --kind samples --by-thread "$golden/$file" | diff "$golden/everything.samples.folded" -
	done
}

@test "what the file says about itself" {
	"$kiln" info --json "$golden/everything.pb" >info
	python3 - <<-'PY'
	import json
	info = json.load(open("info"))
	meta = info["meta"]
	assert meta["started"] == "2023-11-14T22:13:20.123456789Z", meta
	assert meta["duration"] == "2.5s", meta
	assert meta["comment"] == "first comment; second comment", meta
	assert meta["documentation"] == "https://example.org/profile", meta
	assert [(s["kind"], s["unit"], s["sum"], s["delivered"]) for s in info["streams"]] == [
		("cpu", "ns", 350, 35), ("samples", "count", 35, 35)], info["streams"]
	assert info["threads"] == 2 and info["processes"] == 2, info
	assert info["mappings"][0] == {"file": "/usr/bin/server", "build_id": "00ff12", "addresses": 4, "named": 3}, info
	PY
	folds --lines "$golden/everything.pb" | grep -qx \
		'main (server.c:11);net::serve (net.cc:51);read_all (read.c:21);parse (parse.c:41);skip (parse.c:31) 20'
}

@test "other orders, numbers that are not packed, fields of the future" {
	folds "$golden/odd.pb" | diff "$golden/odd.space.folded" -
	folds --kind objects "$golden/odd.pb" | diff "$golden/odd.objects.folded" -
}

@test "what refers to nothing is skipped, counted and told" {
	run --separate-stderr "$kiln" fold "$golden/odd.pb"
	[ "$status" -eq 0 ]
	[ "$stderr" = "kiln: $golden/odd.pb: 2 of 7 samples skipped, first at byte 226: expected locations that the file has
kiln: $golden/odd.pb: references to missing strings: 1
kiln: $golden/odd.pb: references to missing functions or mappings: 2" ]
}

@test "drop_frames and keep_frames are honoured, and that is told" {
	folds "$golden/dropping.pb" | diff "$golden/dropping.space.folded" -
	run --separate-stderr "$kiln" fold "$golden/dropping.pb"
	[ "$stderr" = "kiln: $golden/dropping.pb: 4 of 6 stacks are cut, as drop_frames of the file says" ]
}

@test "a file without samples has its types" {
	[ -z "$(folds "$golden/empty.pb")" ]
	"$kiln" info "$golden/empty.pb" | grep -q '^cpu  *0 ns in 0 samples (shown)$'
}

@test "damage is told with its place" {
	head -c 100 "$golden/everything.pb" >cut.pb
	refused cut.pb "byte 86: expected the rest of a truncated field"
	head -c 300 "$golden/everything.pb.gz" >cut.pb.gz
	refused cut.pb.gz "byte 396: truncated gzip data"
	{ cat "$golden/everything.pb"; printf '\000\001'; } >zero.pb
	refused zero.pb "byte 880: expected a field number"
	printf '\010\001' >typed.pb
	refused typed.pb "byte 0: expected a field with the type of its number"
	printf '\062\000' >untyped.pb
	refused untyped.pb "byte 2: unexpected end: expected a sample type"
	printf '\012\004\010\001\020\002\022\003\012\001\005' >missing.pb
	refused missing.pb "byte 6: expected locations that the file has"
	printf '\012\004\010\001\020\002\022\000' >valueless.pb
	refused valueless.pb "byte 6: expected a value for each sample type"
}

@test "through pprof's format and back nothing changes" {
	for file in everything.pb dropping.pb odd.pb; do
		"$kiln" convert -q "$golden/$file" -o there.pb.gz
		"$kiln" convert -q "$golden/$file" -o there.pb
		cmp there.pb <(gzip -dc there.pb.gz)
		for kind in $("$kiln" info --json "$golden/$file" | grep -o '"kind":"[a-z]*"' | cut -d '"' -f 4); do
			folds --all --kind "$kind" "$golden/$file" | diff - <(folds --all --kind "$kind" there.pb)
		done
		diff <("$kiln" info "$golden/$file" 2>/dev/null | sed "s/ in [0-9].*//") <("$kiln" info there.pb.gz 2>/dev/null | sed "s/ in [0-9].*//")
	done
}

@test "many stacks in no order, by one thread or several" {
	for seed in 1 2; do
		PYTHONPATH=$BATS_TEST_DIRNAME python3 "$BATS_TEST_DIRNAME/pprof_orders.py" $seed any.pb any.folded
		diff <(LC_ALL=C sort any.folded) <(folds any.pb | LC_ALL=C sort)
		cat any.pb | "$kiln" convert -q --format pprof - -o several.kiln
		taskset -c 0 "$kiln" convert -q any.pb -o one.kiln
		cmp several.kiln one.kiln
	done
}

@test "a value that is 0 in all samples is reported" {
	"$kiln" fold "$corpus/field/zero-default.pb" 2>said >folded
	[ ! -s folded ]
	[ "$(cat said)" = "kiln: $corpus/field/zero-default.pb: lock_time is 0 in all samples; --kind cpu shows other values" ]
	"$kiln" fold --kind cpu "$corpus/field/zero-default.pb" 2>said | grep -q ' 5000000$'
	[ ! -s said ]
}

# Parca's agent writes the number of samples, and as the period what each stands for: 4 and 3 of 50 ms.
@test "samples with a period of time are shown as time" {
	folds "$golden/period.pb" | diff <(printf 'work 200000000\nwork;rest 150000000\n') -
	folds --kind samples "$golden/period.pb" | diff <(printf 'work 4\nwork;rest 3\n') -
	"$kiln" info "$golden/period.pb" >info
	grep -q '^cpu  *350 ms in 7 samples (shown)$' info
	grep -q '^samples  *7 samples in 2 stacks$' info
	[ "$("$kiln" top "$golden/period.pb" | head -1)" = "350 ms in 7 samples" ]
	"$kiln" convert "$golden/period.pb" -o again.pb
	"$kiln" info again.pb | diff info -
}
