# packages.bats: packages for other distributions have what Debian's have.
bats_require_minimum_version 1.5.0
load copy

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	export KILN_BUILD="${KILN_BUILD:-$PWD/build}"
	version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
}

# Files below a folder, one a line.
files() {
	(cd "$1" && find . ! -type d | sed 's/^.//' | sort)
}
export -f files

# debian PACKAGE: what debian/PACKAGE.install takes of the tree $changes/debian.
debian() {
	(cd "$changes/debian" && while read -r pattern; do
		find $pattern ! -type d | sed 's,^,/,'
	done <"$OLDPWD/debian/$1.install" | sort)
}
export -f debian

# On standard input: paths of a distribution as those of Debian.
as_debian() {
	grep -v -e '^/usr/share/licenses/' -e '^/usr/share/doc/' |
		sed -e "s,^/usr/lib64/,/usr/lib/$multiarch/," -e "s,^/usr/lib/\(libkiln\|pkgconfig\),/usr/lib/$multiarch/\1," \
			-e 's,^/usr/lib/kiln/,/usr/libexec/kiln/,' -e 's,/zsh/site-functions/,/zsh/vendor-completions/,' | sort
}
export -f as_debian

@test "packages for every distribution are of this version" {
	[ -n "$version" ]
	grep -qx "Version: *$version" packaging/fedora/kiln.spec
	grep -qx "pkgver=$version" packaging/alpine/APKBUILD
	grep -qx "pkgver=$version" packaging/arch/PKGBUILD
	grep -q "^kiln ($version)" debian/changelog
}

@test "recipes for Fedora, Arch and Alpine make packages with Debian's files" {
	command -v rpmbuild || skip "no rpmbuild (Debian: rpm)"
	export version multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
	in_copy '
		tests=$PWD/tests/house/packages
		ln -s "$tests/meson" "$changes/bin/meson"
		for distribution in fedora alpine arch; do
			mkdir "$changes/$distribution"
		done

		# Debian: only what debhelper says to meson and what goes into which package.
		meson setup --prefix=/usr --libdir="lib/$multiarch" --libexecdir=libexec -Dzsh_completions=zsh/vendor-completions
		meson compile
		DESTDIR=$changes/debian meson install
		diff <(files "$changes/debian") <(for p in kiln libkiln0 libkiln-dev; do debian $p; done | sort)

		# Fedora: rpmbuild refuses what is installed and in no package, and what is missing.
		tar -czf "$changes/fedora/kiln-$version.tar.gz" --exclude-vcs --exclude="./build*" --exclude=./dist \
			--exclude=node_modules --exclude=./tests --transform "s,^\.,kiln-$version," .
		rpmbuild -ba --quiet --nodeps --load="$tests/macros" --define "_topdir $changes/fedora" \
			--define "_sourcedir $changes/fedora" packaging/fedora/kiln.spec
		in_rpm() { # without folders
			for package; do
				rpm -qp --qf "[%{FILEMODES:perms} %{FILENAMES}\n]" "$changes"/fedora/RPMS/*/"$package-$version"-*.rpm
			done | sed -n "s/^[^d][^ ]* //p" | as_debian
		}
		diff <(debian kiln) <(in_rpm kiln)
		diff <(debian libkiln0) <(in_rpm kiln-libs)
		diff <(debian libkiln-dev) <(in_rpm kiln-devel kiln-static)

		# Arch and Alpine: their functions, in the shells that run them.
		export srcdir=$changes/arch pkgdir=$changes/arch/root
		ln -s "$PWD" "$srcdir/kiln-$version"
		(cd "$srcdir" && bash -ec ". ./kiln-$version/packaging/arch/PKGBUILD; build; package")
		diff <(files "$changes/debian") <(files "$pkgdir" | as_debian)
		[ -s "$pkgdir/usr/share/licenses/kiln/LICENSE" ]
		export pkgdir=$changes/alpine/root
		sh -ec ". ./packaging/alpine/APKBUILD; build; package"
		diff <(files "$changes/debian") <(files "$pkgdir" | as_debian)
		[ -s "$pkgdir/usr/share/licenses/kiln/LICENSE" ]
	'
}
