#!/bin/sh
# sampling.sh: what does sampling CPU time cost who records? Its own CPU time, and the bytes that it writes.
#
# A program of two busy threads, 45 calls deep, at 997 Hz, by rings, by a program in the kernel, and with
# --mode wall; from 2 s after the beginning on, for SECONDS (20). And what a sample takes in the kernel, by the
# kernel's own account.
. "$(dirname "$0")/lib.sh"
heading 'sampling: CPU time of the recorder, and what it writes'
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 0; }
gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread -o "$WORK/target" "$here/overhead_target.c"
export KILN WORK SECONDS_OF="${SECONDS:-20}"
exec python3 - <<'END'
import json, os, signal, subprocess, time

kiln, work, seconds = os.environ["KILN"], os.environ["WORK"], float(os.environ["SECONDS_OF"])
stats = "/proc/sys/kernel/bpf_stats_enabled"
os.environ["PATH"] += ":/usr/sbin"

def used(pid):  # ns on the CPU; bytes handed to the kernel
    return (sum(int(open(f"/proc/{pid}/task/{t}/schedstat").read().split()[0]) for t in os.listdir(f"/proc/{pid}/task")),
            int(next(l for l in open(f"/proc/{pid}/io") if l.startswith("wchar")).split()[1]))

def until_recording(pid):  # its events are there, and it waits for samples
    def begun():
        links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
        return any("perf_event" in link for link in links) and "poll" in open(f"/proc/{pid}/wchan").read()
    while not begun():
        time.sleep(0.05)
    time.sleep(2)

def program():
    found = [p for p in json.loads(subprocess.run(["bpftool", "prog", "-j"], capture_output=True).stdout)
             if p.get("name") in ("on_sample", "on_tick")]
    return (found[0].get("run_time_ns", 0), found[0].get("run_cnt", 0)) if found else (0, 0)

for way in ["--recorder", "perf"], ["--recorder", "bpf"], ["--recorder", "bpf", "--untimed"], ["--mode", "wall"]:
    target = subprocess.Popen([work + "/target", "1000000000", "2"])
    recorder = subprocess.Popen([kiln, "record", "-q", "-F", "997", *way, "-p", str(target.pid),
                                 "-o", work + "/s.kiln"])
    until_recording(recorder.pid)
    cpu, written = used(recorder.pid)
    time.sleep(seconds)
    later = used(recorder.pid)
    line = (f"{' '.join(way):25} {(later[0] - cpu) / seconds * 60 / 1e6:7.1f} ms of CPU a minute, "
            f"{(later[1] - written) / seconds / 1e6:.4f} MB/s")
    if "perf" not in way:
        was = open(stats).read()
        open(stats, "w").write("1")
        ns, runs = program()
        time.sleep(3)
        more_ns, more_runs = program()
        open(stats, "w").write(was)
        line += f", {(more_ns - ns) / max(more_runs - runs, 1) / 1000:.2f} us a sample"
    print(line, flush=True)
    recorder.send_signal(signal.SIGINT)
    recorder.wait()
    target.kill()
    target.wait()
END
