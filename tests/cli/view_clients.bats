# view_clients.bats: kiln view: no client stops the server, or keeps others from being answered.
load common

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	python3 -c "
print('main;' + 'a' * 10 ** 6, 3)
print('main;b', 2)" >long.folded
	printf 'main;work 7\nmain;rest 3\n' >small.folded
}

view() {
	KILN=$kiln PYTHONPATH=$BATS_TEST_DIRNAME/../support python3 -c "
import os, re, signal, socket, subprocess, sys, threading, time, urllib.parse
from view_client import View
kiln = os.environ['KILN']
slow = 'top?profile=long.folded&focus=' + urllib.parse.quote('a*[ac]*[bd]')
def connect(view):
    connection = socket.create_connection(('127.0.0.1', int(view.url.split('/')[2].split(':')[1])))
    connection.settimeout(60)
    return connection
def send(view, head, *lines):
    connection = connect(view)
    connection.sendall('\r\n'.join([head, *lines, '', '']).encode('latin-1'))
    return connection
$1"
}

@test "an answer has so many seconds of CPU time, then it says so" {
	view "
with View(kiln, '--request-seconds', '0.3', 'long.folded', 'small.folded') as view:
    status, _, line = view.get(slow)
    assert status == 503 and line == b'--focus: the answer takes more than 0.3 s of CPU time: raise kiln view --request-seconds N\n', line
    assert view.json('top', ('profile', 'long.folded'))['total'] == 5 and view.json('top', ('profile', 'long.folded'), ('focus', '^a'))['total'] == 3
    # The same in a comparison, and of the heat map.
    assert view.get(slow + '&before=small.folded')[0] == 503
with View(kiln, '--request-seconds', '0', 'long.folded') as view:
    status, _, line = view.get(slow)
    assert status == 400 and b'takes too long on' in line, line
"
	for wrong in -1 nan 1e9 x; do
		run -2 "$kiln" view --no-open --request-seconds "$wrong" small.folded
		[[ $output == "kiln: view: --request-seconds: expected "* ]]
	done
}

@test "others are answered while searches run, and the server ends when it is told to" {
	view "
view = View(kiln, '--request-seconds', '1000', 'long.folded', 'small.folded').__enter__()
path, host = '/' + view.url.split('/')[3] + '/', view.url.split('/')[2]
assert view.json('top', ('profile', 'long.folded'))['total'] == 5
running = [send(view, f'GET {path}{slow}{\"&idle\" * i} HTTP/1.1', f'Host: {host}') for i in range(4)]
time.sleep(0.3)
assert b'small.folded' in view.get('profiles')[2] and view.get('view')[0] == 200
started = time.monotonic()
view.process.send_signal(signal.SIGTERM)
assert view.process.wait(15) == 0
"
}

@test "heads and bodies that drip in keep a place for some seconds, and never that of who knows the token" {
	view "
with View(kiln, 'small.folded') as view:
    path, host = '/' + view.url.split('/')[3] + '/', view.url.split('/')[2]
    known = send(view, f'GET {path}top?json HTTP/1.1', f'Host: {host}')
    assert known.recv(4096).startswith(b'HTTP/1.1 200')
    drips = [connect(view) for _ in range(300)]
    drips.append(send(view, f'POST {path}upload?name=x HTTP/1.1', f'Host: {host}', 'Content-Length: 1000000'))
    begun = time.monotonic()
    def drip():
        'One byte more to all of them; those stay that the server has not closed yet.'
        global drips
        left = []
        for connection in drips:
            try:
                connection.sendall(b'x')
                connection.settimeout(0)
                while connection.recv(100): pass
            except BlockingIOError:
                left.append(connection)
            except ConnectionError:
                pass
        drips = left
    drip()
    assert view.json('top')['total'] == 10
    while drips and time.monotonic() < begun + 50:
        time.sleep(1)
        drip()
    assert not drips, len(drips)
    assert view.json('top')['total'] == 10
    assert view.get('upload?name=y', method='POST', data=b'main;a 3\n')[0] == 200
    # Who knows the token has kept the place.
    known.sendall(f'GET {path}profiles HTTP/1.1\r\nHost: {host}\r\n\r\n'.encode())
    assert known.recv(4096).startswith(b'HTTP/1.1 200')
"
}

@test "answers that are taken slowly keep nobody out for long, even by who knows the token" {
	awk 'BEGIN { for (i = 0; i < 60000; i++) printf "main;a_function_with_a_long_name_%d;another_function_with_a_long_name_%d 1\n", i, i * 7 }' >wide.folded
	ulimit -n 2048
	view "
with View(kiln, 'wide.folded') as view:
    path, host = '/' + view.url.split('/')[3] + '/', view.url.split('/')[2]
    taking = []
    for _ in range(256):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.connect(('127.0.0.1', int(host.split(':')[1])))
        connection.sendall(f'GET {path}folded HTTP/1.1\r\nHost: {host}\r\n\r\n'.encode())
        taking.append(connection)
    # All of them are answered, and none has taken its answer.
    assert all(connection.recv(1) == b'H' for connection in taking)
    end, said = time.monotonic() + 40, None
    while not said and time.monotonic() < end:
        try:
            said = view.json('info')
        except (OSError, AssertionError):
            time.sleep(0.5)
    assert said
"
}

@test "Host names this machine, once, and a port is a number" {
	view "
with View(kiln, 'small.folded') as view:
    path = '/' + view.url.split('/')[3] + '/'
    def status(*hosts):
        with send(view, f'GET {path}top HTTP/1.1', 'Connection: close', *['Host: ' + host for host in hosts]) as connection:
            return connection.recv(4096).split()[1]
    assert [status(host) for host in ('localhost', 'localhost:1', '127.0.0.1:80', '[::1]:65535')] == [b'200'] * 4
    for host in 'localhost:evil.com', 'localhost:', 'localhost:1:2', 'localhost:65536', 'localhost:-1', 'evil.com', '[::1', '[::1]:a', ':80', '127.0.0.1:0x50':
        assert status(host) in (b'403', b'400'), host
    assert status('localhost', 'evil.com') in (b'403', b'400') and status('evil.com', 'localhost') in (b'403', b'400')
    assert status() in (b'403', b'400')
"
}

@test "names of files and of what was sent do nothing to the terminal" {
	view "
name = '\x1b]0;owned\x07\x1b[31m\x7f\u009b1m\u202ex'
view = View(kiln, 'small.folded').__enter__()
status, _, answer = view.get('upload?name=' + urllib.parse.quote(name), method='POST', data=b'main;a 3\nbroken line here\nmain;c 5\n')
assert status == 200, answer
view.process.send_signal(signal.SIGTERM)
_, said = view.process.communicate(timeout=60)
assert r'\x1b]0;owned\x07\x1b[31m\x7f\u009b1m\u202ex: ' in said and not set(said) & set(name[:-1]) - set(']0;owned[31m'), repr(said)
raw = name.encode() + b'\xff\n.folded'
open(raw, 'w').write('a;b 1\nbroken\n')
for command in ['top'], ['tree'], ['info']:
    ran = subprocess.run([kiln, *command, raw, b'none' + raw], capture_output=True)
    assert rb'\x1b]0;owned\x07\x1b[31m\x7f\u009b1m\u202ex\xff\x0a.folded' in ran.stderr, ran.stderr
    for byte in b'\x1b\x07\x7f\xff': assert byte not in ran.stderr + ran.stdout, (command, ran)
"
}
