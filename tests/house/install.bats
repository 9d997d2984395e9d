# install.bats: what `make install` brings works from there, and `make uninstall` takes it all away.
bats_require_minimum_version 1.5.0

setup_file() {
	export TREE="$BATS_FILE_TMPDIR/tree"
	cd "$BATS_TEST_DIRNAME/../.." || return
	make --no-print-directory install DESTDIR="$TREE"
}

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	prefix="$TREE/usr/local"
}

@test "the installed binary runs" {
	run "$prefix/bin/kiln" --version
	[ "$status" -eq 0 ]
	[ "$output" = "kiln $(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)" ]
}

@test "the classic name is installed, with its page" {
	[ "$("$prefix/bin/flamegraph" --version)" = "$("$prefix/bin/kiln" --version)" ]
	[[ $(echo "a;b 1" | "$prefix/bin/flamegraph") == *"</svg>"* ]]
	mandoc -T utf8 "$prefix/share/man/man1/flamegraph.1" | grep -q cargo-flamegraph
}

@test "every command's manual page is installed and can be shown" {
	for command in $("$prefix/bin/kiln" help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
		[ "$command" != kiln ] || continue
		echo "$command"
		man=$(find "$prefix/share/man/man1" -name "kiln-$command.1*")
		mandoc -T utf8 "$man" | grep -qi "kiln-$command"
	done
	[ -f "$prefix/share/man/man1/kiln.1" ]
}

@test "completions for three shells are installed and parse" {
	bash -n "$prefix/share/bash-completion/completions/kiln"
	zsh -n "$prefix/share/zsh/vendor-completions/_kiln"
	fish --no-execute "$prefix/share/fish/vendor_completions.d/kiln.fish"
}

@test "libkiln is found by pkg-config and used from where it is installed" {
	export PKG_CONFIG_PATH="$(dirname "$(find "$prefix" -name kiln.pc)")"
	export PKG_CONFIG_SYSROOT_DIR="$TREE"
	echo '#include <kiln.h>
	int main(void) { return !kiln_version(); }' >"$BATS_TEST_TMPDIR/use.c"
	cc -o "$BATS_TEST_TMPDIR/use" "$BATS_TEST_TMPDIR/use.c" $(pkg-config --cflags --libs kiln)
	LD_LIBRARY_PATH="$(dirname "$(find "$prefix" -name 'libkiln.so')")" "$BATS_TEST_TMPDIR/use"
}

@test "uninstalling leaves nothing" {
	[ -n "$(find "$TREE" -type f)" ]
	make --no-print-directory uninstall DESTDIR="$TREE"
	[ ! -e "$TREE" ] || [ -z "$(find "$TREE" -mindepth 1)" ]
}
