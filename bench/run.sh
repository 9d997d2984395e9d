#!/bin/sh
# run.sh [NAME...]: all benchmarks, or bench/NAME.sh; each prints Kiln beside its peers, in ratios.
cd "$(dirname "$0")" || exit 1
[ $# -gt 0 ] || set -- $(ls ./*.sh | sed 's|^\./||; s|\.sh$||' | grep -vx 'lib\|run\|inputs')
echo "$(uname -srm), $(nproc) CPUs,$(sed -n 's/^model name.*:/ /p' /proc/cpuinfo | head -n 1)"
failed=0
for name; do
	"./$name.sh" || failed=1
done
exit $failed
