#!/usr/bin/env python3
"""view_soak.py KILN SECONDS [SEED]: ask kiln view at random, and see that it stays up and answers as it should.

Eight clients at once: requests that are no HTTP, questions that have answers (ranges, threads, filters and looks of each profile, as pages ask
them, in any combination), queries of random options in any order with random values, requests cut off or written
slowly, answers that nobody reads, files that are sent; and a folder whose files come, change and go. A build with sanitizers ends at what they find, and so does this, with 1.
"""
import contextlib
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from view_client import View  # noqa: E402

SHOP_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../browser/screens/shop.txt")
VALUES = ["", "0", "1", "-1", "0.001", "1..2", "..", "..1.5", "1..", "@100..@103", "99999999999999999999", "1s", "1ns", "100ms", "10d",
          "main", "^w", "(", "[a-z]+;", ".*", "(a*)*b", "worker", "12", "13", "name", "weight", "thread", "cpu", "time", "self", "cycles",
          "samples", "%", "\u202e", "x" * 3000, "<b>", "a\nb", "a1", "b2", "app", "/bin/app", "/etc/passwd", "all", "s/x/y/", "node", "svg", "1,0", "0-3"]


def addresses_and_options(kiln):
    """What may be asked, by the program's own word."""
    options = set()
    for command in "top", "draw", "tree", "fold", "info", "convert", "diff":
        said = subprocess.run([kiln, command, "--help"], check=True, capture_output=True, text=True).stdout
        options |= set(re.findall(r"--([a-z][a-z-]+)", said))
    formats = subprocess.run([kiln, "formats"], check=True, capture_output=True, text=True).stdout
    written = re.findall(r"^  ([a-z-]+) ", formats[formats.index("\nWritten"):], re.M)
    return ["", "start", "upload", "profiles", "heatmap", "nodes", "top", "tree", "info", "svg", "nothing", "view",
            "difference", "difference-json", "chart", "lines-json", "text", "code"] + written, sorted(options)


# What makes sense of a profile with times, of another one, of one of counts, and of a comparison: words of a query. Of each
# list one may be taken.
RESHAPING = [["focus=^[bc]", "include=d", "exclude=e$", "drop=^f", "charge=^a", "hide-below=b1", "path=main"],
             ["reverse", "collapse-recursion", "clean=node", "collapse-module=app", "drop=7", "focus=[ab]", "exclude=c2"]]
TIMED = [["time=1..2", "time=..1.5", "time=2.25..2.5", "time=6..", "time=@101..@103"], ["thread=main", "thread=13", "cpu=0", "process=12"],
         ["kind=samples", "kind=cycles", "idle"], *RESHAPING]
SHOP = [["time=0.4..2.5", "time=..1", "time=1.5..1.6"], ["thread=shop", "thread=9"],
        ["focus=price", "include=render|malloc", "exclude=hash", "path=shop;main"],
        ["drop=^main$", "collapse-module=libc", "charge=malloc", "hide-below=serve", "reverse"]]
COUNTED = [["kind=samples", "idle"], *RESHAPING]
COMPARED = [["normalise", "threshold=2", "exact"], ["before-time=..2", "before-time=1..3"], ["after-time=3..", "after-time=..4"],
            ["thread=main", "cpu=1"], ["then&focus=^[bc]", "then&include=d&hide-below=d&reverse"], *RESHAPING[:1]]
LOOKS = {
    "nodes": [["order=name", "order=weight"], ["least=0.05", "least=0.01&open=0", "most=50"]],
    "top": [["json", "csv"], ["sort=self", "sort=total", "sort=name"], ["rows=5", "rows=0"], ["skip=3", "skip=300"], ["by-change"]],
    "heatmap": [["column=100ms", "columns=30", "column=1s"], ["rows=10", "rows=50", "by=thread", "by=cpu"], ["match=^b", "match=c[0-9]"]],
    "chart": [["by=thread", "by=cpu", "by=all"], ["least=10ms", "least=1ns"], ["lanes=1"]],
    "lines-json": [["function=main", "function=price", "function=b1", "function=c2"]],
    "info": [["json"]], "tree": [["width=80"]], "svg": [["inverted"]], "folded": [], "csv": [], "pprof": [], "speedscope": [],
    "profiles": [], "": [], "view": [], "start": [], "difference": [], "difference-json": []}
ALONE = ["profiles", "", "view", "start"] # of no profile


def write_profile(path):
    with open(path, "w", encoding="utf-8") as file:
        for i in range(2000):
            name = ("main", "worker")[i % 2]
            frames = "".join(f"\t7f{n:02x} {random.choice('abcdef')}{n}+0x1 (/bin/app)\n" for n in range(random.randrange(1, 30)))
            file.write(f"{name} 12/{12 + i % 2} [00{i % 2}] {100 + random.random() * 7:.6f}: 1000 cycles:\n{frames}\n")


class Soak:
    def __init__(self, view, kiln, seed):
        self.view, self.seed, self.asked, self.wrong = view, seed, {}, []
        self.addresses, self.options = addresses_and_options(kiln)
        self.profiles = ["times.txt", "later.txt", "shop.txt", "one.folded", "two.folded", "none", "sent", *(f"runs/{i}.folded" for i in range(4))]

    def meant(self, random_):
        """A question that has an answer."""
        profile, valid = random_.choice([("times.txt", TIMED), ("shop.txt", SHOP), ("one.folded", COUNTED), ("times.txt", COMPARED)])
        compared = valid is COMPARED
        looks = {"nodes", "top", "tree", "svg", "folded", "difference", "difference-json"} if compared else \
            LOOKS.keys() - {"difference", "difference-json"} - ({"heatmap", "chart"} if valid is COUNTED else set())
        address = random_.choice(sorted(looks))
        if address in ALONE:
            return address
        words = ["profile=" + profile] + (["before=" + random_.choice(["times.txt", "later.txt"])] if compared else [])
        mixed = [random_.choice(each) for each in LOOKS[address] if address == "lines-json" or random_.random() < 0.6]
        mixed += [random_.choice(each) for each in valid if random_.random() < 0.4]
        return address + "?" + "&".join(words + mixed).replace("^", "%5E").replace("[", "%5B").replace("]", "%5D").replace("|", "%7C")

    def query(self, random_):
        return self.meant(random_) if random_.random() < 0.65 else self.nonsense(random_)

    def nonsense(self, random_):
        words = []
        for _ in range(random_.randrange(6)):
            word = random_.choice(self.options + ["profile", "before", "before", "column", "rows", "by", "order", "least", "most", "open",
                                                    "match", "kind", "lanes", "function", "module", "file", "binary", "build-id", "address"])
            value = random_.choice(self.profiles) if word in ("profile", "before") else random_.choice(VALUES)
            words.append(word if random_.random() < 0.3 else word + "=" + urllib.parse.quote(value))
        return random_.choice(self.addresses) + ("?" + "&".join(words) if words else "")

    def cut_off(self, random_, query):
        """A request that is not ended, or whose answer is not read."""
        host, path = self.view.url.split("/", 3)[2:]
        text = f"GET /{path}{query} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
        with socket.create_connection(("127.0.0.1", int(host.split(":")[1]))) as connection:
            connection.sendall(text[:random_.randrange(len(text) + 1)])
            if random_.random() < 0.5:
                time.sleep(random_.random() / 10)

    def malformed(self, random_, query):
        """Bytes that are no request, or an odd one: whatever is answered is HTTP, or nothing."""
        host, path = self.view.url.split("/", 3)[2:]
        line, headers, body = f"GET /{path}{query} HTTP/1.1", [f"Host: {host}"], b""
        for _ in range(random_.randrange(1, 4)):
            way = random_.randrange(11)
            if way == 0:
                line = random_.choice(["", "GET", "GET  HTTP/1.1", "/ GET", "GET / HTTP/9.9", "GET / HTTP/0.9", "PRI * HTTP/2.0", "\0" * 9, " " * 999])
            elif way == 1:
                line = random_.choice(["HEAD", "POST", "OPTIONS", "TRACE", "CONNECT", "get", "X" * 5000]) + line[line.find(" "):]
            elif way == 2:
                line = f"GET /{path}{random_.choice(['%', '%0', '%00', '%zz', '..%2f..%2fetc%2fpasswd', '//', '?' * 99, '&=' * 3000, '%ff=%fe', '#'])} HTTP/1.1"
            elif way == 3:
                line = line.replace("/", random_.choice(["//", "/../", "http://other/", "*", "/%2e%2e/"]), 1)
            elif way == 4:
                headers.append(random_.choice([": x", "x", "X:", " folded: x", "X: \x01\x02", "X: " + "y" * 70000, "If-None-Match: " + '"' * 50]))
            elif way == 5:
                headers.append("Host: " + random_.choice(["", "other", "[::1", "127.0.0.1:99999", host + ".evil", "a" * 9999]))
            elif way == 6:
                headers.append(random_.choice(["Content-Length: -1", "Content-Length: 99999999999999999999", "Content-Length: 5", "Content-Length: x"]))
                body = b"12345"
            elif way == 7:
                headers.append("Transfer-Encoding: chunked")
                body = random_.choice([b"5\r\n12345\r\n0\r\n\r\n", b"ffffffffffffffffff\r\n", b"-1\r\n", b"5;x=y\r\n12", b"zz\r\n"])
            elif way == 8:
                headers += [f"X{i}: {i}" for i in range(random_.randrange(2000))]
            elif way == 9:
                headers.append(random_.choice(["Expect: 100-continue", "Connection: close, upgrade", "Upgrade: h2c", "Range: bytes=0-0,5-", "Origin: null"]))
            else:
                body = random_.randbytes(random_.randrange(2000)) # behind the request: the next one
        text = random_.choice(["\r\n"] * 9 + ["\n", "\r"]).join([line, *headers, "", ""]).encode("latin-1") + body
        if random_.random() < 0.3:
            at = random_.randrange(len(text) + 1)
            text = text[:at] + random_.randbytes(random_.randrange(9)) + text[at + random_.randrange(9):]
        self.exchange(random_, text)

    def exchange(self, random_, text):
        with socket.create_connection(("127.0.0.1", int(self.view.url.split("/")[2].split(":")[1]))) as connection:
            connection.settimeout(0.5)
            got = b""
            with contextlib.suppress(TimeoutError, ConnectionError):
                connection.sendall(text)
                if random_.random() < 0.5:
                    connection.shutdown(socket.SHUT_WR)
                while len(got) < 2000 and (more := connection.recv(2000)):
                    got += more
        if got and not re.match(rb"HTTP/1\.[01] [1-5]\d\d ", got):
            self.wrong.append(("malformed", text[:500], got[:300]))

    def change(self, random_):
        """A file of the folder, or one that is sent."""
        path = random_.choice(self.profiles[-4:])
        content = random_.choice([b"main;a 3\n", b"main;b 4\nmain 5\n", b"", b"no profile", random_.randbytes(300)])
        if random_.random() < 0.3:
            status, _, body = self.view.get("upload?name=" + random_.choice(VALUES[:9]), method="POST", data=content)
            if status not in (200, 400) or body.count(b"\n") != 1:
                self.wrong.append(("upload", content, status, body[:300]))
        elif random_.random() < 0.4 and os.path.exists(path):
            os.truncate(path, random_.randrange(5))
        elif random_.random() < 0.5:
            with contextlib.suppress(FileNotFoundError):
                os.remove(path)
        else:
            with open(path, "wb") as file:
                file.write(content)

    def client(self, number, end):
        random_ = random.Random(self.seed * 100 + number)
        while time.monotonic() < end and not self.wrong:
            query = self.query(random_)
            try:
                if random_.random() < 0.2:
                    random_.choice([self.cut_off, self.malformed])(random_, query)
                    continue
                if number == 0:
                    self.change(random_)
                status, _, body = self.view.get(query, method=random_.choice(["GET"] * 8 + ["HEAD", "POST"]))
                self.asked[status] = self.asked.get(status, 0) + 1
                too_much = status == 503 and (not body or body.startswith(b"the answer takes more than"))
                if not (status in (200, 400, 404, 405) or too_much) or (status != 200 and body.count(b"\n") > 1):
                    self.wrong.append((query, status, body[:300]))
            except OSError as problem:
                self.wrong.append((query, repr(problem)))


def main():
    kiln, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10 ** 6)
    random.seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_profile("times.txt")
        write_profile("later.txt")
        shutil.copy(SHOP_FILE, "shop.txt")
        with open("one.folded", "w", encoding="utf-8") as file:
            file.write("a;b 1\n")
        with open("two.folded", "w", encoding="utf-8") as file:
            file.write("a;b 1 2\na;c 0 3\na;d 4 0\n")
        os.mkdir("runs")
        with View(kiln, "--cache", "64K", "times.txt", "later.txt", "shop.txt", "one.folded", "two.folded", "runs") as view:
            soak = Soak(view, kiln, seed)
            clients = [threading.Thread(target=soak.client, args=(i, time.monotonic() + seconds)) for i in range(8)]
            for client in clients:
                client.start()
            for client in clients:
                client.join()
            whole = view.json("top")["total"] if not soak.wrong else 0
        os.chdir("/")
    print(f"seed {seed}: " + ", ".join(f"{count} answers of {status}" for status, count in sorted(soak.asked.items())))
    if soak.asked.get(200, 0) * 2 < sum(soak.asked.values()):
        sys.exit("fewer than half of the answers are of 200: questions make no sense")
    if soak.wrong or whole != 2000 * 1000:
        sys.exit(f"wrong: {soak.wrong[:3]} {whole}")


if __name__ == "__main__":
    main()
