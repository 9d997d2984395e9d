# formats.bats: kiln formats.
load common

@test "formats are listed by name" {
	run -0 "$kiln" formats
	[[ $output == *"  folded "*"  perf-data "*"Written"*"  folded "*"(.folded)"* ]]
}

@test "docs/formats.md is what the registries say" {
	run -0 diff <("$kiln" formats --markdown) "$BATS_TEST_DIRNAME/../../docs/formats.md"
}
