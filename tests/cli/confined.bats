# confined.bats: what can somebody do who has taken over a process of kiln by a file that it reads?
load common

call_in=$(dirname "$kiln")/tests/call_in

# confined PYTHON: `calls(process, CALL, ARGUMENT)` is what the kernel says to each thread that makes the call.
confined() {
	KILN=$kiln CALL_IN=$call_in PYTHONPATH=$BATS_TEST_DIRNAME/../support python3 -c "
import json, os, stat, subprocess, time
from view_client import View
kiln, call_in = os.environ['KILN'], os.environ['CALL_IN']
def calls(pid, name, argument=''):
    said = set()
    for thread in os.listdir(f'/proc/{pid}/task'):
        asked = subprocess.run([call_in, thread, name, str(argument)], stdout=subprocess.PIPE, text=True, timeout=60)
        if asked.returncode and not os.path.exists(f'/proc/{pid}/task/{thread}'):
            continue  # it has ended meanwhile
        assert not asked.returncode, (name, argument)
        said.add(asked.stdout.strip())
    return said
def broker(view):
    return int(open(f'/proc/{view.process.pid}/task/{view.process.pid}/children').read())
$1"
}

needs_landlock() {
	[ -z "$KILN_SANITIZER" ] || skip "processes with a sanitizer are not confined"
	"$call_in" 2>/dev/null || [ $? -ne 77 ] || skip "knows the registers of x86-64 alone"
	timeout 20 "$kiln" view -v --no-open small.folded >/dev/null 2>said &
	for _ in $(seq 100); do
		grep -q 'Ctrl-C' said && break
		sleep 0.1
	done
	kill $!
	wait $! || true
	grep -q 'this kernel has no' said && skip "$(grep 'this kernel has no' said)"
	grep -q 'are sandboxed by Landlock and seccomp$' said
}

@test "a page cannot open a file that was not named, even when its code is made to try" {
	needs_landlock
	mkdir cache folder
	cp small.folded other.folded
	cp small.folded folder/early.folded
	export KILN_CACHE=$PWD/cache
	confined "
bystander = subprocess.Popen(['sleep', '60'])
here = os.getcwd()
try:
    with View(kiln, 'small.folded', 'folder') as view:
        server = view.process.pid
        assert view.json('top')['total'] == 100
        assert len(os.listdir(f'/proc/{server}/task')) > 1
        open('folder/late.folded', 'w').write('a 1\n')
        for path in 'small.folded', f'{here}/small.folded', 'folder', 'folder/early.folded', 'folder/late.folded', 'cache':
            assert calls(server, 'open', path) == {'allowed'}, path
        for path in 'other.folded', '.', '/', '/etc/passwd', '/etc/shadow', f'/proc/{os.getpid()}/environ', f'/proc/{server}/mem', kiln, 'folder/../other.folded':
            assert calls(server, 'open', path) == {'EACCES'}, path
        for path in 'small.folded', 'folder/early.folded', 'other.folded', '/dev/null', f'/proc/{server}/mem':
            assert calls(server, 'write', path) == {'EACCES'}, path
        for name, path in ('create', 'new'), ('create', 'folder/new'), ('create', '/tmp/new'), ('folder', 'new'), ('folder', 'folder/new'), \
                ('remove', 'small.folded'), ('remove', 'folder/early.folded'), ('remove', 'other.folded'):
            assert calls(server, name, path) == {'EACCES'}, (name, path)
        for name, argument in ('mode', 'small.folded'), ('execute', '/nowhere'), ('execute', '/bin/sh'), ('process', ''), ('socket', ''), \
                ('signal', bystander.pid), ('signal', broker(view)), ('trace', bystander.pid), ('trace', broker(view)):
            assert calls(server, name, argument) == {'EPERM'}, (name, argument)
        for name, said in ('attribute', 'ENOSYS'), ('attributes', 'ENOSYS'), ('owner', 'EPERM'), ('open-mode', 'EPERM'), ('datagrams', 'EPERM'), \
                ('connecting', 'EPERM'), ('message', 'EBADF'), ('queue', 'EPERM'), ('memory', 'EPERM'):
            assert calls(server, name, 'small.folded') == {said}, name
        # Names of binaries' addresses are what is written, and where.
        assert calls(server, 'create', 'cache/new') == {'allowed'}
        assert view.json('top')['total'] == 100 and view.json('top', ('profile', 'folder/late.folded'))['total'] == 1
        # What was not restricted may all of it: the calls are what they are called.
        free = broker(view)
        for name, path in ('open', 'other.folded'), ('write', 'other.folded'), ('create', 'new'), ('mode', 'new'), ('remove', 'new'), ('folder', 'new'), \
                ('socket', ''), ('signal', bystander.pid):
            assert calls(free, name, path) == {'allowed'}, (name, path)
        assert calls(free, 'execute', '/nowhere') == {'ENOENT'}
finally:
    bystander.kill()
    bystander.wait()
"
}

@test "what is named is read again when another file has taken its name, and with its server its broker ends" {
	confined "
with View(kiln, 'small.folded') as view:
    assert view.json('top')['total'] == 100
    for total in 7, 8:
        open('new.folded', 'w').write(f'main;again {total}\n')
        os.rename('new.folded', 'small.folded')
        assert view.json('top')['total'] == total
    os.symlink('/etc/passwd', 'link')
    os.rename('link', 'small.folded')
    assert view.get('top?json')[0] == 400
    free = broker(view)
end = time.monotonic() + 20
while os.path.exists(f'/proc/{free}') and open(f'/proc/{free}/stat').read().split()[2] != 'Z':
    assert time.monotonic() < end
    time.sleep(0.05)
"
}

@test "a profile that names a secret as a source file does not get it" {
	needs_landlock
	mkdir .ssh
	printf 'int main(void)\n{\n}\n' >main.c
	cp main.c key.pem
	cp main.c .ssh/id_rsa
	ln -s .ssh/id_rsa link.c
	confined "
here = os.getcwd()
names = ['main.c', 'key.pem', '.ssh/id_rsa', 'link.c']
frames = [{'name': name, 'file': f'{here}/{name}', 'line': 1} for name in names]
json.dump({'\$schema': 'https://www.speedscope.app/file-format-schema.json', 'shared': {'frames': frames}, 'profiles': [
    {'type': 'sampled', 'name': 'x', 'unit': 'none', 'startValue': 0, 'endValue': 1, 'samples': [[0, 1, 2, 3]], 'weights': [1]}]}, open('x.json', 'w'))
with View(kiln, 'x.json') as view:
    said = {name: view.get(f'text?file={here}/{name}')[::2] for name in names}
    assert said['main.c'] == (200, open('main.c', 'rb').read()), said
    for name in names[1:]:
        assert said[name] == (404, f'{here}/{name}: Permission denied\n'.encode()), said
"
}

@test "a kernel without Landlock and seccomp serves as ever, and -v says so" {
	cat >old_kernel <<-'END'
	#!/usr/bin/env python3
	import ctypes, os, struct, sys
	# Calls of landlock(7), and seccomp(2), are unknown: ld nr; jge 444, jgt 446; jeq SECCOMP; ret.
	seccomp = {"x86_64": 317, "aarch64": 277}[os.uname().machine]
	code = [(0x20, 0, 0, 0), (0x35, 0, 1, 444), (0x25, 0, 2, 446), (0x15, 1, 0, seccomp), (0x06, 0, 0, 0x7fff0000), (0x06, 0, 0, 0x00050000 | 38)]
	text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in code))
	program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code), ctypes.addressof(text)))
	libc = ctypes.CDLL(None, use_errno=True)
	assert not libc.prctl(38, 1, 0, 0, 0) and not libc.prctl(22, 2, program), ctypes.get_errno()
	os.execv(os.environ["KILN"], [os.environ["KILN"], *sys.argv[1:]])
	END
	chmod +x old_kernel
	confined "
with View('./old_kernel', '-v', 'small.folded') as view:
    assert view.json('top')['total'] == 100
    assert b'not sandboxed: this kernel has no Landlock and no seccomp\n' in os.read(view.process.stderr.fileno(), 1000)
with View(kiln, 'small.folded') as view:
    view.json('top')
    assert b'confined' not in os.read(view.process.stderr.fileno(), 1000)
"
}

@test "a command that reads a file writes where its output is, and executes and connects nothing" {
	needs_landlock
	mkdir cache out
	cp small.folded before.folded
	export KILN_CACHE=$PWD/cache
	unset DEBUGINFOD_URLS
	confined "
def waits(process):
    # For the rest of its input, with what came before it read.
    end = time.monotonic() + 30
    while True:
        try:
            waiting = [open(f'/proc/{process.pid}/task/{thread}/syscall').read().split()[0] for thread in os.listdir(f'/proc/{process.pid}/task')]
            if '0' in waiting and 'running' not in waiting and open(f'/proc/{process.pid}/status').read().count('Seccomp:\\t2'):
                return
        except (OSError, IndexError):
            pass
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.02)
classic = os.path.join(os.getcwd(), 'stackcollapse-perf.pl')
os.symlink(kiln, classic)
for command, folder in ([kiln, 'fold', '-o', 'out/x.folded', '-'], 'out'), ([kiln, 'draw', '-o', 'out/x.svg', '-'], 'out'), \\
        ([kiln, 'convert', '-o', 'out/x.kiln', '-'], 'out'), ([kiln, 'top', '-'], None), ([kiln, 'diff', '--exact', '-o', 'out/x.svg', 'before.folded', '-'], 'out'), ([classic], None):
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        process.stdin.write(b'main;a 1\\n' if command != [classic] else b'app 1 1.0: 1 cycles:\\n\\t1 a+0x1 (/a)\\n\\n')
        process.stdin.flush()
        waits(process)
        pid = process.pid
        for name, argument, said in ('open', '/etc/passwd', 'allowed'), ('write', 'small.folded', 'EACCES'), ('create', 'new', 'EACCES'), ('remove', 'small.folded', 'EACCES'), \\
                ('mode', 'small.folded', 'EPERM'), ('execute', '/nowhere', 'EPERM'), ('process', '', 'EPERM'), ('socket', '', 'EPERM'), ('trace', os.getpid(), 'EPERM'), ('create', 'cache/new', 'EACCES' if command == [classic] else 'allowed'):
            assert calls(pid, name, argument) == {said}, (command, name, argument)
        # Without capabilities it may not look into who has them.
        if not os.geteuid():
            assert calls(pid, 'open', f'/proc/{os.getpid()}/environ') == {'EACCES'}, command
        for name, said in ('attribute', 'ENOSYS'), ('attributes', 'ENOSYS'), ('owner', 'EPERM'), ('open-mode', 'EPERM'), ('datagrams', 'EPERM'), \
                ('connecting', 'EPERM'), ('message', 'EBADF'), ('queue', 'EPERM'), ('memory', 'EPERM'):
            assert calls(pid, name, 'small.folded') == {said}, name
        assert not folder or calls(pid, 'create', folder + '/new') == {'allowed'}, command
        process.stdin.close()
        said = process.stderr.read()
        assert process.wait(60) == 0, (command, said)
assert set(os.listdir('out')) == {'new', 'x.folded', 'x.svg', 'x.kiln'}, os.listdir('out')
"
}
