#!/bin/sh
# end_to_svg.sh: how long from the end of a system-wide recording (10 s, 997 Hz) to the finished SVG?
. "$(dirname "$0")/lib.sh"
heading 'end_to_svg: from Ctrl-C to the finished picture of a system-wide recording'
export KILN WORK ROUNDS LENGTH="${LENGTH:-10}"
exec python3 - <<'END'
import os, signal, subprocess, time
work = os.environ["WORK"]
command = [os.environ["KILN"], "record", "-q", "-a", "-F", "997", "-o", work + "/end.svg"]
busy = [subprocess.Popen(["sh", "-c", "while :; do ls -lR /usr/lib | sort | md5sum; done"],
                         stdout=subprocess.DEVNULL, start_new_session=True) for _ in range(2)]
times = []
for _ in range(int(os.environ["ROUNDS"])):
    recorder = subprocess.Popen(command)
    time.sleep(float(os.environ["LENGTH"]))
    begin = time.monotonic()
    recorder.send_signal(signal.SIGINT)
    recorder.wait()
    times.append(time.monotonic() - begin)
for b in busy:
    os.killpg(b.pid, signal.SIGKILL)
times.sort()
print("%.3f s (median of %d; %.3f to %.3f), %d KB of SVG" % (times[len(times) // 2], len(times), times[0],
      times[-1], os.path.getsize(work + "/end.svg") // 1024))
END
