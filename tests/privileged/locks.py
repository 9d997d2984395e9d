"""locks.py: are the waits that were recorded those that locks.c measured? locks.py NS WAITS OWN

NS and WAITS are folded stacks of one recording, OWN what locks.c printed. Its own clock says a little more:
it goes on while the thread is on its way to the lock and back, and on a busy machine leaves the CPU there.
"""
import collections
import sys

PART = 0.02
LATE = 1e6  # ns, of each wait
kinds = {'waits_futex': '[futex]', 'asks_futex': '[futex]', 'waits_mutex': '[mutex]', 'waits_rwsem': '[rwsem write]'}
recorded = collections.defaultdict(lambda: [0, 0])
for column in 0, 1:
    for line in open(sys.argv[1 + column]):
        stack, _, weight = line.rpartition(' ')
        frames = stack.split(';')
        for frame in frames:
            if frames[0] == 'locks' and frames[-1] == kinds.get(frame):
                recorded[frame][column] += int(weight)

wrong = lines = 0
for line in open(sys.argv[3]):
    function, ns, waits = line.split()
    lines += 1
    ns, waits = int(ns), int(waits)
    got_ns, got_waits = recorded[function]
    right = got_waits == waits and (not ns or ns * (1 - PART) - LATE * waits <= got_ns <= ns)
    wrong += not right
    print(f'{function}: {got_waits} waits, {got_ns / 1e6:.3f} ms; own {waits}, {ns / 1e6:.3f} ms', '' if right else '<--')
sys.exit(wrong or lines < 2)
