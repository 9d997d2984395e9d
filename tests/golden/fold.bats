# fold.bats: what `perf script` text and folded text are folded to; expected by hand, line by line.
load common

@test "perf script: the first event, by its periods" {
	"$kiln" fold -q "$golden/perf-script/all.txt" | diff "$golden/perf-script/all.cycles.folded" -
}

@test "perf script: another event, with marks" {
	"$kiln" fold -q --all --kind cpu-clock "$golden/perf-script/all.txt" |
		diff "$golden/perf-script/all.cpu-clock.folded" -
}

# Android's simpleperf: before, no frame had a name, and the total was the same.
@test "perf script: tabs between the columns of frames, under classic names, too" {
	field=$corpus/field
	"$kiln" fold -q "$field/simpleperf_tabs.txt" | diff "$field/simpleperf_tabs.folded" -
	for name in stackcollapse-perf.pl inferno-collapse-perf; do
		ln -s "$kiln" $name
		./$name "$field/simpleperf_tabs.txt" | diff "$field/simpleperf_tabs.folded" -
	done
	# A tab is in front of instructions, too, which -F insn adds.
	printf 'app 7 1.5: 9 cycles:\n\t%16x\tinsn: 48 89\n\t%16x main (/bin/app)\n\n' 16 32 | "$kiln" fold -q - |
		diff <(echo 'app;main 9') -
}

# The event's unit is that of samples, too: "count".
@test "perf script: idle samples of an event whose name has a colon are counted once" {
	field=$corpus/field
	"$kiln" fold -q --idle "$field/idle_event_with_colon.txt" |
		diff "$field/idle_event_with_colon.idle.folded" -
	[ "$("$kiln" fold -q --idle --kind samples "$field/idle_event_with_colon.txt" | awk '{ n += $NF } END { print n }')" -eq 2 ]
	"$kiln" draw -q "$field/idle_event_with_colon.txt" -o x.svg
	grep -q 'idle samples left out (50.00% of all)' x.svg
}

@test "perf script: lines that end with carriage returns" {
	sed 's/$/\r/' "$golden/perf-script/all.txt" >crlf.txt
	diff <("$kiln" info "$golden/perf-script/all.txt") <("$kiln" info crlf.txt)
	for kind in cycles:u cpu-clock idle; do
		diff <("$kiln" fold -q --all --idle --kind $kind "$golden/perf-script/all.txt") \
			<("$kiln" fold -q --all --idle --kind $kind crlf.txt)
	done
}

@test "perf script: nothing but programs and frames" {
	"$kiln" fold "$golden/perf-script/bare.txt" 2>said | diff "$golden/perf-script/bare.folded" -
	grep -qF '1 of 20 lines skipped, first at line 19: expected an event line' said
	[ "$("$kiln" fold -q --kind cpu-clock "$golden/perf-script/bare.txt")" = 'swapper;idle 1' ]
	sed 's/$/\r/' "$golden/perf-script/bare.txt" >crlf.txt
	"$kiln" fold crlf.txt 2>said | diff "$golden/perf-script/bare.folded" -
	grep -qF '1 of 20 lines skipped, first at line 19: expected an event line' said
}

@test "folded text with decimals, comments and carriage returns" {
	"$kiln" fold -q "$golden/folded/decimals.txt" | diff "$golden/folded/decimals.folded" -
}

@test "folded text with values below 0, as Kiln writes it" {
	"$kiln" fold "$golden/folded/negative.txt" 2>said | diff "$golden/folded/negative.folded" -
	grep -qF '2 of 9 lines skipped, first at line 7' said
	"$kiln" fold -q "$golden/folded/negative.folded" | diff "$golden/folded/negative.folded" -
	printf 'a 1\na;b -2 3\n' >two # one number only: the line that has two is of one as well
	"$kiln" fold -q two | diff - <(printf 'a 1\na;b -2 3\n')
	printf 'a 5 -1\na;b -2 3\n' | "$kiln" fold -q - | diff - <(printf 'a 5 -1\na;b -2 3\n')
}

@test "a picture says what of its values is below 0, for which there is no width" {
	"$kiln" draw -q "$golden/folded/negative.folded" -o x.svg
	grep -qF -- '-9.25 samples in negative values not drawn' x.svg
	printf 'a -1\n' >below
	run -2 "$kiln" draw below
	[[ "$output" == *"no value is above 0" ]]
}

@test "folded: a name may start with #, as what Kiln writes of private methods does; comments do not count" {
	printf '# main 12\n#\n#comment\n#tick;read 5\nmain 2\n' >x.folded
	"$kiln" fold x.folded | diff <(printf '#tick;read 5\nmain 2\n') -
	"$kiln" fold x.folded | "$kiln" fold | diff <(printf '#tick;read 5\nmain 2\n') -
	"$kiln" info x.folded | grep -q '^comments *3$'
	"$kiln" diff x.folded x.folded --to folded | diff <(printf '#tick;read 5 5\nmain 2 2\n') -
}

@test "a byte order mark before text is no part of it" {
	for name in folded/decimals perf-script/all perf-report/counts jstack/states bcc/profile vsprof/samples; do
		(printf '\357\273\277' && cat "$golden/$name.txt") >marked
		diff <("$kiln" fold -q "$golden/$name.txt") <("$kiln" fold -q marked)
		diff <("$kiln" fold -q "$golden/$name.txt") <("$kiln" fold -q - < <(cat marked))
		diff <("$kiln" fold -q "$golden/$name.txt") <(gzip -c marked | "$kiln" fold -q -)
	done
	printf '\357\273\277' | refused 'expected a profile: check the program'
}

# As from a perf.data file: names are whole, without parameters and the types that are returned.
@test "names with round brackets are not cut" {
	cp "$corpus/field/operator_call.txt" names.txt || skip "no corpus"
	run -0 "$kiln" fold names.txt
	[ "$output" = "app;main;handle /srv/app (x)/b.js:12:3;pick;ns::Op<int>::operator() 5" ]
	ln -s "$(realpath "$kiln")" stackcollapse-perf.pl
	run -0 ./stackcollapse-perf.pl names.txt
	[ "$output" = "app;main;LazyCompile:*handle /srv/app ;void ;ns::Op<int>::operator 5" ]
}

# What PowerShell redirects: UTF-16 with a mark and CRLF; in either byte order, in any pieces.
@test "UTF-16 is read as UTF-8" {
	python3 - <<-'END'
		text = "".join("main;f%d;g\U0001F525%d;\u00e9%d %d\r\n" % (i % 7, i % 301, i % 5021, i % 9 + 1) for i in range(60000))
		open("text", "w", encoding="utf-8", newline="").write(text)
		open("little", "wb").write(b"\xff\xfe" + text.encode("utf-16-le"))
		open("big", "wb").write(b"\xfe\xff" + text.encode("utf-16-be"))
	END
	"$kiln" fold text >expected
	for file in little big; do
		"$kiln" fold $file | cmp expected -
		dd if=$file bs=4097 2>/dev/null | "$kiln" fold - | cmp expected -
	done
	printf '\xff\xfea\0;\0\x00\xd8b\0 \x003\0\n\0' >half
	run -0 "$kiln" fold half
	[ "$output" = $'a;\xef\xbf\xbdb 3' ]
	printf '\xff\xfea\0 \0003\0\n' >odd
	run -2 "$kiln" fold odd
	[ "$output" = "kiln: odd: byte 4: truncated UTF-16 text" ] || [[ "$output" == "kiln: odd: byte "*": truncated UTF-16 text" ]]
	[ ! -e "$corpus/field/utf16.folded" ] || "$kiln" fold "$corpus/field/utf16.folded" | diff "$corpus/field/utf16.expected" -
}

# Some tools print names of code as they are: control characters may be in them.
@test "control characters in names are no reason to refuse a file" {
	printf 'main;\001\002x 1\nmain;foo 2\n' >control
	"$kiln" fold control | grep -q '^main;foo 2$'
	"$kiln" draw control -o control.svg
	python3 -c 'import xml.etree.ElementTree as e; e.parse("control.svg")'
	printf 'main;\000x 1\nmain;foo 2\n' >binary
	run -2 "$kiln" fold binary
}

@test "Intel PT: errors of the trace are counted, and no reason to refuse a text" {
	printf ' instruction trace error type 1 time 45.7 cpu 0 pid 7 tid 7 ip 0 code 8: Lost trace data\n' >errors
	printf 'app 7 [000] 45.8: 1 cycles:u: \n\t4010 main+0x20 (/bin/app)\n\n' >sample
	cat errors sample errors sample >trace
	run -0 "$kiln" fold trace
	[ "${lines[0]}" = "kiln: trace: the recorded trace has 2 gaps (instruction trace errors): what ran there is missing" ]
	[ "${lines[1]}" = "app;main 2" ]
}

@test "the guest's kernel is marked as a kernel" {
	printf 'qemu 7 [000] 1.5: 9 cycles: \n\tffffffff8123a0b0 do_splice_to+0x10 ([guest.kernel.kallsyms])\n\t7f0012 main (/bin/qemu)\n\n' >guest
	[ "$("$kiln" fold --all guest)" = "qemu;main;do_splice_to_[k] 9" ]
	[ "$("$kiln" fold guest)" = "qemu;main;do_splice_to 9" ]
}

# perf script -F comm,tid,ip,sym,srcline: no time, no event, and a line of source below each frame.
@test "samples without an event line may have source lines" {
	for i in 1 2 3; do
		printf 'head 2686%d \n\tffffffff821ed6db do_syscall_64\n  [kernel.kallsyms][ffffffff821ed6db]\n' $i
		printf '\t          10f1ac read\n  read.c:26\n\n'
	done >lines.txt
	[ "$("$kiln" fold lines.txt)" = "head;read;do_syscall_64 3" ]
	[ "$("$kiln" fold --lines lines.txt)" = "head;read (read.c:26);do_syscall_64 3" ]
}
