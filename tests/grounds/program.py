"""Random small C programs: their text, and an interpreter of their threads that shares nothing with a compiler.

A thread is a generator: it yields what it does to others ("r", name), ("w", name, value), ("acq", name) … and is
sent what it reads. Shared variables are volatile or atomic, so that compilers keep every access to them, in order;
all else is theirs to optimize."""
import operator
import random

SIZES = {"int": (32, True), "unsigned": (32, False), "short": (16, True), "unsigned short": (16, False),
         "long": (64, True), "unsigned char": (8, False), "signed char": (8, True)}
SHARED = ["int", "unsigned", "short", "unsigned short", "long"]


def wrap(kind, number):
    bits, signed = SIZES[kind]
    number &= (1 << bits) - 1
    return number - (1 << bits) if signed and number >> (bits - 1) else number


class Program:
    """Text of the program, and its functions as trees."""
    shared_kinds = SHARED
    atomic_kinds = [["int", "unsigned", "short", "long"]] * 2
    local_kinds = ["int", "int", "int", "unsigned char", "short", "long"]
    fetches = ["add", "sub", "xor"]
    polls = 2  # loops in a thread that look again and again
    waits = True  # semaphores and conditions, locks taken in opposite orders

    def __init__(self, seed, tag):
        self.random = random.Random(seed)
        self.tag = tag
        self.scalars = {"%sg%d" % (tag, i): self.random.choice(self.shared_kinds) for i in range(3)}
        self.atomics = {"%sa%d" % (tag, i): self.random.choice(self.atomic_kinds[i]) for i in range(2)}
        self.array, self.record = tag + "arr", tag + "st"
        self.locks, self.lock_array = [tag + "m0", tag + "m1"], tag + "ml"
        self.functions = {}
        self.order = []
        for i in range(3):
            self.make_function("%sf%d" % (tag, i))
        self.threads = ["%st%d" % (tag, i) for i in range(self.random.choice([2, 2, 3]))]
        for name in self.threads:
            self.functions[name] = self.block(self.random.randint(10, 18), 0, -1)
        rng = random.Random("polls %s" % seed)
        for name in self.threads:
            for _ in range(self.polls):
                self.functions[name].insert(rng.randrange(len(self.functions[name]) + 1), self.poll(rng))
        self.semaphore, self.condition, self.flag, self.guard = tag + "s", tag + "c", tag + "flag", tag + "mc"
        if self.waits:
            self.add_waits(random.Random("waits %s" % seed))

    def add_waits(self, rng):
        """Threads that wait for each other, rightly or not: the recorded run may hang, too."""
        giver, taker = rng.sample(self.threads, 2)
        scalars = list(self.scalars)
        if rng.random() < 0.6:
            for name, locks in ((giver, self.locks), (taker, self.locks[::-1])):
                inner = ("locked", locks[1], [("read", rng.randrange(6), rng.choice(scalars))])
                before = ("add", rng.choice(scalars), ("const", 1))
                self.put_anywhere(rng, name, [("locked", locks[0], rng.sample([before, inner], 2))], top=True)
        if rng.random() < 0.5:
            lock = rng.choice(self.locks)
            posts = rng.choice([1, 2])
            self.put_anywhere(rng, giver, [self.perhaps_locked(rng, lock, ("post",)) for _ in range(posts)], top=True)
            self.put_anywhere(rng, taker, [self.perhaps_locked(rng, lock, ("semwait",)) for _ in range(rng.randint(1, posts))],
                              top=True)
        if rng.random() < 0.5:
            self.put_anywhere(rng, giver, [("signal", rng.random() < 0.5)])
            self.put_anywhere(rng, taker, [("await", rng.choice(["if", "while"]))])

    @staticmethod
    def perhaps_locked(rng, lock, statement):
        return ("locked", lock, [statement]) if rng.random() < 0.5 else statement

    def put_anywhere(self, rng, name, statements, top=False):
        """Into the thread, or a critical section or branch of it; those that take locks at its top."""
        blocks = [self.functions[name]] + [s[2] for s in self.functions[name] if s[0] in ("locked", "locked_element", "if")]
        for one in statements:
            block = blocks[0] if top else rng.choice(blocks)
            block.insert(rng.randrange(len(block) + 1), one)

    def poll(self, rng):
        target, total = rng.sample(range(6), 2)
        return ("poll", target, total, rng.choice(list(self.scalars) + list(self.atomics)), rng.randint(3, 6),
                rng.choice(["==", "<", ">=", "!="]), rng.choice([0, 0, 1, 2]))

    def make_function(self, name):
        self.functions[name] = self.block(self.random.randint(2, 5), 1, 9)
        self.order.append((name, self.random.choice(["__attribute__((noinline)) static", "static inline", "static"])))

    # Trees: tuples whose first item says what they are.
    def expression(self, depth=0):
        pick = self.random.random()
        if depth > 2 or pick < 0.2:
            return ("const", self.random.choice([0, 1, 2, 3, -1, 7, 100]))
        if pick < 0.5:
            return ("local", self.random.randrange(6))
        if pick < 0.58:
            return ("element", self.random.choice(["la", "lb", "hp", "tl"]), self.expression(depth + 1))
        if pick < 0.63:
            return ("member", self.random.choice("ab"))
        if pick < 0.68:
            return ("cast", self.random.choice(list(SIZES)), self.expression(depth + 1))
        if pick < 0.74:
            return ("choose", self.expression(depth + 1), self.expression(depth + 1), self.expression(depth + 1))
        operator = self.random.choice(["+", "+", "-", "*", "&", "|", "^", "==", "<", ">", "!=", "&&", "||", "long+"])
        return ("op", operator, self.expression(depth + 1), self.expression(depth + 1))

    def condition(self):
        return ("op", self.random.choice(["==", "<", ">", "!=", "<=", ">="]),
                self.random.choice([("local", self.random.randrange(6)), self.expression(1)]),
                self.random.choice([("const", self.random.choice([0, 1, 2, 3])), self.expression(1)]))

    def block(self, count, depth, held):
        return [self.statement(depth, held) for _ in range(count)]

    def access(self):
        target, pick = self.random.randrange(6), self.random.random()
        scalar = self.random.choice(list(self.scalars))
        atomic = self.random.choice(list(self.atomics))
        if pick < 0.25:
            return ("read", target, scalar)
        if pick < 0.42:
            return ("write", scalar, self.expression(1))
        if pick < 0.52:
            return ("add", scalar, self.random.choice([("const", 1), ("const", -1), self.expression(1)]))
        if pick < 0.60:
            return ("read_element", target, self.expression(1))
        if pick < 0.68:
            return ("write_element", self.expression(1), self.expression(1))
        if pick < 0.73:
            return ("read_member", target, self.random.choice("ab"))
        if pick < 0.78:
            return ("write_member", self.random.choice("ab"), self.expression(1))
        if pick < 0.84:
            return ("load", target, atomic)
        if pick < 0.88:
            return ("store", atomic, self.expression(1))
        if pick < 0.94:
            return ("fetch", target, atomic, self.random.choice(self.fetches),
                    self.random.choice([("const", 1), self.expression(1)]))
        if pick < 0.96:
            return ("exchange", target, atomic, self.expression(1))
        return ("cas", target, atomic, self.expression(1), self.expression(1))

    def statement(self, depth, held):
        pick = self.random.random()
        if pick < 0.40:
            return self.access()
        if pick < 0.46:
            return ("let", self.random.randrange(6), self.expression())
        if pick < 0.54 and held < 1:
            lock = self.random.randrange(held + 1, 2)
            return ("locked", self.locks[lock], self.block(self.random.randint(1, 3), depth + 1, lock))
        if pick < 0.57 and held < 0:
            return ("locked_element", self.expression(1), self.block(1, depth + 1, 9))
        if pick < 0.66 and depth < 3:
            return ("if", self.condition(), self.block(self.random.randint(1, 2), depth + 1, held),
                    self.block(self.random.randint(0, 2), depth + 1, held))
        if pick < 0.70 and depth < 3:
            return ("for", self.expression(1), self.block(self.random.randint(1, 2), depth + 1, held))
        if pick < 0.73 and depth < 3:
            return ("switch", self.expression(1), [self.block(1, depth + 1, held) for _ in range(3)])
        if pick < 0.76:
            return ("put", self.random.choice(["la", "lb", "hp", "tl"]), self.expression(1), self.expression(1))
        if pick < 0.79:
            return ("put_member", self.random.choice("ab"), self.expression(1))
        if pick < 0.81:
            return ("copy", self.random.choice(["la", "lb", "hp", "tl"]), self.random.choice(["la", "lb", "hp", "tl"]))
        if pick < 0.84:
            return ("by_value", self.random.randrange(6))
        if pick < 0.86:
            return ("outside", self.random.randrange(6), self.expression(1))
        if pick < 0.88:
            return ("by_pointer", self.random.randrange(6), self.expression(1))
        if pick < 0.96 and depth != 1 and self.order:
            return ("call", self.random.randrange(6), self.random.choice(self.order)[0], self.expression(1),
                    self.expression(1))
        if pick < 0.98 and depth != 1 and len(self.order) == 3:
            return ("call_table", self.random.randrange(6), self.expression(1), self.expression(1))
        return ("let", self.random.randrange(6), self.expression())

    # As C.
    def text(self):
        lines = []
        for name, kind in self.scalars.items():
            lines.append("static volatile %s %s;" % (kind, name))
        for name, kind in self.atomics.items():
            lines.append("static _Atomic(%s) %s;" % (kind, name))
        lines.append("static volatile int %s[4];" % self.array)
        lines.append("static struct { volatile int a; volatile short b; } %s;" % self.record)
        for name in self.locks:
            lines.append("static pthread_mutex_t %s = PTHREAD_MUTEX_INITIALIZER;" % name)
        lines.append("static pthread_mutex_t %s[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};"
                     % self.lock_array)
        lines.append("static sem_t %s; static pthread_cond_t %s = PTHREAD_COND_INITIALIZER; static volatile int %s;"
                     % (self.semaphore, self.condition, self.flag))
        lines.append("static pthread_mutex_t %s = PTHREAD_MUTEX_INITIALIZER;" % self.guard)
        for name, how in self.order:
            lines.append("%s int %s(int v0, int v1)\n{\n%s%s\n    free(hp);\n    return (int)v2;\n}"
                         % (how, name, LOCALS % "int v2 = v0 - v1;", self.block_text(self.functions[name])))
        lines.append("static int (*const %stab[2])(int, int) = {%sf0, %sf1};" % ((self.tag,) * 3))
        for name in self.threads:
            lines.append("static void *%s(void *unused)\n{\n    (void)unused;\n    int v0 = 0, v1 = 0;\n%s%s\n"
                         "    free(hp);\n    return (void *)(intptr_t)(int)v2;\n}"
                         % (name, LOCALS % "int v2 = 0;", self.block_text(self.functions[name])))
        lines.append("static int %smain(void)\n{\n    pthread_t t[%d];\n    sem_init(&%s, 0, 0);"
                     % (self.tag, len(self.threads), self.semaphore))
        for i, name in enumerate(self.threads):
            lines.append("    pthread_create(&t[%d], NULL, %s, NULL);" % (i, name))
        for i in range(len(self.threads)):
            lines.append("    pthread_join(t[%d], NULL);" % i)
        lines.append("    return 0;\n}")
        return "\n".join(lines)

    def block_text(self, block):
        return "".join("    " + self.statement_text(one) + "\n" for one in block)

    def expression_text(self, e):
        what = e[0]
        if what == "const":
            return "(%d)" % e[1]
        if what == "local":
            return "(int)v%d" % e[1]
        if what == "element":
            return "%s[%s & 3]" % (e[1], self.expression_text(e[2]))
        if what == "member":
            return "(int)ls.%s" % e[1]
        if what == "cast":
            return "(int)(%s)%s" % (e[1], self.expression_text(e[2]))
        if what == "choose":
            return "(%s ? %s : %s)" % tuple(self.expression_text(one) for one in e[1:])
        left, right = self.expression_text(e[2]), self.expression_text(e[3])
        if e[1] == "long+":
            return "(int)((long)%s + %s)" % (left, right)
        return "(%s %s %s)" % (left, e[1], right)

    def statement_text(self, s):
        what, text = s[0], self.expression_text
        if what == "let":
            return "v%d = %s;" % (s[1], text(s[2]))
        if what == "read":
            return "v%d = (int)%s;" % (s[1], s[2])
        if what == "write":
            return "%s = %s;" % (s[1], text(s[2]))
        if what == "add":
            return "%s += %s;" % (s[1], text(s[2]))
        if what == "poll":
            look = "atomic_load(&%s)" % s[3] if s[3] in self.atomics else s[3]
            return ("for (int i = 0; i < %d; i++) { v%d = (int)%s; v%d += v%d ^ i; if (!(v%d %s %d)) break; }"
                    % (s[4], s[1], look, s[2], s[1], s[1], s[5], s[6]))
        if what == "read_element":
            return "v%d = %s[%s & 3];" % (s[1], self.array, text(s[2]))
        if what == "write_element":
            return "{ int at = %s & 3; %s[at] = %s; }" % (text(s[1]), self.array, text(s[2]))
        if what == "read_member":
            return "v%d = %s.%s;" % (s[1], self.record, s[2])
        if what == "write_member":
            return "%s.%s = %s;" % (self.record, s[1], text(s[2]))
        if what == "load":
            return "v%d = (int)atomic_load(&%s);" % (s[1], s[2])
        if what == "store":
            return "atomic_store(&%s, %s);" % (s[1], text(s[2]))
        if what == "fetch":
            return "v%d = (int)atomic_fetch_%s(&%s, %s);" % (s[1], s[3], s[2], text(s[4]))
        if what == "exchange":
            return "v%d = (int)atomic_exchange(&%s, %s);" % (s[1], s[2], text(s[3]))
        if what == "cas":
            return ("{ %s expected = %s; v%d = atomic_compare_exchange_strong(&%s, &expected, %s) ? 9 : (int)expected; }"
                    % (self.atomics[s[2]], text(s[3]), s[1], s[2], text(s[4])))
        if what == "locked":
            return ("pthread_mutex_lock(&%s);\n%s    pthread_mutex_unlock(&%s);" % (s[1], self.block_text(s[2]), s[1]))
        if what == "locked_element":
            return ("{ int lock = %s & 1;\n    pthread_mutex_lock(&%s[lock]);\n%s    pthread_mutex_unlock(&%s[lock]); }"
                    % (text(s[1]), self.lock_array, self.block_text(s[2]), self.lock_array))
        if what == "if":
            return "if (%s) {\n%s    } else {\n%s    }" % (text(s[1]), self.block_text(s[2]), self.block_text(s[3]))
        if what == "for":
            return "for (int i = 0, n = %s & 3; i < n; i++) {\n%s    }" % (text(s[1]), self.block_text(s[2]))
        if what == "switch":
            return ("switch (%s & 3) {\n    case 0:\n%s        break;\n    case 1:\n%s        break;\n    default:\n%s"
                    "        break;\n    }" % ((text(s[1]),) + tuple(self.block_text(one) for one in s[2])))
        if what == "put":
            return "%s[%s & 3] = %s;" % (s[1], text(s[2]), text(s[3]))
        if what == "put_member":
            return "ls = with_a(ls, %s).p;" % text(s[2]) if s[1] == "a" else "ls.b = %s;" % text(s[2])
        if what == "copy":
            return "memmove(%s, %s, 4 * sizeof *%s);" % (s[1], s[2], s[2])
        if what == "by_value":
            return "v%d = both(ls);" % s[1]
        if what == "by_pointer":
            return "{ int cell = %s; bump(&cell); v%d = cell; bump(&la[1]); }" % (text(s[2]), s[1])
        if what == "outside":
            return "{ int cell = %s; v%d = plain(&cell); }" % (text(s[2]), s[1])
        if what == "post":
            return "sem_post(&%s);" % self.semaphore
        if what == "semwait":
            return "sem_wait(&%s);" % self.semaphore
        if what == "signal":
            lines = ["%s = 1;" % self.flag, "pthread_mutex_lock(&%s);" % self.guard]
            return " ".join(lines[::-1 if s[1] else 1]) + (" pthread_cond_signal(&%s); pthread_mutex_unlock(&%s);"
                                                            % (self.condition, self.guard))
        if what == "await":
            return ("pthread_mutex_lock(&%s); %s (!%s) pthread_cond_wait(&%s, &%s); pthread_mutex_unlock(&%s);"
                    % (self.guard, s[1], self.flag, self.condition, self.guard, self.guard))
        if what == "call":
            return "v%d = %s(%s, %s);" % (s[1], s[2], text(s[3]), text(s[4]))
        return "v%d = %stab[%s & 1](%s, 2);" % (s[1], self.tag, text(s[2]), text(s[3]))

    # As it runs.
    def initial(self):
        names = list(self.scalars) + list(self.atomics) + [self.flag] + ["%s[%d]" % (self.array, i) for i in range(4)]
        return {name: 0 for name in names + [self.record + ".a", self.record + ".b"]}

    def kind_of(self, name):
        if name == self.record + ".b":
            return "short"
        return self.scalars.get(name) or self.atomics.get(name) or "int"

    def thread(self, name):
        frame = Frame([0, 0])
        yield from self.run_block(self.functions[name], frame, {"tl": [0] * 4})
        yield ("exit", wrap("int", frame.v[2]))

    def run_block(self, block, f, own):
        for one in block:
            yield from self.run(one, f, own)

    def value(self, e, f, own):
        what = e[0]
        if what == "const":
            return e[1]
        if what == "local":
            return wrap("int", f.v[e[1]])
        if what == "element":
            return f.memory(e[1], own)[self.value(e[2], f, own) & 3]
        if what == "member":
            return f.ls[e[1]]
        if what == "cast":
            return wrap("int", wrap(e[1], self.value(e[2], f, own)))
        if what == "choose":
            return self.value(e[2] if self.value(e[1], f, own) else e[3], f, own)
        left = self.value(e[2], f, own)
        if e[1] == "&&":
            return int(left != 0 and self.value(e[3], f, own) != 0)
        if e[1] == "||":
            return int(left != 0 or self.value(e[3], f, own) != 0)
        return wrap("int", OPERATIONS[e[1]](left, self.value(e[3], f, own)))

    def put_local(self, f, index, number):
        f.v[index] = wrap(self.local_kinds[index], number)

    def run(self, s, f, own):
        what = s[0]

        def value(e):
            return self.value(e, f, own)
        if what == "let":
            self.put_local(f, s[1], value(s[2]))
        elif what == "read":
            self.put_local(f, s[1], wrap("int", (yield ("r", s[2]))))
        elif what == "write":
            yield ("w", s[1], wrap(self.kind_of(s[1]), value(s[2])))
        elif what == "add":
            added = value(s[2])
            yield ("w", s[1], wrap(self.kind_of(s[1]), (yield ("r", s[1])) + added))
        elif what == "poll":
            for i in range(s[4]):
                self.put_local(f, s[1], wrap("int", (yield ("ar" if s[3] in self.atomics else "r", s[3]))))
                self.put_local(f, s[2], f.v[s[2]] + (f.v[s[1]] ^ i))
                if not COMPARISONS[s[5]](f.v[s[1]], s[6]):
                    break
        elif what == "read_element":
            self.put_local(f, s[1], (yield ("r", "%s[%d]" % (self.array, value(s[2]) & 3))))
        elif what == "write_element":
            at = value(s[1]) & 3
            yield ("w", "%s[%d]" % (self.array, at), value(s[2]))
        elif what == "read_member":
            self.put_local(f, s[1], (yield ("r", "%s.%s" % (self.record, s[2]))))
        elif what == "write_member":
            name = "%s.%s" % (self.record, s[1])
            yield ("w", name, wrap(self.kind_of(name), value(s[2])))
        elif what == "load":
            self.put_local(f, s[1], wrap("int", (yield ("ar", s[2]))))
        elif what == "store":
            yield ("aw", s[1], wrap(self.kind_of(s[1]), value(s[2])))
        elif what == "fetch":
            operand = value(s[4])
            old = yield ("rmw", s[2], lambda old: wrap(self.kind_of(s[2]), FETCH[s[3]](old, operand)))
            self.put_local(f, s[1], wrap("int", old))
        elif what == "exchange":
            given = value(s[3])
            old = yield ("rmw", s[2], lambda old: wrap(self.kind_of(s[2]), given))
            self.put_local(f, s[1], wrap("int", old))
        elif what == "cas":
            expected, given = wrap(self.kind_of(s[2]), value(s[3])), wrap(self.kind_of(s[2]), value(s[4]))
            old = yield ("cas", s[2], expected, given)
            self.put_local(f, s[1], 9 if old == expected else wrap("int", old))
        elif what == "locked":
            yield ("acq", s[1])
            yield from self.run_block(s[2], f, own)
            yield ("rel", s[1])
        elif what == "locked_element":
            name = "%s[%d]" % (self.lock_array, value(s[1]) & 1)
            yield ("acq", name)
            yield from self.run_block(s[2], f, own)
            yield ("rel", name)
        elif what == "if":
            yield from self.run_block(s[2] if value(s[1]) else s[3], f, own)
        elif what == "for":
            for _ in range(value(s[1]) & 3):
                yield from self.run_block(s[2], f, own)
        elif what == "switch":
            yield from self.run_block(s[2][min(value(s[1]) & 3, 2)], f, own)
        elif what == "put":
            number = value(s[3])
            f.memory(s[1], own)[value(s[2]) & 3] = number
        elif what == "put_member":
            f.ls[s[1]] = wrap("short" if s[1] == "b" else "int", value(s[2]))
        elif what == "copy":
            f.memory(s[1], own)[:] = list(f.memory(s[2], own))
        elif what == "by_value":
            self.put_local(f, s[1], wrap("int", f.ls["a"] + f.ls["b"]))
        elif what == "by_pointer":
            self.put_local(f, s[1], bumped(value(s[2])))
            f.la[1] = bumped(f.la[1])
        elif what in ("call", "call_table"):
            if what == "call":
                name, frame = s[2], Frame([value(s[3]), value(s[4])])
            else:
                name, frame = "%sf%d" % (self.tag, value(s[2]) & 1), Frame([value(s[3]), 2])
            frame.v[2] = wrap("int", frame.v[0] - frame.v[1])
            yield from self.run_block(self.functions[name], frame, own)
            self.put_local(f, s[1], wrap("int", frame.v[2]))
        elif what == "outside":
            self.put_local(f, s[1], wrap("int", value(s[2]) + 5))
        elif what in ("post", "semwait"):
            yield (what, self.semaphore)
        elif what == "signal":
            steps = [("w", self.flag, 1), ("acq", self.guard)]
            for one in (steps[::-1] if s[1] else steps) + [("notify", self.condition), ("rel", self.guard)]:
                yield one
        elif what == "await":
            yield from self.run_await(s[1])

    def run_await(self, how):
        yield ("acq", self.guard)
        while (yield ("r", self.flag)) == 0:
            for one in (("waitpre", self.condition), ("rel", self.guard), ("acq", self.guard), ("waitpost", self.condition)):
                yield one
            if how == "if":
                break
        yield ("rel", self.guard)


COMPARISONS = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, ">=": operator.ge}

LOCALS = """    %s
    unsigned char v3 = 0; short v4 = 0; long v5 = 0;
    int la[4] = {0}, lb[4] = {0}, *hp = calloc(4, sizeof *hp);
    struct pair ls = {0, 0};
    (void)v0; (void)v1; (void)v3; (void)v4; (void)v5; (void)la; (void)lb; (void)ls;
"""


def bumped(number):
    return wrap("int", number + 3) if number > 1 else wrap("int", number * 2)


OPERATIONS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "&": lambda a, b: a & b,
              "|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "==": lambda a, b: int(a == b),
              "!=": lambda a, b: int(a != b), "<": lambda a, b: int(a < b), ">": lambda a, b: int(a > b),
              "<=": lambda a, b: int(a <= b), ">=": lambda a, b: int(a >= b), "long+": lambda a, b: a + b}
FETCH = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "xor": lambda a, b: a ^ b}


class Frame:
    """The local variables of a call."""

    def __init__(self, arguments):
        self.v = arguments + [0] * 4
        self.la, self.lb, self.hp = [0] * 4, [0] * 4, [0] * 4
        self.ls = {"a": 0, "b": 0}

    def memory(self, name, own):
        return own["tl"] if name == "tl" else getattr(self, name)


HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct pair { int a; short b; };
static __thread int tl[4];
__attribute__((noinline)) static int both(struct pair p) { return p.a + p.b; }
struct wide { struct pair p; long rest[2]; };
__attribute__((noipa)) static struct wide with_a(struct pair p, int a) { struct wide w = {p, {0}}; w.p.a = a; return w; }
__attribute__((noinline, no_sanitize("thread"))) static int plain(const int *at) { return *at + 5; }
static void bump(int *at) { *at = *at > 1 ? *at + 3 : *at * 2; }
"""


def source(programs):
    """One file with several programs; its argument says which one runs. Without one, or with -1 and a number, all run in turn, or
    those from that number on."""
    everything = "".join("if (from <= %d) %smain();\n        " % (i, one.tag) for i, one in enumerate(programs))
    text = HEAD + "\n".join(one.text() for one in programs) + """
int main(int argc, char **argv)
{
    int from = argc > 2 ? atoi(argv[2]) : 0;
    switch (argc > 1 ? atoi(argv[1]) : -1) {
    case -1:
        %sreturn 0;
""" % everything
    for i, one in enumerate(programs):
        text += "    case %d:\n        return %smain();\n" % (i, one.tag)
    return text + "    }\n    return 1;\n}\n"
