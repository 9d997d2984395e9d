# documents.bats: what the documents point at is there, and pictures tell nothing about where they were made.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

# The targets of a document's links to files, one a line, as it spells them.
links() {
	grep -oE '\]\([^)#]+' "$1" | sed 's/^](//' | grep -vE '^[a-z]+:' || true
}

@test "every link to a file resolves" {
	count=0
	for page in *.md bench/*.md docs/*.md docs/*/*.md; do
		for link in $(links "$page"); do
			count=$((count + 1))
			[ -e "$(dirname "$page")/$link" ] || { echo "$page: $link"; bad=1; }
		done
	done
	[ "$count" -gt 30 ]
	[ -z "${bad:-}" ]
}

# "`NAME` ([file](PATH))" and "(`NAME`, [file](PATH))", one a line: NAME PATH.
named_functions() {
	tr '\n' ' ' <"$1" | sed 's/  */ /g' | grep -oE '`[a-z_0-9]+`(,| \() ?\[[^]]*\]\([^)]+\)' |
		sed -E 's/`([a-z_0-9]+)`.*\]\(([^)]+)\)$/\1 \2/'
}

@test "every function that a walk names is where the walk says" {
	count=0
	for walk in docs/architecture/*.md; do
		while read -r name path; do
			count=$((count + 1))
			grep -qw "$name" "docs/architecture/$path" || { echo "$walk: no $name in $path"; bad=1; }
		done < <(named_functions "$walk")
		for name in $(grep -oE '`[a-z]+(_[a-z0-9]+)+`' "$walk" | tr -d '`'); do
			grep -rqw "$name" src bpf web bench || { echo "$walk: no $name"; bad=1; }
		done
	done
	[ "$count" -gt 40 ]
	[ -z "${bad:-}" ]
}

@test "every picture of the gallery is shown, and made by a command beside it" {
	for picture in docs/gallery/*.svg; do
		name=${picture##*/}
		shown=$(grep -lE "\((gallery/)?$name\)" docs/reading.md docs/gallery/README.md) || { echo "$name: not shown"; bad=1; }
		grep -qE -- "^kiln .* -o $name( |$)" $shown || { echo "$name: no command"; bad=1; }
	done
	[ -z "${bad:-}" ]
}

@test "pictures are small, and name no home" {
	for picture in docs/gallery/*.svg; do
		[ "$(stat -c %s "$picture")" -lt 150000 ] || { echo "$picture: large"; bad=1; }
	done
	[ -z "${bad:-}" ]
	run grep -lE '/(root|home|work)/' docs/gallery/*.svg
	[ "$status" -eq 1 ]
}

@test "every program of the gallery says in its first line what it does, and is used" {
	for program in docs/gallery/programs/*.c; do
		name=$(basename "$program" .c)
		head -n 1 "$program" | grep -qF "/* $name.c: "
		grep -qE "^kiln record .*-- (sh -c ')?$name\b" docs/reading.md
	done
}

# section FILE HEADING: what stands below the heading that begins so, to the next one.
section() {
	awk -v heading="## $2" '/^## / { on = index($0, heading) == 1 } on' "$1"
}

# pictured: has a section (standard input) a picture that is there, made by a command of its own?
pictured() {
	text=$(cat)
	while read -r picture; do
		[ -e "docs/gallery/$picture" ] && grep -qE -- "^kiln .* -o $picture( |\$)" <<<"$text" && return 0
	done < <(grep -oE '\]\((gallery/)?[^)]*\.svg\)' <<<"$text" | sed 's/.*[(/]//; s/)//')
	return 1
}

@test "every mode of record has a picture, and nothing else has" {
	run "${KILN:-build/kiln}" record --mode '?' -- true
	[[ "$output" =~ 'expected one of '(.*)', got' ]]
	modes=${BASH_REMATCH[1]//,/}
	[ "$(wc -w <<<"$modes")" -ge 8 ]
	for mode in $modes; do
		heading=$(grep -E "^## .*: \`--mode $mode\`\$" docs/gallery/README.md) || { echo "$mode: no section"; return 1; }
		text=$(section docs/gallery/README.md "${heading#'## '}")
		pictured <<<"$text" || { echo "$mode: no picture by a command"; return 1; }
		case $mode in
		cpu) grep -E '^kiln record' <<<"$text" | grep -qv -e --mode ;;
		*) grep -qE "^kiln record --mode $mode " <<<"$text" ;;
		esac || { echo "$mode: no command that records so"; return 1; }
	done
	[ "$(grep -c '^## .*--mode' docs/gallery/README.md)" -eq "$(wc -w <<<"$modes")" ]
}

@test "what flame graphs reveal has a program that does it, a picture and a fix" {
	for heading in 'Lock contention' 'A bad algorithm' 'Copies to user space' 'Page faults' 'mmap churn' \
		'Serialisation on one CPU' 'Background work that is not yours' 'Blocked time'; do
		text=$(section docs/reading.md "$heading")
		program=$(sed -nE "s/^kiln record .*-- (sh -c ')?([a-z]+)\b.*/\2/p" <<<"$text" | head -n 1)
		[ -e "docs/gallery/programs/$program.c" ] || { echo "$heading: no program"; return 1; }
		pictured <<<"$text" || { echo "$heading: no picture by a command"; return 1; }
		for part in '*Symptom:*' '*Where to look:*' '*Fix:*'; do
			grep -qF -e "$part" <<<"$text" || { echo "$heading: no $part"; return 1; }
		done
	done
}
