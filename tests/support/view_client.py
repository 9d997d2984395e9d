"""view_client.py: kiln view, started and asked, by its protocol alone (docs/view-protocol.md)."""
import json
import re
import signal
import struct
import subprocess
import urllib.error
import urllib.parse
import urllib.request


def expanded(header, columns):
    """Tables of frames, and trees of nodes, with what their rows follow from."""
    if "frame" not in columns:
        return columns
    for key in "name", "module", "kind":
        of_frame = columns.pop("frame_" + key)
        columns[key] = [of_frame[frame] for frame in columns["frame"]]
    if "nodes" not in header:
        return columns
    end, own, path = list(range(1, header["nodes"] + 1)), list(columns["total"]), []
    for i, depth in enumerate(columns["depth"]):
        path[depth:] = [i]
        for caller in path:
            end[caller] = i + 1
        if depth:
            own[path[-2]] -= columns["total"][i]
    columns.setdefault("self", own)
    return {**columns, "end": end}


class View:
    """`with View(kiln, "profile.kiln") as view:` serves; it has to end by itself within seconds, with 0."""

    def __init__(self, kiln, *arguments):
        self.command = [kiln, "view", "--no-open", *arguments]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        shared = "--listen" in self.command or "--token-file" in self.command
        assert re.fullmatch(r"http://[^/]+:\d+/[\w-]{16,128}/" if shared else r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/",
                            self.url), (self.url, self.process.stderr.read())
        return self

    def __exit__(self, *ignored):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(10)
        assert code == 0, (code, self.process.stderr.read())
        assert "ERROR" not in self.process.stderr.read()

    def get(self, address, method="GET", data=None, base=None, **headers):
        """Status, headers and body."""
        request = urllib.request.Request((base or self.url) + address, data=data, method=method,
                                         headers={key.replace("_", "-"): value for key, value in headers.items()})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def ask(self, address, *words):
        """The body of an answer; words are ("time", "1..2") or "idle"."""
        query = "&".join(word if isinstance(word, str) else word[0] + "=" + urllib.parse.quote(word[1], safe="")
                         for word in words)
        status, _, body = self.get(address + "?" + query)
        assert status == 200, (status, body)
        return body

    def json(self, address, *words):
        return json.loads(self.ask(address, "json", *words))

    def columns(self, address, *words):
        """The header, and each column by its name."""
        body = self.ask(address, *words)
        length, = struct.unpack_from("<I", body)
        at = 4 + length
        assert at % 8 == 0
        header = json.loads(body[4:at])
        found = {}
        for column in header["columns"]:
            code = {"u8": "B", "u16": "H", "u32": "I", "f64": "d"}[column["type"]]
            found[column["name"]] = struct.unpack_from(f"<{column['count']}{code}", body, at)
            at += (column["count"] * struct.calcsize(code) + 7) // 8 * 8
        assert at == len(body)
        return header, expanded(header, found)
