"""files.py: is what was recorded of files what their program counted? files.py BYTES CALLS OWN [STRACE]

BYTES and CALLS are folded stacks of one recording with --files, OWN what files.c printed, STRACE
what `strace -f -y` said of the same run. Or files.py OWN [FUNCTION]: its calls, added up.
"""
import collections
import re
import sys


def own(path):
    known = collections.defaultdict(lambda: [0, 0])
    for line in open(path):
        if line.count(' ') == 3:
            function, file, count, calls = line.split()
            known[function, file][0] += int(count)
            known[function, file][1] += int(calls)
    return known


if len(sys.argv) < 4:
    print(sum(calls for (function, _), (_, calls) in own(sys.argv[1]).items()
              if function in sys.argv[2:] or len(sys.argv) == 2))
    sys.exit()

recorded = collections.defaultdict(lambda: [0, 0])
by_file = collections.defaultdict(lambda: [0, 0])
for column in 0, 1:
    for line in open(sys.argv[1 + column]):
        stack, _, weight = line.rpartition(' ')
        frames = stack.split(';')
        function = [frame for frame in frames if frame in ('writes', 'reads', 'syncs', 'others')]
        file = frames[-1].rpartition('/')[2]
        if function and frames[0] == 'files':
            recorded[function[0], file][column] += int(weight)
        if frames[0] == 'files' and file.startswith('all'):
            by_file[frames[-2].strip('[]'), file][column] += int(weight)

wrong = 0
known = own(sys.argv[3])
for key in sorted(known.keys() | recorded.keys()):
    same = known[key] == recorded[key]
    wrong += not same
    print(*key, recorded[key], '' if same else f'expected {known[key]}  <--')

if len(sys.argv) > 4:
    traced = collections.defaultdict(lambda: [0, 0])
    calls = {}
    for line in open(sys.argv[4]):
        pid, _, rest = line.partition(' ')
        begun = re.match(r'\s*(\w+)\(\d+<([^>]*)>', rest)
        if begun:
            calls[pid] = begun.groups()
        ended = re.search(r'\) += (-?\d+)', rest)
        if not ended or pid not in calls:
            continue
        call, path = calls.pop(pid)
        kind = 'sync' if 'sync' in call else 'read' if 'read' in call else 'write'
        file = path.rpartition('/')[2]
        if file.startswith('all'):
            traced[kind, file][0] += max(0, int(ended[1]))
            traced[kind, file][1] += 1
    for key in sorted(traced.keys() | by_file.keys()):
        same = traced[key] == by_file[key]
        wrong += not same
        print('strace:', *key, traced[key], '' if same else f'recorded {by_file[key]}  <--')
    wrong += not traced

sys.exit(wrong or not known)
