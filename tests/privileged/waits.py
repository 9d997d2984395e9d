"""waits.py TRUTH [LOST] < FOLDED: is what threads waited, by function, what they know themselves?

TRUTH has lines "FUNCTION WALL CPU QUEUE" in ns. What was off the CPU in a function is wall less CPU, to 2%; it slept
but for the time that the scheduler counts as in a queue for a CPU, however late timers and CPUs were. Time that a
hypervisor took is neither, and is allowed for (/proc/stat before and after in the files before and after). Of LOST
waits nobody knows how long they were: 100 ms is what the longest are."""
import collections
import sys

FUNCTIONS = "sleeps holds wants reads writes burns".split()
LOST = sum(map(int, sys.argv[2:]))
SLACK = 3e6 + 100e6 * min(LOST, 1)  # ns: what happens between a program's two clocks

# What these sleep at least, ns: they ask for it. The scheduler of Linux 6.18 now and then counts a part of a sleep as
# time in the queue, so what it leaves can be less; of who waits for others it only tells the least.
SLEPT = {"sleeps": 1e9, "holds": 1e9, "writes": 1e9}

truth, queued = collections.Counter(), collections.Counter()
for line in open(sys.argv[1]):
    name, wall, cpu, queue = line.split()
    truth[name] += int(wall) - int(cpu)
    queued[name] += int(queue)
found = collections.defaultdict(collections.Counter)
for line in sys.stdin:
    stack, _, ns = line.rpartition(" ")
    frames = stack.split(";")
    name = next((f for f in frames if f in FUNCTIONS), None)
    found[name][frames[-1].split(":")[0].rstrip("]")] += int(ns)

# In ticks: user, nice, system, idle, iowait, irq, softirq, steal.
stolen = sum(int(open(f).readline().split()[8]) * s for f, s in (("before", -1), ("after", 1))) * 1e7
bad = 0


def near(what, a, b, slack=SLACK):
    global bad
    ok = abs(a - b) <= 0.02 * b + slack
    print(f"{what}: {a / 1e6:.1f} ms, expected {b / 1e6:.1f}{'' if ok else '  <--'}")
    bad += not ok


for name in FUNCTIONS:
    print(name, {kind: f"{ns / 1e6:.1f}" for kind, ns in found[name].items()})
    if name in truth:
        near(name, sum(found[name].values()), truth[name], SLACK + (stolen if name == "burns" else 0))
        if name != "burns":
            asleep = found[name]["[sleeping"]
            least = max(truth[name] - queued[name], SLEPT.get(name, 0))
            near(name + ", asleep", asleep, least if name in SLEPT else max(least, asleep))
if "burns" in truth:
    near("burns, preempted", found["burns"]["[preempted"], truth["burns"], SLACK + stolen)
    near("burns, asleep", found["burns"]["[sleeping"], 0)
sys.exit(bad > 0)
