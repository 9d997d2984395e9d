#!/usr/bin/env python3
"""faults.py KILN [--all] [CASE...]: does a command fail cleanly, whichever of its system calls fails?

Each command runs once for the N-th call of each kind, which strace(1) makes fail. Then either the call did not matter,
and the result is the same as without; or the exit code is 1 or 2 with one line that says what failed. In both cases
no file is left that was not there before, and an earlier output is as it was or replaced by the whole new one.
Without --all a few calls of each kind are tried, spread over the run."""
import collections, os, re, shutil, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

FAULTS = {'read': 'EIO', 'pread64': 'EIO', 'write': 'ENOSPC', 'openat': 'EMFILE', 'mmap': 'ENOMEM', 'linkat': 'EIO', 'renameat': 'EIO',
          'renameat2': 'EIO', 'fsync': 'EIO', 'newfstatat': 'EIO', 'fstat': 'EIO', 'close': 'EIO', 'getrandom': 'ENOSYS', 'ftruncate': 'EIO'}
SAMPLE = 3  # calls of each kind, without --all

FOLDED = 'app;main;io 10\napp;main;work 30\napp;main;work;inner 40\n'
OTHER = 'app;main;io 20\napp;main;work 25\napp;main;work;inner 45\n'
SCRIPT = 'app 7/7 1.5: 1 cycles:\n\t401136 work+0x6 (/none/app)\n\t401200 main+0x1 (/none/app)\n\n'

# Name: (arguments, output file or None); %NAME is a link of that name to kiln.
CASES = {
    'fold': (['fold', 'a.folded'], None),
    'fold-script': (['fold', 'a.script'], None),
    'fold-pipe': (['fold', '-'], None),
    'draw': (['draw', 'a.folded', '-o', 'out.svg'], 'out.svg'),
    'draw-cp': (['draw', '--cp', 'a.folded', '-o', 'out.svg'], 'out.svg'),
    'convert-kiln': (['convert', 'a.script', '-o', 'out.kiln'], 'out.kiln'),
    'convert-html': (['convert', 'a.folded', '-o', 'out.html'], 'out.html'),
    'convert-pprof': (['convert', 'a.kiln', '-o', 'out.pb.gz'], 'out.pb.gz'),
    'diff': (['diff', 'a.folded', 'b.folded'], None),
    'diff-draw': (['diff', 'a.folded', 'b.folded', '-o', 'out.svg'], 'out.svg'),
    'info': (['info', 'a.kiln'], None),
    'top': (['top', 'a.folded'], None),
    'tree': (['tree', 'a.kiln'], None),
    'symbolize': (['symbolize', 'a.kiln', '-o', 'out.kiln'], 'out.kiln'),
    'flamegraph': (['flamegraph', '--perfdata', 'a.folded', '-o', 'out.svg'], 'out.svg'),
    'flamegraph.pl': (['%flamegraph.pl', 'a.folded'], None),
    'difffolded.pl': (['%difffolded.pl', 'a.folded', 'b.folded'], None),
    'stackcollapse-perf.pl': (['%stackcollapse-perf.pl', 'a.script'], None),
    'record': (['record', '-q', '-o', 'out.kiln', '--', './exits'], 'out.kiln'),
    'record-draw': (['record', '-q', '-o', 'out.folded', '--', './exits'], 'out.folded'),
}


class Command:
    def __init__(self, kiln, name, folder):
        arguments, self.output = CASES[name]
        self.name, self.kiln = name, kiln
        self.arguments = arguments[1:] if arguments[0].startswith('%') else arguments
        self.program = './' + arguments[0][1:] if arguments[0].startswith('%') else kiln
        self.base = os.path.join(folder, name)
        self.prepare(self.base)
        self.counts, self.before_main = self.count()
        self.expected = self.run([])
        if self.expected[0]:
            sys.exit(f'{name}: fails without faults: {self.expected}')

    def prepare(self, folder):
        os.makedirs(folder)
        for name, text in (('a.folded', FOLDED), ('b.folded', OTHER), ('a.script', SCRIPT)):
            with open(os.path.join(folder, name), 'w') as f:
                f.write(text)
        shutil.copy(shared('a.kiln'), folder)
        shutil.copy(shared('exits'), folder)
        if self.program != self.kiln:
            os.symlink(self.kiln, os.path.join(folder, self.program))
        if self.output:
            with open(os.path.join(folder, self.output), 'w') as f:
                f.write('earlier\n')

    def execute(self, folder, strace):
        with open(os.path.join(folder, 'a.script')) as stdin, open(folder + '.stdout', 'wb') as out, open(folder + '.stderr', 'wb') as err:
            try:
                code = subprocess.run([*strace, self.program, *self.arguments], cwd=folder, stdin=stdin if self.name == 'fold-pipe' else
                                      subprocess.DEVNULL, stdout=out, stderr=err, env=ENVIRONMENT, timeout=120).returncode
            except subprocess.TimeoutExpired:
                code = 'hangs'
        with open(folder + '.stdout', 'rb') as out, open(folder + '.stderr') as err:
            return code, out.read(), err.read()

    def count(self):
        """{call: the most that one thread makes}, {call: those of the dynamic linker}"""
        calls, before = collections.defaultdict(collections.Counter), collections.Counter()
        self.execute(self.base, ['strace', '-f', '-qq', '-o', self.base + '.trace', '-e', 'trace=fcntl,' + ','.join(FAULTS)])
        main = None
        with open(self.base + '.trace') as trace:
            for line in trace:
                found = re.match(r'(\d+) +(\w+)\((0, F_GETFD)?', line)
                if not found:
                    continue
                main = main or found[1]
                if found[3] and not before:
                    before = calls[main].copy()
                calls[found[1]][found[2]] += 1
        most = {}
        for call in FAULTS:
            most[call] = max(counter[call] for counter in calls.values())
        shutil.rmtree(self.base)
        return most, before

    def run(self, strace, folder=None):
        """Exit code, result, lines said, files left behind; the result of a recording is whether it can be read, or has no samples."""
        folder = folder or self.base
        self.prepare(folder)
        there = set(os.listdir(folder))
        code, out, said = self.execute(folder, strace)
        left = set(os.listdir(folder)) - there
        if self.output:
            path = os.path.join(folder, self.output)
            with open(path, 'rb') if os.path.exists(path) else open(os.devnull, 'rb') as f:
                out = f.read()
            if self.name.startswith('record') and out != b'earlier\n':
                out = not out or not subprocess.run([self.kiln, 'info', path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        shutil.rmtree(folder)
        for suffix in '.stdout', '.stderr':
            os.unlink(folder + suffix)
        return code, out, said, left

    def wrong(self, call, n):
        """What is wrong when this call fails; None: nothing."""
        code, out, said, left = self.run(['strace', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=' + call, '-e',
                                          f'inject={call}:error={FAULTS[call]}:when={n}'], f'{self.base}-{call}-{n}')
        expected = self.expected
        lines = [line for line in said.splitlines() if line not in expected[2].splitlines()]
        left -= expected[3]
        what = []
        if code == 0:
            outcomes['the same'] += 1
            if out != expected[1] and not (lines and all(line.startswith('kiln: ') for line in lines)):
                what.append('exit code 0, but the result differs')
        elif code in (1, 2) or self.name.startswith('record') and code == 125:
            outcomes['fails'] += 1
            if len(lines) != 1 or not lines[0].startswith('kiln: '):
                what.append('not one line')
            if self.output and out not in (b'earlier\n', expected[1]):
                what.append('the earlier output is gone')
        elif code in (-6, 134) and 'kiln: out of memory' in said:
            outcomes['out of memory'] += 1
            if self.output and out != b'earlier\n':
                what.append('the earlier output is gone')
        else:
            what.append(f'exit code {code}')
        # What was recorded stays where it cannot be finished; an earlier recording is .old then.
        if self.name.startswith('record'):
            left = {name for name in left if not re.fullmatch(r'out\.(kiln|folded\.kiln|kiln\.old|kiln\.2)', name)}
            what = [w for w in what if w != 'the earlier output is gone' or out is not True]
        if left:
            what.append(f'left behind: {sorted(left)}')
        return (f'{self.name}: {call} {n} of {self.counts[call]}: {", ".join(what)}; exit code {code}, said: {said!r}') if what else None


def shared(name):
    return os.path.join(FOLDER, name)


def chosen(first, last, everything):
    numbers = range(first, last + 1)
    if everything or len(numbers) <= SAMPLE:
        return numbers
    return [first + (last - first) * i // (SAMPLE - 1) for i in range(SAMPLE)]


outcomes = collections.Counter()
everything = '--all' in sys.argv
arguments = [a for a in sys.argv[1:] if a != '--all']
kiln = os.path.realpath(arguments[0])
FOLDER = tempfile.mkdtemp()
ENVIRONMENT = {**os.environ, 'KILN_CACHE': '', 'HOME': FOLDER, 'LC_ALL': 'C.UTF-8'}
bad = 0
try:
    with open(shared('a.script'), 'w') as f:
        f.write(SCRIPT)
    subprocess.run([kiln, 'convert', shared('a.script'), '-o', shared('a.kiln')], check=True, env=ENVIRONMENT)
    # A command without a system call that could fail.
    subprocess.run(['gcc', '-nostdlib', '-static', '-x', 'c', '-', '-o', shared('exits')], check=True, text=True, input='''
        void _start(void) { __asm__ volatile("syscall" : : "a"(231), "D"(0)); __builtin_unreachable(); }''' if os.uname().machine == 'x86_64' else '''
        void _start(void) { register long x8 __asm__("x8") = 94, x0 __asm__("x0") = 0; __asm__ volatile("svc 0" : : "r"(x8), "r"(x0)); __builtin_unreachable(); }''')
    for name in arguments[1:] or CASES:
        command = Command(kiln, name, FOLDER)
        jobs = [(call, n) for call in FAULTS for n in chosen(command.before_main[call] + 1, command.counts[call], everything)
                # A call that strace makes fail is not made: pipes to a command stay open, and wait for their end.
                if not (call == 'close' and name.startswith('record'))]
        outcomes.clear()
        with ThreadPoolExecutor(2) as threads:
            for what in threads.map(lambda job: command.wrong(*job), jobs):
                if what:
                    bad += 1
                    print(what, flush=True)
        tried = collections.Counter(call for call, n in jobs)
        print(f'{name}: {len(jobs)} faults ({", ".join(f"{call} {n}" for call, n in tried.items())}): {dict(outcomes)}', flush=True)
finally:
    shutil.rmtree(FOLDER)
sys.exit(bool(bad))
