#!/bin/sh
# page.sh: how fast does a page that is one file answer, beside the server that has the same profile?
. "$(dirname "$0")/lib.sh"
build=$(dirname "$KILN")
command -v node >/dev/null || { echo "page: needs node"; exit 0; }
ninja -C "$build" bench/open_kiln >/dev/null

for samples in ${SAMPLES:-250000 10000000}; do
	file=$WORK/page-$samples.kiln page=$WORK/page-$samples.html
	heading "a page of $samples samples"
	[ -f "$file" ] || "$build/bench/open_kiln" make "$samples" "$file" >/dev/null
	"$KILN" draw "$file" -o "$page"
	node "$here/page.mjs" "$KILN" "$file" "$page" "$ROUNDS"
done
