#!/usr/bin/env python3
"""tracers.py FORMAT MB MIX: MB of text in another tracer's format, out of the stacks of a text of `perf script`.

The stacks, their order, names and offsets are those of real programs (inputs.sh); only the way in which they are
written is another tool's. FORMAT is the name of a reader."""
import re
import sys

EVENT = re.compile(r"^(\S.*?)\s+(\d+)(?:/(\d+))? .*?(\d+\.\d+): ")
FRAME = re.compile(r"^\s*([0-9a-f]+) (.*?)(?:\+0x([0-9a-f]+))? \((.*)\)$")
CHUNK = 3000  # samples of one call tree


def samples(path):
    """comm, pid, seconds, [(address, symbol, offset, module)], innermost first; over and over."""
    while True:
        with open(path, encoding="utf-8", errors="replace") as text:
            comm, pid, time, frames = "", 0, 0.0, []
            for line in text:
                if line == "\n":
                    if frames:
                        yield comm, pid, time, frames
                    frames = []
                elif line[0] != "\t":
                    found = EVENT.match(line)
                    if found:
                        comm, pid, time = found[1], int(found[2]), float(found[4])
                else:
                    found = FRAME.match(line)
                    if found:
                        name = found[2] if found[2] != "[unknown]" else ""
                        frames.append((found[1], name, int(found[3] or "0", 16), found[4].split("/")[-1]))


def bpftrace(source):
    yield "Attaching 1 probe...\n\n\n"
    for number, (comm, _, _, frames) in enumerate(source):
        lines = "".join(f"    {n}+{o}\n" if n else f"    0x{a}\n" for a, n, o, _ in frames)
        yield f"@[\n{lines}, {comm}]: {number % 7 + 1}\n"


def dtrace(source):
    yield "CPU     ID                    FUNCTION:NAME\n  0  64091                        :tick-60s \n\n\n"
    for number, (_, _, _, frames) in enumerate(source):
        for a, n, o, m in frames:
            yield f"              {m}`{n}+{o:#x}\n" if n else f"              0x{a}\n"
        yield f"               {number % 7 + 1}\n\n"


def stap(source):
    for number, (_, _, _, frames) in enumerate(source):
        for a, n, o, m in frames:
            yield f" 0x{a} : {n}+{o:#x}/{o + 64:#x} [{m}]\n" if n else f" 0x{a} : 0x{a} [{m}+0x10]\n"
        yield f"\t{number % 7 + 1}\n"


def bcc(source):
    yield "Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.\n\n"
    for number, (comm, pid, _, frames) in enumerate(source):
        for _, n, _, _ in frames:
            yield f"    {n or '[unknown]'}\n"
        yield f"    -                {comm} ({pid})\n        {number % 7 + 1}\n\n"


def perf_sched(source):
    for comm, pid, time, frames in source:
        yield (f"{comm} {pid}/{pid} {time:.6f}: sched:sched_switch: prev_comm={comm} prev_pid={pid} prev_prio=120 "
               "prev_state=S ==> next_comm=swapper/6 next_pid=0 next_prio=120\n")
        for a, n, _, m in frames:
            yield f"\t{a:>16} {n or '[unknown]'} ({m})\n"
        yield f"\nswapper 0/0 {time:.6f}: sched:sched_stat_sleep: comm={comm} pid={pid} delay={pid * 1000} [ns]\n\n"


def xdebug(source):
    yield "Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-22 00:05:38.274145]\n"
    yield "1\t0\t0\t0.000100\t393032\t{main}\t1\t\t/srv/index.php\t0\t0\n"
    last, call, now = [], 0, 100
    for _, _, _, frames in source:
        names = [(n or "unknown", o) for _, n, o, _ in reversed(frames)]
        same = 0
        while same < min(len(last), len(names) - 1) and last[same][0] == names[same][0]:
            same += 1
        while len(last) > same:
            _, number = last.pop()
            now += 7
            yield f"{len(last) + 2}\t{number}\t1\t{now / 1e6:.6f}\t{393032 + number % 977 * 8}\n"
        for name, offset in names[same:]:
            call, now = call + 1, now + 5
            last.append((name, call))
            yield (f"{len(last) + 1}\t{call}\t0\t{now / 1e6:.6f}\t{393032 + call % 977 * 8}\t{name}\t1\t\t"
                   f"/srv/lib/source.php\t{offset}\t0\n")


def trees(source, outermost_first):
    """A call tree for every CHUNK samples: {(symbol, module, offset): [count, {...}]}."""
    tree = {}
    for number, (_, _, _, frames) in enumerate(source, 1):
        below = tree
        for a, n, o, m in reversed(frames) if outermost_first else frames:
            node = below.setdefault((n or f"0x{a}", m, o if outermost_first else 0), [0, {}])
            node[0] += 1
            below = node[1]
        if number % CHUNK == 0:
            yield tree
            tree = {}


def lines(tree, depth):
    for (name, module, offset), (count, below) in sorted(tree.items(), key=lambda item: -item[1][0]):
        yield depth, name, module, offset, count, below
        yield from lines(below, depth + 1)


def sample(source):
    yield "Analysis of sampling all (pid 64751) every 1 millisecond\n\nCall graph:\n"
    for number, tree in enumerate(trees(source, True)):
        yield f"    {CHUNK} Thread_{15758523 + number}\n"
        for depth, name, module, offset, count, _ in lines(tree, 1):
            yield f"    {'+ ' if depth == 1 else '+ ! ' + '  ' * (depth - 2)}{count} {name}  (in {module}) + {offset}  [{offset + 0x10384b549:#x}]\n"


def instruments(source):
    yield "Weight\tSelf Weight\t\tSymbol Name\n"
    for tree in trees(source, True):
        for depth, name, _, _, count, below in lines(tree, 0):
            own = count - sum(node[0] for node in below.values())
            yield f"{count}.00 ms  {100 * count / CHUNK:.1f}%\t{own}.00 ms\t \t{' ' * depth}{name}\n"


def pmc(source):
    for tree in trees(source, False):
        for depth, name, module, _, count, _ in lines(tree, 0):
            yield f"{' ' * depth}{100 * count / CHUNK:.2f}%  [{count}]       {name.replace(' ', '')} @ /boot/{module}\n"


def ljp(source):
    for number, (_, _, _, frames) in enumerate(source):
        head = f"{number % 7 + 1:>4} {len(frames)}   "
        for _, n, o, _ in frames:
            yield f"{head}{(n or 'java.lang.Unknown.run').split('(')[0].replace(' ', '')}(Source.java:{o})\n"
            head = "         "


def wcp(source):
    yield "Full stacks of all samples:\n\n"
    for number, (_, _, _, frames) in enumerate(source):
        yield f"0.{number % 900 + 100}% = ({number % 7 + 1} samples)\n"
        for place, (_, n, o, m) in enumerate(frames, 1):
            yield f"  {place}: {n or '??'}   (at /usr/src/{m}.c:{o})\n"
        yield "\n"


def aix(source):
    for comm, pid, _, frames in source:
        yield f"{pid}: {comm.replace(' ', '_')}\n---------- tid# {pid} (pthread ID:      1) ----------\n"
        for a, n, o, _ in frames:
            yield f"0x{a}  {n.split('(')[0].replace(' ', '') or '????????'}(??, ??) + {o:#x}\n"


def main():
    name, megabytes, path = sys.argv[1:4]
    left = int(megabytes) * 1000000
    for text in globals()[name.replace("-", "_")](samples(path)):
        sys.stdout.write(text)
        left -= len(text)
        if left < 0:
            break


main()
