#!/bin/sh
# start.sh: how long from the start of the recorder until the recording runs, in each mode?
#
# The command of a recording is started when everything that is asked for is being recorded, so it only says what time
# it is. Of a command alone, and of the whole system (-a), whose processes are read first.
. "$(dirname "$0")/lib.sh"
heading 'start: from the start of kiln record to the start of the recording'
export KILN WORK ROUNDS
exec python3 - <<'END'
import os, subprocess, time
modes = {"cpu": ["--recorder", "perf"], "cpu, by BPF": ["--recorder", "bpf"], "off": ["--mode", "off"], "wall": ["--mode", "wall"],
         "io": ["--mode", "io"], "disk": ["--mode", "disk"], "lock": ["--mode", "lock"],
         "count, a tracepoint": ["--mode", "count", "-e", "sched:sched_switch"],
         "count, a function": ["--mode", "count", "-e", "libc:malloc"], "mem": ["--mode", "mem"],
         "mem --cheap": ["--mode", "mem", "--cheap"]}

BREAKPOINTS = ("count, a function", "mem")  # in all processes: kiln wants a word for that


def start(options):
    """Milliseconds until the command says what time it is."""
    begin = time.time()
    done = subprocess.run([os.environ["KILN"], "record", "-q", *options, "-o", os.environ["WORK"] + "/start.kiln", "--",
                           "date", "+%s.%N"], check=True, capture_output=True, text=True)
    return 1000 * (float(done.stdout) - begin)


def median(options):
    """Of the rounds; the least and the most behind it."""
    times = sorted(start(options) for _ in range(int(os.environ["ROUNDS"])))
    return "%4.0f (%.0f to %.0f)" % (times[len(times) // 2], times[0], times[-1])


print("%-22s %-20s %s" % ("ms, median", "a command", "-a"))
for name, options in modes.items():
    everywhere = ["-a", *(["--yes"] if name in BREAKPOINTS else []), *options]
    print("%-22s %-20s %s" % (name, median(options), median(everywhere)), flush=True)
END
