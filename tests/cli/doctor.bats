# doctor.bats: kiln doctor: does it tell what works here, and of a program what its profile would lack?
# tests/privileged/doctor.bats takes rights and parts of the kernel away.
load common

# state NAME: of the line with this name in ./report, and the lines that belong to it.
state() {
	awk -v name="$1" '/^  [a-z]/ { on = index(substr($0, 12), name "  ") == 1 } /^[A-Z]/ { on = 0 } on' report
}

@test "a report of at most 100 columns: every line has a state, and only commands may be long" {
	"$kiln" doctor >report || [ $? -eq 1 ]
	head -1 report | grep -qE "^kiln [0-9.]+ on Linux $(uname -r), .*user $(id -u)$"
	[ -z "$(grep -E '.{101,}' report)" ]
	for subject in Recording "Modes \(kiln record --mode\)" Names Viewing; do
		grep -qxE "$subject:" report
	done
	[ "$(grep -cE '^  (ok|limited|missing) ' report)" -ge 12 ]
	[ -z "$(grep -E '^  [a-z]' report | grep -vE '^  (ok      |limited |missing ) [^ ]')" ]
}

@test "the exit code is whether a recording works" {
	status=0
	"$kiln" doctor >report || status=$?
	recorded=0
	"$kiln" record -q -o p.kiln -- true || recorded=1
	[ "$status" -eq "$recorded" ]
	state cpu | grep -qE "^  $([ $recorded -eq 0 ] && echo ok || echo missing) "
}

@test "--json has the same, and how each was tested" {
	"$kiln" doctor --json >report.json || [ $? -eq 1 ]
	"$kiln" doctor >report || [ $? -eq 1 ]
	python3 - <<-'END'
	import json, re
	report = json.load(open("report.json"))
	lines = [l for l in open("report") if re.match("  (ok|limited|missing) ", l)]
	assert len(lines) == len(report["checks"]), (len(lines), len(report["checks"]))
	for line, check in zip(lines, report["checks"]):
	    assert line.split()[0] == check["state"] and line[11:].startswith(check["name"]), (line, check)
	    assert check["tested"] and check["meaning"] and check["subject"]
	    assert check.get("command") != ""
	cpu, = (c for c in report["checks"] if c["name"] == "cpu")
	assert report["records_cpu"] == (cpu["state"] != "missing")
	END
	"$kiln" doctor -v | grep -q '^ *tested: opens an event' || [ "${PIPESTATUS[0]}" -eq 1 ]
}

@test "colours on a terminal only" {
	on_terminal "$kiln doctor true"
	[[ "$output" == *$'\e[32mok\e[0m'* ]]
	"$kiln" doctor true >report
	run ! grep -q $'\e' report
}

@test "without PATH, and without HOME" {
	for variable in PATH HOME; do
		env -u $variable "$kiln" doctor >report || [ $? -eq 1 ]
		grep -qE '^  (ok|limited|missing) +cpu ' report
	done
	run ! env -u PATH "$kiln" doctor true
}

@test "a program: symbols, debugging information, unwind tables, frame pointers" {
	# Functions that are large enough to need a stack frame.
	cat >program.c <<-'END'
	#include <stdio.h>
	#include <string.h>
	static int twice(const char *text) { char copy[100]; snprintf(copy, 100, "%s%s", text, text); return (int)strlen(copy) + puts(copy) + puts(text); }
	int (*volatile call)(const char *) = twice;
	int other(const char *text) { char copy[200]; snprintf(copy, 200, "%s%s", text, text); return (int)strlen(copy) + puts(copy) + call(text); }
	int main(int argc, char **argv) { return argc > 1 ? call(argv[1]) + other(argv[1]) : 0; }
	END
	gcc -O0 -g -fno-omit-frame-pointer -o whole program.c
	gcc -O2 -fomit-frame-pointer -o plain program.c
	strip -o stripped plain
	strip -R .eh_frame -R .eh_frame_hdr -o tableless plain
	"$kiln" doctor ./whole >report
	state symbols | grep -qE "^  ok .* functions have names \(\.symtab\)"
	for name in "debug info" "unwind tables" "frame pointers"; do state "$name" | grep -q '^  ok '; done
	state "frame pointers" | grep -q -- '--call-graph fp works'
	"$kiln" doctor ./plain >report
	state "debug info" | grep -q '^  limited .*none: .*(build with -g)'
	"$kiln" doctor ./stripped >report
	state symbols | tr -s ' \n' ' ' | grep -qE '^ (limited|missing) .*stripped: .*build or install it unstripped'
	state "unwind tables" | grep -q '^  ok '
	"$kiln" doctor ./tableless >report
	state "unwind tables" | grep -qE '^  (limited|ok) .*none: stacks follow frame pointers'
}

@test "a stripped program of a package: the package with its symbols is named, as dpkg -S does" {
	command -v dpkg >/dev/null || skip "not Debian"
	id=$(readelf -n /usr/bin/ls | sed -n 's/.*Build ID: //p')
	[ ! -e "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" ] || skip "ls has symbols here"
	"$kiln" doctor ls >report
	state symbols | tr -s ' \n' ' ' | grep -qF "$(dpkg -S /usr/bin/ls /bin/ls 2>/dev/null | head -1 | cut -d: -f1)-dbgsym"
}

@test "a script is checked by its interpreter, a runtime by its setting" {
	printf '#!/usr/bin/env sh\ntrue\n' >script
	chmod +x script
	"$kiln" doctor ./script >report
	state script | tr -s ' \n' ' ' | grep -qE "\./script is run by .*/sh "
	state file | grep -qF "$(realpath "$(type -P sh)")"
	cp "$(realpath "$(type -P true)")" node
	chmod +x node
	PATH=$PWD:$PATH "$kiln" doctor node >report
	state Node.js | tr -s ' \n' ' ' | grep -q '^ limited .* NODE_OPTIONS=--perf-basic-prof'
	NODE_OPTIONS='--max-old-space-size=100 --perf-basic-prof' "$kiln" doctor ./node >report
	state Node.js | grep -q '^  ok '
	cp node python3.11
	"$kiln" doctor ./python3.11 >report
	state Python | tr -s ' \n' ' ' | grep -q '^ limited .*from Python 3.12 on'
	cp node python3.12
	"$kiln" doctor ./python3.12 >report
	state Python | tr -s ' \n' ' ' | grep -q ' PYTHONPERFSUPPORT=1 $'
}

@test "a process, with the libraries that it has mapped" {
	sleep 60 &
	status=0
	"$kiln" doctor -p $! >report || status=$?
	kill $!
	state file | grep -qF "$(realpath "$(type -P sleep)")"
	[ "$status" -eq "$(state events | grep -c '^  missing')" ]
}

@test "what is no program and no process" {
	run "$kiln" doctor nowhere
	failed_with 2 "kiln: doctor: there is no program 'nowhere': expected a command, or -p PID of a process"
	run "$kiln" doctor -p 4194305
	failed_with 2 "kiln: doctor: process 4194305 does not exist or has ended"
	run "$kiln" doctor -p 1 true
	failed_with 2 "kiln: doctor: expected a command or -p, not both"
	for pid in 0 99999999999; do
		run "$kiln" doctor -p $pid
		failed_with 2 "kiln: doctor: --pid: expected the number of a process"
	done
	for name in "" . /etc/passwd; do
		run "$kiln" doctor "$name"
		failed_with 2 "kiln: doctor: there is no program '$name': expected a command, or -p PID of a process"
	done
	printf 'text\n' >text
	chmod +x text
	run "$kiln" doctor ./text
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 1 ]
}
