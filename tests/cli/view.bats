# view.bats: kiln view: what its answers say, and who gets none.
load common

setup_file() {
	timed_samples >"$BATS_FILE_TMPDIR/times.txt"
}

view() {
	cp "$BATS_FILE_TMPDIR/times.txt" .
	KILN=$kiln PYTHONPATH=$BATS_TEST_DIRNAME/../support python3 -c "
import json, os, re, subprocess, sys
from view_client import View
kiln = os.environ['KILN']
def top(*options, file='times.txt'):
    return json.loads(subprocess.run([kiln, 'top', '-q', '--json', *options, file], check=True, capture_output=True).stdout)
$1"
}

@test "the heat map is FlameScope's: column, row and value of every sample, out of order, too" {
	view "
from decimal import Decimal
import math
times = [Decimal(m) for m in re.findall(r'\] ([\d.]+):', open('times.txt').read())]
with View(kiln, 'times.txt') as view:
    for rows in 50, 10, 99:
        header, columns = view.columns('heatmap', ('rows', str(rows)), ('kind', 'samples'))
        first = math.floor(min(times))
        assert header['start'] == first * 10 ** 9, header
        assert header['columns_count'] == math.floor(max(times)) - first + 1, header
        expected = [0] * (rows * header['columns_count'])
        for time in times:
            expected[math.floor(time - first) * rows + math.floor(rows * (time % 1))] += 1
        assert list(columns['value']) == expected
        assert header['total'] == sum(expected) == 3000 and header['untimed'] == 0
"
}

@test "columns that nobody chose last as long as room and samples allow, the same whatever is left out" {
	view "
from decimal import Decimal
times = [int(Decimal(m) * 10 ** 9) for m in re.findall(r'\] ([\d.]+):', open('times.txt').read())]
span, choices = max(times) - min(times), [10 ** 6 * ms for ms in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000)]
with View(kiln, 'times.txt') as view:
    seen = set()
    for most, rows, by in (300, 10, []), (300, 1, []), (300, 100, []), (20, 10, []), (3, 1, []), (1, 50, []), (300, 50, [('by', 'thread')]), (1000000, 1, []):
        words = [('columns', str(most)), ('rows', str(rows)), *by]
        header, columns = view.columns('heatmap', *words)
        fits = [ns for ns in choices if span <= ns * most and (len(times) * ns >= 2 * span * (1 if by else rows) or 30 * ns >= span)]
        assert header['column'] == fits[0], (words, header, fits)
        assert header['first'] == min(times) and header['start'] == min(times) - min(times) % fits[0]
        assert view.columns('heatmap', ('column', '%dns' % fits[0]), *words[1:]) == (header, columns)
        assert view.columns('heatmap', *words, ('time', '2..3'))[0]['column'] == fits[0]
        seen.add(fits[0])
    assert len(seen) > 4, seen
    assert view.columns('heatmap', ('time', '2..3'))[0]['first'] == view.json('info')['first_ns'] == min(times)
"
}

@test "cells of what is left are all of what is left; ranges beside one another are the whole" {
	view "
with View(kiln, 'times.txt') as view:
    whole = top()['total']
    for words in [], [('focus', '^run\$')], [('thread', 'worker')], [('cpu', '1')], [('time', '1..2.5')], [('exclude', 'parse'), ('time', '..3')]:
        header, columns = view.columns('heatmap', *words)
        assert sum(columns['value']) == header['total'] == top(*['--' + k + '=' + v for k, v in words])['total'], words
    halves = [view.json('top', ('time', range))['total'] for range in ('..3.2', '3.2..')]
    assert sum(halves) == whole and all(halves)
"
}

@test "rows that are threads or CPUs have what is theirs" {
	view "
with View(kiln, 'times.txt') as view:
    for words in [], [('focus', 'parse'), ('time', '2..5')]:
        options = ['--' + k + '=' + v for k, v in words]
        for by, choose in ('thread', lambda label: '--thread=' + label.split('/')[1]), ('cpu', lambda label: '--cpu=' + label.split()[1]):
            header, columns = view.columns('heatmap', ('by', by), ('column', '500ms'), *words)
            assert header['labels'] == {'thread': ['main-12/12', 'worker-12/13'], 'cpu': ['CPU 0', 'CPU 1']}[by], header
            rows = [columns['value'][i::header['rows']] for i in range(header['rows'])]
            assert [sum(row) for row in rows] == [top(*options, choose(label))['total'] for label in header['labels']]
            _, everybody = view.columns('heatmap', ('rows', '1'), ('column', '500ms'), *words)
            assert [sum(column) for column in zip(*rows)] == list(everybody['value'])
with View(kiln, 'small.folded') as view:
    status, _, body = view.get('heatmap?by=cpu')
    assert status == 400 and body == b'the input does not have the CPU of a sample\\n', body
"
}

@test "what is sought is lit in the map: the samples that include finds, cell by cell" {
	view "
with View(kiln, 'times.txt') as view:
    for shape in [], [('thread', 'worker')], [('by', 'thread')], ['reverse', ('time', '1..3')], [('drop', '^parse\$')]:
        for pattern in 'parse', '^(parse|write)\$', 'main', 'nothing', '(?i)RUN':
            header, columns = view.columns('heatmap', *shape, ('match', pattern))
            alone, expected = view.columns('heatmap', *shape, ('include', pattern))
            assert header['matched'] == alone['total'] == sum(columns['matched']), (shape, pattern)
            assert header['rows'] != alone['rows'] or columns['matched'] == expected['value'], (shape, pattern)
            _, whole = view.columns('heatmap', *shape)
            assert columns['value'] == whole['value'] and 'matched' not in whole
"
}

@test "the tree is that of the commands: totals, shares, places, order" {
	view "
with View(kiln, 'times.txt') as view:
    for words in [], ['reverse'], ['by-thread', ('time', '1..4')], [('focus', '^run\$'), ('order', 'weight')]:
        header, c = view.columns('nodes', *words)
        strings, at = [], 0
        for end in c['string_end']:
            strings.append(bytes(c['strings'][at:end]).decode())
            at = end
        assert header['total'] == sum(c['self']) == c['total'][0] and header['small'] == 0
        assert min(c['self']) >= 0
        lines = {}
        for i in range(header['nodes']):
            inside = range(i + 1, c['end'][i])
            children = [n for n in inside if c['depth'][n] == c['depth'][i] + 1]
            assert c['total'][i] == c['self'][i] + sum(c['total'][n] for n in children)
            assert all(c['depth'][n] > c['depth'][i] for n in inside)
            key = [(-c['total'][n] if 'order' in dict(w for w in words if type(w) is tuple) else strings[c['name'][n]]) for n in children]
            assert key == sorted(key), key
            path = []
            for n in range(i + 1): # callers are those whose callees end behind it
                if n and c['end'][n] > i:
                    path.append(strings[c['name'][n]])
            if c['self'][i]:
                lines[';'.join(path)] = int(c['self'][i])
        options = ['--' + (w if type(w) is str else w[0] + '=' + w[1]) for w in words if w[0] != 'order']
        folded = subprocess.run([kiln, 'fold', '-q', *options, 'times.txt'], check=True, capture_output=True, text=True).stdout
        assert lines == {k: int(v) for k, v in (line.rsplit(' ', 1) for line in folded.splitlines())}
"
}

@test "small frames of large trees are put together, and told where one looks closer" {
	python3 -c '
import random
random.seed(3)
for i in range(4000):
    print(";".join(random.choice("abcdefgh") + str(depth % 3) for depth in range(1 + int(random.expovariate(0.2)))), random.randrange(1, 9))' >bushy.folded
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); print $0, n, (n * 7) % 5 }' bushy.folded >both.folded
	view "
def tree(view, *words, of='bushy.folded'):
    'The header, and for each row its path, values of all columns, and its direct callees.'
    header, c = view.columns('nodes', ('profile', of), *words)
    strings, at, path, rows = [], 0, [], []
    for end in c['string_end']:
        strings.append(bytes(c['strings'][at:end]).decode())
        at = end
    for i in range(header['nodes']):
        path[c['depth'][i]:] = [strings[c['name'][i]]]
        row = {key: c[key][i] for key in c if len(c[key]) == header['nodes'] and key not in ('string_end', 'strings')}
        rows.append({**row, 'row': i, 'path': tuple(path[1:])})
    return header, rows
with View(kiln, 'bushy.folded', 'both.folded') as view:
    header, whole = tree(view)
    assert header['small'] == 0 and 'small' not in whole[0] and len(whole) > 5000
    full = {row['path']: row for row in whole}
    numbers = {row['path']: row['node'] for row in tree(view, ('least', '1e-9'))[1]}
    assert len(numbers) == len(full)
    def check(header, rows, least):
        'least(path): what is large there'
        large = {row['path'] for row in rows if not row['small']}
        assert header['small'] == sum(row['small'] for row in rows) == len(full) - len(large)
        for row in rows:
            inside = rows[row['row'] + 1:row['end']]
            callees = [each for each in inside if each['depth'] == row['depth'] + 1]
            assert row['total'] == row['self'] + sum(each['total'] for each in callees)
            if not row['small']:
                assert (row['self'], row['total']) == (full[row['path']]['self'], full[row['path']]['total'])
                continue
            assert row['path'][-1] == f\"{row['small']:,} small frames\" and row['small'] > 1 and not inside
        kept = lambda path: all(full[path[:n]]['total'] >= least(path[:n]) for n in range(len(path) + 1))
        for path, row in full.items():
            assert path in large or not kept(path)
            if path in large and not kept(path): # it is all that was small there
                others = [each for each in rows if each['path'][:-1] == path[:-1] and each['small']]
                assert row['end'] == row['row'] + 1 and not others, path
    sum_of_all = whole[0]['total']
    for share in 0.3, 0.02, 0.001:
        header, rows = tree(view, ('least', str(share)))
        check(header, rows, lambda path: share * sum_of_all)
    for path in ('a0',), ('b0', 'c1'), max(full, key=len):
        header, rows = tree(view, ('least', '0.02'), ('open', str(numbers[path])))
        within = lambda each: len(each) > len(path) and each[:len(path)] == path
        check(header, rows, lambda each: 0 if each == path[:len(each)] else 0.02 * full[path]['total'] if within(each) else 0.02 * sum_of_all)
    # By weight, siblings stay in their order; beyond a number of frames it is done unasked.
    header, rows = tree(view, ('least', '0.001'), ('order', 'weight'))
    assert header['small'] and all(a['total'] >= b['total'] for a, b in zip(rows, rows[1:]) if a['path'][:-1] == b['path'][:-1]), 'order'
    for most, small in (str(len(whole)), False), (str(len(whole) - 1), True):
        header, rows = tree(view, ('most', most))
        assert ('small' in rows[0]) == small, (most, len(whole))
        if small: # nothing is below a ten-thousandth here but what is worth 1
            check(header, rows, lambda path: 1e-4 * sum_of_all)
    # Of two sides both have what was put together.
    header, rows = tree(view, ('least', '0.01'), of='both.folded')
    assert header['small'] and sum(row['self'] for row in rows) == header['total'] and sum(row['before_self'] for row in rows) == header['before_total'] == sum_of_all
"
}

@test "a comparison has the numbers of kiln diff: tree, table, shape, times, shares" {
	python3 -c '
import random
random.seed(9)
for i in range(900):
    print(f"""main 12/12 [000] {50 + i / 300:.6f}: 1000 cycles:
\t7f01 {random.choice(["parse.isra.0", "write", "fresh"])}+0x1 (/bin/app)
\t7f03 main+0x3 (/bin/app)
""")' >later.txt
	view "
def diff(*options):
    return json.loads(subprocess.run([kiln, 'diff', '-q', '--to', 'json', *options], check=True, capture_output=True).stdout)
def lines(header, c):
    'Path: [[self before and after], [total before and after]]'
    strings, at, path, found = [], 0, [], {}
    for end in c['string_end']:
        strings.append(bytes(c['strings'][at:end]).decode())
        at = end
    for i in range(header['nodes']):
        path[c['depth'][i]:] = [strings[c['name'][i]]]
        found[tuple(path[1:])] = [[c['before_self'][i], c['self'][i]], [c['before_total'][i], c['total'][i]]]
    return found
def paths(difference):
    names, found = [f['function'] for f in difference['functions']], []
    for node in difference['tree']:
        found.append((*(found[node['caller']] if node['caller'] is not None else ()), names[node['function']] if 'function' in node else node['label']))
    return {path: [node['self'], node['total']] for path, node in zip(found, difference['tree'])}
with View(kiln, 'times.txt', 'later.txt') as view:
    for before, after, words in ('times.txt', 'later.txt', []), ('later.txt', 'times.txt', ['normalise', ('time', '..1.5'), 'reverse']), \
            ('times.txt', 'times.txt', [('before-time', '..3'), ('after-time', '3..')]), ('times.txt', 'later.txt', ['exact', ('thread', 'main'), ('focus', '^main\$')]):
        options = ['--' + (w if type(w) is str else w[0] + '=' + w[1]) for w in words] + [before, after]
        asked = [('profile', after), ('before', before), *words]
        expected = diff(*options)
        assert json.loads(view.ask('difference-json', *asked))['functions'] == expected['functions']
        header, c = view.columns('nodes', *asked)
        assert (header['before_total'], header['total'], header['scale']) == (expected['before']['total'], expected['after']['total'], expected['scale'])
        assert header['small'] == 0
        found = lines(header, c)
        assert found.pop(()) == [[0, 0], [header['before_total'], header['total']]]
        assert found == paths(expected), (found, paths(expected))
        # Colours are those of the picture: by how much it is more or less, but for noise.
        import math
        noise = max(1, math.ceil(max(header['before_total'] * header['scale'], header['total']) * 0.005))
        assert header['noise'] == noise
        for which in 'self', 'total':
            for old, new, step in zip(c['before_' + which], c[which], c['change_' + which]):
                old *= header['scale']
                full = 127 if new > old else -127
                share = 0 if abs(round(new - old)) < noise else full if not old or not new else 127 * max(-1, min(1, math.log(new / old) / math.log(1.25)))
                assert abs(step - 127 - share) <= 1, (which, old, new, step)
        text = subprocess.run([kiln, 'diff', '-q', *options], check=True, capture_output=True).stdout.decode()
        assert view.ask('difference', *asked).decode() == text
        assert view.ask('folded', *asked) == subprocess.run([kiln, 'diff', '-q', '--to', 'folded', *options], check=True, capture_output=True).stdout
        for more in [], ['negate'], ['elided']:
            picture = subprocess.run([kiln, 'diff', '-q', '--to', 'svg', *['--' + w for w in more], *options], capture_output=True)
            status, _, body = view.get('svg?' + '&'.join(w if type(w) is str else w[0] + '=' + w[1].replace('^', '%5E') for w in asked + more))
            assert body == picture.stdout if status == 200 else picture.returncode and 'is gone' in body.decode(), (more, status)
    # A part of what is compared is scaled as all of it is.
    asked = [('before', 'times.txt'), ('before-time', '..3'), ('after-time', '3..'), 'normalise']
    whole, functions = view.columns('nodes', *asked)[0], view.json('top', *asked)['functions']
    one = next(f for f in functions if f['before_total'] * whole['total'] != f['total'] * whole['before_total'] and re.fullmatch(r'\\w+', f['function']))
    focus = ('focus', '^' + one['function'] + '\$')
    part = view.columns('nodes', *asked, 'then', focus)[0]
    assert [part[k] for k in ('scale', 'noise')] == [whole[k] for k in ('scale', 'noise')] and part['scale'] != 1, (part, whole)
    assert (part['before_total'], part['total']) == (one['before_total'], one['total']), (part, one)
    assert view.ask('nodes', *asked, 'then', focus, ('kind', 'samples')) == view.ask('nodes', ('kind', 'samples'), *asked, 'then', focus) != view.ask('nodes', *asked, 'then', focus)
    # Itself, and all of it in two parts.
    header, c = view.columns('nodes', ('before', 'times.txt'))
    assert c['before_total'] == c['total'] and c['before_self'] == c['self'] and set(c['change_total'] + c['change_self']) == {127}
    header, c = view.columns('nodes', ('before', 'times.txt'), ('before-time', '..2.5'), ('after-time', '2.5..'))
    assert header['before_total'] + header['total'] == top()['total'] and header['before_total'] and header['total']
    whole = {f['function']: f['total'] for f in top()['functions']}
    parts = {f['function']: f['before_total'] + f['total'] for f in view.json('top', ('before', 'times.txt'), ('before-time', '..2.5'), ('after-time', '2.5..'), 'exact')['functions']}
    assert parts == whole
    for query, said in {
            'nodes?normalise': 'a comparison also needs before=PROFILE',
            'nodes?before=times.txt&before-time=x': '--before-time: expected FROM..TO in seconds from the start',
            'nodes?before=times.txt&profile=later.txt&kind=apples': \"times.txt: no kind 'apples'\",
            'heatmap?before=times.txt': 'this output cannot show differences',
            'difference': 'there is nothing to compare: values have only one side',
            'difference-json': 'there is nothing to compare: values have only one side'}.items():
        status, _, body = view.get(query)
        assert status == 400 and said in body.decode() and body.count(b'\n') == 1, (status, body)
"
}

@test "every output is at its name, as the command writes it" {
	view "
with View(kiln, 'times.txt', 'small.folded') as view:
    listed = json.loads(view.ask('profiles'))
    assert [each['name'] for each in listed] == ['times.txt', 'small.folded'] and [each['bytes'] for each in listed] == [os.path.getsize(each['name']) for each in listed], listed
    assert view.json('top', ('time', '1..2')) == top('--time=1..2')
    small = view.ask('folded', ('profile', 'small.folded'))
    assert small == subprocess.run([kiln, 'fold', 'small.folded'], check=True, capture_output=True).stdout
    svg = view.get('svg')
    assert svg[1]['Content-Type'] == 'image/svg+xml' and b'<svg' in svg[2]
    # The policy lets in just the script and the style that are in it.
    import base64, hashlib
    for element in 'script', 'style':
        text = re.search(rb'<%s[^>]*>(?:<!\[CDATA\[)?(.*?)(?:\]\]>)?</%s>' % (element.encode(), element.encode()), svg[2], re.S)[1]
        digest = base64.b64encode(hashlib.sha256(text).digest()).decode()
        assert f\"{element}-src 'sha256-{digest}'\" in svg[1]['Content-Security-Policy'], element
    info = view.json('info')
    assert {t['name'] for t in info['thread_list']} == {'main', 'worker'} and info['cpu_list'] == [0, 1]
    status, headers, body = view.get('top?json')
    assert view.get('top?json', If_None_Match=headers['ETag'])[0] == 304
    assert view.get('top?json&reverse', If_None_Match=headers['ETag'])[0] == 200
"
}

@test "a page has all it runs in it, says so by hashes, and links nothing" {
	view "
import base64, hashlib
def hash_of(text): return \"'sha256-%s'\" % base64.b64encode(hashlib.sha256(text).digest()).decode()
with View(kiln, 'times.txt') as view:
    for page in 'view', 'start':
        status, headers, html = view.get(page)
        rules = dict(rule.strip().split(' ', 1) for rule in headers['Content-Security-Policy'].split(';'))
        script, style = (re.findall(rb'<%s[^>]*>(.*?)</%s>' % (each, each), html, re.S) for each in (b'script', b'style'))
        assert script and len(style) == 1 and rules == {'default-src': \"'none'\", 'script-src': ' '.join(map(hash_of, script)), 'style-src': hash_of(style[0]),
            'img-src': \"'self' data:\", 'connect-src': \"'self'\", 'base-uri': \"'none'\", 'form-action': \"'none'\", 'frame-ancestors': \"'none'\"}, rules
        assert re.findall(rb'<(?!a )\w+[^<>]* (?:src|href)=\"([^\"]*)', html[:html.index(b'<style')]) == [b'data:,']
    assert \"default-src 'none'; base-uri\" in view.get('top?json')[1]['Content-Security-Policy']
"
}

# chart(view, words...): the header, and boxes as dicts in the answer's order.
chart='
def chart(view, *words):
    header, c = view.columns("chart", *words)
    strings, at = [], 0
    for end in c["string_end"]:
        strings.append(bytes(c["strings"][at:end]).decode())
        at = end
    names = "begin end value lane samples runs depth".split()
    boxes = [dict(zip(names, row)) for row in zip(*(c[name] for name in names))]
    for box, name in zip(boxes, c["name"]):
        box["name"] = strings[name]
        box["begin"], box["end"] = int(box["begin"]) + header["start"], int(box["end"]) + header["start"]
    return header, boxes
'

@test "the flame chart: boxes are the samples in a row that share a frame, as long as they stand for" {
	view "$chart"'
import statistics
samples = {"main-12/12": [], "worker-12/13": []}
for block in open("times.txt").read().split("\n\n")[:-1]:
    head, *frames = block.split("\n")
    time = round(float(re.search(r"\] ([\d.]+):", head)[1]) * 10 ** 6) * 1000
    stack = [head.split()[0]] + [re.match(r"\t7f0\d (.*)\+0x", frame)[1] for frame in reversed(frames)]
    samples["worker-12/13" if "worker" in head else "main-12/12"].append((time, stack))
for lane in samples.values():
    lane.sort(key=lambda sample: sample[0]) # stable, as equal times are
period = statistics.median_high([b[0] - a[0] for lane in samples.values() for a, b in zip(lane, lane[1:]) if b[0] > a[0]])
with View(kiln, "times.txt") as view:
    header, boxes = chart(view, ("least", "1ns"), ("kind", "samples"))
    assert header["period"] == period and header["labels"] == sorted(samples, key=lambda l: -len(samples[l])), header
    assert header["total"] == 3000 and header["untimed"] == header["lanes_left_out"] == 0
    expected = []
    for number, label in enumerate(header["labels"]):
        runs, before, path = {}, 0, []
        for time, stack in samples[label]:
            begin = time - period
            if before and begin <= before + period // 2:
                begin = before
            same = 0
            while begin <= before and same < min(len(path), len(stack)) and path[same] == stack[same]:
                same += 1
            for depth, name in enumerate(stack):
                if depth < same:
                    runs[depth][-1][1], runs[depth][-1][3] = time, runs[depth][-1][3] + 1
                else:
                    runs.setdefault(depth, []).append([begin, time, name, 1])
            before, path = time, stack
        expected += [(number, depth, *run) for depth in sorted(runs) for run in runs[depth]]
    # Thin neighbours are one even at 1 ns: those whose sample has the time of the one before.
    thin = [run for run in expected if run[2] == run[3]]
    given = [(b["lane"], b["depth"], b["begin"], b["end"], b["name"], b["samples"]) for b in boxes if b["runs"] == 1 and b["begin"] < b["end"]]
    assert given == [run for run in expected if run[2] < run[3]], [pair for pair in zip(given, expected) if pair[0] != pair[1]][:3]
    assert sum(b["runs"] for b in boxes if b["begin"] == b["end"]) == len(thin)
    for lane, label in enumerate(header["labels"]):
        assert sum(b["value"] for b in boxes if b["lane"] == lane and not b["depth"]) == len(samples[label])
'
}

@test "the flame chart is bounded, in each detail has all that was sampled, and takes what the commands take" {
	view "$chart"'
with View(kiln, "times.txt", "small.folded") as view:
    fine = chart(view)[1]
    for least in "10ms", "100ms", "1s", "1h":
        header, boxes = chart(view, ("least", least))
        assert sum(b["value"] for b in boxes if not b["depth"]) == header["total"] == top()["total"]
        rows = {}
        for b in boxes:
            rows.setdefault((b["lane"], b["depth"]), []).append(b)
        span = 7 * 10 ** 9
        for row in rows.values():
            assert all(a["end"] <= b["begin"] for a, b in zip(row, row[1:]))
            assert len(row) <= 2 * span / header["least"] + 2, (least, len(row))
            # What is together is shorter than twice the least, with gaps that are shorter, too.
            assert all(b["runs"] == 1 or b["end"] - b["begin"] < 3 * header["least"] for b in row)
        for depth in range(5):
            assert sum(b["samples"] for b in boxes if b["depth"] == depth) == sum(b["samples"] for b in fine if b["depth"] == depth)
    header, boxes = chart(view, ("time", "1..3"), ("focus", "^run$"), ("by", "cpu"))
    assert header["total"] == top("--time=1..3", "--focus=^run$")["total"] and header["labels"] == ["CPU 0", "CPU 1"]
    assert {b["name"] for b in boxes if not b["depth"]} == {"run"}
    header, boxes = chart(view, ("lanes", "1"))
    assert (header["lanes"], header["lanes_left_out"], {b["lane"] for b in boxes}) == (1, 1, {0})
    assert chart(view, ("by", "all"))[0]["labels"] == ["all"]
    assert chart(view, ("focus", "nothing"))[1] == []
    for query, said in {"chart?profile=small.folded": b"the input does not have the time of a sample\n", "chart?lanes=0": b"expected 1 to 10000 lanes"}.items():
        status, _, body = view.get(query)
        assert status == 400 and body.startswith(said), body
'
}

@test "a flame chart of more boxes than an answer has tells longer ones, and still all that was sampled" {
	view "$chart"'
with open("deep.txt", "w") as out:
    for i in range(1200):
        out.write(f"deep 1/1 [000] {i}.0: 1 cycles:\n" + "".join(f"\t7f01 f{depth}_{i % 2}+0x1 (/bin/deep)\n" for depth in range(200)) + "\n")
with View(kiln, "deep.txt") as view:
    header, boxes = chart(view, ("kind", "samples"))
    assert header["least"] > 1 and len(boxes) <= 200000 < 1200 * 201, (header["least"], len(boxes))
    assert [sum(b["samples"] for b in boxes if b["depth"] == depth) for depth in (0, 1, 200)] == [1200] * 3
'
}

@test "where samples say how long they lasted the flame chart is that long" {
	cat >spans.speedscope.json <<-'END'
	{"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "a"}, {"name": "b"}, {"name": "c"}]},
	 "profiles": [{"type": "evented", "name": "one", "unit": "milliseconds", "startValue": 0, "endValue": 100, "events": [
	  {"type": "O", "frame": 0, "at": 10}, {"type": "O", "frame": 1, "at": 20}, {"type": "C", "frame": 1, "at": 50},
	  {"type": "C", "frame": 0, "at": 60}, {"type": "O", "frame": 2, "at": 80}, {"type": "C", "frame": 2, "at": 100}]}]}
	END
	view "$chart"'
with View(kiln, "spans.speedscope.json") as view:
    header, boxes = chart(view, ("by", "all"))
    start = min(b["begin"] for b in boxes)
    ms = [(b["depth"], b["name"], (b["begin"] - start) / 1e6, (b["end"] - start) / 1e6) for b in boxes if b["name"] in "abc"]
    assert ms == [(0, "a", 0, 50), (0, "c", 70, 90), (1, "b", 10, 40)], ms
'
}

# A program with a profile by hand: leaf samples at addresses that its own symbol table and objdump tell.
hot_program() {
	cat >hot.c <<-'END'
	int sink;
	__attribute__((noinline)) int hot(int n)
	{
		for (int i = 0; i < n; i++)
			sink += i * n;
		return sink;
	}
	int main(void)
	{
		return hot(3) - sink;
	}
	END
	cc -O1 -g -no-pie -o hot "$PWD/hot.c"
}

@test "lines and addresses of a function cost what the commands say of it" {
	hot_program
	view '
def addresses(name):
    dump = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "hot"], check=True, capture_output=True, text=True).stdout
    body = dump.split(f"<{name}>:\n")[1].split("\n\n")[0]
    return [(int(line.split(":")[0], 16), line.split("\t")[1].strip()) for line in body.splitlines()]
hot, main = addresses("hot"), addresses("main")
call = [i for i, (_, text) in enumerate(main) if "call" in text][0]
back = main[call + 1][0]
program = os.path.abspath("hot")
samples = [(hot[i % len(hot)][0], 1 + i) for i in range(2 * len(hot))]
# perf script has addresses; where a file is mapped, an event says.
with open("hot.txt", "w") as out:
    for i, (address, weight) in enumerate(samples):
        out.write(f"hot 7/7 [000] {i + 1}.0: {weight} cycles:\n\t{address:x} hot+0x{address - hot[0][0]:x} ({program})\n\t{back:x} main+0x{back - main[0][0]:x} ({program})\n\n")
with View(kiln, "hot.txt") as view:
    for words in [], [("time", "3..9")]:
        answer = json.loads(view.ask("lines-json", ("function", "hot"), *words))
        function, = [f for f in top(*["--" + k + "=" + v for k, v in words], file="hot.txt")["functions"] if f["function"] == "hot"]
        assert (answer["self"], answer["total"]) == (function["self"], function["total"]), answer
    assert json.loads(view.ask("lines-json", ("function", "main")))["self"] == 0
    assert json.loads(view.ask("lines-json", ("function", "nobody")))["total"] == 0
    status, _, body = view.get("lines-json")
    assert status == 400 and b"--function" in body
'
}

@test "lines of a function by its name in a comparison are those of all functions that are called so there" {
	printf '%s\n' 'main;work 2' 'main;work.isra.0;leaf 3' 'main;work;work.cold 4' 'main;workshop 8' >a.folded
	view '
with View(kiln, "a.folded") as view:
    costs = lambda query: [json.loads(view.get(query)[2])[key] for key in ("self", "total")]
    assert costs("lines-json?function=work") == [2, 6]
    assert costs("lines-json?function=work&canonical") == [6, 9]
    assert costs("lines-json?function=work.cold&canonical") == [0, 0]
    compared, = [f for f in json.loads(view.get("top?json&profile=a.folded&before=a.folded")[2])["functions"] if f["function"] == "work"]
    assert [compared["self"], compared["total"]] == [6, 9], compared
'
}

@test "source and machine code are those of files that the profile names, and of no others" {
	hot_program
	"$kiln" record -q -F 999 -o run.kiln -- ./hot || skip "needs perf"
	echo secret >secret
	ln -s secret hot.link
	view '
program = os.path.abspath("hot")
info = json.loads(subprocess.run([kiln, "info", "-q", "--json", "run.kiln"], check=True, capture_output=True).stdout)
build_id, = [m["build_id"] for m in info["mappings"] if m["file"] == program] or ["none"]
symbols = {line.split()[2]: int(line.split()[0], 16) for line in subprocess.run(["nm", "hot"], check=True, capture_output=True, text=True).stdout.splitlines() if len(line.split()) == 3}
headers = subprocess.run(["readelf", "-lW", "hot"], check=True, capture_output=True, text=True).stdout
offset, address = [(int(w[1], 16), int(w[2], 16)) for w in map(str.split, headers.splitlines()) if w[:1] == ["LOAD"] and "E" in w][0]
source = os.path.abspath("hot.c")
with View(kiln, "run.kiln") as view:
    words = [("binary", program), ("build-id", build_id), ("address", str(symbols["hot"] - address + offset))]
    assert view.get("text?file=" + source)[0] == 404, "nobody has named it yet"
    code = json.loads(view.ask("code", *words))
    assert (code["name"], code["start"], code["shift"], code["cut"]) == ("hot", symbols["hot"], address - offset, False), code
    dump = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "hot"], check=True, capture_output=True, text=True).stdout
    body = dump.split("<hot>:\n")[1].split("\n\n")[0].splitlines()
    assert [at for at, *_ in code["instructions"]] == [int(line.split(":")[0], 16) for line in body]
    assert code["instructions"][0][3] == source and {line for _, _, line, *_ in code["instructions"]} <= {3, 4, 5, 6, 7}, code
    assert view.ask("text", ("file", source)) == open("hot.c", "rb").read()
    for query, said in {"text?file=/etc/passwd": 404, "text?file=" + os.path.abspath("secret"): 404, "text?file=hot.c": 404, "text?file=": 404,
            "text?file=" + os.path.dirname(source) + "/../" + os.path.basename(os.path.dirname(source)) + "/hot.c": 404,
            "code?binary=/bin/ls&address=4096": 404, "code?binary=" + program + "&build-id=00&address=4096": 404,
            "code?binary=" + program + "&build-id=" + build_id + "&address=99999999": 404, "code?address=x": 400, "text": 400, "code": 400, "text?more=1": 400}.items():
        status, _, body = view.get(query)
        assert status == said and body.count(b"\n") == 1, (query, status, body)
    open("hot.c", "ab").write(b"\0")
    assert view.get("text?file=" + source)[0] == 400, "not a text"
    os.rename("hot.c", "gone.c")
    assert view.get("text?file=" + source)[0] == 404
    os.mkfifo("hot.c")
    assert view.get("text?file=" + source)[0] == 404, "not a file"
    os.environ["PATH"] = "/nowhere"
with View(kiln, "run.kiln") as view:
    status, _, body = view.get("code?binary=%s&build-id=%s&address=%d" % (program, build_id, symbols["hot"] - address + offset))
    assert status == 400 and b"install binutils" in body, body
with View(kiln, "--no-source", "run.kiln") as view:
    assert view.get("text?file=" + source)[::2] == (404, b"this server does not show source files\n")
    assert view.get("code?binary=" + program)[0] == 404
'
}

@test "what is wrong with a query is said in a line" {
	view "
with View(kiln, 'times.txt') as view:
    for query, said in {
            'top?time=later': \"--time: expected FROM..TO in seconds from the start, or FROM.. or ..TO, got 'later'\",
            'top?fokus=x': 'unknown option --fokus; did you mean --focus?',
            'top?focus=(': '--focus: ',
            'top?clean-file=/etc/passwd': '--clean-file opens files: only on the command line',
            'svg?nameattr=/etc/passwd': '--nameattr opens files: only on the command line',
            'top?cpu&cpu=1': '--cpu needs an argument: LIST',
            'top?cpu=a%0Ab': \"--cpu: expected CPUs such as 0,2-4, got 'a b'\",
            'svg?cp': '--cp opens files: only on the command line',
            'heatmap?rows=0': 'expected columns of 1 ns to 213 days, and 1 to 1000 rows; got 1000000000 ns and 0',
            'profiles?x': 'profiles takes no parameters',
            'top?=3': 'unknown option --; ',
            'heatmap?column=1ns': 'a heat map has at most 16777216 cells: choose columns longer than 1 ns',
            'heatmap?match=(': \"--match: expected a regular expression, got '('\",
            'nodes?open=99': '--open: expected a node below 13, got 99',
            'nodes?least=2': 'expected a share from 0 to below 1, got 2',
            'top?kind=apples': \"no kind 'apples' in this profile; it has: cycles, samples (cycles)\"}.items():
        status, _, body = view.get(query)
        assert status == 400 and said in body.decode() and body.count(b'\n') == 1, (status, body)
    for query in 'top?&&profile=other', 'nodes?profile=../times.txt', 'top?profile=', 'nodes?before=other':
        status, _, body = view.get(query)
        assert status == 404 and body.startswith(b'Profile \"') and body.count(b'\n') == 1, (status, body)
        told, headers, line = view.get(query, Kiln_Missing='1')
        assert (told, headers['Kiln-Missing'], line) == (200, '1', body), (told, line)
    status, headers, _ = view.get('top', Kiln_Missing='1')
    assert status == 200 and 'Kiln-Missing' not in headers
"
}

@test "who does not know the token, is of another place or asks for more gets nothing" {
	view "
import socket
with View(kiln, 'times.txt') as view:
    root, token = view.url.rsplit('/', 2)[0] + '/', view.url.rsplit('/', 2)[1]
    host = root.split('/')[2]
    for path in '', 'profiles', token[:-1] + '/profiles', '0' * 32 + '/', token, token + '/../profiles', token + '/%2e%2e/etc/passwd', \
            token + '/etc/passwd', token + '/%', token + '/toppp':
        assert view.get(path, base=root)[0] == 404, path
    assert view.get('top', Host='kiln.example')[0] == 403
    assert view.get('top', Host='127.0.0.1.evil.example:80')[0] == 403
    assert view.get('top', Host='localhost:1234')[0] == 200 # through ssh -L
    assert view.get('top', Origin='http://kiln.example')[0] == 403
    assert view.get('top', Origin='null')[0] == 403
    assert view.get('top', Origin='http://' + host)[0] == 200
    for method in 'POST', 'PUT', 'DELETE', 'OPTIONS':
        status, headers, _ = view.get('top', method=method, data=b'x=y' * 100000 if method == 'POST' else None)
        assert status == 405 and headers['Allow'] == 'GET, HEAD', (method, status)
    status, headers, body = view.get('', method='HEAD')
    assert status == 200 and not body and headers['X-Content-Type-Options'] == 'nosniff'
    assert view.get('top?' + '&'.join(['idle'] * 1000))[0] == 200
    assert view.get('top?' + '&'.join(['idle'] * 1001))[0] == 400
    assert view.get('top?focus=a%00b')[0] == 400 and view.get('top?%zz')[0] == 400
    assert view.get('top?focus=' + 'x' * 10 ** 6)[0] in (413, 414, 431)
    # Nonsense, and half of a request from somebody who then waits.
    address = ('127.0.0.1', int(host.split(':')[1]))
    slow = [socket.create_connection(address) for _ in range(20)]
    for s in slow:
        s.sendall(b'GET / HT')
    for text in b'\0\xff' * 100, b'GET /?' + b'a&' * 10 ** 4 + b' HTTP/1.1\r\n\r\n', b'GET\r\n\r\n', b'x' * 10 ** 5 + b'\r\n\r\n':
        with socket.create_connection(address) as s:
            s.sendall(text)
            s.settimeout(2)
            try:
                while s.recv(4096): pass
            except (TimeoutError, ConnectionResetError): pass
    assert view.json('top')['total'] == top()['total']
"
}

@test "who sends half of a request keeps a place for ten seconds, not for a minute" {
	view "
import socket
with View(kiln, 'times.txt') as view:
    host, path = view.url.split('/', 3)[2:]
    address = ('127.0.0.1', int(host.split(':')[1]))
    known = socket.create_connection(address)
    known.sendall(f'GET /{path}top HTTP/1.1\r\nHost: {host}\r\n\r\n'.encode())
    assert known.recv(100).startswith(b'HTTP/1.1 200')
    halves = [socket.create_connection(address) for _ in range(256)]
    for half in halves: half.sendall(b'GET / HT')
    for half in halves:
        half.settimeout(40) # the last is let in when the first are let go
        assert not half.recv(4096).startswith(b'HTTP/1.1 2')
    assert view.json('top')['total'] == top()['total']
    known.settimeout(0.1)
    try:
        while known.recv(4096): pass
        raise AssertionError('who has asked before is let go as soon')
    except TimeoutError: pass
"
}

@test "200 at once have the same answer as one" {
	view "
import concurrent.futures
with View(kiln, 'times.txt') as view:
    queries = ['top?json&time=%d..%d' % (i % 5, i % 5 + 2) for i in range(200)]
    alone = {query: view.get(query)[2] for query in set(queries)}
    with concurrent.futures.ThreadPoolExecutor(200) as pool:
        for query, answer in zip(queries, pool.map(view.get, queries)):
            assert answer[0] == 200 and answer[2] == alone[query], query
"
}

@test "requests that are cut off are let go at once" {
	view "
import random, socket, threading, time
with View(kiln, 'times.txt') as view:
    host, path = view.url.split('/', 3)[2:]
    request = f'GET /{path}top HTTP/1.1\r\nHost: {host}\r\n\r\n'.encode()
    def is_socket(descriptor):
        try: return os.readlink(descriptor).startswith('socket:')
        except FileNotFoundError: return False  # closed since it was listed
    def sockets():
        return sum(is_socket(entry.path) for entry in os.scandir(f'/proc/{view.process.pid}/fd'))
    def cut_off(number):
        some = random.Random(number)
        for _ in range(120):
            with socket.create_connection(('127.0.0.1', int(host.split(':')[1]))) as connection:
                connection.sendall(request[:some.randrange(len(request) + 1)])
                time.sleep(some.choice((0, some.random() / 10)))
    before = sockets()
    clients = [threading.Thread(target=cut_off, args=(i,)) for i in range(8)]
    for client in clients: client.start()
    for client in clients: client.join()
    end = time.monotonic() + 20
    while sockets() > before and time.monotonic() < end: time.sleep(0.05)
    assert sockets() <= before, (before, sockets())
"
}

@test "profiles of no samples, one, no times, great depth and hostile names" {
	: >empty.folded
	echo 'a;b 1' >one.folded
	python3 -c '
print(";".join(f"f{i}" for i in range(3000)), 5)
for i in range(100000): print(f"wide;sibling{i} 1")
print("<script>alert(1)</script>;\u202egnp.exe;\u2066\u2028\x9b" + "n" * 10 ** 6, 2)' >hard.folded
	printf 'a;b 3 5\na;c 5 0\na;d 0 4\n' >two.folded
	view "
with View(kiln, 'one.folded', 'hard.folded', 'two.folded') as view:
    status, _, body = view.get('heatmap?profile=two.folded')
    assert status == 400 and body.decode().startswith('this output cannot show differences'), body
    status, _, body = view.get('nodes?profile=two.folded&before=one.folded')
    assert status == 400 and body.decode().startswith('two.folded: it already has two columns'), body
    header, columns = view.columns('nodes', ('profile', 'two.folded'))
    assert (header['before_total'], header['total'], columns['before_self'][1:], columns['self'][1:]) == (8, 9, (0, 3, 5, 0), (0, 5, 0, 4))
    assert view.get('folded?profile=one.folded')[1]['Content-Type'].startswith('text/plain')
    header, columns = view.columns('nodes', ('focus', 'nothing'))
    assert header['nodes'] == header['total'] == 0
    header, columns = view.columns('heatmap')
    assert header['columns_count'] == 0 and header['untimed'] == header['total'] == 1 and columns['value'] == ()
    header, columns = view.columns('nodes', ('profile', 'hard.folded'))
    assert header['depth'] == 3000 and header['nodes'] == 1 + 3000 + 1 + 100000 + 3 and header['total'] == 100007
    assert '<script>alert(1)</script>' in bytes(columns['strings']).decode()
    assert not set(bytes(columns['strings']).decode()) & {chr(0x202e), chr(0x2066), chr(0x2028), chr(0x9b)} # ends and turns of lines
    assert b'<script>alert' not in view.ask('svg', ('profile', 'hard.folded'))
"
	run -2 "$kiln" view --no-open empty.folded
	run -1 "$kiln" view --no-open nothing.kiln
	failed_with 1 "kiln: nothing.kiln: cannot open: No such file or directory"
	run -2 "$kiln" view --port 70000 one.folded
	failed_with 2 "kiln: view: --port: expected at most 65535, got 70000"
}

@test "the page comes at once, with the heat map behind it when the file has been read" {
	view "
import base64, socket, time
def told(html): return re.search(r'<script type=\"text/plain\" data-answer=\"([^\"]*)\">([^<]*)</script>\n</body>', html.decode())
with View(kiln, 'times.txt', 'small.folded') as view:
    html = view.get('')[2]
    address, answer = told(html).groups()
    assert base64.b64decode(answer) == view.get(address.replace('&amp;', '&'))[2]
    assert html.replace(told(html)[0].encode(), b'</body>') == view.get('view')[2] and not told(view.get('view')[2])
# What has two sides has none, nor has a list.
open('both.folded', 'w').write('a;b 1 2\\n')
for of in 'both.folded', '.':
    with View(kiln, of) as view:
        status, _, html = view.get('')
        assert status == 200 and html.rstrip().endswith(b'</html>') and not told(html), of
# A long file: who asks meanwhile is answered, and it can be ended.
samples = open('times.txt').read()
with open('long.txt', 'w') as long:
    for i in range(400):
        long.write(samples)
with View(kiln, 'long.txt') as view:
    host = view.url.split('/')[2]
    with socket.create_connection(host.split(':')) as asker:
        asker.sendall(f'GET {view.url[len(\"http://\" + host):]} HTTP/1.1\\r\\nHost: {host}\\r\\nConnection: close\\r\\n\\r\\n'.encode())
        html = b''
        while part := asker.recv(1 << 20):
            html += part
    assert b'data-answer' in html and view.json('info')['streams'][0]['samples'] == 400 * 3000
for _ in range(20): # the signal must not reach a thread that unmaps the file
    with View(kiln, 'long.txt') as view:
        pass
# What turns out to be wrong later ends it.
subprocess.run([kiln, 'convert', '-q', '-o', 'whole.kiln', 'times.txt'], check=True)
open('half.kiln', 'wb').write(open('whole.kiln', 'rb').read()[:-5000])
failed = subprocess.run([kiln, 'view', '-q', '--no-open', 'times.txt', 'half.kiln'], capture_output=True, text=True, timeout=60)
assert failed.returncode == 2 and failed.stderr.startswith('kiln: half.kiln: ') and failed.stderr.count('\\n') == 1, failed
for wrong, said in ('none.kiln', 'cannot open'), ('words.txt', 'unknown format'):
    open('words.txt', 'w').write('these are words\\n')
    failed = subprocess.run([kiln, 'view', '-q', '--no-open', wrong], capture_output=True, text=True, timeout=60)
    assert failed.returncode and not failed.stdout and said in failed.stderr, failed
"
}

@test "a pipe is read, a taken port is said, ssh gets its line" {
	view "
with View(kiln, 'times.txt') as view:
    port = view.url.split(':')[2].split('/')[0]
    failed = subprocess.run([kiln, 'view', '--no-open', '--port', port, 'times.txt'], capture_output=True, text=True)
    assert failed.returncode == 1 and failed.stderr == f'kiln: cannot listen on http://127.0.0.1:{port}/: Address already in use\n', failed
    import signal
    os.environ.pop('SUDO_USER', None)
    os.environ['LOGNAME'] = 'ada'
    for server, way in ('192.0.2.2 22', 'ada@192.0.2.2'), ('2001:db8::2 2222', '-p 2222 ada@2001:db8::2'):
        os.environ['SSH_CONNECTION'] = '192.0.2.1 5000 ' + server
        p = subprocess.Popen([kiln, 'view', '-'], stdin=open('times.txt'), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        url = p.stdout.readline()
        p.send_signal(signal.SIGINT)
        port = url.split(':')[2].split('/')[0]
        assert f'ssh -L {port}:127.0.0.1:{port} {way}\\n' in p.stderr.read() and p.wait() == 0
"
}

@test "without libmicrohttpd it says what to install, and all else works" {
	mkdir none
	: >none/libmicrohttpd.so.12
	echo 'a;b 1' >one.folded
	export LD_LIBRARY_PATH=$PWD/none
	run -1 "$kiln" view --no-open one.folded
	[[ $output == "kiln: kiln view needs libmicrohttpd.so.12, which is not installed (Debian: apt install libmicrohttpd12): "* ]]
	[ "$(wc -l <<<"$output")" -eq 1 ]
	"$kiln" fold one.folded
}

@test "what answers took is given back when nothing is asked" {
	[ -z "$KILN_SANITIZER" ] || skip "a sanitizer keeps memory of its own"
	view "
import time
from concurrent.futures import ThreadPoolExecutor
with open('large.folded', 'w') as file:
    file.writelines('main;%d;%d %d\n' % (i % 500, i, i % 7 + 1) for i in range(100000))
with View(kiln, 'large.folded') as view:
    def kept():
        return int(re.search(r'RssAnon:\s+(\d+)', open('/proc/%d/status' % view.process.pid).read())[1])
    def rests(most):
        end = time.monotonic() + 20
        while kept() > most and time.monotonic() < end:
            time.sleep(0.1)
        return kept() <= most
    view.ask('info')
    time.sleep(3)
    before = kept()
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(view.ask, ['nodes', 'top', 'tree', 'svg', 'folded', 'nodes']))
    assert rests(before + 1024), (before, kept())
"
}
