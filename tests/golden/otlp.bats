# otlp.bats: OpenTelemetry's profiles, against what make.py put into them.
load common
golden=$golden/otlp

folds() {
	"$kiln" fold -q --no-cache "$@"
}

refused() {
	refused_as "$2" "$1" --format otlp
}

@test "the files are what make.py makes" {
	made '*.folded'
}

@test "all resources of one kind; plain, compressed, through a pipe, the dictionary at either end" {
	for file in everything.otlp everything.otlp.gz dictionary-first.otlp; do
		folds --all "$golden/$file" | diff "$golden/everything.cpu.folded" -
		cat "$golden/$file" | folds --all - | diff "$golden/everything.cpu.folded" -
		folds --by-thread "$golden/$file" | diff "$golden/everything.threads.folded" -
		[ "$(folds --kind alloc "$golden/$file")" = "main;parse;skip 4096" ]
	done
}

@test "what the file says about itself, and the attributes of samples, resources and links" {
	"$kiln" info --json "$golden/everything.otlp" >info
	"$kiln" convert -q "$golden/everything.otlp" -o labels.pb
	python3 - <<-'PY'
	import json
	info = json.load(open("info"))
	meta = info["meta"]
	assert meta["recorder"] == "profiler 2.1", meta
	assert meta["started"] == "2023-11-14T22:13:20Z" and meta["duration"] == "3s", meta
	# Two times of one sample are two, and three of another three.
	assert [(s["kind"], s["unit"], s["sum"], s["samples"]) for s in info["streams"]] == [
		("cpu", "ns", 214, 10), ("alloc", "bytes", 4096, 1)], info["streams"]
	assert info["span_ns"] == 7, info
	assert info["mappings"][0] == {"file": "/opt/app", "build_id": "00ffaa", "addresses": 4, "named": 3}, info
	pprof = open("labels.pb", "rb").read()
	texts = (b"service.name", b"front", b"back", b"share", b"0.5", b"hot", b"true", b"01ff", b"(a list)", b"heap",
		b"young", b"000102030405060708090a0b0c0d0e0f", b"0001020304050607")
	assert not [text for text in texts if text not in pprof]
	PY
}

@test "what refers to nothing, and samples that cannot be, are counted and told" {
	told "$golden/odd.otlp" "$golden/odd.samples.folded" \
		"4 of 6 samples skipped, first at byte 30: expected a stack of at most 1,048,576 frames, with locations that the file has" \
		"references to missing dictionary entries: 3"
}

@test "damage is told with its place" {
	head -c 100 "$golden/everything.otlp" >cut.otlp
	refused cut.otlp "byte 0: expected the rest of a truncated field"
	printf '\010\001' >typed.otlp
	refused typed.otlp "byte 0: expected a field with the type of its number"
	printf '\022\000' >none.otlp
	refused none.otlp "byte 2: unexpected end: expected a profile"
	cp "$BATS_TEST_DIRNAME/pprof/everything.pb" other.otlp
	refused other.otlp "byte 53: expected a field number"
}
