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
