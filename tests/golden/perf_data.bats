# perf_data.bats: perf.data files of every age, byte order and form, against what make.py put into them.
load common
golden=$golden/perf-data

folds() {
	"$kiln" fold -q --no-cache --symfs "$golden/root" "$@"
}

@test "the files are what make.py makes" {
	made
}

@test "either byte order, compressed or not, old and new attrs" {
	for file in "$golden"/today-*.data "$golden"/old-*.data; do
		expected=${file##*/}
		echo "$file"
		folds "$file" | diff "$golden/${expected%%-*}.folded" -
	done
	[ "$(ls "$golden"/today-*.data "$golden"/old-*.data | wc -l)" -eq 13 ]
}

@test "through a pipe, which cannot be gone back in" {
	for file in "$golden"/today-*.data "$golden"/old-96.data; do
		expected=${file##*/}
		cat "$file" | folds - | diff "$golden/${expected%%-*}.folded" -
	done
}

@test "a folder of which a part is missing is refused" {
	mkdir folder
	cp "$golden/today-little.data" folder/data
	python3 -B "$BATS_TEST_DIRNAME/perf_records.py" folder/data | tee folder/data.0 >folder/data.2
	run -1 "$kiln" fold -q --no-cache folder
	[ "$output" = "kiln: folder: cannot open file 3 of those that belong to it: No such file or directory" ]
}

@test "a folder with a device or a FIFO as a part is refused" {
	mkdir folder
	cp "$golden/today-little.data" folder/data
	ln -s /dev/zero folder/data.0
	run -1 timeout 20 "$kiln" fold -q --no-cache folder
	[ "$output" = "kiln: folder: cannot open file 2 of those that belong to it: Invalid argument" ]
	rm folder/data.0
	mkfifo folder/data.0
	run -1 timeout 20 "$kiln" fold -q --no-cache folder
}

# As perf record --threads writes it: more records in files beside the one with the header.
@test "a folder with the records of each thread in a file" {
	for file in "$golden"/today-little.data "$golden"/today-big.data "$golden"/today-little-81.data; do
		rm -rf folder
		mkdir folder
		cp "$file" folder/data
		"$kiln" fold -q --no-cache --symfs "$golden/root" folder | diff "$golden/today.folded" -
		python3 -B "$BATS_TEST_DIRNAME/perf_records.py" "$file" >folder/data.0
		python3 -B "$BATS_TEST_DIRNAME/perf_records.py" "$file" | head -c 200 >folder/data.1
		cp folder/data.0 folder/data.2
		folds folder >all
		awk '{ $NF *= 3; print }' "$golden/today.folded" >thrice
		# A part that is cut takes nothing from those behind it.
		[ "$(awk '{ all += $NF } END { print all }' all)" -ge "$(awk '{ all += $NF } END { print all }' thrice)" ]
		"$kiln" info folder | grep -E 'read up to byte [0-9]+: truncated'
	done
}

@test "every field of a sample, each an event of its own in one file" {
	for file in "$golden"/fields-*.data; do
		for event in $(cut -d ' ' -f 1 "$golden/fields.folded"); do
			folds --kind "$event" "$file" | sed "s/^/$event /"
		done | diff "$golden/fields.folded" -
	done
}

@test "what was lost, and what was not understood, is told" {
	for file in "$golden"/today-little.data "$golden"/today-big-pipe.data; do
		"$kiln" info --json --symfs "$golden/root" "$file" >info
		python3 - <<-'PY'
		import json
		info = json.load(open("info"))
		stream = info["streams"][0]
		assert stream["samples"] == 14, stream
		# The event counted 2; the 5 of the LOST record may be other records.
		assert stream["losses"] == {"ring full": 2, "throttled": 1}, stream
		PY
	done
}

# Where the file ends says what is missing; fields-little.data has its header, the attributes of its events, its records
# and sections about the machine in that order.
@test "a file that was cut: it is said that it is truncated, and what is missing" {
	whole=$golden/fields-little.data
	size=$(stat -c %s "$whole")
	refused() {
		head -c "$1" "$whole" >cut.data
		run -2 "$kiln" fold cut.data
		[[ "$output" == "kiln: cut.data: truncated: $2"* ]] || { echo "$output"; return 1; }
	}
	refused 50 "the header has 104 bytes, the file 50"
	refused 110 "event attributes are at byte "
	head -c $((size - 1)) "$whole" | said "input: truncated: 1 section is missing behind the records"
	# In the middle of the records, which begin behind the attributes.
	read -r data length <<<"$(python3 -c 'import struct; print(*struct.unpack("<QQ", open("'"$whole"'", "rb").read()[40:56]))')"
	head -c $((data + length / 2)) "$whole" | said "input: truncated: $((length - length / 2)) bytes of records are missing at the end, and all that follows them"
}
