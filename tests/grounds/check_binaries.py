#!/usr/bin/env python3
"""check_binaries.py HEDDLE FOLDER COUNT FIRST: records COUNT random programs that are not instrumented, from number FIRST
on, at three levels of optimization, under Valgrind, and checks that their grounds are enough and their findings can happen, as
check_programs.py does for instrumented ones. Variables and threads are told apart by their debug information.

Valgrind drops loads whose results nobody needs, which the interpreter cannot know: where that happens the program is left
to a second run, in which Valgrind does not optimize. Few may be left even then: gcc itself can double a store of a loop that it
unrolls."""
import os
import random
import subprocess
import sys

from check_programs import Wrong, check_events, is_aligned, judge_findings, predict, print_findings, run
from program import Program, source
from recorded import parse

TOGETHER = 10  # programs in a run


class BinaryProgram(Program):
    """Some changes are loops of machine instructions: these do not become one event."""
    fetches = ["add", "sub"]


def record(heddle, path, optimize, *argument):
    """The trace as text, with its findings, and whether the program hung in the end."""
    os.environ["VALGRIND_OPTS"] = "--vex-iropt-level=%d" % optimize
    words = (heddle, "record", "--tool=valgrind", "-o", path + ".htr", "--", path) + argument
    done = subprocess.run(words, capture_output=True, text=True)
    hung = "deadlock: " in done.stderr
    if done.returncode != 0 and not hung:
        raise Wrong("%s: status %d\n%s" % (" ".join(words), done.returncode, done.stderr))
    return run(heddle, "convert", path + ".htr", "-"), predict(heddle, path + ".htr"), hung


def check_one(program, recorded, seed, counts):
    """Whether the interpreter can follow the recorded program; raises Wrong if it shows that something is wrong."""
    text, findings, _ = recorded
    events = parse(text, lambda thread, name: name if name.split(" ")[-1].startswith(program.tag) else "")
    if not is_aligned(program, events):
        return False
    check_events(program, events, random.Random(seed), counts)
    judge_findings(program, events, findings, counts)
    return True


def check_some(heddle, path, level, programs, first, counts):
    run("gcc", "-g", "-O" + level, "-w", "-fwrapv", "-o", path, path + ".c", "-pthread")
    for optimize in (2, 0):
        recorded, left = record(heddle, path, optimize), []
        hung = recorded[2]  # then those after it did not run
        for i, program in programs:
            try:
                if hung:
                    recorded = record(heddle, path, optimize, str(i))
                if not check_one(program, recorded, first + i, counts):
                    left.append((i, program))
            except (Wrong, StopIteration) as wrong:
                raise Wrong("program %d at -O%s: %s" % (first + i, level, str(wrong) or "it ends too early")) from wrong
        programs = left
        if not left:
            break
    counts["left"] += len(left)


def main():
    heddle, folder, count, first = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    os.environ["HEDDLE_KEEP_POLLS"] = "1"  # loads that nobody needs are hard enough to align
    counts = {"events": 0, "by": 0, "from": 0, "writes": 0, "left": 0, "findings": {}}
    path = os.path.join(folder, "binary")
    for start in range(first, first + count, TOGETHER):
        programs = [BinaryProgram(start + i, "p%d" % i) for i in range(min(TOGETHER, first + count - start))]
        with open(path + ".c", "w") as file:
            file.write(source(programs))
        try:
            for level in "012":
                check_some(heddle, path, level, list(enumerate(programs)), start, counts)
        except Wrong as wrong:
            print(wrong)
            return 1
    print("%d programs, three levels: %d events, %d with by, %d writes, %d with from; %d runs left out"
          % (count, counts["events"], counts["by"], counts["writes"], counts["from"], counts["left"]))
    print_findings(counts["findings"])
    return 0 if counts["left"] <= count / 5 and counts["by"] > counts["events"] / 2 and counts["from"] > counts["writes"] / 2 else 1


if __name__ == "__main__":
    sys.exit(main())
