"""Random C programs for the soak, and every way they can end, by an interpreter that knows nothing of Heddle.

A program is a list of threads, a thread a list of statements. Nobody comes between the parts of one step.
"""
VARIABLES = ("x", "y", "z")


def draw_statement(rng, depth=0):
    kind = rng.randrange(8 if depth == 0 else 6)
    a, b = rng.choice(VARIABLES), rng.choice(VARIABLES)
    if kind == 0:
        return ("set", a, rng.randrange(1, 4))
    if kind == 1:
        return ("add", a, rng.randrange(1, 3))
    if kind == 2:
        return ("copy", a, b)
    if kind == 3:
        return ("if", a, b, rng.randrange(1, 4))
    if kind == 4:
        return ("atomic", a, rng.randrange(1, 3))
    if kind == 5:
        return ("swap", a, rng.randrange(2), rng.randrange(1, 4))
    inner = [draw_statement(rng, 1) for _ in range(rng.randrange(1, 3))]
    return ("lock" if kind == 6 else "try", inner)


def draw_program(rng):
    return [[draw_statement(rng) for _ in range(rng.randrange(1, 3))] for _ in range(rng.randrange(2, 4))]


def smaller(program):
    """The programs that lack one statement of this one, inner ones included."""
    for t, thread in enumerate(program):
        for i, s in enumerate(thread):
            yield program[:t] + [thread[:i] + thread[i + 1:]] + program[t + 1:]
            if s[0] in ("lock", "try"):
                for k in range(len(s[1])):
                    inner = (s[0], s[1][:k] + s[1][k + 1:])
                    yield program[:t] + [thread[:i] + [inner] + thread[i + 1:]] + program[t + 1:]


def c_of(statement):
    kind = statement[0]
    if kind == "set":
        return f"{statement[1]} = {statement[2]};"
    if kind == "add":
        return f"{statement[1]} = {statement[1]} + {statement[2]};"
    if kind == "copy":
        return f"{statement[1]} = {statement[2]};"
    if kind == "if":
        return f"if ({statement[1]}) {statement[2]} = {statement[3]};"
    if kind == "atomic":
        return f"__atomic_fetch_add(&{statement[1]}, {statement[2]}, __ATOMIC_SEQ_CST);"
    if kind == "swap":
        return f"swap(&{statement[1]}, {statement[2]}, {statement[3]});"
    inner = " ".join(map(c_of, statement[1])) + " pthread_mutex_unlock(&lock);"
    if kind == "lock":
        return "pthread_mutex_lock(&lock); " + inner
    return "if (pthread_mutex_trylock(&lock) == 0) { " + inner + " }"


def source_of(program):
    text = ["#include <pthread.h>", "#include <stdio.h>",
            "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;", f"static volatile int {', '.join(VARIABLES)};",
            "static void __attribute__((unused)) swap(volatile int *at, int expected, int value)", "{",
            "    __atomic_compare_exchange_n(at, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);", "}"]
    for i, thread in enumerate(program):
        text += [f"static void *run{i}(void *unused)", "{"] + ["    " + c_of(s) for s in thread] + ["    return unused;", "}"]
    count = len(program) - 1
    text += ["int main(void)", "{", f"    pthread_t thread[{max(count, 1)}];"]
    text += [f"    pthread_create(&thread[{i}], NULL, run{i + 1}, NULL);" for i in range(count)]
    text += ["    run0(NULL);"] + [f"    pthread_join(thread[{i}], NULL);" for i in range(count)]
    text += ['    printf("%d %d %d\\n", ' + ", ".join(VARIABLES) + ");", "    return 0;", "}"]
    return "\n".join(text) + "\n"


def steps_of(statements):
    """Flat code: reads into a register, writes of it, jumps, locks."""
    code = []
    for s in statements:
        if s[0] == "set":
            code.append(("write", s[1], s[2], False))
        elif s[0] == "add":
            code += [("read", s[1]), ("write", s[1], s[2], True)]
        elif s[0] == "copy":
            code += [("read", s[2]), ("write", s[1], 0, True)]
        elif s[0] == "if":
            code += [("read", s[1]), ("skip",), ("write", s[2], s[3], False)]
        elif s[0] in ("atomic", "swap"):
            code.append(s)
        else:
            inner = steps_of(s[1]) + [("give",)]
            code += [("take",) if s[0] == "lock" else ("try", len(inner))] + inner
    return code


def change(step, memory):
    """What an atomic statement leaves."""
    values, at = list(memory), VARIABLES.index(step[1])
    if step[0] == "atomic":
        values[at] += step[2]
    elif values[at] == step[2]:
        values[at] = step[3]
    return values


def ends_of(program):
    """Every way the program can end, by running every order of its steps."""
    codes = [steps_of(thread) for thread in program]
    start = (tuple((0, 0) for _ in codes), (0,) * len(VARIABLES), -1)
    seen, todo, ends = {start}, [start], set()
    while todo:
        threads, memory, holder = todo.pop()
        moved = False
        for t, (at, register) in enumerate(threads):
            if at == len(codes[t]):
                continue
            step, now, values, owner = codes[t][at], (at + 1, register), list(memory), holder
            if step[0] == "read":
                now = (at + 1, memory[VARIABLES.index(step[1])])
            elif step[0] == "write":
                values[VARIABLES.index(step[1])] = step[2] + (register if step[3] else 0)
            elif step[0] in ("atomic", "swap"):
                values = change(step, memory)
            elif step[0] == "skip":
                now = (at + 1 if register else at + 2, register)
            elif step[0] == "take":
                if holder >= 0:
                    continue
                owner = t
            elif step[0] == "try":
                now = (at + 1 if holder < 0 else at + 1 + step[1], register)
                owner = t if holder < 0 else holder
            else:
                owner = -1
            moved = True
            state = (threads[:t] + (now,) + threads[t + 1:], tuple(values), owner)
            if state not in seen:
                seen.add(state)
                todo.append(state)
        if not moved:
            ends.add(" ".join(map(str, memory)) + "\n")
    return ends
