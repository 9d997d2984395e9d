# libkiln.bats: others can build against the library, and see of it what is meant to be seen.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	lib=${KILN_BUILD:-$PWD/build}/src/api
	root=$PWD
	cd "$BATS_TEST_TMPDIR" || return
	printf 'main;work;leaf 70\nmain;work 20\nmain;rare 10\nother;main;work 5\nelsewhere 1000\n' >in.folded
}

check_example() {
	run "$@" in.folded '^main$'
	echo "$output"
	[ "$status" -eq 0 ]
	# 70 + 20 + 10 + 5 below main; work's own 20 + 5 and leaf's 70 are a tenth or more.
	[ "${lines[0]}" = "in.folded: 5 samples, 105 in all" ]
	[ "${lines[1]}" = " 23.81% work" ]
	[ "${lines[2]}" = " 66.67% leaf" ]
	[ "${#lines[@]}" -eq 3 ]
	grep -q '>Example<' example.svg
	grep -q 'leaf' example.svg
}

@test "the example runs with the shared library" {
	cc -Wall -Werror -I"$root/include" "$root/docs/example.c" -o example -L"$lib" -lkiln
	LD_LIBRARY_PATH=$lib check_example ./example
}

@test "the example runs with the static library" {
	export PKG_CONFIG_PATH=$lib/../../meson-private
	cc -I"$root/include" "$root/docs/example.c" -o example "$lib/libkiln.a" \
		$(pkg-config --static --libs-only-l kiln | sed 's/-lkiln//')
	check_example ./example
	[ -z "$(ldd example | grep libkiln)" ]
}

# What is global there would clash with a program's own function of that name.
@test "the static library has no other names, and tells what it needs by name" {
	nm -g --defined-only "$lib/libkiln.a" | awk 'NF == 3 { print $3 }' | sort >global
	run ! grep -v '^kiln_' global
	comm -13 global <(nm -D --defined-only "$lib/libkiln.so" | awk '{ print $3 }' | sort) >missing
	[ ! -s missing ]
	echo 'int buffer_char(void);
	int buffer_char(void) { return 7; }' >own.c
	cc -I"$root/include" "$root/docs/example.c" own.c -o example "$lib/libkiln.a" \
		$(PKG_CONFIG_PATH=$lib/../../meson-private pkg-config --static --libs-only-l kiln | sed 's/-lkiln//')
	check_example ./example
	run ! grep -n '[^}]/[^ ]*\.a' "$lib/../../meson-private/kiln.pc"
}

@test "no kind is the first kind" {
	cat >kinds.c <<-'END'
		#include <kiln.h>
		#include <stdio.h>

		int main(void)
		{
			static const char text[] = "main 3 8\n";
			kiln_error err;
			kiln_profile *p = kiln_load_memory(text, sizeof(text) - 1, NULL, &err);
			kiln_view *v = kiln_view_new(p, KILN_BY_FUNCTION);

			if (kiln_view_select(v, "none", false, &err) || !kiln_view_select(v, NULL, false, &err) ||
				!kiln_view_select(v, "", false, &err))
				return 1;
			return kiln_node_at(v, 0).total != 3;
		}
	END
	cc -Wall -Werror -I"$root/include" kinds.c -o kinds -L"$lib" -lkiln
	LD_LIBRARY_PATH=$lib ./kinds
}

@test "the example explains what is wrong" {
	cc -I"$root/include" "$root/docs/example.c" -o example -L"$lib" -lkiln
	export LD_LIBRARY_PATH=$lib
	run ./example missing.folded x
	[ "$status" -eq 2 ]
	[[ "$output" == *missing.folded*"No such file"* ]]
	run ./example in.folded '('
	[ "$status" -eq 2 ]
	[[ "$output" == *"regular expression"* ]]
}

@test "what the header declares is exported, and nothing else" {
	nm -D --defined-only "$lib/libkiln.so" | awk '{ print $3 }' | sort >exported
	gcc -E -P "$root/include/kiln.h" | grep -o '\bkiln_[a-z_]*(' | tr -d '(' | sort -u >declared
	[ "$(wc -l <declared)" -gt 20 ]
	diff declared exported
}

@test "the header serves C99 and C++" {
	echo '#include <kiln.h>
	int main(void) { return kiln_version() == 0; }' >use.c
	gcc -std=c99 -Wall -Wextra -pedantic -Werror -I"$root/include" -fsyntax-only use.c
	g++ -x c++ -Wall -Wextra -Werror -I"$root/include" -fsyntax-only use.c
}

@test "the shared library has a soname" {
	readelf -d "$lib/libkiln.so" | grep -q 'SONAME.*\[libkiln\.so\.0\]'
}

# A host cannot keep others from writing to a file, so the library keeps a copy of what it has checked.
@test "a profile stays as it was when its file is truncated or overwritten" {
	cat >changed.c <<-'END'
		#include <kiln.h>
		#include <fcntl.h>
		#include <stdio.h>
		#include <string.h>
		#include <unistd.h>

		int main(int count, char **arguments)
		{
			static char zeroes[1 << 20];
			int truncates = count > 2, fd = open(arguments[1], O_RDWR);
			kiln_profile *p = kiln_load(arguments[1], NULL, NULL);
			kiln_view *v;
			char *text;
			size_t len;

			if (truncates ? ftruncate(fd, 4096) : pwrite(fd, zeroes, sizeof(zeroes), 0) < 0)
				return 1;
			v = kiln_view_new(p, KILN_BY_FUNCTION);
			if (!kiln_render_memory(v, "folded", NULL, &text, &len, NULL))
				return 1;
			fwrite(text, 1, len, stdout);
			kiln_free(text);
			kiln_view_free(v);
			kiln_profile_free(p);
			return 0;
		}
	END
	cc -Wall -Werror -I"$root/include" changed.c -o changed -L"$lib" -lkiln
	awk 'BEGIN { for (i = 0; i < 20000; i++) print "main;f" i % 97 ";g" i, i % 7 + 1 }' >wide.folded
	"${KILN:-$lib/../../kiln}" convert wide.folded -o wide.kiln
	"${KILN:-$lib/../../kiln}" fold wide.folded | sort >expected
	cp wide.kiln changed.kiln
	LD_LIBRARY_PATH=$lib ./changed changed.kiln >got
	sort got | cmp - expected
	cp wide.kiln changed.kiln
	LD_LIBRARY_PATH=$lib ./changed changed.kiln truncate >got
	sort got | cmp - expected
}
