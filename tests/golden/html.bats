# html.bats: the profile in a page that is one file, and what is said of damaged ones.
load common

suffix=html

@test "a page holds the .kiln file that it was made of, whatever stands around" {
	same html/small
}

@test "what was drawn as a page is read as it was before, losses and notes included" {
	"$kiln" draw -q "$golden/perf-script/all.txt" -o page.html 2>said || { grep -q 'writes no pages' said && skip "$(cat said)"; }
	for what in "fold -q" "fold -q --kind cpu-clock" "info" "top --json"; do
		"$kiln" $what page.html >from_page
		"$kiln" $what "$golden/perf-script/all.txt" 2>/dev/null | diff - from_page
	done
	"$kiln" draw -q page.html -o again.html
	cmp again.html page.html
}

@test "damage is said, and where" {
	page=$golden/html/small.html
	failed() {
		run -2 "$kiln" fold x.html
		[[ $output == "kiln: x.html: $1"* ]] || { echo "$output"; return 1; }
	}
	sed 's/ id="profile-data"//' "$page" >x.html
	failed "byte $(stat -c %s x.html): expected an element with the id profile-data"
	sed '/data-size/s/>H4/>H4-*/' "$page" >x.html
	failed 'the element profile-data: expected only base64'
	sed '/data-size/s/>H4sI/>H4sJ/' "$page" >x.html
	failed 'the element profile-data: '
	head -c 900 "$page" >x.html
	failed 'byte 900: expected an element'
	sed '/data-size/s/>[^<]*</></' "$page" >x.html
	failed 'byte 0: truncated; expected a .kiln header'
	sed 's/content="kiln"/content="other"/' "$page" >x.html
	run -2 "$kiln" fold x.html
}

@test "async-profiler: pages of all versions, with boxes of every form" {
	# Cut from pages of a program that async-profiler 4.5 recorded (event=itimer,cstack=no), and of its stacks
	# that the converters of 2.0 and 2.9 drew: without style and script, but for the lines that are read.
	cp "$golden"/async-html/*.html .
	"$kiln" fold new.html 2>&1 | diff "$golden/async-html/new.folded" -
	"$kiln" fold old-9.html 2>&1 | diff "$golden/async-html/old.folded" -
	told reversed.html "$golden/async-html/reversed.folded" \
		'the page does not tell --reverse from --inverted: assuming --reverse, where stacks begin with the innermost frame'
	# 2.0 wrote backslashes as they are.
	"$kiln" fold -q old-0.html | sed 's/sheavy/s\\heavy/' | diff "$golden/async-html/old.folded" -
	"$kiln" fold -q --jit --inlined old-0.html | grep -qF "G.nested_[j];java/lang/It'sheavy_[i];G.spin_[j] 60"
	"$kiln" fold -q --jit --inlined old-9.html | grep -qF "_[i];G.spin_[j] 60"
	gzip -c new.html | "$kiln" fold -q - | diff "$golden/async-html/new.folded" -
}

@test "async-profiler: values of other units, differences, damage" {
	sed "s/units = 'samples'/units = 'bytes'/" "$golden/async-html/new.html" >bytes.html
	"$kiln" fold -q --kind bytes bytes.html | diff "$golden/async-html/new.folded" -
	sed 's/maxdiff = .*/maxdiff = 7;/' "$golden/async-html/new.html" | said 'the page shows a difference: values are those afterwards'
	sed 's/^u(9,60)/u(9,90)/' "$golden/async-html/new.html" | said 'frames narrower than their callees, without a value of their own: 1'
	sed 's/^u(25)/u(x)/' "$golden/async-html/new.html" | refused 'line 24: expected a frame such as'
	sed '/^n(3/d' "$golden/async-html/new.html" | refused 'line 23: expected a frame above the last one'
	sed 's/,94)/,18446744073709551615)/' "$golden/async-html/new.html" | refused 'line 23: expected a frame above the last one'
	sed 's/^u(41)/u(4100)/' "$golden/async-html/new.html" | refused 'line 26: expected a frame such as'
	sed "s/^'\"light',/light/" "$golden/async-html/new.html" | refused 'line 17: expected the name of a function in quotes'
	grep -v '^[fun](' "$golden/async-html/new.html" | refused 'unexpected end: expected a sample'
}
