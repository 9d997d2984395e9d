#!/usr/bin/env python3
"""compare.py ROUNDS NAME COMMAND [NAME COMMAND]...: commands side by side, in ratios.

Every round runs each command once, in turn and in alternating order, so that what slows the machine
slows all of them. Prints for each the median wall time with its range, processor time, peak memory and
the ratio to the first command; ratios are medians of the rounds' ratios. A command is run by sh, with
its output going to /dev/null unless it says otherwise; one that fails ends the comparison. With BLOCK=n in
the environment each turn of a command is n runs of it, of which the median in wall time counts: what a CPU
that slept takes to wake up is then not in it. A leading "taskset -c LIST" is done here: its own time is not in it.
"""
import os
import re
import statistics
import subprocess
import sys
import time


def measure(command):
    """Wall seconds, processor seconds and peak MiB of one run and all it started."""
    every = os.sched_getaffinity(0)
    placed = re.match(r"taskset -c ([\d,]+) (.*)", command, re.S)
    if placed:
        os.sched_setaffinity(0, {int(cpu) for cpu in placed[1].split(",")})
    started = time.perf_counter()
    process = subprocess.Popen(["sh", "-c", placed[2] if placed else command],
                               stdout=subprocess.DEVNULL)
    os.sched_setaffinity(0, every)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"compare: exit {process.returncode}: {command}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def turn_of(command, block):
    """The median of a turn's runs, by wall time."""
    return sorted(measure(command) for _ in range(block))[block // 2]


def main():
    if len(sys.argv) < 4 or len(sys.argv) % 2:
        sys.exit(__doc__.splitlines()[0])
    rounds, block = int(sys.argv[1]), int(os.environ.get("BLOCK", "1"))
    names, commands = sys.argv[2::2], sys.argv[3::2]
    runs = [[] for _ in names]
    for command in commands:  # warm the page cache
        measure(command)
    for turn in range(rounds):
        order = range(len(names))
        for i in order if turn % 2 == 0 else reversed(order):
            runs[i].append(turn_of(commands[i], block))
    print(f"  {'':28} {'wall s':>9} {'range':>17} {'cpu s':>8} {'MiB':>7} {'ratio':>7}")
    for name, run in zip(names, runs):
        wall, cpu, memory = zip(*run)
        ratio = statistics.median(w / first[0] for w, first in zip(wall, runs[0]))
        print(f"  {name:28} {statistics.median(wall):9.3f} {min(wall):8.3f}-{max(wall):<8.3f}"
              f" {statistics.median(cpu):8.3f} {max(memory):7.0f} {ratio:6.2f}x")


if __name__ == "__main__":
    main()
