# clean.bats: stacks without a runtime's own code: --clean and --clean-file.
load common

# What people type over the text of perf script, before folding it.
by_sed() {
	sed -r -e "/( __libc_start| uv_| LazyCompile | v8::internal::| node::| Builtins_| Builtin:| Stub:| LoadIC:| \\[unknown\\]| LoadPolymorphicIC:)/d" \
		-e 's/ LazyCompile:[*~]?/ /'
}

# The differences, all of them: the expression above knows one spelling and two tiers. --clean takes
# the mark off every spelling and tier...
other_marks() {
	sed -r 's/ (JS|Function|LazyCompile):[~^+*]?/ /'
}
# ... and names functions that have no name of their own. (A place follows the address at once.)
no_names() {
	sed -r 's|^(\t +[0-9a-f]+) {2}(/)|\1 NONE \2|'
}
folded_with_names() {
	"$kiln" fold -q "$@" | sed 's/NONE /(anonymous) /g' | LC_ALL=C sort
}

@test "--clean node: what the sed expression gives, but for the listed differences" {
	needs_corpus
	for text in "$corpus"/v8/script-*.txt.gz; do
		zcat "$text" >all.txt
		by_sed <all.txt >sed.txt
		other_marks <sed.txt >marks.txt
		no_names <marks.txt >names.txt
		"$kiln" fold -q --clean node all.txt >clean
		folded_with_names names.txt | diff - clean
		echo "${text##*/}: $(grep -c . clean) stacks, frames that differ from the expression's:" \
			"$(diff sed.txt marks.txt | grep -c '^>') by another mark," \
			"$(diff marks.txt names.txt | grep -c '^>') of these without a name"
	done
	# Where V8's names are not known at all there is nothing to list.
	zcat "$corpus/v8/script-.txt.gz" >all.txt
	by_sed <all.txt >sed.txt
	"$kiln" fold -q sed.txt | diff - <("$kiln" fold -q --clean node all.txt)
}

@test "--clean node: with the spelling that the expression is for only missing names differ" {
	needs_corpus
	zcat "$corpus/v8/script---perf-basic-prof.txt.gz" | sed 's/ JS:/ LazyCompile:/' >all.txt
	grep -q ' LazyCompile:\*main' all.txt
	by_sed <all.txt | no_names >sed.txt
	folded_with_names sed.txt | diff - <("$kiln" fold -q --clean node all.txt)
}

@test "a cleaned picture says so, and how much has moved" {
	cat >n.folded <<-'END'
	node;uv_run;JS:~f /a.js:1:2;v8::internal::Run 30
	node;uv_run;JS:*f /a.js:1:2 50
	node;uv_run 20
	END
	"$kiln" draw --clean node n.folded -o n.svg 2>said
	[ "$(cat said)" = "kiln: n.folded: cleaned (node): 50 of 100 samples moved to their callers (50.00%)" ]
	grep -q '>cleaned (node): 50 of 100 samples moved to their callers (50.00%)<' n.svg
	"$kiln" info --clean node n.folded | grep -q 'note *cleaned (node): 50 of 100'
	"$kiln" convert -q --clean node n.folded -o n.kiln
	"$kiln" info n.kiln | grep -q 'note *cleaned (node): 50 of 100'
	# Tiers are one name in text and two kinds in a profile.
	[ "$("$kiln" fold -q --clean node n.folded)" = $'node 20\nnode;f /a.js:1:2 80' ]
	[ "$("$kiln" fold -q --all n.kiln)" = $'node 20\nnode;f /a.js:1:2 30\nnode;f /a.js:1:2_[j] 50' ]
}

@test "--clean-file: functions taken out and renamed by one's own rules, in their order" {
	cat >rules <<-'END'
	# what the event loop does
	^uv_

	s/^JS:[*~]//
	^gone$
	s/ \/srv\/(\w+)\.js.*/ in $1/
	s/^nameless$//
	END
	cat >n.folded <<-'END'
	node;uv_run;JS:~f /srv/app.js:1:2;JS:*gone 30
	node;nameless;JS:*f /srv/app.js:1:2 50
	END
	[ "$("$kiln" fold -q --clean-file rules n.folded)" = $'node;f in app 80' ]
	[ "$("$kiln" fold --clean-file rules n.folded 2>&1 >/dev/null)" = \
		"kiln: n.folded: cleaned (rules): 30 of 80 samples moved to their callers (37.50%)" ]
}

@test "code without a name is matched as [unknown], whatever it is shown as" {
	printf '%s\n' '^\[unknown\]$' >rules
	printf 'a 1 1.0: 1 cycles:\n\t1 [unknown] (/lib/libfoo.so)\n\t2 main (/bin/a)\n\n' >a.txt
	[ "$("$kiln" fold -q a.txt)" = "a;main;[libfoo.so] 1" ]
	[ "$("$kiln" fold -q --clean-file rules a.txt)" = "a;main 1" ]
}

@test "rules that are none, and files that are not there" {
	run "$kiln" fold --clean ruby small.folded
	failed_with 2 "kiln: --clean: expected one of: node; got 'ruby'"
	printf '%s\n' ok 's/half/' >rules
	run "$kiln" fold --clean-file rules small.folded
	failed_with 2 "kiln: --clean-file: rules: line 2: expected s/REGEX/TEXT/, got 's/half/'"
	printf '%s\n' 'a(b' >rules
	run "$kiln" fold --clean-file rules small.folded
	[ "$status" -eq 2 ]
	[[ $output == "kiln: --clean-file: rules: line 1: expected a regular expression, got 'a(b'"* ]]
	printf '%s\n' 's/main/$5/' >rules
	run "$kiln" fold --clean-file rules small.folded
	[ "$status" -eq 2 ]
	[[ $output == "kiln: --clean-file: rules: expected a replacement for 'main', got '\$5'"* ]]
	run "$kiln" fold --clean-file nowhere small.folded
	[ "$status" -ne 0 ]
	[[ $output == "kiln: --clean-file: nowhere: "* ]]
}
