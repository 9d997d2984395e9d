"""jfr_print.py JFR FILE: what `jfr print` says of a recording, as a line for each kind of value and stack.

JFR is the command. The line is the kind, the stack as `kiln fold --lines` names it, the thread in front, and the sum.
"""
import collections
import json
import re
import subprocess
import sys

LETTERS = dict(Z="boolean", B="byte", C="char", S="short", I="int", J="long", F="float", D="double")
IO = ["jdk.FileRead", "jdk.FileWrite", "jdk.FileForce", "jdk.SocketRead", "jdk.SocketWrite"]
WAITS = re.compile(r"(epollWait|EPoll\.wait|sun\.nio\.ch\.Net\.(poll|accept)|SocketDispatcher\.read0)\b")


def class_name(name):
    item = name.lstrip("[")
    dimensions = len(name) - len(item)
    if dimensions:
        item = LETTERS.get(item) or item[1:-1]
    hidden = re.fullmatch(r"(.*)\+(0x[0-9a-f]+)/\d+", item)
    item = f"{hidden[1].replace('/', '.')}/{hidden[2]}" if hidden else item.replace("/", ".")
    return item + "[]" * dimensions


def frame(f):
    name, line = class_name(f["method"]["type"]["name"]), f.get("lineNumber") or 0
    place = f" ({name.rpartition('.')[2].partition('$')[0]}:{line})" if line > 0 else ""
    return f"{name}.{f['method']['name']}{place}"


def nanoseconds(text):
    part = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?", text)
    hours, minutes, seconds = (int(part[i] or 0) for i in (1, 2, 3))
    return (hours * 3600 + minutes * 60 + seconds) * 10**9 + int((part[4] or "").ljust(9, "0"))


def values(event, v, stack):
    """Pairs of kind and value, and the class that is the innermost frame."""
    if event in ("jdk.ExecutionSample", "jdk.NativeMethodSample"):
        return [("waiting" if WAITS.search(stack.rpartition(";")[2]) else "running", 1)], None
    if event == "jdk.ObjectAllocationSample":
        return [("allocated", v["weight"]), ("allocation-samples", 1)], v["objectClass"]
    if event == "jdk.CPUTimeSample":
        return [("cpu", nanoseconds(v["samplingPeriod"])), ("cpu-time", 1)], None
    if event == "jdk.JavaExceptionThrow":
        return [("exceptions", 1)], v["thrownClass"]
    if event in IO:
        return [("io", nanoseconds(v["duration"])), ("calls", 1),
                ("io-bytes", v.get("bytesRead", v.get("bytesWritten", 0)))], None
    one, many, leaf = {"jdk.JavaMonitorEnter": ("lock", "waits", "monitorClass"),
                       "jdk.JavaMonitorWait": ("monitor-wait", "monitor-waits", "monitorClass"),
                       "jdk.ThreadPark": ("park", "parks", "parkedClass"),
                       "jdk.ThreadSleep": ("sleep", "sleeps", None)}.get(event, (None, None, None))
    return [(one, nanoseconds(v["duration"])), (many, 1)] if one else [], leaf and v.get(leaf)


def main(jfr, path):
    told = subprocess.run([jfr, "print", "--json", "--stack-depth", "4096", path], check=True, capture_output=True)
    sums = collections.Counter()
    for event in json.loads(told.stdout)["recording"]["events"]:
        v = event["values"]
        trace = v.get("stackTrace")
        stack = ";".join(frame(f) for f in reversed(trace["frames"])) if trace else ""
        stack = stack or "[no stack]"
        if trace and trace["truncated"]:
            stack = "[truncated:depth];" + stack
        thread = v.get("eventThread") or v.get("sampledThread") or {}
        pairs, leaf = values(event["type"], v, stack)
        for kind, value in pairs:
            name = thread.get("javaName") or thread.get("osName") or ""
            sums[kind, name, stack + (";" + class_name(leaf["name"]) if leaf else "")] += value
    for (kind, thread, stack), value in sorted(sums.items()):
        if value:
            print(f"{kind} {thread};{stack} {value}")


main(*sys.argv[1:])
