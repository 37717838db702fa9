#!/usr/bin/env python3
"""check_java.py HEDDLE FOLDER COUNT FIRST: records COUNT random Java programs, from number FIRST on, and checks that
their grounds are enough and their findings can happen, as check_programs.py does for C."""
import os
import random
import sys

from check_programs import Wrong, check_events, judge_findings, predict, print_findings, run
from java_program import JavaProgram, java_source
from recorded import parse

TOGETHER = 20  # programs in a virtual machine


def check_some(heddle, folder, programs, first, counts):
    path = os.path.join(folder, "Random.java")
    trace = os.path.join(folder, "random.htr")
    with open(path, "w") as file:
        file.write(java_source(programs))
    run("javac", "-nowarn", "-d", folder, path)
    run(heddle, "record", "-q", "--exclude=Outside", "-o", trace, "--", "java", "-Xverify:all", "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1", "-cp", folder, "Random")
    text, findings = run(heddle, "convert", trace, "-"), predict(heddle, trace)
    for i, program in enumerate(programs):
        events = parse(text, program.rename)
        for e in events.values():
            e.kind = program.kind_done(e.kind, e.name)
        try:
            check_events(program, events, random.Random(first + i), counts)
            judge_findings(program, events, findings, counts)
        except Wrong as wrong:
            raise Wrong("program %d: %s" % (first + i, wrong)) from wrong


def main():
    heddle, folder, count, first = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    counts = {"events": 0, "by": 0, "from": 0, "writes": 0, "findings": {}}
    for start in range(first, first + count, TOGETHER):
        programs = [JavaProgram(start + i, "p%d" % i) for i in range(min(TOGETHER, first + count - start))]
        try:
            check_some(heddle, folder, programs, start, counts)
        except Wrong as wrong:
            print(wrong)
            return 1
    print("%d programs: %d events, %d with by, %d writes, %d with from"
          % (count, counts["events"], counts["by"], counts["writes"], counts["from"]))
    print_findings(counts["findings"])
    return 0 if counts["by"] > counts["events"] / 2 and counts["from"] > counts["writes"] / 2 else 1


if __name__ == "__main__":
    sys.exit(main())
