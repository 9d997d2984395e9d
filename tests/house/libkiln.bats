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

# Numbers are read and written with a decimal point, and the host keeps its locale.
@test "a host's locale changes neither what is read nor what is written" {
	localedef -i de_DE -f UTF-8 "$PWD/de_DE.UTF-8"
	cat >host.c <<-'END'
		#include <kiln.h>
		#include <locale.h>
		#include <stdio.h>
		#include <string.h>

		int main(int argc, char **argv)
		{
			static const char *const outputs[] = {"top", "tree", "svg", "csv", "nodes"};
			kiln_error err = {0};
			kiln_profile *p;
			kiln_view *v;
			char half[8], *bytes;
			size_t len;

			if (!setlocale(LC_ALL, argv[1]))
				return 9;
			for (int i = 2; i < argc; i++) {
				p = kiln_load(argv[i], NULL, &err);
				v = p ? kiln_view_new(p, KILN_BY_FUNCTION) : NULL;
				for (size_t o = 0; v && o < sizeof(outputs) / sizeof(*outputs); o++) {
					if (!kiln_render_memory(v, outputs[o], NULL, &bytes, &len, &err))
						break;
					printf("%s as %s: %.*s\n", argv[i], outputs[o], (int)len, bytes);
					kiln_free(bytes);
				}
				if (err.code)
					return puts(err.text), 3;
				kiln_view_free(v);
				kiln_profile_free(p);
			}
			snprintf(half, sizeof(half), "%.1f", 0.5);
			return strcmp(half, strcmp(argv[1], "C") ? "0,5" : "0.5") ? 4 : 0;
		}
	END
	cc -Wall -Werror -I"$root/include" host.c -o host -L"$lib" -lkiln
	export LD_LIBRARY_PATH=$lib LOCPATH=$PWD
	printf 'main;a 1.25\nmain;b 0.5\n' >decimals.folded
	set -- in.folded decimals.folded "$root"/tests/golden/{vtune/*.txt,vsprof/*.txt,otlp-json/everything.json,speedscope/*.json}
	./host C "$@" >point
	./host de_DE.UTF-8 "$@" >comma
	[ "$(wc -l <point)" -gt 100 ]
	cmp point comma
}

# exhausted NAME OPTIONS: every call on that file with each of its allocations failing, some only where
# there are many; then from each of them on.
exhausted() {
	run -0 env LD_LIBRARY_PATH="$lib" ./exhausted -s "$@"
	echo "$output"
	[[ "${lines[0]}" == load*" up to"*allocations* ]]
	run -0 env LD_LIBRARY_PATH="$lib" ./exhausted -s -a "$@"
	echo "$output"
}

@test "an allocation that fails is an error, leaves nothing behind, and the next call works" {
	cc -Wall -Werror -O1 -I"$root/include" "$root/tests/house/exhausted.c" -o exhausted -L"$lib" -lkiln
	printf '^wo.*=>X\n' >rules
	exhausted in.folded focus=work clean=node reverse collapse-recursion exclude=zz drop=zz collapse-module=zz \
		charge=zz hide-below=zz path=main \
		:folded :svg :csv :top :tree :info :kiln :pprof :speedscope :firefox :cpuprofile :html :nodes :file
	gzip -k in.folded
	exhausted in.folded.gz
	zstd -q in.folded
	exhausted in.folded.zst
	xz -k in.folded
	exhausted in.folded.xz
	exhausted "$root/tests/golden/kiln/small.kiln" :folded
	exhausted "$root/tests/golden/pprof/everything.pb" by-cpu by-process by-thread cpu=0 thread=x process=x
	exhausted "$root/tests/golden/otlp/everything.otlp" :heatmap
	exhausted "$root/tests/golden/otlp-json/everything.json" time=0..1s
	exhausted "$root/tests/golden/perf-data/fields-little.data" :folded
	for format in speedscope chrome-trace firefox perf-script xctrace; do
		exhausted "$(ls -S "$root/tests/golden/$format"/*.[jtx]* | head -1)"
	done
}

# Threads find names and walk stacks, and write what is long.
@test "so it is in threads" {
	cc -Wall -Werror -O1 -I"$root/include" "$root/tests/house/exhausted.c" -o exhausted -L"$lib" -lkiln
	awk 'BEGIN { for (i = 0; i < 30000; i++) printf "main;work%d;leaf%d;x%d 1\n", i % 97, i % 5021, i }' >many.folded
	exhausted many.folded :folded
	"$KILN" convert many.folded -o many.pb
	exhausted many.pb
	perf record -q -F 200 --call-graph dwarf,2048 -o copies.data "$KILN" convert many.folded -o many.kiln ||
		skip "needs perf"
	exhausted copies.data
}

@test "a limit that is too low is an error for a host, and one line for a command" {
	awk 'BEGIN { for (i = 0; i < 300000; i++) printf "main;work%d;leaf%d;x%d 1\n", i % 997, i % 50021, i }' >big.folded
	cat >load.c <<-'END'
		#include <kiln.h>
		#include <stdio.h>

		int main(void)
		{
			kiln_error err = {0};

			if (kiln_load("big.folded", NULL, &err) || err.code != KILN_MEMORY)
				return 2;
			puts(err.text);
			return 1;
		}
	END
	cc -Wall -Werror -I"$root/include" load.c -o load -L"$lib" -lkiln
	run -1 --separate-stderr bash -c "ulimit -v 60000; LD_LIBRARY_PATH=$lib ./load"
	[[ "$output" =~ ^"out of memory: cannot allocate "[0-9]+" bytes"$ ]]
	[ -z "$stderr" ]
	run -1 --separate-stderr bash -c "ulimit -v 60000; '$KILN' convert big.folded -o big.svg"
	[ -z "$output" ]
	[[ "$stderr" =~ ^"kiln: out of memory: cannot allocate "[0-9]+" bytes; raise the memory limit (ulimit -v)"$ ]]
	[ ! -e big.svg ]
	[ "$(ls big.*)" = big.folded ]
}

@test "a number that is too high gives zeroes" {
	cat >high.c <<-'END'
		#include <kiln.h>

		int main(void)
		{
			kiln_profile *p = kiln_load("in.folded", NULL, NULL);
			kiln_view *v = kiln_view_new(p, KILN_BY_FUNCTION);
			kiln_text key, value;

			kiln_meta_at(p, kiln_meta_count(p), &key, &value);
			return key.len || value.len || kiln_stream_at(p, kiln_stream_count(p)).samples ||
			       kiln_loss_at(p, kiln_loss_count(p)).count || kiln_sample_count(p, 1000) ||
			       kiln_sample_at(p, 0, 1000).value || kiln_stack_caller(p, 1000) ||
			       kiln_stack_frames(p, 1000, NULL, 0) || kiln_node_at(v, kiln_node_count(v)).total;
		}
	END
	cc -Wall -Werror -I"$root/include" high.c -o high -L"$lib" -lkiln
	LD_LIBRARY_PATH=$lib ./high
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
