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
	for page in *.md bench/*.md docs/*.md docs/gallery/*.md; do
		for link in $(links "$page"); do
			count=$((count + 1))
			[ -e "$(dirname "$page")/$link" ] || { echo "$page: $link"; bad=1; }
		done
	done
	[ "$count" -gt 30 ]
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
