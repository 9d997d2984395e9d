#!/bin/sh
# calls.sh: what does recording calls, requests and locks cost the recorded? CPU time of a call.
#
# 4 KB read from a file in memory (--mode io), or from a device past it (--mode disk, where there are loop devices),
# and a futex that is free already (--mode lock): with nobody looking; while another process is recorded; and
# recorded, from one call deep and from 41, which gives the cost of a frame. Beside Kiln bpftrace and perf record,
# where they are, with stacks of the kernel and the program as Kiln's, these by frame pointers. ROUNDS (5)
# interleaved, CALLS (100000; a fifth on the device), KINDS (io lock disk).
. "$(dirname "$0")/lib.sh"
heading 'calls: CPU time of a call that is recorded'
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 0; }
gcc -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o "$WORK/callers" "$here/callers.c"
truncate -s 8M "$WORK/callers.data"
DEVICE=$(losetup -f --show "$WORK/callers.data" 2>/dev/null || true)
trap '[ -z "$DEVICE" ] || losetup -d "$DEVICE"' EXIT
export here KILN WORK ROUNDS DEVICE CALLS="${CALLS:-100000}" KINDS="${KINDS:-io lock disk}"
PERF=$(peer perf || true) BPFTRACE=$(peer bpftrace || true) python3 - <<'END'
import os, sys

sys.path.insert(0, os.environ["here"])
import recorded

kiln, work, device = os.environ["KILN"], os.environ["WORK"], os.environ["DEVICE"]
perf, bpftrace = os.environ["PERF"], os.environ["BPFTRACE"]
calls = int(os.environ["CALLS"])

def between(begin, end, key="tid", value="nsecs - @began[{key}]"):
    value = value.replace("{key}", key)
    return (f"{begin} /pid == PID/ {{ @began[{key}] = nsecs; @user[{key}] = ustack; @kernel[{key}] = kstack; }} "
            f"{end} /@began[{key}]/ {{ @[@user[{key}], @kernel[{key}]] = sum({value}); "
            f"delete(@began[{key}]); delete(@user[{key}]); delete(@kernel[{key}]); }}")

def peers(event, script):
    return ([("bpftrace", [bpftrace, "-e", script], 5)] if bpftrace else []) + \
        ([(f"perf record -g -e {event}", [perf, "record", "-q", "-g", "-m", "8192", "-e", event, "-o",
                                          work + "/calls.data", "-p", "PID"], 1)] if perf else [])

def bench(mode, kind, file, trip, count, programs, others):
    if mode not in os.environ["KINDS"].split():
        return
    record = [kiln, "record", "-q", "-m", "64M", "-o", work + "/calls.kiln", "--mode", *mode.split(), "-p"]
    program = lambda depth: [work + "/callers", kind, str(count), str(depth)] + file
    shallow, deep = f"--mode {mode}", f"--mode {mode}, 40 frames more"
    print()
    medians = recorded.compare(
        [("nobody looks", program(1), None, 0), (f"--mode {mode}: another process", program(1), record + ["OTHER"], 3),
         (shallow, program(1), record + ["PID"], 3), (deep, program(41), record + ["PID"], 3)] +
        [(name, program(1), command, wait) for name, command, wait in others], int(os.environ["ROUNDS"]), trip)
    if shallow in medians and deep in medians:
        print(f"a frame: {(medians[deep] - medians[shallow]) / 40:.3f} µs")
    ns = recorded.programs_ns(program(1), record + ["PID,OTHER"], 3, programs)
    print(f"in programs in the kernel, by its own account: {ns / count / 1000:.2f} µs a {trip}, whatever CPU they are on")

bench("io", "read", [work + "/callers.data"], "call", calls, ["on_enter", "on_exit"],
      peers("syscalls:sys_exit_pread64", between("tracepoint:syscalls:sys_enter_pread64",
                                                 "tracepoint:syscalls:sys_exit_pread64", value="args->ret")))
bench("lock", "futex", [], "call", calls, ["on_enter", "on_exit", "on_begin", "on_end"],
      peers("syscalls:sys_exit_futex", between("tracepoint:syscalls:sys_enter_futex", "tracepoint:syscalls:sys_exit_futex")))
if device:
    bench("disk", "direct", [device], "request", calls // 5, ["on_make", "on_merge", "on_issue", "on_complete"],
          peers("block:block_rq_issue", between("tracepoint:block:block_rq_issue", "tracepoint:block:block_rq_complete",
                                                key="args->sector")))
END
