# symbolize.bats: recordings whose binaries are elsewhere, and giving them their names later.
load common
load ../support/debuginfod

# A program, recorded, and the recording as it is when its recorder was killed: addresses only.
# named.folded is what naming at once gives; then the program is moved to moved/.
record_app() {
	# Nothing from earlier runs, of perf, debuginfod's clients or Kiln itself.
	export HOME=$PWD/home
	mkdir home
	unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH XDG_CACHE_HOME
	cat >app.c <<-'END'
	static volatile unsigned long sum;
	__attribute__((noinline)) static void inner_work(unsigned long n)
	{
		for (unsigned long i = 0; i < n; i++)
			sum += i * i;
	}
	__attribute__((noinline)) static void outer_work(void) { inner_work(100000000); sum++; }
	int main(void) { outer_work(); return 0; }
	END
	cc -g -O1 -Wl,--build-id=sha1 app.c -o app
	cc -g -O0 -Wl,--build-id=sha1 app.c -o other
	"$kiln" record -q -u -o named.kiln -- ./app || skip "no perf events here"
	"$(dirname "$kiln")/tests/forget_names" named.kiln forgotten.kiln
	"$kiln" fold named.kiln >named.folded
	grep -q 'main;outer_work;inner_work ' named.folded
	id=$(readelf -n app | sed -n 's/.*Build ID: //p')
	mkdir moved
	mv app moved/app
}

same_as_named() {
	diff named.folded <("$kiln" fold "$@")
}

@test "without its binary every address keeps its module and offset" {
	record_app
	run "$kiln" fold -q forgotten.kiln
	[ "$status" -eq 0 ]
	[[ $output == *"[app+0x"* ]]
	[[ $output != *inner_work* ]]
	# The offsets are those of the functions: what addr2line says of each, with the file.
	grep -o '\[app+0x[0-9a-f]*\]' <<<"$output" | sort -u | tr -d '[]' | sed 's/app+//' |
		while read -r offset; do
			echo "$(addr2line -f -e moved/app "$offset" | head -1)"
		done | sort -u | grep -v '?' >functions
	diff functions <(printf '%s\n' inner_work main outer_work _start | LC_ALL=C.UTF-8 sort)
	# Counts are those of the named profile: nothing is lost on the way.
	[ "$(awk '{s += $NF} END {print s}' named.folded)" = "$(awk '{s += $NF} END {print s}' <<<"$output")" ]
}

@test "what is missing is told, once, with what to do" {
	record_app
	run --separate-stderr "$kiln" fold forgotten.kiln
	[ "$(grep -c 'files that are missing or differ' <<<"$stderr")" -eq 1 ]
	[[ $stderr == *"files that are missing or differ"*": app;"*"--symfs"*"kiln symbolize"* ]]
	# Of samples, in however few rows they are: their times are kept in one profile, in the other they are summed.
	for file in today-little old-64; do
		cp "$BATS_TEST_DIRNAME/../golden/perf-data/$file.data" .
		"$kiln" fold $file.data 2>&1 >/dev/null | grep -oE '[0-9.]+% of the samples' >summed
		"$kiln" convert $file.data -o x.kiln 2>&1 | grep -oE '[0-9.]+% of the samples' | diff summed -
	done
}

@test "symbolize finishes the job: the same text as naming at once" {
	record_app
	mkdir -p "root$PWD"
	cp moved/app "root$PWD/app"
	"$kiln" symbolize -q --symfs root forgotten.kiln -o later.kiln
	same_as_named later.kiln
	# Also when it was named by offsets meanwhile, and into the same file.
	"$kiln" convert -q forgotten.kiln -o offsets.kiln
	"$kiln" fold offsets.kiln | grep -q '\[app+0x'
	"$kiln" symbolize -q --symfs root offsets.kiln -o offsets.kiln
	same_as_named offsets.kiln
	same_as_named --symfs root forgotten.kiln
}

@test "places: side by side, by build id, and in perf's cache" {
	record_app
	same_as_named --symfs moved forgotten.kiln
	mkdir -p "ids/.build-id/${id:0:2}/${id:2}" "home/.debug/.build-id/${id:0:2}/${id:2}"
	cp moved/app "ids/.build-id/${id:0:2}/${id:2}/elf"
	same_as_named --build-id-dir moved --build-id-dir ids forgotten.kiln
	cp moved/app "home/.debug/.build-id/${id:0:2}/${id:2}/elf"
	same_as_named forgotten.kiln
}

@test "a file of the same name and another build is not used" {
	record_app
	cp other app
	run "$kiln" fold -q forgotten.kiln
	[[ $output == *"[app+0x"* && $output != *inner_work* ]]
	mkdir -p "home/.debug/.build-id/${id:0:2}/${id:2}"
	cp other "home/.debug/.build-id/${id:0:2}/${id:2}/elf"
	run "$kiln" fold -q forgotten.kiln
	[[ $output != *inner_work* ]]
}

@test "a finished profile gets better names when a debug file has come" {
	record_app
	cp moved/app app
	objcopy --only-keep-debug app app.debug
	strip app
	rm -r home/.cache # where its names still are, from recording it
	"$kiln" convert -q forgotten.kiln -o stripped.kiln
	"$kiln" fold stripped.kiln | grep -q ';\[app\];'
	mkdir -p "home/.debug/.build-id/${id:0:2}/${id:2}"
	cp app.debug "home/.debug/.build-id/${id:0:2}/${id:2}/debug"
	same_as_named stripped.kiln
}

@test "options that lead nowhere" {
	run "$kiln" fold --symfs nowhere small.folded
	failed_with 2 "kiln: fold: --symfs: nowhere: No such file or directory"
	run "$kiln" fold --build-id-dir small.folded small.folded
	failed_with 2 "kiln: fold: --build-id-dir: expected a directory, small.folded is not one"
	run "$kiln" fold --vmlinux nowhere small.folded
	failed_with 2 "kiln: fold: --vmlinux: nowhere: No such file or directory"
	run "$kiln" symbolize small.folded
	[ "$status" -eq 2 ]
	[[ $output == "kiln: symbolize: name an output with -o"*".kiln"* ]]
}

# ---- Servers ----

@test "debuginfod: the binary is fetched from the server that the environment names" {
	command -v debuginfod >/dev/null || skip "no debuginfod"
	record_app
	debuginfod_starts moved "$id"
	# Nobody is asked without need, or against the user's will.
	run "$kiln" fold -q --no-debuginfod forgotten.kiln
	[[ $output == *"[app+0x"* ]]
	[ ! -e home/.cache/debuginfod_client ]
	same_as_named forgotten.kiln
	kill "$server"
	# What came is kept: no server is needed any more.
	unset DEBUGINFOD_URLS
	same_as_named forgotten.kiln
}

@test "debuginfod: one that never answers is waited for once, and told" {
	command -v debuginfod >/dev/null || skip "no debuginfod"
	record_app
	python3 - >port 3>&- <<-'END' &
	import socket, time
	s = socket.socket()
	s.bind(("127.0.0.1", 0))
	s.listen(9)
	print(s.getsockname()[1], flush=True)
	time.sleep(60)
	END
	server=$!
	while [ ! -s port ]; do sleep 0.1; done
	export DEBUGINFOD_URLS=http://127.0.0.1:$(cat port) DEBUGINFOD_TIMEOUT=1 DEBUGINFOD_RETRY_LIMIT=1
	run --separate-stderr "$kiln" symbolize forgotten.kiln -o later.kiln
	kill "$server"
	[ "$status" -eq 0 ]
	[ "$(grep -c 'no answer within' <<<"$stderr")" -eq 1 ]
	"$kiln" fold -q --no-debuginfod later.kiln | grep -q '\[app+0x'
}

@test "debuginfod: no server there" {
	command -v debuginfod >/dev/null || skip "no debuginfod"
	record_app
	DEBUGINFOD_URLS=http://127.0.0.1:$(free_port) run --separate-stderr "$kiln" fold forgotten.kiln
	[ "$status" -eq 0 ]
	[[ ${stderr_lines[0]} == "kiln: debuginfod: "*"app: Connection refused;"* ]]
}
