#!/bin/sh
# view.sh: how long from a file to its heat map in a browser, from a time to its flames, and how smooth is it?
#
# Chromium draws without a GPU. The text of `perf script` is what bench/inputs.sh makes (or VIEW_TEXT), its first 200 MB.
# FlameScope: a clone in FLAMESCOPE; its own reading and binning is timed, without its server and its page.
. "$(dirname "$0")/lib.sh"
heading 'view: the page of kiln view in Chromium, --disable-gpu'
[ -d "$here/../tests/browser/node_modules/playwright-core" ] || { echo 'not measured: needs a browser driver (make setup-browser)'; exit 0; }

text=$WORK/view.txt
if [ ! -s "$text" ]; then
	[ -n "${VIEW_TEXT:-}" ] || "$here/inputs.sh"
	# Whole samples; they end with an empty line.
	head -c 200M "${VIEW_TEXT:-$WORK/mix.txt}" | tac | sed '1,/^$/d' | tac >"$text.part"
	mv "$text.part" "$text"
fi
[ -s "$WORK/view.perf.data" ] || python3 "$here/view_perf_data.py" "$text" "$WORK/view.perf.data"
[ -s "$WORK/view.kiln" ] || "$KILN" convert -q -o "$WORK/view.kiln" "$text"
for nodes in 1 3; do
	[ -s "$WORK/nodes$nodes.kiln" ] || { python3 "$here/view_tree.py" "${nodes}000000" >"$WORK/nodes.folded" &&
		"$KILN" convert -q -o "$WORK/nodes$nodes.kiln" "$WORK/nodes.folded"; rm -f "$WORK/nodes.folded"; }
done
if [ ! -s "$WORK/samples10.kiln" ]; then
	ninja -C "$(dirname "$KILN")" bench/open_kiln >/dev/null
	"$(dirname "$KILN")/bench/open_kiln" make 10000000 "$WORK/samples10.kiln"
fi
export KILN WORK ROUNDS
node "$here/view.mjs"
if [ -n "${FLAMESCOPE:-}" ]; then
	python3 "$here/flamescope.py" "$FLAMESCOPE" "$text"
else
	echo 'FlameScope: not measured (FLAMESCOPE=folder of a clone)'
fi
