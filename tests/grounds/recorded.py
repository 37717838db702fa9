"""A recorded trace as text: its events with values and grounds."""
import re

LINE = re.compile(r"^([^|]*)\|([a-z]+)(?:\.[a-z]+)?(?:\(([^=)]*)(?:=([^)]*))?\))?\|([^|]*)(?:\|(.*))?$")


class Event:
    def __init__(self, number, thread, kind, name, value, place, grounds):
        self.number, self.thread, self.kind, self.name, self.place = number, thread, kind, name, place
        self.copies = 0  # polls right after it that are left out of the trace
        self.value = int(value) if value is not None else None
        self.by, self.form = self.list_of(grounds, "by"), None
        self.source = self.list_of(grounds, "from")

    @staticmethod
    def list_of(grounds, word):
        """None when it is not given, else items (read, ranges or None, offset or None)."""
        found = re.search(r"\b%s (\S+)" % word, grounds or "")
        if not found:
            return None
        items = []
        for text in [] if found.group(1) == "-" else found.group(1).split(","):
            item = re.match(r"^(\d+)(?:\[(.*)\])?([+-]\d+)?$", text)
            ranges = None
            if item.group(2) is not None:
                ranges = []
                for one in item.group(2).split(";"):
                    low, high = one.split("..")
                    ranges.append((int(low) if low else -1 << 63, int(high) if high else (1 << 63) - 1))
            items.append((int(item.group(1)), ranges, int(item.group(3)) if item.group(3) else None))
        return items


def parse(text, rename=lambda thread, name: name):
    """The events by number; `rename` says what the program calls a variable or lock."""
    events = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            thread, kind, name, value, place, grounds = LINE.match(line).groups()
            number = len(events) + 1
            events[number] = Event(number, thread, kind, rename(thread, name or ""), value, place, grounds)
    return events


def kind_kept(e):
    """A change that looks again is recorded as a cas, unless it stands on too many looks to list them."""
    return "rmw" if e.kind == "cas" else e.kind


def count_polls(events, whole):
    """Which polls of the whole trace are left out of the other: sets `copies`. False if others are than should be."""
    last, written, kept = {}, {}, []
    for e in whole.values():
        before = last.get(e.thread)
        same = (before and e.kind in ("r", "ar") and e.value is not None and written.get(e.name, 0) < before[0].number
                and (e.kind, e.name, e.value, e.place)
                == (before[0].kind, before[0].name, before[0].value, before[0].place))
        if same and before[1]:
            before[2].append(e)
            continue
        copies = []
        last[e.thread] = (e, same, copies)
        kept.append((e, copies))
        if e.kind in ("w", "aw", "rmw", "cas"):
            written[e.name] = e.number
    if len(kept) != len(events):
        return False
    for (e, copies), now in zip(kept, events.values()):
        if (e.thread, kind_kept(e), e.name, e.value, e.place) != (now.thread, kind_kept(now), now.name, now.value, now.place):
            return False
        now.copies = len(copies)
    return True
