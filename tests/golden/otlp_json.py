"""otlp_json.py: a message ProfilesData as OTLP/JSON, by the types that the .proto gives its fields."""
import base64
import json
import re
import struct

# Field by number: name, type; i32 and u32 are numbers in JSON, 64 bits are strings, hex are ids.
TYPES = {
    "data": {1: ("resourceProfiles", ["resource profiles"]), 2: ("dictionary", "dictionary")},
    "resource profiles": {1: ("resource", "resource"), 2: ("scopeProfiles", ["scope profiles"]), 3: ("schemaUrl", "text")},
    "resource": {1: ("attributes", ["pair"]), 2: ("droppedAttributesCount", "u32")},
    "scope profiles": {1: ("scope", "scope"), 2: ("profiles", ["profile"]), 3: ("schemaUrl", "text")},
    "scope": {1: ("name", "text"), 2: ("version", "text"), 3: ("attributes", ["pair"])},
    "profile": {1: ("sampleType", "type"), 2: ("samples", ["sample"]), 3: ("timeUnixNano", "fixed64"),
                4: ("durationNano", "u64"), 5: ("periodType", "type"), 6: ("period", "i64"), 7: ("profileId", "hex"),
                8: ("droppedAttributesCount", "u32"), 9: ("originalPayloadFormat", "text"),
                10: ("originalPayload", "bytes"), 11: ("attributeIndices", ["i32"])},
    "type": {1: ("typeStrindex", "i32"), 2: ("unitStrindex", "i32")},
    "sample": {1: ("stackIndex", "i32"), 2: ("attributeIndices", ["i32"]), 3: ("linkIndex", "i32"),
               4: ("values", ["i64"]), 5: ("timestampsUnixNano", ["fixed64"])},
    "dictionary": {1: ("mappingTable", ["mapping"]), 2: ("locationTable", ["location"]), 3: ("functionTable", ["function"]),
                   4: ("linkTable", ["link"]), 5: ("stringTable", ["text"]), 6: ("attributeTable", ["attribute"]),
                   7: ("stackTable", ["stack"])},
    "mapping": {1: ("memoryStart", "u64"), 2: ("memoryLimit", "u64"), 3: ("fileOffset", "u64"),
                4: ("filenameStrindex", "i32"), 5: ("attributeIndices", ["i32"])},
    "location": {1: ("mappingIndex", "i32"), 2: ("address", "u64"), 3: ("lines", ["line"]), 4: ("attributeIndices", ["i32"])},
    "line": {1: ("functionIndex", "i32"), 2: ("line", "i64"), 3: ("column", "i64")},
    "function": {1: ("nameStrindex", "i32"), 2: ("systemNameStrindex", "i32"), 3: ("filenameStrindex", "i32"),
                 4: ("startLine", "i64")},
    "link": {1: ("traceId", "hex"), 2: ("spanId", "hex")},
    "attribute": {1: ("keyStrindex", "i32"), 2: ("value", "any"), 3: ("unitStrindex", "i32")},
    "pair": {1: ("key", "text"), 2: ("value", "any"), 3: ("keyStrindex", "i32")},
    "any": {1: ("stringValue", "text"), 2: ("boolValue", "bool"), 3: ("intValue", "i64"), 4: ("doubleValue", "double"),
            5: ("arrayValue", "array"), 6: ("kvlistValue", "list"), 7: ("bytesValue", "bytes"),
            8: ("stringValueStrindex", "i32")},
    "array": {1: ("values", ["any"])},
    "list": {1: ("values", ["pair"])},
    "stack": {1: ("locationIndices", ["i32"])},
}


def varint(content, at):
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(content):
    at = 0
    while at < len(content):
        tag, at = varint(content, at)
        if tag & 7 == 0:
            value, at = varint(content, at)
        elif tag & 7 == 1:
            value, at = struct.unpack_from("<Q", content, at)[0], at + 8
        else:
            size, at = varint(content, at)
            value, at = content[at:at + size], at + size
        yield tag >> 3, value


def numbers(kind, value):
    if not isinstance(value, bytes):
        return [value]
    if kind == "fixed64":
        return list(struct.unpack(f"<{len(value) // 8}Q", value))
    out, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        out.append(number)
    return out


class Writer:
    """The form that OTLP asks for; `plain`: what it lets writers do beside it."""

    def __init__(self, plain):
        self.plain = plain

    def name(self, name):
        return re.sub("[A-Z]", lambda m: "_" + m[0].lower(), name) if self.plain else name

    def one(self, kind, value):
        if kind in TYPES:
            return self.message(kind, value)
        if kind == "text":
            return value.decode()
        if kind == "bytes":
            return base64.b64encode(value).decode()
        if kind == "hex":
            return value.hex().upper() if self.plain else value.hex()
        if kind == "bool":
            return bool(value)
        if kind == "double":
            return struct.unpack("<d", struct.pack("<Q", value))[0]
        if kind[0] == "i" and value >= 1 << 63:
            value -= 1 << 64
        # What does not fit into 63 bits stays text.
        return str(value) if "64" in kind and not (self.plain and value < 1 << 63) else value

    def message(self, kind, content):
        out = {}
        for number, value in fields(content):
            name, of = TYPES[kind][number]
            name = self.name(name)
            if not isinstance(of, list):
                out[name] = self.one(of, value)
            elif of[0] in TYPES or of[0] == "text":
                out.setdefault(name, []).append(self.one(of[0], value))
            else:
                out.setdefault(name, []).extend(self.one(of[0], n) for n in numbers(of[0], value))
        if self.plain:
            for name, of in TYPES[kind].values():
                out.setdefault(self.name(name), None)
        return out


def as_json(message, plain=False):
    return json.dumps(Writer(plain).message("data", message), indent=1 if plain else None,
                      separators=None if plain else (",", ":")) + "\n"
