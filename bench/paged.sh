#!/bin/sh
# paged.sh: what does it cost a thread to fetch pages of its stack, so that a sample of it is whole?
#
# A thread computes deep in a stack of which it keeps letting go, so that each sample has to wait for some sixty pages;
# in the cache, so that no disk takes part. What it computes in a second of CPU time, with that and with --no-page-in,
# ROUNDS (5) interleaved; per sample.
. "$(dirname "$0")/lib.sh"
heading 'paged: samples that wait for pages of their stacks'
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 0; }
gcc -O2 -fomit-frame-pointer -pthread -DLET_GO=0 -o "$WORK/paged" "$here/../tests/privileged/programs/paged.c"
export KILN WORK ROUNDS
exec python3 - <<'END'
import json, os, statistics, subprocess

kiln, work, rounds = os.environ["KILN"], os.environ["WORK"], int(os.environ["ROUNDS"])

def once(option):
    ran = subprocess.run([kiln, "record", "-q", "--recorder", "bpf", "-F", "4999", *option, "-o", work + "/paged.kiln",
                          "--", "taskset", "-c", "0", work + "/paged", "1.5", work + "/stack"], capture_output=True, text=True)
    info = json.loads(subprocess.run([kiln, "info", "--json", work + "/paged.kiln"], capture_output=True).stdout)
    seconds = int(ran.stdout) / 1e9
    return int(ran.stderr) / seconds, info["streams"][0]["delivered"] / seconds

runs = [[once(option) for option in ([], ["--no-page-in"])] for _ in range(rounds)]
slower = 1 - statistics.median(waited[0] / cut[0] for waited, cut in runs)
samples = statistics.median(waited[1] for waited, _ in runs)
print(f"{samples:.0f} samples a second: slower by {slower:.2%}, {slower / samples * 1e6:.1f} us a sample")
END
