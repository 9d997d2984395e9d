# names.bats: inlined functions, lines, and what earlier runs found out.
load common

# A program whose time is spent in one function, through two that were inlined around it.
record_app() {
	cat >app.cc <<-'END'
	namespace deep {
	static inline __attribute__((always_inline)) double innermost(double x)
	{
		for (int i = 0; i < 50; i++)
			x = x * 1.0000001 + 0.5 / (x + 1); /* line 5 */
		return x;
	}
	template <typename T> struct Box {
		T value;
		inline __attribute__((always_inline)) T turn(T x)
		{
			return innermost(x) + value; /* line 12 */
		}
	};
	}
	__attribute__((noinline)) double work(double x)
	{
		deep::Box<double> box{1.0};
		return box.turn(x); /* line 19 */
	}
	int main()
	{
		double x = 1;
		for (long i = 0; i < 2000000; i++)
			x = work(x) - 1; /* line 25 */
		return x == 0.5;
	}
	END
	g++ -O2 -g -Wl,--build-id=sha1 app.cc -o app
	"$kiln" record -q -u "$@" -o app.kiln -- ./app || skip "no perf events here"
	export KILN_CACHE=$PWD/cache
	forget=$(dirname "$kiln")/tests/forget_names
}

# The weight in percent of the stacks that match a regular expression.
weight_of() {
	python3 -c "
import re, sys
part = whole = 0
for line in sys.stdin:
    stack, _, weight = line.rpartition(' ')
    whole += int(weight)
    part += int(weight) * bool(re.search(sys.argv[1], stack))
print(100 * part // max(whole, 1))" "$1"
}

@test "a recording names inlined functions, outermost first" {
	record_app
	[ "$("$kiln" fold -q app.kiln | weight_of ';main;work;deep::Box<double>::turn;deep::innermost$')" -ge 95 ]
	# Marked as what they are.
	"$kiln" fold -q --inlined app.kiln | grep -q ';work;deep::Box<double>::turn_\[i\];deep::innermost_\[i\]'
	run "$kiln" fold -q --lines app.kiln
	[[ $output == *"main (app.cc:25);work (app.cc:19);deep::Box<double>::turn (app.cc:12);deep::innermost (app.cc:5) "* ]]
}

@test "--no-inline: what was inlined is its function's, recorded so or not" {
	record_app
	[ "$("$kiln" fold -q --no-inline app.kiln | weight_of ';main;work$')" -ge 95 ]
	run "$kiln" fold -q --no-inline app.kiln
	[[ $output != *innermost* ]]
	run "$kiln" fold -q --no-inline --lines app.kiln
	[[ $output == *"main (app.cc:25);work (app.cc:19) "* ]]
	[[ $output != *innermost* ]]
	record_app --no-inline
	run "$kiln" fold -q app.kiln
	[[ $output == *";main;work "* ]]
	[[ $output != *innermost* ]]
}

@test "--no-inline also where the input says what was inlined" {
	cat >perf.txt <<-'END'
	app 1 [000] 1.0: cpu-clock:
	    401000 innermost (inlined)
	    401000 turn (inlined)
	    401000 work+0x10 (/bin/app)
	    400900 main+0x5 (/bin/app)

	END
	[ "$("$kiln" fold perf.txt)" = "app;main;work;turn;innermost 1" ]
	[ "$("$kiln" fold --no-inline perf.txt)" = "app;main;work 1" ]
}

@test "recorded lines need no binary any more" {
	record_app --lines
	mv app gone
	run "$kiln" fold -q --lines app.kiln
	[[ $output == *"deep::Box<double>::turn (app.cc:12);deep::innermost (app.cc:5) "* ]]
	# Without --lines the same recording is one box for each function.
	[ "$("$kiln" fold -q app.kiln | grep -c ';deep::innermost ')" -eq 1 ]
}

@test "lines reach every output" {
	record_app
	"$kiln" draw -q --lines app.kiln -o lines.svg
	grep -q 'deep::innermost (app.cc:5)' lines.svg
	"$kiln" draw -q app.kiln -o plain.svg
	run ! grep -q 'app.cc' plain.svg
	run "$kiln" top -q --lines app.kiln
	[[ $output == *"deep::innermost (app.cc:5)"* ]]
}

@test "the second run is answered by the cache, and says the same" {
	record_app
	"$forget" app.kiln forgotten.kiln
	run "$kiln" fold -v forgotten.kiln
	[[ $output == *"known from earlier runs: 0"* ]]
	"$kiln" fold -q forgotten.kiln >first
	run "$kiln" fold -v forgotten.kiln
	[[ $output =~ "addresses looked up: "([0-9]+)", known from earlier runs: "([0-9]+) ]]
	# The cache is of files: a sample within execve may have an address of the program before, which is in none.
	nowhere=$("$kiln" info forgotten.kiln | sed -n 's/^ *[0-9]* of *\([0-9]*\)  JIT code.*/\1/p')
	[ "${BASH_REMATCH[1]}" -eq $((BASH_REMATCH[2] + ${nowhere:-0})) ]
	"$kiln" fold -q forgotten.kiln | diff first -
	"$kiln" fold -q --no-cache forgotten.kiln | diff first -
	"$kiln" fold -q app.kiln | diff first -
}

@test "a damaged cache changes nothing but the time" {
	record_app
	"$forget" app.kiln forgotten.kiln
	"$kiln" fold -q --no-cache forgotten.kiln >right
	[ ! -e cache ]
	"$kiln" fold -q forgotten.kiln >/dev/null
	for file in cache/*; do
		head -c 100 "$file" >cut && mv cut "$file"
	done
	"$kiln" fold -q forgotten.kiln | diff right -
	for file in cache/*; do
		printf '\377' | dd of="$file" bs=1 seek=90 conv=notrunc status=none
	done
	"$kiln" fold -q forgotten.kiln | diff right -
	rm -rf cache && : >cache # not even a folder
	"$kiln" fold -q forgotten.kiln | diff right -
}

@test "two at once" {
	record_app
	"$forget" app.kiln forgotten.kiln
	"$kiln" fold -q --no-cache forgotten.kiln >right
	for turn in 1 2 3 4 5 6 7 8; do
		"$kiln" fold -q forgotten.kiln >one &
		"$kiln" fold -q forgotten.kiln >two
		wait $!
		diff right one
		diff right two
	done
	run ls -A cache
	[[ $output != *"~"* ]]
}
