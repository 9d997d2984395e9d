"""waits.py TRUTH [LOST] < FOLDED: is what threads waited, by function, what they know themselves?

TRUTH has lines "FUNCTION WALL CPU" in ns. What was off the CPU in a function is wall less CPU, to 2%; time that a
hypervisor took is neither, and is allowed for (/proc/stat before and after in the files before and after). Of LOST
waits nobody knows how long they were: 100 ms is what the longest are."""
import collections
import os
import re
import sys

FUNCTIONS = "sleeps holds wants reads writes burns".split()
LOST = sum(map(int, sys.argv[2:]))
LATE = 0.4 if os.environ.get("VM_SIMULATED") else 0.02  # what timers are, of their time
SLACK = 3e6 + 100e6 * min(LOST, 1)  # ns: what happens between a program's two clocks, and timers' own slack

truth = collections.Counter()
for line in open(sys.argv[1]):
    name, wall, cpu = line.split()
    truth[name] += int(wall) - int(cpu)
found = collections.defaultdict(collections.Counter)
for line in sys.stdin:
    stack, _, ns = line.rpartition(" ")
    frames = stack.split(";")
    name = next((f for f in frames if f in FUNCTIONS), None)
    found[name][frames[-1].split(":")[0].rstrip("]")] += int(ns)

# In ticks: user, nice, system, idle, iowait, irq, softirq, steal.
stolen = sum(int(open(f).readline().split()[8]) * s for f, s in (("before", -1), ("after", 1))) * 1e7
bad = 0


def near(what, a, b, slack=SLACK, late=0.02):
    global bad
    ok = b - 0.02 * b - slack <= a <= b + late * b + slack
    print(f"{what}: {a / 1e6:.1f} ms, expected {b / 1e6:.1f}{'' if ok else '  <--'}")
    bad += not ok


for name in FUNCTIONS:
    print(name, {kind: f"{ns / 1e6:.1f}" for kind, ns in found[name].items()})
    if name in truth:
        near(name, sum(found[name].values()), truth[name], SLACK + (stolen if name == "burns" else 0))
near("sleeps, asleep", found["sleeps"]["[sleeping"], 20 * 50e6, late=LATE)
near("writes, asleep", found["writes"]["[sleeping"], 10 * 100e6, late=LATE)
if "burns" in truth:
    near("burns, preempted", found["burns"]["[preempted"], truth["burns"], SLACK + stolen)
    near("burns, asleep", found["burns"]["[sleeping"], 0)
sys.exit(bad > 0)
