"""symbol_tables.py: what binutils' nm says about the functions of binaries and of the kernel."""
import bisect
import os
import re
import subprocess

CODE = "tTwWiu"


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout


def without_arguments(name):
    """`f(int)` as `f`; brackets and (anonymous namespace) stay."""
    depth, at = 0, 0
    if "(" not in name:
        return name
    while at < len(name):
        if name.startswith("(anonymous namespace)", at):
            at += len("(anonymous namespace)")
            continue
        if name[at] == "(" and depth == 0 and at:
            return name[:at]
        depth += (name[at] in "<{[(") - (name[at] in ">}])" and name[at - 1] != "-")
        at += 1
    return name


def build_id(path):
    match = re.search(r"Build ID: (\w+)", output("readelf", "-n", path))
    return match[1] if match else ""


def debug_file(path):
    identity = build_id(path)
    return f"/usr/lib/debug/.build-id/{identity[:2]}/{identity[2:]}.debug"


def recorded_build_ids(data):
    """What perf.data says of its binaries, by path."""
    lines = output("perf", "buildid-list", "-i", data).splitlines()
    pairs = (line.split(None, 1) for line in lines if len(line.split()) > 1)
    return {path: identity for identity, path in pairs}


class Binary:
    """Functions by address: start, end, names; and the names of what is no code."""

    def __init__(self, path):
        self.starts, self.data, by_start = [], set(), {}
        for file in filter(os.path.exists, (path, debug_file(path))):
            for dynamic in ((), ("-D",)):
                for line in output("nm", "-C", "-S", "--defined-only", *dynamic, file).splitlines():
                    match = re.match(r"(\w{16}) (?:(\w{16}) )?(\w) (.*)", line)
                    if not match:
                        continue
                    name = without_arguments(match[4]).split("@")[0]
                    if match[3] not in CODE:
                        self.data.add(name)
                        continue
                    row = by_start.setdefault(int(match[1], 16), [0, set()])
                    row[0] = max(row[0], int(match[2] or "0", 16))
                    row[1].add(name)
        self.starts = sorted(by_start)
        self.rows = [by_start[start] for start in self.starts]

    def names_at(self, address):
        """Of the function that contains the address; one without a size ends where the next one starts."""
        at = bisect.bisect_right(self.starts, address) - 1
        if at < 0 or (self.rows[at][0] and address - self.starts[at] >= self.rows[at][0]):
            return set()
        return self.rows[at][1]

    def names_before(self, start):
        """Of the function that ends before a start, what aligns that one counted in; or nothing."""
        at = bisect.bisect_left(self.starts, start) - 1
        near = at >= 0 and start - self.starts[at] - self.rows[at][0] < 16
        return self.names_at(start - 1) or (self.rows[at][1] if near else set())


class Kernel(Binary):
    """The running one; names as folded text marks them."""

    def __init__(self):
        by_start = {}
        with open("/proc/kallsyms", encoding="utf-8") as file:
            for address, name in re.findall(r"^(\w+) \w (\S+)", file.read(), re.M):
                by_start[address] = (*by_start.get(address, ()), name + "_[k]")
        # Numbers of one length sort as text.
        self.starts, self.data = [int(address, 16) for address in sorted(by_start)], set()
        self.rows = [(0, by_start[address]) for address in sorted(by_start)]


def aliases(binaries):
    """Names that stand for the same function, each to the same one of them."""
    first = {}

    def find(name):
        while first.setdefault(name, name) != name:
            name = first[name]
        return name

    for binary in binaries:
        for _, names in binary.rows:
            if len(names) > 1:
                roots = sorted(map(find, names))
                for root in roots[1:]:
                    first[root] = roots[0]
    return {name: find(name) for name in first}
