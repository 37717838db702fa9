"""Reads the CSPM that `heddle export --to=cspm` writes, strictly, and decides its assertions by brute force.

The subset of the language: datatypes, channels, definitions, trace refinements of STOP. Of two different operators
next to each other one must be in parentheses, so that nothing depends on precedence, except that a prefix binds
tighter than all others. Every name must be declared, every event must fit its channel.

usage: read_cspm.py check FILE            reads FILE, prints its assertions with verdicts
       read_cspm.py compare HEDDLE TRACE… exports each TRACE; its verdicts must be those of --method=csp
"""
import json
import re
import subprocess
import sys

TOKEN = re.compile(
    r"(?P<comment>--[^\n]*)|(?P<space>\s+)|(?P<name>[A-Za-z][A-Za-z0-9_]*)|(?P<number>[0-9]+)"
    r"|(?P<symbol>\|\|\||\[T=|\[\||\|\]|\{\||\|\}|->|\[\]|/\\|==|[\\(){},.?!;:@&=+<>|-])"
)
WORDS = {"datatype", "channel", "assert", "STOP", "SKIP", "Events", "union", "diff", "card"}


class Wrong(Exception):
    pass


class Reader:
    def __init__(self, text):
        self.tokens, self.comments, at = [], {}, 0
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise Wrong(f"line {text.count(chr(10), 0, at) + 1}: {text[at:at + 20]!r}")
            if match.lastgroup == "comment" and self.tokens:
                self.comments[len(self.tokens) - 1] = match.group()[2:].strip()
            if match.lastgroup in ("name", "number", "symbol"):
                self.tokens.append((match.lastgroup, match.group(), text.count("\n", 0, at) + 1))
            at = match.end()
        self.tokens.append(("end", "", 0))
        self.at = 0
        self.types, self.originals, self.channels, self.definitions, self.assertions = {}, {}, {}, {}, []

    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)][1]

    def kind(self):
        return self.tokens[self.at][0]

    def take(self, wanted=None):
        kind, text, line = self.tokens[self.at]
        if wanted is not None and text != wanted:
            raise Wrong(f"line {line}: {wanted!r} expected, not {text!r}")
        self.at += 1
        return text

    def name(self, new=False):
        kind, text, line = self.tokens[self.at]
        if kind != "name" or (new and text in WORDS):
            raise Wrong(f"line {line}: a name expected, not {text!r}")
        self.at += 1
        return text

    def listed(self, item, end):
        items = []
        while self.peek() != end:
            items.append(item())
            if self.peek() != end:
                self.take(",")
        self.take(end)
        return items

    # Declarations

    def file(self):
        while self.kind() != "end":
            if self.peek() == "datatype":
                self.datatype()
            elif self.peek() == "channel":
                self.channel()
            elif self.peek() == "assert":
                self.take()
                self.take("STOP")
                self.take("[T=")
                self.assertions.append(self.process())
            else:
                self.definition()

    def datatype(self):
        self.take()
        type_name, values = self.name(new=True), []
        self.take("=")
        while True:
            values.append(self.name(new=True))
            if values[-1] in self.originals:
                raise Wrong(f"{values[-1]} is declared twice")
            self.originals[values[-1]] = self.comments.get(self.at - 1, "")
            if self.peek() != "|":
                break
            self.take()
        self.types[type_name] = values

    def channel(self):
        self.take()
        names = [self.name(new=True)]
        while self.peek() == ",":
            self.take()
            names.append(self.name(new=True))
        fields = []
        if self.peek() == ":":
            self.take()
            fields.append(self.field_type())
            while self.peek() == ".":
                self.take()
                fields.append(self.field_type())
        for name in names:
            if name in self.channels:
                raise Wrong(f"channel {name} is declared twice")
            self.channels[name] = fields

    def field_type(self):
        if self.peek() == "{":
            self.take()
            return [int(number) for number in self.listed(self.take, "}")]
        return self.types[self.name()]

    def definition(self):
        name, parameters = self.name(new=True), []
        if self.peek() == "(":
            self.take()
            parameters = self.listed(lambda: self.name(new=True), ")")
        self.take("=")
        if name in self.definitions or name in self.channels:
            raise Wrong(f"{name} is defined twice")
        is_set = self.peek() in ("{", "{|", "union", "diff")
        self.definitions[name] = (parameters, self.set() if is_set else self.process())

    # Sets and values

    def set(self):
        word = self.take()
        if word == "{|":
            return ("closure", tuple(self.listed(self.name, "|}")))
        if word == "{":
            return ("set", tuple(self.listed(self.dotted, "}")))
        if word in ("union", "diff"):
            self.take("(")
            one = self.set()
            self.take(",")
            other = self.set()
            self.take(")")
            return (word, one, other)
        if word == "Events":
            return ("events",)
        return ("set-call", word, self.arguments())

    def dotted(self):
        parts = [self.value()]
        while self.peek() == ".":
            self.take()
            parts.append(self.value())
        return tuple(parts)

    def value(self):
        if self.kind() == "number":
            left = ("number", int(self.take()))
        elif self.peek() == "card":
            self.take()
            self.take("(")
            left = ("number", len(self.types[self.name()]))
            self.take(")")
        else:
            left = ("name", self.name())
        if self.peek() in ("+", "-"):
            operator = self.take()
            return (operator, left, ("number", int(self.take())))
        return left

    def arguments(self):
        if self.peek() != "(":
            return ()
        self.take()
        return tuple(self.listed(self.value, ")"))

    # Processes

    def process(self):
        left = self.operand()
        operator = self.peek()
        if operator in ("[]", "|||", ";"):
            while self.peek() == operator:
                self.take()
                left = (operator, left, self.operand())
        elif operator == "/\\":
            self.take()
            left = ("/\\", left, self.operand())
        elif operator == "[|":
            self.take()
            shared = self.set()
            self.take("|]")
            left = ("[|", left, shared, self.operand())
        elif operator == "\\":
            self.take()
            left = ("\\", left, self.set())
        if self.peek() in ("[]", "|||", ";", "/\\", "[|", "\\", "&"):
            raise Wrong(f"line {self.tokens[self.at][2]}: {self.peek()!r} needs parentheses")
        return left

    def operand(self):
        word = self.peek()
        if word == "(":
            self.take()
            if self.peek(1) in ("==", "<", ">"):
                inside = self.guarded()
            else:
                inside = self.process()
            self.take(")")
            return inside
        if word in ("[]", "|||"):
            return self.replicated()
        if word in ("STOP", "SKIP"):
            return (self.take(),)
        if word in self.channels or self.peek(1) in ("->", ".", "?", "!"):
            return self.prefix()
        return ("call", self.name(), self.arguments())

    def guarded(self):
        left, operator = self.value(), self.take()
        if operator not in ("==", "<", ">"):
            raise Wrong(f"{operator} is no comparison")
        right = self.value()
        self.take("&")
        return ("guard", operator, left, right, self.operand())

    def replicated(self):
        operator, variable = self.take(), self.name(new=True)
        self.take(":")
        over = self.set()
        self.take("@")
        return ("all" + operator, variable, over, self.operand())

    def prefix(self):
        channel, fields = self.name(), []
        if channel not in self.channels:
            fields = None  # a variable that stands for an event
        while fields is not None and self.peek() in (".", "?", "!"):
            mark = self.take()
            fields.append((mark, self.name(new=True) if mark == "?" else self.value()))
        if fields is not None and len(fields) != len(self.channels[channel]):
            raise Wrong(f"{channel} has {len(self.channels[channel])} fields, not {len(fields)}")
        self.take("->")
        return ("prefix", channel, tuple(fields) if fields is not None else None, self.operand())


class Evaluator:
    """Operational semantics. A state is an expression with the values of its names, or states under an operator."""

    def __init__(self, reader):
        self.r, self.known, self.sets = reader, {}, {}

    def value(self, value, names):
        if value[0] == "number":
            return value[1]
        if value[0] == "name":
            if value[1] in names:
                return names[value[1]]
            if value[1] in self.r.originals:
                return value[1]
            if value[1] in self.r.channels:
                return value[1]
            raise Wrong(f"{value[1]} is not declared")
        left, right = self.value(value[1], names), self.value(value[2], names)
        return left + right if value[0] == "+" else left - right

    def closure(self, channel):
        events = [(channel,)]
        for field in self.r.channels[channel]:
            events = [event + (value,) for event in events for value in field]
        return events

    def check_event(self, event):
        fields = self.r.channels[event[0]]
        if len(event) - 1 != len(fields) or any(v not in f for v, f in zip(event[1:], fields)):
            raise Wrong(f"{event} does not fit its channel")
        return event

    def set(self, expression, names):
        key = (expression, tuple(sorted(names.items())))
        if key not in self.sets:
            self.sets[key] = frozenset(self.make_set(expression, names))
        return self.sets[key]

    def make_set(self, expression, names):
        kind = expression[0]
        if kind == "closure":
            return [event for channel in expression[1] for event in self.closure(channel)]
        if kind == "set":
            items = [tuple(self.value(part, names) for part in item) for item in expression[1]]
            return [self.check_event(i) if i[0] in self.r.channels else i[0] for i in items]
        if kind == "events":
            return [event for channel in self.r.channels for event in self.closure(channel)]
        if kind == "set-call":
            parameters, body = self.r.definitions[expression[1]]
            values = [self.value(argument, names) for argument in expression[2]]
            if len(values) != len(parameters):
                raise Wrong(f"{expression[1]} takes {len(parameters)} arguments")
            return self.set(body, dict(zip(parameters, values)))
        one, other = self.set(expression[1], names), self.set(expression[2], names)
        return one | other if kind == "union" else one - other

    def state(self, expression, names):
        kind = expression[0]
        if kind in ("[]", "|||", ";", "/\\"):
            return (kind, self.state(expression[1], names), self.state(expression[2], names))
        if kind == "[|":
            return (kind, self.state(expression[1], names), self.set(expression[2], names),
                    self.state(expression[3], names))
        if kind == "\\":
            return (kind, self.state(expression[1], names), self.set(expression[2], names))
        if kind == "call":
            parameters, _ = self.definition(expression[1])
            values = tuple(self.value(argument, names) for argument in expression[2])
            if len(values) != len(parameters):
                raise Wrong(f"{expression[1]} takes {len(parameters)} arguments")
            return ("call", expression[1], values)
        if kind == "all|||":
            parts = [self.state(expression[3], {**names, expression[1]: i})
                     for i in sorted(self.set(expression[2], names))]
            joined = ("SKIP",)
            for part in parts:
                joined = ("|||", part, joined)
            return joined
        if kind in ("STOP", "SKIP"):
            return (kind,)
        return ("open", expression, tuple(sorted(names.items())))

    def definition(self, name):
        if name not in self.r.definitions:
            raise Wrong(f"{name} is not defined")
        return self.r.definitions[name]

    def steps(self, state):
        if state not in self.known:
            self.known[state] = tuple(self.make_steps(state))
        return self.known[state]

    def make_steps(self, state):
        kind = state[0]
        if kind == "STOP":
            return []
        if kind == "SKIP":
            return [("tick", ("STOP",))]
        if kind == "call":
            parameters, body = self.definition(state[1])
            return self.steps(self.state(body, dict(zip(parameters, state[2]))))
        if kind == "open":
            return self.open_steps(state[1], dict(state[2]))
        if kind == "[]":
            return [(e, s if e != "tau" else ("[]", s, state[2])) for e, s in self.steps(state[1])] + \
                   [(e, s if e != "tau" else ("[]", state[1], s)) for e, s in self.steps(state[2])]
        if kind == ";":
            return [("tau", state[2]) if e == "tick" else (e, (";", s, state[2])) for e, s in self.steps(state[1])]
        if kind == "/\\":
            return [(e, s if e == "tick" else ("/\\", s, state[2])) for e, s in self.steps(state[1])] + \
                   [(e, ("/\\", state[1], s) if e == "tau" else s) for e, s in self.steps(state[2])]
        if kind == "\\":
            return [("tau" if e in state[2] else e, s if e == "tick" else ("\\", s, state[2]))
                    for e, s in self.steps(state[1])]
        shared = state[2] if kind == "[|" else frozenset()
        left, right = state[1], state[-1]

        def both(one, other):
            return ("[|", one, shared, other) if kind == "[|" else ("|||", one, other)

        result = [(e, both(s, right)) for e, s in self.steps(left) if e != "tick" and e not in shared]
        result += [(e, both(left, s)) for e, s in self.steps(right) if e != "tick" and e not in shared]
        for e, s in self.steps(left):
            if e == "tick" or e in shared:
                result += [(e, ("STOP",) if e == "tick" else both(s, s2))
                           for e2, s2 in self.steps(right) if e2 == e]
        return result

    def open_steps(self, expression, names):
        kind = expression[0]
        if kind == "guard":
            left, right = self.value(expression[2], names), self.value(expression[3], names)
            holds = {"==": left == right, "<": left < right, ">": left > right}[expression[1]]
            return self.steps(self.state(expression[4], names)) if holds else []
        if kind == "all[]":
            return [step for item in sorted(self.set(expression[2], names))
                    for step in self.steps(self.state(expression[3], {**names, expression[1]: item}))]
        channel, fields, rest = expression[1:]
        if fields is None:
            return [(names[channel], self.state(rest, names))]
        options = [((channel,), names)]
        for (mark, value), values in zip(fields, self.r.channels[channel]):
            if mark == "?":
                options = [(event + (v,), {**bound, value: v}) for event, bound in options for v in values]
            else:
                options = [(event + (self.value(value, bound),), bound) for event, bound in options]
        return [(self.check_event(event), self.state(rest, bound)) for event, bound in options]

    def refines_stop(self, expression):
        start = self.state(expression, {})
        seen, waiting = {start}, [start]
        while waiting:
            for event, then in self.steps(waiting.pop()):
                if event != "tau":
                    return False
                if then not in seen:
                    seen.add(then)
                    waiting.append(then)
        return True


def read(text):
    reader = Reader(text)
    reader.file()
    return reader


def pattern_of(expression):
    """The arguments of PATTERN(t1, t2, v) in an assertion."""
    _, (_, _, _, pattern), _ = expression
    return [argument[1] for argument in pattern[2]]


def verdicts(reader):
    evaluator = Evaluator(reader)
    return {tuple(reader.originals[name] for name in pattern_of(a)): evaluator.refines_stop(a)
            for a in reader.assertions}


def compare(heddle, path):
    exported = subprocess.run([heddle, "export", "--to=cspm", path], capture_output=True, text=True)
    if exported.returncode != 0:
        raise Wrong(exported.stderr)
    report = subprocess.run([heddle, "check", "--method=csp", "--all", "--format=json", path],
                            capture_output=True, text=True)
    races = {tuple(sorted(f["threads"]) + [f["variable"]]) for f in json.loads(report.stdout)["findings"]}
    found = verdicts(read(exported.stdout))
    violated = {tuple(sorted(key[:2]) + [key[2]]) for key, holds in found.items() if not holds}
    if violated != races:
        raise Wrong(f"{path}: violated {sorted(violated)}, races {sorted(races)}")
    return len(found), len(races)


def main():
    sys.setrecursionlimit(20000)
    if sys.argv[1] == "check":
        with open(sys.argv[2], encoding="utf-8", errors="replace") as file:
            for key, holds in verdicts(read(file.read())).items():
                print("holds   " if holds else "violated", *key)
        return
    totals = [0, 0]
    for path in sys.argv[3:]:
        try:
            counts = compare(sys.argv[2], path)
        except (Wrong, KeyError) as why:
            sys.exit(f"{path}: {why!r}")
        totals = [totals[0] + counts[0], totals[1] + counts[1]]
    print(f"{len(sys.argv) - 3} traces, {totals[0]} assertions, {totals[1]} violated")


main()
