# view_folder.bats: kiln view DIR: what is listed, what is read, and that nothing beside it is.
load common

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p runs/deeper beside
	printf 'main;work 7\nmain;rest 3\n' >runs/a.folded
	printf 'main;work 5\n' | gzip >runs/deeper/b.folded.gz
	printf 'secret;key 1\n' >beside/secret.folded
}

# Python with `view` helpers, in the folder above "runs".
folder() {
	KILN=$kiln PYTHONPATH=$BATS_TEST_DIRNAME/../support python3 -c "
import json, os, subprocess, sys, time
from view_client import View
kiln = os.environ['KILN']
def listed(view):
    return {each['name']: each for each in json.loads(view.ask('profiles'))}
def until(view, ready):
    end = time.monotonic() + 20
    while not ready(listed(view)):
        assert time.monotonic() < end, listed(view)
        time.sleep(0.1)
    return listed(view)
def total(view, name):
    return view.json('top', ('profile', name))['total']
def refused(view, name, wanted=404):
    status, _, body = view.get('top?json&profile=' + name)
    assert status == wanted and body.count(b'\n') == 1, (name, status, body)
    return body.decode()
$1"
}

@test "a folder's profiles are listed, at any depth and packed, and nothing else" {
	echo 'Just words.' >runs/README
	cp runs/a.folded runs/.hidden.folded
	mkfifo runs/pipe
	ln -s ../beside/secret.folded runs/out.folded
	ln -s "$PWD/beside/secret.folded" runs/absolute.folded
	ln -s ../beside runs/outside
	ln -s a.folded runs/inside.folded
	ln -s missing runs/dangling
	mkdir -p runs/1/2/3/4/5/6/7/8/9
	cp runs/a.folded runs/1/2/3/4/5/6/7/8
	cp runs/a.folded runs/1/2/3/4/5/6/7/8/9
	folder "
with View(kiln, 'runs/') as view:
    assert list(listed(view)) == ['runs/1/2/3/4/5/6/7/8/a.folded', 'runs/a.folded', 'runs/deeper/b.folded.gz', 'runs/inside.folded'], listed(view)
    assert total(view, 'runs/a.folded') == total(view, 'runs/inside.folded') == 10 and total(view, 'runs/deeper/b.folded.gz') == 5
    a = listed(view)['runs/a.folded']
    assert a['bytes'] == 24 and abs(a['modified'] / 1000 - os.path.getmtime('runs/a.folded')) < 1 and a['folder'] == 'runs' and not a['gone'], a
    for name in '../beside/secret.folded', 'runs/../beside/secret.folded', 'runs/out.folded', 'runs/outside/secret.folded', 'runs/absolute.folded', \
            os.path.abspath('beside/secret.folded'), 'runs/deeper/../a.folded', 'runs/.hidden.folded', 'runs/README', 'runs/pipe', 'runs/', '/etc/passwd', '%2e%2e', '':
        assert 'not found' in refused(view, name)
"
}

# perf record --threads writes the records of each thread to a file of its own.
@test "a recording that is several files is one profile, in a folder or below it" {
	mkdir runs/threads
	cp "$BATS_TEST_DIRNAME/../golden/perf-data/today-little.data" runs/threads/data
	python3 -B "$BATS_TEST_DIRNAME/../golden/perf_records.py" runs/threads/data >runs/threads/data.0
	cp runs/threads/data.0 runs/threads/data.1
	folder "
with View(kiln, 'runs/threads') as view:
    assert list(listed(view)) == ['runs/threads/data'], listed(view)
    three = total(view, 'runs/threads/data')
    for n in '01': os.unlink('runs/threads/data.' + n)
with View(kiln, 'runs/') as view:
    assert list(listed(view)) == ['runs/a.folded', 'runs/deeper/b.folded.gz', 'runs/threads/data'], listed(view)
    assert three == 3 * total(view, 'runs/threads/data') > 0
"
}

@test "a link that is turned outwards while it is served leads nowhere" {
	ln -s a.folded runs/link.folded
	folder "
with View(kiln, 'runs') as view:
    assert total(view, 'runs/link.folded') == 10
    os.remove('runs/link.folded')
    os.symlink('../beside/secret.folded', 'runs/link.folded')
    assert total(view, 'runs/link.folded') == 10 # as it was
with View(kiln, '--cache', '1', 'runs') as view:
    assert list(listed(view)) == ['runs/a.folded', 'runs/deeper/b.folded.gz']
    os.rename('runs/deeper', 'runs/other')
    os.symlink('../beside', 'runs/deeper')
    os.rename('beside/secret.folded', 'beside/b.folded.gz')
    assert 'was deleted' in refused(view, 'runs/deeper/b.folded.gz') or 'not found' in refused(view, 'runs/deeper/b.folded.gz')
"
}

@test "what comes is listed, what changes is read again, what goes is said" {
	folder "
with View(kiln, 'runs') as view:
    before = listed(view)
    address = 'top?json&profile=runs/a.folded'
    etag = view.get(address)[1]['ETag']
    other = view.get('top?json&profile=runs/deeper/b.folded.gz')[1]['ETag']
    assert view.get(address, If_None_Match=etag)[0] == 304
    open('runs/at-once.folded', 'w').write('main 2\n')
    assert total(view, 'runs/at-once.folded') == 2
    assert 'ETag' not in view.get('profiles')[1] # what it lists may change unseen
    open('runs/c.folded', 'w').write('main 4\n')
    assert not until(view, lambda now: 'runs/c.folded' in now)['runs/c.folded']['gone'] and total(view, 'runs/c.folded') == 4
    open('runs/a.folded', 'a').write('more 90\n')
    assert listed(view)['runs/a.folded']['version'] != before['runs/a.folded']['version'] or until(view, lambda now: now['runs/a.folded']['bytes'] == 32)
    status, _, body = view.get(address, If_None_Match=etag)
    assert status == 200 and json.loads(body)['total'] == 100
    assert view.get('top?json&profile=runs/deeper/b.folded.gz', If_None_Match=other)[0] == 304
    os.remove('runs/a.folded')
    assert until(view, lambda now: now['runs/a.folded']['gone']) and total(view, 'runs/a.folded') == 100
    os.remove('runs/deeper/b.folded.gz')
    assert total(view, 'runs/deeper/b.folded.gz') == 5
    os.makedirs('new/folder')
    open('new/folder/d.folded', 'w').write('main 6\n')
    os.rename('new', 'runs/new')
    until(view, lambda now: 'runs/new/folder/d.folded' in now)
    os.remove('runs/new/folder/d.folded') # nobody has looked at it
    until(view, lambda now: 'runs/new/folder/d.folded' not in now)
    refused(view, 'runs/new/folder/d.folded')
"
}

@test "profiles that were not asked for the longest are let go, and read again" {
	for i in 1 2 3; do cp runs/a.folded runs/$i.folded; done
	folder "
with View(kiln, '--cache', '1', 'runs') as view:
    names = ['runs/1.folded', 'runs/2.folded', 'runs/3.folded']
    for _ in range(3):
        assert [total(view, name) for name in names] == [10, 10, 10]
    for name in names:
        os.remove(name)
    assert total(view, names[2]) == 10 # the last one is in memory
    assert 'not found' in refused(view, names[0]) or 'deleted' in refused(view, names[0])
    assert until(view, lambda now: names[0] not in now)[names[2]]['gone']
for operands in ['runs', 'runs/a.folded'], ['runs/a.folded', 'runs', 'runs/']:
    with View(kiln, *operands) as view:
        assert [each['name'] for each in json.loads(view.ask('profiles'))] == ['runs/a.folded', 'runs/deeper/b.folded.gz']
"
	run -2 "$kiln" view --cache 5X runs
	failed_with 2 "kiln: view: --cache: expected a size such as 512K, 64M or 2G, got '5X'"
}

@test "files that are damaged, cut short in place or never a profile leave it up" {
	"$kiln" convert -o runs/k.kiln runs/a.folded
	head -c 200 runs/k.kiln >runs/torn.kiln
	{ head -c 8 runs/k.kiln; printf nonsense; } >runs/nonsense.kiln
	: >runs/empty.folded
	folder "
with View(kiln, 'runs') as view:
    assert 'runs/empty.folded' not in listed(view) and 'runs/nonsense.kiln' in listed(view)
    for name in 'runs/nonsense.kiln', 'runs/torn.kiln':
        assert refused(view, name, 400).startswith(name + ': ')
    whole = open('runs/k.kiln', 'rb').read()
    assert total(view, 'runs/k.kiln') == 10
    os.truncate('runs/k.kiln', 100) # where a mapping would fault
    refused(view, 'runs/k.kiln', 400)
    open('runs/k.kiln', 'wb').write(whole)
    assert total(view, 'runs/k.kiln') == 10
    os.chmod('runs', 0o700)
    os.rename('runs', 'moved')
    assert total(view, 'runs/k.kiln') == 10 and total(view, 'runs/a.folded') == 10
with View(kiln, 'moved/k.kiln') as view:
    assert total(view, 'moved/k.kiln') == 10
    os.truncate('moved/k.kiln', 100)
    refused(view, 'moved/k.kiln', 400)
    os.remove('moved/k.kiln')
"
}

@test "an empty folder waits for its first profile" {
	mkdir empty
	folder "
with View(kiln, 'empty') as view:
    assert listed(view) == {}
    status, _, body = view.get('top')
    assert status == 404 and body == b'There are no profiles yet\n', body
    open('empty/first.folded', 'w').write('a 3\n')
    until(view, lambda now: now)
    assert view.json('top')['total'] == 3
"
	run -1 "$kiln" view nowhere/
	failed_with 1 "kiln: nowhere/: cannot open: No such file or directory"
}

@test "many at once read many files, changed and removed meanwhile" {
	for i in $(seq 40); do cp runs/a.folded "runs/$i.folded"; done
	folder "
import concurrent.futures, random
with View(kiln, '--cache', '1K', 'runs') as view:
    def ask(i):
        name = f'runs/{random.randrange(40) + 1}.folded'
        if i % 10 == 0:
            open(f'beside/{i}', 'w').write(f'main {10 + i}\n')
            os.rename(f'beside/{i}', name)
        if i % 50 == 7:
            try: os.remove(name)
            except FileNotFoundError: pass
        status, _, body = view.get('top?json&profile=' + name)
        return status == 404 or (status == 200 and json.loads(body)['total'] >= 10)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        assert all(pool.map(ask, range(600)))
    assert total(view, 'runs/a.folded') == 10
"
}

# What is read while it is rewritten may be anything; the server goes on, and what is there afterwards is what it says.
@test "four clients look at files that are replaced, and rewritten where they are" {
	timed_samples >runs/times.txt
	"$kiln" convert -q -o runs/mapped.kiln runs/times.txt
	cp "$BATS_TEST_DIRNAME/../golden/perf-data/today-little.data" runs/perf.data
	cp runs/times.txt runs/mapped.kiln runs/perf.data beside
	folder "
import threading
contents = {name: open('beside/' + name, 'rb').read() for name in ('times.txt', 'mapped.kiln', 'perf.data')}
ended = threading.Event()
def replace():
    turn = 0
    while not ended.is_set():
        for name, content in contents.items():
            turn += 1
            if turn % 4 < 2:
                open('beside/new', 'wb').write(content)
                os.rename('beside/new', 'runs/' + name)
            else:
                with open('runs/' + name, 'r+b') as file:
                    file.write(content[:1000])
                    file.truncate(len(content) // 2)
                    file.write(content[1000:])
            time.sleep(0.003)
with View(kiln, '--cache', '1M', 'runs') as view:
    def ask(client):
        for turn in range(30):
            name = 'runs/' + ('times.txt', 'mapped.kiln', 'perf.data', 'a.folded')[(client + turn) % 4]
            address = ('top?json', 'nodes?', 'heatmap?', 'tree?json', 'svg?', 'folded?', 'profiles?')[(3 * client + turn) % 7]
            status, _, body = view.get(address + '&profile=' + name)
            if status not in (200, 400, 404, 500) or not body:
                wrong.append((address, name, status, body))
    wrong, before = [], {name: total(view, 'runs/' + name) for name in contents}
    writer = threading.Thread(target=replace)
    clients = [threading.Thread(target=ask, args=[i]) for i in range(4)]
    for each in [writer] + clients:
        each.start()
    for each in clients:
        each.join()
    ended.set()
    writer.join()
    assert not wrong, wrong[:3]
    for name, content in contents.items():
        open('beside/new', 'wb').write(content)
        os.rename('beside/new', 'runs/' + name)
        assert total(view, 'runs/' + name) == before[name]
    assert total(view, 'runs/a.folded') == 10
"
}
