# sbom.bats: kiln.spdx.json names what kiln is linked with, and is the same for the same build.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	build=${KILN_BUILD:-$PWD/build}
	ninja -C "$build" kiln.spdx.json
}

# names RELATIONSHIP: of the packages that kiln has it with.
names() {
	python3 - "$build/kiln.spdx.json" "$1" <<'END'
import json, sys
with open(sys.argv[1]) as file:
    document = json.load(file)
names = {package["SPDXID"]: package["name"] for package in document["packages"]}
for r in document["relationships"]:
    if r["relationshipType"] == sys.argv[2]:
        print(next(names[r[end]] for end in ("spdxElementId", "relatedSpdxElement")
                   if names.get(r[end], "kiln") != "kiln"))
END
}

@test "what is linked is what readelf says, and pkg-config's version of it" {
	readelf -d "$build/kiln" | sed -n 's/.*NEEDED.*\[\(.*\)\.so.*/\1/p' |
		sed -e 's/^libz$/zlib/' -e 's/^libzstd$/zstd/' -e 's/^liblzma$/lzma/' -e 's/^libpcre2-8$/pcre2/' \
			-e 's/^\(libc\|libm\|ld-.*\)$/glibc/' | sort -u >"$BATS_TEST_TMPDIR/needed"
	diff "$BATS_TEST_TMPDIR/needed" <(names DYNAMIC_LINK | sort)
	for library in libelf zlib libzstd libpcre2-8 libbpf; do
		grep -q "\"versionInfo\": \"$(pkg-config --modversion $library)\"" "$build/kiln.spdx.json"
	done
}

@test "what is loaded when needed is what the binary names" {
	for name in $(names OPTIONAL_DEPENDENCY_OF); do
		echo "$name"
		strings "$build/kiln" | grep -q "^$name\.so\.[0-9]*"
	done
}

@test "an SBOM has what SPDX 2.3 wants, and SOURCE_DATE_EPOCH decides about its time" {
	cd "$BATS_TEST_TMPDIR"
	for i in 1 2; do
		SOURCE_DATE_EPOCH=1700000000 python3 "$OLDPWD/tools/sbom.py" $i.json 0.1.0 dynamic:zlib:1.2.13 tool:gcc:12.2.0
	done
	cmp 1.json 2.json
	python3 - <<'END'
import json, re
with open("1.json") as file:
    document = json.load(file)
assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0"
assert document["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
ids = [document["SPDXID"]] + [package["SPDXID"] for package in document["packages"]]
assert len(ids) == len(set(ids)) and all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", i) for i in ids)
for r in document["relationships"]:
    assert r["spdxElementId"] in ids and r["relatedSpdxElement"] in ids
for package in document["packages"]:
    assert package["name"] and package["downloadLocation"] and not package["filesAnalyzed"]
END
}
