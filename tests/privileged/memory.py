"""memory.py: is the memory that was recorded what its program counted? memory.py OWN ALLOCATED ALLOCATIONS LIVE BLOCKS

OWN is what allocating.c printed, the others folded stacks of one recording, by kind.
"""
import collections
import sys

own, recorded = collections.defaultdict(lambda: [0] * 4), collections.defaultdict(lambda: [0] * 4)
for line in open(sys.argv[1]):
    function, *numbers = line.split()
    if len(numbers) == 4:
        own[function] = [a + int(b) for a, b in zip(own[function], numbers)]
for column, path in enumerate(sys.argv[2:]):
    for line in open(path):
        stack, _, weight = line.rpartition(' ')
        for frame in stack.split(';'):
            if frame in own:
                recorded[frame][column] += int(weight)
for function in sorted(own):
    same = own[function] == recorded[function]
    print(function, recorded[function], '' if same else f'expected {own[function]}  <--')
sys.exit(own != recorded or not own)
