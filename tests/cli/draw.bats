# draw.bats: kiln draw: the picture as a file. What it looks like is tested in a browser.
load common

@test "to a file, to a pipe, the same bytes" {
	"$kiln" draw small.folded -o x.svg
	"$kiln" draw small.folded >y.svg
	cmp x.svg y.svg
	"$kiln" draw - <small.folded | cmp x.svg
}

@test "the picture is well-formed XML with a box for every node" {
	"$kiln" draw small.folded -o x.svg
	python3 - x.svg <<-'END'
	import sys, xml.etree.ElementTree as tree
	titles = [t.text for t in tree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}title")]
	for expected in ("app (100 samples, 100.00%)", "work (90 samples, 90.00%)", "work (20 samples, 20.00%)",
	                 "inner (40 samples, 40.00%)", "io (10 samples, 10.00%)"):
	    assert expected in titles, (expected, titles)
	END
}

@test "a terminal gets no picture" {
	on_terminal "NO_COLOR=1 '$kiln' draw small.folded"
	failed_with 2 "kiln: draw: standard output is a terminal: name a file with -o, or redirect it"
}

@test "-o with another format's suffix is a slip" {
	run "$kiln" draw small.folded -o x.png
	failed_with 2 "kiln: draw: x.png: unknown suffix; expected .svg for a picture, or .html for a page"
	[ ! -e x.png ]
	"$kiln" draw small.folded -o picture
	"$kiln" draw small.folded -o /dev/null
	run "$kiln" draw small.folded -o x.folded
	failed_with 2 "kiln: draw: x.folded: this command draws SVG and pages; to write folded use: kiln convert -o x.folded"
}

@test "an existing picture survives a failure" {
	echo before >x.svg
	run "$kiln" draw missing -o x.svg
	[ "$status" -eq 1 ]
	[ "$(cat x.svg)" = before ]
}

@test "transforms are applied in the order given" {
	"$kiln" draw small.folded --focus work --drop '^app$' -o x.svg
	run ! grep -q '<title>io ' x.svg
}

@test "a link that somebody laid where the picture is written at first is not followed" {
	echo mine >theirs
	sh -c 'ln -s theirs "x.svg.$$~"; exec "$0" draw small.folded -o x.svg' "$kiln"
	[ "$(cat theirs)" = mine ]
	grep -q '</svg>' x.svg
}

@test "counts with decimals are shown as such" {
	printf 'a 1.5\nb 0.5\n' >decimals.folded
	"$kiln" draw decimals.folded --total 4 -o x.svg
	grep -q '<title>a (1.5 samples, 37.50%)</title>' x.svg
	grep -q '<title>all (4.0 samples, 100%)</title>' x.svg
}

@test "a flame chart is as wide as its values above 0, whatever the sum" {
	printf 'a;b 3\na;b -3\na;b 2\n' >signs.folded
	"$kiln" draw --flamechart signs.folded -o x.svg
	grep -q '<title>all (5 samples, 100%)</title><rect x="10" [^>]* width="1180"' x.svg
	run ! grep -qE '(x|width)="-' x.svg
}

@test "a flame chart of samples without times is drawn in the order of the input, and says so" {
	run -0 "$kiln" draw --flamechart small.folded -o x.svg
	[ "$output" = "kiln: small.folded: the samples have no times: they are shown in the order of the input" ]
	run -0 "$kiln" draw small.folded -o x.svg
	[ -z "$output" ]
	timed_samples >timed.txt
	run -0 "$kiln" draw --flamechart timed.txt -o x.svg
	[[ "$output" != *"no times"* ]]
}

@test "every long option of flamegraph.pl and of inferno-flamegraph is taken" {
	printf 'main\tclass=x\n' >names
	for option in title=x subtitle=x width=600 height=16 minwidth=0.1 minwidth=1% fonttype=serif fontsize=12 \
		fontwidth=.59 countname=x nametype=x nameattr=names colors=hot bgcolors=grey hash random cp reverse \
		inverted flamechart negate notes=x encoding=UTF-8 total=1000 factor=2 help \
		quiet verbose deterministic truncate-text-right no-sort pretty-xml colordiffusion search-color=#203040 \
		stroke-color=#102030 stroke-color=none uicolor=#405060 no-javascript; do
		"$kiln" draw "--$option" small.folded >"x.$option.svg" 2>err || { cat err; return 1; }
	done
	cmp x.no-sort.svg x.deterministic.svg
	grep -q '<rect [^>]* stroke="#102030"/>' x.stroke-color=#102030.svg
	run ! grep -q 'stroke="' x.stroke-color=none.svg
	run ! grep -q '<script' x.no-javascript.svg
	run "$kiln" draw --uicolor red small.folded
	failed_with 2 "kiln: draw: --uicolor: expected #rrggbb, or none for the default, got 'red'"
}

@test "a link to a picture stays a link, one to nothing becomes a picture" {
	mkdir real
	echo before >real/x.svg
	ln -s real/x.svg x.svg
	ln -s real/none.svg y.svg
	"$kiln" draw small.folded -o x.svg
	"$kiln" draw small.folded -o y.svg
	[ -L x.svg ]
	[ ! -L y.svg ]
	cmp real/x.svg y.svg
	[ "$(ls real)" = x.svg ]
}

@test "palette.map is read from plain files only, and not through the link of another user" {
	echo 'a;b 1' >a.folded
	mkfifo palette.map
	run -1 timeout 20 "$kiln" draw --cp a.folded
	[ "$output" = "kiln: palette.map: is not a regular file" ]
	rm palette.map
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	echo 'secret->rgb(1,2,3)' >theirs
	ln -s theirs palette.map
	chown -h 4321 palette.map
	"$kiln" draw --cp a.folded >a.svg
	[ ! -L palette.map ]
	run -1 grep secret palette.map
	grep '^a->' palette.map
	[ "$(cat theirs)" = 'secret->rgb(1,2,3)' ]
}
