"""Commands for gdb while it runs a program along one of Heddle's schedules: `heddle replay --gdb` loads this file.

    info heddle               which finding, trace and schedule, and how far the program has come
    heddle next-event [N]     goes on to the next event of the schedule, or the N-th
    heddle lanes              the threads, where they are, and the next event of each
    heddle why                why the selected thread waits, or what it is about to do in the finding
"""
import json
import struct

import gdb

NOWHERE = 2**64 - 1
VIEW = struct.Struct("<QQQ")  # struct replay_view of the runtime: at, until, threads
THREAD = struct.Struct("<IIIIIxxxxQQ")  # struct session_thread: id, tid, state, reason, owner, key, pc
STATES = ["free", "running", "runnable", "blocked", "sleeping", "polling", "outside", "ended"]
REASONS = ["something", "a lock", "a condition", "a barrier", "a semaphore", "the end of a thread",
           "an initialisation by another thread", "a futex", "time to pass", "a file descriptor"]
THREADS_MOST = 4096
ROLES = {
    "read": "the read",
    "observed": "the write that the read saw in the recorded run",
    "alternative": "the write that the read sees in this run",
    "first": "the first of its accesses",
    "second": "the second of its accesses",
    "remote": "the access of the other thread in between",
    "write": "the write that was decided by what the read saw",
    "block": "the block",
    "event": "one of its events",
}


class Case:
    """The schedule, as heddle has written it."""

    def __init__(self, path):
        with open(path, encoding="utf-8", errors="replace") as file:
            self.__dict__.update(json.load(file))
        if self.version != 1:
            raise gdb.GdbError("heddle: this file is for another version of heddle-gdb.py")

    def done(self, step, at):
        """Whether the step is behind the runtime's step `at`. One that cannot be stopped at goes with the one before."""
        return step["reach"] < at

    def prepare(self):
        reach = -1
        for number, step in enumerate(self.steps, self.earlier + 1):
            reach = step.get("at", reach)
            step["reach"] = reach
            step["number"] = number


case = None


def the_case():
    if case is None:
        raise gdb.GdbError("heddle: no schedule: start gdb with `heddle replay --gdb REPORT ID -- PROGRAM`")
    return case


def view_address():
    if gdb.selected_inferior().pid == 0:
        raise gdb.GdbError("heddle: the program is not running")
    try:
        return int(gdb.parse_and_eval("(unsigned long)&heddle_replay_view"))
    except gdb.error as error:
        raise gdb.GdbError(f"heddle: the program does not have Heddle's runtime: {error}")


class View:
    """What the runtime shows: the step in progress, and the threads."""

    def __init__(self):
        memory = gdb.selected_inferior()
        self.address = view_address()
        self.at, self.until, table = VIEW.unpack(memory.read_memory(self.address, VIEW.size).tobytes())
        self.threads = []
        for i in range(THREADS_MOST if table else 0):
            fields = THREAD.unpack(memory.read_memory(table + i * THREAD.size, THREAD.size).tobytes())
            if fields[0] == 0:
                break
            self.threads.append(dict(zip(("id", "tid", "state", "reason", "owner", "key", "pc"), fields)))

    def stop_at(self, step):
        gdb.selected_inferior().write_memory(self.address + 8, struct.pack("<Q", step))

    def of_gdb(self, thread):
        return next((t for t in self.threads if t["tid"] == thread.ptid[1] and STATES[t["state"]] != "ended"), None)


def thread_name(number):
    c = the_case()
    return c.threads[number] if number < len(c.threads) else f"thread {number}, which the schedule does not know"


def describe(step):
    words = step.get("op", "its next step")
    if "object" in step:
        words += f"({step['object']})"
    if "place" in step:
        words += f" at {step['place']}"
    if "event" in step:
        words = f"event {step['event']}: {words}"
    return words


def upcoming(view, thread=None):
    """The first step that is not done; of the thread, if one is given."""
    c = the_case()
    for step in c.steps:
        if not c.done(step, view.at) and (thread is None or step["thread"] == thread):
            return step
    return None


def current(view, thread, blocked):
    """The thread's next step, or the one in which it asked for a lock and waits."""
    asked = next((s for s in the_case().steps if s["thread"] == thread and s.get("attempt")), None)
    return upcoming(view, thread) or (asked if blocked else None)


def symbol(address):
    text = gdb.execute(f"info symbol {address}", to_string=True)
    return hex(address) if text.startswith("No symbol") else text.split(" in section")[0]


def waiting(entry):
    """What the thread of the runtime's table waits for, in words; "": it does not."""
    state = STATES[entry["state"]] if entry["state"] < len(STATES) else "?"
    if state in ("running", "runnable", "free", "?"):
        return ""
    if state == "ended":
        return "has ended"
    if state == "outside":
        return "is in a system call or in code without hooks"
    what = REASONS[entry["reason"]] if entry["reason"] < len(REASONS) else REASONS[0]
    if what == "the end of a thread" and entry["owner"]:
        return f"waits for {thread_name(entry['owner'] - 1)} to end"
    words = f"waits for {what}"
    if what in ("a lock", "a condition", "a barrier", "a semaphore", "a futex"):
        words += f" ({symbol(entry['key'])})"
    if entry["owner"]:
        words += f", held by {thread_name(entry['owner'] - 1)}"
    return words


def is_header(frame):
    """Whether the frame is in a header of the system, as std::mutex::lock is."""
    table = frame.find_sal().symtab
    return table is not None and table.fullname().startswith(("/usr/include/", "/usr/lib/"))


def leave_runtime():
    """Selects the first frame that is the program's own: hooks may be linked into it, and headers of the system, too."""
    frame = gdb.newest_frame()
    while frame.older() and ((frame.name() or "").startswith(("__tsan_", "heddle_"))
                             or any(n in (gdb.solib_name(frame.pc()) or "") for n in ("libheddle-rt", "libtsan"))):
        frame = frame.older()
    own = frame
    while own and is_header(own):
        own = own.older()
    (own or frame).select()


class HeddlePrefix(gdb.Command):
    """Commands for a program that follows one of Heddle's schedules."""

    def __init__(self):
        super().__init__("heddle", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE, True)


class HeddleOpen(gdb.Command):
    """Reads the schedule that the program follows: heddle open FILE. `heddle replay --gdb` does it."""

    def __init__(self):
        super().__init__("heddle open", gdb.COMMAND_FILES, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        global case
        try:
            case = Case(argument)
        except (OSError, ValueError) as error:
            raise gdb.GdbError(f"heddle: cannot read {argument}: {error}")
        case.prepare()


class HeddleHere(gdb.Command):
    """Shows where the program stands: the frame outside Heddle's runtime, and the event that comes next."""

    def __init__(self):
        super().__init__("heddle here", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if gdb.selected_inferior().pid == 0 or gdb.selected_thread() is None:
            return
        leave_runtime()
        gdb.execute("frame")
        step = upcoming(View())
        if step:
            print(f"{thread_name(step['thread'])} is about to do {describe(step)}")


class HeddleNextEvent(gdb.Command):
    """Goes on to the next event of the schedule, or to the N-th: heddle next-event [N]."""

    def __init__(self):
        super().__init__("heddle next-event", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        c, view = the_case(), View()
        try:
            count = int(argument or 1)
        except ValueError:
            count = 0
        if count < 1:
            raise gdb.GdbError("heddle next-event: expected a number of events, 1 or more")
        stops = [step["at"] for step in c.steps if step.get("at", -1) > view.at]
        if not c.exact:
            raise gdb.GdbError("heddle: this schedule orders some events only: the program cannot stop at each")
        if len(stops) < count:
            raise gdb.GdbError(f"heddle: {len(stops)} events of the schedule are left to stop at; `continue` runs the "
                               "program to its end")
        view.stop_at(stops[count - 1])
        gdb.execute("continue")
        if gdb.selected_inferior().pid != 0:
            gdb.execute("heddle here")


class HeddleLanes(gdb.Command):
    """Shows every thread, where it is, and its next event in the schedule; * marks the thread whose turn it is."""

    def __init__(self):
        super().__init__("heddle lanes", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        c, view = the_case(), View()
        turn = upcoming(view)
        numbers = {t.ptid[1]: t.num for t in gdb.selected_inferior().threads()}
        alive = {t["id"] - 1: t for t in view.threads}
        rows = []
        for number, name in enumerate(c.threads):
            entry = alive.get(number)
            blocked = waiting(entry) if entry else "not started"
            step = current(view, number, blocked)
            state = blocked or ("has the turn" if turn and turn["thread"] == number else "waits for its turn")
            ended = entry is None or state == "has ended"
            rows.append(("*" if turn and turn["thread"] == number else " ", name,
                         "" if ended else str(numbers.get(entry["tid"], "")), state,
                         describe(step) if step else "nothing more in the schedule"))
        rows.insert(0, (" ", "thread", "gdb", "state", "next event in the schedule"))
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        for row in rows:
            print(" ".join(f"{cell:{width}}" for cell, width in zip(row, widths)) + "  " + row[4])


class HeddleWhy(gdb.Command):
    """Says why the selected thread waits, or which part of the finding it is about to do."""

    def __init__(self):
        super().__init__("heddle why", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        c, view, thread = the_case(), View(), gdb.selected_thread()
        entry = view.of_gdb(thread) if thread else None
        if entry is None:
            raise gdb.GdbError("heddle: the selected thread is not one that Heddle schedules")
        number = entry["id"] - 1
        turn, blocked = upcoming(view), waiting(entry)
        step = current(view, number, blocked)
        if blocked:
            print(f"{thread_name(number)} {blocked}.")
        if turn is None:
            print("The schedule is done: the program runs freely.")
            return
        if turn["thread"] != number and not blocked:
            print(f"{thread_name(number)} waits for its turn: the schedule has {thread_name(turn['thread'])} do "
                  f"{describe(turn)} first.")
        if step is None:
            print("The schedule has nothing more for this thread; it goes on when the schedule is done.")
            return
        print(f"{'It' if blocked or turn['thread'] != number else thread_name(number)} "
              f"{'asked for' if c.done(step, view.at) else 'is about to do'} {describe(step)}"
              f" (step {step['number']} of {c.earlier + len(c.steps)}).")
        if "role" in step:
            print(f"In {c.id} ({c.property}) this is {ROLES.get(step['role'], step['role'])}.")
            if step.get("attempt"):
                print("It waits here for ever once all of them do.")
        elif c.id:
            ahead = next((s for s in c.steps if "role" in s and not c.done(s, view.at)), None)
            if ahead:
                print(f"It comes before what {c.id} is about: {thread_name(ahead['thread'])}, {describe(ahead)}.")


class InfoHeddle(gdb.Command):
    """Shows which finding, trace and schedule the program follows, and how far it has come."""

    def __init__(self):
        super().__init__("info heddle", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        c = the_case()
        print(f"finding:   {c.title or 'none: a schedule from a file'}")
        for what in ("report", "trace", "script"):
            if getattr(c, what):
                print(f"{what + ':':10} {getattr(c, what)}")
        print(f"schedule:  {c.earlier + len(c.steps)} events of {len(c.threads)} threads"
              + ("" if c.exact else ", of which only the order is enforced"))
        if gdb.selected_inferior().pid == 0:
            print("position:  the program is not running")
            return
        view = View()
        step = upcoming(view)
        if view.at >= c.runtime_steps or step is None:
            print("position:  the schedule is done; the program runs freely")
        else:
            print(f"position:  before step {step['number']}: {thread_name(step['thread'])}, {describe(step)}")


HeddlePrefix()
HeddleOpen()
HeddleHere()
HeddleNextEvent()
HeddleLanes()
HeddleWhy()
InfoHeddle()
