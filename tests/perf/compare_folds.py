#!/usr/bin/env python3
"""compare_folds.py [--unwound] DATA TEXT PERF KILN: two folded texts of one recording, stack by stack.

PERF is folded from TEXT, what `perf script` prints, and KILN from DATA, the perf.data itself. Weights that
both give to a stack are equal. Of what is left, each stack of PERF is paired with one of KILN that
differs by listed improvements only; what TEXT and binutils' nm say has to agree. Prints one line of
figures; anything that is not listed fails, and is shown. With --unwound, perf has unwound stack copies:
another program says whether Kiln's frames are right."""
import collections
import gc
import os
import re
import sys

import symbol_tables

SHOWN = 5  # unlisted differences

# What may differ, and why Kiln's answer is the better one.
REASONS = {
    "inlined": "perf script shows inlined functions with stack copies only, and takes them from addr2line",
    "version": "perf shows the version behind a symbol's name",
    "alias": "of several names of one function perf takes another one",
    "cut": "text is cut at the first argument list, which stands inside of a lambda's name, or is operator()",
    "clone": "perf cuts what the compiler put behind a C++ name, so that copies look like one function",
    "v8": "Kiln knows how V8 says which compiler made a function",
    "replaced": "perf takes names from a file that is not the recorded one",
    "offset": "of a file that is gone, the place in it is kept, so that it can be named later",
    "next": "a call was the last instruction: perf names what follows it, or nothing",
    "plt": "perf does not know to which function a stub of the linker leads, or that it is one",
    "vdso": "perf has no copy of the vdso to look in",
    "data": "what a wrong frame pointer led to is no code",
    "address": "where there is no call chain, the address is shown that was sampled",
    "exec": "perf looks for the old program's system call in what is mapped no more",
    "deeper": "perf script stops at 127 frames",
    "unwound": "perf's unwinder lost its way; libdwfl finds what Kiln finds",
}


def read_folded(path):
    weights = collections.Counter()
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            stack, _, weight = line.rstrip("\n").rpartition(" ")
            weights[tuple(stack.split(";"))] += int(weight)
    return weights


class Evidence:
    """What the text of perf script says beyond the names, and nm's answers about its binaries."""

    def __init__(self, data, text, comms):
        self.next = {}  # answers
        # Names that a caller's frame has with offset 0, by what they are reduced to.
        self.after_call = collections.defaultdict(set)
        self.unnamed = collections.defaultdict(set)  # by binary: addresses of callers without a name
        paths, after_call, caller, wanted = set(), set(), "", True
        with open(text, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                match = re.match(r"\s+([0-9a-f]+) (.*?)(?:\+0x([0-9a-f]+))? \((.*?)( \(deleted\))?\)$", line)
                event = re.match(r"\s*(\S.*?)\s+-?\d+(/-?\d+)?\s+(\[\d+\]\s+)?[\d.]+:", line)
                if event:
                    wanted = event[1].replace(" ", "_") in comms
                    # Without a call chain the frame is on the same line.
                    if wanted and (alone := re.search(r" [0-9a-f]+ .*? \((/.*?)(?: \(deleted\))?\)$", line)):
                        paths.add(alone[1])
                if not match or not wanted:
                    caller = ""
                    continue
                address, offset, path = match[1], match[3], match[4]
                name = symbol_tables.without_arguments(match[2]).split("@")[0]
                # By the address: [unknown] and [vdso] are not the kernel's, [ext4] is.
                context = "_[k]" if int(address, 16) >> 63 else "user"
                if caller == context and offset == "0":
                    after_call.add(name + context.removeprefix("user"))
                if caller == context and name == "[unknown]":
                    self.unnamed[path].add(int(address, 16))
                caller = context
                if path.startswith("/"):
                    paths.add(path)
        self.binaries = {path: symbol_tables.Binary(path) for path in sorted(paths) if os.path.isfile(path)}
        self.binaries["[kernel.kallsyms]"] = symbol_tables.Kernel()
        self.alias = symbol_tables.aliases(self.binaries.values())
        self.steps = Steps(self)
        for name in after_call:
            self.after_call[self.steps.reduce_frame(name)].add(name)
        self.data = set().union(*(binary.data for binary in self.binaries.values()))
        recorded = symbol_tables.recorded_build_ids(data)
        self.replaced = {f"[{os.path.basename(path)}]" for path in paths if
                         symbol_tables.build_id(path) != recorded.get(path, "")}

    def is_next(self, theirs, ours):
        """Is `theirs` what follows the last instruction of `ours`, a call? Both are reduced."""
        if (theirs, ours) not in self.next:
            self.next[theirs, ours] = any(
                self.ends_before(*binary, theirs, ours) for binary in self.binaries.items())
        return self.next[theirs, ours]

    def ends_before(self, path, binary, theirs, ours):
        module = f"[{os.path.basename(path)}]"
        ends = self.unnamed[path] if theirs == module else ()
        # What is reduced may stand at many places: those with a name that the text has are meant.
        if seen := self.after_call.get(theirs):
            ends = [start for start, row in zip(binary.starts, binary.rows) if not seen.isdisjoint(row[1])]
        for address in ends:
            names = set(map(self.steps.reduce_frame, binary.names_before(address)))
            if ours in names or (ours == module and not binary.names_at(address - 1)):
                return True
        return False

    def same(self, frame):
        return self.alias.get(frame, frame)


V8 = re.compile(r"^(?:JS|LazyCompile|Function|Eval|Script|Builtin|BytecodeHandler|RegExp|Code|Stub):([~^*+]?)")


def as_kiln_says(frame):
    """What V8 writes, as Kiln does: a function that is interpreted is no compiled code."""
    match = V8.match(frame)
    name = frame[match.end():].removesuffix("_[j]")
    name = "(anonymous)" + name if name.startswith(" ") else name
    return name if match[1] == "~" else name + "_[j]"


CLONE = re.compile(r"(\.(constprop|part|isra|cold|lto_priv|localalias)(\.\d+)*)+$")


class Steps:
    """Differences that do not depend on the other side: what each frame is reduced to, in turn."""

    def __init__(self, evidence):
        self.each = {
            "version": lambda f: re.sub(r"(.)@+[A-Z][A-Za-z_]*_[0-9A-Z_.]+$", r"\1", f),
            "alias": evidence.same,
            "clone": lambda f: evidence.same(CLONE.sub("", f)),
            "offset": lambda f: re.sub(r"^\[(.*)\+0x[0-9a-f]+\]$", r"[\1]", f),
        }

    def reduce(self, stack, used):
        """The stack with as little as possible left to differ; `used`: by whom a frame was changed."""
        reduced = []
        for frame in stack:
            if frame.endswith("_[i]"):
                used["inlined"].append(frame)
                continue
            reduced.append(self.reduce_frame(frame, used))
        return tuple(reduced)

    def reduce_frame(self, frame, used=None):
        for name, step in self.each.items():
            changed = step(frame)
            if changed != frame and used is not None:
                used[name].append(frame)
            frame = changed
        return frame


def frame_rule(evidence, theirs, ours, stack):
    """The improvement that explains one frame, or None."""
    if V8.match(theirs):
        return "v8" if ours == as_kiln_says(theirs) else None
    if ours.startswith((theirs + "::", theirs + "()")):
        return "cut"
    if ours.endswith("@plt") and (theirs.endswith("@plt") or theirs.startswith("[")):
        return "plt"
    # _init, which has no size, lies before the stubs, of which the first leads to no function.
    if theirs == "_init" and (ours.endswith("@plt") or ours.startswith("[")):
        return "plt"
    if ours in evidence.replaced:
        return "replaced"
    if theirs == "[[vdso]]" and (ours.startswith("__vdso_") or ours == "[vdso]"):
        return "vdso"
    if ours == "[unknown]" and (theirs.startswith("[") or theirs in evidence.data):
        return "data"
    if ours == "[unknown]" and "__x64_sys_execve_[k]" in stack:
        return "exec"
    return "next" if evidence.is_next(theirs, ours) else None


def explanation(evidence, theirs, ours, unwound):
    """The improvements that make one reduced stack to the other, or None."""
    if len(theirs) == len(ours):
        names = set()
        for a, b in zip(theirs, ours):
            if a != b:
                name = frame_rule(evidence, a, b, theirs)
                if not name:
                    break
                names.add(name)
        else:
            return names
    if len(theirs) == 1 and len(ours) == 2:
        return {"address"}
    if len(theirs) >= 127 and len(ours) > len(theirs) and ours[-len(theirs) + 1:] == theirs[1:]:
        return {"deeper"}
    same_leaf = theirs[-1] == ours[-1] or frame_rule(evidence, theirs[-1], ours[-1], theirs)
    return {"unwound"} if unwound and theirs[0] == ours[0] and same_leaf else None


def pair(perf, kiln, evidence, unwound):
    """Pair what is left of both; the weight of each improvement. What has no partner stays."""
    steps, listed = evidence.steps, collections.Counter()
    partners = collections.defaultdict(list)
    for stack in kiln:
        used = collections.defaultdict(list)
        partners[steps.reduce(stack, used)].append((stack, used))
    rest, near = [], collections.defaultdict(list)
    for reduced, row in partners.items():
        near[reduced[0]].append((reduced, row))
    settle = lambda theirs, ours, names: settle_pair(perf, kiln, theirs, ours, names, listed)
    for theirs in sorted(perf):
        used = collections.defaultdict(list)
        reduced = steps.reduce(theirs, used)
        for ours, used_ours in partners.get(reduced, []):
            names = {name for name in REASONS if sorted(used[name]) != sorted(used_ours[name])}
            settle(theirs, ours, names)
        if perf[theirs]:
            rest.append((theirs, reduced))
    for strict in (False, True) if unwound else (False,):
        for theirs, reduced in rest:
            for reduced_ours, row in near[reduced[0]]:
                names = perf[theirs] and explanation(evidence, reduced, reduced_ours, strict)
                for ours, _ in row if names else ():
                    settle(theirs, ours, names)
    return listed


def settle_pair(perf, kiln, theirs, ours, names, listed):
    weight = min(perf[theirs], kiln[ours])
    perf[theirs] -= weight
    kiln[ours] -= weight
    for name in names:
        listed[name] += weight


def show(side, weights):
    rest = sorted((weight, stack) for stack, weight in weights.items() if weight)
    for weight, stack in rest[:-SHOWN - 1:-1]:
        print(f"  only {side}: {';'.join(stack)} {weight}")
    return sum(weight for weight, _ in rest)


def main():
    gc.disable()  # tables of symbols are many small objects, all of which stay
    unwound = sys.argv[1] == "--unwound"
    data, text, perf_path, kiln_path = sys.argv[1 + unwound:]
    perf, kiln = read_folded(perf_path), read_folded(kiln_path)
    both = perf & kiln
    whole, stacks = sum(perf.values()), len(perf.keys() | kiln.keys())
    perf, kiln = perf - both, kiln - both
    comms = {stack[0] for stack in perf}
    listed = pair(perf, kiln, Evidence(data, text, comms), unwound) if perf and kiln else {}
    line = [f"{sum(both.values())} of {whole} equal ({100 * sum(both.values()) / max(whole, 1):.1f}%)",
            f"{len(both)} of {stacks} stacks"]
    line += [f"{name} {100 * listed[name] / whole:.1f}%" for name in REASONS if name in listed]
    print(f"{kiln_path}: " + "; ".join(line))
    unlisted = show("perf", perf) + show("kiln", kiln)
    if not whole or unlisted:
        sys.exit(f"{unlisted} of {whole} differ in a way that is not listed")


if __name__ == "__main__":
    main()
