"""requests.py: is what was recorded of a device what its program asked for? requests.py BYTES REQUESTS OWN DEVICE LOST

BYTES and REQUESTS are folded stacks of one recording with --devices, OWN what requests.c printed, DEVICE
the name of its device, LOST how many requests the recording says it lost: so many may be missing. The device's
own counters are compared as well: they count what others asked, too.
"""
import collections
import re
import sys

recorded = collections.defaultdict(lambda: [0, 0])
kinds = collections.Counter()
others = 0
for column in 0, 1:
    for line in open(sys.argv[1 + column]):
        stack, _, weight = line.rpartition(' ')
        frames = stack.split(';')
        if frames[-1] != sys.argv[4]:
            continue
        function = [frame for frame in frames if frame in ('writes', 'reads', 'flushes', 'discards')]
        if frames[0] == 'requests' and function:
            recorded[function[0], frames[-2]][column] += int(weight)
        else:
            others += int(weight) * column

known = {}
counters = None
for line in open(sys.argv[3]):
    name, *values = line.split()
    if name == 'device':
        counters = [int(value) for value in values]
    else:
        kind = {'writes': '[write]', 'reads': '[read]', 'flushes': '[flush]', 'discards': '[discard]'}[name]
        known[name, kind] = [int(value) for value in values]

wrong, lost = 0, int(sys.argv[5])
for key in sorted(known.keys() | recorded.keys()):
    wanted = known.get(key, [0, 0])
    missing = wanted[1] - recorded[key][1]
    same = recorded[key] == wanted or (0 < missing <= lost and recorded[key][0] <= wanted[0])
    lost -= max(missing, 0)
    wrong += not same
    print(*key, recorded[key], '' if same else f'expected {known.get(key)}  <--')


def compare(what, counted, least, most):
    global wrong
    same = least <= counted <= most + others
    wrong += not same
    print(what, counted, '' if same else f'expected {least} to {most}, and {others} of others  <--')


(written, writes), (read, reads) = known['writes', '[write]'], known['reads', '[read]']
flushes, discards = known['flushes', '[flush]'][1], known['discards', '[discard]'][1]
compare('device: reads', counters[0], reads, reads)
compare('device: writes', counters[2], writes, writes + flushes)  # some kernels count flushes, too
compare('device: discards', counters[4], discards, discards)
compare('device: flushes', counters[5], 1, flushes)  # one may do for several
if not others:
    compare('device: sectors read', counters[1], read // 512, read // 512)
    compare('device: sectors written', counters[3], written // 512, written // 512)
sys.exit(wrong or not known)
