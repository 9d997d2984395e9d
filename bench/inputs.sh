#!/bin/sh
# inputs.sh [food]: make what bench/fold.sh and bench/draw_folded.sh read, in build/bench, unless it is there.
#
#   mix.txt       text of `perf script` of ten real programs, each sampled at 9999 Hz for SECONDS_EACH;
#                 others take the places of those that are not installed, fewer than ten are refused
#   large.folded  500,000 different stacks made from it: offsets kept on the two innermost frames
#   food/         what the programs work on; with "food" only that
. "$(dirname "$0")/lib.sh"
SECONDS_EACH=${SECONDS_EACH:-3.5}
source=$(cd "$here/.." && pwd)
mix=$WORK/mix
food=$WORK/food
mkdir -p "$mix" "$food"

recorded() {
	find "$mix" -name '*.txt' -size +100k
}

# sample NAME CALLGRAPH COMMAND: COMMAND runs in sh, again and again until the time is over.
sample() {
	[ "$(recorded | wc -l)" -lt 10 ] || return 0
	[ -s "$mix/$1.txt" ] && return 0
	command -v "$(echo "$1" | sed 's/-.*//')" >/dev/null || { echo "  no $1 here: left out"; return 0; }
	timeout 30 perf record -q -F 9999 -e cpu-clock --call-graph "$2" -m 8M \
		-o "$mix/perf.data" -- timeout "$SECONDS_EACH" sh -c "while :; do $3; done" \
		>/dev/null 2>&1 || true
	perf script --no-inline -i "$mix/perf.data" >"$mix/$1.part" 2>/dev/null || true
	rm -f "$mix/perf.data"
	mv "$mix/$1.part" "$mix/$1.txt"
	printf '  %-10s %6d KiB\n' "$1" $(($(wc -c <"$mix/$1.txt") / 1024))
}

# The programs' food: a text of some size, C files, JavaScript, a database.
make_food() {
	[ -s "$food/food.txt" ] || cat "$source"/src/*/*.c "$source"/src/*/*.h /usr/include/*.h >"$food/food.txt"
	cat >"$food/food.py" <<-'PY'
		import ast, json, re, sys, tokenize
		text = open(ast.__file__).read()
		for _ in range(5):
		    tree = ast.parse(text)
		    ast.unparse(tree)
		    json.loads(json.dumps([ast.dump(node) for node in tree.body]))
		    re.findall(r"\b(\w+)\(([^)]*)\)", text)
	PY
	cat >"$food/food.js" <<-'JS'
		const fs = require('fs'), path = require('path'), vm = require('vm');
		const root = path.dirname(fs.realpathSync(process.argv[2]));
		function* files(at, depth) {
			for (const e of fs.readdirSync(at, {withFileTypes: true})) {
				const f = path.join(at, e.name);
				if (e.isDirectory() && depth < 6) yield* files(f, depth + 1);
				else if (f.endsWith('.js')) yield f;
			}
		}
		const words = new Map();
		for (const f of files(root + '/..', 0)) {
			const text = fs.readFileSync(f, 'utf8');
			try { new vm.Script('(function(){' + text + '})'); } catch (e) {}
			for (const w of text.split(/[^A-Za-z_$]+/)) words.set(w, (words.get(w) || 0) + 1);
			JSON.stringify([...words].sort((a, b) => b[1] - a[1]).slice(0, 100));
		}
	JS
	cat >"$food/food.sql" <<-'SQL'
		with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
		select count(*), max(length(hex(randomblob(16)) || i)), sum(abs(random() % i) * 1.5),
			group_concat(substr(printf('%x-%d', i * 7919, i), 1, 3)) from n
		group by i % 97 order by 3 desc;
	SQL
}

[ "${1:-}" = food ] && { make_food; exit 0; }
[ -s "$WORK/large.folded" ] && exit 0
make_food
echo "recording at 9999 Hz:"
cc="-O2 -g -D_GNU_SOURCE -DKILN_VERSION=\\\"0\\\" -I$source/src -S -o /dev/null"
sample gcc dwarf "for f in $source/src/*/*.c; do gcc $cc \$f; done"
sample clang dwarf "for f in $source/src/*/*.c; do clang $cc \$f; done"
sample python3 dwarf "/usr/bin/python3 $food/food.py"
sample perl dwarf "perl -MPod::Text -e 'Pod::Text->new->parse_string_document(\`cat /usr/share/perl/5*/pod/perl*.pod /usr/share/perl/5*/Pod/*.pm\`)'"
sample node fp "node --perf-basic-prof-only-functions $food/food.js $(command -v npm || echo /dev/null)"
sample sqlite3 dwarf "sqlite3 :memory: <$food/food.sql"
sample git dwarf "git -C $source log -p --stat -M -C; git -C $source grep -n -E 'stru.t +[a-z]+' \$(git -C $source rev-list -n 30 HEAD)"
sample xz dwarf "xz -6 -c $food/food.txt"
sample zstd dwarf "zstd -q -12 -c $food/food.txt"
sample gzip dwarf "gzip -9 -c $food/food.txt"
sample awk dwarf "awk '{ for (i = 1; i <= NF; i++) n[\$i]++ } END { for (w in n) print n[w], w }' $food/food.txt"
sample sort dwarf "LC_ALL=C.UTF-8 sort -k2 $food/food.txt"
sample gdb dwarf "gdb -q -batch -ex 'info functions stack' -ex 'info types sample' $KILN"
sample rustc fp "echo 'use std::collections::*; fn main(){ let mut m: BTreeMap<String,Vec<HashMap<u64,String>>> = BTreeMap::new(); for a in std::env::args(){ m.entry(a.clone()).or_default().push((0..9u64).map(|i|(i,format!(\"{i}{a}\"))).collect()); } println!(\"{m:?}\"); }' | rustc -O --crate-name x -o /dev/null -"
sample bash fp "bash -c 'for ((i = 0; i < 200000; i++)); do a[i % 97]=\$((i * i)); s=\${s:0:80}\$i; done'"

[ "$(recorded | wc -l)" -ge 10 ] || { echo "only $(recorded | wc -l) programs could be recorded, 10 are needed" >&2; exit 1; }
recorded | sort | xargs cat >"$WORK/mix.txt"
python3 "$here/large.py" "$WORK/mix.txt" "$WORK/large.part"
mv "$WORK/large.part" "$WORK/large.folded"
