#!/usr/bin/env python3
"""as_format.py FORMAT MEGABYTES <FOLDED: real stacks, as another tool would have printed them.

Stacks come in the order of a seeded draw, by their weights; addresses, times and counts vary. Formats that
print trees get one for each of as many threads (processes, events) as fill the size. json_shapes.py has those
that are JSON, table_shapes.py those that give places numbers.
"""
import sys

import json_shapes
import table_shapes
from shapes import draw, hash_of, place, say, total, walk, written


# ---- A stack at a time: frames innermost first, a count ----

def dtrace(frames, count):
    for name in frames:
        say(f"              app`{name}+0x{draw.randrange(40):x}\n")
    say(f"{count:17d}\n\n")


def stap(frames, count):
    for name in frames:
        offset = draw.randrange(40)
        say(f" 0x{place(name, offset=offset):x} : {name}+0x{offset:x}/0x80 [/usr/bin/app]\n")
    say(f"\t{count}\n")


def bpftrace(frames, count):
    say("@[\n" + "".join(f"    {name}+{draw.randrange(40)}\n" for name in frames) + f", app]: {count}\n")


def bcc(frames, count):
    say("".join(f"    {name}\n" for name in frames))
    say(f"    -                app ({draw.randrange(20) + 100})\n        {count}\n\n")


def gdb(frames, count):
    say(f'Thread {count} (Thread 0x{draw.getrandbits(44):x} (LWP {count}) "worker"):\n')
    for depth, name in enumerate(frames):
        where = f"0x{place(name, 4):016x} in " if depth else ""
        said = f"at ../src/{name[:6]}.cc:{hash_of(name) % 500}" if depth % 4 else "from /usr/lib/libwork.so.1"
        say(f"#{depth:<2} {where}{name} (n={draw.randrange(4)}) {said}\n")
    say("\n")


def eu_stack(frames, count):
    say(f"TID {31000 + count}:\n")
    for depth, name in enumerate(frames):
        say(f"#{depth:<2} 0x{place(name, 8):016x} {name}\n")


def faulthandler(frames, count):
    say(f"Thread 0x{0x7F6B2642A6C0 + count * 4096:016x} (most recent call first):\n")
    for name in frames:
        say(f'  File "/usr/lib/python3.11/{name[:8]}.py", line {hash_of(name) % 400 + draw.randrange(2)} in {name}\n')
    say("\n")


def java_name(name):
    return "org.app." + "".join(char if char.isalnum() else "." for char in name).strip(".") + ".run"


def java_frames(frames):
    for name in frames:
        say(f"\tat {java_name(name)}({name[:6]}.java:{hash_of(name) % 300 + draw.randrange(3)})\n")


def jstack(frames, count):
    state = draw.choice(["RUNNABLE", "RUNNABLE", "WAITING (parking)"])
    say(f'"pool-{count % 5}-thread-{count}" #{count} daemon prio=5 os_prio=0 cpu={draw.random() * 1000:.2f}ms '
        f"tid=0x{draw.getrandbits(44):016x} nid=0x{7000 + count:x} runnable  [0x{draw.getrandbits(44):016x}]\n"
        f"   java.lang.Thread.State: {state}\n")
    java_frames(frames)
    say("\n")


def java_exceptions(frames, count):
    say(f"2024-05-01 12:00:{draw.randrange(60):02d} ERROR [thread-{count}] request failed\n"
        "java.lang.IllegalStateException: no\n")
    java_frames(frames)


def javacore(frames, count):
    say(f'3XMTHREADINFO      "pool-thread-{count}" J9VMThread:0x{draw.getrandbits(44):016X}, state:R, prio=5\n'
        f"3XMTHREADINFO1            (native thread ID:0x{count + 5000:X}, native priority:0x5)\n"
        "3XMTHREADINFO3           Java callstack:\n")
    for name in frames:
        path = java_name(name).rsplit(".", 1)
        say(f"4XESTACKTRACE                at {path[0].replace('.', '/')}.{path[1]}"
            f"({name[:6]}.java:{hash_of(name) % 300}(Compiled Code))\n")
    say("NULL\n")


def ljp(frames, count):
    say(f"  {count} {len(frames)}  " + "\n        ".join(
        f"{name}({name[:6]}.java:{hash_of(name) % 300})" for name in frames) + "\n")


def wcp(frames, count):
    say(f"{draw.random() * 10:.3f}% ==== ({count} samples)\n")
    for depth, name in enumerate(frames):
        say(f"{depth + 1:3d}: {name}   (at /src/{name[:6]}.nim:{hash_of(name) % 300})\n")
    say("\n")


def aix(frames, count):
    say(f"{9502860 + count}: /usr/bin/app -d\n")
    for name in frames:
        name = name.strip("[]")  # else it has no name, and the address is what is told apart
        offset = draw.randrange(40)
        say(f"0x{place(name, offset=offset) & 0xFFFFFFFF:08x}  {name}(??, ??) + 0x{offset:x}\n")
    say("\n")


def austin(frames, count):
    say(f"P42;T0:{42 + count % 7};" + ";".join(f"{name[:8]}.py:{name}:{hash_of(name) % 500}" for name in frames[::-1]) +
        f" {15000 + count * 3},{count % 2},{count * 4096}\n")


def perf_sched(frames, count):
    seconds = written() / 1e6
    say(f"app 42/42 {seconds:.6f}: sched:sched_switch: prev_comm=app prev_pid=42 prev_prio=120 prev_state=S ==> "
        "next_comm=swapper/6 next_pid=0 next_prio=120\n")
    for name in frames:
        say(f"\t{place(name):16x} {name} (/usr/bin/app)\n")
    say(f"\nswapper 0/0 {seconds:.6f}: sched:sched_stat_sleep: comm=app pid=42 delay={count * 1000} [ns]\n\n")


calls = []  # that have not returned: name, number
number = 1


def xdebug(frames, _):
    """From the calls that are open to these: what differs returns, what is new is called."""
    global number
    names = frames[::-1]
    same = 0
    while same < min(len(calls), len(names) - 1) and calls[same][0] == names[same]:
        same += 1
    while len(calls) > same:
        say(f"{len(calls) + 1}\t{calls.pop()[1]}\t1\t{written() / 1e6:.6f}\t393032\n")
    for name in names[same:]:
        number += 1
        calls.append((name, number))
        say(f"{len(calls) + 1}\t{number}\t0\t{written() / 1e6:.6f}\t{393032 + number % 977 * 8}\t{name}\t1\t\t"
            f"/srv/source.php\t{hash_of(name) % 400}\t0\n")


EACH = {"perf-sched": perf_sched, "xdebug": xdebug, "dtrace": dtrace, "stap": stap, "bpftrace": bpftrace, "bcc": bcc, "gdb": gdb, "eu-stack": eu_stack,
        "faulthandler": faulthandler, "jstack": jstack, "java-exceptions": java_exceptions,
        "javacore": javacore, "ljp": ljp, "wcp": wcp, "aix": aix, "austin": austin,
        **json_shapes.EACH, **table_shapes.EACH}
BEFORE = {"eu-stack": "PID 31000 - process\n", "jstack": "Full thread dump OpenJDK 64-Bit Server VM (17.0.15):\n\n",
          "javacore": "1XMTHDINFO     Thread Details\nNULL\n",
          "xdebug": "Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-22 00:05:38.274145]\n"
                    "1\t0\t0\t0.000000\t393032\t{main}\t1\t\t/srv/index.php\t0\t0\n",
          "wcp": "Sampling stack while program runs....\n\nFull stacks of all samples:\n\n"}


# ---- Trees, of a thread or an event each ----

def sample_tree(root, thread):
    say(f"    {total(root)} Thread_{thread}   DispatchQueue_{thread}: worker  (serial)\n")

    def call(node, depth):
        offset = draw.randrange(40)
        say("    " + "+ " * (depth + 1) + f"{total(node)} {node[0]}  (in app) + {offset}  "
            f"[0x{place(node[0], offset=offset):x}]\n")

    walk(root, 0, call)


def pmc_tree(root, event):
    say(f"@ EVENT_{event % 16} [{total(root)} samples]\n\n")
    walk(root, 0, lambda node, depth: say(
        " " * depth + f"{draw.random() * 100:05.2f}%  [{total(node)}]  {node[0]}" +
        ("" if depth else " @ /usr/bin/app") + "\n"))


def instruments_tree(root, thread):
    say(f"{total(root)}.0ms  50.0%\t0.0\t \tworker {thread}\n")
    walk(root, 1, lambda node, depth: say(
        f"{total(node)}.0ms  50.0%\t{node[1]}.0\t \t{' ' * depth}{node[0]}\n"))


MODULES = ["app.exe", "ntdll.dll", "KERNEL32.DLL", "Work.Rendering.dll", "mscorlib.dll"]
PARAMETERS = ["", "int32", "class Work.Ray&,bool&", "valuetype Work.Vector3,valuetype Work.Vector3"]


def module_of(name):
    return MODULES[hash_of(name) % len(MODULES)]


def vtune_tree(root, thread):
    say(f" worker {thread},0.0,app.exe\n")
    walk(root, 2, lambda node, depth: say(
        " " * depth + (f'"{node[0]}"' if "," in node[0] else node[0]) + f",{node[1] / 1000},{module_of(node[0])}\n"))


def vsprof_tree(root, process):
    def call(node, depth):
        parameters = PARAMETERS[hash_of(node[0]) // 8 % len(PARAMETERS)]
        calls = f'"{total(node):,}"' if total(node) > 999 else total(node)
        say(f'{depth},"Work.{node[0]}({parameters})",{calls},{draw.random() * 100:.2f},{draw.random() * 10:.2f},'
            f'0.04,0.00,"{module_of(node[0])}",\n')

    say(f'0,"app {process}.exe",0,100.00,0.00,0.00,0.00,"",\n')
    walk(root, 1, call)


def ghc_tree(root, number):
    whole = total(root)

    def call(node, depth):
        below = 100 * total(node) / whole
        say(f"{' ' * depth}{node[0]:<40} Main.Work   src/Work.hs:{hash_of(node[0]) % 900}:1-20 {100 + number}  {node[1] * 7}"
            f"  {100 * node[1] / whole:.1f}  0.1  {below:.1f}  {below:.1f}  {node[1]}  {node[1] * 96}\n")

    say(f"CAF{number:<37} MAIN        <built-in>  {100 + number}  0  0.0  0.0  100.0  100.0  0  0\n")
    walk(root, 1, call)


def perf_report_tree(root, event):
    whole = total(root)
    say(f"# Samples: {whole}  of event 'cpu-clock:{event}'\n# Event count (approx.): {whole * 250000}\n#\n"
        "# Overhead  Command  Shared Object  Symbol\n# ........  .......  .............  ......\n#\n")
    by_leaf = {}

    def collect(node, path):
        for child in node[2].values():
            here = path + [child[0]]
            if child[1]:
                by_leaf.setdefault(child[0], []).append((child[1], ";".join(here)))
            collect(child, here)

    collect(root, [])
    for leaf, stacks in by_leaf.items():
        say(f"    {100 * sum(count for count, _ in stacks) / whole:.2f}%  app  app  [.] {leaf}\n")
        say("".join(f"{count} {path}\n" for count, path in stacks))


TREES = {"ghc": ghc_tree, "perf-report": perf_report_tree, "sample": sample_tree, "pmc": pmc_tree, "instruments": instruments_tree, "vtune": vtune_tree,
         "vsprof": vsprof_tree}
BEFORE.update({
    "ghc": "\tMon Nov 23 12:00 2026 Time and Allocation Profiling Report  (Final)\n\n\t   app +RTS -P -RTS\n\n"
           "\ttotal time  =        1.00 secs   (1000 ticks @ 1000 us, 1 processor)\n"
           "\ttotal alloc =   1,001,024 bytes  (excludes profiling overheads)\n\n"
           "COST CENTRE MODULE SRC no. entries  %time %alloc   %time %alloc  ticks     bytes\n\n",
    "sample": "Analysis of sampling app (pid 1) every 1 millisecond\n\nCall graph:\n",
    "instruments": "Running Time\tSelf (ms)\t\tSymbol Name\n",
    "vtune": "Function Stack,CPU Time:Self,Module\nTotal,0.0,[Unknown]\n",
    "vsprof": "Level,Function Name,Number of Calls,Elapsed Inclusive Time %,Elapsed Exclusive Time %,"
              "Avg Elapsed Inclusive Time,Avg Elapsed Exclusive Time,Module Name,\n"})
BEFORE.update(json_shapes.BEFORE)
BEFORE.update(table_shapes.BEFORE)
END = {**json_shapes.END, **table_shapes.END}
AFTER = {"sample": "\nTotal number in stack (recursive counted multiple, when >=5):\n"}
INNERMOST_FIRST = {"pmc"}


def tree_of(stacks):
    root = ["", 0, {}, None]
    for frames, count in stacks:
        node = root
        for name in frames:
            node = node[2].setdefault(name, [name, 0, {}, None])
        node[1] += count % 1000 + 1
    return root


def write_trees(form, size, stacks):
    """Each of some stacks of all, until they fill the size."""
    if form not in INNERMOST_FIRST:
        stacks = [(frames[::-1], count) for frames, count in stacks]
    number = 0
    while written() < size:
        number += 1
        TREES[form](tree_of(draw.sample(stacks, min(len(stacks), 5000))), number)


def read():
    stacks = []
    for line in sys.stdin:
        frames, count = line.rstrip("\n").rsplit(" ", 1)
        names = [name.replace('"', "").replace("\t", " ") for name in frames.split(";")[1:][-60:]]
        if names:
            stacks.append((names[::-1], int(float(count))))
    return stacks


def main():
    form, size = sys.argv[1], float(sys.argv[2]) * 1e6
    stacks = read()
    sys.setrecursionlimit(10000)
    say(BEFORE.get(form, ""))
    if form in TREES:
        write_trees(form, size, stacks)
        say(AFTER.get(form, ""))
        return
    weights = [count for _, count in stacks]
    while written() < size:
        for frames, _ in draw.choices(stacks, weights, k=1000):
            EACH[form](frames, draw.randrange(1, 90))
    say(END.get(form, str)())


main()
