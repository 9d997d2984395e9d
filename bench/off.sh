#!/bin/sh
# off.sh: what does recording waits cost the recorded? CPU time of a round trip between two threads on one CPU.
#
# The same program with nobody looking; while another process is recorded (all its switches are filtered out);
# recorded with no wait long enough; with every wait recorded, 23 frames each, at once or when it has ended
# (--min 1ns); and with all of its time recorded (--mode wall, at 997 Hz). Beside Kiln offcputime of
# libbpf-tools and bcc and perf record, where they are. ROUNDS (5) interleaved, TRIPS (100000).
. "$(dirname "$0")/lib.sh"
heading 'off: CPU time of a round trip between two threads, two switches, 23 frames'
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 0; }
gcc -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread -o "$WORK/pingpong" "$here/pingpong.c"
export here KILN WORK ROUNDS TRIPS="${TRIPS:-100000}"
PERF=$(peer perf || true) OFFCPUTIME=$(peer offcputime || true) OFFCPUTIME_BCC=$(peer offcputime-bpfcc || true) \
	exec python3 - <<'END'
import os, sys

sys.path.insert(0, os.environ["here"])
import recorded

kiln, work = os.environ["KILN"], os.environ["WORK"]
# Name, command, seconds until it has surely begun.
off = [kiln, "record", "-q", "--mode", "off", "-o", work + "/off.kiln"]
wall = [kiln, "record", "-q", "--mode", "wall", "-F", "997", "-o", work + "/off.kiln"]
settings = [("nobody looks", None, 0), ("kiln: another process", off + ["-p", "OTHER"], 3),
            ("kiln: no wait long enough", off + ["--min", "1s", "-p", "PID"], 3),
            ("kiln: every wait", off + ["-p", "PID"], 3),
            ("kiln: every wait, when it has ended", off + ["--min", "1ns", "-p", "PID"], 3),
            ("kiln: every wait, kernel frames only", off + ["-k", "-p", "PID"], 3),
            ("kiln: --mode wall", wall + ["-p", "PID"], 3)]
if os.environ["OFFCPUTIME"]:
    settings += [("offcputime: another process", [os.environ["OFFCPUTIME"], "-p", "OTHER", "99"], 2),
                 ("offcputime: every wait of 1 µs", [os.environ["OFFCPUTIME"], "-p", "PID", "99"], 2)]
if os.environ["OFFCPUTIME_BCC"]:
    settings.append(("offcputime-bpfcc: every wait of 1 µs", [os.environ["OFFCPUTIME_BCC"], "-f", "-p", "PID", "99"], 6))
if os.environ["PERF"]:
    settings.append(("perf record -g -e sched:sched_switch", [os.environ["PERF"], "record", "-q", "-g", "-m", "8192", "-e",
                     "sched:sched_switch", "-o", work + "/off.data", "-p", "PID"], 1))
recorded.compare([(name, [work + "/pingpong", os.environ["TRIPS"]], *how) for name, *how in settings],
                 int(os.environ["ROUNDS"]), "trip")
END
