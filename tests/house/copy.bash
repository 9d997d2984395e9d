# copy.bash: changes to the tree that nobody else sees.
#
# The copy of the tree is an overlay at the place of the tree itself, in a mount namespace of its own: the build
# there goes on from the build that is here, and takes seconds. A second mount namespace would not see it, so that
# all is done in one test.

# in_copy SCRIPT: run it in a copy of the tree, whose changes are in $BATS_TEST_TMPDIR.
in_copy() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	unshare -m bash -ec '
		mount -t tmpfs changes "$1"
		mkdir "$1/upper" "$1/work" "$1/bin"
		mount -t overlay copy -o "lowerdir=$PWD,upperdir=$1/upper,workdir=$1/work" "$PWD"
		cd "$PWD"
		ln -s "$KILN_BUILD/kiln" "$1/bin/kiln"
		export changes=$1 PATH="$1/bin:$PATH" KILN="$KILN_BUILD/kiln"
		eval "$2"' in_copy "$BATS_TEST_TMPDIR" "$1"
}
