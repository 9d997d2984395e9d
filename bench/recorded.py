"""recorded.py: what does it cost to be recorded? The same program under several recorders, in turn; for bench/*.sh.

The program waits for SIGUSR1 and prints what one of its trips takes in ns. In a recorder's command PID is the
program, OTHER another process, which sleeps.
"""
import json
import os
import signal
import statistics
import subprocess
import time

STATS = "/proc/sys/kernel/bpf_stats_enabled"
os.environ["PATH"] += ":/usr/sbin"


def until_waiting(pid):
    """It would be ended by SIGUSR1 before it waits for it."""
    def waits():
        with open(f"/proc/{pid}/wchan") as wchan:
            return "sigtimedwait" in wchan.read()
    while not waits():
        time.sleep(0.01)


def once(program, recorder, wait, before_end=lambda: None):
    """ns of a trip; None: the recorder does not run here, or had not begun."""
    target = subprocess.Popen(["taskset", "-c", "0"] + program, stdout=subprocess.PIPE)
    other = subprocess.Popen(["sleep", "1000"])
    words = [word.replace("PID", str(target.pid)).replace("OTHER", str(other.pid)) for word in recorder or []]
    running = words and subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(wait or 0.2)
    if running and running.poll() is not None:
        target.kill(), other.kill()
        return None
    until_waiting(target.pid)
    before_end()
    target.send_signal(signal.SIGUSR1)
    ns = float(target.communicate()[0])
    before_end()
    if running:
        running.send_signal(signal.SIGINT)
        try:
            running.wait(60)
        except subprocess.TimeoutExpired:
            running.kill()
            ns = None
    other.kill(), other.wait()
    return ns


def compare(settings, rounds, trip):
    """Settings are (name, program, recorder or None, seconds until that has surely begun); the first is what the others
    are compared with. Returns the medians in us, by name."""
    times = {name: [] for name, *_ in settings}
    for _ in range(rounds):
        for name, *how in settings:
            ns = once(*how)
            if ns is not None:
                times[name].append(ns / 1000)
    medians = {name: statistics.median(each) for name, each in times.items() if each}
    for name, *_ in settings:
        if name in medians:
            print(f"{name:40} {medians[name]:6.2f} µs a {trip} {medians[name] - medians[settings[0][0]]:+6.2f}")
        else:
            print(f"{name:40} does not run here")
    return medians


def programs_ns(program, recorder, wait, names):
    """ns that the recorder's programs in the kernel take in a run, by its own account; they have to stay after it."""
    taken = []

    def look():
        found = json.loads(subprocess.run(["bpftool", "prog", "-j"], capture_output=True).stdout or "[]")
        taken.append(sum(each.get("run_time_ns", 0) for each in found if each.get("name") in names))

    with open(STATS) as stats:
        was = stats.read()
    with open(STATS, "w") as stats:
        stats.write("1")
    try:
        once(program, recorder, wait, look)
    finally:
        with open(STATS, "w") as stats:
            stats.write(was)
    return taken[-1] - taken[0]
