# svg.bats: flame graphs stay as they are, and have the frames that other tools draw.
#
# KILN_GOLDEN=write rewrites the expected pictures; review the difference.
load common

# The picture without style, script and their hashes, which are tested in the browser.
plain() {
	sed -e '/^<style/,/<\/style>$/d' -e '/^<script/,/<\/script>$/d' -e '/^<!-- A flame graph by Kiln/d'
}

# NAME OPTIONS...: draws small.folded and compares it with svg/NAME.svg.
same_as_golden() {
	name=$1
	shift
	"$kiln" draw -q "$@" "$golden/svg/small.folded" | plain >got.svg
	[ "${KILN_GOLDEN:-}" != write ] || cp got.svg "$golden/svg/$name.svg"
	diff "$golden/svg/$name.svg" got.svg
}

@test "a flame graph" {
	same_as_golden flame
}

@test "an icicle graph by weight, colours by module" {
	same_as_golden icicle --inverted --order weight --colors module
}

@test "a flame chart with classic colours" {
	same_as_golden chart --flamechart --colors hot
}

@test "callers of what is hot, with headings and other measures" {
	same_as_golden reverse --reverse --title 'Who <calls>?' --subtitle 'a & b' --width 640 \
		--height 20 --fontsize 10 --minwidth 5 --colors java --bgcolors grey
}

# EXPECTED INPUT OPTIONS...
same_as_inferno() {
	[ -d "$corpus/inferno" ] || skip "no corpus"
	expected=$corpus/inferno/flamegraph/$1 input=$corpus/$2
	shift 2
	compare=()
	while [ "${1:-}" = -c ] || [ "${1:-}" = -m ]; do
		compare+=("$1")
		shift
	done
	"$kiln" draw -q "$@" "$input" -o got.svg
	python3 "$golden/svg_compare.py" "${compare[@]}" got.svg "$expected"
}

@test "frames and colours of inferno: java" {
	same_as_inferno colors/java.svg flamegraph/perf/perf-java-stacks-01.all.folded -c \
		--colors java --hash
}

@test "frames and colours of inferno: js" {
	same_as_inferno colors/js.svg flamegraph/perf/perf-js-stacks-01.all.folded -c --colors js --hash
}

@test "frames of inferno: an input with semicolons and templates" {
	same_as_inferno colors/async-profiler-java.svg \
		inferno/flamegraph/colors/async-profiler-collapsed-part.txt
}

@test "frames and colours of inferno: separators" {
	same_as_inferno grey-frames/grey-frames.svg inferno/flamegraph/grey-frames/grey-frames.txt -c \
		--hash
}

@test "frames and colours of inferno: narrow frames are left out" {
	same_as_inferno narrow-blocks/narrow-blocks.svg \
		inferno/flamegraph/narrow-blocks/narrow-blocks.txt -c --hash
}

@test "frames and colours of inferno: links and titles by name" {
	same_as_inferno nameattr/nameattr.svg flamegraph/perf/perf-cycles-instructions-01.all.folded -c \
		--hash --nameattr "$corpus/inferno/flamegraph/nameattr/nameattr_empty_attribute.txt"
}

@test "frames of inferno: a profile of perf" {
	same_as_inferno example-perf-stacks/example-perf-stacks.svg \
		inferno/collapse-perf/results/example-perf-stacks-collapsed.txt
}

@test "frames of inferno: a flame chart, which runs from right to left there" {
	same_as_inferno flamechart/flame.svg inferno/flamegraph/flamechart/flames.txt -m --flamechart
}

@test "frames of inferno: a difference, and the same negated" {
	same_as_inferno differential/diff.svg \
		inferno/flamegraph/differential/perf-cycles-instructions-01-collapsed-all-diff.txt --changes classic
	grep -q '<title>all (513 samples, 100%)</title>.*fill="rgb(255,255,255)"' got.svg
	same_as_inferno differential/diff-negated.svg \
		inferno/flamegraph/differential/perf-cycles-instructions-01-collapsed-all-diff.txt \
		--changes classic --negate
}

two_columns() {
	printf 'main;more 2 6\nmain;less 6 4\nmain;same 3 3\nmain;gone 5 0\nmain 1 2\n'
}

@test "a difference: functions with all they call, on a fixed scale" {
	two_columns >two.folded
	"$kiln" draw -q --width 600 two.folded | plain >got.svg
	[ "${KILN_GOLDEN:-}" != write ] || cp got.svg "$golden/svg/difference.svg"
	diff "$golden/svg/difference.svg" got.svg
	grep -q '<title>more (6 samples, 40.00%; +4, +200%; self +4, +200%)</title>.*fill="rgb(240,92,72)"' got.svg
	grep -q '<title>less (4 samples, 26.67%; -2, -33.3%; self -2, -33.3%)</title>.*fill="rgb(88,144,244)"' got.svg
	grep -q '<title>same (3 samples, 20.00%; unchanged; self unchanged)</title>.*fill="rgb(228,228,226)"' got.svg
	# 17 became 15: -11.8%, more than half way to -20%.
	grep -q '<title>main (15 samples, 100.00%; -2, -11.8%; self +1, +100%)</title>.*fill="rgb(149,180,236)"' got.svg
	grep -q '>second column against first column<.*' got.svg
	run ! grep -q '<title>gone ' got.svg
}

@test "a difference with its columns the other way round" {
	two_columns >two.folded
	"$kiln" draw -q --width 600 --negate two.folded | plain >negated.svg
	grep -q '<title>more (6 samples, 40.00%; -4, -66.7%; self -4, -66.7%)</title>.*fill="rgb(88,144,244)"' negated.svg
	grep -q '<title>less (4 samples, 26.67%; +2, +50.0%; self +2, +50.0%)</title>.*fill="rgb(240,92,72)"' negated.svg
	grep -q '>first column against second column, widths: before<' negated.svg
}

@test "the classic rules of a difference: self values, the largest has the full colour" {
	two_columns >two.folded
	"$kiln" draw -q --width 600 --changes classic two.folded | plain >got.svg
	"$kiln" draw -q --width 600 --changes classic --negate two.folded | plain >negated.svg
	# Of 15: more by 4, less by 2; most is 5, what is gone.
	grep -q '<title>more (6 samples, 40.00%; +26.67%)</title>.*fill="rgb(255,42,42)"' got.svg
	grep -q '<title>less (4 samples, 26.67%; -13.33%)</title>.*fill="rgb(126,126,255)"' got.svg
	grep -q '<title>same (3 samples, 20.00%; 0.00%)</title>.*fill="rgb(255,255,255)"' got.svg
	grep -q '<title>more (6 samples, 40.00%; -26.67%)</title>.*fill="rgb(42,42,255)"' negated.svg
	grep -q '<title>less (4 samples, 26.67%; +13.33%)</title>.*fill="rgb(255,126,126)"' negated.svg
	run ! grep -q '<title>gone ' got.svg negated.svg
}

@test "a difference reshaped, and as a chart" {
	printf 'a;x 1 5\nb;x 9 3\n' >two.folded
	"$kiln" draw -q --changes classic --reverse two.folded -o got.svg
	# x itself: 1 + 9 before, 5 + 3 after. In a reversed tree it is its callers that end stacks.
	grep -q '<title>a (5 samples, 62.50%; +50.00%)</title>' got.svg
	grep -q '<title>b (3 samples, 37.50%; -75.00%)</title>' got.svg
	"$kiln" draw -q --reverse two.folded -o got.svg
	grep -q '<title>x (8 samples, 100.00%; -2, -20.0%)</title>' got.svg
	"$kiln" draw -q --flamechart two.folded -o got.svg
	grep -q '<title>x (5 samples, 62.50%)</title>' got.svg
}

@test "any bytes make a picture that XML parsers take" {
	python3 - >bytes.folded <<-'END'
		import sys
		for code in range(256):
		    if code not in (10, 13, 59):
		        sys.stdout.buffer.write(b"main;<%c&>\"' 1\n" % code)
		sys.stdout.buffer.write(b"main;\xed\xa0\x80\xef\xbf\xbe\xf4\x90\x80\x80]]>--> 1\n")
	END
	"$kiln" draw -q --format folded bytes.folded -o bytes.svg --title "$(printf '\001\377<')"
	python3 - <<-'END'
		import xml.etree.ElementTree as tree
		svg = "{http://www.w3.org/2000/svg}"
		frames = tree.parse("bytes.svg").find(".//%sg[@id='frames']" % svg)
		titles = [frame.find(svg + "title").text for frame in frames]
		# 94 printable ones without the semicolon; controls are one with the blank, bytes that
		# are not UTF-8 one more; the last line, main and all.
		assert len(titles) == 98, len(titles)
		assert "<A&>\"' (1 samples, 0.39%)" in titles, titles
		assert all(frame.find(svg + "rect") is not None for frame in frames)
	END
}

@test "palette.map keeps colours from picture to picture" {
	"$kiln" draw -q --cp --colors mem "$golden/svg/small.folded" -o one.svg
	grep -qx 'main->rgb(0,228,163)' palette.map
	sed -i 's/^main->.*/main->rgb(1,2,3)/' palette.map
	"$kiln" draw -q --cp --colors hot "$golden/svg/small.folded" -o two.svg
	grep -q '<title>main (.*fill="rgb(1,2,3)"' two.svg
	diff <(grep -v '<title>main (\|<stop\|<linear' one.svg) <(grep -v '<title>main (\|<stop\|<linear' two.svg)
}
