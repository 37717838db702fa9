#!/usr/bin/env python3
"""check_programs.py HEDDLE FOLDER COUNT FIRST: records COUNT random programs, from number FIRST on, at three levels
of optimization, and checks that their grounds are enough.

What grounds say of a thread is about what it reads: as long as the reads in `by` are as observed, it does the same;
what it writes is made of the reads in `from`. So each thread is run again, alone, by the interpreter, and many of its
reads are given other values: up to the first event whose grounds fail it must do what was recorded.

Then all findings of the trace are judged: the interpreter runs the whole program along each schedule (realize.py)."""
import json
import os
import random
import subprocess
import sys

from program import Program, source, wrap
from realize import ALSO, Wrong, judge
from recorded import count_polls, parse

TOGETHER = 10  # programs in a file
TRIES = 60     # per thread


ANSWERED = ("r", "ar", "rmw", "cas")
ACCESSES = ("r", "w", "ar", "aw", "rmw", "cas")
SYNC = ("acq", "rel", "post", "semwait", "waitpre", "waitpost", "notify")


def mark_done(program, events):
    """Which events an interpreted thread does. A semaphore is also memory, which the interpreter does not look into."""
    variables = program.initial()
    for e in events.values():
        e.done = e.name in variables if e.kind in ACCESSES else e.kind == "exit" or (e.kind in SYNC and e.name != "")


def observed_values(program, events):
    """What each read saw, by event, and what each write wrote; the trace's own values must agree."""
    memory, seen = program.initial(), {}
    for e in events.values():
        if not e.done:
            continue
        if e.kind in ("r", "ar"):
            seen[e.number] = memory[e.name]
            if e.value is not None and e.value != memory[e.name]:
                raise Wrong("event %d saw %d, memory holds %d" % (e.number, e.value, memory[e.name]))
        elif e.kind in ("w", "aw", "rmw", "cas"):
            seen[e.number] = memory[e.name]
            memory[e.name] = e.value
    return seen


def signed(number):
    return wrap("long", number)


def allowed(e, own, seen, now):
    """Whether the event's `by` holds with the values that its thread's reads have now."""
    items = e.by if e.by is not None else [(n, None, None) for n in own]
    return all(now[n] == seen.get(n) or (ranges and any(a <= signed(now[n]) <= b for a, b in ranges))
               for n, ranges, _ in items)


def expected_write(program, e, own, seen, now):
    """What the event writes according to its `from`; None: something that is not known."""
    reads = e.source
    if reads is None:
        reads = [(n, None, None) for n in own + ([e.number] if e.kind in ("rmw", "cas") else [])]
    if len(reads) == 1 and reads[0][2] is not None:
        return wrap(program.kind_of(e.name), now[reads[0][0]] + reads[0][2])
    return e.value if all(now[n] == seen.get(n) for n, _, _ in reads) else None


def other_value(rng, kind, value):
    return wrap(kind, rng.choice([value + 1, value - 1, value ^ 1, 0, 1, 2, 3, -1, 100, rng.randrange(-9, 9)]))


def recorded_part(program, name, recorded):
    """The thread without its accesses to variables that are not in the trace: nobody else writes these."""
    thread, memory = program.thread(name), program.initial()
    request = next(thread)
    while True:
        if request[0] not in ACCESSES or request[1] in recorded:
            answer = yield request
        else:
            answer = memory[request[1]]
            if request[0] == "rmw":
                memory[request[1]] = request[2](answer)
            elif request[0] in ("w", "aw"):
                memory[request[1]] = request[2]
            elif request[0] == "cas" and answer == request[2]:
                memory[request[1]] = request[3]
        try:
            request = thread.send(answer)
        except StopIteration:
            return


def follow(program, name, events, seen, result, rng, chance, recorded):
    """Runs the thread along its events; with that chance a read sees another value."""
    thread = recorded_part(program, name, recorded)
    request, now, own = next(thread), {}, []
    polled = None
    for e in events:
        if not allowed(e, own, seen, now):
            return
        for _ in range(polled.copies if polled else 0):
            if request[1] != polled.name or (request[0] != polled.kind and (request[0], polled.kind) not in ALSO):
                raise Wrong("%s does %s instead of a poll after event %d" % (name, request, polled.number))
            request = thread.send(now[polled.number])
        polled = e
        if not e.done:
            if e.kind in ("r", "ar"):
                now[e.number] = seen.get(e.number)
            continue
        if e.kind == "exit":
            if request != ("exit", result):
                raise Wrong("%s ends with %s, not %s (event %d)" % (name, request, result, e.number))
            return
        kind = e.kind if (request[0], e.kind) in ALSO else request[0]
        if kind != e.kind or request[1] != e.name:
            raise Wrong("%s does %s where event %d is %s(%s)" % (name, request, e.number, e.kind, e.name))
        answer = None
        if e.kind in ("r", "ar", "rmw", "cas"):
            answer = now[e.number] = seen[e.number]
            if rng.random() < chance:
                answer = now[e.number] = other_value(rng, program.kind_of(e.name), answer)
            own.append(e.number)
        if e.kind == "cas":
            if now[e.number] != seen[e.number]:
                return
            if request[0] == "cas" and request[2] != seen[e.number]:
                raise Wrong("%s expects %d at event %d, which saw %d" % (name, request[2], e.number, seen[e.number]))
        if e.kind in ("w", "aw", "rmw", "cas"):
            written = request[3] if request[0] == "cas" else request[2](answer) if request[0] == "rmw" else request[2]
            told = expected_write(program, e, own[:-1] if answer is not None else own, seen, now)
            if told is not None and told != written:
                raise Wrong("%s writes %d at event %d, not %d" % (name, written, e.number, told))
        request = thread.send(answer if request[0] in ANSWERED and e.kind != "aw" else seen.get(e.number))


def result_of(program, name, events, seen, recorded):
    thread = recorded_part(program, name, recorded)
    request = next(thread)
    for e in events:
        for _ in range(1 + e.copies if e.done and e.kind != "exit" else 0):
            request = thread.send(seen.get(e.number) if request[0] in ANSWERED else None)
    return request[1] if request[0] == "exit" else None


def check(program, text, whole, findings, rng, counts):
    events = parse(text)
    if not count_polls(events, parse(whole)):
        raise Wrong("other reads than repeated polls are left out")
    counts["polls"] += sum(e.copies for e in events.values())
    check_events(program, events, rng, counts)
    judge_findings(program, events, findings, counts)


def judge_findings(program, events, findings, counts):
    """Of the threads of this program."""
    own = {e.number for e in events.values() if e.thread.split(" ")[-1] in program.threads}
    recorded = {e.name for e in events.values()}
    judge(program, events, lambda name: recorded_part(program, name, recorded),
          [f for f in findings if f["property"] == "observed" or own.intersection(numbers_of(f))], counts["findings"])


def numbers_of(finding):
    """The events that a finding is about."""
    names = ("first", "second", "remote", "read", "write", "observed", "alternative")
    return [finding[name] for name in names if isinstance(finding.get(name), int)] + finding.get("events", [])


def is_aligned(program, events):
    """Whether every access of the interpreted program is in the trace: machines leave out loads that nobody needs."""
    mark_done(program, events)
    try:
        seen, recorded = observed_values(program, events), {e.name for e in events.values()}
        for name in program.threads:
            own = [e for e in events.values() if e.thread.split(" ")[-1] == name]
            follow(program, name, own, seen, result_of(program, name, own, seen, recorded), random.Random(0), 0, recorded)
    except (Wrong, StopIteration, TypeError):
        return False
    return True


def check_events(program, events, rng, counts):
    mark_done(program, events)
    seen, recorded = observed_values(program, events), {e.name for e in events.values()}
    for e in events.values():
        e.seen = seen.get(e.number)
    for name in program.threads:
        own = [e for e in events.values() if e.thread.split(" ")[-1] == name]
        result = result_of(program, name, own, seen, recorded)
        for i in range(TRIES):
            follow(program, name, own, seen, result, rng, [0, 0.02, 0.1, 0.3, 1][min(i, 1 + i % 4)], recorded)
        counts["events"] += len(own)
        counts["by"] += sum(e.by is not None for e in own)
        counts["from"] += sum(e.source is not None for e in own)
        counts["writes"] += sum(e.kind in ("w", "aw", "rmw", "cas") for e in own)


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise Wrong("%s: status %d\n%s%s" % (" ".join(words), done.returncode, done.stdout, done.stderr))
    return done.stdout


def record(heddle, passes, seed, path, number):
    """The trace of one of the programs as text, and whether polls were left out of it. The program may hang."""
    words = (heddle, "record", passes, "--seed", str(seed), "-o", path + ".htr", "--", path, str(number))
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0 and "deadlock: " not in done.stderr:
        raise Wrong("%s: status %d\n%s" % (" ".join(words), done.returncode, done.stderr))
    return run(heddle, "convert", path + ".htr", "-"), " left out that found " in done.stderr


def predict(heddle, trace):
    """All findings of the trace."""
    words = (heddle, "check", "--all", "--property=all", "--atomic=locks", "--format=json", trace)
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode not in (0, 2):
        raise Wrong("%s: status %d\n%s" % (" ".join(words), done.returncode, done.stderr))
    return json.loads(done.stdout)["findings"]


def record_and_check(heddle, path, number, seed, program, counts):
    passes = "--two-pass" if seed % 3 == 0 else "--one-pass"
    text, polls = record(heddle, passes, seed, path, number)
    findings = predict(heddle, path + ".htr")
    whole = text
    if polls:
        os.environ["HEDDLE_KEEP_POLLS"] = "1"
        whole, _ = record(heddle, passes, seed, path, number)
        del os.environ["HEDDLE_KEEP_POLLS"]
    check(program, text, whole, findings, random.Random(seed), counts)


def print_findings(findings):
    print("findings that the interpreter can do: %s" % ", ".join("%d %s" % (n, what) for what, n in sorted(findings.items())))


def main():
    heddle, folder, count, first = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    os.environ["HEDDLE_NO_TRIAL"] = "1"  # else such short programs are run once in any case
    counts = {"events": 0, "by": 0, "from": 0, "writes": 0, "polls": 0, "findings": {}}
    for start in range(first, first + count, TOGETHER):
        programs = [Program(start + i, "p%d" % i) for i in range(min(TOGETHER, first + count - start))]
        path = os.path.join(folder, "random")
        with open(path + ".c", "w") as file:
            file.write(source(programs))
        for level in "012":
            run(heddle, "cc", "-O" + level, "-w", "-fwrapv", "-o", path, path + ".c", "-pthread")
            for i, program in enumerate(programs):
                try:
                    record_and_check(heddle, path, i, start + i, program, counts)
                except Wrong as wrong:
                    print("program %d at -O%s: %s" % (start + i, level, wrong))
                    return 1
    print("%d programs, three levels: %d events, %d with by, %d writes, %d with from, %d polls left out"
          % (count, counts["events"], counts["by"], counts["writes"], counts["from"], counts["polls"]))
    print_findings(counts["findings"])
    return 0 if counts["by"] > counts["events"] / 2 and counts["from"] > counts["writes"] / 2 else 1


if __name__ == "__main__":
    sys.exit(main())
