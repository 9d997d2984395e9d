#!/bin/sh
# end_to_svg.sh [SECONDS]: how long from the end of a system-wide recording (10 s, 997 Hz) to the finished SVG?
#
# In each mode of MODES, while two programs and a loop of compiling keep the machine busy.
. "$(dirname "$0")/lib.sh"
heading 'end_to_svg: from Ctrl-C to the finished picture of a system-wide recording'
export KILN WORK ROUNDS LENGTH="${1:-10}" MODES="${MODES:-cpu cpu-bpf off wall}"
exec python3 - <<'END'
import os, signal, subprocess, time
work = os.environ["WORK"]
options = {"cpu": ["-F", "997", "--recorder", "perf"], "cpu-bpf": ["-F", "997", "--recorder", "bpf"], "off": ["--mode", "off"],
           "wall": ["--mode", "wall", "-F", "997"]}
with open(work + "/compiled.c", "w", encoding="ascii") as file:
    file.writelines(f"int f{i}(int a, int b) {{ return a * {i} + b / (a | 1); }}\n" for i in range(2000))
LOADS = ["while :; do ls -lR /usr/lib | sort | md5sum; done"] * 2 + ["while :; do cc -O2 -c -o /dev/null \"$0\"; done"]
busy = [subprocess.Popen(["sh", "-c", load, work + "/compiled.c"], stdout=subprocess.DEVNULL, start_new_session=True)
        for load in LOADS]


def end_of(mode):
    """Seconds from the signal to the picture, and to the end of the recorder."""
    picture = work + "/end.svg"
    if os.path.exists(picture):
        os.unlink(picture)
    recorder = subprocess.Popen([os.environ["KILN"], "record", "-a", *options[mode], "-o", picture],
                                stderr=subprocess.DEVNULL)
    time.sleep(float(os.environ["LENGTH"]))
    begin = time.monotonic()
    recorder.send_signal(signal.SIGINT)
    while not os.path.exists(picture) and recorder.poll() is None:
        time.sleep(0.001)
    there = time.monotonic() - begin
    recorder.wait()
    return there, time.monotonic() - begin


def median(times):
    times = sorted(times)
    return "%.3f s (%.3f to %.3f)" % (times[len(times) // 2], times[0], times[-1])


try:
    for mode in os.environ["MODES"].split():
        there, ended = zip(*(end_of(mode) for _ in range(int(os.environ["ROUNDS"]))))
        print("%-8s picture %s, recorder gone %s; medians of %d, %d KB of SVG" % (
              mode, median(there), median(ended), len(there), os.path.getsize(work + "/end.svg") // 1024), flush=True)
finally:
    for b in busy:
        os.killpg(b.pid, signal.SIGKILL)
END
