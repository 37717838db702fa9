"""Random small Java programs: the trees of program.py as Java, with what only Java has: exceptions, objects of
classes and interfaces, boxes, code that is left out of the recording."""
from program import Program, wrap

KINDS = {"int": "int", "short": "short", "long": "long", "unsigned short": "char", "signed char": "byte"}
CASTS = {"int": "(int)", "unsigned": "(int)", "short": "(short)", "unsigned short": "(char)", "long": "(int)(long)",
         "unsigned char": "0xff & ", "signed char": "(byte)"}


def divided(number):
    quotient = abs(1000) // abs(number)
    return quotient if number > 0 else -quotient


class JavaProgram(Program):
    shared_kinds = ["int", "int", "short", "unsigned short", "long"]
    atomic_kinds = [["int"], ["long"]]  # told apart by their classes
    local_kinds = ["int", "int", "int", "signed char", "short", "long"]
    polls = 0
    waits = False

    def __init__(self, seed, tag):
        self.fresh = 0
        super().__init__(seed, tag)
        self.volatile = {name for name in self.scalars if self.random.random() < 0.3}
        self.how = {name: self.random.choice(["static", "private static", "final", "virtual", "interface"])
                    for name, _ in self.order}

    def rename(self, thread, name):
        """What the program calls a variable or a lock of the trace; "": it is none of its own."""
        if thread not in self.threads:
            return name if name in self.threads else ""
        if name.startswith("int[]"):
            return "%s[%s" % (self.array, name.split("[")[-1])
        what = name.split("@")[0].split("P" + self.tag, 1)[-1].lstrip("$.")
        names = {"L0": self.locks[0], "L1": self.locks[1], "LA": self.lock_array + "[0]", "LB": self.lock_array + "[1]",
                 "Pair.a": self.record + ".a", "Pair.b": self.record + ".b"}
        names.update(zip(("AtomicInteger", "AtomicLong"), self.atomics))
        return names.get(what) or (what if what in self.scalars else "")

    def kind_done(self, kind, name):
        """Of an access to a volatile field: what it is to the interpreter."""
        return kind[1:] if kind in ("ar", "aw") and name in self.scalars else kind

    def access(self):
        one = super().access()
        return ("exchange", one[1], one[2], one[4]) if one[0] == "fetch" and one[3] == "xor" else one

    def statement(self, depth, held):
        pick, target = self.random.random(), self.random.randrange(6)
        if pick < 0.03:
            return ("divide", target, self.expression(1))
        if pick < 0.06:
            return ("checked", target, self.expression(1), self.block(1, depth + 1, held) if depth < 3 else [])
        if pick < 0.08:
            return ("box", target, self.expression(1))
        if pick < 0.10:
            return ("larger", target, self.expression(1), self.expression(1))
        if pick < 0.12:
            return ("object", target, self.expression(1))
        if pick < 0.15 and depth < 3:
            return ("carried", target, self.random.choice(list(self.scalars)), self.block(1, depth + 1, held))
        return super().statement(depth, held)

    # As Java.
    def text(self):
        lines = ["class P%s {" % self.tag,
                 "static class Pair { int a; short b; }",
                 "static class L0 { } static class L1 { } static class LA { } static class LB { }",
                 "interface Fn { int go(int v0, int v1); }",
                 "static class Oops extends RuntimeException { final int code; Oops(int code) { this.code = code; } }",
                 "static class Cell { private int held; Cell(int held) { this.held = held; } int get() { return held; }"
                 " void set(int held) { this.held = held; } }",
                 "static final L0 %s = new L0(); static final L1 %s = new L1();" % tuple(self.locks),
                 "static final Object[] %s = {new LA(), new LB()};" % self.lock_array,
                 "static final Pair %s = new Pair(); static final int[] %s = new int[4];" % (self.record, self.array),
                 "static final AtomicInteger %s = new AtomicInteger(); static final AtomicLong %s = new AtomicLong();"
                 % tuple(self.atomics),
                 "static final ThreadLocal<int[]> TL = ThreadLocal.withInitial(() -> new int[4]);",
                 "static int both(Pair p) { return p.a + p.b; }",
                 "static void bump(int[] cell, int at) { cell[at] = cell[at] > 1 ? cell[at] + 3 : cell[at] * 2; }",
                 "static int checked(int code) { if (code < 2) throw new Oops(code); return code + 1; }"]
        for name, kind in self.scalars.items():
            lines.append("static %s%s %s;" % ("volatile " if name in self.volatile else "", KINDS[kind], name))
        for name, _ in self.order:
            head = {"static": "static ", "private static": "private static ", "final": "final ", "virtual": "",
                    "interface": ""}[self.how[name]]
            lines.append("%sint %s(int v0, int v1) {\n%s%s    return v2;\n}"
                         % (head, name, LOCALS % "int v2 = v0 - v1;", self.block_text(self.functions[name])))
        lines.append("static final P%s it = new P%s();" % (self.tag, self.tag))
        lines.append("static final Fn[] table = {%s, new Fn() { public int go(int v0, int v1) { return %s; } }};"
                     % ("(a, b) -> " + self.called("%sf0" % self.tag, "a", "b"), self.called("%sf1" % self.tag, "v0", "v1")))
        for name in self.threads:
            lines.append("static void %s() {\n    int v0 = 0, v1 = 0;\n%s%s    String.valueOf(v2);\n}"
                         % (name, LOCALS % "int v2 = 0;", self.block_text(self.functions[name])))
        lines.append("static void main() throws Exception {\n    Thread[] t = {%s};" % ", ".join(
            "new Thread(P%s::%s, \"%s\")" % (self.tag, name, name) for name in self.threads))
        lines.append("    for (Thread one : t) one.start();\n    for (Thread one : t) one.join();\n}\n}")
        return "\n".join(lines)

    def called(self, name, one, other):
        return "%s%s(%s, %s)" % ("" if "static" in self.how[name] else "it.", name, one, other)

    def expression_text(self, e):
        what = e[0]
        if what == "element":
            name = "TL.get()" if e[1] == "tl" else e[1]
            return "%s[%s & 3]" % (name, self.expression_text(e[2]))
        if what == "member":
            return "ls.%s" % e[1]
        if what == "cast":
            return "(%s(%s))" % (CASTS[e[1]], self.expression_text(e[2]))
        if what == "choose":
            return "(%s != 0 ? %s : %s)" % tuple(self.expression_text(one) for one in e[1:])
        if what == "op" and e[1] in ("==", "!=", "<", ">", "<=", ">="):
            return "(%s %s %s ? 1 : 0)" % (self.expression_text(e[2]), e[1], self.expression_text(e[3]))
        if what == "op" and e[1] in ("&&", "||"):
            return "(%s != 0 %s %s != 0 ? 1 : 0)" % (self.expression_text(e[2]), e[1], self.expression_text(e[3]))
        return super().expression_text(e)

    def put(self, index, text):
        return "v%d = (%s)(%s);" % (index, KINDS[self.local_kinds[index]], text)

    def unique(self):
        self.fresh += 1
        return self.fresh

    def statement_text(self, s):
        what, text, n = s[0], self.expression_text, self.unique()
        if what == "let":
            return self.put(s[1], text(s[2]))
        if what == "read":
            return self.put(s[1], "(int) " + s[2])
        if what == "write":
            return "%s = (%s)(%s);" % (s[1], KINDS[self.scalars[s[1]]], text(s[2]))
        if what == "read_element":
            return self.put(s[1], "%s[%s & 3]" % (self.array, text(s[2])))
        if what == "write_element":
            return "%s[%s & 3] = %s;" % (self.array, text(s[1]), text(s[2]))
        if what == "read_member":
            return self.put(s[1], "%s.%s" % (self.record, s[2]))
        if what in ("write_member", "put_member"):
            return "%s.%s = (%s)(%s);" % (self.record if what == "write_member" else "ls", s[1],
                                          "short" if s[1] == "b" else "int", text(s[2]))
        if what == "load":
            return self.put(s[1], "(int) %s.get()" % s[2])
        if what == "store":
            return "%s.set(%s);" % (s[1], text(s[2]))
        if what == "fetch":
            if s[4] == ("const", 1):
                return self.put(s[1], "(int) %s.getAnd%s()" % (s[2], "Increment" if s[3] == "add" else "Decrement"))
            return self.put(s[1], "(int) %s.getAndAdd(%s%s)" % (s[2], "-" if s[3] == "sub" else "", text(s[4])))
        if what == "exchange":
            return self.put(s[1], "(int) %s.getAndSet(%s)" % (s[2], text(s[3])))
        if what == "cas":
            kind = KINDS[self.atomics[s[2]]]
            return ("{ %s e%d = %s, w%d = %s.compareAndExchange(e%d, %s); %s }"
                    % (kind, n, text(s[3]), n, s[2], n, text(s[4]), self.put(s[1], "w%d == e%d ? 9 : (int) w%d" % (n, n, n))))
        if what == "locked":
            return "synchronized (%s) {\n%s    }" % (s[1], self.block_text(s[2]))
        if what == "locked_element":
            return "synchronized (%s[%s & 1]) {\n%s    }" % (self.lock_array, text(s[1]), self.block_text(s[2]))
        if what == "if":
            return "if (%s != 0) {\n%s    } else {\n%s    }" % (text(s[1]), self.block_text(s[2]), self.block_text(s[3]))
        if what == "for":
            return ("for (int i%d = 0, n%d = %s & 3; i%d < n%d; i%d++) {\n%s    }"
                    % (n, n, text(s[1]), n, n, n, self.block_text(s[2])))
        if what == "put":
            return "%s[%s & 3] = %s;" % ("TL.get()" if s[1] == "tl" else s[1], text(s[2]), text(s[3]))
        if what == "copy":
            places = ["TL.get()" if name == "tl" else name for name in s[1:]]
            return "System.arraycopy(%s, 0, %s, 0, 4);" % (places[1], places[0])
        if what == "by_value":
            return self.put(s[1], "both(ls)")
        if what == "by_pointer":
            return "{ int[] c%d = {%s}; bump(c%d, 0); %s bump(la, 1); }" % (n, text(s[2]), n, self.put(s[1], "c%d[0]" % n))
        if what == "outside":
            return self.put(s[1], "Outside.plain(%s)" % text(s[2]))
        if what == "call":
            return self.put(s[1], self.called(s[2], text(s[3]), text(s[4])))
        if what == "call_table":
            return self.put(s[1], "table[%s & 1].go(%s, 2)" % (text(s[2]), text(s[3])))
        if what == "divide":
            return "try { %s } catch (ArithmeticException e%d) { v%d = 5; }" % (self.put(s[1], "1000 / %s" % text(s[2])), n, s[1])
        if what == "checked":
            return ("try { %s\n%s    } catch (Oops e%d) { %s }"
                    % (self.put(s[1], "checked(%s)" % text(s[2])), self.block_text(s[3]), n, self.put(s[1], "e%d.code" % n)))
        if what == "box":
            return "{ Integer b%d = (int)(%s); %s }" % (n, text(s[2]), self.put(s[1], "(int) b%d" % n))
        if what == "larger":
            return self.put(s[1], "Math.max(%s, %s)" % (text(s[2]), text(s[3])))
        if what == "object":
            return ("{ Cell c%d = new Cell(%s); c%d.set(c%d.get() + 1); %s }"
                    % (n, text(s[2]), n, n, self.put(s[1], "c%d.get()" % n)))
        if what == "carried":
            return ("{ int last%d = 0; for (int i%d = 0; i%d < 3; i%d++) { int new%d = (int) %s; %s last%d = new%d;\n%s    } }"
                    % (n, n, n, n, n, s[2], self.put(s[1], "last%d + v%d" % (n, s[1])), n, n, self.block_text(s[3])))
        return super().statement_text(s)

    # As it runs.
    def run(self, s, f, own):
        what = s[0]
        if what == "divide":
            by = self.value(s[2], f, own)
            self.put_local(f, s[1], 5 if by == 0 else divided(by))
        elif what == "checked":
            code = self.value(s[2], f, own)
            self.put_local(f, s[1], code if code < 2 else wrap("int", code + 1))
            if code >= 2:
                yield from self.run_block(s[3], f, own)
        elif what == "box":
            self.put_local(f, s[1], self.value(s[2], f, own))
        elif what == "larger":
            self.put_local(f, s[1], max(self.value(s[2], f, own), self.value(s[3], f, own)))
        elif what == "object":
            self.put_local(f, s[1], wrap("int", self.value(s[2], f, own) + 1))
        elif what == "carried":
            last = 0
            for _ in range(3):
                new = wrap("int", (yield ("r", s[2])))
                self.put_local(f, s[1], wrap("int", last + wrap(self.local_kinds[s[1]], f.v[s[1]])))
                last = new
                yield from self.run_block(s[3], f, own)
        elif what == "add":
            old = yield ("r", s[1])
            yield ("w", s[1], wrap(self.kind_of(s[1]), old + self.value(s[2], f, own)))
        elif what == "put":
            at = self.value(s[2], f, own) & 3
            f.memory(s[1], own)[at] = self.value(s[3], f, own)
        else:
            yield from super().run(s, f, own)


LOCALS = """    %s
    byte v3 = 0; short v4 = 0; long v5 = 0;
    int[] la = new int[4], lb = new int[4], hp = new int[4];
    Pair ls = new Pair();
"""


def java_source(programs):
    """One file with several programs, which run one after the other."""
    text = "import java.util.concurrent.atomic.*;\nclass Outside { static int plain(int number) { return number + 5; } }\n"
    text += "\n".join(one.text() for one in programs)
    text += "\npublic class Random {\n    public static void main(String[] unused) throws Exception {\n"
    text += "".join("        P%s.main();\n" % one.tag for one in programs)
    return text + "    }\n}\n"
