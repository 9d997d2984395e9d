# version.bats: kiln version, --version.
load common

@test "version, --version and -V print one line" {
	for way in version --version -V; do
		run -0 "$kiln" $way
		[[ $output =~ ^kiln\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	done
}
