# static.bats: the static binary records and draws where there is nothing but a kernel.
bats_require_minimum_version 1.5.0

setup_file() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	export EMPTY="$BATS_FILE_TMPDIR/root"
	cd "$BATS_TEST_DIRNAME/../.." || return
	make --no-print-directory static
	mkdir -p "$EMPTY/proc" "$EMPTY/sys"
	cp build-static/kiln "$EMPTY/kiln"
	cat >"$BATS_FILE_TMPDIR/burn.c" <<-'END'
		#include <stdio.h>
		#include <time.h>
		volatile unsigned long sink;
		static __attribute__((noipa)) void burn_inner(int n)
		{
			for (int i = 0; i < n; i++)
				sink += i;
			sink++;
		}
		static __attribute__((noipa)) void burn_outer(int n)
		{
			burn_inner(n);
			sink++;
		}
		int main(void)
		{
			while (clock() < CLOCKS_PER_SEC)
				burn_outer(100000);
			return 7;
		}
	END
	gcc -O2 -fomit-frame-pointer -static -o "$EMPTY/burn" "$BATS_FILE_TMPDIR/burn.c"
	mount -t proc proc "$EMPTY/proc"
	mount -t sysfs sysfs "$EMPTY/sys"
}

teardown_file() {
	umount "$EMPTY/proc" "$EMPTY/sys" 2>/dev/null || true
}

@test "it needs no library and no loader" {
	run readelf -ld build-static/kiln
	[ "$status" -eq 0 ]
	[[ "$output" != *INTERP* ]]
	[[ "$output" != *NEEDED* ]]
}

@test "it records in an empty root and passes the command's exit code on" {
	run -7 chroot "$EMPTY" /kiln record -o /burn.kiln -- /burn
	[ -s "$EMPTY/burn.kiln" ]
}

@test "it draws there, with names, through main" {
	[ -s "$EMPTY/burn.kiln" ]
	chroot "$EMPTY" /kiln draw -o /burn.svg /burn.kiln
	grep -q 'burn_inner' "$EMPTY/burn.svg"
	run chroot "$EMPTY" /kiln fold /burn.kiln
	[ "$status" -eq 0 ]
	grep -q 'main;burn_outer;burn_inner' <<<"$output"
}
