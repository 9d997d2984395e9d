# page.bats: a page that is one file: the module in it says what kiln view says.
load common

setup_file() {
	timed_samples 'déjà<vu>&"' >"$BATS_FILE_TMPDIR/times.txt"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	command -v node >/dev/null || skip "needs node"
	"$kiln" draw -o can.html <<<"a 1" 2>err || skip "$(cat err)"
	cp "$BATS_FILE_TMPDIR/times.txt" .
}

# answers PAGE: those to the addresses of standard input.
answers() {
	KILN=$kiln PYTHONPATH=$BATS_TEST_DIRNAME/../support python3 -c "
import base64, gzip, json, os, re, subprocess, sys
from view_client import View
kiln = os.environ['KILN']
def ask(page, addresses, name='own.html'):
    out = subprocess.run(['node', '$BATS_TEST_DIRNAME/../support/page_answers.mjs', page, name], check=True, text=True, capture_output=True,
                         input=''.join(a + '\n' for a in addresses)).stdout
    return [json.loads(line) for line in out.splitlines()]
def same(page, given, addresses):
    said = ask(page, addresses, given[0])
    assert len(said) == len(addresses)
    with View(kiln, *given) as view:
        for address, own in zip(addresses, said):
            status, headers, body = view.get(address)
            if status != 200:
                assert own == {'error': body.decode().rstrip('\n')}, (address, own, body)
                continue
            assert 'error' not in own, (address, own)
            mine = base64.b64decode(own['body'])
            if address.startswith('pprof') and 'plain' not in address:
                mine, body = gzip.decompress(mine), gzip.decompress(body)
            assert mine == body and own['type'] == headers['Content-Type'], (address, mine[:300], body[:300])
$1"
}

@test "every question has the server's answer, byte by byte" {
	"$kiln" draw times.txt -o times.html
	answers "
shapes = ['', 'reverse', 'time=1..2.5', 'thread=worker', 'focus=%5Erun%24', 'drop=run&time=..3', 'exclude=parse&cpu=1', 'include=d%C3%A9j%C3%A0',
          'by-thread', 'by-cpu&collapse-recursion', 'kind=samples', 'include=(?i)PARSE', 'include=%5E(parse%7Cwrite)%24', 'clean=node', 'focus=nothing']
outputs = ['nodes?', 'nodes?order=weight', 'nodes?least=0.3', 'heatmap?', 'heatmap?by=thread&column=500ms', 'heatmap?rows=10&match=parse',
           'top?json', 'top?json&sort=total&rows=2', 'tree?json', 'folded?', 'speedscope?', 'csv?', 'svg?', 'pprof?', 'pprof-plain?']
addresses = [output + '&' + shape for output in outputs for shape in shapes]
# Whatever else there is.
names = re.search(r\"renderers = \[(.*?)\]\", open('$BATS_TEST_DIRNAME/../../src/renderers/meson.build').read(), re.S)[1]
addresses += [name.replace('_', '-') + '?' for name in re.findall(r\"'(\w+)'\", names) if name not in ('html', 'kiln')]
assert 'chart?' in addresses and len(addresses) > 200
addresses += ['info?json', 'tree?', 'top?', 'firefox?', 'cpuprofile?', 'svg?width=700&title=a+b%26c', 'svg?chart', 'svg?palette=mem', 'svg?hash&inverted']
# Two times of it, beside one another.
addresses += [output + 'before=times.txt&before-time=..3&after-time=3..&' + more for output in ['nodes?', 'difference?', 'folded?', 'difference-json?', 'svg?']
              for more in ('', 'normalise', 'focus=run', 'elided')]
# What is wrong is said in the same words.
addresses += ['top?time=later', 'top?fokus=x', 'top?clean-file=/etc/passwd', 'svg?nameattr=/etc/passwd', 'svg?cp', 'top?cpu&cpu=1', 'heatmap?rows=0',
              'profiles?x', 'top?profile=other', 'top?kind=apples', 'nodes?least=2', 'heatmap?column=1ns', 'nothing']
same('times.html', ['times.txt'], addresses)
"
}

@test "what the page cannot do is said; after any question it answers the next one" {
	"$kiln" draw times.txt -o times.html
	answers "
said = ask('times.html', ['profiles', 'html', 'top?focus=(', 'top?focus=(a%2B%2B)', 'source?x', 'top?json'])
assert json.loads(base64.b64decode(said[0]['body'])) == [{'name': 'own.html'}]
assert [list(each) for each in said[1:5]] == [['error']] * 4, said
assert said[2]['error'].startswith(\"--focus: expected a regular expression, got '('\"), said
assert json.loads(base64.b64decode(said[5]['body']))['total'] == 3000000
"
}

@test "a page has what its command was asked for, and no more" {
	"$kiln" draw --exclude parse --time 1..3 times.txt -o part.html
	"$kiln" convert --exclude parse --time 1..3 times.txt -o part.kiln
	"$kiln" draw --kind samples times.txt -o kind.html
	answers "
same('part.html', ['part.kiln'], ['top?json', 'heatmap?', 'nodes?', 'info?json'])
page = open('kind.html').read()
assert 'data-state=\"kind=samples\"' in page and 'data-state=\"\"' in open('part.html').read()
same('kind.html', ['times.txt'], ['top?json', 'top?json&kind=samples'])
"
	cat >idle.txt <<-'END'
		main 7/7 [000] 1.0: 1 cycles:
		        7f01 leaf+0x1 (/bin/app)
		  file.c:12
		        7f03 main+0x3 (/bin/app)
		  file.c:44

		swapper 0/0 [001] 1.5: 1 cycles:
		        ffffffff81000001 native_safe_halt+0x1 ([kernel.kallsyms])

	END
	for options in "" --idle "--kind samples" "--kind samples --idle" --lines "--lines --exclude none" "--lines --focus leaf --idle"; do
		"$kiln" draw -q $options idle.txt -o idle.html
		sed -n 's/.* data-state="\([^"]*\)".*/folded?\1/p' idle.html | sed 's/&amp;/\&/g' | node "$BATS_TEST_DIRNAME/../support/page_answers.mjs" idle.html x |
			python3 -c 'import base64, json, sys; sys.stdout.buffer.write(base64.b64decode(json.load(sys.stdin)["body"]))' |
			diff <("$kiln" fold -q $options idle.txt) -
	done
	printf 'a;b 3\n' | "$kiln" convert - --to html >piped.html
	answers "
assert json.loads(base64.b64decode(ask('piped.html', ['top?json'])[0]['body']))['total'] == 3
"
}

@test "a page of a difference has both sides, and shares where these were compared" {
	printf 'main;work 30\nmain;gone 10\nmain;same 20\n' >before.folded
	printf 'main;work 60\nmain;new 10\nmain;same 20\n' >after.folded
	"$kiln" diff before.folded after.folded -o both.html
	"$kiln" diff -n before.folded after.folded -o shares.html
	[ "$(grep -c 'data-state=""' both.html)" = 1 ]
	[ "$(grep -c 'data-state="normalise"' shares.html)" = 1 ]
	"$kiln" diff -n before.folded after.folded --to folded | sort >shares.folded
	answers "
both, shares = ask('both.html', ['top?json', 'top?json&normalise&by-change', 'folded?normalise', 'nodes?time=1..2&before-time=1..2']), ask('shares.html', ['top?json'])
body = lambda said: base64.b64decode(said['body'])
assert body(both[0]) == body(shares[0]) and (json.loads(body(both[0]))['before_total'], json.loads(body(both[0]))['total']) == (60, 90)
assert [row['function'] for row in json.loads(body(both[1]))['functions']][:2] == ['gone', 'work'], body(both[1])
assert sorted(body(both[2]).splitlines()) == open('shares.folded', 'rb').read().splitlines(), body(both[2])
assert both[3]['error'] == 'a comparison also needs before=PROFILE', both[3]
"
}

@test "what draw cannot put into a page it does not take" {
	run ! "$kiln" draw times.txt --width 500 -o x.html
	[[ $output == *"--width works only for SVG files"* ]]
	run ! "$kiln" draw times.txt --hash -o x.html
	[[ $output == *"--hash works only for SVG files"* ]]
	[ ! -e x.html ]
}

@test "the page fetches nothing and lets in its own script and style alone; parts stay small" {
	"$kiln" draw times.txt -o times.html
	python3 -c '
import base64, gzip, hashlib, re
html = open("times.html", "rb").read()
policy = re.search(rb"Content-Security-Policy\" content=\"([^\"]*)\"", html)[1].decode()
rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
def hash_of(text): return "\x27sha256-%s\x27" % base64.b64encode(hashlib.sha256(text).digest()).decode()
scripts, style = re.findall(rb"<script>(.*?)</script>", html, re.S), re.search(rb"<style>(.*?)</style>", html, re.S)[1]
assert rules == {"default-src": "\x27none\x27", "script-src": " ".join(map(hash_of, scripts)) + " \x27wasm-unsafe-eval\x27", "style-src": hash_of(style),
                 "worker-src": "blob:", "img-src": "data: blob:", "base-uri": "\x27none\x27", "form-action": "\x27none\x27"}, rules
loaded = re.findall(rb"<(?!a )\w+[^<>]* (?:src|href)=\"([^\"]*)", html[:html.index(b"<script")])
assert loaded == [b"data:,"], loaded
thread = re.search(rb"id=\"worker-code\">(.*?)</script>", html, re.S)[1]
module = base64.b64decode(re.search(rb"id=\"module-code\">(.*?)</script>", html)[1])
assert len(gzip.compress(b"".join(scripts) + style + thread)) < 100 * 1024 and len(module) < 200 * 1024
assert gzip.decompress(module)[:4] == b"\0asm"
'
}
