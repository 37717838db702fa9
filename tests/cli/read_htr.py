#!/usr/bin/env python3
"""Prints a native trace as text, following docs/trace-format.md, to keep that page true.

usage: read_htr.py FILE        the events, in the form of the text format
       read_htr.py --blocks FILE   one line a block: type, events before it, bytes before and after compression
       read_htr.py --stacks FILE   the events, each with the places it was called from, the innermost first
"""
import ctypes
import sys

MAGIC = b"\x89HTR\r\n\x1a\n"
NAMES, LOCATIONS, VALUES, GROUNDS = 1, 2, 4, 8 | 16
THREAD, VARIABLE, LOCK, CONDITION, BARRIER, SEMAPHORE, BLOCK, LOCATION, VALUE = range(9)
WORDS = ("r w ar aw rmw fence acq rel racq rrel tryfail fork join waitpre waitpost notify notifyall benter bexit "
         "post semwait begin end dbegin dend cas exit seminit").split()
CLASSES = [VARIABLE] * 5 + [None] + [LOCK] * 5 + [THREAD] * 2 + [CONDITION] * 4 + [BARRIER] * 2 + \
          [SEMAPHORE] * 2 + [BLOCK] * 4 + [VARIABLE, None, SEMAPHORE]
READS = [WORDS.index(word) for word in ("r", "ar", "rmw", "cas")]
ONLY_READS = [WORDS.index(word) for word in ("r", "ar")]
TYPES = ["", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"]
OUTCOMES = ["", "exit", "signal", "deadlock", "hang", "assertion", "exception"]
ORDERS = ["", ".rlx", ".acq", ".rel", ".ar", ".sc", ".try"]
PREFIXES = ["T", "x", "l", "c", "b", "s", "block"]

zstd = ctypes.CDLL("libzstd.so.1")
zstd.ZSTD_decompress.restype = ctypes.c_size_t
xxhash = ctypes.CDLL("libxxhash.so.0")
xxhash.XXH3_64bits_withSeed.restype = ctypes.c_uint64


def number(data, at, size):
    return int.from_bytes(data[at:at + size], "little")


def xxh3(data, seed):
    return xxhash.XXH3_64bits_withSeed(data, ctypes.c_size_t(len(data)), ctypes.c_uint64(seed))


def decompress(stored, raw_length):
    raw = ctypes.create_string_buffer(raw_length)
    got = zstd.ZSTD_decompress(raw, ctypes.c_size_t(raw_length), stored, ctypes.c_size_t(len(stored)))
    if got != raw_length:
        sys.exit("a block does not decompress")
    return raw.raw


def blocks(data):
    """(type, events before, stored length, payload) of each whole block."""
    at = 16
    while at + 32 <= len(data):
        header = data[at:at + 32]
        raw_length, stored_length = number(header, 4, 4), number(header, 8, 4)
        stored = data[at + 32:at + 32 + stored_length]
        if len(stored) < stored_length:
            return
        if xxh3(stored, xxh3(header[:24], 0)) != number(header, 24, 8):
            sys.exit("a checksum differs")
        yield number(header, 0, 4), number(header, 16, 8), stored_length, decompress(stored, raw_length)
        at += 32 + stored_length


class Payload:
    def __init__(self, data):
        self.data, self.at = data, 0

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self):
        length = self.varint()
        self.at += length
        return self.data[self.at - length:self.at].decode("utf-8", "surrogateescape")

    def column(self, count):
        width = self.data[self.at]
        start = self.at + 1
        self.at = start + width * count
        return [sum(self.data[start + p * count + i] << 8 * p for p in range(width)) for i in range(count)]


def slot(identity):
    return (identity * 0x9e3779b1 & 0xffffffff) >> 20


def unzigzag(coded):
    return coded >> 1 ^ -(coded & 1)


def names(payload, tables, features):
    for kind in range(9):
        for _ in range(payload.varint()):
            written = features & NAMES or kind >= LOCATION
            tables[kind].append(payload.text() if written else PREFIXES[kind] + str(len(tables[kind])))


def shape(payload):
    """The lists that are given: their word and, for each item, reads back and what follows its number in text."""
    given, lists = payload.varint(), []
    for word in ("by", "from")[not given & 1:1 + (given >> 1)]:
        items = []
        for _ in range(payload.varint()):
            back, form = divmod(payload.varint(), 4)
            after = ""
            if form == 1:
                ranges = []
                for _ in range(payload.varint()):
                    low = unzigzag(payload.varint())
                    high = low + payload.varint()
                    ranges.append(("" if low == -1 << 63 else str(low)) + ".." + ("" if high == (1 << 63) - 1 else str(high)))
                after = "[" + ";".join(ranges) + "]"
            elif form == 2:
                after = f"{unzigzag(payload.varint()):+}"
            elif form == 3:
                after = None
            items.append((back, after))
        lists.append((word, items))
    return lists


def grounds(lists, number, reads, value, seen):
    """The fourth field of an event that has the value, after the reads of its thread so far; `seen`: by event, what it saw."""
    def item(back, after):
        read = reads[-back] if back else number
        return str(read) + (f"{((value - seen[read]) + (1 << 63)) % (1 << 64) - (1 << 63):+}" if after is None else after)
    return " ".join(word + " " + (",".join(item(*one) for one in items) or "-") for word, items in lists)


def events(payload, tables, features, shapes, reads, seen, before):
    count = payload.varint()
    names(payload, tables, features)
    if features & GROUNDS:
        shapes += [shape(payload) for _ in range(payload.varint())]
    threads = []
    for _ in range(payload.varint()):
        thread = payload.varint()
        threads += [thread] * (payload.varint() + 1)
    places = payload.column(count) if features & LOCATIONS else [0] * count
    ops, args = payload.column(count), payload.column(count)
    tags = payload.column(count) if features & VALUES else [0] * count
    values = payload.column(count) if features & VALUES else [0] * count
    shaped = payload.column(count) if features & GROUNDS else [0] * count
    last_place, last_op, last_arg, last_value, last_shape = {}, {}, {}, {}, {}
    for i, thread in enumerate(threads):
        at = slot(thread)
        place = last_place[at] = (last_place.get(at, 0) + unzigzag(places[i])) & 0xffffffff
        at = slot(place)
        op = last_op[at] = last_op.get(at, 0) ^ ops[i]
        arg = last_arg[at] = (last_arg.get(at, 0) + unzigzag(args[i])) & 0xffffffff
        value = None
        if tags[i]:
            at = slot((arg - 1) & 0xffffffff)
            value = last_value[at] = (last_value.get(at, 0) + unzigzag(values[i])) & 0xffffffffffffffff
        at = slot((place + op * 0x85ebca6b) & 0xffffffff)
        which = last_shape[at] = (last_shape.get(at, 0) + unzigzag(shaped[i])) & 0xffffffff
        mine, number_here = reads.setdefault(thread, []), before + i + 1
        field = grounds(shapes[which], number_here, mine, value, seen)
        if op & 31 in READS:
            mine.append(number_here)
        if op & 31 in ONLY_READS and tags[i] in (1, 2):
            seen[number_here] = value
        yield thread, op, arg, place, tags[i], value, field


def stacks(payload, of, places, sites):
    """The stack of each of the events of the block before, as a list of places."""
    count = payload.varint()
    places += [payload.text() for _ in range(payload.varint())]
    for _ in range(payload.varint()):
        place = places[payload.varint()]
        sites.append([place] + sites[payload.varint()])
    changes, at = {}, -1
    for _ in range(payload.varint()):
        at += payload.varint() + 1
        changes[at] = payload.varint()
    assert count == len(of) and payload.at == len(payload.data)
    last = {}
    for i, (thread, _, _, place, *_) in enumerate(of):
        where = slot((place + thread * 0x85ebca6b) & 0xffffffff)
        if i in changes:
            last[where] = changes[i]
        yield sites[last.get(where, 0)]


def line(event, tables):
    thread, op, arg, place, tag, value, field = event
    text = tables[THREAD][thread] + "|" + WORDS[op & 31] + ORDERS[op >> 5]
    if arg:
        shown = {0: "", 1: f"={value}", 2: f"={(value or 0) - (1 << 64)}"}.get(tag)
        text += "(" + tables[CLASSES[op & 31]][arg - 1] + (shown if tag < 3 else "=" + tables[VALUE][value]) + ")"
    return text + "|" + (tables[LOCATION][place - 1] if place else "") + ("|" + field if field else "")


def types(payload, table):
    for _ in range(payload.varint()):
        variable = payload.varint()
        table[variable] = TYPES[payload.varint()]


def type_runs(payload, table):
    variable = 0
    for _ in range(payload.varint()):
        variable += payload.varint()
        length, kind = payload.varint() + 1, TYPES[payload.varint()]
        table.update((x, kind) for x in range(variable, variable + length))
        variable += length


def ending(payload):
    """How the run ended, as the lines of text that say so."""
    outcome, value, text = OUTCOMES[payload.varint()], payload.varint(), payload.text()
    lines = [f"#end {outcome}" + (f" {value}" if outcome in ("exit", "signal") else " " + text if text else "")] if outcome else []
    lines += ["#wait " + "|".join(payload.text().replace("|", "%7C") for _ in range(4)) for _ in range(payload.varint())]
    return lines + ["#incomplete " + payload.text() for _ in range(payload.varint())]


def marked(word, payload):
    """Which reads reach the output, or which writes free memory, likewise."""
    event, lines = 0, []
    for _ in range(payload.varint()):
        event += payload.varint()
        lines.append(f"{word} {event}")
    return lines


def main():
    data = open(sys.argv[-1], "rb").read()
    if data[:8] != MAGIC or number(data, 8, 2) != 1:
        sys.exit("not a native trace of version 1")
    features = number(data, 12, 4)
    tables = [[] for _ in range(9)]
    out = sys.stdout
    out.reconfigure(encoding="utf-8", errors="surrogateescape")
    shown, last, places, sites = [], [], [], [[]]
    shapes, reads, seen, typed, end, output = [[]], {}, {}, {}, [], []
    for kind, before, stored_length, raw in blocks(data):
        if sys.argv[1] == "--blocks":
            print(kind, before, len(raw), stored_length)
        elif kind == 1:
            last = list(events(Payload(raw), tables, features, shapes, reads, seen, before))
            shown += [[line(event, tables)] for event in last]
        elif kind == 6:
            for event, stack in zip(shown[-len(last):], stacks(Payload(raw), last, places, sites)):
                event += stack
        elif kind == 8:
            types(Payload(raw), typed)
        elif kind == 12:
            type_runs(Payload(raw), typed)
        elif kind == 9:
            end = ending(Payload(raw))
        elif kind == 10:
            output += marked("#output", Payload(raw))
        elif kind == 11:
            output += marked("#free", Payload(raw))
    for variable, word in sorted(typed.items()):
        out.write(f"#type {tables[VARIABLE][variable]} {word}\n")
    for text, *stack in shown:
        out.write(text + (" < " + " < ".join(stack) if stack and sys.argv[1] == "--stacks" else "") + "\n")
    for text in output + end:
        out.write(text + "\n")


main()
