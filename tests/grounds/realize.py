"""Judges findings by the interpreter: the threads of the program run along a finding's schedule, on one memory, and must do
what the schedule says; in the end what the finding claims must be so. Nothing here knows about grounds."""

READS, WRITES = ("r", "ar", "rmw", "cas"), ("w", "aw", "rmw", "cas")
# It failed; an exchange whose result nobody looks at; a change that looks again.
ALSO = (("cas", "ar"), ("rmw", "aw"), ("aw", "rmw"), ("rmw", "cas"))
JUDGED = ("race", "deadlock", "stuck", "stale", "atomicity", "nondeterminism", "final-state", "observed")


class Wrong(Exception):
    pass


def is_same(request, kind, name):
    """Whether the interpreter's request may be recorded as an event of this kind."""
    return (request[0] == kind or (request[0], kind) in ALSO) and (kind == "exit" or request[1] == name)


class Thread:
    """A thread of the program on its way: what it asks for next, and the polls that its last event stands for."""

    def __init__(self, steps):
        self.steps, self.request = steps, next(steps)
        self.polled, self.seen, self.over = None, None, False

    def answer(self, value):
        self.request = self.steps.send(value)

    def next(self):
        """What it does next, after the polls that are left out of the trace; they saw what the one before them saw."""
        for _ in range(self.polled.copies if self.polled else 0):
            if not is_same(self.request, self.polled.kind, self.polled.name):
                raise Wrong("does %s instead of a poll after event %d" % (self.request, self.polled.number))
            self.answer(self.seen)
        self.polled = None
        return self.request


class Run:
    """The program on its way along a schedule."""

    def __init__(self, program, events, steps_of):
        self.memory, self.writer = program.initial(), {}
        self.held, self.tokens, self.waiting = {}, {}, {}
        self.started, self.ended = set(), set()
        self.names = {e.thread: e.thread.split(" ")[-1] for e in events.values()}
        self.threads = {t: Thread(steps_of(n)) for t, n in self.names.items() if n in program.threads}
        self.events, self.order = events, []

    def step(self, number):
        e = self.events[number]
        self.order.append(number)
        if e.thread not in self.threads:
            self.step_main(e)
        elif e.kind == "exit":
            if self.threads[e.thread].next()[0] != "exit":
                raise Wrong("event %d: goes on with %s" % (number, self.threads[e.thread].request))
            self.ended.add(e.thread)
        elif e.done:
            self.step_thread(e, self.threads[e.thread])

    def step_main(self, e):
        if e.kind == "fork":
            self.started.add(e.name)
        elif e.kind == "join" and e.name not in self.ended and e.name in self.threads:
            raise Wrong("event %d joins a thread that has not ended" % e.number)

    def step_thread(self, e, thread):
        if e.thread not in self.started:
            raise Wrong("event %d: its thread does not run yet" % e.number)
        if thread.over:
            raise Wrong("event %d: its thread did something else before" % e.number)
        request = thread.next()
        if not is_same(request, e.kind, e.name):
            raise Wrong("%s does %s where event %d is %s(%s)" % (e.thread, request, e.number, e.kind, e.name))
        if self.blocked(e.thread, request):
            raise Wrong("event %d: %s cannot go on" % (e.number, request))
        if e.kind == "cas" and self.memory[e.name] != e.seen:
            thread.over = True  # the run is the same without it
            return
        thread.answer(self.execute(e, request))
        thread.polled, thread.seen = e, self.memory.get(e.name)

    def blocked(self, name, request):
        """Whether others keep the thread from doing this."""
        if request[0] == "acq":
            return self.held.get(request[1]) is not None or self.waiting.get(name) == "asleep"
        return request[0] == "semwait" and self.tokens.get(request[1], 0) == 0

    def execute(self, e, request):
        what, name = request[0], request[1]
        if what in READS + WRITES:
            return self.access(e.number, what, name, request)
        if what == "acq":
            self.held[name] = e.thread
        elif what == "rel":
            self.held[name] = None
        elif what in ("post", "semwait"):
            self.tokens[name] = self.tokens.get(name, 0) + (1 if what == "post" else -1)
        elif what == "waitpre":
            self.waiting[e.thread] = "asleep"  # a program has one thread that waits for a condition, and one condition
        elif what == "waitpost":
            self.waiting[e.thread] = None
        elif what == "notify":
            for one in [t for t, state in self.waiting.items() if state == "asleep"]:
                self.waiting[one] = "woken"
        return None

    def access(self, number, what, name, request):
        old = self.memory[name]
        if what in ("w", "aw"):
            self.memory[name] = request[2]
        elif what == "rmw":
            self.memory[name] = request[2](old)
        elif what == "cas" and old == request[2]:
            self.memory[name] = request[3]
        if what in ("w", "aw", "rmw") or (what == "cas" and old == request[2]):
            self.writer[name] = number
        return old

    def next_of(self, number):
        """What the thread of this event does next, which must be the event."""
        e = self.events[number]
        if e.thread not in self.started or self.threads[e.thread].over:
            raise Wrong("event %d: its thread is not before it" % number)
        request = self.threads[e.thread].next()
        if not is_same(request, e.kind, e.name):
            raise Wrong("%s does %s next, not event %d" % (e.thread, request, number))
        return request

    def main_waits(self):
        """Whether the main thread, which creates threads and then joins them, waits for one."""
        own = [e for e in self.events.values() if e.name in self.threads and e.kind in ("fork", "join")]
        left = [e for e in own if e.number not in self.order]
        joined = {e.name for e in own if e.kind == "join" and e not in left}
        if any(e.kind == "fork" for e in left):
            return False
        waits_for = [t for t in sorted(self.threads, key=self.names.get) if t not in joined]
        return bool(waits_for) and waits_for[0] not in self.ended


def judge_race(run, finding):
    one, other = run.next_of(finding["first"]), run.next_of(finding["second"])
    if one[1] != other[1] or not (one[0] in WRITES or other[0] in WRITES) or (one[0] not in "rw" and other[0] not in "rw"):
        raise Wrong("%s and %s are no race" % (one, other))


def judge_deadlock(run, finding):
    waits = {run.events[n].thread: run.held.get(run.next_of(n)[1]) for n in finding["events"]}
    at = first = run.events[finding["events"][0]].thread
    for i in range(len(waits)):
        at = waits[at]
        if at not in waits or (at == first) != (i == len(waits) - 1):
            raise Wrong("%s is no cycle" % waits)


def judge_stuck(run, finding):
    waiting = {run.events[n].thread for n in finding["events"]}
    for name, thread in run.threads.items():
        if name in waiting:
            if not run.blocked(name, thread.next()):
                raise Wrong("%s can go on with %s" % (name, thread.request))
        elif name in run.started and name not in run.ended and thread.next()[0] != "exit":
            raise Wrong("%s is neither over nor said to wait" % name)
    if not run.main_waits():
        raise Wrong("the main thread does not wait")


def judge_observed(run, finding):
    """The recorded run hung: whoever has not ended waits. Of a wait that is never left, Valgrind may not see the beginning."""
    if finding["outcome"] not in ("deadlock", "hang"):
        raise Wrong("the program cannot end with %s" % finding["outcome"])
    for name in run.started.intersection(run.threads) - run.ended:
        request = run.threads[name].next()
        if request[0] != "waitpre" and not run.blocked(name, request):
            raise Wrong("%s can go on with %s" % (name, request))


def judge_overtaken(run, first, remote, second):
    """Of a stale read or an atomicity violation."""
    at = [run.order.index(n) for n in (first, remote, second)]
    if at != sorted(at) or len({run.events[n].name for n in (first, remote, second)}) != 1:
        raise Wrong("events %d, %d, %d do not come in this order" % (first, remote, second))


def judge_sees(run, number, write):
    if run.before_last.get(run.events[number].name, 0) != write:
        raise Wrong("event %d sees %s, not %d" % (number, run.before_last, write))


def judge_end(run, finding):
    what = finding["property"]
    if what == "race":
        judge_race(run, finding)
    elif what == "deadlock":
        judge_deadlock(run, finding)
    elif what == "stuck":
        judge_stuck(run, finding)
    elif what == "observed":
        judge_observed(run, finding)
    elif what == "stale":
        judge_overtaken(run, finding["read"], finding["remote"], finding["write"])
        judge_sees(run, finding["write"], finding["remote"])
    elif what == "atomicity":
        judge_overtaken(run, finding["first"], finding["remote"], finding["second"])
    elif what == "nondeterminism":
        judge_sees(run, finding["read"], finding["alternative"])
    elif len(run.order) != len(run.events) or run.writer.get(run.events[finding["observed"]].name, 0) != finding["alternative"]:
        raise Wrong("the run does not end with that write")


def judge(program, events, steps_of, findings, counts):
    """Runs every finding; raises Wrong for one that the program cannot do. `steps_of` starts the interpreter of a thread."""
    for finding in findings:
        if finding["property"] not in JUDGED:
            continue
        schedule = finding.get("schedule", {"prefix": len(events), "then": []})
        steps = list(range(1, schedule["prefix"] + 1)) + schedule["then"]
        run = Run(program, events, steps_of)
        try:
            for i, number in enumerate(steps):
                if i == len(steps) - 1:
                    run.before_last = dict(run.writer)
                run.step(number)
            judge_end(run, finding)
        except Wrong as wrong:
            raise Wrong("%s %s: %s" % (finding["id"], finding["property"], wrong)) from wrong
        counts[finding["property"]] = counts.get(finding["property"], 0) + 1
