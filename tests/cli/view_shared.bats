# view_shared.bats: kiln view for others than this machine, and files that are sent to it.
load common

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'main;work 7\nmain;rest 3\n' >a.folded
	(umask 077; echo 'some-token_0123456789' >token)
}

shared() {
	KILN=$kiln PYTHONPATH=$BATS_TEST_DIRNAME/../support python3 -c "
import gzip, json, os, re, socket, subprocess, sys, threading, time, urllib.parse
from view_client import View
kiln = os.environ['KILN']
def send(view, name, content, **headers):
    status, _, body = view.get('upload' + ('?name=' + urllib.parse.quote(name) if name is not None else ''), method='POST', data=content, **headers)
    return status, json.loads(body)['name'] if status == 200 else body.decode()
$1"
}

@test "others may ask only with a token of one's own, in a file that nobody else reads" {
	run -2 "$kiln" view --listen 0.0.0.0:0 a.folded
	failed_with 2 "kiln: view: --listen accepts connections from other machines: add --token-file FILE"
	run -2 "$kiln" view --listen here:80 --token-file token a.folded
	failed_with 2 "kiln: view: --listen: expected ADDRESS:PORT such as 192.0.2.1:8000, [2001:db8::1]:8000 or 0.0.0.0:8000, got 'here:80'"
	for wrong in 127.0.0.1 127.0.0.1: 127.0.0.1:70000 :80 '[::1]' ::1:80; do
		run -2 "$kiln" view --listen "$wrong" --token-file token a.folded
	done
	run -2 "$kiln" view --port 80 --listen 127.0.0.1:80 --token-file token a.folded
	failed_with 2 "kiln: view: --listen includes the port: leave out --port"
	chmod 640 token
	run -1 "$kiln" view --token-file token a.folded
	failed_with 1 "kiln: view: token: other users can read the token; if it is yours: chmod 600 token"
	chmod 600 token
	for text in short 'with blanks in between' "$(printf 'x%.0s' $(seq 129))" ''; do
		echo "$text" >token
		run -2 "$kiln" view --token-file token a.folded
		[[ $output == "kiln: view: token: expected a line of 16 to 128 letters, digits, '-' and '_'"* ]]
	done
	run -1 "$kiln" view --token-file none a.folded
	failed_with 1 "kiln: view: none: cannot open: No such file or directory"
}

@test "a token of one's own is the address" {
	shared "
with View(kiln, '--token-file', 'token', 'a.folded') as view:
    assert view.url.endswith('/some-token_0123456789/') and view.json('top')['total'] == 10
    root = view.url[:-len('some-token_0123456789/')]
    for wrong in 'some-token_012345678', 'some-token_01234567890', 'some-token_0123456788', '':
        assert view.get(wrong + '/top', base=root)[0] == 404
    assert view.get('top', Host='kiln.example')[0] == 403 and view.get('top', Host='192.0.2.1')[0] == 403
"
}

@test "others ask by address or name, and are answered packed" {
	unshare -rn true 2>/dev/null || skip "needs user namespaces"
	export -f shared
	export kiln BATS_TEST_DIRNAME
	for i in $(seq 2000); do echo "main;function_number_$i $i"; done >many.folded
	unshare -rn bash -c 'ip link set lo up && ip address add 192.0.2.7/24 dev lo || exit 77
shared "
here = socket.gethostname()
for listen in \"192.0.2.7:0\", \"0.0.0.0:0\", \"[::]:0\":
    with View(kiln, \"--listen\", listen, \"--token-file\", \"token\", \"many.folded\") as view:
        port = int(view.url.split(\":\")[-1].split(\"/\")[0])
        base = f\"http://192.0.2.7:{port}/some-token_0123456789/\"
        assert view.url == (base if listen.startswith(\"192\") else f\"http://{here}:{port}/some-token_0123456789/\"), view.url
        assert b\"traffic is not encrypted\" in os.read(view.process.stderr.fileno(), 1000)
        for host in \"192.0.2.7\", here, here + \":81\", \"[2001:db8::7]\", \"localhost\":
            assert view.get(\"top?json\", base=base, Host=host)[0] == 200, host
        for host in \"kiln.example\", here + \".example\", \"\", \"192.0.2.7.example\":
            assert view.get(\"top?json\", base=base, Host=host)[0] in (400, 403), host
        assert view.get(\"top?json\", base=f\"http://192.0.2.7:{port}/other-token_0123456789/\")[0] == 404
        assert view.get(\"text?file=/etc/passwd\", base=base)[::2] == (404, b\"this server does not show source files\\n\")
        for address in \"nodes\", \"\", \"start\", \"top?json&rows=100\":
            plain = view.get(address, base=base)
            packed = view.get(address, base=base, Accept_Encoding=\"br, gzip\")
            assert packed[1][\"Content-Encoding\"] == \"gzip\" and plain[1][\"Content-Encoding\"] is None
            assert gzip.decompress(packed[2]) == plain[2] and len(packed[2]) < len(plain[2]) and packed[1][\"Vary\"] == \"Accept-Encoding\"
        if not listen.startswith(\"192\"):
            local = f\"http://127.0.0.1:{port}/some-token_0123456789/\"
            assert view.get(\"nodes\", base=local, Accept_Encoding=\"gzip\")[1][\"Content-Encoding\"] is None
        assert send(view, \"b\", b\"a 1\\n\")[0] == 403 if listen.startswith(\"192\") else True
"' || { [ $? -eq 77 ] && skip "needs to set addresses"; false; }
}

@test "what is sent is read, named, kept in memory alone and let go" {
	"$kiln" convert -o k.kiln a.folded
	gzip -k a.folded
	shared "
before = set(os.listdir('.'))
with View(kiln, '--cache', '2K', 'a.folded') as view:
    for name, content, called in ('b.folded', b'main 5\n', 'b.folded'), ('../../etc/b.folded', b'main 5\n', 'b.folded (2)'), (None, b'main 5\n', 'sent'), \
            ('<b>\u202e\"x', b'main 5\n', '<b>\u202e\"x'), ('a.folded', b'main 5\n', 'a.folded (2)'):
        assert send(view, name, content) == (200, called), name
        assert view.json('top', ('profile', called))['total'] == 5
        listed = {each['name']: each for each in json.loads(view.ask('profiles'))}
        assert listed[called]['sent'] and not listed['a.folded']['sent']
    for name in 'k.kiln', 'a.folded.gz':
        status, called = send(view, name, open(name, 'rb').read())
        assert status == 200 and view.json('top', ('profile', called))['total'] == 10
    # A file of the disk is read again; what was sent is gone when others need its room.
    for i in range(20):
        assert send(view, f'{i}.folded', f'main;function{i} 5\n'.encode())[0] == 200
    assert view.get('top?profile=0.folded')[0] == 404 and view.json('top', ('profile', '19.folded'))['total'] == 5
    assert view.json('top', ('profile', 'a.folded'))['total'] == 10
    assert '0.folded' not in [each['name'] for each in json.loads(view.ask('profiles'))]
assert set(os.listdir('.')) == before
"
}

@test "what cannot be read, is too long or comes from elsewhere is refused in a line" {
	"$kiln" convert -o k.kiln a.folded
	shared "
with View(kiln, '--uploads', '100K', 'a.folded') as view:
    damaged = open('k.kiln', 'rb').read()
    for content in b'', b'Just words.\n', b'\0' * 5000, damaged[:8] + b'x' * 300, damaged[:20], gzip.compress(b'a 1\n')[:-9]:
        status, said = send(view, 'bad', content)
        assert status == 400 and said.startswith('bad: ') and said.count('\n') == 1, (status, said)
    status, said = send(view, 'long', b'main 5\n' * 20000)
    assert (status, said) == (413, 'more than 102400 bytes are being uploaded: kiln view --uploads SIZE allows more\n'), said
    assert send(view, 'x', b'main 5\n', Origin='http://kiln.example')[0] == 403
    assert send(view, 'x', b'main 5\n', Host='kiln.example')[0] == 403
    assert view.get('upload', method='POST', data=b'a 1\n', base=view.url[:-33] + '0' * 32 + '/')[0] in (404, 405)
    status, headers, _ = view.get('upload')
    assert status == 405 and headers['Allow'] == 'POST'
    assert view.get('uploads', method='POST', data=b'')[0] == 405
    # Half of a file, from somebody who then goes: its room is free again.
    host, path = view.url.split('/', 3)[2:]
    for _ in range(3):
        with socket.create_connection(('127.0.0.1', int(host.split(':')[1]))) as s:
            s.sendall(f'POST /{path}upload HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99000\r\n\r\n'.encode() + b'main 5\n' * 10000)
            time.sleep(0.3)
    end = time.monotonic() + 10
    while send(view, 'whole', b'main 5\n' * 10000)[0] != 200:
        assert time.monotonic() < end
    assert view.json('top', ('profile', 'whole'))['total'] == 50000
    assert len(json.loads(view.ask('profiles'))) == 2
with View(kiln, '--uploads', '0', 'a.folded') as view:
    assert send(view, 'x', b'main 5\n') == (403, 'uploads are not allowed: kiln view --uploads 256M allows them\n')
"
}
