"""wall.py TRUTH < FOLDED: is the time of threads, on the CPU and off it, what they know themselves?

TRUTH has lines "FUNCTION WALL CPU QUEUE" in ns: all that is in a function, to 1% (and two samples of a timer, which can
fall on either side of it), what of it was on the CPU, and, as the scheduler counts, in a queue for one. Time that a
hypervisor took is on the CPU for who looks at switches, and not for the scheduler's clock: it is allowed for
(/proc/stat before and after, in the files before and after)."""
import collections
import re
import sys

FUNCTIONS = "sleeps holds wants reads writes burns".split()
KINDS = ["[sleeping]", "[disk sleep]", "[run queue]", "[preempted]", "[stopped]", "[idle]", "[switch not seen]"]
SLACK = 5e6

# What these sleep at least, ns: they ask for it. The scheduler of Linux 6.18 now and then counts a part of a sleep as
# time in the queue, so what it leaves can be less; of who waits for others it only tells the least.
SLEPT = {"sleeps": 1e9, "holds": 1e9, "writes": 1e9}

wall, cpu, queued, threads = (collections.Counter() for _ in range(4))
for line in open(sys.argv[1]):
    name, a, b, c = line.split()
    wall[name] += int(a)
    cpu[name] += int(b)
    queued[name] += int(c)
    threads[name] += 1
found = collections.defaultdict(collections.Counter)
for line in sys.stdin:
    stack, _, ns = line.rpartition(" ")
    frames = stack.split(";")
    name = next((f for f in frames if f in FUNCTIONS), None)
    kind = re.sub(": [^]]*", "", frames[-1])  # [sleeping: read]
    found[name][kind if kind in KINDS else "on"] += int(ns)

# In ticks: user, nice, system, idle, iowait, irq, softirq, steal.
stolen = sum(int(open(f).readline().split()[8]) * s for f, s in (("before", -1), ("after", 1))) * 1e7
bad = 0


def near(what, a, b, percent, slack):
    global bad
    ok = abs(a - b) <= percent / 100 * b + slack
    print(f"{what}: {a / 1e6:.1f} ms, expected {b / 1e6:.1f}{'' if ok else '  <--'}")
    bad += not ok


away = found[None]["[switch not seen]"]  # of whose function nobody knows
for name in FUNCTIONS:
    if name not in wall:
        continue
    print(name, {kind: f"{ns / 1e6:.1f}" for kind, ns in found[name].items()})
    near(name, sum(found[name].values()), wall[name], 1, SLACK * threads[name] + away)
    near(name + ", on the CPU", found[name]["on"], cpu[name], 1, SLACK * threads[name] + stolen)
    if name != "burns":
        asleep = found[name]["[sleeping]"]
        least = max(wall[name] - cpu[name] - queued[name], SLEPT.get(name, 0) * threads[name])
        near(name + ", asleep", asleep, least if name in SLEPT else max(least, asleep), 1, SLACK + away)
near("burns, asleep", found["burns"]["[sleeping]"], 0, 0, SLACK)
sys.exit(bad > 0)
