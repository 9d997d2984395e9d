# record_jit.bats: is code that Node.js made while it ran named by what was there at the time?
load common

setup_file() {
	load common
	build_programs
	command -v node >/dev/null || skip "no node"
	cp "$programs"/*.js "$bin"
	export NODE_OPTIONS=
}

# near FILE PERCENT: every function has the CPU time that the program itself says (file `own`), give
# or take this part of it.
near() {
	"$kiln" fold -q "$1" >folded
	python3 - "$2" <<-'END'
	import collections, re, sys
	shown, own = collections.Counter(), {}
	for line in open("folded"):
	    stack, _, ns = line.rpartition(" ")
	    names = re.findall(r"\bwork\d+\b", stack)
	    shown[names[-1] if names else None] += int(ns) / 1e6
	for line in open("own"):
	    name, ms = line.split()
	    own[name] = int(ms)
	off = {name: (round(shown[name]), ms) for name, ms in own.items()
	       if abs(shown[name] - ms) > float(sys.argv[1]) / 100 * ms}
	assert len(own) >= 8 and not off, off
	print(f"{len(own)} functions, worst", max(abs(shown[n] - ms) / ms for n, ms in own.items()))
	END
}

@test "a perf map that is followed: places used again have the name of their time" {
	"$kiln" record -v -o p.kiln -- node --expose-gc --perf-basic-prof "$bin/reuse.js" 12 300 >own 2>said
	# What was there is known to a hundredth of a second, the interval of the looks, or 25 ms on a busy machine: so much is
	# another function's, however long each runs.
	near p.kiln 15
	grep -q 'at reused addresses of JIT code, named by their time: [0-9]' said
}

@test "a perf map that appears a while after the place of its code" {
	[ "$(uname -m)" = x86_64 ] || skip "the code is x86-64's"
	cat >late.py <<-'END'
	import ctypes, mmap, os, time
	code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
	code.write(bytes.fromhex("4889f848ffc875fbc3"))  # counts its argument down
	at = ctypes.addressof(ctypes.c_char.from_buffer(code))
	run = ctypes.CFUNCTYPE(None, ctypes.c_ulong)(at)
	def burn(ms):
	    start = time.thread_time()
	    while (time.thread_time() - start) * 1e3 < ms:
	        run(1000000)
	    return round((time.thread_time() - start) * 1e3)
	time.sleep(0.1)
	with open(f"/tmp/perf-{os.getpid()}.map", "w") as names:
	    for k in range(8):
	        print(f"{at:x} 9 work{k}", file=names, flush=True)
	        print(f"work{k}", burn(300))
	os.remove(names.name)
	END
	"$kiln" record -q -o p.kiln -- python3 late.py >own
	# The map is found at most an eighth of 100 ms and 10 ms late, later on a busy machine: far from 300 ms.
	near p.kiln 30
}

@test "a jitdump: times, and lines" {
	"$kiln" record -q --lines -o p.kiln -- node --expose-gc --perf-prof "$bin/reuse.js" 8 300 >own
	near p.kiln 10
	# The loop is in lines 3 and 4 of what is evaluated.
	"$kiln" fold -q --lines p.kiln >lines
	grep -oE 'work[0-9]+ [^;]*\([^;)]*:[34]\)' lines
	rm -f jit-*.dump
}

@test "a log of V8, found where the process works" {
	"$kiln" record -q -o p.kiln -- node --expose-gc --log-code "$bin/reuse.js" 8 300 >own
	near p.kiln 10
}

@test "a log of V8 where the user says" {
	mkdir logs
	"$kiln" record -q -o none.kiln -- node --expose-gc --prof --logfile=logs/one.log --no-logfile-per-isolate \
		"$bin/reuse.js" >own
	[ -z "$("$kiln" fold -q none.kiln | grep -E "\bwork[0-9]")" ]
	rm logs/one.log
	"$kiln" record -q -o p.kiln --v8-log 'logs/*.log' -- node --expose-gc --prof --logfile=logs/two.log \
		--no-logfile-per-isolate "$bin/reuse.js" 8 300 >own
	near p.kiln 10
}

@test "tiers are kinds of frames" {
	"$kiln" record -q -o p.kiln -- node --expose-gc --perf-basic-prof --interpreted-frames-native-stack \
		--no-opt --no-sparkplug "$bin/reuse.js" 8 300 >own
	"$kiln" draw -q --clean node p.kiln -o p.svg
	grep -oE '>interpreted [6-9][0-9]\.[0-9]*%<' p.svg
	# Collectors of garbage have had their part of the time, in threads of their own.
	near p.kiln 45
	"$kiln" record -q -o b.kiln -- node --expose-gc --perf-basic-prof --no-opt --always-sparkplug \
		"$bin/reuse.js" 8 300 >own
	"$kiln" draw -q --clean node b.kiln -o b.svg
	grep -oE '>baseline [5-9][0-9]\.[0-9]*%<' b.svg
}

@test "java: stacks through what it compiles are whole with frame pointers, and without it is said what to do" {
	command -v javac >/dev/null || skip "no java"
	cat >Work.java <<-'END2'
	public class Work {
		static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
		public static void main(String[] a) {
			long end = System.nanoTime() + 3000000000L, sum = 0;
			while (System.nanoTime() < end)
				sum += fib(25);
			System.out.println(sum);
		}
	}
	END2
	javac Work.java
	for way in perf bpf; do
		"$kiln" record --recorder $way -o p.kiln -- java -XX:+PreserveFramePointer -cp . Work >own 2>said
		cat said
		at_least "$(sed -n 's/%* of the user stacks are complete.*//p' said)" 98
		run -1 grep 'compiled Java code' said
		"$kiln" record --recorder $way -o p.kiln -- java -cp . Work >own 2>said
		cat said
		[ "$(grep -c '^compiled Java code .*-XX:+PreserveFramePointer$' said)" -eq 1 ]
		at_least "$(share p.kiln '\[truncated:no-table\]')" 20
	done
}

@test "node and python without names of their functions: the summary says which setting gives them" {
	# advised SETTING: the last recording was told it in one line, and nothing else.
	advised() {
		cat said
		[ "$(grep -c '^for a better picture: ' said)" -eq 1 ]
		grep -q "^for a better picture: start .*$1 ([0-9.]*% of " said
	}
	"$kiln" record -o p.kiln -- node --expose-gc "$bin/reuse.js" 4 300 >own 2>said
	advised NODE_OPTIONS=--perf-basic-prof
	NODE_OPTIONS=--perf-basic-prof "$kiln" record -o p.kiln -- node --expose-gc "$bin/reuse.js" 4 300 >own 2>said
	cat said
	run -1 grep 'for a better picture: start' said
	for python in python3.12 python3.13 python3.14 ~root/.pyenv/versions/3.1[2-9].*/bin/python3; do
		"$python" -c "" 2>/dev/null || continue
		work='def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
fib(27)'
		"$kiln" record -o p.kiln -- "$python" -c "$work" 2>said
		advised PYTHONPERFSUPPORT=1
		PYTHONPERFSUPPORT=1 "$kiln" record -o p.kiln -- "$python" -c "$work" 2>said
		cat said
		run -1 grep 'for a better picture: start' said
		"$kiln" fold -q p.kiln | grep -q 'py::fib:'
		break
	done
}

@test "no map is looked for of a program that makes no code" {
	"$bin/busy" 5 >own &
	strace -f -qq -e trace=openat2 -o opened "$kiln" record -q -d 1 -o p.kiln -p $! 2>said
	kill $!
	"$kiln" fold -q p.kiln | grep -q busy
	run -1 grep 'perf-[0-9]*\.map' opened
}
