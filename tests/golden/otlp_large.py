"""otlp_large.py SHAPE: a file that is large enough for two threads: one list of samples, several lists,
samples with blanks between all, lists that nobody reads, or one list with damage or the end in it."""
import json
import sys

SHAPE = sys.argv[1]
COUNT = 250_000
DICTIONARY = {
    "stringTable": ["", "samples", "count", "main", "work"],
    "functionTable": [{}, {"nameStrindex": 3}, {"nameStrindex": 4}],
    "locationTable": [{}, {"lines": [{"functionIndex": 1}]}, {"lines": [{"functionIndex": 2}]}],
    "stackTable": [{}, {"locationIndices": [1]}, {"locationIndices": [2, 1]}],
}


def sample(i):
    made = {"stackIndex": 1 + i % 2, "values": [str(i % 7)], "timestampsUnixNano": [str(10**18 + i)]}
    if SHAPE == "damaged" and i == 240_000:
        made["values"] = ["much"]
    return json.dumps(made, indent=1 if SHAPE == "spaced" else None, separators=(",", ":"))


def profile(start, end):
    samples = ",\n".join(sample(i) for i in range(start, end))
    unread = "" if SHAPE != "unread" else f'"notes":[{samples}],'
    return f'{{"sampleType":{{"typeStrindex":1,"unitStrindex":2}},{unread}"samples":[\n{samples}]}}'


parts = 3 if SHAPE == "several" else 1
step = COUNT // parts
profiles = ",".join(profile(i * step, (i + 1) * step) for i in range(parts))
text = '{"resourceProfiles":[{"scopeProfiles":[{"profiles":[' + profiles + "]}]}],"
text += '"dictionary":' + json.dumps(DICTIONARY) + "}\n"
sys.stdout.write(text[: -1_000_000] if SHAPE == "cut" else text)
