# version.bats: kiln version, --version.
load common

@test "version, --version and -V print one line" {
	for way in version --version -V; do
		run -0 "$kiln" $way
		[[ $output =~ ^kiln\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	done
}

@test "version -v says what this kiln can do" {
	run -0 "$kiln" version -v
	[[ ${lines[0]} =~ ^kiln\ [0-9.]+$ ]]
	[[ ${lines[1]} =~ ^machine\ +$(uname -m),\ on\ Linux\ $(uname -r)\; ]]
	for fact in BPF page view debuginfod; do
		grep -qE "^$fact +(yes|no: .+)\$" <<<"$output"
	done
	[[ ${lines[6]} =~ ^built\ with\ +libelf\ [0-9.]+,\ zlib\ [0-9] ]]
	[ "${#lines[@]}" -eq 7 ]
}
