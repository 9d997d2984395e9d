#!/bin/sh
# mem.sh: what does recording memory cost the recorded? CPU time of a pair of malloc and free.
#
# The same program with nobody looking, while another process is recorded, and recorded with short stacks and with
# ones of 40 frames more, which gives the cost of a frame. Beside Kiln bcc's memleak, where it is. ROUNDS (5)
# interleaved, PAIRS (200000).
. "$(dirname "$0")/lib.sh"
heading 'mem: CPU time of a pair of malloc and free'
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 0; }
gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o "$WORK/churn" "$here/churn.c"
export KILN WORK ROUNDS PAIRS="${PAIRS:-200000}"
MEMLEAK=$(peer memleak || peer memleak-bpfcc || true) exec python3 - <<'END'
import os, signal, statistics, subprocess, time

kiln, work = os.environ["KILN"], os.environ["WORK"]
rounds, pairs = int(os.environ["ROUNDS"]), os.environ["PAIRS"]
mem = [kiln, "record", "-q", "-m", "64M", "--mode", "mem", "-o", work + "/mem.kiln", "-p"]
# Name, command, frames of the program, seconds until it has surely begun.
settings = [("nobody looks", None, 1, 0), ("kiln: another process", mem + ["OTHER"], 1, 1),
            ("kiln: 6 frames", mem + ["PID"], 1, 1), ("kiln: 46 frames", mem + ["PID"], 41, 1)]
if os.environ["MEMLEAK"]:
    settings.append(("memleak", [os.environ["MEMLEAK"], "-p", "PID", "99"], 1, 6))

def once(command, depth, wait):
    target = subprocess.Popen(["taskset", "-c", "0", work + "/churn", pairs, str(depth)], stdout=subprocess.PIPE)
    other = subprocess.Popen(["sleep", "1000"])
    recorder = None
    if command:
        names = {"PID": str(target.pid), "OTHER": str(other.pid)}
        recorder = subprocess.Popen([names.get(word, word) for word in command],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(wait or 0.2)
    if recorder and recorder.poll() is not None:
        target.kill(), other.kill()
        return None
    target.send_signal(signal.SIGUSR1)
    ns = int(target.communicate()[0])
    if recorder:
        recorder.send_signal(signal.SIGINT)
        recorder.wait()
    other.kill(), other.wait()
    return ns

times = {name: [] for name, *_ in settings}
for _ in range(rounds):
    for name, *how in settings:
        ns = once(*how)
        if ns is not None:
            times[name].append(ns / int(pairs) / 1000)
plain = statistics.median(times["nobody looks"])
for name, *_ in settings:
    us = statistics.median(times[name]) if times[name] else None
    print(f"{name:24} {us:6.2f} µs a pair {us - plain:+6.2f}" if us else f"{name:24} does not run here")
if times["kiln: 46 frames"] and times["kiln: 6 frames"]:
    print(f"a frame: {(statistics.median(times['kiln: 46 frames']) - statistics.median(times['kiln: 6 frames'])) / 40:.3f} µs")
END
