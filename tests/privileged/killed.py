"""killed.py: what is left of a recorder that is killed at any moment: killed.py [OPTION...] KILN STEADY MODE...

For each MODE (options of kiln record), --moments times: a recorder of STEADY (programs/steady.c), a command or a process
that runs already, is ended by SIGKILL. While it ran, its programs, maps and links (by its descriptors), perf events,
probes in the target's code and control group are seen to be there: that is the positive control. Afterwards:

- its file is read by kiln info, which says that it was not finished; without a file, nothing was attached;
- what is in it reaches to --within seconds before the end, and until then it has all rounds that STEADY counted;
- no program, map, link, probe or breakpoint is left, and STEADY goes on;
- its control group is gone as soon as the next recorder records.

Prints a line for each mode; the exit code is 1 if anything was not as it is to be.
"""
import argparse
import bisect
import ctypes
import errno
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import time

SECTION = struct.Struct("<IHHIIQQQQQQ")  # docs/kiln-format.md, as tests/golden/read_kiln.py reads it
SLOT_NS = 10_000_000
PATIENCE = 30  # s: for what the kernel frees later
LIBC = ctypes.CDLL(None, use_errno=True)

# What there is of each round, by mode: exactly one, or (0) at least one; threads wait for locks of the kernel, too.
ROUNDS = {"io": 1, "disk": 1, "lock": 0, "mem": 1, "count": 1, "off": 0, "wall": 0}


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def until(condition, patience=PATIENCE):
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


# ---- What is in the file ----

class Recording:
    """Of a .kiln file: when its samples of the first table ended, and the sums of its streams."""

    def __init__(self, path):
        data, sections, at, complete = read(path), [], 64, 0
        while at + 64 <= len(data) and data[at:at + 4] == b"KSEC":
            sections.append(SECTION.unpack_from(data, at))
            at += 64 + (sections[-1][7] + 63) // 64 * 64
            if at <= len(data) and sections[-1][1] == 0:
                complete = len(sections)
        self.columns = {}
        for _, table, column, instance, item, first, rows, size, offset, *_ in sections[:complete]:
            whole = self.columns.setdefault((table, column, instance), bytearray())
            whole[first * item:(first + rows) * item] = data[offset + 64:offset + 64 + size]
        self.streams = self.rows(11, 1, "6I2q3Q")
        self.table = self.streams[0][3] if self.streams else 0
        self.count = len(self.rows(10, 1, "I", self.table))
        times = [t for t, in self.rows(10, 3, "Q", self.table)]
        took = [t for t, in self.rows(10, 4, "Q", self.table)] or [0] * len(times)
        self.ends = sorted(map(sum, zip(times, took)))

    def rows(self, table, column, layout, instance=0):
        return list(struct.iter_unpack("<" + layout, self.columns.get((table, column, instance), b"")))

    def total(self, number):
        """The sum of a stream's values."""
        if number >= len(self.streams):
            return 0
        values = self.rows(11, 2, "q", number)
        return sum(v for v, in values) if values else self.count * self.streams[number][6]

    def total_beside(self, pid):
        """The sum of the first stream's values, but for the main thread."""
        threads = [tid for _, tid, _ in self.rows(8, 1, "IiI")]
        return sum(value for (thread,), (value,) in zip(self.rows(10, 2, "I", self.table), self.rows(11, 2, "q"))
                   if threads[thread] != pid)


class Counts:
    """What STEADY counts."""

    def __init__(self, path):
        data = read(path)
        self.start = struct.unpack_from("<Q", data)[0] if len(data) > 8 else 0
        slots = struct.iter_unpack("<2I", data[8:8 + (now() - self.start) // SLOT_NS * 8]) if self.start else []
        self.slots = list(slots)

    def sum(self, which, begin, end):
        first, last = (begin - self.start) // SLOT_NS, (end - self.start) // SLOT_NS
        return sum(slot[which] for slot in self.slots[max(first, 0):max(last, 0)])

    def next(self, which, time):
        """When was the first work that is counted in a slot that begins after this time?"""
        first = (time - self.start) // SLOT_NS + 1
        return next((self.start + i * SLOT_NS for i in range(max(first, 0), len(self.slots)) if self.slots[i][which]),
                    now())

    def when(self, which, since, much):
        """When was so much of it done, from `since` on?"""
        for i in range(max((since - self.start) // SLOT_NS, 0), len(self.slots)):
            much -= self.slots[i][which]
            if much <= 0:
                return self.start + i * SLOT_NS
        return now()

    def slot(self, time, up):
        return self.start + ((time - self.start) // SLOT_NS + up) * SLOT_NS


# ---- What is in the kernel ----

def bpf_exists(kind, number):
    attr = ctypes.create_string_buffer(struct.pack("<III", number, 0, 0).ljust(120, b"\0"))
    fd = LIBC.syscall(321, {"prog": 13, "map": 14, "link": 30}[kind], attr, 120)
    if fd >= 0:
        os.close(fd)
    return fd >= 0 or ctypes.get_errno() != errno.ENOENT


def attached(pid):
    """What a recorder holds: sets of (kind, number)."""
    found = set()
    try:
        for fd in os.listdir(f"/proc/{pid}/fd"):
            if os.readlink(f"/proc/{pid}/fd/{fd}") == "anon_inode:[perf_event]":
                found.add(("perf", int(fd)))
            for kind, number in re.findall(rb"^(prog|map|link)_id:\s+(\d+)", read(f"/proc/{pid}/fdinfo/{fd}"), re.M):
                found.add((kind.decode(), int(number)))
    except OSError:
        pass
    return found


def hierarchies():
    for line in open("/proc/self/mountinfo"):
        fields, _, kind = line.partition(" - ")
        if kind.startswith(("cgroup2 ", "cgroup ")):
            yield fields.split()[4]


HIERARCHIES = list(hierarchies())


def groups(pid="[0-9]*"):
    """Folders of recorders' control groups."""
    wanted = re.compile(rf"kiln-{pid}(-[0-9a-f]*)?$".replace("[0-9]*", "[0-9]+"))
    return {folder for top in HIERARCHIES for folder, *_ in os.walk(top) if wanted.match(os.path.basename(folder))}


def state(pid):
    text = read(f"/proc/{pid}/stat")
    return text.rpartition(b")")[2].split()[0].decode() if text else "gone"


def cpu_ns(pid):
    fields = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return sum(map(int, fields[11:13])) * 1_000_000_000 // os.sysconf("SC_CLK_TCK") if fields else 0


def malloc_offset():
    base = min(int(line.split("-")[0], 16) for line in open("/proc/self/maps") if "/libc.so" in line)
    return ctypes.cast(LIBC.malloc, ctypes.c_void_p).value - base


def first_instruction(pid):
    """The first bytes of malloc in a process."""
    try:
        base = min(int(line.split("-")[0], 16) for line in open(f"/proc/{pid}/maps") if "/libc.so" in line)
        with open(f"/proc/{pid}/mem", "rb") as memory:
            memory.seek(base + malloc_offset())
            return memory.read(5)
    except (OSError, ValueError):
        return b""


class Tracing:
    """Probes by name: these would stay."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.mounted = not subprocess.call(["mount", "-t", "tracefs", "none", folder])

    def probes(self):
        names = ["uprobe_events", "kprobe_events"]
        text = b"".join(read(f"{self.folder}/{name}") for name in names)
        text += b"".join(os.fsencode(name) for name in os.listdir(f"{self.folder}/instances")) if self.mounted else b""
        return text

    def is_seen(self, program):
        """Is a probe that is made in this way seen by probes()?"""
        try:
            with open(f"{self.folder}/uprobe_events", "a") as file:
                file.write(f"p:killed{os.getpid()}/control {program}:0x1000\n")
            seen = f"killed{os.getpid()}/control".encode() in self.probes()
            with open(f"{self.folder}/uprobe_events", "a") as file:
                file.write(f"-:killed{os.getpid()}/control\n")
            return seen
        except OSError:
            return None

    def left(self, program):
        return [line for line in self.probes().splitlines() if b"libbpf" in line or b"kiln" in line or program in line]

    def release(self):
        if self.mounted:
            subprocess.call(["umount", self.folder])


# ---- One moment ----

class Moment:
    def __init__(self, run, number):
        self.run, self.options = run, run.options
        self.wrong = []
        chance = run.random
        self.by_command = number % 2 == 1
        self.stops = chance.random() < 0.5  # to see all that is there when it is killed
        self.ends = number % 10 == 9  # it is killed while it finishes
        self.starts = number % 3 == 0 and not self.options.begins  # it is killed from its first moments on, others from when they record
        self.delay = chance.uniform(0.05, 1.5) if self.starts else self.options.begins + chance.uniform(0, self.options.longest)
        self.counts = "own" if self.by_command else run.counts
        self.seen, self.group, self.recording = set(), set(), 0
        self.instruction = b""

    def says(self, text):
        self.wrong.append(text)

    def look(self):
        pid = self.recorder.pid
        self.seen |= attached(pid)
        if self.by_command:
            known = self.group
            self.group = self.group | groups(pid)
            if any(not os.path.exists(folder) for folder in known):
                self.says("its control group is gone while it records")
        if self.target and not self.instruction.startswith((b"\xcc", b"\xe8")):
            self.instruction = first_instruction(self.target)
        if not self.recording and any(kind == "perf" for kind, _ in self.seen) and b"poll" in read(f"/proc/{pid}/wchan"):
            self.recording, self.used = now(), cpu_ns(self.target)

    def find_command(self):
        pid = self.recorder.pid
        children = read(f"/proc/{pid}/task/{pid}/children").split()
        self.target = int(children[0]) if children else self.target

    def begin(self):
        for name in ("p.kiln", "own"):
            if os.path.exists(name):
                os.unlink(name)
        what = [self.options.steady, self.counts, *self.run.device] if self.by_command else ["-p", str(self.run.steady.pid)]
        self.target = 0 if self.by_command else self.run.steady.pid
        self.started = now()
        self.recorder = subprocess.Popen([self.options.kiln, "record", "-q", *self.run.mode.split(), "-o", "p.kiln",
                                          *(["--"] if self.by_command else []), *what], stderr=open("said", "w"))

    def kill(self):
        end = self.started + int((self.delay if self.starts else PATIENCE) * 1e9)
        while now() < end:
            if self.recording and not self.starts:
                end = self.recording + int(self.delay * 1e9)
            if self.by_command and not self.target:
                self.find_command()
            self.look()
            time.sleep(min(0.02, max(0, (end - now()) / 1e9)))
        if self.by_command:
            self.find_command()
        if self.recorder.poll() is not None:
            self.says(f"it had ended: {self.recorder.returncode}: {read('said').decode()}")
            self.killed, self.used, self.recording = now(), 0, 0
            return
        self.killed, used_at = now(), cpu_ns(self.target)
        if self.ends:
            os.kill(self.recorder.pid, signal.SIGINT)
            time.sleep(self.run.random.uniform(0, 0.3))
        elif self.stops:
            os.kill(self.recorder.pid, signal.SIGSTOP)
            until(lambda: state(self.recorder.pid) in "TtZ")
            self.look()
        self.recorder.kill()
        self.recorder.wait()
        self.used = used_at - self.used if self.recording else 0

    # ---- Afterwards ----

    def check_file(self):
        self.file = os.path.exists("p.kiln")
        if not self.file:
            if self.seen:
                self.says("no file, and something was attached")
            return
        info = subprocess.run([self.options.kiln, "info", "p.kiln"], capture_output=True, text=True)
        finished = "not finished" not in info.stdout
        if info.returncode or (finished and not self.ends):
            self.says(f"kiln info: {info.returncode}: {info.stdout} {info.stderr}")
        self.content = Recording("p.kiln")
        if self.recording and not (self.ends and self.by_command):
            self.check_reach()

    def check_reach(self):
        """How long before the end did it do the first of what is not in the file?"""
        counts, which = Counts(self.counts), self.run.kind == "cpu"
        if "--untimed" in self.run.mode:
            missing = self.missing_of_sums(counts, which)
        else:
            missing = counts.next(which, self.content.ends[-1] if self.content.ends else self.recording)
        self.lag = max(self.killed - missing, 0) / 1e9
        if self.killed - self.recording > self.options.within * 1e9 and self.lag > self.options.within:
            self.says(f"what it did {self.lag:.3f} s before the end is missing, {(missing - self.recording) / 1e9:.3f} s "
                      f"after it began; {self.content.count} samples")
        if "--untimed" not in self.run.mode and len(self.content.ends) > 1:
            self.check_rounds()

    def missing_of_sums(self, counts, which):
        if self.run.kind == "off":  # both threads wait or compute
            return self.recording + (self.content.total(0) + self.used) // 2
        much = self.content.total_beside(self.target) // 1000 if which else self.content.total(0)
        return counts.next(which, counts.when(which, self.recording, much))

    def check_rounds(self):
        counts, ends = Counts(self.counts), self.content.ends
        begin = counts.slot(max(ends[0], counts.start) + 200_000_000, 1)
        end = counts.slot(ends[-1], 0) - 5 * SLOT_NS
        if end - begin < 200_000_000:
            return
        there = bisect.bisect_left(ends, end) - bisect.bisect_left(ends, begin)
        if self.run.kind == "cpu":
            own, there = counts.sum(1, begin, end) / 1e6, there * self.content.streams[0][6] / 1e9
            if there < own * 0.9 - 0.02:
                self.says(f"{there:.3f} s of CPU time, of {own:.3f} s and more")
            return
        own = counts.sum(0, begin, end)
        self.whole = (there, own)
        if there < own - 4 or (ROUNDS[self.run.kind] and there > own + 4):
            self.says(f"{there} of {own} rounds")

    def check_kernel(self):
        since = time.monotonic()
        left = {each for each in self.seen if each[0] != "perf"}
        until(lambda: not any(bpf_exists(*each) for each in left))
        left = [each for each in left if bpf_exists(*each)]
        self.freed = time.monotonic() - since
        if left:
            self.says(f"left in the kernel: {left}")
        probes = self.run.tracing.left(os.fsencode(self.options.steady))
        if probes:
            self.says(f"probes by name: {probes}")

    def check_target(self):
        pid = self.target
        if self.by_command and not os.path.exists(f"/proc/{pid}/exe") or self.by_command and not pid:
            return
        if self.by_command and os.path.realpath(f"/proc/{pid}/exe") != os.path.realpath(self.options.steady):
            if not until(lambda: state(pid) in ("gone", "Z") or os.path.realpath(f"/proc/{pid}/exe") == os.path.realpath(self.options.steady)):
                self.says(f"the command was not started and is still there: {state(pid)}")
            return
        if self.ends and self.by_command:
            return  # it was told to end
        before = sum(slot[0] for slot in Counts(self.counts).slots)
        if not until(lambda: sum(slot[0] for slot in Counts(self.counts).slots) > before):
            self.says(f"the target does not go on: {state(pid)}")
        if state(pid) in "Tt" or b"TracerPid:\t0\n" not in read(f"/proc/{pid}/status"):
            self.says(f"the target is stopped or traced: {state(pid)}")
        if self.instruction.startswith((b"\xcc", b"\xe8")) and not until(
                lambda: not first_instruction(pid).startswith((b"\xcc", b"\xe8"))):
            self.says("a breakpoint is left in the target")

    def go(self):
        self.begin()
        self.kill()
        self.check_file()
        self.check_kernel()
        self.check_target()
        if self.by_command and self.target:
            try:
                os.kill(self.target, signal.SIGKILL)
            except ProcessLookupError:
                pass


# ---- All moments of a mode ----

class Run:
    def __init__(self, options, mode, tracing):
        self.options, self.mode, self.tracing = options, mode, tracing
        self.kind = re.search(r"--mode (\w+)", mode).group(1)
        self.random = random.Random(f"{options.seed} {mode}")
        self.device = [options.device] if options.device else []
        self.counts = "counts"
        self.steady = subprocess.Popen([options.steady, self.counts, *self.device])
        until(lambda: Counts(self.counts).start)

    def go(self):
        left, moments = set(), []
        for number in range(self.options.moments):
            moment = Moment(self, number)
            moment.lag = None
            moment.go()
            if moment.recording and left & groups():
                moment.says(f"control groups that were left before: {left & groups()}")
            left = {folder for folder in moment.group if os.path.exists(folder)}
            moment.left = len(left)
            moments.append(moment)
            for text in moment.wrong:
                print(f"  {self.mode}, moment {number} ({'of all' if moment.starts else 'recording'} {moment.delay:.3f} s, {'a command' if moment.by_command else '-p'}"
                      f"{', finishing' if moment.ends else ''}): {text}", flush=True)
        self.steady.kill()
        self.steady.wait()
        subprocess.run([self.options.kiln, "record", "-q", "-o", "last.kiln", "--", "true"], check=False)
        if left & groups():
            print(f"  {self.mode}: control groups are left at the end: {left & groups()}")
            moments[-1].wrong.append("groups")
        self.tell(moments)
        return not any(moment.wrong for moment in moments)

    def tell(self, moments):
        reach = sorted(m.lag for m in moments if m.lag is not None and
                       m.killed - m.recording > self.options.within * 1e9)
        kinds = {kind: sum(any(k == kind for k, _ in m.seen) for m in moments) for kind in ("prog", "map", "link", "perf")}
        print(json.dumps({
            "mode": self.mode, "moments": len(moments), "wrong": sum(bool(m.wrong) for m in moments),
            "no file": sum(not m.file for m in moments),
            "recording": sum(bool(m.recording) for m in moments),
            "reach": {"moments": len(reach), "median s": round(reach[len(reach) // 2], 3), "most s": round(reach[-1], 3)} if reach else {},
            "attached": kinds, "breakpoint": sum(m.instruction.startswith((b"\xcc", b"\xe8")) for m in moments),
            "groups": sum(bool(m.group) for m in moments), "groups left": sum(m.left for m in moments),
            "rounds compared": sum(hasattr(m, "whole") for m in moments),
            "freed after at most s": round(max(m.freed for m in moments), 2)}), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kiln")
    parser.add_argument("steady")
    parser.add_argument("modes", nargs="+")
    parser.add_argument("--moments", type=int, default=4)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--device")
    parser.add_argument("--longest", type=float, default=3.0, help="s")
    parser.add_argument("--begins", type=float, default=0, help="s: of recordings that are longer than that")
    parser.add_argument("--within", type=float, default=1.0, help="s")
    options = parser.parse_args()
    tracing = Tracing("tracing")
    try:
        if tracing.mounted and tracing.is_seen(options.steady) is False:
            sys.exit("a probe by name is not seen")
        results = [Run(options, mode, tracing).go() for mode in options.modes]
    finally:
        tracing.release()
    sys.exit(not all(results))


main()
